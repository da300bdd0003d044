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

enum { SUM_LANES = 4, SUM_WORD = 8, SUM_STRIDE = SUM_LANES * SUM_WORD };

static uint64_t word_at(const char *bytes, size_t length) {
    uint64_t word = 0;
    unsigned char padded[SUM_WORD] = {0};
    memcpy(padded, bytes, length < SUM_WORD ? length : SUM_WORD);
    byte_order_copy(&word, padded, 1, SUM_WORD);
    return word;
}

/* Four chains side by side, so that a processor does not wait for one. */
struct sum {
    uint64_t lanes[SUM_LANES], length;
};

static const struct sum sum_of_nothing = {{1, 2, 3, 4}, 0};

/* Whole strides of all lanes, but for the last bytes of all. */
static void add_to_sum(struct sum *sum, const char *bytes, size_t length) {
    size_t at = 0;
    for (; length - at >= SUM_STRIDE; at += SUM_STRIDE) {
        for (int lane = 0; lane < SUM_LANES; lane++) {
            const size_t word = at + (size_t)lane * SUM_WORD;
            sum->lanes[lane] = rng_mix(sum->lanes[lane] ^ word_at(bytes + word, SUM_WORD));
        }
    }
    for (; at < length; at += SUM_WORD) {
        sum->lanes[0] = rng_mix(sum->lanes[0] ^ word_at(bytes + at, length - at));
    }
    sum->length += length;
}

static uint64_t end_sum(const struct sum *sum) {
    uint64_t all = sum->length;
    for (int lane = 0; lane < SUM_LANES; lane++) {
        all = rng_mix(all ^ sum->lanes[lane]);
    }
    return all;
}

uint64_t checkpoint_part_sum(const char *bytes, size_t length) {
    struct sum sum = sum_of_nothing;
    add_to_sum(&sum, bytes, length);
    return end_sum(&sum);
}

/* ---- what there is to write ---- */

static bool has_cells(const struct world *world) {
    return world_image_of(world).drift != 0.0f;
}

/* How many of the agents have an entry: a look at each where only some may. */
static int32_t count_entries(const struct world *world, const struct image_slots *slots, int index,
                             const struct image_column *column) {
    return column->is_partial ? world_image_entries_of(world, index, slots) : slots->end - slots->begin;
}

static uint64_t bytes_of(const struct world *world, const struct image_slots *slots, int index,
                         const struct image_column *column) {
    return (uint64_t)column->width * column->count * (uint64_t)count_entries(world, slots, index, column);
}

