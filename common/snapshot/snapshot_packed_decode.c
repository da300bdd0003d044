/* See snapshot_packed.h.
 *
 * Invariants: with has_key, `base` holds a whole key: its columns have base->count entries that passed their
 * checks, fields that were not sent are zero, and base->fields says which were.
 */
#include "common/snapshot/snapshot_packed.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/json/json_text.h"
#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot_internal.h"
#include "common/text/base64.h"

enum { HEADINGS = 36000 };

/* The members of both lines. Columns first: what a delta has of them is 16-bit differences. */
enum member {
    MEMBER_X,
    MEMBER_Y,
    MEMBER_VX,
    MEMBER_VY,
    MEMBER_HEADING,
    MEMBER_STAMINA,
    MEMBER_X_FAR,
    MEMBER_Y_FAR,
    MEMBER_VX_FAR,
    MEMBER_VY_FAR,
    MEMBER_HEADING_FAR,
    MEMBER_STAMINA_FAR,
    MEMBER_STATE,
    MEMBER_STATE_FAR,
    MEMBER_ID,
    MEMBER_KIND,
    MEMBER_KINDS,
    MEMBER_STATES,
    MEMBER_DESIRED,
    MEMBER_STEERING,
    MEMBER_OP,
    MEMBER_TICK,
    MEMBER_TIME,
    MEMBER_KEY,
    MEMBER_N,
    MEMBER_TARGETS,
    MEMBER_CLOCK,
    MEMBER_SPEED,
    MEMBER_FROM,
    MEMBER_GONE,
    MEMBER_ONE_IN,
    MEMBER_OF,
    MEMBER_TWIN,
    MEMBER_COUNT,
    COLUMNS = MEMBER_X_FAR
};

static const char *const member_names[MEMBER_COUNT] = {
    "x",       "y",           "vx",          "vy",     "heading",   "stamina", "x_far", "y_far",   "vx_far",
    "vy_far",  "heading_far", "stamina_far", "state",  "state_far", "id",      "kind",  "kinds",   "states",
    "desired", "steering",    "op",          "tick",   "time",      "key",     "n",     "targets", "clock",
    "speed",   "from",        "gone",        "one_in", "of",        "twin"};

static const unsigned column_fields[COLUMNS] = {SNAPSHOT_POS, SNAPSHOT_POS,     SNAPSHOT_VEL,
                                                SNAPSHOT_VEL, SNAPSHOT_HEADING, SNAPSHOT_STAMINA};

struct packed_decoder {
    struct snapshot *base; /* tick, clock and targets are unused */
    struct snapshot *came,
        *next; /* of a change: its agents, and the key that it makes; NULL until one comes */
    bool has_key;
    uint64_t number;
    void *scratch; /* a decoded column */
    size_t scratch_bytes;
    struct json_lift lift; /* the line at hand without its columns */
};

struct packed_decoder *packed_decoder_create(void) {
    struct packed_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) {
        return NULL;
    }
    decoder->base = snapshot_create();
    if (decoder->base == NULL) {
        free(decoder);
        return NULL;
    }
    json_lift_init(&decoder->lift);
    return decoder;
}

void packed_decoder_destroy(struct packed_decoder *decoder) {
    if (decoder != NULL) {
        snapshot_destroy(decoder->base);
        snapshot_destroy(decoder->came);
        snapshot_destroy(decoder->next);
        free(decoder->scratch);
        json_lift_fini(&decoder->lift);
        free(decoder);
    }
}

void packed_decoder_reset(struct packed_decoder *decoder) {
    decoder->has_key = false;
}

/* ---- members ---- */

struct line {
    const cJSON *members[MEMBER_COUNT]; /* NULL: not there */
    const struct json_lift *lift;       /* the texts of the columns */
    const char *what;                   /* "key", "delta" */
    struct failure *failure;
};

static int refuse(const struct line *line, enum member member, const char *message) {
    return failure_set(line->failure, FAILURE_INVALID, member_names[member], "%s: %s", line->what, message);
}

static int refuse_memory(const struct line *line) {
    return failure_set(line->failure, FAILURE_BUSY, NULL, "%s: out of memory", line->what);
}

