/* Writes the "objects" layout: JSON that a person can read; and reads it.
 *
 * Invariant: the writer formats integers only, so what it writes is the same on every machine and in every
 * locale.
 */
#include "common/snapshot/snapshot.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_writer.h"
#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot_internal.h"
#include "common/text/digits.h"

enum {
    FRAGMENT_BYTES = 48,      /* holds the longest of the name fragments below; copied whole */
    NAME_FRAGMENT_EXTRA = 17, /* the longest text around a name */
    AGENT_BYTES =
        6 + 10 + 2 * FRAGMENT_BYTES + 6 * (8 + 13) + 22, /* fragments, keys and numbers of one agent */
    AGENT_FORCE_BYTES = 3 * (13 + 2 * 13 + 2) + 16,      /* and the twin */
    SHARE_BYTES = FRAGMENT_BYTES + 2 * 13 + 4,
    PART_BYTES = 2 * FRAGMENT_BYTES + 2 * 13 + 16, /* the behavior's name may come with each */
    SLACK_BYTES = FRAGMENT_BYTES + DIGITS_SLACK,   /* what fixed-size copies may store past the text */
    CHUNK_AGENTS = 64,
};

/* Text around a name, ready to be copied: ,"kind":"prey" for each kind. */
struct fragment {
    char text[FRAGMENT_BYTES];
    uint32_t length;
};

struct fragments {
    struct fragment *kinds, *states, *behaviors, *parts; /* behaviors: "flock":[ */
};

static struct fragment make_fragment(const char *before, const char *name, const char *after) {
    struct fragment fragment = {.length = 0};
    const char *const parts[] = {before, name, after};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const size_t length = strlen(parts[i]);
        assert(fragment.length + length <= FRAGMENT_BYTES);
        memcpy(fragment.text + fragment.length, parts[i], length);
        fragment.length += (uint32_t)length;
    }
    return fragment;
}

static void make_fragments(const struct name_table *names, const char *before, const char *after,
                           struct fragment *out) {
    for (int i = 0; i < names->count; i++) {
        assert(name_is_valid(names->names[i], strlen(names->names[i]))); /* needs no escaping */
        out[i] = make_fragment(before, names->names[i], after);
    }
}

/* One allocation a frame for all names; false when out of memory. */
static bool fragments_init(struct fragments *fragments, const struct snapshot *snapshot) {
    const size_t kinds = (size_t)snapshot->kind_names.count;
    const size_t states = (size_t)snapshot->state_names.count;
    const size_t behaviors = (size_t)snapshot->behavior_names.count;
    const size_t parts = (size_t)snapshot->part_names.count;
    fragments->kinds = calloc(kinds + states + behaviors + parts + 1, sizeof(struct fragment));
    if (fragments->kinds == NULL) {
        return false;
    }
    fragments->states = fragments->kinds + kinds;
    fragments->behaviors = fragments->states + states;
    fragments->parts = fragments->behaviors + behaviors;
    make_fragments(&snapshot->kind_names, ",\"kind\":\"", "\"", fragments->kinds);
    make_fragments(&snapshot->state_names, ",\"state\":\"", "\",\"x\":", fragments->states);
    make_fragments(&snapshot->behavior_names, "\"", "\":[", fragments->behaviors);
    make_fragments(&snapshot->part_names, "\"", "\":[", fragments->parts);
    return true;
}

static void fragments_fini(struct fragments *fragments) {
    free(fragments->kinds);
}

static inline char *put_fragment(char *out, const struct fragment *fragment) {
    memcpy(out, fragment->text, FRAGMENT_BYTES);
    return out + fragment->length;
}

/* Copies a literal of at most 16 characters. Always 8 or 16 bytes, so this is one store; what is too much is
 * overwritten by what follows (SLACK_BYTES). */
#define PUT(out, literal)                                                                                    \
    ((char *)memcpy((out), literal "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", sizeof(literal) - 1 <= 8 ? 8 : 16) +    \
     sizeof(literal) - 1)

static inline char *put_vector(char *out, struct snapshot_vector vector) {
    out = digits_write_hundredths(out, vector.x);
    *out++ = ',';
    return digits_write_hundredths(out, vector.y);
}

/* {"id":1,"kind":"prey","state":"seek","x":12.34,"y":5.00,"vx":-3.20,"vy":0.00,"heading":180.00 */
static inline char *put_agent(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                              int32_t i) {
    out = PUT(out, "{\"id\":");
    out = digits_write_u32(out, snapshot->id[i]);
    out = put_fragment(out, &fragments->kinds[snapshot->kind[i]]);
    out = put_fragment(out, &fragments->states[snapshot->state[i]]);
    out = digits_write_hundredths(out, snapshot->x[i]);
    out = PUT(out, ",\"y\":");
    out = digits_write_hundredths(out, snapshot->y[i]);
    out = PUT(out, ",\"vx\":");
    out = digits_write_hundredths(out, snapshot->vx[i]);
    out = PUT(out, ",\"vy\":");
    out = digits_write_hundredths(out, snapshot->vy[i]);
    out = PUT(out, ",\"heading\":");
    return digits_write_hundredths(out, snapshot->heading[i]);
}