/* Returns the bytes of all of them. */
static uint64_t write_blocks(struct json_writer *json, const struct world *world,
                             const struct image_slots *slots, uint64_t changed) {
    struct image_column column;
    uint64_t all = sizeof(int32_t) * (uint64_t)(slots->end - slots->begin);
    json_key(json, "blocks");
    json_object(json);
    json_key_unsigned(json, "row", all);
    for (int i = 0; world_image_column(i, &column); i++) {
        if (changed >> i & 1) {
            const uint64_t bytes = bytes_of(world, slots, i, &column);
            json_key_unsigned(json, column.name, bytes);
            all += bytes;
        }
    }
    if (has_cells(world)) {
        const uint64_t bytes = sizeof(uint32_t) * (uint64_t)(slots->end_cell - slots->first_cell);
        json_key_unsigned(json, "cells", bytes);
        all += bytes;
    }
    json_end(json);
    return all;
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
    const uint64_t blocks = write_blocks(&json, world, slots, changed);
    json_end(&json);
    buffer_append(out, "\n", 1);
    (void)buffer_reserve(out,
                         (size_t)blocks); /* at once: a buffer that grows has its bytes twice for a moment */
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

enum { LINE_MOST = 4096, BLOCKS_MOST = 66 /* rows, columns, cells */ };
enum { PIECE_BYTES = CHECKPOINT_CHUNK * WORLD_ENTRY_BYTES };
static_assert(PIECE_BYTES % SUM_STRIDE == 0, "sums are made of whole strides");

/* Bytes of a part. */
struct block {
    const char *name; /* the line's */
    uint64_t at, bytes;
};

struct part_reading {
    struct world *world;
    const struct checkpoint_parts *parts;
    const struct checkpoint_part *part;
    struct checkpoint_assembly *assembly;
    struct block blocks[BLOCKS_MOST];
    int block_count;
    uint64_t motion;    /* where the block is; 0: it is left out */
    int32_t agents;     /* of the part */
    int32_t begin, end; /* those of them that are to be here */
    int32_t slot;       /* of the first of these */
    struct failure *failure;
};

/* ---- the assembly ---- */

int checkpoint_assembly_init(struct checkpoint_assembly *assembly, int32_t agents, int share, int shares) {
    assert(share >= 0 && share < shares);
    *assembly = (struct checkpoint_assembly){.agents = agents};
    assembly->begin = (int32_t)((int64_t)agents * share / shares);
    assembly->end = (int32_t)((int64_t)agents * (share + 1) / shares);
    assembly->is_there = calloc((size_t)agents / 8 + 1, 1);
    return assembly->is_there != NULL ? 0 : -1;
}

void checkpoint_assembly_fini(struct checkpoint_assembly *assembly) {
    free(assembly->is_there);
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

/* Where the blocks are that the line lists. */
static int find_blocks(struct part_reading *reading, const cJSON *line, uint64_t at, uint64_t length) {
    const cJSON *blocks = member(line, "blocks"), *item = cJSON_IsObject(blocks) ? blocks->child : NULL;
    for (; item != NULL; item = item->next) {
        const double bytes = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
        if (reading->block_count == BLOCKS_MOST || !(bytes >= 0.0 && bytes <= (double)(length - at)) ||
            bytes != floor(bytes)) {
            return failure_set(reading->failure, FAILURE_BAD_SAVE, "parts",
                               "part %" PRIu32 ": blocks.%.64s: another length; allowed: that of its agents' "
                               "entries, of which %" PRIu64 " bytes are there",
                               reading->part->number, item->string, length - at);
        }
        reading->blocks[reading->block_count++] = (struct block){item->string, at, (uint64_t)bytes};
        at += (uint64_t)bytes;
    }
    return at == length ? 0 : refuse(reading, "blocks", "bytes are left behind the last one");
}

/* A block must have so many numbers. */
static int check_block(const struct part_reading *reading, const struct block *block, uint64_t bytes) {
    return block->bytes == bytes
               ? 0
               : failure_set(reading->failure, FAILURE_BAD_SAVE, "parts",
                             "part %" PRIu32 ": blocks.%.64s: another length; allowed: %" PRIu64
                             " bytes, and not %" PRIu64,
                             reading->part->number, block->name, bytes, block->bytes);
}

/* Numbers from the middle of a block. */
static int load(const struct part_reading *reading, uint64_t at, void *numbers, size_t count, size_t width) {
    unsigned char bytes[PIECE_BYTES];
    assert(count * width <= sizeof bytes);
    if (reading->parts->read(reading->parts->context, at, bytes, count * width, reading->failure) != 0) {
        return -1;
    }
    byte_order_copy(numbers, bytes, count, width);
    return 0;
}

static int32_t chunk_of(int32_t left) {
    return left < CHECKPOINT_CHUNK ? left : CHECKPOINT_CHUNK;
}

/* Rows of the world, whatever becomes of the file meanwhile. */
static int load_rows(const struct part_reading *reading, int32_t first, int32_t *row, int32_t count) {
    const uint64_t at = reading->blocks[0].at + sizeof *row * (uint64_t)first;
    if (load(reading, at, row, (size_t)count, sizeof *row) != 0) {
        return -1;
    }
    for (int32_t i = 0; i < count; i++) {
        if (row[i] < 0 || row[i] >= reading->assembly->agents) {
            return refuse_entry(reading, "row", first + i, "the row of each agent once");
        }
    }
    return 0;
}

/* Each agent is one of the world, and there once. */
static int read_rows(struct part_reading *reading) {
    struct checkpoint_assembly *assembly = reading->assembly;
    int32_t row[CHECKPOINT_CHUNK];
    if (reading->block_count == 0 || strcmp(reading->blocks[0].name, "row") != 0) {
        return refuse(reading, "blocks", "no row; allowed: row, columns in order, cells");
    }
    if (reading->agents > assembly->agents - assembly->slots) {
        return refuse(reading, "agents", "more than the checkpoint has; allowed: each agent once");
    }
    if (check_block(reading, &reading->blocks[0], sizeof *row * (uint64_t)reading->agents) != 0) {
        return -1;
    }
    for (int32_t first = 0; first < reading->agents; first += CHECKPOINT_CHUNK) {
        const int32_t count = chunk_of(reading->agents - first);
        if (load_rows(reading, first, row, count) != 0) {
            return -1;
        }
        for (int32_t i = 0; i < count; i++) {
            const unsigned bit = 1u << ((unsigned)row[i] % 8);
            if ((assembly->is_there[row[i] / 8] & bit) != 0) {
                return refuse_entry(reading, "row", first + i, "the row of each agent once");
            }
            assembly->is_there[row[i] / 8] |= (unsigned char)bit;
        }
    }
    return 0;
}

/* Those that are to be here get slots. */
static int place_agents(struct part_reading *reading) {
    const struct checkpoint_assembly *assembly = reading->assembly;
    const int32_t low = assembly->begin - assembly->slots, high = assembly->end - assembly->slots;
    int32_t row[CHECKPOINT_CHUNK];
    reading->begin = low < 0 ? 0 : low < reading->agents ? low : reading->agents;
    reading->end = high < reading->begin ? reading->begin : high < reading->agents ? high : reading->agents;
    reading->slot = assembly->slots + reading->begin - assembly->begin;
    for (int32_t first = reading->begin; first < reading->end; first += CHECKPOINT_CHUNK) {
        const int32_t count = chunk_of(reading->end - first);
        if (load_rows(reading, first, row, count) != 0) {
            return -1;
        }
        world_restore_slots(reading->world, row, count);
    }
    return 0;
}

/* Motion of agents of the part; at (0, 0), at rest, where it is left out. */
static int load_motion(const struct part_reading *reading, int32_t first, void *motion, int32_t count) {
    const size_t numbers = 4, width = sizeof(float);
    memset(motion, 0, numbers * width * (size_t)count);
    return reading->motion == 0 ? 0
                                : load(reading, reading->motion + numbers * width * (uint64_t)first, motion,
                                       numbers * (size_t)count, width);
}

/* How many of the agents [first, end) have an entry in a column. -1 with a failure. */
static int64_t count_part(const struct part_reading *reading, const struct image_column *column,
                          int32_t first, int32_t end) {
    int32_t row[CHECKPOINT_CHUNK];
    unsigned char motion[PIECE_BYTES];
    int64_t entries = 0;
    if (!column->is_partial) {
        return end - first;
    }
    for (; first < end; first += CHECKPOINT_CHUNK) {
        const int32_t count = chunk_of(end - first);
        if (load_rows(reading, first, row, count) != 0 || load_motion(reading, first, motion, count) != 0) {
            return -1;
        }
        entries += world_image_entries_with(reading->world, row, motion, count);
    }
    return entries;
}

/* block: NULL where the column is motion, and left out. */
static int read_column(const struct part_reading *reading, const struct block *block, int index,
                       const struct image_column *column) {
    const uint64_t size = (uint64_t)column->width * column->count;
    const int64_t all = count_part(reading, column, 0, reading->agents);
    const int64_t before = all < 0 ? -1 : count_part(reading, column, 0, reading->begin);
    uint64_t at = block == NULL || before < 0 ? 0 : block->at + size * (uint64_t)before;
    if (before < 0 || (block != NULL && check_block(reading, block, size * (uint64_t)all) != 0)) {
        return -1;
    }
    for (int32_t first = reading->begin; first < reading->end; first += CHECKPOINT_CHUNK) {
        unsigned char entries[PIECE_BYTES] = {0};
        struct image_fault fault;
        const int32_t count = chunk_of(reading->end - first);
        const int64_t here = count_part(reading, column, first, first + count);
        if (here < 0 ||
            (block != NULL && load(reading, at, entries, (size_t)here * column->count, column->width) != 0)) {
            return -1;
        }
        if (!world_image_put_slots(reading->world, index, reading->slot + first - reading->begin, count,
                                   entries, &fault)) {
            return refuse_entry(reading, column->name, first + fault.index, fault.what);
        }
        at += size * (uint64_t)here;
    }
    return 0;
}

/* Columns that are left out are as new agents have them. *next: the first block that is no column. */
static int read_columns(struct part_reading *reading, int *next) {
    struct image_column column;
    *next = 1;
    for (int i = 0; world_image_column(i, &column); i++) {
        const struct block *block = *next < reading->block_count ? &reading->blocks[*next] : NULL;
        const bool is_motion = strcmp(column.name, "motion") == 0;
        const bool is_there = block != NULL && column.is_by_slot && strcmp(block->name, column.name) == 0;
        reading->motion = is_there && is_motion ? block->at : reading->motion;
        if ((is_there || is_motion) && read_column(reading, is_there ? block : NULL, i, &column) != 0) {
            return -1;
        }
        *next += is_there;
    }
    return 0;
}

/* Each cell has the next ones of the part's agents. */
static int read_cells(const struct part_reading *reading, const struct block *block) {
    struct checkpoint_assembly *assembly = reading->assembly;
    const int64_t count = (int64_t)(block->bytes / sizeof(int32_t));
    int32_t counts[CHECKPOINT_CHUNK], slot = 0;
    if (check_block(reading, block, sizeof *counts * (uint64_t)count) != 0 ||
        count > INT32_MAX - assembly->cells) {
        return refuse(reading, "blocks", "too many cells, or parts of one; allowed: as the world has");
    }
    for (int64_t cell = 0; cell < count; cell++) {
        const int64_t left = count - cell, in = cell % CHECKPOINT_CHUNK;
        if (in == 0 &&
            load(reading, block->at + sizeof *counts * (uint64_t)cell, counts,
                 (size_t)(left < CHECKPOINT_CHUNK ? left : CHECKPOINT_CHUNK), sizeof *counts) != 0) {
            return -1;
        }
        if (counts[in] < 0 || counts[in] > reading->agents - slot) {
            return refuse_entry(reading, "cells", cell, "as many agents as the part has");
        }
        const int32_t begin = slot > reading->begin ? slot : reading->begin, to = slot + counts[in];
        const int32_t end = to < reading->end ? to : reading->end;
        if (begin < end) {
            world_restore_cell(reading->world, reading->slot + begin - reading->begin, end - begin,
                               (int32_t)(assembly->cells + cell));
        }
        slot = to;
    }
    assembly->cells += (int32_t)count;
    assembly->in_cells += slot;
    return slot == reading->agents ? 0 : refuse(reading, "cells", "not all agents of the part are in one");
}

static int read_blocks(struct part_reading *reading) {
    int next = 0;
    if (read_rows(reading) != 0 || place_agents(reading) != 0 || read_columns(reading, &next) != 0) {
        return -1;
    }
    const struct block *block = next < reading->block_count ? &reading->blocks[next] : NULL;
    if (block != NULL && strcmp(block->name, "cells") == 0) {
        if (read_cells(reading, block) != 0) {
            return -1;
        }
        next++;
    }
    if (next < reading->block_count) {
        return failure_set(reading->failure, FAILURE_BAD_SAVE, "parts",
                           "part %" PRIu32 ": blocks.%.64s: no block, or in another order; allowed: row, "
                           "columns in order, cells",
                           reading->part->number, reading->blocks[next].name);
    }
    reading->assembly->slots += reading->agents;
    return 0;
}

/* ---- all of it ---- */

static int check_bytes(const struct part_reading *reading, uint64_t length,
                       const struct checkpoint_part_facts *facts) {
    char piece[PIECE_BYTES];
    struct sum sum = sum_of_nothing;
    if (length != facts->bytes) {
        return failure_set(reading->failure, FAILURE_BAD_SAVE, "parts",
                           "part %" PRIu32 ": %" PRIu64 " bytes; allowed: %" PRIu64
                           ", as its checkpoint says",
                           reading->part->number, length, facts->bytes);
    }
    for (uint64_t at = 0; at < length; at += sizeof piece) {
        const uint64_t left = length - at;
        const size_t size = left < sizeof piece ? (size_t)left : sizeof piece;
        if (reading->parts->read(reading->parts->context, at, piece, size, reading->failure) != 0) {
            return -1;
        }
        add_to_sum(&sum, piece, size);
    }
    return end_sum(&sum) == facts->sum ? 0
                                       : failure_set(reading->failure, FAILURE_BAD_SAVE, "parts",
                                                     "part %" PRIu32 ": damaged: its sum is %016" PRIx64
                                                     "; allowed: %016" PRIx64 ", as its checkpoint says",
                                                     reading->part->number, end_sum(&sum), facts->sum);
}

static int read_line(struct part_reading *reading, uint64_t length, cJSON **line, uint64_t *end) {
    char text[LINE_MOST];
    const size_t size = length < sizeof text ? (size_t)length : sizeof text;
    const struct json_limits limits = json_limits_line();
    struct json_fault fault;
    if (reading->parts->read(reading->parts->context, 0, text, size, reading->failure) != 0) {
        return -1;
    }
    const char *newline = size == 0 ? NULL : memchr(text, '\n', size);
    if (newline == NULL) {
        return refuse(reading, "", "no part; allowed: a line and blocks of agents of this world");
    }
    const size_t line_length = (size_t)(newline - text);
    if (json_check(text, line_length, &limits, &fault) != JSON_FINE) {
        return refuse(reading, "", fault.message);
    }
    *end = line_length + 1;
    *line = cJSON_ParseWithLength(text, line_length);
    return *line != NULL ? 0 : run_out(reading);
}

int checkpoint_part_read(struct world *world, const struct checkpoint_parts *parts,
                         const struct checkpoint_part *part, const struct checkpoint_part_facts *facts,
                         struct checkpoint_assembly *assembly, struct failure *failure) {
    struct part_reading reading = {
        .world = world, .parts = parts, .part = part, .assembly = assembly, .failure = failure};
    uint64_t length = 0, end = 0;
    cJSON *line = NULL;
    if (parts->open(parts->context, part->number, &length, failure) != 0 ||
        check_bytes(&reading, length, facts) != 0) {
        return -1;
    }
    if (facts->agents > (uint64_t)assembly->agents) {
        return refuse(&reading, "", "no part; allowed: a line and blocks of agents of this world");
    }
    reading.agents = (int32_t)facts->agents;
    const int result = read_line(&reading, length, &line, &end) == 0 && check_line(&reading, line) == 0 &&
                               find_blocks(&reading, line, end, length) == 0 && read_blocks(&reading) == 0
                           ? 0
                           : -1;
    cJSON_Delete(line);
    return result;
}
