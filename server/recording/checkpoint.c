/* Writing a checkpoint. See checkpoint.h; checkpoint_read.c reads it. */
#include "server/recording/checkpoint.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/json/json_writer.h"
#include "common/protocol/geometry_json.h"
#include "common/text/base64.h"
#include "server/recording/checkpoint_internal.h"
#include "server/recording/recording_line.h"
#include "server/sim/core.h"
#include "server/sim/world/world_image.h"

/* A float, or a point of two, whose bits come back. */
#define EXACT(kind, structure, member, row_flags)                                                            \
    {                                                                                                        \
        .name = #member, .type = kind, FIELD_MEMBER(structure, member), .flags = FIELD_EXACT | (row_flags),  \
        .min = -3e38, .max = 3e38                                                                            \
    }
#define END                                                                                                  \
    { .type = FIELD_END }

const struct field checkpoint_target_fields[] = {
    {.name = "name", .type = FIELD_NAME, FIELD_MEMBER(struct target_def, name), .flags = FIELD_REQUIRED},
    EXACT(FIELD_POINT, struct target_def, at, FIELD_REQUIRED),
    {.name = "live", .type = FIELD_BOOL, FIELD_MEMBER(struct target_def, is_live), .flags = FIELD_REQUIRED},
    EXACT(FIELD_FLOAT, struct target_def, jump_within, FIELD_REQUIRED),
    EXACT(FIELD_FLOAT, struct target_def, jump_margin, FIELD_REQUIRED),
    END,
};

const struct field checkpoint_stroll_fields[] = {
    EXACT(FIELD_FLOAT, struct target_def, stroll_speed, 0),
    EXACT(FIELD_FLOAT, struct target_def, stroll_after, 0),
    {.name = "idle", .type = FIELD_UINT32, FIELD_MEMBER(struct target_def, idle), .max = (double)UINT32_MAX},
    END,
};

const struct field checkpoint_way_fields[] = {
    EXACT(FIELD_POINT, struct target_def, way_at, 0),
    END,
};

static const struct field corner[] = {
    {.type = FIELD_POINT, .size = sizeof(vec2), .flags = FIELD_EXACT, .min = -3e38, .max = 3e38}};

const struct field checkpoint_obstacle_fields[] = {
    {.name = "shape",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct obstacle_def, shape),
     .flags = FIELD_REQUIRED,
     .choices = obstacle_shape_names},
    EXACT(FIELD_POINT, struct obstacle_def, at, FIELD_BRIEF),
    EXACT(FIELD_POINT, struct obstacle_def, size, FIELD_BRIEF),
    EXACT(FIELD_FLOAT, struct obstacle_def, radius, FIELD_BRIEF),
    {.name = "points",
     .type = FIELD_ROWS,
     FIELD_MEMBER(struct obstacle_def, points),
     .flags = FIELD_BRIEF,
     .max = LIMIT_OBSTACLE_POINTS,
     .table = corner,
     .stride = sizeof(vec2),
     .count = offsetof(struct obstacle_def, point_count)},
    END,
};

struct checkpoint_rest checkpoint_rest_of(const struct simulation_state *state) {
    struct checkpoint_rest rest = {.seq = state->seq, .is_paused = state->is_paused};
    memcpy(rest.cursors.owners, state->cursors.owners, sizeof rest.cursors.owners);
    rest.log.second_ticks = state->log.second_ticks;
    rest.log.second = state->log.second;
    rest.log.taken = state->log.taken;
    rest.log.left_out = state->log.left_out;
    if (state->first_text != NULL) {
        rest.text = state->text;
        rest.text_length = state->text_length;
    }
    return rest;
}

void checkpoint_restore(struct simulation_state *state, struct built_world *built,
                        const struct checkpoint_rest *rest) {
    simulation_state_change(state, built);
    state->seq = rest->seq;
    state->is_paused = rest->is_paused;
    checkpoint_restore_rest(state, rest);
}

void checkpoint_restore_rest(struct simulation_state *state, const struct checkpoint_rest *rest) {
    simulation_state_give_cursors(state, rest->cursors.owners);
    state->log.second = rest->log.second;
    state->log.taken = rest->log.taken;
    state->log.left_out = rest->log.left_out;
}

