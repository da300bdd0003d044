/* See snapshot_packed.h. A line is written column by column, each in blocks that stay in the first cache.
 *
 * Invariants: `base` has the agents of the key in ascending order of id; a column that would hold nothing but
 * zeros is left out; a block has a multiple of three bytes, so that base64 needs no padding between blocks.
 */
#include "common/snapshot/snapshot_packed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/snapshot/snapshot_internal.h"
#include "common/text/base64.h"

enum { BLOCK = 1536, STRETCH = 64, FAR_SHARE = 10, FULL_TURN = 36000, NAME_EXTRA = 6 };

int packed_encoder_init(struct packed_encoder *encoder, unsigned fields) {
    *encoder = (struct packed_encoder){.fields = fields & ~(unsigned)SNAPSHOT_SHARES};
    encoder->base = snapshot_create();
    return encoder->base == NULL ? -1 : 0;
}

void packed_encoder_fini(struct packed_encoder *encoder) {
    snapshot_destroy(encoder->base);
    snapshot_destroy(encoder->spare);
    free(encoder->pairs);
    *encoder = (struct packed_encoder){.fields = encoder->fields};
}

void packed_encoder_reset(struct packed_encoder *encoder) {
    packed_encoder_fini(encoder);
}

static size_t bytes_of(const struct snapshot *held) {
    return held == NULL ? 0 : snapshot_bytes(held->capacity, held->share_capacity, held->share_begin != NULL);
}

size_t packed_encoder_bytes(const struct packed_encoder *encoder) {
    const size_t pairs = (size_t)encoder->pair_capacity * 2 * sizeof *encoder->pairs;
    return pairs + bytes_of(encoder->base) + bytes_of(encoder->spare);
}

bool packed_key_serves(const struct packed_encoder *encoder, const struct snapshot *snapshot) {
    const struct snapshot *base = encoder->base;
    if (encoder->number == 0 || base->epoch != snapshot->epoch || base->count != snapshot->count ||
        snapshot->clock_ms - base->clock_ms >= PACKED_KEY_MS) {
        return false;
    }
    return base->count == 0 || memcmp(base->id, snapshot->id, (size_t)base->count * sizeof *base->id) == 0;
}

/* ---- columns ---- */

/* ,"name":" and room for the text of so many bytes and the quote; NULL when out of memory. */
static char *begin_column(struct buffer *out, const char *name, size_t bytes) {
    const size_t length = strlen(name);
    char *text = buffer_reserve(out, length + NAME_EXTRA + base64_length(bytes));
    if (text == NULL) {
        return NULL;
    }
    memcpy(text, ",\"", 2);
    memcpy(text + 2, name, length);
    memcpy(text + 2 + length, "\":\"", 3);
    return text + length + 5;
}

static void end_column(struct buffer *out, char *text) {
    *text++ = '"';
    buffer_commit(out, (size_t)(text - (out->data + out->length)));
}

/* count integers of width bytes each. */
static void put_column(struct buffer *out, const char *name, const void *values, size_t count, size_t width) {
    char *text = begin_column(out, name, count * width);
    if (text != NULL) {
        end_column(out, base64_encode_integers(values, count, width, text));
    }
}

/* As bytes; every value is below 256. */
static void put_column_u8(struct buffer *out, const char *name, const uint16_t *values, int32_t count) {
    char *text = begin_column(out, name, (size_t)count);
    for (int32_t begin = 0; text != NULL && begin < count; begin += BLOCK) {
        uint8_t block[BLOCK];
        const int32_t size = count - begin < BLOCK ? count - begin : BLOCK;
        for (int32_t i = 0; i < size; i++) {
            block[i] = (uint8_t)values[begin + i];
        }
        text = base64_encode(block, (size_t)size, text);
    }
    if (text != NULL) {
        end_column(out, text);
    }
}

