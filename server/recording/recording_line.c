/* See recording_line.h. */
#include "server/recording/recording_line.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/json/json_check.h"
#include "common/json/json_writer.h"
#include "common/text/names.h"
#include "server/sim/core.h"
#include "server/sim/world/world_image.h"

enum { BRACE_AND_NEWLINE = 2 };

static const char sum_key[] = ",\"sum\":\"";

/* ---- CRC-32, eight bytes at a time ---- */

#if !defined(DROVER_SUM_SLICES)
#define DROVER_SUM_SLICES 8 /* 1, a byte at a time: its table is an eighth, in what a page fetches */
#endif

/* The sum is linear: that of a byte is the sums of its bits, which are the rows below, without carry. */
#define BIT(byte, bit, sum) ((byte) >> (bit)&1u ? UINT32_C(sum) : 0u)
#define BYTE(byte, a, b, c, d, e, f, g, h)                                                                   \
    (BIT(byte, 0, a) ^ BIT(byte, 1, b) ^ BIT(byte, 2, c) ^ BIT(byte, 3, d) ^ BIT(byte, 4, e) ^               \
     BIT(byte, 5, f) ^ BIT(byte, 6, g) ^ BIT(byte, 7, h))
#define FOUR(byte, ...)                                                                                      \
    BYTE((byte), __VA_ARGS__), BYTE((byte) + 1u, __VA_ARGS__), BYTE((byte) + 2u, __VA_ARGS__),               \
        BYTE((byte) + 3u, __VA_ARGS__)
#define SIXTEEN(byte, ...)                                                                                   \
    FOUR((byte), __VA_ARGS__), FOUR((byte) + 4u, __VA_ARGS__), FOUR((byte) + 8u, __VA_ARGS__),               \
        FOUR((byte) + 12u, __VA_ARGS__)
#define SIXTY_FOUR(byte, ...)                                                                                \
    SIXTEEN((byte), __VA_ARGS__), SIXTEEN((byte) + 16u, __VA_ARGS__), SIXTEEN((byte) + 32u, __VA_ARGS__),    \
        SIXTEEN((byte) + 48u, __VA_ARGS__)
#define SLICE(...)                                                                                           \
    {                                                                                                        \
        SIXTY_FOUR(0u, __VA_ARGS__), SIXTY_FOUR(64u, __VA_ARGS__), SIXTY_FOUR(128u, __VA_ARGS__),            \
            SIXTY_FOUR(192u, __VA_ARGS__)                                                                    \
    }

/* slices[k][byte]: the sum of a byte that k bytes follow. */
static const uint32_t slices[DROVER_SUM_SLICES][256] = {
    SLICE(0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832, 0x1db71064, 0x3b6e20c8, 0x76dc4190, 0xedb88320),
#if DROVER_SUM_SLICES == 8
    SLICE(0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08, 0x4ac21251, 0x958424a2, 0xf0794f05, 0x3b83984b),
    SLICE(0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8, 0x1c26a370, 0x384d46e0, 0x709a8dc0, 0xe1351b80),
    SLICE(0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef, 0x5019579f, 0xa032af3e, 0x9b14583d, 0xed59b63b),
    SLICE(0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1, 0x60e09782, 0xc1c12f04, 0x58f35849, 0xb1e6b092),
    SLICE(0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d, 0x03d6029b, 0x07ac0536, 0x0f580a6c, 0x1eb014d8),
    SLICE(0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67, 0x67de9cce, 0xcfbd399c, 0x440b7579, 0x8816eaf2),
    SLICE(0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5, 0x7cbb312b, 0xf9766256, 0x299dc2ed, 0x533b85da)
#endif
};

uint32_t line_sum(uint32_t before, const char *bytes, size_t length) {
    const unsigned char *next = (const unsigned char *)bytes;
    uint32_t sum = ~before;
#if DROVER_SUM_SLICES == 8
    for (; length >= DROVER_SUM_SLICES; length -= DROVER_SUM_SLICES, next += DROVER_SUM_SLICES) {
        sum ^= (uint32_t)next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16 | (uint32_t)next[3] << 24;
        sum = slices[7][sum & 255u] ^ slices[6][sum >> 8 & 255u] ^ slices[5][sum >> 16 & 255u] ^
              slices[4][sum >> 24] ^ slices[3][next[4]] ^ slices[2][next[5]] ^ slices[1][next[6]] ^
              slices[0][next[7]];
    }
#endif
    for (; length > 0; length--, next++) {
        sum = sum >> 8 ^ slices[0][(sum ^ *next) & 255u];
    }
    return ~sum;
}