static int find_members(const cJSON *json, struct line *line) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        for (int m = 0; m < MEMBER_COUNT; m++) {
            if (strcmp(item->string, member_names[m]) != 0) {
                continue;
            }
            if (line->members[m] != NULL) {
                return refuse(line, (enum member)m, "duplicate member");
            }
            line->members[m] = item;
            break;
        }
    }
    return 0;
}

static int read_number(const struct line *line, enum member member, double least, double most, double *out) {
    return snapshot_read_integer(line->members[member], least, most, out)
               ? 0
               : refuse(line, member, "missing, or not an integer in its range");
}

/* ---- columns ---- */

static void *scratch_of(struct packed_decoder *decoder, size_t bytes) {
    if (bytes > decoder->scratch_bytes) {
        void *larger = realloc(decoder->scratch, bytes);
        if (larger == NULL) {
            return NULL;
        }
        decoder->scratch = larger;
        decoder->scratch_bytes = bytes;
    }
    return decoder->scratch;
}

/* Exactly `count` integers of `width` bytes into out. */
/* The text of a column; NULL with the failure. */
static const char *column_text(const struct line *line, enum member member, size_t bytes, size_t *length) {
    const cJSON *value = line->members[member];
    if (value == NULL || !cJSON_IsString(value)) {
        (void)refuse(line, member, "missing, or not a string");
        return NULL;
    }
    const char *text = json_lift_text(line->lift, value->valuestring, length);
    if (*length != base64_length(bytes)) {
        (void)refuse(line, member, "the column has another length than n says");
        return NULL;
    }
    return text;
}

static int read_column(const struct line *line, enum member member, void *out, size_t count, size_t width) {
    size_t length = 0;
    const char *text = column_text(line, member, count * width, &length);
    if (text == NULL) {
        return -1;
    }
    return base64_decode_integers(text, length, out, count, width) ? 0 : refuse(line, member, "not base64");
}

/* Into the scratch memory; NULL with the failure. */
static void *read_scratch(struct packed_decoder *decoder, const struct line *line, enum member member,
                          size_t count, size_t width) {
    void *out = scratch_of(decoder, count * width + 1);
    if (out == NULL) {
        (void)refuse_memory(line);
        return NULL;
    }
    return read_column(line, member, out, count, width) == 0 ? out : NULL;
}

static int32_t *column_of(struct snapshot *snapshot, enum member member) {
    switch (member) {
    case MEMBER_X:
        return snapshot->x;
    case MEMBER_Y:
        return snapshot->y;
    case MEMBER_VX:
        return snapshot->vx;
    case MEMBER_VY:
        return snapshot->vy;
    case MEMBER_HEADING:
        return snapshot->heading;
    default:
        return snapshot->stamina;
    }
}

/* ---- keys ---- */

static int read_names(const struct line *line, enum member member, int most, struct name_table *names) {
    const cJSON *list = line->members[member];
    names->count = 0;
    if (!cJSON_IsArray(list)) {
        return refuse(line, member, "missing, or not an array");
    }
    const cJSON *name = NULL;
    cJSON_ArrayForEach(name, list) {
        const size_t length = cJSON_IsString(name) ? strlen(name->valuestring) : 0;
        const int place = names->count;
        if (place == most || !name_is_valid(length == 0 ? "" : name->valuestring, length) ||
            name_table_intern(names, name->valuestring, length) != place) {
            return refuse(line, member, "too many names, or an invalid or duplicate one");
        }
    }
    return 0;
}

static int read_ids(const struct line *line, struct snapshot *base) {
    if (read_column(line, MEMBER_ID, base->id, (size_t)base->count, sizeof *base->id) != 0) {
        return -1;
    }
    for (int32_t i = 0; i < base->count; i++) {
        if (base->id[i] <= (i == 0 ? 0 : base->id[i - 1])) {
            return refuse(line, MEMBER_ID, "not ascending from 1");
        }
    }
    return 0;
}

static int read_kinds(struct packed_decoder *decoder, const struct line *line, struct snapshot *base) {
    if (line->members[MEMBER_KIND] == NULL) {
        base->kind_names.count = 0;
        memset(base->kind, 0, (size_t)base->capacity * sizeof *base->kind);
        return 0;
    }
    const uint8_t *kinds = read_scratch(decoder, line, MEMBER_KIND, (size_t)base->count, sizeof *kinds);
    if (kinds == NULL || read_names(line, MEMBER_KINDS, LIMIT_KINDS, &base->kind_names) != 0) {
        return -1;
    }
    for (int32_t i = 0; i < base->count; i++) {
        if (kinds[i] >= base->kind_names.count) {
            return refuse(line, MEMBER_KIND, "an index beyond kinds");
        }
        base->kind[i] = kinds[i];
    }
    base->fields |= SNAPSHOT_KIND;
    return 0;
}