/* As two bytes; every value is below 65536. */
static void put_column_u16(struct buffer *out, const char *name, const int32_t *values, int32_t count) {
    char *text = begin_column(out, name, (size_t)count * 2);
    for (int32_t begin = 0; text != NULL && begin < count; begin += BLOCK) {
        uint16_t block[BLOCK];
        const int32_t size = count - begin < BLOCK ? count - begin : BLOCK;
        for (int32_t i = 0; i < size; i++) {
            block[i] = (uint16_t)values[begin + i];
        }
        text = base64_encode_integers(block, (size_t)size, sizeof block[0], text);
    }
    if (text != NULL) {
        end_column(out, text);
    }
}

static void put_names(struct buffer *out, const char *key, const struct name_table *names) {
    buffer_printf(out, ",\"%s\":[", key);
    for (int i = 0; i < names->count; i++) {
        assert(name_is_valid(names->names[i], strlen(names->names[i]))); /* needs no escaping */
        buffer_printf(out, "%s\"%s\"", i == 0 ? "" : ",", names->names[i]);
    }
    buffer_append(out, "]", 1);
}

/* ---- keys ---- */

static void put_key_columns(const struct snapshot *base, unsigned fields, struct buffer *out) {
    const size_t count = (size_t)base->count;
    put_column(out, "id", base->id, count, sizeof *base->id);
    if (fields & SNAPSHOT_KIND) {
        put_column_u8(out, "kind", base->kind, base->count);
    }
    if (fields & SNAPSHOT_STATE) {
        put_column(out, "state", base->state, count, sizeof *base->state);
    }
    if (fields & SNAPSHOT_POS) {
        put_column(out, "x", base->x, count, sizeof *base->x);
        put_column(out, "y", base->y, count, sizeof *base->y);
    }
    if (fields & SNAPSHOT_VEL) {
        put_column(out, "vx", base->vx, count, sizeof *base->vx);
        put_column(out, "vy", base->vy, count, sizeof *base->vy);
    }
    if (fields & SNAPSHOT_HEADING) {
        put_column_u16(out, "heading", base->heading, base->count);
    }
    if (fields & SNAPSHOT_STAMINA) {
        put_column(out, "stamina", base->stamina, count, sizeof *base->stamina);
    }
}

static int reserve_pairs(struct packed_encoder *encoder, int32_t count) {
    const int32_t pairs = count / FAR_SHARE + 1;
    if (pairs > encoder->pair_capacity) {
        int32_t *larger = realloc(encoder->pairs, (size_t)pairs * 2 * sizeof *larger);
        if (larger == NULL) {
            return -1;
        }
        encoder->pairs = larger;
        encoder->pair_capacity = pairs;
    }
    return 0;
}

static int make_base(struct packed_encoder *encoder, const struct snapshot *snapshot) {
    if (encoder->base == NULL) {
        encoder->base = snapshot_create();
    }
    return encoder->base == NULL || reserve_pairs(encoder, snapshot->count) != 0
               ? -1
               : snapshot_copy(snapshot, encoder->base);
}

/* The line of these agents; before: the key that they change, 0: none. gone: how many of its indices, in encoder->pairs. */
static void put_key(const struct packed_encoder *encoder, const struct snapshot *agents, uint64_t number,
                    uint64_t before, int32_t gone, struct buffer *out) {
    buffer_printf(out, "{\"op\":\"key\",\"tick\":%llu,\"key\":%llu", (unsigned long long)agents->tick,
                  (unsigned long long)number);
    if (before != 0) {
        buffer_printf(out, ",\"from\":%llu", (unsigned long long)before);
    }
    buffer_printf(out, ",\"n\":%ld,\"scale\":100", (long)agents->count);
    if (encoder->fields & SNAPSHOT_KIND) {
        put_names(out, "kinds", &agents->kind_names);
    }
    if (encoder->fields & SNAPSHOT_STATE) {
        put_names(out, "states", &agents->state_names);
    }
    put_key_columns(agents, encoder->fields, out);
    if (gone > 0) {
        put_column(out, "gone", encoder->pairs, (size_t)gone, sizeof *encoder->pairs);
    }
    buffer_append_text(out, "}\n");
}

