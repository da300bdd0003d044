/* Reads the "objects" layout of a snapshot, through cJSON. Owns the tree for the length of one call.
 *
 * Invariants: nothing the server sends can make it crash or read past its arrays; a number is stored only
 * after its range was checked; agents come out in strictly ascending order of id.
 */
#include "common/snapshot/snapshot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/snapshot/frame_codec.h"
#include "common/snapshot/snapshot_internal.h"
#include "common/snapshot/snapshot_view.h"

enum agent_key {
    KEY_ID,
    KEY_KIND,
    KEY_STATE,
    KEY_X,
    KEY_Y,
    KEY_VX,
    KEY_VY,
    KEY_HEADING,
    KEY_DESIRED,
    KEY_STEERING,
    KEY_FORCES,
    KEY_PARTS, /* of some agents */
    KEY_COUNT,
    KEYS_PLAIN = (1 << KEY_DESIRED) - 1, /* what every agent has */
    KEYS_FORCES = (1 << KEY_PARTS) - 1 - KEYS_PLAIN,
};

static const char *const agent_keys[KEY_COUNT] = {"id", "kind",    "state",   "x",        "y",      "vx",
                                                  "vy", "heading", "desired", "steering", "forces", "parts"};

enum { HEADING_MOST = 35999 };

static int fail(struct failure *failure, const char *field, const char *message) {
    return failure_set(failure, FAILURE_INVALID, field, "snapshot: %s", message);
}

/* ---- scalars ---- */

static bool read_vector(const cJSON *value, struct snapshot_vector *out) {
    if (!cJSON_IsArray(value) || value->child == NULL || value->child->next == NULL ||
        value->child->next->next != NULL) {
        return false;
    }
    return snapshot_read_hundredths(value->child, &out->x) &&
           snapshot_read_hundredths(value->child->next, &out->y);
}

/* ---- agents ---- */

/* The key's index; members come in the order they are written, so the one after the last is tried first. */
static int find_key(const char *name, int after) {
    for (int i = 1; i <= KEY_COUNT; i++) {
        const int key = (after + i) % KEY_COUNT;
        if (strcmp(name, agent_keys[key]) == 0) {
            return key;
        }
    }
    return -1;
}

/* The name's index, or -1. */
static int intern(struct name_table *names, const char *name) {
    const size_t length = strlen(name);
    return name_is_valid(name, length) ? name_table_intern(names, name, length) : -1;
}

static bool read_forces(const cJSON *value, struct snapshot *snapshot) {
    if (!cJSON_IsObject(value)) {
        return false;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, value) {
        if (snapshot->share_count >= snapshot->share_capacity) {
            return false;
        }
        struct snapshot_share *share = &snapshot->shares[snapshot->share_count];
        const int behavior = intern(&snapshot->behavior_names, item->string);
        if (behavior < 0 || !read_vector(item, &share->force)) {
            return false;
        }
        share->behavior = (uint16_t)behavior;
        snapshot->share_count++;
    }
    return true;
}

static bool read_parts_of(const cJSON *value, int behavior, struct snapshot *snapshot) {
    const cJSON *item = NULL;
    if (behavior < 0 || !cJSON_IsObject(value)) {
        return false;
    }
    cJSON_ArrayForEach(item, value) {
        if (snapshot->part_count >= snapshot->part_capacity) {
            return false;
        }
        struct snapshot_part *part = &snapshot->parts[snapshot->part_count];
        const int name = intern(&snapshot->part_names, item->string);
        if (name < 0 || !read_vector(item, &part->force)) {
            return false;
        }
        part->behavior = (uint16_t)behavior;
        part->part = (uint16_t)name;
        snapshot->part_count++;
    }
    return true;
}

static bool read_parts(const cJSON *value, struct snapshot *snapshot) {
    const cJSON *item = NULL;
    if (!cJSON_IsObject(value)) {
        return false;
    }
    cJSON_ArrayForEach(item, value) {
        if (!read_parts_of(item, intern(&snapshot->behavior_names, item->string), snapshot)) {
            return false;
        }
    }
    return true;
}

static bool read_id(const cJSON *value, struct snapshot *snapshot, int32_t i) {
    double id = 0.0;
    if (!snapshot_read_integer(value, 1.0, (double)UINT32_MAX, &id)) {
        return false;
    }
    snapshot->id[i] = (uint32_t)id;
    return i == 0 || snapshot->id[i] > snapshot->id[i - 1];
}

