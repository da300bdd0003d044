/* A world that runs, written as a scenario: the document that it came from, in which what is different now is replaced.
 *
 * 1. What a fresh world of the document has as well stays as its text has it. So a document that was written so comes out of its
 * own fresh world again, byte for byte.
 * 2. Where agents are their entries' is kept only when a fresh world of the new document has them like that; otherwise each of them is an
 * entry.
 * 3. What is not said follows from a comparison of the world with a fresh one of the new document.
 */
#include "server/scenario/scenario.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/json/json_text.h"
#include "common/json/json_writer.h"
#include "common/protocol/geometry_json.h"
#include "server/sim/math/trig.h"
#include "server/sim/world/world_image.h"
#include "server/sim/world/world_stripes.h"

struct now {
    const struct world *world;
    const struct world *before; /* a fresh world of the document, without agents */
    cJSON *root;
    bool is_changed, has_failed; /* failed: memory is short */
    struct buffer value;         /* of the member in hand */
    struct json_writer json;     /* into it */
};

/* ---- the document as a tree ---- */

/* The next string, number or word of a text, and where it ends. */
static const char *next_token(const char **at) {
    const char *begin = *at + strspn(*at, " \t\r\n{}[]:,"), *end = begin;
    if (*begin != '"') {
        *at = begin + strcspn(begin, " \t\r\n{}[]:,");
        return begin;
    }
    for (end++; *end != '"'; end += 1 + (*end == '\\')) {}
    *at = end + 1;
    return begin;
}

/* Gives the strings and numbers of a tree the text that they were read from, so that they are written as they were. */
static bool keep_tokens(cJSON *node, const char **at) {
    for (cJSON *item = node->child; item != NULL; item = item->next) {
        if (cJSON_IsObject(node)) {
            (void)next_token(at); /* its key */
        }
        if (cJSON_IsObject(item) || cJSON_IsArray(item)) {
            if (!keep_tokens(item, at)) {
                return false;
            }
            continue;
        }
        const char *token = next_token(at);
        const size_t length = (size_t)(*at - token);
        if (!cJSON_IsString(item) && !cJSON_IsNumber(item)) {
            continue;
        }
        char *copy = cJSON_malloc(length + 1);
        if (copy == NULL) {
            return false;
        }
        memcpy(copy, token, length);
        copy[length] = '\0';
        cJSON_free(item->valuestring);
        item->valuestring = copy;
        item->type = cJSON_Raw;
    }
    return true;
}