/* ---- numbers ---- */

static void write_key_exact(struct json_writer *json, const char *key, double value) {
    json_key(json, key);
    json_exact(json, value);
}

/* ---- what there is one of ---- */

static void write_rest(struct json_writer *json, const struct checkpoint_rest *rest) {
    json_key_bool(json, "paused", rest->is_paused);
    json_key(json, "events");
    json_object(json);
    json_key_unsigned(json, "second", rest->log.second);
    json_key_unsigned(json, "taken", (uint64_t)rest->log.taken);
    json_key_unsigned(json, "left_out", rest->log.left_out);
    json_end(json);
    int cursors = LIMIT_TARGETS;
    while (cursors > 0 && rest->cursors.owners[cursors - 1] == 0) {
        cursors--;
    }
    json_key(json, "cursors");
    json_array(json);
    for (int i = 0; i < cursors; i++) {
        json_unsigned(json, rest->cursors.owners[i]);
    }
    json_end(json);
}

static void write_params(struct json_writer *json, const struct world *world, int kind) {
    struct param_ref ref;
    char name[64];
    json_key(json, "params");
    json_array(json);
    for (int i = 0; world_param_at(world, kind, i, &ref, name); i++) {
        const struct image_param value = world_image_param(world, &ref);
        json_string(json, name);
        if (memcmp((const char *)&value.low, (const char *)&value.high, sizeof value.low) == 0) {
            json_exact(json, value.low);
        } else {
            json_array(json);
            json_exact(json, value.low);
            json_exact(json, value.high);
            json_end(json);
        }
    }
    json_end(json);
}

static void write_aim(struct json_writer *json, const struct world *world, struct aim aim) {
    if (aim.mode == AIM_TARGET) {
        json_key_string(json, "aim", world_target_name(world, aim.target));
    } else if (aim.mode == AIM_POINT) {
        json_key(json, "aim");
        json_array(json);
        json_exact(json, (double)aim.point.x);
        json_exact(json, (double)aim.point.y);
        json_end(json);
    }
}

static void write_kinds(struct json_writer *json, const struct world *world) {
    json_key(json, "kinds");
    json_array(json);
    for (int k = 0; k < world_kind_count(world); k++) {
        json_object(json);
        json_key_string(json, "name", world_kind(world, k)->name);
        json_key_bool(json, "tireless", world_image_is_tireless(world, k));
        write_aim(json, world, world_image_aim(world, k));
        write_params(json, world, k);
        json_end(json);
    }
    json_end(json);
}

static void write_targets(struct json_writer *json, const struct world *world) {
    json_key(json, "targets");
    json_array(json);
    for (int i = 0; i < world_target_count(world); i++) {
        const struct target_def *target = world_image_target(world, i);
        json_object(json);
        fields_write(checkpoint_target_fields, target, json);
        if (target->stroll_speed > 0.0f) {
            fields_write(checkpoint_stroll_fields, target, json);
        }
        if (target->is_goal) {
            fields_write(checkpoint_way_fields, target, json);
        }
        json_end(json);
    }
    json_end(json);
}

static void write_obstacles(struct json_writer *json, const struct world *world) {
    const struct geometry_def *def = &world_scenery(world)->def;
    json_key(json, "obstacles");
    json_array(json);
    for (int i = 0; i < def->obstacle_count; i++) {
        json_object(json);
        json_key_unsigned(json, "id", def->obstacles[i].id);
        fields_write(checkpoint_obstacle_fields, &def->obstacles[i], json);
        fields_write(geometry_motion_fields, &def->obstacles[i], json);
        json_end(json);
    }
    json_end(json);
}