/* ---- lines ---- */

void line_sum_text(uint32_t sum, char out[LINE_SUM_BYTES]) {
    memcpy(out, sum_key, sizeof sum_key - 1);
    for (size_t i = 0; i < 8; i++) {
        out[sizeof sum_key - 1 + i] = "0123456789abcdef"[sum >> (28 - 4 * i) & 15u];
    }
    out[LINE_SUM_BYTES - 1] = '"';
}

size_t line_sum_find(const char *line, size_t length, uint32_t *sum) {
    char text[LINE_SUM_BYTES];
    if (length <= LINE_SUM_BYTES + 1 || line[length - 1] != '}') {
        return 0;
    }
    const char *stated = line + length - 1 - LINE_SUM_BYTES;
    uint32_t value = 0;
    for (size_t i = sizeof sum_key - 1; i < LINE_SUM_BYTES - 1; i++) {
        const char digit = stated[i];
        value = value << 4 | (uint32_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10) % 16u;
    }
    line_sum_text(value, text); /* one spelling alone is right */
    *sum = value;
    return memcmp(text, stated, LINE_SUM_BYTES) == 0 ? length - 1 - LINE_SUM_BYTES : 0;
}

void line_sum_seal(struct buffer *out, size_t begin, uint32_t *sum) {
    char text[LINE_SUM_BYTES];
    if (out->failed) {
        return;
    }
    assert(out->length >= begin + BRACE_AND_NEWLINE && out->data[out->length - BRACE_AND_NEWLINE] == '}');
    out->length -= BRACE_AND_NEWLINE;
    *sum = line_sum(*sum, out->data + begin, out->length - begin);
    line_sum_text(*sum, text);
    buffer_append(out, text, sizeof text);
    buffer_append(out, "}\n", BRACE_AND_NEWLINE);
}

void line_sum_append(struct buffer *out, const char *lines, size_t length, uint32_t *sum) {
    const char *end = lines + length, *newline = NULL;
    for (const char *line = lines; line < end; line = newline + 1) {
        uint32_t unused = 0;
        const size_t begin = out->length;
        newline = memchr(line, '\n', (size_t)(end - line));
        assert(newline != NULL && newline > line);
        const size_t plain = line_sum_find(line, (size_t)(newline - line), &unused);
        buffer_append(out, line, plain > 0 ? plain : (size_t)(newline - line) - 1);
        buffer_append(out, "}\n", BRACE_AND_NEWLINE);
        line_sum_seal(out, begin, sum);
    }
}

/* Whether a line has the member somewhere, though not as it is written. */
static bool has_key(const char *line, size_t length) {
    const size_t size = sizeof sum_key - 1;
    for (size_t i = 0; i + size <= length; i++) {
        if (line[i] == ',' && memcmp(line + i, sum_key, size) == 0) {
            return true;
        }
    }
    return false;
}

const char *line_sum_wrong(struct line_sum_check *check, const char *line, size_t length) {
    const uint32_t before = check->sum;
    uint32_t stated = 0;
    const size_t plain = line_sum_find(line, length, &stated);
    const bool is_first = check->lines++ == 0, had_sums = check->has_sums;
    check->has_sums = had_sums || plain > 0;
    check->sum = plain > 0 ? stated : before;
    if (!is_first && plain > 0 && !had_sums) {
        return "the first line of its file has lost its sum";
    }
    if (is_first && plain == 0 && has_key(line, length)) {
        check->has_sums = true;
        return line[length - 1] == '\r' ? "it ends with a carriage return: the file was converted"
                                        : "its sum is not one any more";
    }
    return !check->has_sums                          ? NULL
           : plain == 0                              ? "it has lost its sum"
           : line_sum(before, line, plain) != stated ? "its sum is not that of the lines up to it"
                                                     : NULL;
}

/* ---- line ---- */

/* Invariants: a member is read only after the line passed the strict check (a checkpoint: after its members were
 * walked to the end of the line); what is written here reads back equal. */

enum {
    LINE_DEPTH =
        32, /* a request is one deeper than on the wire, and members of later versions may be deeper */
    LINE_TOKENS = 2 * LIMIT_ADMIN_JSON_TOKENS, /* keys and values, those that are skipped included */
};

static const char *const op_names[] = {
    [RECORDING_DROVER] = "drover", [RECORDING_WORLD] = "world", [RECORDING_DO] = "do",
    [RECORDING_AT] = "at",         [RECORDING_HASH] = "hash",   [RECORDING_CHECKPOINT] = "checkpoint",
    [RECORDING_END] = "end",
};