void packed_encode_key_again(const struct packed_encoder *encoder, struct buffer *out) {
    assert(encoder->number != 0);
    put_key(encoder, encoder->base, encoder->number, 0, 0, out);
}

void packed_encode_key(struct packed_encoder *encoder, const struct snapshot *snapshot, uint64_t number,
                       struct buffer *out) {
    assert(number != 0);
    encoder->number = 0;
    if (make_base(encoder, snapshot) != 0) {
        out->failed = true;
        return;
    }
    put_key(encoder, encoder->base, number, 0, 0, out);
    encoder->number = out->failed ? 0 : number;
}

/* Who is gone from the key (indices), and who came (rows of the snapshot): the halves of encoder->pairs. False when they
 * are too many. */
static bool find_changes(const struct packed_encoder *encoder, const struct snapshot *now, int32_t *gone,
                         int32_t *came) {
    const struct snapshot *base = encoder->base;
    const int32_t most = encoder->pair_capacity;
    int32_t row = 0, index = 0;
    *gone = *came = 0;
    while (row < now->count || index < base->count) {
        const bool is_gone = row == now->count || (index < base->count && base->id[index] < now->id[row]);
        if (!is_gone && index < base->count && base->id[index] == now->id[row]) {
            index++;
            row++;
        } else if (*(is_gone ? gone : came) == most) {
            return false;
        } else if (is_gone) {
            encoder->pairs[(*gone)++] = index++;
        } else {
            encoder->pairs[most + (*came)++] = row++;
        }
    }
    return true;
}

/* The snapshot's agents, of which those that the key has are as it has them. */
static int follow_base(struct packed_encoder *encoder, const struct snapshot *now) {
    const struct snapshot *base = encoder->base;
    if (encoder->spare == NULL) {
        encoder->spare = snapshot_create();
    }
    struct snapshot *next = encoder->spare;
    if (next == NULL || snapshot_copy(now, next) != 0) {
        return -1;
    }
    for (int32_t row = 0, index = 0; row < next->count; row++) {
        while (index < base->count && base->id[index] < next->id[row]) {
            index++;
        }
        if (index < base->count && base->id[index] == next->id[row]) {
#define AS_BASE(type, column) next->column[row] = base->column[index];
            SNAPSHOT_COLUMNS(AS_BASE)
#undef AS_BASE
        }
    }
    next->clock_ms = base->clock_ms; /* it is as old as what it changes */
    encoder->spare = encoder->base;
    encoder->base = next;
    return 0;
}

bool packed_encode_change(struct packed_encoder *encoder, const struct snapshot *snapshot, uint64_t number,
                          struct buffer *out) {
    const uint64_t before = encoder->number;
    int32_t gone = 0, came = 0;
    if (before == 0 || encoder->base->epoch != snapshot->epoch ||
        snapshot->clock_ms - encoder->base->clock_ms >= PACKED_KEY_MS ||
        !find_changes(encoder, snapshot, &gone, &came)) {
        return false;
    }
    encoder->number = 0;
    if (follow_base(encoder, snapshot) != 0 ||
        snapshot_select(encoder->base, encoder->pairs + encoder->pair_capacity, came, encoder->spare) != 0) {
        out->failed = true;
        return true;
    }
    put_key(encoder, encoder->spare, number, before, gone, out);
    out->failed = out->failed || reserve_pairs(encoder, snapshot->count) != 0;
    encoder->number = out->failed ? 0 : number;
    return true;
}

/* ---- deltas ---- */

struct tally {
    uint32_t any; /* 0 when no value differs */
    int32_t far;  /* how many differences do not fit */
};

/* The loops below are compiled twice, for any machine and for AVX2; the integers are the same. */
#if defined(__x86_64__)
#define FOR_AVX2 __attribute__((target("avx2")))
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define FOR_AVX2
#define HAS_AVX2 0
#endif
#define INLINED static inline __attribute__((always_inline))

