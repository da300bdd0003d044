/* The table of four-digit numbers, or of two-digit ones, spelled by the preprocessor: constant, shared, no
 * initialization at run time. */
#include "common/text/digits.h"

#include <string.h>

#if defined(__wasm__)

#define ONES(a) a, '0', a, '1', a, '2', a, '3', a, '4', a, '5', a, '6', a, '7', a, '8', a, '9'

const char digits2[200] = {ONES('0'), ONES('1'), ONES('2'), ONES('3'), ONES('4'),
                           ONES('5'), ONES('6'), ONES('7'), ONES('8'), ONES('9')};

#else

#define ONES(a, b, c)                                                                                        \
    a, b, c, '0', a, b, c, '1', a, b, c, '2', a, b, c, '3', a, b, c, '4', a, b, c, '5', a, b, c, '6', a, b,  \
        c, '7', a, b, c, '8', a, b, c, '9'
#define TENS(a, b)                                                                                           \
    ONES(a, b, '0'), ONES(a, b, '1'), ONES(a, b, '2'), ONES(a, b, '3'), ONES(a, b, '4'), ONES(a, b, '5'),    \
        ONES(a, b, '6'), ONES(a, b, '7'), ONES(a, b, '8'), ONES(a, b, '9')
#define HUNDREDS(a)                                                                                          \
    TENS(a, '0'), TENS(a, '1'), TENS(a, '2'), TENS(a, '3'), TENS(a, '4'), TENS(a, '5'), TENS(a, '6'),        \
        TENS(a, '7'), TENS(a, '8'), TENS(a, '9')

const char digits4[40004] = {HUNDREDS('0'), HUNDREDS('1'), HUNDREDS('2'), HUNDREDS('3'), HUNDREDS('4'),
                             HUNDREDS('5'), HUNDREDS('6'), HUNDREDS('7'), HUNDREDS('8'), HUNDREDS('9')};

#endif

/* ---- decimal ---- */

/* The size of a decimal number judged by its digits: strtod would obey the locale. */

/* The digits of 2^1024 - 2^970: from here on a number rounds to infinity. */
static const char infinity_digits[] = "1797693134862315807937289714053034150799341327100378269361737789804449"
                                      "68292764750946649017977587207096330286";

bool decimal_is_finite(const char *mantissa, size_t length, int64_t exponent) {
    const char *point = memchr(mantissa, '.', length);
    int64_t magnitude = (point == NULL ? (int64_t)length : (int64_t)(point - mantissa)) + exponent;
    size_t i = 0;
    for (; i < length && (mantissa[i] == '0' || mantissa[i] == '.'); i++) {
        magnitude -= mantissa[i] == '0'; /* leading zeros, also those behind the point */
    }
    if (i == length || magnitude != 309) {
        return i == length || magnitude < 309;
    }
    for (size_t digit = 0; i < length; i++) {
        if (mantissa[i] == '.') {
            continue;
        }
        if (digit + 1 == sizeof infinity_digits || mantissa[i] != infinity_digits[digit]) {
            return digit + 1 != sizeof infinity_digits && mantissa[i] < infinity_digits[digit];
        }
        digit++;
    }
    return true; /* a proper prefix of the bound's digits */
}

int64_t decimal_exponent(const char *digits, size_t length, bool is_negative) {
    int64_t value = 0;
    for (size_t i = 0; i < length && value < 1000000000; i++) {
        value = value * 10 + (digits[i] - '0');
    }
    return is_negative ? -value : value;
}

double decimal_read(const char *text, const char **end) {
    double value = 0.0, place = 0.0;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && place == 0.0); text++) {
        if (*text == '.') {
            place = 1.0;
        } else if (place > 0.0) {
            place *= 0.1;
            value += place * (*text - '0');
        } else if (value < 1e9) {
            value = value * 10.0 + (*text - '0');
        }
    }
    if (end != NULL) {
        *end = text;
    }
    return value;
}