static int read_states(const struct line *line, struct snapshot *base) {
    if (line->members[MEMBER_STATE] == NULL) {
        base->state_names.count = 0;
        memset(base->state, 0, (size_t)base->capacity * sizeof *base->state);
        return 0;
    }
    if (read_column(line, MEMBER_STATE, base->state, (size_t)base->count, sizeof *base->state) != 0 ||
        read_names(line, MEMBER_STATES, NAME_TABLE_CAPACITY, &base->state_names) != 0) {
        return -1;
    }
    for (int32_t i = 0; i < base->count; i++) {
        if (base->state[i] >= base->state_names.count) {
            return refuse(line, MEMBER_STATE, "an index beyond states");
        }
    }
    base->fields |= SNAPSHOT_STATE;
    return 0;
}

static int read_headings(struct packed_decoder *decoder, const struct line *line, struct snapshot *base) {
    const uint16_t *headings =
        read_scratch(decoder, line, MEMBER_HEADING, (size_t)base->count, sizeof *headings);
    if (headings == NULL) {
        return -1;
    }
    for (int32_t i = 0; i < base->count; i++) {
        if (headings[i] >= HEADINGS) {
            return refuse(line, MEMBER_HEADING, "an angle of 360 degrees or more");
        }
        base->heading[i] = headings[i];
    }
    return 0;
}

static int read_key_columns(struct packed_decoder *decoder, const struct line *line, struct snapshot *base) {
    for (int c = 0; c < COLUMNS; c++) {
        int32_t *column = column_of(base, (enum member)c);
        int result = 0;
        if (line->members[c] == NULL) {
            memset(column, 0, (size_t)base->capacity * sizeof *column);
            continue;
        }
        if (c == MEMBER_HEADING) {
            result = read_headings(decoder, line, base);
        } else {
            result = read_column(line, (enum member)c, column, (size_t)base->count, sizeof *column);
        }
        if (result != 0) {
            return -1;
        }
        base->fields |= column_fields[c];
    }
    if ((line->members[MEMBER_X] == NULL) != (line->members[MEMBER_Y] == NULL)) {
        return refuse(line, MEMBER_Y, "x and y go together");
    }
    if ((line->members[MEMBER_VX] == NULL) != (line->members[MEMBER_VY] == NULL)) {
        return refuse(line, MEMBER_VY, "vx and vy go together");
    }
    return 0;
}

/* The agents of the line. */
static int read_agents(struct packed_decoder *decoder, const struct line *line, struct snapshot *base) {
    double count = 0.0;
    size_t length = 0;
    if (read_number(line, MEMBER_N, 0.0, LIMIT_AGENTS, &count) != 0) {
        return -1;
    }
    /* Memory is taken for as many agents as the line has, not for as many as it says. */
    if (column_text(line, MEMBER_ID, (size_t)count * sizeof *base->id, &length) == NULL) {
        return -1;
    }
    if (snapshot_reserve(base, (int32_t)count, 0, false) != 0) {
        return refuse_memory(line);
    }
    base->count = (int32_t)count;
    base->fields = 0;
    return read_ids(line, base) != 0 || read_kinds(decoder, line, base) != 0 ||
                   read_states(line, base) != 0 || read_key_columns(decoder, line, base) != 0
               ? -1
               : 0;
}

static bool are_same_names(const struct name_table *a, const struct name_table *b) {
    bool is_same = a->count == b->count;
    for (int i = 0; is_same && i < a->count; i++) {
        is_same = strcmp(a->names[i], b->names[i]) == 0;
    }
    return is_same;
}