static cJSON *member(cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* NULL when there is none. */
static cJSON *detach(cJSON *object, const char *key) {
    cJSON *item = member(object, key);
    return item == NULL ? NULL : cJSON_DetachItemViaPointer(object, item);
}

/* The order of docs/scenarios.md. */
static const char *const root_keys[] = {"$schema",    "name",    "description", "about",   "view",  "seed",
                                        "tick_hz",    "warmup",  "world",       "targets", "kinds", "agents",
                                        "formations", "sources", "sinks",       NULL};
static const char *const world_keys[] = {"size", "edge", "meter", "obstacles", NULL};
static const char *const kind_parts[] = {"behaviors", "states", NULL};
static const char *const no_keys[] = {NULL};
static const struct field no_rows[] = {{.type = FIELD_END}};

/* Where a member belongs: behind the rows of the table come the names. */
static int rank_of(const struct field *table, const char *const *names, const char *key) {
    int rank = 0;
    for (; table->type != FIELD_END && strcmp(table->name, key) != 0; table++) {
        rank++;
    }
    for (; table->type == FIELD_END && *names != NULL && strcmp(*names, key) != 0; names++) {
        rank++;
    }
    return rank;
}

/* Begins the text of a value, for end_value. */
static struct json_writer *begin_value(struct now *now) {
    buffer_clear(&now->value);
    now->json = json_writer_begin(&now->value);
    return &now->json;
}

static cJSON *end_value(struct now *now) {
    cJSON *value = now->value.failed ? NULL : cJSON_CreateRaw(now->value.data);
    now->has_failed = now->has_failed || value == NULL;
    return value;
}

/* Replaces the member, or puts a further one where it belongs. Takes the value; NULL: memory is short. */
static void put(struct now *now, cJSON *object, const char *key, cJSON *value, const struct field *table,
                const char *const *names) {
    now->is_changed = true;
    if (value == NULL) {
        return;
    }
    if (member(object, key) != NULL) {
        now->has_failed = !cJSON_ReplaceItemInObjectCaseSensitive(object, key, value) || now->has_failed;
        return;
    }
    const int rank = rank_of(table, names, key);
    cJSON *other = object->child;
    while (other != NULL && rank_of(table, names, other->string) <= rank) {
        other = other->next;
    }
    if (!cJSON_AddItemToObject(object, key, value)) {
        cJSON_Delete(value);
        now->has_failed = true;
        return;
    }
    while (other != NULL && other != value) { /* what comes behind it goes there */
        cJSON *next = other->next;
        (void)cJSON_AddItemToArray(object, cJSON_DetachItemViaPointer(object, other));
        other = next;
    }
}

/* ---- the same bits ---- */

static bool are_same_numbers(const float *a, const float *b, int count) {
    bool are = true;
    for (int i = 0; i < count; i++) {
        uint32_t one, other;
        memcpy(&one, &a[i], sizeof one);
        memcpy(&other, &b[i], sizeof other);
        are = are && one == other;
    }
    return are;
}

/* ---- numbers of the world, kinds ---- */

static void write_world(struct now *now) {
    if (world_seed(now->world) != world_seed(now->before)) {
        json_unsigned(begin_value(now), world_seed(now->world));
        put(now, now->root, "seed", end_value(now), no_rows, root_keys);
    }
    const double hz = world_tick_hz(now->world), hz_before = world_tick_hz(now->before);
    if (hz < hz_before || hz > hz_before) {
        json_number(begin_value(now), hz);
        put(now, now->root, "tick_hz", end_value(now), no_rows, root_keys);
    }
}

/* The object that has the parameter, or would have it. */
static cJSON *holder_of(struct now *now, const struct param_ref *ref) {
    cJSON *kind = member(member(now->root, "kinds"), world_kind(now->world, ref->kind)->name);
    cJSON *states = member(kind, "states");
    if (ref->behavior < 0) {
        return kind;
    }
    const cJSON *behavior = cJSON_GetArrayItem(
        member(states == NULL ? kind : cJSON_GetArrayItem(states, ref->state), "behaviors"), ref->behavior);
    return behavior == NULL ? NULL : behavior->child;
}

static void write_param(struct now *now, const struct param_ref *ref) {
    const struct kind_def *kind = world_kind(now->world, ref->kind);
    const struct behavior_def *behavior =
        ref->behavior < 0 ? NULL : &kind->states[ref->state].behaviors[ref->behavior];
    cJSON *holder = holder_of(now, ref);
    if (holder == NULL) {
        now->has_failed = true;
        return;
    }
    field_write_value(ref->field, behavior == NULL ? (const void *)&kind->body : (const void *)behavior,
                      begin_value(now));
    put(now, holder, ref->field->name, end_value(now),
        behavior == NULL ? body_fields() : behavior_fields((enum behavior_type)behavior->type), kind_parts);
}

/* Whether the world has the kinds of its document, in whatever order. */
static bool write_kinds(struct now *now) {
    const int count = world_kind_count(now->world);
    bool are = count == world_kind_count(now->before);
    for (int k = 0; k < count && are; k++) {
        struct param_ref ref, other;
        char name[64];
        const int before = world_find_kind(now->before, world_kind(now->world, k)->name);
        are = before >= 0;
        for (int i = 0; are && world_param_at(now->world, k, i, &ref, name); i++) {
            are = world_find_param(now->before, before, name, &other);
            const struct image_param value = world_image_param(now->world, &ref),
                                     old = are ? world_image_param(now->before, &other) : value;
            if (value.low != old.low || value.high != old.high) {
                write_param(now, &ref);
            }
        }
    }
    return are;
}

/* ---- targets ---- */

static bool is_cursor(const char *name) {
    return strncmp(name, "cursor-", 7) == 0;
}

/* Whether a target does the same when it is in another place. */
static bool is_alike(const struct target_def *a, const struct target_def *b) {
    const float numbers[] = {a->jump_within, a->jump_margin, a->stroll_speed, a->stroll_after};
    const float others[] = {b->jump_within, b->jump_margin, b->stroll_speed, b->stroll_after};
    return are_same_numbers(numbers, others, 4);
}

/* The target as the document has it, in its new place; or a new one. Detached from `old`. */
static cJSON *target_value(struct now *now, cJSON *old, const struct target_def *target, bool *is_same) {
    const int index = world_find_target(now->before, target->name);
    const struct target_def *before = index < 0 ? NULL : world_image_target(now->before, index);
    cJSON *value = before != NULL && is_alike(target, before) ? detach(old, target->name) : NULL;
    *is_same = value != NULL && vec2_is_same(target->at, before->at);
    if (*is_same) {
        return value;
    }
    struct json_writer *json = begin_value(now);
    json_array(json);
    json_float(json, target->at.x);
    json_float(json, target->at.y);
    json_end(json);
    cJSON *place = end_value(now);
    if (value == NULL || !cJSON_IsObject(value)) {
        cJSON_Delete(value);
        return place;
    }
    put(now, value, "at", place, no_rows, no_keys);
    return value;
}

/* All of them in the order that they have now, without cursors. */
static void write_targets(struct now *now) {
    cJSON *old = member(now->root, "targets"), *fresh = cJSON_CreateObject();
    int count = 0;
    for (int i = 0; i < world_target_count(now->world) && fresh != NULL; i++) {
        const struct target_def *target = world_image_target(now->world, i);
        if (is_cursor(target->name)) {
            continue;
        }
        bool is_same = false;
        cJSON *value = target_value(now, old, target, &is_same);
        if (value == NULL || !cJSON_AddItemToObject(fresh, target->name, value)) {
            cJSON_Delete(value);
            now->has_failed = true;
        }
        now->is_changed = now->is_changed || !is_same || count >= world_target_count(now->before) ||
                          strcmp(target->name, world_target_name(now->before, count)) != 0;
        count++;
    }
    now->is_changed = now->is_changed || count != world_target_count(now->before);
    now->has_failed = now->has_failed || fresh == NULL;
    if (count == 0 && old == NULL) {
        cJSON_Delete(fresh);
        return;
    }
    const bool is_changed = now->is_changed; /* putting it back changes nothing */
    put(now, now->root, "targets", fresh, no_rows, root_keys);
    now->is_changed = is_changed;
}

/* ---- obstacles ---- */

static const float longest = (float)LIMIT_MOVER_TIME;

/* How an obstacle that follows a path is on its way, if the world begins where it is now. */
static struct move_def move_now(const struct now *now, const struct move_def *move, bool with_agents) {
    struct move_def moved = *move;
    const double ticks =
        (double)world_tick(now->world) + whole_ticks((double)move->start, world_tick_hz(now->world));
    if (with_agents && world_tick(now->world) > 0) {
        moved.start = (float)(ticks / world_tick_hz(now->world));
        moved.start = moved.start < longest ? moved.start : longest;
    }
    return moved;
}

/* An obstacle as text: its shape, how it moves, the door. */
static void write_obstacle(const struct obstacle_def *obstacle, const struct move_def *move,
                           struct json_writer *json) {
    json_object(json);
    geometry_shape_write(obstacle, obstacle_shape_names, json);
    if (move->speed > 0.0f) {
        json_key(json, "move");
        json_object(json);
        fields_write(geometry_move_fields, move, json);
        json_end(json);
    }
    if (obstacle->door.time > 0.0f) {
        json_key(json, "door");
        json_object(json);
        fields_write(geometry_door_fields, &obstacle->door, json);
        json_end(json);
    }
    json_end(json);
}

/* The document's own value where the obstacle is the same one, detached from `old`. */
static cJSON *obstacle_value(struct now *now, cJSON *old, const struct obstacle_def *obstacle,
                             bool with_agents, bool *is_same) {
    const struct geometry_def *before = &world_scenery(now->before)->def;
    struct buffer text;
    const struct move_def move = move_now(now, &obstacle->move, with_agents);
    buffer_init(&text, 1 << 16);
    write_obstacle(obstacle, &move, begin_value(now));
    *is_same = false;
    if (obstacle->id >= 1 && obstacle->id <= (uint32_t)before->obstacle_count) {
        const struct obstacle_def *own = &before->obstacles[obstacle->id - 1];
        struct json_writer json = json_writer_begin(&text);
        write_obstacle(own, &own->move, &json);
        *is_same = !text.failed && !now->value.failed && strcmp(text.data, now->value.data) == 0;
    }
    buffer_fini(&text);
    return *is_same ? cJSON_Duplicate(cJSON_GetArrayItem(old, (int)obstacle->id - 1), true) : end_value(now);
}

static void write_obstacles(struct now *now, bool with_agents) {
    const struct geometry_def *def = &world_scenery(now->world)->def;
    cJSON *place = member(now->root, "world"), *old = member(place, "obstacles"),
          *fresh = cJSON_CreateArray();
    bool is_changed = def->obstacle_count != world_scenery(now->before)->def.obstacle_count;
    for (int i = 0; i < def->obstacle_count && fresh != NULL; i++) {
        bool is_same = false;
        cJSON *value = obstacle_value(now, old, &def->obstacles[i], with_agents, &is_same);
        is_changed = is_changed || !is_same;
        now->has_failed = now->has_failed || value == NULL || !cJSON_AddItemToArray(fresh, value);
    }
    now->has_failed = now->has_failed || fresh == NULL;
    if (is_changed) {
        put(now, place, "obstacles", fresh, no_rows, world_keys);
    } else {
        cJSON_Delete(fresh);
    }
}

/* ---- agents ---- */

/* What a new agent has as well when its entry does not say it. */
static bool faces_course(const struct agent_view *agent) {
    return vec2_is_same(vec2_with_length(agent->velocity, 1.0f), agent->heading);
}

static void write_agent(const struct world *world, int32_t row, struct json_writer *json) {
    static const struct field at = {.type = FIELD_POINT}, angle = {.type = FIELD_ANGLE};
    const struct agent_view agent = world_agent(world, row);
    const float heading = trig_atan2(agent.heading.y, agent.heading.x);
    json_object(json);
    json_key_string(json, "kind", world_kind(world, agent.kind)->name);
    json_key(json, "at");
    field_write_value(&at, &agent.position, json);
    if (vec2_length_squared(agent.velocity) > 0.0f) {
        json_key(json, "velocity");
        field_write_value(&at, &agent.velocity, json);
    }
    if (!faces_course(&agent)) {
        json_key(json, "heading");
        field_write_value(&angle, &heading, json);
    }
    json_end(json);
}

/* The id that an agent has in a fresh world of the document; of one that is gone the largest there is, which no agent has. */
static uint32_t fresh_id(const struct world *world, uint32_t id) {
    const int32_t row = world_find_agent(world, id);
    const uint32_t next = world_image_of(world).next_id;
    return row >= 0    ? (uint32_t)row + 1
           : id < next ? UINT32_MAX
                       : id - next + (uint32_t)world_agent_count(world) + 1;
}

static bool keeps_ids(const struct world *world) {
    const int32_t count = world_agent_count(world);
    return world_image_of(world).next_id == (uint32_t)count + 1 &&
           (count == 0 || world_agent_id(world, count - 1) == (uint32_t)count);
}

/* Agents get other ids where some are gone: what refers to them follows. */
static void renumber(struct now *now, cJSON *node) {
    for (cJSON *item = node == NULL ? NULL : node->child; item != NULL; item = item->next) {
        const char *key = item->string == NULL ? "" : item->string;
        const bool is_id =
            cJSON_IsRaw(item) && item->valuestring[0] != '"' &&
            (strcmp(key, "agent") == 0 || strcmp(key, "second_agent") == 0 || strcmp(key, "select") == 0);
        if (is_id) {
            const uint32_t id = (uint32_t)strtod(item->valuestring, NULL);
            char *text = cJSON_malloc(16);
            if (text == NULL) {
                now->has_failed = true;
                return;
            }
            (void)snprintf(text, 16, "%lu", (unsigned long)fresh_id(now->world, id));
            cJSON_free(item->valuestring);
            item->valuestring = text;
        } else {
            renumber(now, item);
        }
    }
}

static bool is_same_kind(const struct world *world, const struct world *fresh, int32_t row) {
    return strcmp(world_kind(world, world_agent_kind(world, row))->name,
                  world_kind(fresh, world_agent_kind(fresh, row))->name) == 0;
}

/* Whether a fresh world has an agent as it is. */
static bool is_same_agent(const struct world *world, const struct world *fresh, int32_t row) {
    const struct agent_view a = world_agent(world, row), b = world_agent(fresh, row);
    const float body[] = {a.stamina, a.mass, a.radius, a.max_speed, a.max_force};
    const float other[] = {b.stamina, b.mass, b.radius, b.max_speed, b.max_force};
    return a.id == b.id && is_same_kind(world, fresh, row) && a.state == b.state &&
           vec2_is_same(a.position, b.position) && vec2_is_same(a.velocity, b.velocity) &&
           vec2_is_same(a.heading, b.heading) && are_same_numbers(body, other, 5);
}

/* How many agents an entry puts in. */
static int32_t count_of(cJSON *entry) {
    const cJSON *count = member(entry, "count");
    return count == NULL ? 1 : (int32_t)strtod(count->valuestring, NULL);
}

/* Whether a fresh world has the agents of rows [row, end) as they are, with the same ids. */
static bool are_same(const struct world *world, const struct world *fresh, int32_t row, int32_t end) {
    bool are = end <= world_agent_count(fresh);
    for (; row < end && are; row++) {
        are = is_same_agent(world, fresh, row);
    }
    return are;
}

/* Whether a fresh world has all agents where they are. */
static bool are_placed(const struct world *world, const struct world *fresh) {
    bool are = world_agent_count(world) == world_agent_count(fresh);
    for (int32_t row = 0; row < world_agent_count(world) && are; row++) {
        const struct agent_view a = world_agent(world, row), b = world_agent(fresh, row);
        are = is_same_kind(world, fresh, row) && vec2_is_same(a.position, b.position) &&
              vec2_is_same(a.velocity, b.velocity);
    }
    return are;
}

static void add_entry(struct now *now, cJSON *entries, cJSON *value) {
    now->has_failed = now->has_failed || value == NULL || !cJSON_AddItemToArray(entries, value);
}

/* Adds an entry for each agent of rows [row, end), but no more than there may be and one. */
static void add_agents(struct now *now, cJSON *entries, int *count, int32_t row, int32_t end) {
    for (; row < end && *count <= LIMIT_PLACEMENTS && !now->has_failed; row++) {
        write_agent(now->world, row, begin_value(now));
        add_entry(now, entries, end_value(now));
        ++*count;
    }
}

/* The entries that put the agents where they are: those of the document whose agents a fresh world has as they are (NULL: none), one
 * for each other agent. Returns how many; *is_same: they are the document's. */
static int write_agents(struct now *now, const struct world *fresh, bool *is_same) {
    cJSON *entry = fresh == NULL ? NULL : cJSON_GetArrayItem(member(now->root, "agents"), 0);
    cJSON *entries = cJSON_CreateArray();
    const int32_t all = world_agent_count(now->world);
    int32_t row = 0, behind = 0; /* the first row of the entry; the ids of earlier entries */
    int count = 0;
    *is_same = fresh != NULL;
    now->has_failed = now->has_failed || entries == NULL;
    for (; entry != NULL && !now->has_failed; entry = entry->next) {
        int32_t end = row;
        const int32_t first = behind;
        behind += count_of(entry);
        while (end < all && world_agent_id(now->world, end) <= (uint32_t)behind) {
            end++;
        }
        if (row == first && end == behind && are_same(now->world, fresh, row, end)) {
            add_entry(now, entries, cJSON_Duplicate(entry, true));
            count++;
        } else {
            add_agents(now, entries, &count, row, end);
            *is_same = false;
        }
        row = end;
    }
    *is_same = *is_same && row == all;
    add_agents(now, entries, &count, row, all);
    if (*is_same || count > LIMIT_PLACEMENTS || now->has_failed) {
        cJSON_Delete(entries);
    } else {
        put(now, now->root, "agents", entries, no_rows, root_keys);
    }
    return count;
}

/* ---- what is not said ---- */

struct missing {
    struct json_writer json;
    bool is_any;
};

static void add_missing(struct missing *missing, bool is_so, const char *text) {
    if (is_so) {
        json_string(&missing->json, text);
        missing->is_any = true;
    }
}

/* The columns that have more than new agents have, in words. */
static const struct {
    const char *column, *words;
} memories[] = {
    {"quarry", "which quarries agents pursue and have caught"},
    {"wander", "where agents that wander are on their circles"},
    {"solid", "on which side agents pass a solid"},
    {"path_s", "where on their paths agents are"},
    {"aim_mode", "where set_target sends agents"},
    {"drive_left", "the vectors of drive"},
    {"timers", "what agents remember of sights and cooldowns"},
    {"post", "which places of formations agents have"},
};

static void add_memories(struct missing *missing, const struct world *world, const struct world *fresh) {
    const struct image_slots own = world_image_own(world), others = world_image_own(fresh);
    const uint64_t more = world_image_changed(world, &own, true) & ~world_image_changed(fresh, &others, true);
    struct image_column column;
    for (int i = 0; world_image_column(i, &column); i++) {
        for (size_t row = 0; row < sizeof memories / sizeof *memories; row++) {
            add_missing(missing, (more >> i & 1) != 0 && strcmp(column.name, memories[row].column) == 0,
                        memories[row].words);
        }
    }
}

static void add_rows(struct missing *missing, const struct world *world, const struct world *fresh) {
    int places = 0, velocities = 0, headings = 0, states = 0, stamina = 0, bodies = 0;
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        const struct agent_view a = world_agent(world, row), b = world_agent(fresh, row);
        const float body[] = {a.mass, a.radius, a.max_speed, a.max_force};
        const float other[] = {b.mass, b.radius, b.max_speed, b.max_force};
        places += !vec2_is_same(a.position, b.position);
        velocities += !vec2_is_same(a.velocity, b.velocity);
        headings += !vec2_is_same(a.heading, b.heading);
        states += a.state != b.state;
        stamina += !are_same_numbers(&a.stamina, &b.stamina, 1);
        bodies += !are_same_numbers(body, other, 4);
    }
    const struct {
        int count;
        const char *what;
    } rows[] = {{places, "the exact places"},
                {velocities, "the exact velocities (at most max_speed at first)"},
                {headings, "the last bits of the headings"},
                {states, "the states (they begin in the first one of their kind)"},
                {stamina, "the stamina"},
                {bodies, "the mass, radius, max_speed and max_force"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "%s of %d agents", rows[i].what, rows[i].count);
        add_missing(missing, rows[i].count > 0, text);
    }
    add_missing(missing, !keeps_ids(world), "the ids of agents: they count from 1 without gaps");
    add_memories(missing, world, fresh);
}