static bool read_member(int key, const cJSON *value, struct snapshot *snapshot, int32_t i) {
    switch ((enum agent_key)key) {
    case KEY_ID:
        return read_id(value, snapshot, i);
    case KEY_KIND:
        return snapshot_read_name(value, &snapshot->kind_names, &snapshot->kind[i]);
    case KEY_STATE:
        return snapshot_read_name(value, &snapshot->state_names, &snapshot->state[i]);
    case KEY_X:
        return snapshot_read_hundredths(value, &snapshot->x[i]);
    case KEY_Y:
        return snapshot_read_hundredths(value, &snapshot->y[i]);
    case KEY_VX:
        return snapshot_read_hundredths(value, &snapshot->vx[i]);
    case KEY_VY:
        return snapshot_read_hundredths(value, &snapshot->vy[i]);
    case KEY_HEADING:
        return snapshot_read_hundredths(value, &snapshot->heading[i]) && snapshot->heading[i] >= 0 &&
               snapshot->heading[i] <= HEADING_MOST;
    case KEY_DESIRED:
        return !snapshot->has_forces || read_vector(value, &snapshot->desired[i]);
    case KEY_STEERING:
        return !snapshot->has_forces || read_vector(value, &snapshot->steering[i]);
    case KEY_FORCES:
        return !snapshot->has_forces || read_forces(value, snapshot);
    case KEY_PARTS:
        return !snapshot_has_parts(snapshot) || read_parts(value, snapshot);
    default:
        return false;
    }
}

static int fail_agent(struct failure *failure, int32_t i, const char *key, const char *message) {
    char field[64];
    (void)snprintf(field, sizeof field, "agents[%d]%s%s", (int)i, key[0] == '\0' ? "" : ".", key);
    return fail(failure, field, message);
}

static int read_agent(const cJSON *object, struct snapshot *snapshot, int32_t i, struct failure *failure) {
    if (!cJSON_IsObject(object)) {
        return fail_agent(failure, i, "", "not an object");
    }
    unsigned seen = 0;
    int key = KEY_COUNT - 1;
    if (snapshot->has_forces) {
        snapshot->share_begin[i] = snapshot->share_count;
        snapshot->part_begin[i] = snapshot->part_count;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, object) {
        const int found = find_key(item->string, key);
        if (found < 0) {
            continue;
        }
        key = found;
        if (seen >> (unsigned)key & 1u) {
            return fail_agent(failure, i, agent_keys[key], "duplicate member");
        }
        if (!read_member(key, item, snapshot, i)) {
            return fail_agent(failure, i, agent_keys[key], "wrong type, out of range or out of order");
        }
        seen |= 1u << (unsigned)key;
    }
    const unsigned wanted = (unsigned)KEYS_PLAIN | (snapshot->has_forces ? (unsigned)KEYS_FORCES : 0u);
    for (unsigned k = 0; k < KEY_COUNT; k++) {
        if ((wanted & ~seen) >> k & 1u) {
            return fail_agent(failure, i, agent_keys[k], "missing");
        }
    }
    return 0;
}

/* What the arrays must hold. A line has fewer bytes than INT32_MAX, so it has fewer members. */
struct room {
    int32_t agents, shares, parts;
    bool has_parts; /* of one agent at least */
};

/* -1 when there are too many agents. */
static int count_agents(const cJSON *agents, struct room *room) {
    const cJSON *agent = NULL;
    *room = (struct room){0};
    cJSON_ArrayForEach(agent, agents) {
        const cJSON *parts = cJSON_GetObjectItemCaseSensitive(agent, "parts");
        const cJSON *behavior = NULL, *share = NULL;
        cJSON_ArrayForEach(share, cJSON_GetObjectItemCaseSensitive(agent, "forces")) {
            room->shares++;
        }
        cJSON_ArrayForEach(behavior, parts) {
            room->parts += cJSON_GetArraySize(behavior);
        }
        room->has_parts = room->has_parts || parts != NULL;
        if (++room->agents > LIMIT_AGENTS) {
            return -1;
        }
    }
    return 0;
}

static int make_room(const struct room *room, struct snapshot *snapshot, struct failure *failure) {
    if (snapshot_reserve(snapshot, room->agents, room->shares, snapshot->has_forces) != 0 ||
        (snapshot_has_parts(snapshot) && snapshot_reserve_parts(snapshot, room->parts) != 0)) {
        return failure_set(failure, FAILURE_BUSY, NULL, "snapshot: out of memory");
    }
    if (room->agents > 0) {
        memset(snapshot->stamina, 0, (size_t)room->agents * sizeof *snapshot->stamina); /* not read here */
    }
    snapshot->count = 0;
    snapshot->share_count = 0;
    snapshot->part_count = 0;
    return 0;
}