/* decoder->next: the key's agents but those at the indices `gone`, and those that came, in order of id. */
static int merge(struct packed_decoder *decoder, const struct line *line, const int32_t *gone, int32_t left) {
    const struct snapshot *base = decoder->base, *came = decoder->came;
    struct snapshot *next = decoder->next;
    int32_t index = 0, row = 0;
    if (snapshot_reserve(next, base->count + came->count, 0, false) != 0) {
        return refuse_memory(line);
    }
    for (next->count = 0; index < base->count || row < came->count;) {
        if (left > 0 && index < base->count && *gone == index) {
            gone++;
            left--;
            index++;
            continue;
        }
        const bool is_new = index == base->count || (row < came->count && came->id[row] <= base->id[index]);
        const struct snapshot *from = is_new ? came : base;
        const int32_t at = is_new ? row++ : index++, to = next->count++;
        if (is_new && index < base->count && came->id[at] == base->id[index]) {
            return refuse(line, MEMBER_ID, "an agent that the key has");
        }
#define TAKE(type, column) next->column[to] = from->column[at];
        SNAPSHOT_COLUMNS(TAKE)
#undef TAKE
    }
    return left > 0 ? refuse(line, MEMBER_GONE, "not ascending indices of the key") : 0;
}

/* A key that is sent as a change of the one that came last. */
static int read_change(struct packed_decoder *decoder, const struct line *line, bool had_key) {
    double before = 0.0;
    size_t length = 0, bytes = 0;
    const int32_t *gone = NULL;
    if (read_number(line, MEMBER_FROM, 1.0, LIMIT_ID_INTEGER, &before) != 0) {
        return -1;
    }
    if (!had_key || (uint64_t)before != decoder->number) {
        return refuse(line, MEMBER_FROM, "not the key that came last");
    }
    decoder->came = decoder->came == NULL ? snapshot_create() : decoder->came;
    decoder->next = decoder->next == NULL ? snapshot_create() : decoder->next;
    if (decoder->came == NULL || decoder->next == NULL) {
        return refuse_memory(line);
    }
    if (read_agents(decoder, line, decoder->came) != 0) {
        return -1;
    }
    struct snapshot *base = decoder->base, *next = decoder->next;
    if (decoder->came->fields != base->fields ||
        !are_same_names(&decoder->came->kind_names, &base->kind_names) ||
        !are_same_names(&decoder->came->state_names, &base->state_names)) {
        return refuse(line, MEMBER_FROM, "other columns or names than those of that key");
    }
    const cJSON *value = line->members[MEMBER_GONE];
    if (value != NULL) {
        const char *text =
            cJSON_IsString(value) ? json_lift_text(line->lift, value->valuestring, &length) : NULL;
        if (text == NULL || !base64_decoded_length(text, length, &bytes) || bytes % sizeof *gone != 0) {
            return refuse(line, MEMBER_GONE, "not indices in base64");
        }
        gone = read_scratch(decoder, line, MEMBER_GONE, bytes / sizeof *gone, sizeof *gone);
        if (gone == NULL) {
            return -1;
        }
    }
    if (merge(decoder, line, gone, (int32_t)(bytes / sizeof *gone)) != 0) {
        return -1;
    }
    next->fields = base->fields;
    next->kind_names = base->kind_names;
    next->state_names = base->state_names;
    decoder->base = next;
    decoder->next = base;
    return 0;
}

static int read_key(struct packed_decoder *decoder, const struct line *line, bool had_key) {
    double number = 0.0;
    if (read_number(line, MEMBER_KEY, 1.0, LIMIT_ID_INTEGER, &number) != 0 ||
        (line->members[MEMBER_FROM] == NULL ? read_agents(decoder, line, decoder->base)
                                            : read_change(decoder, line, had_key)) != 0) {
        return -1;
    }
    decoder->number = (uint64_t)number;
    decoder->has_key = true;
    return 0;
}

/* ---- deltas ---- */

static void add(const int32_t *restrict base, const int16_t *restrict differences, int32_t count,
                int32_t *restrict out) {
    for (int32_t i = 0; i < count; i++) {
        out[i] = (int32_t)((uint32_t)base[i] + (uint32_t)(int32_t)differences[i]);
    }
}

/* base is 0 to 35999 and the difference has 16 bits, so one turn back or forth is enough. */
static void add_turn(const int32_t *restrict base, const int16_t *restrict differences, int32_t count,
                     int32_t *restrict out) {
    for (int32_t i = 0; i < count; i++) {
        int32_t heading = base[i] + differences[i];
        heading += heading < 0 ? HEADINGS : 0;
        heading -= heading >= HEADINGS ? HEADINGS : 0;
        out[i] = heading;
    }
}

