/* See checkpoint_internal.h. */
#include "server/recording/checkpoint_internal.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/json/json_check.h"
#include "common/protocol/geometry_json.h"
#include "common/text/base64.h"

/* The failure bad_save at a place of the line, which may be "". Returns -1. */
static int checkpoint_refuse(const struct checkpoint_reading *reading, const char *place, const char *what) {
    return failure_set(reading->failure, FAILURE_BAD_SAVE, place, "%s%s%s", place,
                       place[0] != '\0' ? ": " : "", what);
}

/* The same at an entry of the place part + name. Returns -1. */
static int checkpoint_refuse_entry(const struct checkpoint_reading *reading, const char *part,
                                   const char *name, const struct image_fault *fault) {
    char place[96];
    if (fault->index < 0) {
        (void)snprintf(place, sizeof place, "%s%s", part, name);
    } else {
        (void)snprintf(place, sizeof place, "%s%s[%ld]", part, name, (long)fault->index);
    }
    return failure_set(reading->failure, FAILURE_BAD_SAVE, place,
                       "%s: a value that is not allowed; allowed: %s", place, fault->what);
}

/* The failure busy: no memory. Returns -1. */
static int checkpoint_run_out(const struct checkpoint_reading *reading) {
    return failure_set(reading->failure, FAILURE_BUSY, "", "out of memory for the saved world");
}

/* 0, or -1 with a failure (busy) when the server stops. */
static int checkpoint_check_given_up(const struct checkpoint_reading *reading) {
    const bool is_given_up =
        reading->given_up != NULL && atomic_load_explicit(reading->given_up, memory_order_relaxed);
    return is_given_up ? failure_set(reading->failure, FAILURE_BUSY, "", "the server stops") : 0;
}

/* A member of an object; NULL: there is none. */
static const cJSON *checkpoint_member(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* A whole number from 0 to `most`. 0, or -1 with a failure. */
static int checkpoint_read_whole(const struct checkpoint_reading *reading, const cJSON *object,
                                 const char *key, double most, uint64_t *out) {
    const cJSON *item = checkpoint_member(object, key);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0.0) || !(item->valuedouble <= most) ||
        item->valuedouble != floor(item->valuedouble)) {
        return failure_set(reading->failure, FAILURE_BAD_SAVE, key,
                           "%s: missing or out of range; allowed: an integer from 0 to %.0f", key, most);
    }
    *out = (uint64_t)item->valuedouble;
    return 0;
}

/* 16 lower-case hexadecimal digits. */
static bool checkpoint_read_hex64(const cJSON *item, uint64_t *out) {
    static const char digits[] = "0123456789abcdef";
    if (!cJSON_IsString(item) || strlen(item->valuestring) != 16 || strspn(item->valuestring, digits) != 16) {
        return false;
    }
    *out = 0;
    for (const char *c = item->valuestring; *c != '\0'; c++) {
        *out = *out << 4 | (uint64_t)(strchr(digits, *c) - digits);
    }
    return true;
}

/* ---- agents ---- */

/* ---- columns ---- */

/* A text in base64, in the line itself. */
struct span {
    const char *text;
    size_t length, bytes; /* that it stands for */
};

static bool find_span(const struct checkpoint_reading *reading, const cJSON *item, struct span *out) {
    if (!cJSON_IsString(item)) {
        return false;
    }
    out->text = json_lift_text(&reading->lift, item->valuestring, &out->length);
    return base64_decoded_length(out->text, out->length, &out->bytes);
}

/* Decodes numbers from the front of the span. */
static bool decode_next(struct span *span, void *numbers, size_t count, size_t width) {
    const size_t length = base64_length(count * width);
    if (length > span->length || !base64_decode_integers(span->text, length, numbers, count, width)) {
        return false;
    }
    span->text += length;
    span->length -= length;
    return true;
}

/* Memory for a whole column; the caller's. NULL with a failure. */
static void *decode_all(const struct checkpoint_reading *reading, struct span *span, const char *place,
                        size_t width) {
    void *numbers = malloc(span->bytes > 0 ? span->bytes : 1);
    if (numbers == NULL) {
        (void)checkpoint_run_out(reading);
    } else if (!decode_next(span, numbers, span->bytes / width, width)) {
        (void)checkpoint_refuse(reading, place, "not base64; allowed: RFC 4648 with padding");
        free(numbers);
        numbers = NULL;
    }
    return numbers;
}

static int refuse_length(const struct checkpoint_reading *reading, const char *place, const struct span *span,
                         size_t wanted) {
    return failure_set(reading->failure, FAILURE_BAD_SAVE, place, "%s: %zu bytes; allowed: %zu in base64",
                       place, span->bytes, wanted);
}