static void add_turnover(struct missing *missing, const struct world *world) {
    bool has_any = false;
    for (int i = 0; i < world_source_count(world); i++) {
        has_any = has_any || world_source(world, i).spawned > 0;
    }
    for (int i = 0; i < world_sink_count(world); i++) {
        has_any = has_any || world_sink(world, i).removed > 0;
    }
    add_missing(missing, has_any,
                "how many agents sources have brought and sinks have taken: both begin anew");
}

static void add_scenery(struct missing *missing, const struct world *world) {
    const struct geometry_def *def = &world_scenery(world)->def;
    bool is_numbered = world_image_of(world).next_obstacle == (uint32_t)def->obstacle_count + 1,
         moves = false;
    for (int i = 0; i < def->obstacle_count; i++) {
        moves = moves || def->obstacles[i].door.until > world_tick(world);
    }
    add_missing(missing, !is_numbered, "the ids of obstacles: they count from 1 without gaps");
    add_missing(missing, moves, "how far doors have opened or closed");
}

/* with_agents: they are compared as well. */
static void write_missing(const struct world *world, const struct world *fresh, bool with_agents,
                          struct buffer *out) {
    struct missing missing = {.json = json_writer_begin(out)};
    bool is_sent = false, has_cursor = false;
    json_array(&missing.json);
    if (with_agents && world_tick(world) > 0) {
        char text[160];
        (void)snprintf(
            text, sizeof text,
            "the tick: it begins at 0, not at %llu, and with it random numbers and all that goes by the time",
            (unsigned long long)world_tick(world));
        add_missing(&missing, true, text);
        add_turnover(&missing, world);
    }
    if (with_agents) {
        add_rows(&missing, world, fresh);
    }
    for (int k = 0; k < world_kind_count(world); k++) {
        is_sent = is_sent || world_image_aim(world, k).mode != AIM_BEHAVIOR;
    }
    for (int i = 0; i < world_target_count(world); i++) {
        has_cursor = has_cursor || is_cursor(world_target_name(world, i));
    }
    add_missing(&missing, is_sent, "where set_target sends kinds");
    add_missing(&missing, has_cursor, "the cursors of sessions");
    add_scenery(&missing, world);
    add_missing(&missing, with_agents && !missing.is_any && world_hash(world) != world_hash(fresh),
                "something else that decides the future: the hash is another one");
    json_end(&missing.json);
}

