/* See line_sum.h. */
#include "server/recording/line_sum.h"

#include <assert.h>
#include <string.h>

enum { SLICES = 8, BRACE_AND_NEWLINE = 2 };

static const char sum_key[] = ",\"sum\":\"";

/* ---- CRC-32, eight bytes at a time ---- */

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
static const uint32_t slices[SLICES][256] = {
    SLICE(0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832, 0x1db71064, 0x3b6e20c8, 0x76dc4190, 0xedb88320),
    SLICE(0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08, 0x4ac21251, 0x958424a2, 0xf0794f05, 0x3b83984b),
    SLICE(0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8, 0x1c26a370, 0x384d46e0, 0x709a8dc0, 0xe1351b80),
    SLICE(0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef, 0x5019579f, 0xa032af3e, 0x9b14583d, 0xed59b63b),
    SLICE(0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1, 0x60e09782, 0xc1c12f04, 0x58f35849, 0xb1e6b092),
    SLICE(0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d, 0x03d6029b, 0x07ac0536, 0x0f580a6c, 0x1eb014d8),
    SLICE(0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67, 0x67de9cce, 0xcfbd399c, 0x440b7579, 0x8816eaf2),
    SLICE(0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5, 0x7cbb312b, 0xf9766256, 0x299dc2ed, 0x533b85da)};

uint32_t line_sum(uint32_t before, const char *bytes, size_t length) {
    const unsigned char *next = (const unsigned char *)bytes;
    uint32_t sum = ~before;
    for (; length >= SLICES; length -= SLICES, next += SLICES) {
        sum ^= (uint32_t)next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16 | (uint32_t)next[3] << 24;
        sum = slices[7][sum & 255u] ^ slices[6][sum >> 8 & 255u] ^ slices[5][sum >> 16 & 255u] ^
              slices[4][sum >> 24] ^ slices[3][next[4]] ^ slices[2][next[5]] ^ slices[1][next[6]] ^
              slices[0][next[7]];
    }
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