static int checkpoint_read_ids(struct checkpoint_reading *reading) {
    struct span span = {NULL, 0, 0};
    struct image_fault fault;
    const size_t width = sizeof(uint32_t), run = 2 * width, most = run * (size_t)reading->image.agent_count;
    if (!find_span(reading, checkpoint_member(reading->root, "id"), &span) || span.bytes % run != 0 ||
        span.bytes > most) {
        return refuse_length(reading, "id", &span, most);
    }
    uint32_t(*runs)[2] = decode_all(reading, &span, "id", width);
    if (runs == NULL) {
        return -1;
    }
    const bool is_right =
        world_restore_ids(reading->world, (const uint32_t(*)[2])runs, (int32_t)(span.bytes / run), &fault);
    free(runs);
    return is_right ? 0 : checkpoint_refuse_entry(reading, "", "id", &fault);
}

static int put_column(struct checkpoint_reading *reading, int index, const struct image_column *column,
                      struct span *span, int32_t count) {
    struct image_cursor cursor = {.column = index};
    struct image_fault fault;
    unsigned char entries[CHECKPOINT_CHUNK * WORLD_ENTRY_BYTES];
    while (cursor.entry < count) {
        const int32_t left = count - cursor.entry, chunk = left < CHECKPOINT_CHUNK ? left : CHECKPOINT_CHUNK;
        if (!decode_next(span, entries, (size_t)chunk * column->count, column->width)) {
            fault = (struct image_fault){"base64, RFC 4648 with padding", cursor.entry};
            return checkpoint_refuse_entry(reading, "columns.", column->name, &fault);
        }
        if (!world_image_put(reading->world, &cursor, entries, chunk, &fault)) {
            return checkpoint_refuse_entry(reading, "columns.", column->name, &fault);
        }
    }
    return checkpoint_check_given_up(reading);
}

static int read_column(struct checkpoint_reading *reading, const cJSON *item, int index,
                       const struct image_column *column) {
    char place[64];
    struct span span = {NULL, 0, 0};
    const int32_t count = world_image_entries(reading->world, index);
    const size_t wanted = (size_t)column->width * column->count * (size_t)count;
    (void)snprintf(place, sizeof place, "columns.%s", column->name);
    if (item == NULL) {
        return world_image_may_be_initial(reading->world, index)
                   ? 0
                   : checkpoint_refuse(reading, place,
                                       "missing; allowed: to be left out where agents are as new ones");
    }
    if (!find_span(reading, item, &span) || span.bytes != wanted) {
        return refuse_length(reading, place, &span, wanted);
    }
    return put_column(reading, index, column, &span, count);
}

static int check_column_names(const struct checkpoint_reading *reading, const cJSON *columns) {
    for (const cJSON *item = columns->child; item != NULL; item = item->next) {
        struct image_column column;
        bool is_known = false;
        for (int i = 0; !is_known && world_image_column(i, &column); i++) {
            is_known = strcmp(column.name, item->string) == 0;
        }
        if (!is_known) {
            return failure_set(reading->failure, FAILURE_BAD_SAVE, "columns",
                               "columns: no column is called \"%.64s\"; allowed: those of this version",
                               item->string);
        }
    }
    return 0;
}

/* Before there is a world: whether the columns have the length that so many agents need. */
static int checkpoint_check_columns(const struct checkpoint_reading *reading) {
    const cJSON *columns = checkpoint_member(reading->root, "columns");
    struct image_column column;
    if (!cJSON_IsObject(columns)) {
        return checkpoint_refuse(reading, "columns", "missing; allowed: an object");
    }
    for (int i = 0; world_image_column(i, &column); i++) {
        char place[64];
        struct span span = {NULL, 0, 0};
        const cJSON *item = checkpoint_member(columns, column.name);
        const size_t size = (size_t)column.width * column.count;
        const size_t most = size * (size_t)reading->image.agent_count;
        (void)snprintf(place, sizeof place, "columns.%s", column.name);
        if (item != NULL && (!find_span(reading, item, &span) || span.bytes > most ||
                             (span.bytes != most && !column.is_partial))) {
            return refuse_length(reading, place, &span, most);
        }
    }
    return check_column_names(reading, columns);
}

