/* Integers as decimal text, the inner loop of the snapshot encoder: table look-ups, no division loop, no
 * printf.
 *
 * Every writer may store up to DIGITS_SLACK bytes at `out`, more than the text it returns the end of:
 * fixed-size stores are what makes it fast.
 */
#ifndef DROVER_COMMON_TEXT_DIGITS_H
#define DROVER_COMMON_TEXT_DIGITS_H

#include <stdint.h>
#include <string.h>

enum { DIGITS_SLACK = 16 };

/** "0000" "0001" ... "9999": digits4 + 4 * n is n with leading zeros. Padded, so that reading four bytes from
 * the middle of the last entry stays inside. */
extern const char digits4[40004];

/** n < 10000 without leading zeros. */
static inline char *digits_write_small(char *out, uint32_t n) {
    const uint32_t zeros = (uint32_t)(n < 1000u) + (uint32_t)(n < 100u) + (uint32_t)(n < 10u);
    memcpy(out, digits4 + 4 * n + zeros, 4);
    return out + (4 - zeros);
}

static inline char *digits_write_four(char *out, uint32_t n) {
    memcpy(out, digits4 + 4 * n, 4);
    return out + 4;
}

static inline char *digits_write_u32(char *out, uint32_t value) {
    if (value < 10000u) {
        return digits_write_small(out, value);
    }
    const uint32_t upper = value / 10000u;
    if (upper < 10000u) {
        return digits_write_four(digits_write_small(out, upper), value % 10000u);
    }
    out = digits_write_four(digits_write_small(out, upper / 10000u), upper % 10000u);
    return digits_write_four(out, value % 10000u);
}

/** value / 100 with exactly two decimals. */
static inline char *digits_write_hundredths(char *out, int32_t value) {
    const uint32_t sign = (uint32_t)(value < 0);
    const uint32_t magnitude = sign ? 0u - (uint32_t)value : (uint32_t)value;
    const uint32_t whole = magnitude / 100u;
    *out = '-';
    out = digits_write_u32(out + sign, whole);
    out[0] = '.';
    memcpy(out + 1, digits4 + 4 * (magnitude - whole * 100u) + 2, 2);
    return out + 3;
}

#endif