/* Index and value, each 32 bits, as often as the text says. NULL with the failure. */
static const int32_t *read_pairs(struct packed_decoder *decoder, const struct line *line, enum member member,
                                 size_t *count) {
    const cJSON *value = line->members[member];
    size_t length = 0, bytes = 0;
    const char *text = value != NULL && cJSON_IsString(value)
                           ? json_lift_text(line->lift, value->valuestring, &length)
                           : NULL;
    if (text == NULL || !base64_decoded_length(text, length, &bytes) || bytes % 8 != 0) {
        (void)refuse(line, member, "not pairs of an index and a value in base64");
        return NULL;
    }
    *count = bytes / 8;
    return read_scratch(decoder, line, member, 2 * *count, sizeof(int32_t));
}

static int read_far(struct packed_decoder *decoder, const struct line *line, enum member member,
                    int32_t agents, int32_t *column) {
    size_t count = 0;
    if (line->members[member] == NULL) {
        return 0;
    }
    const int32_t *pairs = read_pairs(decoder, line, member, &count);
    if (pairs == NULL) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        const int32_t index = pairs[2 * i];
        const int32_t value = pairs[2 * i + 1];
        if (index < 0 || index >= agents) {
            return refuse(line, member, "an index beyond n");
        }
        if (member == MEMBER_HEADING_FAR && (value < 0 || value >= HEADINGS)) {
            return refuse(line, member, "an angle of 360 degrees or more");
        }
        column[index] = value;
    }
    return 0;
}

static int read_delta_column(struct packed_decoder *decoder, const struct line *line, enum member member,
                             struct snapshot *out) {
    const int32_t count = out->count;
    const int32_t *base = column_of(decoder->base, member);
    int32_t *column = column_of(out, member);
    const enum member far = (enum member)(member + COLUMNS);
    const bool is_given = line->members[member] != NULL || line->members[far] != NULL;
    if (is_given && !(decoder->base->fields & column_fields[member])) {
        return refuse(line, member, "a column that the key has not");
    }
    if (line->members[member] == NULL) {
        memcpy(column, base, (size_t)count * sizeof *column);
    } else {
        const int16_t *differences = read_scratch(decoder, line, member, (size_t)count, sizeof *differences);
        if (differences == NULL) {
            return -1;
        }
        if (member != MEMBER_HEADING) {
            add(base, differences, count, column);
        } else {
            add_turn(base, differences, count, column);
        }
    }
    return read_far(decoder, line, far, count, column);
}

/* map[i] = the index in `to` of name i; false when `to` is full. *is_same: every name has its old index. */
static bool map_names(const struct name_table *from, struct name_table *to, uint16_t *map, bool *is_same) {
    *is_same = true;
    for (int i = 0; i < from->count; i++) {
        const int index = name_table_intern(to, from->names[i], strlen(from->names[i]));
        if (index < 0) {
            return false;
        }
        map[i] = (uint16_t)index;
        *is_same = *is_same && index == i;
    }
    return true;
}

static void map_column(const uint16_t *restrict from, int32_t count, const uint16_t *restrict map,
                       bool is_same, uint16_t *restrict to) {
    if (is_same) {
        memcpy(to, from, (size_t)count * sizeof *to);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        to[i] = map[from[i]];
    }
}

static int read_changed_states(struct packed_decoder *decoder, const struct line *line, const uint16_t *map,
                               struct snapshot *out) {
    size_t count = 0;
    if (line->members[MEMBER_STATE_FAR] == NULL) {
        return 0;
    }
    const int32_t *pairs = read_pairs(decoder, line, MEMBER_STATE_FAR, &count);
    if (pairs == NULL) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        const int32_t index = pairs[2 * i];
        const int32_t state = pairs[2 * i + 1];
        if (index < 0 || index >= out->count || state < 0 || state >= decoder->base->state_names.count) {
            return refuse(line, MEMBER_STATE_FAR, "an index beyond n or beyond states");
        }
        out->state[index] = map[state];
    }
    return 0;
}

static int read_kind_and_state(struct packed_decoder *decoder, const struct line *line,
                               struct snapshot *out) {
    const struct snapshot *base = decoder->base;
    uint16_t map[NAME_TABLE_CAPACITY] = {0};
    bool is_same = true;
    if (!map_names(&base->kind_names, &out->kind_names, map, &is_same)) {
        return refuse(line, MEMBER_KINDS, "too many names");
    }
    map_column(base->kind, base->count, map, is_same, out->kind);
    map[0] = 0;
    if (!map_names(&base->state_names, &out->state_names, map, &is_same)) {
        return refuse(line, MEMBER_STATES, "too many names");
    }
    map_column(base->state, base->count, map, is_same, out->state);
    return read_changed_states(decoder, line, map, out);
}