INLINED void subtract_block(const int32_t *restrict now, const int32_t *restrict base, int32_t count,
                            int16_t *restrict out, struct tally *tally) {
    uint32_t any = 0, near = 0;
    for (int32_t i = 0; i < count; i++) {
        const uint32_t difference = (uint32_t)now[i] - (uint32_t)base[i];
        const uint32_t is_near = (uint32_t)(difference + 0x8000u < 0x10000u);
        any |= difference;
        near += is_near;
        out[i] = (int16_t)(uint16_t)(difference & (0u - is_near));
    }
    tally->any |= any;
    tally->far += count - (int32_t)near;
}

/* The short way round, -180.00 to 179.99 degrees; nothing is far. */
INLINED void turn_block(const int32_t *restrict now, const int32_t *restrict base, int32_t count,
                        int16_t *restrict out, struct tally *tally) {
    uint32_t any = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t difference = now[i] - base[i];
        difference += difference < -FULL_TURN / 2 ? FULL_TURN : 0;
        difference -= difference >= FULL_TURN / 2 ? FULL_TURN : 0;
        any |= (uint32_t)difference;
        out[i] = (int16_t)difference;
    }
    tally->any |= any;
}

FOR_AVX2 static void subtract_avx2(const int32_t *restrict now, const int32_t *restrict base, int32_t count,
                                   int16_t *restrict out, struct tally *tally) {
    subtract_block(now, base, count, out, tally);
}

FOR_AVX2 static void turn_avx2(const int32_t *restrict now, const int32_t *restrict base, int32_t count,
                               int16_t *restrict out, struct tally *tally) {
    turn_block(now, base, count, out, tally);
}

static void subtract(const int32_t *restrict now, const int32_t *restrict base, int32_t count,
                     int16_t *restrict out, struct tally *tally) {
    if (HAS_AVX2) {
        subtract_avx2(now, base, count, out, tally);
    } else {
        subtract_block(now, base, count, out, tally);
    }
}

static void turn(const int32_t *restrict now, const int32_t *restrict base, int32_t count,
                 int16_t *restrict out, struct tally *tally) {
    if (HAS_AVX2) {
        turn_avx2(now, base, count, out, tally);
    } else {
        turn_block(now, base, count, out, tally);
    }
}

static bool is_far(int32_t now, int32_t base) {
    const int64_t difference = (int64_t)now - base;
    return difference < INT16_MIN || difference > INT16_MAX;
}

static void put_pairs(struct packed_encoder *encoder, const char *name, int32_t count, struct buffer *out) {
    put_column(out, name, encoder->pairs, (size_t)count * 2, sizeof *encoder->pairs);
}

static bool are_too_many(const struct packed_encoder *encoder, int32_t far) {
    return (int64_t)far * FAR_SHARE > encoder->base->count;
}

static void put_far(struct packed_encoder *encoder, const char *name, const int32_t *now, const int32_t *base,
                    int32_t far, struct buffer *out) {
    int32_t found = 0;
    for (int32_t i = 0; found < far; i++) {
        if (is_far(now[i], base[i])) {
            assert(found < encoder->pair_capacity);
            encoder->pairs[2 * found] = i;
            encoder->pairs[2 * found + 1] = now[i];
            found++;
        }
    }
    put_pairs(encoder, name, found, out);
}

typedef void (*subtraction)(const int32_t *restrict now, const int32_t *restrict base, int32_t count,
                            int16_t *restrict out, struct tally *tally);

/* False when too many are far. far_name: NULL when nothing can be. */
static bool put_delta(struct packed_encoder *encoder, const char *name, const char *far_name,
                      subtraction difference, const int32_t *now, const int32_t *base, struct buffer *out) {
    const int32_t count = encoder->base->count;
    char *text = begin_column(out, name, (size_t)count * sizeof(int16_t));
    struct tally tally = {0};
    for (int32_t begin = 0; text != NULL && begin < count; begin += BLOCK) {
        int16_t block[BLOCK];
        const int32_t size = count - begin < BLOCK ? count - begin : BLOCK;
        difference(now + begin, base + begin, size, block, &tally);
        text = base64_encode_integers(block, (size_t)size, sizeof block[0], text);
    }
    if (text != NULL && tally.any != 0) { /* otherwise what was written is not committed */
        end_column(out, text);
    }
    if (are_too_many(encoder, tally.far)) {
        return false;
    }
    if (tally.far > 0 && far_name != NULL) {
        put_far(encoder, far_name, now, base, tally.far, out);
    }
    return true;
}