/* Nothing in a world without sources and sinks. */
static void write_turnover(struct json_writer *json, const struct world *world) {
    const struct image_turnover turnover = world_image_turnover(world);
    const int sources = world_source_count(world), sinks = world_sink_count(world);
    if (sources > 0) {
        json_key_unsigned(json, "source_limit", turnover.limit);
        json_key(json, "sources");
        json_array(json);
        for (int i = 0; i < sources; i++) {
            json_unsigned(json, turnover.due[i]);
            json_unsigned(json, turnover.spawned[i]);
        }
        json_end(json);
    }
    if (sinks > 0) {
        json_key(json, "sinks");
        json_array(json);
        for (int i = 0; i < sinks; i++) {
            json_unsigned(json, turnover.removed[i]);
        }
        json_end(json);
    }
}

/* Nothing in a world without formations. Numbers as their bits. */
static void write_formations(struct json_writer *json, const struct world *world) {
    for (int i = 0; i < world_formation_count(world); i++) {
        const struct formation_state state = world_image_formation(world, i);
        uint32_t words[FORMATION_WORDS];
        if (i == 0) {
            json_key(json, "formations");
            json_array(json);
        }
        memcpy(words, &state, sizeof words);
        for (int word = 0; word < FORMATION_WORDS; word++) {
            json_unsigned(json, words[word]);
        }
    }
    if (world_formation_count(world) > 0) {
        json_end(json);
    }
}

/* ---- columns ---- */

/* The quotes of a text of this many bytes in base64, and where it goes; NULL without room. */
static char *begin_text(struct json_writer *json, size_t bytes) {
    json_raw(json, "\"");
    return buffer_reserve(json->buffer, base64_length(bytes) + 1);
}

static void end_text(struct json_writer *json, char *end) {
    const char *begin = json->buffer->data + json->buffer->length;
    *end = '"';
    buffer_commit(json->buffer, (size_t)(end + 1 - begin));
}

static void write_column(struct json_writer *json, const struct world *world, int index,
                         const struct image_column *column) {
    const size_t size = (size_t)column->width * column->count;
    struct image_cursor cursor = {.column = index};
    unsigned char entries[CHECKPOINT_CHUNK * WORLD_ENTRY_BYTES];
    json_key(json, column->name);
    char *text = begin_text(json, size * (size_t)world_image_entries(world, index));
    int32_t count = 1;
    while (text != NULL && count > 0) {
        count = world_image_take(world, &cursor, entries, CHECKPOINT_CHUNK);
        text = base64_encode_integers(entries, (size_t)count * column->count, column->width, text);
    }
    if (text != NULL) {
        end_text(json, text);
    }
}

/* changed: bit i for column i. */
static void write_columns(struct json_writer *json, const struct world *world, uint64_t changed) {
    struct image_column column;
    json_key(json, "columns");
    json_object(json);
    for (int i = 0; world_image_column(i, &column); i++) {
        if (changed >> i & 1) {
            write_column(json, world, i, &column);
        }
    }
    json_end(json);
}

/* Pairs of a first id and how many follow one another. */
static void write_ids(struct json_writer *json, const struct world *world) {
    uint32_t runs[CHECKPOINT_CHUNK][2], first, count;
    int32_t row = 0, run = 0, all = 0;
    while (world_image_ids(world, &row, &first, &count)) {
        all++;
    }
    json_key(json, "id");
    char *text = begin_text(json, sizeof runs[0] * (size_t)all);
    for (row = 0; text != NULL && world_image_ids(world, &row, &runs[run][0], &runs[run][1]);) {
        if (++run == CHECKPOINT_CHUNK) {
            text = base64_encode_integers(runs, 2 * CHECKPOINT_CHUNK, sizeof runs[0][0], text);
            run = 0;
        }
    }
    if (text != NULL) {
        end_text(json, base64_encode_integers(runs, 2 * (size_t)run, sizeof runs[0][0], text));
    }
}