static int read_agents(const cJSON *agents, struct snapshot *snapshot, struct failure *failure) {
    struct room room;
    if (!cJSON_IsArray(agents)) {
        return fail(failure, "agents", "not an array");
    }
    if (count_agents(agents, &room) != 0) {
        return fail(failure, "agents", "too many");
    }
    /* The first agent decides whether this snapshot has forces; a later one without them is refused. */
    snapshot->has_forces = cJSON_GetObjectItemCaseSensitive(agents->child, "forces") != NULL;
    snapshot->fields = SNAPSHOT_USUAL | (snapshot->has_forces ? (unsigned)SNAPSHOT_FORCES : 0u);
    snapshot->fields |= snapshot->has_forces && room.has_parts ? (unsigned)SNAPSHOT_PARTS : 0u;
    if (make_room(&room, snapshot, failure) != 0) {
        return -1;
    }
    const cJSON *agent = NULL;
    cJSON_ArrayForEach(agent, agents) {
        if (read_agent(agent, snapshot, snapshot->count, failure) != 0) {
            return -1;
        }
        snapshot->count++;
    }
    if (snapshot->has_forces) {
        snapshot->share_begin[snapshot->count] = snapshot->share_count;
        snapshot->part_begin[snapshot->count] = snapshot->part_count;
    }
    return 0;
}

/* ---- the rest ---- */

static int read_snapshot(const cJSON *json, struct snapshot *snapshot, struct failure *failure) {
    const cJSON *op = cJSON_GetObjectItemCaseSensitive(json, "op");
    double tick = 0.0;
    if (!cJSON_IsString(op) || strcmp(op->valuestring, "snapshot") != 0) {
        return fail(failure, "op", "not a snapshot");
    }
    if (!snapshot_read_integer(cJSON_GetObjectItemCaseSensitive(json, "tick"), 0.0, LIMIT_ID_INTEGER,
                               &tick)) {
        return fail(failure, "tick", "missing, or not an integer from 0");
    }
    if (!snapshot_read_time(cJSON_GetObjectItemCaseSensitive(json, "time"), &snapshot->time_s)) {
        return fail(failure, "time", "missing, or not a number from 0");
    }
    if (!snapshot_read_time(cJSON_GetObjectItemCaseSensitive(json, "clock"), &snapshot->clock_ms)) {
        return fail(failure, "clock", "missing, or not a number from 0");
    }
    if (!snapshot_read_speed(cJSON_GetObjectItemCaseSensitive(json, "speed"), &snapshot->has_speed,
                             &snapshot->speed)) {
        return fail(failure, "speed", "not a number from 0 to 1000");
    }
    snapshot->tick = (uint64_t)tick;
    if (read_agents(cJSON_GetObjectItemCaseSensitive(json, "agents"), snapshot, failure) != 0) {
        return -1;
    }
    return snapshot_read_targets(cJSON_GetObjectItemCaseSensitive(json, "targets"), snapshot, failure);
}

int snapshot_decode(const char *line, size_t length, struct snapshot *snapshot, struct failure *failure) {
    snapshot->count = 0;
    snapshot->target_count = 0;
    cJSON *json = snapshot_parse(line, length, failure);
    if (json == NULL) {
        return -1;
    }
    const int result = read_snapshot(json, snapshot, failure);
    if (result != 0) {
        snapshot->count = 0;
        snapshot->target_count = 0;
    }
    cJSON_Delete(json);
    return result;
}

/* ---- the row ---- */

/* Measured in the scenarios that come with the program. */
static size_t agent_bytes(unsigned fields) {
    static const struct {
        unsigned field, bytes;
    } rows[] = {
        {SNAPSHOT_POS, 30},    {SNAPSHOT_VEL, 28},     {SNAPSHOT_HEADING, 18},
        {SNAPSHOT_STATE, 20},  {SNAPSHOT_KIND, 18},    {SNAPSHOT_STAMINA, 20},
        {SNAPSHOT_FORCE, 38},  {SNAPSHOT_DESIRED, 38}, {SNAPSHOT_SHARES, 120}, /* of four behaviors */
        {SNAPSHOT_PARTS, 110},                                                 /* of a flock */
    };
    size_t bytes = 16; /* the id */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bytes += fields & rows[i].field ? rows[i].bytes : 0u;
    }
    return bytes;
}

static void encode_frame(const struct snapshot_view *view, const struct snapshot *snapshot,
                         struct density *scratch, struct buffer *out) {
    (void)scratch;
    snapshot_encode_fields(snapshot, view->fields, out);
}

static enum frame_result decode_frame(const struct frame_reader *reader, const char *line, size_t length,
                                      struct failure *failure) {
    return snapshot_decode(line, length, reader->snapshot, failure) == 0 ? FRAME_READY : FRAME_REFUSED;
}

const struct frame_layout frame_layout_objects = {
    .ops = {"snapshot"},
    .fields = SNAPSHOT_USUAL | SNAPSHOT_STAMINA | SNAPSHOT_FORCES | SNAPSHOT_PARTS,
    .agent_bytes = agent_bytes,
    .encode = encode_frame,
    .decode = decode_frame,
};