/* ,"forces":{"seek":[400.00,0.00]} */
static char *put_shares(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                        int32_t i) {
    out = PUT(out, ",\"forces\":{");
    for (int32_t s = snapshot->share_begin[i]; s < snapshot->share_begin[i + 1]; s++) {
        out = put_fragment(out, &fragments->behaviors[snapshot->shares[s].behavior]);
        out = put_vector(out, snapshot->shares[s].force);
        out = PUT(out, "],");
    }
    if (out[-1] == ',') {
        out--;
    }
    *out++ = '}';
    return out;
}

/* "flock":{"separation":[1.00,0.00],"alignment":[0.00,2.00]}, of the parts from `first` to before `end`, which are of one
 * behavior. */
static char *put_parts_of(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                          int32_t first, int32_t end) {
    out = put_fragment(out, &fragments->behaviors[snapshot->parts[first].behavior]);
    out[-1] = '{'; /* the fragment ends with the bracket of a vector */
    for (int32_t p = first; p < end; p++) {
        out = put_fragment(out, &fragments->parts[snapshot->parts[p].part]);
        out = put_vector(out, snapshot->parts[p].force);
        out = PUT(out, "],");
    }
    out[-1] = '}';
    return PUT(out, ",");
}

/* ,"parts":{"flock":{"separation":[1.00,0.00]}}; nothing for an agent without parts. */
static char *put_parts(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                       int32_t i) {
    const int32_t end = snapshot->part_begin[i + 1];
    int32_t first = snapshot->part_begin[i];
    if (first == end) {
        return out;
    }
    out = PUT(out, ",\"parts\":{");
    while (first < end) {
        int32_t next = first + 1;
        while (next < end && snapshot->parts[next].behavior == snapshot->parts[first].behavior) {
            next++;
        }
        out = put_parts_of(out, snapshot, fragments, first, next);
        first = next;
    }
    out[-1] = '}';
    return out;
}

static char *put_desired(char *out, const struct snapshot *snapshot, int32_t i) {
    out = PUT(out, ",\"desired\":[");
    out = put_vector(out, snapshot->desired[i]);
    return PUT(out, "]");
}

static char *put_steering(char *out, const struct snapshot *snapshot, int32_t i) {
    out = PUT(out, ",\"steering\":[");
    out = put_vector(out, snapshot->steering[i]);
    return PUT(out, "]");
}

/* ,"desired":[120.00,0.00],"steering":[360.00,0.00],"forces":{"seek":[400.00,0.00]} */
static char *put_forces(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                        int32_t i) {
    return put_shares(put_steering(put_desired(out, snapshot, i), snapshot, i), snapshot, fragments, i);
}

/* ,"twin":[12.34,5.00]; nothing for an agent without a twin. */
static char *put_twin(char *out, const struct snapshot *snapshot, int32_t i) {
    if (snapshot->twins[i].x == SNAPSHOT_NO_TWIN) {
        return out;
    }
    out = PUT(out, ",\"twin\":[");
    out = put_vector(out, snapshot->twins[i]);
    return PUT(out, "]");
}

/* The members of one agent that are in `fields`; the same text as put_agent's for those. */
static inline char *put_chosen(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                               unsigned fields, int32_t i) {
    out = digits_write_u32(PUT(out, "{\"id\":"), snapshot->id[i]);
    if (fields & SNAPSHOT_KIND) {
        out = put_fragment(out, &fragments->kinds[snapshot->kind[i]]);
    }
    if (fields & SNAPSHOT_STATE) { /* the fragment goes on with ,"x": */
        out = put_fragment(out, &fragments->states[snapshot->state[i]]) - (sizeof ",\"x\":" - 1);
    }
    if (fields & SNAPSHOT_POS) {
        out = digits_write_hundredths(PUT(out, ",\"x\":"), snapshot->x[i]);
        out = digits_write_hundredths(PUT(out, ",\"y\":"), snapshot->y[i]);
    }
    if (fields & SNAPSHOT_VEL) {
        out = digits_write_hundredths(PUT(out, ",\"vx\":"), snapshot->vx[i]);
        out = digits_write_hundredths(PUT(out, ",\"vy\":"), snapshot->vy[i]);
    }
    if (fields & SNAPSHOT_HEADING) {
        out = digits_write_hundredths(PUT(out, ",\"heading\":"), snapshot->heading[i]);
    }
    if (fields & SNAPSHOT_STAMINA) {
        out = digits_write_hundredths(PUT(out, ",\"stamina\":"), snapshot->stamina[i]);
    }
    out = fields & SNAPSHOT_TWIN ? put_twin(out, snapshot, i) : out;
    out = fields & SNAPSHOT_DESIRED ? put_desired(out, snapshot, i) : out;
    out = fields & SNAPSHOT_FORCE ? put_steering(out, snapshot, i) : out;
    out = fields & SNAPSHOT_SHARES ? put_shares(out, snapshot, fragments, i) : out;
    return fields & SNAPSHOT_PARTS ? put_parts(out, snapshot, fragments, i) : out;
}

