/* Writing a part. See checkpoint_part.h; checkpoint_part_read.c reads it. */
#include "server/recording/checkpoint_part.h"

#include <assert.h>
#include <string.h>

#include "common/base/byte_order.h"
#include "common/json/json_writer.h"
#include "server/recording/checkpoint_form.h"
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
    const uint64_t changed = world_image_changed_by_slot(world, slots);
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