enum member {
    MEMBER_OP,
    MEMBER_FORMAT,
    MEMBER_CORE,
    MEMBER_SERVER,
    MEMBER_STARTED,
    MEMBER_BUILD,
    MEMBER_TICK,
    MEMBER_SEQ,
    MEMBER_BY,
    MEMBER_NAME,
    MEMBER_WORLD,
    MEMBER_SCENARIO,
    MEMBER_SEED,
    MEMBER_TICK_HZ,
    MEMBER_SOURCE_LIMIT,
    MEMBER_FROM_TICK,
    MEMBER_FROM_SEQ,
    MEMBER_TEXT,
    MEMBER_REQUEST,
    MEMBER_PAUSED,
    MEMBER_HASH,
    MEMBER_REASON,
    MEMBER_COUNT
};

static const char *const member_names[MEMBER_COUNT] = {
    [MEMBER_OP] = "op",
    [MEMBER_FORMAT] = "format",
    [MEMBER_CORE] = "core",
    [MEMBER_SERVER] = "server",
    [MEMBER_STARTED] = "started",
    [MEMBER_BUILD] = "build",
    [MEMBER_TICK] = "tick",
    [MEMBER_SEQ] = "seq",
    [MEMBER_BY] = "by",
    [MEMBER_NAME] = "name",
    [MEMBER_WORLD] = "world",
    [MEMBER_SCENARIO] = "scenario",
    [MEMBER_SEED] = "seed",
    [MEMBER_TICK_HZ] = "tick_hz",
    [MEMBER_SOURCE_LIMIT] = "source_limit",
    [MEMBER_FROM_TICK] = "from_tick",
    [MEMBER_FROM_SEQ] = "from_seq",
    [MEMBER_TEXT] = "text",
    [MEMBER_REQUEST] = "request",
    [MEMBER_PAUSED] = "paused",
    [MEMBER_HASH] = "hash",
    [MEMBER_REASON] = "reason",
};

/* A piece of the line; begin is NULL when the line does not have it. */
struct span {
    const char *begin;
    size_t length;
};

/* The values of the members that are known. */
struct members {
    struct span values[MEMBER_COUNT];
};

static bool span_is(struct span span, const char *text) {
    return span.length == strlen(text) && memcmp(span.begin, text, span.length) == 0;
}

/* ---- walking over the members of an object, whatever the bytes are ---- */

struct walk {
    const char *next, *end;
};

static void skip_space(struct walk *walk) {
    while (walk->next < walk->end && memchr(" \t\r\n", *walk->next, 4) != NULL) {
        walk->next++;
    }
}

static bool take(struct walk *walk, char wanted) {
    skip_space(walk);
    if (walk->next == walk->end || *walk->next != wanted) {
        return false;
    }
    walk->next++;
    return true;
}

/* Whether the quote at `quote` ends the string that began at `begin`: no odd number of backslashes is before it. */
static bool ends_string(const char *begin, const char *quote) {
    const char *first = quote;
    while (first > begin && first[-1] == '\\') {
        first--;
    }
    return (quote - first) % 2 == 0;
}

/* From behind the opening quote to behind the closing one. */
static bool skip_string(struct walk *walk) {
    const char *begin = walk->next;
    for (const char *from = begin; from < walk->end;) {
        const char *quote = memchr(from, '"', (size_t)(walk->end - from));
        if (quote == NULL) {
            return false;
        }
        if (ends_string(begin, quote)) {
            walk->next = quote + 1;
            return true;
        }
        from = quote + 1;
    }
    return false;
}

/* A scalar that is no string: up to what may follow a value. */
static void skip_word(struct walk *walk) {
    while (walk->next < walk->end && memchr(",]} \t\r\n", *walk->next, 7) == NULL) {
        walk->next++;
    }
}