static bool put_states(struct packed_encoder *encoder, const uint16_t *now, struct buffer *out) {
    const struct snapshot *base = encoder->base;
    int32_t changed = 0;
    for (int32_t i = 0; i < base->count; i++) {
        if (i % STRETCH == 0 && i + STRETCH <= base->count &&
            memcmp(now + i, base->state + i, STRETCH * sizeof *now) == 0) {
            i += STRETCH - 1; /* most do not change */
            continue;
        }
        if (now[i] == base->state[i]) {
            continue;
        }
        if (are_too_many(encoder, changed + 1)) {
            return false;
        }
        encoder->pairs[2 * changed] = i;
        encoder->pairs[2 * changed + 1] = now[i];
        changed++;
    }
    if (changed > 0) {
        put_pairs(encoder, "state_far", changed, out);
    }
    return true;
}

static bool put_delta_columns(struct packed_encoder *encoder, const struct snapshot *now,
                              struct buffer *out) {
    const struct snapshot *base = encoder->base;
    const unsigned fields = encoder->fields;
    if (fields & SNAPSHOT_POS && (!put_delta(encoder, "x", "x_far", subtract, now->x, base->x, out) ||
                                  !put_delta(encoder, "y", "y_far", subtract, now->y, base->y, out))) {
        return false;
    }
    if (fields & SNAPSHOT_VEL && (!put_delta(encoder, "vx", "vx_far", subtract, now->vx, base->vx, out) ||
                                  !put_delta(encoder, "vy", "vy_far", subtract, now->vy, base->vy, out))) {
        return false;
    }
    if (fields & SNAPSHOT_HEADING &&
        !put_delta(encoder, "heading", NULL, turn, now->heading, base->heading, out)) {
        return false;
    }
    if (fields & SNAPSHOT_STAMINA &&
        !put_delta(encoder, "stamina", "stamina_far", subtract, now->stamina, base->stamina, out)) {
        return false;
    }
    return !(fields & SNAPSHOT_STATE) || put_states(encoder, now->state, out);
}

/* x, y, x, y ...; also of twins. */
static void put_forces(const struct snapshot *now, unsigned fields, struct buffer *out) {
    const size_t numbers = (size_t)now->count * 2, width = sizeof now->desired->x;
    if (fields & now->fields & SNAPSHOT_TWIN) {
        put_column(out, "twin", now->twins, numbers, width);
    }
    if (fields & SNAPSHOT_DESIRED && now->has_forces) {
        put_column(out, "desired", now->desired, numbers, width);
    }
    if (fields & SNAPSHOT_FORCE && now->has_forces) {
        put_column(out, "steering", now->steering, numbers, width);
    }
}

enum packed_result packed_encode_delta(struct packed_encoder *encoder, const struct snapshot *snapshot,
                                       struct buffer *out) {
    assert(encoder->number != 0 && encoder->base->count == snapshot->count);
    const size_t start = out->length;
    buffer_printf(out, "{\"op\":\"delta\",\"tick\":%llu,\"time\":", (unsigned long long)snapshot->tick);
    snapshot_append_fixed(out, snapshot->time_s, 6);
    buffer_printf(out, ",\"key\":%llu,\"n\":%ld", (unsigned long long)encoder->number, (long)snapshot->count);
    if (!put_delta_columns(encoder, snapshot, out)) {
        out->length = start;
        out->data[start] = '\0'; /* something was written: it is not NULL */
        return PACKED_TOO_FAR;
    }
    put_forces(snapshot, encoder->fields, out);
    snapshot_append_targets(snapshot, out);
    buffer_append_text(out, ",\"clock\":");
    snapshot_append_fixed(out, snapshot->clock_ms, 3);
    buffer_append_text(out, "}\n");
    return PACKED_OK;
}
