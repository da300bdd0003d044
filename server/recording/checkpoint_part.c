/* See checkpoint.h: parts of a checkpoint, written and read. */
#include "server/recording/checkpoint.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/byte_order.h"
#include "common/base/limits.h"
#include "common/json/json_check.h"
#include "common/json/json_writer.h"
#include "server/recording/checkpoint_internal.h"
#include "server/sim/math/rng.h"

/* ---- the sum ---- */

enum { SUM_LANES = 4, SUM_WORD = 8 };

static uint64_t word_at(const char *bytes, size_t length) {
    uint64_t word = 0;
    unsigned char padded[SUM_WORD] = {0};
    memcpy(padded, bytes, length < SUM_WORD ? length : SUM_WORD);
    byte_order_copy(&word, padded, 1, SUM_WORD);
    return word;
}

/* Four chains side by side, so that a processor does not wait for one. */
uint64_t checkpoint_part_sum(const char *bytes, size_t length) {
    uint64_t lanes[SUM_LANES] = {1, 2, 3, 4};
    size_t at = 0;
    for (; length - at >= (size_t)SUM_LANES * SUM_WORD; at += (size_t)SUM_LANES * SUM_WORD) {
        for (int lane = 0; lane < SUM_LANES; lane++) {
            lanes[lane] = rng_mix(lanes[lane] ^ word_at(bytes + at + (size_t)lane * SUM_WORD, SUM_WORD));
        }
    }
    for (; at < length; at += SUM_WORD) {
        lanes[0] = rng_mix(lanes[0] ^ word_at(bytes + at, length - at));
    }
    uint64_t sum = length;
    for (int lane = 0; lane < SUM_LANES; lane++) {
        sum = rng_mix(sum ^ lanes[lane]);
    }
    return sum;
}

/* ---- what there is to write ---- */

static bool has_cells(const struct world *world) {
    return world_image_of(world).drift != 0.0f;
}

/* How many of the agents have an entry: a look at each where only some may. */
static int32_t count_entries(const struct world *world, const struct image_slots *slots, int index,
                             const struct image_column *column) {
    const int32_t all = slots->end - slots->begin;
    return column->is_partial
               ? world_image_entries_of(world, index, world_image_rows(world) + slots->begin, all)
               : all;
}

static void write_blocks(struct json_writer *json, const struct world *world, const struct image_slots *slots,
                         uint64_t changed) {
    struct image_column column;
    json_key(json, "blocks");
    json_object(json);
    json_key_unsigned(json, "row", sizeof(int32_t) * (uint64_t)(slots->end - slots->begin));
    for (int i = 0; world_image_column(i, &column); i++) {
        if (changed >> i & 1) {
            json_key_unsigned(json, column.name,
                              (uint64_t)column.width * column.count *
                                  (uint64_t)count_entries(world, slots, i, &column));
        }
    }
    if (has_cells(world)) {
        json_key_unsigned(json, "cells", sizeof(uint32_t) * (uint64_t)(slots->end_cell - slots->first_cell));
    }
    json_end(json);
}

static void write_line(const struct world *world, const struct image_slots *slots,
                       const struct checkpoint_part *part, uint64_t changed, struct buffer *out) {
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    json_key_string(&json, "op", "part");
    json_key_unsigned(&json, "format", CHECKPOINT_PART_FORMAT);
    json_key_unsigned(&json, "part", part->number);
    json_key_unsigned(&json, "of", part->count);
    json_key_unsigned(&json, "tick", part->tick);
    json_key_unsigned(&json, "seq", part->seq);
    json_key(&json, "hash");
    json_hex64(&json, part->hash);
    json_key_unsigned(&json, "agents", (uint64_t)(slots->end - slots->begin));
    write_blocks(&json, world, slots, changed);
    json_end(&json);
    buffer_append(out, "\n", 1);
}

/* ---- blocks ---- */

static void append_numbers(struct buffer *out, const void *numbers, size_t count, size_t width) {
    char *room = buffer_reserve(out, count * width);
    if (room != NULL) {
        byte_order_copy(room, numbers, count, width);
        buffer_commit(out, count * width);
    }
}