/* An object or an array with all that is in it. */
static bool skip_container(struct walk *walk) {
    int depth = 0;
    do {
        if (walk->next == walk->end) {
            return false;
        }
        const char c = *walk->next++;
        if (c == '"' && !skip_string(walk)) {
            return false;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    } while (depth > 0);
    return true;
}

static bool take_value(struct walk *walk, struct span *value) {
    skip_space(walk);
    value->begin = walk->next;
    if (walk->next == walk->end) {
        return false;
    }
    if (*walk->next == '"') {
        walk->next++;
        if (!skip_string(walk)) {
            return false;
        }
    } else if (*walk->next == '{' || *walk->next == '[') {
        if (!skip_container(walk)) {
            return false;
        }
    } else {
        skip_word(walk);
    }
    value->length = (size_t)(walk->next - value->begin);
    return value->length > 0;
}

static void note_member(struct members *members, struct span key, struct span value) {
    for (int i = 0; i < MEMBER_COUNT; i++) {
        if (span_is(key, member_names[i])) {
            members->values[i] = value;
            return;
        }
    }
}

/* Whether the line is braces around members; notes the known ones. */
static bool walk_members(const char *line, size_t length, struct members *members) {
    struct walk walk = {line, line + length};
    if (!take(&walk, '{')) {
        return false;
    }
    bool more = !take(&walk, '}');
    while (more) {
        struct span key = {0}, value = {0};
        if (!take(&walk, '"')) {
            return false;
        }
        key.begin = walk.next;
        if (!skip_string(&walk)) {
            return false;
        }
        key.length = (size_t)(walk.next - key.begin) - 1;
        if (!take(&walk, ':') || !take_value(&walk, &value)) {
            return false;
        }
        note_member(members, key, value);
        more = take(&walk, ',');
        if (!more && !take(&walk, '}')) {
            return false;
        }
    }
    skip_space(&walk);
    return walk.next == walk.end;
}

/* ---- reading values ---- */

struct reading {
    const struct members *members;
    struct failure *failure;
};

static int fail_member(const struct reading *reading, enum member member, const char *wanted) {
    const bool is_there = reading->members->values[member].begin != NULL;
    return failure_set(reading->failure, FAILURE_BAD_SAVE, member_names[member], "\"%s\": %s; expected %s",
                       member_names[member], is_there ? "not as it must be" : "missing", wanted);
}

static bool has(const struct reading *reading, enum member member) {
    return reading->members->values[member].begin != NULL;
}

static int read_unsigned(const struct reading *reading, enum member member, uint64_t least, uint64_t most,
                         const char *wanted, uint64_t *out) {
    const struct span span = reading->members->values[member];
    uint64_t value = 0;
    bool is_right = span.begin != NULL && (span.length == 1 || span.begin[0] != '0');
    for (size_t i = 0; is_right && i < span.length; i++) {
        const uint64_t digit = (uint64_t)(unsigned char)span.begin[i] - '0';
        is_right = digit <= 9 && value <= (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    if (!is_right || value < least || value > most) {
        return fail_member(reading, member, wanted);
    }
    *out = value;
    return 0;
}

static int read_u32(const struct reading *reading, enum member member, uint32_t least, uint32_t *out) {
    uint64_t value = 0;
    if (read_unsigned(reading, member, least, UINT32_MAX, "an integer of 32 bits", &value) != 0) {
        return -1;
    }
    *out = (uint32_t)value;
    return 0;
}

static int read_u64(const struct reading *reading, enum member member, uint64_t *out) {
    return read_unsigned(reading, member, 0, UINT64_MAX, "an integer of 64 bits", out);
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int read_hash(const struct reading *reading, uint64_t *out) {
    const struct span span = reading->members->values[MEMBER_HASH];
    bool is_right = span.begin != NULL && span.length == 18 && span.begin[0] == '"';
    uint64_t value = 0;
    for (size_t i = 1; is_right && i <= 16; i++) {
        const int digit = hex_digit(span.begin[i]);
        is_right = digit >= 0;
        value = value << 4 | (uint64_t)(digit < 0 ? 0 : digit);
    }
    if (!is_right) {
        return fail_member(reading, MEMBER_HASH, "16 hexadecimal digits");
    }
    *out = value;
    return 0;
}

/* The contents of a string without escapes, malloc'd; NULL without memory. */
static char *unescape(const char *begin, size_t length) {
    cJSON *json = cJSON_ParseWithLengthOpts(begin, length, NULL, 0);
    char *text = NULL;
    if (cJSON_IsString(json)) {
        text = json->valuestring;
        json->valuestring = NULL;
    }
    cJSON_Delete(json);
    return text;
}

/* The text as far as it fits into `size` bytes, whole characters; "" when the line does not have it. */
static int read_text(const struct reading *reading, enum member member, size_t size, char *out) {
    const struct span span = reading->members->values[member];
    out[0] = '\0';
    if (span.begin == NULL) {
        return 0;
    }
    if (span.begin[0] != '"') {
        return fail_member(reading, member, "a string");
    }
    if (memchr(span.begin, '\\', span.length) == NULL) {
        const size_t length = utf8_cut(span.begin + 1, span.length - 2, size - 1);
        memcpy(out, span.begin + 1, length);
        out[length] = '\0';
        return 0;
    }
    char *text = unescape(span.begin, span.length);
    if (text == NULL) {
        return failure_set(reading->failure, FAILURE_BUSY, NULL, "out of memory");
    }
    const size_t length = utf8_cut(text, strlen(text), size - 1);
    memcpy(out, text, length);
    out[length] = '\0';
    free(text);
    return 0;
}

static int read_bool(const struct reading *reading, enum member member, bool *out) {
    const struct span span = reading->members->values[member];
    if (span.begin == NULL || (!span_is(span, "true") && !span_is(span, "false"))) {
        return fail_member(reading, member, "true or false");
    }
    *out = span.begin[0] == 't';
    return 0;
}

static int read_tick_hz(const struct reading *reading, double *out) {
    const struct span span = reading->members->values[MEMBER_TICK_HZ];
    cJSON *json = span.begin == NULL ? NULL : cJSON_ParseWithLengthOpts(span.begin, span.length, NULL, 0);
    const double value = json != NULL && cJSON_IsNumber(json) ? json->valuedouble : 0.0;
    cJSON_Delete(json);
    if (!(value >= 1.0 && value <= (double)LIMIT_TICK_HZ)) {
        return fail_member(reading, MEMBER_TICK_HZ, "a number from 1 to 480");
    }
    *out = value;
    return 0;
}

/* A name of 31 bytes and some more shows whether the name is too long. */
static int read_person(const struct reading *reading, char out[LIMIT_PERSON_BYTES + 1]) {
    char text[4 * LIMIT_PERSON_BYTES];
    struct failure failure;
    out[0] = '\0';
    if (read_text(reading, MEMBER_NAME, sizeof text, text) != 0) {
        return -1;
    }
    return person_name_read(text, "name", out, &failure) == 0
               ? 0
               : fail_member(reading, MEMBER_NAME, "1 to 31 bytes of UTF-8 that can be seen");
}

static int read_session(const struct reading *reading, struct recording_line *out) {
    if (has(reading, MEMBER_BY) && read_u32(reading, MEMBER_BY, 0, &out->by) != 0) {
        return -1;
    }
    return read_person(reading, out->name);
}

/* ---- reading lines ---- */

static int read_drover(const struct reading *reading, struct recording_line *out) {
    if (read_u32(reading, MEMBER_FORMAT, 1, &out->format) != 0 ||
        read_u32(reading, MEMBER_CORE, 1, &out->core) != 0) {
        return -1;
    }
    return read_text(reading, MEMBER_SERVER, sizeof out->server, out->server) != 0 ||
                   read_text(reading, MEMBER_STARTED, sizeof out->started, out->started) != 0 ||
                   read_text(reading, MEMBER_BUILD, sizeof out->build, out->build) != 0
               ? -1
               : 0;
}

static int read_scenario_name(const struct reading *reading, char out[LIMIT_NAME_CHARS + 1]) {
    char text[2 * LIMIT_NAME_CHARS];
    if (read_text(reading, MEMBER_SCENARIO, sizeof text, text) != 0) {
        return -1;
    }
    if (text[0] != '\0' && !name_is_valid(text, strlen(text))) {
        return fail_member(reading, MEMBER_SCENARIO, "a name of 1 to 31 characters of A-Z a-z 0-9 _ -");
    }
    memcpy(out, text, strlen(text) + 1);
    return 0;
}

static int read_from(const struct reading *reading, struct recording_line *out) {
    if (!has(reading, MEMBER_FROM_SEQ)) {
        return 0;
    }
    return read_u64(reading, MEMBER_FROM_SEQ, &out->from_seq) != 0
               ? -1
               : read_u64(reading, MEMBER_FROM_TICK, &out->from_tick);
}

static int read_world(const struct reading *reading, struct recording_line *out) {
    const struct span text = reading->members->values[MEMBER_TEXT];
    if (read_session(reading, out) != 0 || read_u32(reading, MEMBER_WORLD, 1, &out->world) != 0 ||
        read_scenario_name(reading, out->scenario) != 0 || read_u64(reading, MEMBER_SEED, &out->seed) != 0 ||
        read_tick_hz(reading, &out->tick_hz) != 0 || read_hash(reading, &out->hash) != 0 ||
        read_from(reading, out) != 0 ||
        (has(reading, MEMBER_SOURCE_LIMIT) &&
         read_u32(reading, MEMBER_SOURCE_LIMIT, 1, &out->source_limit) != 0)) {
        return -1;
    }
    if (text.begin == NULL || text.begin[0] != '"') {
        return fail_member(reading, MEMBER_TEXT, "the scenario as a string");
    }
    out->text = text.begin + 1;
    out->text_length = text.length - 2;
    return 0;
}

static int read_do(const struct reading *reading, struct recording_line *out) {
    const struct span request = reading->members->values[MEMBER_REQUEST];
    if (request.begin == NULL || request.begin[0] != '{') {
        return fail_member(reading, MEMBER_REQUEST, "a request, an object");
    }
    out->request = request.begin;
    out->request_length = request.length;
    return read_session(reading, out);
}

static int read_at(const struct reading *reading, struct recording_line *out) {
    return read_bool(reading, MEMBER_PAUSED, &out->is_paused) != 0 ? -1 : read_session(reading, out);
}

static int read_members(const struct reading *reading, struct recording_line *out) {
    if (out->op == RECORDING_DROVER) {
        return read_drover(reading, out);
    }
    if (out->op == RECORDING_OTHER) {
        return 0;
    }
    if (read_u64(reading, MEMBER_TICK, &out->tick) != 0 || read_u64(reading, MEMBER_SEQ, &out->seq) != 0) {
        return -1;
    }
    switch (out->op) {
    case RECORDING_WORLD:
        return read_world(reading, out);
    case RECORDING_DO:
        return read_do(reading, out);
    case RECORDING_AT:
        return read_at(reading, out);
    case RECORDING_END:
        return read_text(reading, MEMBER_REASON, sizeof out->reason, out->reason);
    case RECORDING_CHECKPOINT:
        if (has(reading, MEMBER_PAUSED) && read_bool(reading, MEMBER_PAUSED, &out->is_paused) != 0) {
            return -1;
        }
        return read_hash(reading, &out->hash);
    default:
        return read_hash(reading, &out->hash);
    }
}

static enum recording_op op_of(struct span value) {
    for (int i = 0; i < RECORDING_OTHER; i++) {
        if (value.length == strlen(op_names[i]) + 2 && value.begin[0] == '"' &&
            memcmp(value.begin + 1, op_names[i], value.length - 2) == 0) {
            return (enum recording_op)i;
        }
    }
    return RECORDING_OTHER;
}

static int check_strictly(const char *line, size_t length, struct failure *failure) {
    const struct json_limits limits = {
        .depth = LINE_DEPTH, .tokens = LINE_TOKENS, .number_chars = LIMIT_JSON_NUMBER_CHARS};
    struct json_fault fault;
    if (json_check(line, length, &limits, &fault) == JSON_FINE) {
        return 0;
    }
    return failure_set(failure, FAILURE_BAD_SAVE, NULL, "byte %zu: %s", fault.offset + 1, fault.message);
}

int recording_line_read(const char *line, size_t length, struct recording_line *out,
                        struct failure *failure) {
    struct members members = {0};
    *out = (struct recording_line){.op = RECORDING_OTHER};
    const bool is_object = walk_members(line, length, &members);
    if (is_object && members.values[MEMBER_OP].begin != NULL) {
        out->op = op_of(members.values[MEMBER_OP]);
    }
    if ((!is_object || out->op != RECORDING_CHECKPOINT) && check_strictly(line, length, failure) != 0) {
        return -1;
    }
    if (!is_object || members.values[MEMBER_OP].begin == NULL || members.values[MEMBER_OP].begin[0] != '"') {
        return failure_set(failure, FAILURE_BAD_SAVE, "op",
                           "a line is a JSON object with an \"op\", a string");
    }
    const struct reading reading = {&members, failure};
    return read_members(&reading, out);
}

char *recording_line_text(const struct recording_line *line, size_t *length) {
    assert(line->op == RECORDING_WORLD && line->text != NULL);
    char *text = unescape(line->text - 1, line->text_length + 2);
    *length = text == NULL ? 0 : strlen(text);
    return text;
}

/* ---- writing ---- */

static void write_text(struct json_writer *json, enum member member, const char *text) {
    if (text[0] != '\0') {
        json_key_string(json, member_names[member], text);
    }
}

static void write_hash(struct json_writer *json, uint64_t hash) {
    json_key(json, member_names[MEMBER_HASH]);
    json_hex64(json, hash);
}

static void write_drover(const struct recording_line *line, struct json_writer *json) {
    json_key_unsigned(json, "format", line->format);
    json_key_unsigned(json, "core", line->core);
    write_text(json, MEMBER_SERVER, line->server);
    write_text(json, MEMBER_STARTED, line->started);
    write_text(json, MEMBER_BUILD, line->build);
}

static void write_session(const struct recording_line *line, struct json_writer *json) {
    if (line->by != 0 || line->op != RECORDING_AT) {
        json_key_unsigned(json, "by", line->by);
    }
    write_text(json, MEMBER_NAME, line->name);
}

static void write_world(const struct recording_line *line, struct json_writer *json) {
    assert(line->text[line->text_length] == '\0');
    write_session(line, json);
    json_key_string(json, "scenario", line->scenario);
    json_key_unsigned(json, "seed", line->seed);
    json_key_number(json, "tick_hz", line->tick_hz);
    if (line->source_limit > 0) {
        json_key_unsigned(json, "source_limit", line->source_limit);
    }
    write_hash(json, line->hash);
    if (line->from_seq > line->seq) {
        json_key_unsigned(json, "from_tick", line->from_tick);
        json_key_unsigned(json, "from_seq", line->from_seq);
    }
    json_key_string(json, "text", line->text);
}

static void write_do(const struct recording_line *line, struct json_writer *json) {
    size_t length = line->request_length;
    length -= length > 0 && line->request[length - 1] == '\n' ? 1 : 0;
    write_session(line, json);
    json_key(json, "request");
    json_raw(json, ""); /* the value of the key follows as it is */
    buffer_append(json->buffer, line->request, length);
}

static void write_members(const struct recording_line *line, struct json_writer *json) {
    switch (line->op) {
    case RECORDING_WORLD:
        write_world(line, json);
        break;
    case RECORDING_DO:
        write_do(line, json);
        break;
    case RECORDING_AT:
        json_key_bool(json, "paused", line->is_paused);
        write_session(line, json);
        break;
    case RECORDING_HASH:
        write_hash(json, line->hash);
        break;
    default:
        write_text(json, MEMBER_REASON, line->reason);
    }
}

void recording_line_write(const struct recording_line *line, struct buffer *out) {
    assert(line->op < RECORDING_OTHER && line->op != RECORDING_CHECKPOINT);
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    json_key_string(&json, "op", op_names[line->op]);
    if (line->op == RECORDING_DROVER) {
        write_drover(line, &json);
    } else {
        if (line->op == RECORDING_WORLD) {
            json_key_unsigned(&json, "world", line->world);
        }
        json_key_unsigned(&json, "tick", line->tick);
        json_key_unsigned(&json, "seq", line->seq);
        write_members(line, &json);
    }
    json_end(&json);
    buffer_append(out, "\n", 1);
}

/* ---- scenario ---- */

static int read_scenario_text(const char *text, size_t length, struct scenario *out,
                              struct failure *failure) {
    struct failure inner;
    if (length > LIMIT_SCENARIO_BYTES) {
        return failure_set(failure, FAILURE_BAD_SAVE, "text",
                           "the scenario of a world line has %zu bytes; at most %d are allowed", length,
                           LIMIT_SCENARIO_BYTES);
    }
    if (scenario_read(text, length, out, &inner) == 0) {
        return 0;
    }
    return failure_set(failure, inner.code == FAILURE_BUSY ? FAILURE_BUSY : FAILURE_BAD_SAVE, inner.field,
                       "the scenario of a world line: %s", inner.message);
}

int recording_scenario_read(const struct recording_line *line, struct scenario *out,
                            struct failure *failure) {
    size_t length = 0;
    scenario_init(out);
    char *text = recording_line_text(line, &length);
    if (text == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory for a world of the recording");
    }
    const int result = read_scenario_text(text, length, out, failure);
    free(text);
    if (result == 0) {
        memcpy(out->name, line->scenario, sizeof out->name);
        out->def.seed = line->seed;
        out->def.tick_hz = line->tick_hz;
        out->def.source_limit =
            line->source_limit < LIMIT_AGENTS ? (int32_t)line->source_limit : LIMIT_AGENTS;
    }
    return result;
}

/* ---- recorder ---- */

enum {
    WARM_BYTES = 64 * 1024,              /* of both buffers: the longest request fits */
    MOST_BYTES = 64 * 1024 * 1024,       /* a world line with a scenario whose every byte is escaped */
    MOST_REQUEST_BYTES = 4 * 1024 * 1024 /* far more than any request has */
};

static int warm(struct buffer *buffer, size_t limit) {
    buffer_init(buffer, limit);
    return buffer_reserve(buffer, WARM_BYTES) == NULL ? -1 : 0;
}

int recorder_init(struct recorder *recorder) {
    *recorder = (struct recorder){0};
    if (warm(&recorder->out, MOST_BYTES) != 0 || warm(&recorder->request, MOST_REQUEST_BYTES) != 0) {
        recorder_fini(recorder);
        return -1;
    }
    return 0;
}

void recorder_fini(struct recorder *recorder) {
    buffer_fini(&recorder->out);
    buffer_fini(&recorder->request);
}

bool recorder_is_do(enum request_op op) {
    return state_ranks_share(op);
}

static void set_session(struct recording_line *line, struct recorder_session session) {
    line->by = session.by;
    (void)snprintf(line->name, sizeof line->name, "%s", session.name);
}

/* A line about the state as it is now. */
static struct recording_line line_of(const struct simulation_state *state, enum recording_op op) {
    return (struct recording_line){.op = op, .tick = world_tick(state->world), .seq = state->seq};
}

void recorder_set_world(struct recorder *recorder, const struct simulation_state *state, uint64_t hash,
                        struct recorder_session session) {
    const uint32_t number = recorder->world.world + 1;
    struct recording_line *line = &recorder->world;
    *line = line_of(state, RECORDING_WORLD);
    line->world = number;
    line->seed = world_seed(state->world);
    line->tick_hz = world_tick_hz(state->world);
    const uint32_t limit = world_image_turnover(state->world).limit;
    line->source_limit = world_source_count(state->world) > 0 && limit != LIMIT_AGENTS_USUAL ? limit : 0;
    line->hash = hash;
    memcpy(line->scenario, state->name, sizeof line->scenario);
    set_session(line, session);
}

void recorder_write_header(struct recorder *recorder, const char *started, const char *build) {
    struct recording_line line = {
        .op = RECORDING_DROVER, .format = RECORDING_FORMAT, .core = (uint32_t)CORE_NUMBER};
    (void)snprintf(line.server, sizeof line.server, "drover-server %s", DROVER_VERSION);
    (void)snprintf(line.started, sizeof line.started, "%s", started);
    (void)snprintf(line.build, sizeof line.build, "%s", build);
    recording_line_write(&line, &recorder->out);
}

void recorder_write_world(struct recorder *recorder, const struct simulation_state *state) {
    assert(recorder->world.world > 0);
    recorder->world.from_tick = world_tick(state->world);
    recorder->world.from_seq = state->seq;
    /* Checkpoints from before an edit go by that; those behind it have their own. */
    recorder->world.text = state->first_text != NULL ? state->first_text : state->text;
    recorder->world.text_length = state->first_text != NULL ? strlen(state->first_text) : state->text_length;
    recording_line_write(&recorder->world, &recorder->out);
    recorder->world.text = NULL; /* the state's, which may go */
    recorder->world.text_length = 0;
}

void recorder_write_do(struct recorder *recorder, const struct simulation_state *state,
                       const struct request *request, struct recorder_session session) {
    assert(recorder_is_do(request->op));
    struct recording_line line = line_of(state, RECORDING_DO);
    struct request plain = *request; /* borrows the extra */
    plain.id[0] = '\0';
    plain.has_at = false; /* the line has the tick */
    buffer_clear(&recorder->request);
    request_encode(&plain, &recorder->request);
    if (recorder->request.failed) {
        recorder->out.failed = true;
        return;
    }
    line.request = recorder->request.data;
    line.request_length = recorder->request.length - 1; /* without its newline */
    set_session(&line, session);
    recording_line_write(&line, &recorder->out);
}

void recorder_write_at(struct recorder *recorder, const struct simulation_state *state,
                       struct recorder_session session) {
    struct recording_line line = line_of(state, RECORDING_AT);
    line.is_paused = state->is_paused;
    set_session(&line, session);
    recording_line_write(&line, &recorder->out);
}

void recorder_write_hash(struct recorder *recorder, uint64_t tick, uint64_t seq, uint64_t hash) {
    const struct recording_line line = {.op = RECORDING_HASH, .tick = tick, .seq = seq, .hash = hash};
    recording_line_write(&line, &recorder->out);
}

void recorder_write_end(struct recorder *recorder, const struct simulation_state *state, const char *reason) {
    struct recording_line line = line_of(state, RECORDING_END);
    (void)snprintf(line.reason, sizeof line.reason, "%s", reason);
    recording_line_write(&line, &recorder->out);
}