static void encode_agents(const struct snapshot *snapshot, const struct fragments *fragments,
                          struct buffer *out) {
    for (int32_t begin = 0; begin < snapshot->count; begin += CHUNK_AGENTS) {
        const int32_t end = begin + CHUNK_AGENTS < snapshot->count ? begin + CHUNK_AGENTS : snapshot->count;
        char *const start = buffer_reserve(out, (size_t)(end - begin) * AGENT_BYTES + SLACK_BYTES);
        if (start == NULL) {
            return;
        }
        char *text = start;
        for (int32_t i = begin; i < end; i++) {
            text = put_agent(text, snapshot, fragments, i);
            text = PUT(text, "},");
        }
        buffer_commit(out, (size_t)(text - start));
    }
}

static void encode_agents_with_forces(const struct snapshot *snapshot, const struct fragments *fragments,
                                      struct buffer *out) {
    for (int32_t i = 0; i < snapshot->count; i++) {
        const size_t shares = (size_t)(snapshot->share_begin[i + 1] - snapshot->share_begin[i]);
        char *const start =
            buffer_reserve(out, AGENT_BYTES + AGENT_FORCE_BYTES + shares * SHARE_BYTES + SLACK_BYTES);
        if (start == NULL) {
            return;
        }
        char *text = put_agent(start, snapshot, fragments, i);
        text = put_forces(text, snapshot, fragments, i);
        text = PUT(text, "},");
        buffer_commit(out, (size_t)(text - start));
    }
}

/* What one chunk of agents may take, their shares included. */
static size_t chosen_bytes(const struct snapshot *snapshot, unsigned fields, int32_t begin, int32_t end) {
    const size_t agents = (size_t)(end - begin) * (AGENT_BYTES + AGENT_FORCE_BYTES);
    const int32_t shares =
        fields & SNAPSHOT_SHARES ? snapshot->share_begin[end] - snapshot->share_begin[begin] : 0;
    const int32_t parts =
        fields & SNAPSHOT_PARTS ? snapshot->part_begin[end] - snapshot->part_begin[begin] : 0;
    return agents + (size_t)shares * SHARE_BYTES + (size_t)parts * PART_BYTES + SLACK_BYTES;
}

static inline char *put_run(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                            unsigned fields, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; i++) {
        out = PUT(put_chosen(out, snapshot, fragments, fields, i), "},");
    }
    return out;
}

/* Numbers alone are what most ask for who choose: constants let the compiler drop every question. */
static char *put_chosen_run(char *out, const struct snapshot *snapshot, const struct fragments *fragments,
                            unsigned fields, int32_t begin, int32_t end) {
    switch (fields) {
    case SNAPSHOT_POS:
        return put_run(out, snapshot, fragments, SNAPSHOT_POS, begin, end);
    case SNAPSHOT_POS | SNAPSHOT_VEL:
        return put_run(out, snapshot, fragments, SNAPSHOT_POS | SNAPSHOT_VEL, begin, end);
    case SNAPSHOT_POS | SNAPSHOT_VEL | SNAPSHOT_HEADING:
        return put_run(out, snapshot, fragments, SNAPSHOT_POS | SNAPSHOT_VEL | SNAPSHOT_HEADING, begin, end);
    case SNAPSHOT_POS | SNAPSHOT_VEL | SNAPSHOT_HEADING | SNAPSHOT_STAMINA:
        return put_run(out, snapshot, fragments,
                       SNAPSHOT_POS | SNAPSHOT_VEL | SNAPSHOT_HEADING | SNAPSHOT_STAMINA, begin, end);
    default:
        return put_run(out, snapshot, fragments, fields, begin, end);
    }
}

static void encode_chosen(const struct snapshot *snapshot, const struct fragments *fragments, unsigned fields,
                          struct buffer *out) {
    for (int32_t begin = 0; begin < snapshot->count; begin += CHUNK_AGENTS) {
        const int32_t end = begin + CHUNK_AGENTS < snapshot->count ? begin + CHUNK_AGENTS : snapshot->count;
        char *const start = buffer_reserve(out, chosen_bytes(snapshot, fields, begin, end));
        if (start == NULL) {
            return;
        }
        char *text = put_chosen_run(start, snapshot, fragments, fields, begin, end);
        buffer_commit(out, (size_t)(text - start));
    }
}