static int read_forces(const struct line *line, struct snapshot *out) {
    const size_t numbers = (size_t)out->count * 2, width = sizeof out->desired->x;
    if (!out->has_forces) {
        return 0;
    }
    const struct {
        enum member member;
        unsigned field;
        struct snapshot_vector *column;
    } columns[] = {{MEMBER_DESIRED, SNAPSHOT_DESIRED, out->desired},
                   {MEMBER_STEERING, SNAPSHOT_FORCE, out->steering}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        memset(columns[i].column, 0, (size_t)out->capacity * sizeof *out->desired);
        if (line->members[columns[i].member] == NULL) {
            continue;
        }
        if (read_column(line, columns[i].member, columns[i].column, numbers, width) != 0) {
            return -1;
        }
        out->fields |= columns[i].field;
    }
    memset(out->share_begin, 0, ((size_t)out->count + 1) * sizeof *out->share_begin);
    return 0;
}

static int read_twins(const struct line *line, struct snapshot *out) {
    if (line->members[MEMBER_TWIN] == NULL) {
        return 0;
    }
    if (snapshot_reserve_twins(out) != 0) {
        return refuse_memory(line);
    }
    out->fields |= SNAPSHOT_TWIN;
    return read_column(line, MEMBER_TWIN, out->twins, (size_t)out->count * 2, sizeof out->twins->x);
}

static int read_delta_head(const struct packed_decoder *decoder, const struct line *line,
                           struct snapshot *out) {
    double tick = 0.0, number = 0.0, count = 0.0;
    if (!decoder->has_key) {
        return refuse(line, MEMBER_KEY, "no key came before");
    }
    if (read_number(line, MEMBER_TICK, 0.0, LIMIT_ID_INTEGER, &tick) != 0 ||
        read_number(line, MEMBER_KEY, 1.0, LIMIT_ID_INTEGER, &number) != 0 ||
        read_number(line, MEMBER_N, 0.0, LIMIT_AGENTS, &count) != 0) {
        return -1;
    }
    if ((uint64_t)number != decoder->number) {
        return refuse(line, MEMBER_KEY, "not the key that came last");
    }
    if ((int32_t)count != decoder->base->count) {
        return refuse(line, MEMBER_N, "not the key's");
    }
    out->tick = (uint64_t)tick;
    if (!snapshot_read_time(line->members[MEMBER_TIME], &out->time_s)) {
        return refuse(line, MEMBER_TIME, "missing, or not a number from 0");
    }
    if (!snapshot_read_time(line->members[MEMBER_CLOCK], &out->clock_ms)) {
        return refuse(line, MEMBER_CLOCK, "missing, or not a number from 0");
    }
    if (!snapshot_read_speed(line->members[MEMBER_SPEED], &out->has_speed, &out->speed)) {
        return refuse(line, MEMBER_SPEED, "not a number from 0 to 1000");
    }
    if (!snapshot_read_sample(line->members[MEMBER_ONE_IN], line->members[MEMBER_OF], out)) {
        return refuse(line, MEMBER_ONE_IN, "not with \"of\", or not integers");
    }
    return 0;
}

static int read_delta(struct packed_decoder *decoder, const struct line *line, struct snapshot *out) {
    if (read_delta_head(decoder, line, out) != 0) {
        return -1;
    }
    const struct snapshot *base = decoder->base;
    out->has_forces = line->members[MEMBER_DESIRED] != NULL || line->members[MEMBER_STEERING] != NULL;
    if (snapshot_reserve(out, base->count, 0, out->has_forces) != 0) {
        return refuse_memory(line);
    }
    out->count = base->count;
    out->share_count = 0;
    out->fields = base->fields;
    memcpy(out->id, base->id, (size_t)base->count * sizeof *base->id);
    for (int c = 0; c < COLUMNS; c++) {
        if (read_delta_column(decoder, line, (enum member)c, out) != 0) {
            return -1;
        }
    }
    if (read_kind_and_state(decoder, line, out) != 0 || read_forces(line, out) != 0 ||
        read_twins(line, out) != 0) {
        return -1;
    }
    return snapshot_read_targets(line->members[MEMBER_TARGETS], out, line->failure);
}