/* ---- the whole ---- */

static int fail_memory(struct failure *failure) {
    return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

/* A fresh world of a document, with the agents of its entries or without. NULL with *failure. */
static struct world *make_fresh(const char *text, size_t length, const struct world *world, bool with_agents,
                                struct failure *failure) {
    struct scenario *scenario = malloc(sizeof *scenario);
    struct world *fresh = NULL;
    const char *what = "";
    if (scenario == NULL || scenario_read(text, length, scenario, failure) != 0) {
        free(scenario);
        if (failure->code == FAILURE_NONE) {
            (void)fail_memory(failure);
        }
        return NULL;
    }
    struct world_def def = scenario->def;
    def.max_agents = world_max_agents(world);
    def.placement_count = with_agents ? def.placement_count : 0;
    const enum world_result result = world_create(&def, &fresh, &what);
    scenario_fini(scenario);
    free(scenario);
    if (result == WORLD_NO_MEMORY) {
        (void)fail_memory(failure);
    } else if (result != WORLD_OK) {
        (void)failure_set(failure, FAILURE_UNSUPPORTED, NULL, "%s", what);
    }
    return result == WORLD_OK ? fresh : NULL;
}

/* The text of the tree, in place of what out has. */
static int print(struct now *now, struct buffer *out, struct failure *failure) {
    char *text = now->has_failed ? NULL : cJSON_PrintUnformatted(now->root);
    if (text == NULL) {
        return fail_memory(failure);
    }
    buffer_clear(out);
    buffer_append_text(out, text);
    cJSON_free(text);
    return out->failed ? failure_set(failure, FAILURE_FULL, NULL,
                                     "the scenario would be longer than %d bytes; save keeps such a world",
                                     LIMIT_SCENARIO_BYTES)
                       : 0;
}

/* What the world has become may be no scenario any more. */
static int fail_reading(struct failure *failure) {
    struct failure why = *failure;
    return why.code == FAILURE_BUSY
               ? -1
               : failure_set(failure, FAILURE_UNSUPPORTED, NULL,
                             "what the world is now is no scenario: %.100s: %.300s", why.field, why.message);
}

/* What refers to agents by their ids. */
static void follow_ids(struct now *now) {
    cJSON *view = member(now->root, "view");
    const cJSON *select = member(view, "select");
    if (keeps_ids(now->world)) {
        return;
    }
    if (select != NULL && world_find_agent(now->world, (uint32_t)strtod(select->valuestring, NULL)) < 0) {
        cJSON_Delete(detach(view, "select")); /* it is gone */
    }
    renumber(now, member(now->root, "kinds"));
    renumber(now, view);
}

/* The agents as far as `fresh`, a world of the document, does not have them as they are. */
static int write_places(struct now *now, const struct world *fresh, struct buffer *document,
                        struct failure *failure) {
    bool is_same = false;
    if (write_agents(now, fresh, &is_same) > LIMIT_PLACEMENTS) {
        return failure_set(
            failure, FAILURE_FULL, "what",
            "the world has %d agents, and the \"agents\" of a scenario have at most %d entries, one for "
            "each that is not where it began; allowed: \"tuned\", which begins with the agents of the "
            "scenario; save keeps all of them",
            (int)world_agent_count(now->world), LIMIT_PLACEMENTS);
    }
    return is_same ? 0 : print(now, document, failure);
}

/* Before the first tick agents may be as the entries of the document put them; unless those before them, which now stand somewhere else,
 * are in their way. */
static int write_with_agents(struct now *now, struct buffer *document, struct failure *failure) {
    struct world *fresh = NULL;
    if (world_tick(now->world) == 0 &&
        (fresh = make_fresh(document->data, document->length, now->world, true, failure)) == NULL) {
        return fail_reading(failure);
    }
    follow_ids(now);
    int result = write_places(now, fresh, document, failure);
    world_destroy(fresh);
    if (result == 0 && fresh != NULL && now->is_changed) {
        fresh = make_fresh(document->data, document->length, now->world, true, failure);
        result = fresh == NULL                   ? fail_reading(failure)
                 : are_placed(now->world, fresh) ? 0
                                                 : write_places(now, NULL, document, failure);
        world_destroy(fresh);
    }
    return result;
}

static int write_all(struct now *now, bool with_agents, struct buffer *document, struct buffer *lost,
                     struct failure *failure) {
    write_world(now);
    if (!write_kinds(now)) {
        return failure_set(failure, FAILURE_UNSUPPORTED, NULL,
                           "the kinds of the world are not those of its scenario");
    }
    write_targets(now);
    write_obstacles(now, with_agents);
    if ((now->is_changed && print(now, document, failure) != 0) ||
        (with_agents && write_with_agents(now, document, failure) != 0)) {
        return -1;
    }
    struct world *fresh = make_fresh(document->data, document->length, now->world, with_agents, failure);
    if (fresh == NULL) {
        return fail_reading(failure);
    }
    write_missing(now->world, fresh, with_agents, lost);
    world_destroy(fresh);
    return lost->failed ? fail_memory(failure) : 0;
}

int scenario_write_now(const char *text, size_t length, const struct world *world, bool with_agents,
                       struct buffer *document, struct buffer *lost, struct failure *failure) {
    assert(!world_is_partial(world));
    struct world *before = make_fresh(text, length, world, false, failure);
    struct now now = {.world = world, .before = before};
    const char *at = text;
    int result = before == NULL ? fail_reading(failure) : 0;
    if (result == 0) {
        buffer_init(&now.value, LIMIT_SCENARIO_BYTES);
        buffer_append(document, text, length);
        now.root = cJSON_ParseWithLength(text, length);
        result = now.root == NULL || !keep_tokens(now.root, &at) || document->failed
                     ? fail_memory(failure)
                     : write_all(&now, with_agents, document, lost, failure);
        buffer_fini(&now.value);
        cJSON_Delete(now.root);
        world_destroy(before);
    }
    return result;
}