static void append_column(struct buffer *out, const struct world *world, const struct image_slots *slots,
                          int index, const struct image_column *column) {
    struct image_cursor cursor = {.column = index};
    unsigned char entries[CHECKPOINT_CHUNK * WORLD_ENTRY_BYTES];
    int32_t count = 1;
    while (count > 0) {
        count = world_image_take_slots(world, slots, &cursor, entries, CHECKPOINT_CHUNK);
        append_numbers(out, entries, (size_t)count * column->count, column->width);
    }
}

static void append_cells(struct buffer *out, const struct world *world, const struct image_slots *slots) {
    const struct image_order order = world_image_order(world);
    uint32_t counts[CHECKPOINT_CHUNK];
    for (int32_t cell = slots->first_cell; cell < slots->end_cell;) {
        size_t count = 0;
        for (; cell < slots->end_cell && count < CHECKPOINT_CHUNK; cell++, count++) {
            counts[count] = (uint32_t)(order.begin[cell + 1] - order.begin[cell]);
        }
        append_numbers(out, counts, count, sizeof counts[0]);
    }
}

void checkpoint_part_write(const struct world *world, const struct image_slots *slots,
                           const struct checkpoint_part *part, struct buffer *out) {
    const uint64_t changed = world_image_changed(world, slots, false);
    struct image_column column;
    assert(part->number < part->count && part->count <= CHECKPOINT_PARTS_MAX);
    write_line(world, slots, part, changed, out);
    append_numbers(out, world_image_rows(world) + slots->begin, (size_t)(slots->end - slots->begin),
                   sizeof(int32_t));
    for (int i = 0; world_image_column(i, &column); i++) {
        if (changed >> i & 1) {
            append_column(out, world, slots, i, &column);
        }
    }
    if (has_cells(world)) {
        append_cells(out, world, slots);
    }
}

/* ---- read ---- */

/* Reading a part. See checkpoint.h. */

enum { LINE_MOST = 4096 };

struct part_reading {
    struct world *world;
    const struct checkpoint_part *part;
    struct checkpoint_assembly *assembly;
    const char *next; /* what is left of the blocks */
    size_t left;
    const int32_t *row; /* of the part's agents; the assembly's */
    int32_t agents;
    struct failure *failure;
};

/* ---- the assembly ---- */

int checkpoint_assembly_init(struct checkpoint_assembly *assembly, int32_t agents) {
    *assembly = (struct checkpoint_assembly){.agents = agents};
    assembly->is_there = calloc((size_t)agents + 1, 1);
    assembly->row = malloc(sizeof *assembly->row * ((size_t)agents + 1));
    if (assembly->is_there == NULL || assembly->row == NULL) {
        checkpoint_assembly_fini(assembly);
        return -1;
    }
    return 0;
}

void checkpoint_assembly_fini(struct checkpoint_assembly *assembly) {
    free(assembly->is_there);
    free(assembly->row);
    free(assembly->counts);
    *assembly = (struct checkpoint_assembly){.agents = 0};
}

/* ---- failures ---- */

static int refuse(const struct part_reading *reading, const char *place, const char *what) {
    (void)failure_set(reading->failure, FAILURE_BAD_SAVE, "parts", "part %" PRIu32 ": %s%s%s",
                      reading->part->number, place, place[0] != '\0' ? ": " : "", what);
    return -1;
}

static int refuse_entry(const struct part_reading *reading, const char *name, int64_t index,
                        const char *allowed) {
    return failure_set(reading->failure, FAILURE_BAD_SAVE, "parts",
                       "part %" PRIu32 ": columns.%s[%" PRId64 "]: a value that is not allowed; allowed: %s",
                       reading->part->number, name, index, allowed);
}

static int run_out(const struct part_reading *reading) {
    return failure_set(reading->failure, FAILURE_BUSY, "", "out of memory for part %" PRIu32,
                       reading->part->number);
}

/* ---- the line ---- */