/* ---- lines ---- */

static bool begins(const char *line, size_t length, const char *with) {
    const size_t wanted = strlen(with);
    return length >= wanted && memcmp(line, with, wanted) == 0;
}

enum frame_result packed_decode(struct packed_decoder *decoder, const char *line, size_t length,
                                struct snapshot *snapshot, struct failure *failure) {
    const bool is_key = begins(line, length, "{\"op\":\"key\"");
    if (!is_key && !begins(line, length, "{\"op\":\"delta\"")) {
        (void)failure_set(failure, FAILURE_INVALID, "op", "packed: neither a key nor a delta");
        return FRAME_REFUSED;
    }
    const bool had_key = decoder->has_key;
    decoder->has_key = had_key && !is_key;
    if (json_lift_read(&decoder->lift, line, length) != 0) {
        (void)failure_set(failure, FAILURE_INVALID, NULL, "a string that begins with #, or out of memory");
        return FRAME_REFUSED;
    }
    cJSON *json = snapshot_parse(decoder->lift.line.data, decoder->lift.line.length, failure);
    if (json == NULL) {
        return FRAME_REFUSED;
    }
    struct line members = {.lift = &decoder->lift, .what = is_key ? "key" : "delta", .failure = failure};
    int result = find_members(json, &members);
    if (result == 0) {
        result = is_key ? read_key(decoder, &members, had_key) : read_delta(decoder, &members, snapshot);
    }
    cJSON_Delete(json);
    if (result != 0) {
        snapshot->count = is_key ? snapshot->count : 0;
        snapshot->target_count = is_key ? snapshot->target_count : 0;
        return FRAME_REFUSED;
    }
    return is_key ? FRAME_KEY : FRAME_READY;
}

/* ---- the row ---- */

static size_t in_base64(size_t bytes) {
    return (bytes * 4 + 2) / 3;
}

/* What a field takes of an agent before base64. */
static const struct {
    unsigned field, key, delta;
} field_bytes[] = {
    {SNAPSHOT_POS, 8, 4},   {SNAPSHOT_VEL, 8, 4},     {SNAPSHOT_HEADING, 2, 2},
    {SNAPSHOT_STATE, 2, 0}, {SNAPSHOT_KIND, 1, 0},    {SNAPSHOT_STAMINA, 4, 2},
    {SNAPSHOT_FORCE, 0, 8}, {SNAPSHOT_DESIRED, 0, 8}, {SNAPSHOT_TWIN, 0, 8},
};

static size_t delta_bytes(unsigned fields) {
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof field_bytes / sizeof field_bytes[0]; i++) {
        bytes += fields & field_bytes[i].field ? field_bytes[i].delta : 0u;
    }
    return in_base64(bytes);
}

static size_t key_bytes(unsigned fields) {
    size_t bytes = 4; /* the id */
    for (size_t i = 0; i < sizeof field_bytes / sizeof field_bytes[0]; i++) {
        bytes += fields & field_bytes[i].field ? field_bytes[i].key : 0u;
    }
    return in_base64(bytes);
}

static enum frame_result decode_frame(const struct frame_reader *reader, const char *line, size_t length,
                                      struct failure *failure) {
    return packed_decode(reader->key, line, length, reader->snapshot, failure);
}

static bool encode_delta(struct packed_encoder *encoder, const struct snapshot *snapshot,
                         struct buffer *out) {
    return packed_encode_delta(encoder, snapshot, out) == PACKED_OK;
}

static const struct frame_key_codec key_codec = {
    .encode_key = packed_encode_key,
    .encode_key_again = packed_encode_key_again,
    .encode_change = packed_encode_change,
    .encode_delta = encode_delta,
    .agent_bytes = key_bytes,
};

const struct frame_layout frame_layout_packed = {
    .ops = {"key", "delta"},
    .fields = SNAPSHOT_USUAL | SNAPSHOT_STAMINA | SNAPSHOT_FORCE | SNAPSHOT_DESIRED | SNAPSHOT_TWIN,
    .agent_bytes = delta_bytes,
    .key = &key_codec,
    .decode = decode_frame,
};
