/* Integers as decimal text, the inner loop of the snapshot encoder: table look-ups, no division loop, no
 * printf.
 *
 * Every writer may store up to DIGITS_SLACK bytes at `out`, more than the text it returns the end of:
 * fixed-size stores are what makes it fast.
 */
#ifndef DROVER_COMMON_TEXT_DIGITS_H
#define DROVER_COMMON_TEXT_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { DIGITS_SLACK = 16 };

#if defined(__wasm__)

/** "00" "01" ... "99": a visitor waits for a page's bytes, and the other table has 40 000. */
extern const char digits2[200];

/** Four bytes: n < 10000 with leading zeros, from its digit `first` on (0 to 3), then any bytes. */
static inline void digits_store(char *out, uint32_t n, uint32_t first) {
    char four[8] = "";
    memcpy(four, digits2 + 2 * (n / 100u), 2);
    memcpy(four + 2, digits2 + 2 * (n % 100u), 2);
    memcpy(out, four + first, 4);
}

#else

/** "0000" "0001" ... "9999": digits4 + 4 * n is n with leading zeros. Padded, so that reading four bytes from
 * the middle of the last entry stays inside. */
extern const char digits4[40004];

/** Four bytes: n < 10000 with leading zeros, from its digit `first` on (0 to 3), then any bytes. */
static inline void digits_store(char *out, uint32_t n, uint32_t first) {
    memcpy(out, digits4 + 4 * n + first, 4);
}

#endif

/** n < 10000 without leading zeros. */
static inline char *digits_write_small(char *out, uint32_t n) {
    const uint32_t zeros = (uint32_t)(n < 1000u) + (uint32_t)(n < 100u) + (uint32_t)(n < 10u);
    digits_store(out, n, zeros);
    return out + (4 - zeros);
}

static inline char *digits_write_four(char *out, uint32_t n) {
    digits_store(out, n, 0);
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
    digits_store(out + 1, magnitude - whole * 100u, 2);
    return out + 3;
}

/* Decimal numbers whatever the locale: their size, judged by their digits, and the value of plain ones. */

/** Whether mantissa (digits and at most one point, no sign) times 10^exponent is finite as a double. */
bool decimal_is_finite(const char *mantissa, size_t length, int64_t exponent);
/** The value of an exponent's digits, saturating at about 10^9. */
int64_t decimal_exponent(const char *digits, size_t length, bool is_negative);
/** The value of the digits and at most one point that text begins with, saturating below 10^10. Sets *end (NULL is
 * fine) to the first character that does not belong to them. */
double decimal_read(const char *text, const char **end);

#endif