/* How many agents each cell has: a byte each, or four where a cell has more than 255. */
static void write_cells(struct json_writer *json, const struct image_order *order) {
    size_t width = 1;
    for (int32_t cell = 0; cell < order->cells && width == 1; cell++) {
        width = order->begin[cell + 1] - order->begin[cell] > UINT8_MAX ? sizeof(uint32_t) : 1;
    }
    json_key(json, "cells");
    char *text = begin_text(json, width * (size_t)order->cells);
    uint32_t words[CHECKPOINT_CHUNK];
    uint8_t bytes[CHECKPOINT_CHUNK];
    for (int32_t cell = 0; text != NULL && cell < order->cells;) {
        size_t count = 0;
        for (; cell < order->cells && count < CHECKPOINT_CHUNK; cell++, count++) {
            words[count] = (uint32_t)(order->begin[cell + 1] - order->begin[cell]);
            bytes[count] = (uint8_t)words[count];
        }
        text = base64_encode_integers(width == 1 ? (const void *)bytes : (const void *)words, count, width,
                                      text);
    }
    if (text != NULL) {
        end_text(json, text);
    }
}

static void write_order(struct json_writer *json, const struct world *world, float drift) {
    const struct image_order order = world_image_order(world);
    const size_t agents = (size_t)world_agent_count(world);
    json_key(json, "order");
    json_object(json);
    write_key_exact(json, "drift", (double)drift);
    json_key(json, "row");
    char *text = begin_text(json, agents * sizeof *order.row);
    if (text != NULL) {
        end_text(json, base64_encode_integers(order.row, agents, sizeof *order.row, text));
    }
    write_cells(json, &order);
    json_end(json);
}

/* As base64: no string of the line has escapes. */
static void write_text(struct json_writer *json, const struct checkpoint_rest *rest) {
    if (rest->text == NULL) {
        return;
    }
    json_key(json, "text");
    char *text = begin_text(json, rest->text_length);
    if (text != NULL) {
        end_text(json, base64_encode_integers(rest->text, rest->text_length, 1, text));
    }
}

/* ---- the line ---- */

static void write_head(struct json_writer *json, const struct world *world, const struct world_image *image,
                       uint64_t seq, uint64_t hash) {
    json_key_string(json, "op", "checkpoint");
    json_key_unsigned(json, "tick", image->tick);
    json_key_unsigned(json, "seq", seq);
    json_key(json, "hash");
    json_hex64(json, hash);
    json_key_unsigned(json, "format", CHECKPOINT_FORMAT);
    json_key_unsigned(json, "core", CORE_NUMBER);
    json_key(json, "seed");
    if ((double)world_seed(world) <= LIMIT_ID_INTEGER) {
        json_unsigned(json, world_seed(world));
    } else {
        json_hex64(json, world_seed(world));
    }
    write_key_exact(json, "tick_hz", world_tick_hz(world));
    json_key_unsigned(json, "n", (uint64_t)image->agent_count);
    json_key_unsigned(json, "next_id", image->next_id);
    json_key_unsigned(json, "next_obstacle", image->next_obstacle);
    json_key_bool(json, "pure_flock", image->is_pure_flock);
}

/* All but agents by slot. */
static void write_replicated(struct json_writer *json, const struct world *world,
                             const struct world_image *image, const struct checkpoint_rest *rest,
                             uint64_t hash) {
    write_head(json, world, image, rest->seq, hash);
    write_rest(json, rest);
    write_text(json, rest);
    write_kinds(json, world);
    write_targets(json, world);
    write_obstacles(json, world);
    write_turnover(json, world);
    write_formations(json, world);
    write_ids(json, world);
}

void checkpoint_write(const struct world *world, const struct checkpoint_rest *rest, struct buffer *out,
                      uint64_t *hash) {
    const uint64_t own_hash = world_hash(world);
    const struct world_image image = world_image_of(world);
    const struct image_slots all = world_image_own(world);
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    write_replicated(&json, world, &image, rest, own_hash);
    write_columns(&json, world, world_image_changed(world, &all, true));
    if (image.drift != 0.0f) {
        write_order(&json, world, image.drift);
    }
    json_end(&json);
    buffer_append(out, "\n", 1);
    if (hash != NULL) {
        *hash = own_hash;
    }
}

/* ---- the head of parts ---- */