/* In parts, what agents have by slot stands in those. */
static int checkpoint_read_columns(struct checkpoint_reading *reading) {
    const cJSON *columns = checkpoint_member(reading->root, "columns");
    struct image_column column;
    for (int i = 0; world_image_column(i, &column); i++) {
        if ((!reading->image.is_by_slot || !column.is_by_slot) &&
            read_column(reading, checkpoint_member(columns, column.name), i, &column) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- parts ---- */

static int read_facts(const struct checkpoint_reading *reading, const cJSON *item, int number,
                      struct checkpoint_part_facts *out) {
    const struct image_fault fault = {"agents, bytes and sum of each part", number};
    const bool is_right = cJSON_IsObject(item) &&
                          checkpoint_read_whole(reading, item, "agents", (double)reading->image.agent_count,
                                                &out->agents) == 0 &&
                          checkpoint_read_whole(reading, item, "bytes", LIMIT_ID_INTEGER, &out->bytes) == 0 &&
                          checkpoint_read_hex64(checkpoint_member(item, "sum"), &out->sum);
    return is_right ? 0 : checkpoint_refuse_entry(reading, "", "parts", &fault);
}

static int read_part(struct checkpoint_reading *reading, const cJSON *item, int number, int count) {
    const struct checkpoint_part part = {.number = (uint32_t)number,
                                         .count = (uint32_t)count,
                                         .tick = reading->image.tick,
                                         .seq = reading->seq,
                                         .hash = reading->stated};
    struct checkpoint_part_facts facts;
    return read_facts(reading, item, number, &facts) != 0 || checkpoint_check_given_up(reading) != 0
               ? -1
               : checkpoint_part_read(reading->world, reading->parts, &part, &facts, &reading->assembly,
                                      reading->failure);
}

/* What there is of agents beside the line. */
static int checkpoint_read_agent_parts(struct checkpoint_reading *reading) {
    const cJSON *parts = checkpoint_member(reading->root, "parts");
    const int count = cJSON_GetArraySize(parts);
    int number = 0;
    if (parts == NULL) {
        return 0;
    }
    if (!cJSON_IsArray(parts) || count < 1 || count > CHECKPOINT_PARTS_MAX) {
        return checkpoint_refuse(reading, "parts",
                                 "no list of parts; allowed: 1 to CHECKPOINT_PARTS_MAX of them");
    }
    if (reading->parts == NULL) {
        return checkpoint_refuse(
            reading, "parts",
            "the checkpoint is in parts, which ranks have written; allowed: --state with its folder");
    }
    const int share = reading->is_share ? reading->overrides->stripes_rank : 0;
    const int shares = reading->is_share ? reading->overrides->stripes : 1;
    if (checkpoint_assembly_init(&reading->assembly, reading->image.agent_count, share, shares) != 0) {
        return checkpoint_run_out(reading);
    }
    for (const cJSON *item = parts->child; item != NULL; item = item->next, number++) {
        if (read_part(reading, item, number, count) != 0) {
            return -1;
        }
    }
    const int32_t agents = reading->image.agent_count;
    return reading->assembly.slots == agents &&
                   (reading->image.drift == 0.0f || reading->assembly.in_cells == agents)
               ? 0
               : checkpoint_refuse(reading, "parts",
                                   "agents are missing, or their cells; allowed: each agent in one part");
}

/* The same for the order of slots. */
static int arrange_parts(const struct checkpoint_reading *reading) {
    struct image_fault fault = {"", -1};
    const char *place = "";
    switch (world_restore_arrange(reading->world, reading->image.drift, reading->is_share,
                                  reading->assembly.cells, &place, &fault)) {
    case WORLD_OK:
        return 0;
    case WORLD_GIVEN_UP:
        return checkpoint_check_given_up(reading);
    default:
        return checkpoint_refuse_entry(reading, "order.", place, &fault);
    }
}

/* ---- the order of slots ---- */

/* By cell how many agents it has; the caller's. NULL with a failure. */
static int32_t *read_cells(const struct checkpoint_reading *reading, const cJSON *item, int32_t cells) {
    struct span span = {NULL, 0, 0};
    const size_t count = (size_t)cells, wide = sizeof(int32_t) * count;
    if (!find_span(reading, item, &span) || (span.bytes != count && span.bytes != wide)) {
        (void)refuse_length(reading, "order.cells", &span, count);
        return NULL;
    }
    if (span.bytes == wide) {
        return decode_all(reading, &span, "order.cells", sizeof(int32_t));
    }
    unsigned char *bytes = decode_all(reading, &span, "order.cells", 1);
    int32_t *counts = bytes == NULL ? NULL : malloc(wide);
    for (size_t cell = 0; counts != NULL && cell < count; cell++) {
        counts[cell] = bytes[cell];
    }
    if (bytes != NULL && counts == NULL) {
        (void)checkpoint_run_out(reading);
    }
    free(bytes);
    return counts;
}

/* The order of slots, in a world with so many cells. */
static int checkpoint_read_order(struct checkpoint_reading *reading, const cJSON *order, int32_t cells) {
    struct span span = {NULL, 0, 0};
    struct image_fault fault;
    const char *place = "";
    const size_t wanted = sizeof(int32_t) * (size_t)reading->image.agent_count;
    if (!find_span(reading, checkpoint_member(order, "row"), &span) || span.bytes != wanted) {
        return refuse_length(reading, "order.row", &span, wanted);
    }
    int32_t *row = decode_all(reading, &span, "order.row", sizeof *row);
    int32_t *counts = row == NULL ? NULL : read_cells(reading, checkpoint_member(order, "cells"), cells);
    int result = -1;
    if (counts != NULL) {
        result = world_restore_order(reading->world, reading->image.drift, row, counts, &place, &fault)
                     ? 0
                     : checkpoint_refuse_entry(reading, "order.", place, &fault);
    }
    free(row);
    free(counts);
    return result;
}

/* ---- read ---- */

/* Reading a checkpoint. See checkpoint.h.
 *
 * json_lift takes the columns out of the line, so the parser sees only the rest, whose size the definition bounds;
 * columns are decoded from the line itself, a chunk at a time, into the world.
 */

/* Keys and values of all but params: obstacles with all their corners have the most. */
enum {
    TOKENS_BESIDE_PARAMS =
        1024 + LIMIT_KINDS * 16 + LIMIT_TARGETS * 32 + LIMIT_OBSTACLES * 320 + CHECKPOINT_PARTS_MAX * 8
};

/* ---- values ---- */

static bool read_flag(const cJSON *object, const char *key, bool *out) {
    const cJSON *item = checkpoint_member(object, key);
    *out = cJSON_IsTrue(item);
    return cJSON_IsBool(item);
}

/* A number that is a float. */
static bool read_float(const cJSON *item, float *out) {
    if (!cJSON_IsNumber(item) || !(fabs(item->valuedouble) <= 3e38)) {
        return false;
    }
    *out = (float)item->valuedouble;
    return (double)*out == item->valuedouble;
}

static bool read_point(const cJSON *item, vec2 *out) {
    return cJSON_IsArray(item) && cJSON_GetArraySize(item) == 2 && read_float(item->child, &out->x) &&
           read_float(item->child->next, &out->y);
}

/* ---- the line ---- */

static int count_params(const struct field *table) {
    int count = 0;
    for (; table->type != FIELD_END; table++) {
        count += (table->flags & FIELD_PARAM) != 0;
    }
    return count;
}

/* Each has a name and a number, or a range. */
static int tokens_of_params(const struct world_def *def) {
    int count = 0;
    for (int k = 0; k < def->kind_count; k++) {
        count += count_params(body_fields());
        for (int s = 0; s < def->kinds[k].state_count; s++) {
            const struct state_def *state = &def->kinds[k].states[s];
            for (int b = 0; b < state->behavior_count; b++) {
                count += count_params(behavior_fields((enum behavior_type)state->behaviors[b].type));
            }
        }
    }
    return 4 * count;
}

/* The scenario of the line, if it has one, takes the place of that of the world line. bytes: the short copy, where a key cannot
 * be anything else. */
static int read_own_scenario(struct checkpoint_reading *reading, const char *bytes) {
    static const char key[] = "\"text\":\"";
    const char *at = strstr(bytes, key);
    char name[JSON_LIFT_BYTES + 1];
    struct span span = {NULL, 0, 0};
    struct failure inner = {0};
    if (at == NULL) {
        return 0;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at + sizeof key - 1, "\""), at + sizeof key - 1);
    span.text = json_lift_text(&reading->lift, name, &span.length);
    if (!base64_decoded_length(span.text, span.length, &span.bytes) || span.bytes > LIMIT_SCENARIO_BYTES) {
        return checkpoint_refuse(reading, "text", "no scenario; allowed: the text of one in base64");
    }
    char *text = decode_all(reading, &span, "text", 1);
    reading->own = text == NULL ? NULL : malloc(sizeof *reading->own);
    if (reading->own == NULL) {
        free(text);
        return text == NULL ? -1 : checkpoint_run_out(reading);
    }
    const int result = scenario_read(text, span.bytes, reading->own, &inner);
    free(text);
    if (result != 0) {
        return failure_set(reading->failure, inner.code == FAILURE_BUSY ? FAILURE_BUSY : FAILURE_BAD_SAVE,
                           "text", "text: %s: %s", inner.field, inner.message);
    }
    memcpy(reading->own->name, reading->scenario->name, sizeof reading->own->name);
    reading->own->def.given_up = reading->def.given_up;
    reading->own->def.max_agents = reading->def.max_agents;
    reading->scenario = reading->own;
    reading->def = reading->own->def;
    return 0;
}

static int parse(struct checkpoint_reading *reading, const char *line, size_t length) {
    struct json_limits limits = json_limits_line();
    struct json_fault fault;
    if (length > LIMIT_CHECKPOINT_BYTES) {
        return failure_set(reading->failure, FAILURE_BAD_SAVE, "",
                           "the line has %zu bytes; allowed: at most %lu", length,
                           (unsigned long)LIMIT_CHECKPOINT_BYTES);
    }
    if (json_lift_read(&reading->lift, line, length) != 0) {
        return reading->lift.line.failed
                   ? checkpoint_run_out(reading)
                   : checkpoint_refuse(reading, "", "a string begins with #; allowed: base64, names");
    }
    const struct buffer *text = &reading->lift.line;
    const char *bytes = text->data != NULL ? text->data : "";
    if (read_own_scenario(reading, bytes) != 0) {
        return -1;
    }
    limits.tokens = TOKENS_BESIDE_PARAMS + tokens_of_params(&reading->scenario->def);
    if (json_check(bytes, text->length, &limits, &fault) != JSON_FINE) {
        return failure_set(reading->failure, FAILURE_BAD_SAVE, "", "not a checkpoint: %s", fault.message);
    }
    reading->root = cJSON_ParseWithLength(bytes, text->length);
    if (reading->root == NULL) {
        return checkpoint_run_out(reading);
    }
    const cJSON *op = checkpoint_member(reading->root, "op");
    if (!cJSON_IsString(op) || strcmp(op->valuestring, "checkpoint") != 0) {
        return checkpoint_refuse(reading, "op", "missing or wrong; allowed: \"checkpoint\"");
    }
    return 0;
}

static int read_seed(const struct checkpoint_reading *reading, uint64_t *seed) {
    return checkpoint_read_hex64(checkpoint_member(reading->root, "seed"), seed)
               ? 0
               : checkpoint_read_whole(reading, reading->root, "seed", LIMIT_ID_INTEGER, seed);
}

static int read_image(struct checkpoint_reading *reading) {
    const cJSON *root = reading->root, *hz = checkpoint_member(root, "tick_hz"),
                *order = checkpoint_member(root, "order");
    struct world_image *image = &reading->image;
    uint64_t format, n = 0, next_id = 0, next_obstacle = 0;
    if (checkpoint_read_whole(reading, root, "format", CHECKPOINT_FORMAT, &format) != 0 ||
        checkpoint_read_whole(reading, root, "tick", LIMIT_ID_INTEGER, &image->tick) != 0 ||
        checkpoint_read_whole(reading, root, "seq", LIMIT_ID_INTEGER, &reading->seq) != 0 ||
        checkpoint_read_whole(reading, root, "n", LIMIT_AGENTS, &n) != 0 ||
        checkpoint_read_whole(reading, root, "next_id", UINT32_MAX, &next_id) != 0 ||
        checkpoint_read_whole(reading, root, "next_obstacle", UINT32_MAX, &next_obstacle) != 0 ||
        read_seed(reading, &reading->def.seed) != 0) {
        return -1;
    }
    if (!cJSON_IsNumber(hz)) {
        return checkpoint_refuse(reading, "tick_hz", "missing; allowed: a number");
    }
    reading->def.tick_hz = hz->valuedouble;
    if (!read_flag(root, "pure_flock", &image->is_pure_flock)) {
        return checkpoint_refuse(reading, "pure_flock", "missing; allowed: true, false");
    }
    if (order != NULL && !read_float(checkpoint_member(order, "drift"), &image->drift)) {
        return checkpoint_refuse(reading, "order.drift", "missing; allowed: px, from 0");
    }
    if (!checkpoint_read_hex64(checkpoint_member(root, "hash"), &reading->stated)) {
        return checkpoint_refuse(reading, "hash", "missing; allowed: 16 hexadecimal digits");
    }
    image->agent_count = (int32_t)n;
    image->is_by_slot = checkpoint_member(root, "parts") != NULL;
    reading->is_share = image->is_by_slot && reading->overrides->stripes > 0;
    image->next_id = (uint32_t)next_id;
    image->next_obstacle = (uint32_t)next_obstacle;
    return 0;
}

/* ---- what is not agents ---- */

/* The members of an object by the rows of a table; what is wrong with them, the caller says. */
static bool read_members(const struct field *table, const cJSON *item, void *out, uint64_t *present) {
    struct failure unused;
    return fields_read(table, item, "", NULL, out, present, &unused) == 0;
}

static bool read_target(const cJSON *item, struct target_def *out) {
    uint64_t present = 0;
    *out = (struct target_def){.is_live = false};
    return read_members(checkpoint_target_fields, item, out, NULL) &&
           read_members(checkpoint_stroll_fields, item, out, &present) && (present == 0 || present == 7) &&
           read_members(checkpoint_way_fields, item, out, NULL);
}

static int read_targets(struct checkpoint_reading *reading) {
    const cJSON *targets = checkpoint_member(reading->root, "targets");
    int count = 0;
    if (!cJSON_IsArray(targets) || cJSON_GetArraySize(targets) > LIMIT_TARGETS) {
        return checkpoint_refuse(reading, "targets",
                                 "missing or too many; allowed: an array of at most LIMIT_TARGETS");
    }
    for (const cJSON *item = targets->child; item != NULL; item = item->next, count++) {
        const struct image_fault fault = {
            "name, at, live, jump_within, jump_margin, stroll_speed, stroll_after, idle, way_at", count};
        if (!read_target(item, &reading->def.targets[count])) {
            return checkpoint_refuse_entry(reading, "", "targets", &fault);
        }
    }
    reading->def.target_count = count;
    return 0;
}

/* An id with a fraction is the one below it, which another obstacle has or none. */
static bool read_obstacle(const cJSON *item, struct obstacle_def *out) {
    const cJSON *id = checkpoint_member(item, "id");
    if (!cJSON_IsNumber(id) || !(id->valuedouble >= 1.0) || !(id->valuedouble < UINT32_MAX)) {
        return false;
    }
    out->id = (uint32_t)id->valuedouble;
    return read_members(checkpoint_obstacle_fields, item, out, NULL) &&
           read_members(geometry_motion_fields, item, out, NULL);
}

static int read_obstacles(struct checkpoint_reading *reading) {
    const cJSON *obstacles = checkpoint_member(reading->root, "obstacles");
    int count = 0;
    if (!cJSON_IsArray(obstacles) || cJSON_GetArraySize(obstacles) > LIMIT_OBSTACLES) {
        return checkpoint_refuse(reading, "obstacles",
                                 "missing or too many; allowed: an array of at most LIMIT_OBSTACLES");
    }
    reading->stones = calloc(LIMIT_OBSTACLES, sizeof *reading->stones);
    if (reading->stones == NULL) {
        return checkpoint_run_out(reading);
    }
    for (const cJSON *item = obstacles->child; item != NULL; item = item->next, count++) {
        const struct image_fault fault = {
            "id, shape, and at, size, radius, points as the shape needs them; move, door", count};
        if (!read_obstacle(item, &reading->stones[count])) {
            return checkpoint_refuse_entry(reading, "", "obstacles", &fault);
        }
    }
    reading->def.geometry.obstacles = reading->stones;
    reading->def.geometry.obstacle_count = count;
    return 0;
}

/* ---- kinds ---- */

static bool read_param(const cJSON *item, struct image_param *out) {
    const cJSON *low = item, *high = item;
    if (cJSON_IsArray(item) && cJSON_GetArraySize(item) == 2) {
        low = item->child;
        high = low->next;
    }
    if (!cJSON_IsNumber(low) || !cJSON_IsNumber(high)) {
        return false;
    }
    *out = (struct image_param){low->valuedouble, high->valuedouble};
    return true;
}

/* The parameter of this name; usually it is the one with this index. */
static bool find_param(const struct world *world, int kind, int index, const char *name,
                       struct param_ref *ref) {
    char expected[64];
    return (world_param_at(world, kind, index, ref, expected) && strcmp(expected, name) == 0) ||
           world_find_param(world, kind, name, ref);
}

static int read_params(struct checkpoint_reading *reading, int kind, const cJSON *params) {
    int index = 0;
    char place[96];
    (void)snprintf(place, sizeof place, "kinds[%d].params", kind);
    if (!cJSON_IsArray(params)) {
        return checkpoint_refuse(reading, place, "missing; allowed: names, each followed by its value");
    }
    for (const cJSON *name = params->child; name != NULL; name = name->next->next, index++) {
        struct param_ref ref;
        struct image_param value;
        if (!cJSON_IsString(name) || name->next == NULL || !read_param(name->next, &value)) {
            return checkpoint_refuse(reading, place, "not pairs; allowed: names, each followed by its value");
        }
        if (!find_param(reading->world, kind, index, name->valuestring, &ref)) {
            return failure_set(reading->failure, FAILURE_BAD_SAVE, place,
                               "%s: no parameter is called \"%.64s\"; allowed: those of the scenario", place,
                               name->valuestring);
        }
        if (!world_restore_param(reading->world, &ref, value)) {
            return failure_set(reading->failure, FAILURE_BAD_SAVE, place,
                               "%s: %.64s is out of range; allowed: what set_param takes", place,
                               name->valuestring);
        }
        if (checkpoint_check_given_up(reading) != 0) {
            return -1;
        }
    }
    return 0;
}

static bool read_aim(const struct world *world, const cJSON *item, struct aim *out) {
    *out = (struct aim){.mode = AIM_BEHAVIOR};
    if (item == NULL) {
        return true;
    }
    if (cJSON_IsString(item)) {
        out->mode = AIM_TARGET;
        out->target = world_find_target(world, item->valuestring);
        return out->target >= 0;
    }
    out->mode = AIM_POINT;
    return read_point(item, &out->point);
}

static int read_kind(struct checkpoint_reading *reading, int kind, const cJSON *item) {
    struct aim aim;
    bool is_tireless;
    char place[64];
    const cJSON *name = checkpoint_member(item, "name");
    (void)snprintf(place, sizeof place, "kinds[%d]", kind);
    if (!cJSON_IsString(name) || strcmp(name->valuestring, world_kind(reading->world, kind)->name) != 0) {
        return checkpoint_refuse(reading, place,
                                 "another name; allowed: the kinds of the scenario in their order");
    }
    if (read_params(reading, kind, checkpoint_member(item, "params")) != 0) {
        return -1;
    }
    if (!read_flag(item, "tireless", &is_tireless) ||
        !read_aim(reading->world, checkpoint_member(item, "aim"), &aim) ||
        !world_restore_kind(reading->world, kind, aim, is_tireless)) {
        return checkpoint_refuse(reading, place,
                                 "tireless or aim is wrong; allowed: a flag, and a target's name or a point");
    }
    return 0;
}

static int read_kinds(struct checkpoint_reading *reading) {
    const cJSON *kinds = checkpoint_member(reading->root, "kinds");
    int kind = 0;
    if (!cJSON_IsArray(kinds) || cJSON_GetArraySize(kinds) != world_kind_count(reading->world)) {
        return checkpoint_refuse(reading, "kinds",
                                 "missing, or not as many; allowed: the kinds of the scenario");
    }
    for (const cJSON *item = kinds->child; item != NULL; item = item->next, kind++) {
        if (read_kind(reading, kind, item) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- what is beside the world ---- */

static int read_cursors(const struct checkpoint_reading *reading, struct state_cursors *out) {
    const cJSON *cursors = checkpoint_member(reading->root, "cursors");
    int index = 0;
    if (!cJSON_IsArray(cursors) || cJSON_GetArraySize(cursors) > LIMIT_TARGETS) {
        return checkpoint_refuse(reading, "cursors",
                                 "missing or too many; allowed: an array of at most LIMIT_TARGETS");
    }
    for (const cJSON *item = cursors->child; item != NULL; item = item->next, index++) {
        char name[LIMIT_NAME_CHARS + 1];
        const struct image_fault fault = {"the number of a session whose cursor is a target, or 0", index};
        (void)snprintf(name, sizeof name, CURSOR_TARGET_PREFIX "%d", index + 1);
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0.0) || !(item->valuedouble <= UINT32_MAX) ||
            (item->valuedouble != 0.0 && world_find_target(reading->world, name) < 0)) {
            return checkpoint_refuse_entry(reading, "", "cursors", &fault);
        }
        out->owners[index] = (uint32_t)item->valuedouble;
    }
    return 0;
}

static int read_rest(const struct checkpoint_reading *reading, struct checkpoint_rest *out) {
    const cJSON *root = reading->root, *events = checkpoint_member(root, "events");
    uint64_t taken = 0, left_out = 0;
    *out = (struct checkpoint_rest){.seq = 0};
    event_log_init(&out->log, reading->world);
    if (!read_flag(root, "paused", &out->is_paused)) {
        return checkpoint_refuse(reading, "paused", "missing; allowed: true, false");
    }
    out->seq = reading->seq;
    if (checkpoint_read_whole(reading, events, "second", LIMIT_ID_INTEGER, &out->log.second) != 0 ||
        checkpoint_read_whole(reading, events, "taken", INT32_MAX, &taken) != 0 ||
        checkpoint_read_whole(reading, events, "left_out", UINT32_MAX, &left_out) != 0) {
        return -1;
    }
    out->log.taken = (int)taken;
    out->log.left_out = (uint32_t)left_out;
    return read_cursors(reading, &out->cursors);
}

/* ---- all of it ---- */

static int begin_world(struct checkpoint_reading *reading) {
    const char *what = "";
    reading->def.is_deferred = reading->is_share;
    reading->def.placement_count = reading->is_share ? 0 : reading->def.placement_count;
    if (built_world_check_size(&reading->def, reading->scenario->name, reading->image.agent_count,
                               reading->overrides, NULL, reading->failure) != 0) {
        return -1;
    }
    const enum world_result result =
        world_restore_begin(&reading->def, &reading->image, &reading->world, &what);
    return result == WORLD_OK          ? 0
           : result == WORLD_NO_MEMORY ? checkpoint_run_out(reading)
                                       : checkpoint_refuse(reading, "", what);
}

/* Whole numbers, `count` of them; 0, or -1 with a failure. */
static int read_counts(const struct checkpoint_reading *reading, const char *key, int count, uint32_t *out) {
    const cJSON *list = checkpoint_member(reading->root, key), *item = NULL;
    int read = 0;
    cJSON_ArrayForEach(item, list) {
        const double value = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
        if (read == count || !(value >= 0.0 && value <= (double)UINT32_MAX) || value != floor(value)) {
            read = -1;
            break;
        }
        out[read++] = (uint32_t)value;
    }
    return (count == 0 || cJSON_IsArray(list)) && read == count
               ? 0
               : failure_set(reading->failure, FAILURE_BAD_SAVE, key,
                             "%s: missing, or no %d integers from 0 to 4294967295", key, count);
}

static int read_turnover(const struct checkpoint_reading *reading) {
    struct image_turnover turnover = {.limit = LIMIT_AGENTS_USUAL};
    uint32_t sources[2 * LIMIT_SOURCES];
    uint64_t limit = 0;
    const int count = world_source_count(reading->world), sinks = world_sink_count(reading->world);
    if (read_counts(reading, "sources", 2 * count, sources) != 0 ||
        read_counts(reading, "sinks", sinks, turnover.removed) != 0) {
        return -1;
    }
    if (count + sinks == 0) {
        return 0;
    }
    if (count > 0) {
        if (checkpoint_read_whole(reading, reading->root, "source_limit", LIMIT_AGENTS, &limit) != 0) {
            return -1;
        }
        turnover.limit = (uint32_t)limit;
    }
    for (int i = 0; i < count; i++) {
        turnover.due[i] = sources[2 * i];
        turnover.spawned[i] = sources[2 * i + 1];
    }
    if (world_restore_turnover(reading->world, &turnover)) {
        return 0;
    }
    return limit > (uint64_t)world_max_agents(reading->world)
               ? failure_set(reading->failure, FAILURE_BAD_SAVE, "source_limit",
                             "source_limit: its sources fill the world up to %lu agents; allowed here: %d "
                             "(--max-agents)",
                             (unsigned long)limit, (int)world_max_agents(reading->world))
               : checkpoint_refuse(reading, "sources", "more have come than were due");
}

static int read_formations(const struct checkpoint_reading *reading) {
    struct formation_state states[LIMIT_FORMATIONS];
    uint32_t words[LIMIT_FORMATIONS * FORMATION_WORDS];
    const int count = world_formation_count(reading->world);
    if (read_counts(reading, "formations", count * FORMATION_WORDS, words) != 0) {
        return -1;
    }
    memcpy(states, words, sizeof states[0] * (size_t)count);
    for (int i = 0; i < count; i++) {
        if (!world_restore_formation(reading->world, i, &states[i])) {
            return checkpoint_refuse(reading, "formations", "a heading that is no unit vector");
        }
    }
    return 0;
}

/* The order of slots. */
static int arrange(struct checkpoint_reading *reading) {
    const cJSON *order = checkpoint_member(reading->root, "order");
    int32_t cells;
    if (reading->image.is_by_slot) {
        return arrange_parts(reading);
    }
    if (world_restore_sort(reading->world, &cells) != WORLD_OK) {
        return checkpoint_check_given_up(reading);
    }
    return order != NULL ? checkpoint_read_order(reading, order, cells) : 0;
}

static int end_world(struct checkpoint_reading *reading) {
    if (arrange(reading) != 0) {
        return -1;
    }
    return world_restore_end(reading->world)
               ? 0
               : checkpoint_refuse(reading, "pure_flock",
                                   "true, but agents do more than flock; allowed: false");
}

static int check_hash(const struct checkpoint_reading *reading, uint64_t *hash) {
    *hash = reading->is_share ? reading->stated : world_hash(reading->world);
    return reading->stated == *hash
               ? 0
               : failure_set(
                     reading->failure, FAILURE_BAD_SAVE, "hash",
                     "hash: the world has %016llx, not %016llx; allowed: a checkpoint as it was written",
                     (unsigned long long)*hash, (unsigned long long)reading->stated);
}

static int read_world(struct checkpoint_reading *reading, const char *line, size_t length,
                      struct checkpoint_rest *rest, uint64_t *hash) {
    if (parse(reading, line, length) != 0 || read_image(reading) != 0 || read_targets(reading) != 0 ||
        read_obstacles(reading) != 0 || checkpoint_check_columns(reading) != 0 || begin_world(reading) != 0 ||
        read_kinds(reading) != 0 || checkpoint_read_ids(reading) != 0 ||
        checkpoint_read_columns(reading) != 0 || checkpoint_read_agent_parts(reading) != 0 ||
        read_turnover(reading) != 0 || read_formations(reading) != 0 || end_world(reading) != 0) {
        return -1;
    }
    return read_rest(reading, rest) != 0 ? -1 : check_hash(reading, hash);
}

/* The text of the world line. */
static bool take_first_text(const struct scenario *scenario, struct built_world *out) {
    out->first_text = malloc(scenario->text_length + 1);
    if (out->first_text != NULL) {
        memcpy(out->first_text, scenario->text != NULL ? scenario->text : "", scenario->text_length);
        out->first_text[scenario->text_length] = '\0';
    }
    return out->first_text != NULL;
}

int checkpoint_read_parts(const char *line, size_t length, const struct scenario *scenario,
                          const struct checkpoint_parts *parts, const struct world_overrides *overrides,
                          const atomic_bool *given_up, struct built_world *out, struct checkpoint_rest *rest,
                          struct failure *failure) {
    struct checkpoint_reading reading = {.scenario = scenario,
                                         .parts = parts,
                                         .given_up = given_up,
                                         .def = scenario->def,
                                         .overrides = overrides,
                                         .failure = failure};
    uint64_t hash = 0;
    *out = (struct built_world){.world = NULL};
    reading.def.given_up = given_up;
    reading.def.max_agents = world_overrides_max_agents(overrides);
    json_lift_init(&reading.lift);
    int result = read_world(&reading, line, length, rest, &hash);
    json_lift_fini(&reading.lift);
    cJSON_Delete(reading.root);
    free(reading.stones);
    checkpoint_assembly_fini(&reading.assembly);
    if (result == 0) {
        result = built_world_finish(reading.scenario, overrides, reading.world, hash, out, failure);
        reading.world = NULL;
    }
    if (result == 0 && reading.own != NULL && !take_first_text(scenario, out)) {
        built_world_fini(out);
        result = checkpoint_run_out(&reading);
    }
    if (reading.own != NULL) {
        scenario_fini(reading.own);
        free(reading.own);
    }
    world_destroy(reading.world);
    return result;
}

int checkpoint_read(const char *line, size_t length, const struct scenario *scenario,
                    const struct world_overrides *overrides, const atomic_bool *given_up,
                    struct built_world *out, struct checkpoint_rest *rest, struct failure *failure) {
    return checkpoint_read_parts(line, length, scenario, NULL, overrides, given_up, out, rest, failure);
}