static const cJSON *member(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static bool is_whole(const cJSON *item, uint64_t wanted) {
    return cJSON_IsNumber(item) && item->valuedouble == (double)wanted;
}

static bool is_hash(const cJSON *item, uint64_t wanted) {
    char text[17];
    (void)snprintf(text, sizeof text, "%016" PRIx64, wanted);
    return cJSON_IsString(item) && strcmp(item->valuestring, text) == 0;
}

/* Whether the part is what it must be. */
static int check_line(const struct part_reading *reading, const cJSON *line) {
    const struct checkpoint_part *part = reading->part;
    const cJSON *op = member(line, "op");
    if (!cJSON_IsString(op) || strcmp(op->valuestring, "part") != 0) {
        return refuse(reading, "op", "missing or wrong; allowed: \"part\"");
    }
    if (!is_whole(member(line, "format"), CHECKPOINT_PART_FORMAT)) {
        return refuse(reading, "format", "another format; allowed: 1");
    }
    if (!is_whole(member(line, "tick"), part->tick) || !is_whole(member(line, "seq"), part->seq) ||
        !is_hash(member(line, "hash"), part->hash)) {
        return refuse(reading, "",
                      "of another checkpoint; allowed: the tick, seq and hash of its checkpoint");
    }
    if (!is_whole(member(line, "part"), part->number) || !is_whole(member(line, "of"), part->count)) {
        return refuse(reading, "part", "another number; allowed: that of its name, of as many as there are");
    }
    return is_whole(member(line, "agents"), (uint64_t)reading->agents)
               ? 0
               : refuse(reading, "agents", "not as many as its checkpoint says");
}

/* ---- blocks ---- */

/* The block of this name must be the next one. */
static int take_block(struct part_reading *reading, const cJSON *block, const char *name, uint64_t bytes,
                      const char **out) {
    if (block == NULL || strcmp(block->string, name) != 0) {
        return refuse(reading, "blocks",
                      "missing, or in another order; allowed: row, columns in order, cells");
    }
    if (!is_whole(block, bytes) || bytes > reading->left) {
        (void)failure_set(reading->failure, FAILURE_BAD_SAVE, "parts",
                          "part %" PRIu32 ": blocks.%s: another length; allowed: %" PRIu64
                          " bytes, of which %zu are there",
                          reading->part->number, name, bytes, reading->left);
        return -1;
    }
    *out = reading->next;
    reading->next += bytes;
    reading->left -= (size_t)bytes;
    return 0;
}

static int read_rows(struct part_reading *reading, const cJSON **block) {
    struct checkpoint_assembly *assembly = reading->assembly;
    const char *bytes = NULL;
    if (reading->agents > assembly->agents - assembly->slots) {
        return refuse(reading, "agents", "more than the checkpoint has; allowed: each agent once");
    }
    if (take_block(reading, *block, "row", sizeof(int32_t) * (uint64_t)reading->agents, &bytes) != 0) {
        return -1;
    }
    int32_t *row = assembly->row + assembly->slots;
    byte_order_copy(row, bytes, (size_t)reading->agents, sizeof *row);
    for (int32_t i = 0; i < reading->agents; i++) {
        if (row[i] < 0 || row[i] >= assembly->agents || assembly->is_there[row[i]]) {
            return refuse_entry(reading, "row", i, "the row of each agent once");
        }
        assembly->is_there[row[i]] = 1;
    }
    assembly->slots += reading->agents;
    reading->row = row;
    *block = (*block)->next;
    return 0;
}

/* Entries of some agents at a time: of those of rows[0 .. count). */
static int put_some(struct part_reading *reading, int index, const struct image_column *column,
                    const int32_t *rows, int32_t count, const char **bytes) {
    unsigned char entries[CHECKPOINT_CHUNK * WORLD_ENTRY_BYTES];
    struct image_fault fault;
    const size_t numbers = (size_t)world_image_entries_of(reading->world, index, rows, count) * column->count;
    byte_order_copy(entries, *bytes, numbers, column->width);
    *bytes += numbers * column->width;
    if (!world_image_put_rows(reading->world, index, rows, count, entries, &fault)) {
        return refuse_entry(reading, column->name, rows - reading->row + fault.index, fault.what);
    }
    return 0;
}

static int read_column(struct part_reading *reading, const cJSON *block, int index,
                       const struct image_column *column) {
    const char *bytes = NULL;
    const uint64_t entries =
        (uint64_t)world_image_entries_of(reading->world, index, reading->row, reading->agents);
    if (take_block(reading, block, column->name, (uint64_t)column->width * column->count * entries, &bytes) !=
        0) {
        return -1;
    }
    for (int32_t begin = 0; begin < reading->agents; begin += CHECKPOINT_CHUNK) {
        const int32_t left = reading->agents - begin;
        if (put_some(reading, index, column, reading->row + begin,
                     left < CHECKPOINT_CHUNK ? left : CHECKPOINT_CHUNK, &bytes) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_columns(struct part_reading *reading, const cJSON **block) {
    struct image_column column;
    for (int i = 0; world_image_column(i, &column); i++) {
        if (*block == NULL || !column.is_by_slot || strcmp((*block)->string, column.name) != 0) {
            continue; /* as new agents have it */
        }
        if (read_column(reading, *block, i, &column) != 0) {
            return -1;
        }
        *block = (*block)->next;
    }
    return 0;
}

static int read_cells(struct part_reading *reading, const cJSON *block) {
    struct checkpoint_assembly *assembly = reading->assembly;
    const char *bytes = NULL;
    const size_t count = reading->left / sizeof(int32_t);
    if (take_block(reading, block, "cells", count * sizeof(int32_t), &bytes) != 0) {
        return -1;
    }
    int32_t *counts = realloc(assembly->counts, sizeof *counts * (assembly->cells + count + 1));
    if (counts == NULL) {
        return run_out(reading);
    }
    byte_order_copy(counts + assembly->cells, bytes, count, sizeof *counts);
    assembly->counts = counts;
    assembly->cells += count;
    return 0;
}

static int read_blocks(struct part_reading *reading, const cJSON *line) {
    const cJSON *blocks = member(line, "blocks"), *block = cJSON_IsObject(blocks) ? blocks->child : NULL;
    if (read_rows(reading, &block) != 0 || read_columns(reading, &block) != 0) {
        return -1;
    }
    if (block != NULL && strcmp(block->string, "cells") == 0) {
        if (read_cells(reading, block) != 0) {
            return -1;
        }
        block = block->next;
    }
    if (block != NULL) {
        return failure_set(reading->failure, FAILURE_BAD_SAVE, "parts",
                           "part %" PRIu32 ": blocks.%.64s: no block, or in another order; allowed: row, "
                           "columns in order, cells",
                           reading->part->number, block->string);
    }
    return reading->left == 0 ? 0 : refuse(reading, "blocks", "bytes are left behind the last one");
}

/* ---- all of it ---- */

static int check_bytes(const struct part_reading *reading, const char *bytes, size_t length,
                       const struct checkpoint_part_facts *facts) {
    if (length != facts->bytes) {
        return failure_set(reading->failure, FAILURE_BAD_SAVE, "parts",
                           "part %" PRIu32 ": %zu bytes; allowed: %" PRIu64 ", as its checkpoint says",
                           reading->part->number, length, facts->bytes);
    }
    const uint64_t sum = checkpoint_part_sum(bytes, length);
    return sum == facts->sum ? 0
                             : failure_set(reading->failure, FAILURE_BAD_SAVE, "parts",
                                           "part %" PRIu32 ": damaged: its sum is %016" PRIx64
                                           "; allowed: %016" PRIx64 ", as its checkpoint says",
                                           reading->part->number, sum, facts->sum);
}

int checkpoint_part_read(struct world *world, const char *bytes, size_t length,
                         const struct checkpoint_part *part, const struct checkpoint_part_facts *facts,
                         struct checkpoint_assembly *assembly, struct failure *failure) {
    struct part_reading reading = {.world = world, .part = part, .assembly = assembly, .failure = failure};
    const struct json_limits limits = json_limits_line();
    struct json_fault fault;
    if (check_bytes(&reading, bytes, length, facts) != 0) {
        return -1;
    }
    const char *end = length == 0 ? NULL : memchr(bytes, '\n', length < LINE_MOST ? length : LINE_MOST);
    if (end == NULL || facts->agents > (uint64_t)assembly->agents) {
        return refuse(&reading, "", "no part; allowed: a line and blocks of agents of this world");
    }
    const size_t line_length = (size_t)(end - bytes);
    if (json_check(bytes, line_length, &limits, &fault) != JSON_FINE) {
        return refuse(&reading, "", fault.message);
    }
    cJSON *line = cJSON_ParseWithLength(bytes, line_length);
    if (line == NULL) {
        return run_out(&reading);
    }
    reading.agents = (int32_t)facts->agents;
    reading.next = end + 1;
    reading.left = length - line_length - 1;
    const int result = check_line(&reading, line) != 0 || read_blocks(&reading, line) != 0 ? -1 : 0;
    cJSON_Delete(line);
    return result;
}