/* ---- lines ---- */

static void encode_all(const struct snapshot *snapshot, const struct fragments *fragments, unsigned fields,
                       struct buffer *out) {
    const unsigned all = (unsigned)SNAPSHOT_FORCES | (unsigned)SNAPSHOT_PARTS | (unsigned)SNAPSHOT_TWIN,
                   plain = fields & ~all;
    const unsigned there = (snapshot->has_forces ? (unsigned)SNAPSHOT_FORCES : 0u) |
                           (snapshot_has_parts(snapshot) ? (unsigned)SNAPSHOT_PARTS : 0u) |
                           (snapshot->fields & (unsigned)SNAPSHOT_TWIN);
    const unsigned forces = fields & there;
    if (plain == SNAPSHOT_USUAL && forces == 0) {
        encode_agents(snapshot, fragments, out);
    } else if (plain == SNAPSHOT_USUAL && forces == SNAPSHOT_FORCES) {
        encode_agents_with_forces(snapshot, fragments, out);
    } else {
        encode_chosen(snapshot, fragments, plain | forces, out);
    }
}

void snapshot_encode_fields(const struct snapshot *snapshot, unsigned fields, struct buffer *out) {
    struct fragments fragments;
    if (!fragments_init(&fragments, snapshot)) {
        out->failed = true;
        return;
    }
    buffer_printf(out, "{\"op\":\"snapshot\",\"tick\":%llu,\"time\":", (unsigned long long)snapshot->tick);
    snapshot_append_fixed(out, snapshot->time_s, 6);
    buffer_append_text(out, ",\"agents\":[");
    encode_all(snapshot, &fragments, fields, out);
    snapshot_drop_last_comma(out);
    buffer_append_text(out, "]");
    snapshot_append_targets(snapshot, out);
    buffer_append_text(out, ",\"clock\":");
    snapshot_append_fixed(out, snapshot->clock_ms, 3);
    buffer_append_text(out, "}\n");
    fragments_fini(&fragments);
}

/* ---- decode ---- */

/* Reads the "objects" layout of a snapshot, through cJSON. Owns the tree for the length of one call.
 *
 * Invariants: nothing the server sends can make it crash or read past its arrays; a number is stored only
 * after its range was checked; agents come out in strictly ascending order of id.
 */

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
    KEY_TWIN,  /* the same */
    KEY_COUNT,
    KEYS_PLAIN = (1 << KEY_DESIRED) - 1, /* what every agent has */
    KEYS_FORCES = (1 << KEY_PARTS) - 1 - KEYS_PLAIN,
};

static const char *const agent_keys[KEY_COUNT] = {
    "id", "kind", "state", "x", "y", "vx", "vy", "heading", "desired", "steering", "forces", "parts", "twin"};

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
    case KEY_TWIN:
        return !snapshot_has_twins(snapshot) || read_vector(value, &snapshot->twins[i]);
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
    bool has_parts, has_twins; /* of one agent at least */
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
        room->has_twins = room->has_twins || cJSON_GetObjectItemCaseSensitive(agent, "twin") != NULL;
        if (++room->agents > LIMIT_AGENTS) {
            return -1;
        }
    }
    return 0;
}

static int make_room(const struct room *room, struct snapshot *snapshot, struct failure *failure) {
    if (snapshot_reserve(snapshot, room->agents, room->shares, snapshot->has_forces) != 0 ||
        (snapshot_has_parts(snapshot) && snapshot_reserve_parts(snapshot, room->parts) != 0) ||
        (snapshot_has_twins(snapshot) && snapshot_reserve_twins(snapshot) != 0)) {
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
    snapshot->fields |= room.has_twins ? (unsigned)SNAPSHOT_TWIN : 0u;
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
    if (!snapshot_read_sample(cJSON_GetObjectItemCaseSensitive(json, "one_in"),
                              cJSON_GetObjectItemCaseSensitive(json, "of"), snapshot)) {
        return fail(failure, "one_in", "not with \"of\", or not integers");
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
        {SNAPSHOT_PARTS, 110}, {SNAPSHOT_TWIN, 28},                            /* of a flock */
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
    .fields = SNAPSHOT_USUAL | SNAPSHOT_STAMINA | SNAPSHOT_FORCES | SNAPSHOT_PARTS | SNAPSHOT_TWIN,
    .agent_bytes = agent_bytes,
    .encode = encode_frame,
    .decode = decode_frame,
};
