/* The size of a decimal number judged by its digits: strtod would obey the locale. */
#include "common/text/decimal.h"

#include <string.h>

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