void checkpoint_write_head(const struct world *world, const struct checkpoint_rest *rest, uint64_t hash,
                           struct buffer *out) {
    const struct world_image image = world_image_of(world);
    const struct image_slots none = {.end = 0};
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    write_replicated(&json, world, &image, rest, hash);
    write_columns(&json, world, world_image_changed(world, &none, true));
    if (image.drift != 0.0f) {
        json_key(&json, "order");
        json_object(&json);
        write_key_exact(&json, "drift", (double)image.drift);
        json_end(&json);
    }
}

void checkpoint_end_head(const struct checkpoint_part_facts *parts, int count, struct buffer *out) {
    buffer_append_text(out, ",\"parts\":");
    struct json_writer json = json_writer_begin(out);
    json_array(&json);
    for (int i = 0; i < count; i++) {
        json_object(&json);
        json_key_unsigned(&json, "agents", parts[i].agents);
        json_key_unsigned(&json, "bytes", parts[i].bytes);
        json_key(&json, "sum");
        json_hex64(&json, parts[i].sum);
        json_end(&json);
    }
    json_end(&json);
    buffer_append_text(out, "}\n");
}

/* ---- saved world ---- */

/* Saved worlds: three lines of a recording. See checkpoint.h. */

/* The two lines before the checkpoint. Returns the sum of the second. */
static uint32_t write_beginning(const struct world *world, const struct checkpoint_rest *rest,
                                const char *scenario, const char *text, size_t text_length, uint64_t hash,
                                struct buffer *out) {
    struct recording_line head = {.op = RECORDING_DROVER, .format = RECORDING_FORMAT, .core = CORE_NUMBER};
    struct recording_line line = {.op = RECORDING_WORLD,
                                  .world = 1,
                                  .tick = world_tick(world),
                                  .seq = rest->seq,
                                  .seed = world_seed(world),
                                  .tick_hz = world_tick_hz(world),
                                  .hash = hash,
                                  .text = text,
                                  .text_length = text_length};
    uint32_t sum = 0;
    size_t begin = out->length;
    assert(strlen(scenario) <= LIMIT_NAME_CHARS);
    (void)snprintf(line.scenario, sizeof line.scenario, "%s", scenario);
    recording_line_write(&head, out);
    line_sum_seal(out, begin, &sum);
    begin = out->length;
    recording_line_write(&line, out);
    line_sum_seal(out, begin, &sum);
    return sum;
}

void saved_world_write(const struct world *world, const struct checkpoint_rest *rest, const char *scenario,
                       const char *text, size_t text_length, struct buffer *out, uint64_t *hash) {
    uint32_t sum = write_beginning(world, rest, scenario, text, text_length, world_hash(world), out);
    const size_t begin = out->length;
    checkpoint_write(world, rest, out, hash);
    line_sum_seal(out, begin, &sum);
}

void saved_world_write_head(const struct world *world, const struct checkpoint_rest *rest,
                            const char *scenario, const char *text, size_t text_length, uint64_t hash,
                            struct buffer *out, struct saved_world_head *head) {
    head->sum = write_beginning(world, rest, scenario, text, text_length, hash, out);
    head->begin = out->length;
    checkpoint_write_head(world, rest, hash, out);
}

void saved_world_end_head(struct saved_world_head *head, const struct checkpoint_part_facts *parts, int count,
                          struct buffer *out) {
    checkpoint_end_head(parts, count, out);
    line_sum_seal(out, head->begin, &head->sum);
}

/* ---- reading ---- */

/* What is left of the text. */
struct lines {
    const char *next, *end;
    struct line_sum_check check; /* of the lines that were taken */
};

