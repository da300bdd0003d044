/* See json_escape.h. */
#include "common/json/json_escape.h"

/* The value of four hexadecimal digits at text[at], or -1. */
int32_t json_hex4(const char *text, size_t length, size_t at) {
    int32_t value = 0;
    if (length - at < 4 || at > length) {
        return -1;
    }
    for (size_t i = at; i < at + 4; i++) {
        const char c = text[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

bool json_is_high_surrogate(int32_t unit) {
    return unit >= 0xD800 && unit <= 0xDBFF;
}

bool json_is_low_surrogate(int32_t unit) {
    return unit >= 0xDC00 && unit <= 0xDFFF;
}