static int take_line(struct lines *lines, enum recording_op op, const char *name, const char **line,
                     size_t *length, struct recording_line *out, struct failure *failure) {
    const int number = (int)lines->check.lines + 1;
    const size_t left = (size_t)(lines->end - lines->next);
    const char *newline = left == 0 ? NULL : memchr(lines->next, '\n', left);
    if (newline == NULL) {
        return failure_set(failure, FAILURE_BAD_SAVE, "", "line %d is %s; allowed: three whole lines", number,
                           left == 0 ? "missing" : "not whole");
    }
    *line = lines->next;
    *length = (size_t)(newline - lines->next);
    lines->next = newline + 1;
    if (*length > LIMIT_CHECKPOINT_BYTES) {
        return failure_set(failure, FAILURE_BAD_SAVE, "", "line %d has %zu bytes; allowed: at most %d",
                           number, *length, LIMIT_CHECKPOINT_BYTES);
    }
    const char *wrong = line_sum_wrong(&lines->check, *line, *length);
    if (wrong != NULL) {
        return failure_set(failure, FAILURE_BAD_SAVE, "sum", "line %d is damaged: %s", number, wrong);
    }
    struct failure inner;
    if (recording_line_read(*line, *length, out, &inner) != 0) {
        return failure_set(failure, inner.code, inner.field, "line %d: %s", number, inner.message);
    }
    if (out->op != op) {
        return failure_set(failure, FAILURE_BAD_SAVE, "op", "line %d is another line; allowed: \"%s\"",
                           number, name);
    }
    return 0;
}

/* The scenario that the text of the world line is. */
static int read_scenario(const struct recording_line *world, struct scenario *scenario,
                         struct failure *failure) {
    size_t length;
    struct failure inner;
    char *text = recording_line_text(world, &length);
    if (text == NULL) {
        return failure_set(failure, FAILURE_BUSY, "", "out of memory for the scenario of the saved world");
    }
    int result = -1;
    if (length > LIMIT_SCENARIO_BYTES) {
        (void)failure_set(failure, FAILURE_BAD_SAVE, "text", "text: %zu bytes; allowed: at most %d", length,
                          LIMIT_SCENARIO_BYTES);
    } else if (scenario_read(text, length, scenario, &inner) != 0) {
        const enum failure_code code = inner.code == FAILURE_BUSY ? FAILURE_BUSY : FAILURE_BAD_SAVE;
        (void)failure_set(failure, code, inner.field, "text: %s", inner.message);
    } else {
        memcpy(scenario->name, world->scenario, sizeof scenario->name);
        result = 0;
    }
    free(text);
    return result;
}

static int read_checkpoint(const char *line, size_t length, const struct recording_line *world, uint32_t core,
                           const struct world_overrides *overrides, const atomic_bool *given_up,
                           struct built_world *out, struct checkpoint_rest *rest, struct failure *failure) {
    struct scenario scenario;
    if (read_scenario(world, &scenario, failure) != 0) {
        return -1;
    }
    const int result = checkpoint_read(line, length, &scenario, overrides, given_up, out, rest, failure);
    scenario_fini(&scenario);
    if (result == 0 && core != CORE_NUMBER) {
        out->core = core; /* it is a whole world: from here on it goes by the rules of this core */
    }
    if (result != 0 && core != CORE_NUMBER && failure->code == FAILURE_BAD_SAVE) {
        const struct failure inner = *failure;
        return failure_set(
            failure, FAILURE_VERSION, "core",
            "the save is of core %lu, this server has core %d, and the world comes out different: %s",
            (unsigned long)core, CORE_NUMBER, inner.message);
    }
    return result;
}

int saved_world_read(const char *text, size_t length, const struct world_overrides *overrides,
                     const atomic_bool *given_up, struct built_world *out, struct checkpoint_rest *rest,
                     struct failure *failure) {
    struct lines lines = {text, text + length, {0}};
    struct recording_line head = {.format = 0}, world, checkpoint;
    const char *line = NULL;
    size_t line_length = 0;
    *out = (struct built_world){.world = NULL};
    if (take_line(&lines, RECORDING_DROVER, "drover", &line, &line_length, &head, failure) != 0 ||
        take_line(&lines, RECORDING_WORLD, "world", &line, &line_length, &world, failure) != 0 ||
        take_line(&lines, RECORDING_CHECKPOINT, "checkpoint", &line, &line_length, &checkpoint, failure) !=
            0) {
        return -1;
    }
    if (head.format > RECORDING_FORMAT) {
        return failure_set(failure, FAILURE_VERSION, "format", "format %lu; allowed: %d",
                           (unsigned long)head.format, RECORDING_FORMAT);
    }
    return read_checkpoint(line, line_length, &world, head.core, overrides, given_up, out, rest, failure);
}
