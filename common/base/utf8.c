/* Well-formed UTF-8: the one place that knows its byte ranges (Unicode 15, table 3-7). */
#include "common/base/utf8.h"

static int is_between(char byte, unsigned low, unsigned high) {
    const unsigned value = (unsigned char)byte;
    return value >= low && value <= high;
}

static size_t three_bytes(const char *text, size_t length) {
    const unsigned lead = (unsigned char)text[0];
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;  /* overlong */
    const unsigned high = lead == 0xED ? 0x9F : 0xBF; /* surrogates */
    return length >= 3 && is_between(text[1], low, high) && is_between(text[2], 0x80, 0xBF) ? 3 : 0;
}

static size_t four_bytes(const char *text, size_t length) {
    const unsigned lead = (unsigned char)text[0];
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;  /* overlong */
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF; /* above U+10FFFF */
    return length >= 4 && is_between(text[1], low, high) && is_between(text[2], 0x80, 0xBF) &&
                   is_between(text[3], 0x80, 0xBF)
               ? 4
               : 0;
}

size_t utf8_character(const char *text, size_t length) {
    if (length == 0) {
        return 0;
    }
    const unsigned lead = (unsigned char)text[0];
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        return length >= 2 && is_between(text[1], 0x80, 0xBF) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        return three_bytes(text, length);
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        return four_bytes(text, length);
    }
    return 0;
}

uint32_t utf8_code_point(const char *text, size_t size) {
    static const unsigned lead_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t code_point = (unsigned char)text[0] & lead_bits[size];
    for (size_t i = 1; i < size; i++) {
        code_point = code_point << 6 | ((unsigned char)text[i] & 0x3Fu);
    }
    return code_point;
}

size_t utf8_cut(const char *text, size_t length, size_t limit) {
    if (length <= limit) {
        return length;
    }
    size_t cut = limit;
    while (cut > 0 && is_between(text[cut], 0x80, 0xBF)) {
        cut--;
    }
    return cut;
}

size_t utf8_encode(char out[4], uint32_t code_point) {
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = (char)(0xC0 | (code_point >> 6));
        out[1] = (char)(0x80 | (code_point & 0x3F));
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = (char)(0xE0 | (code_point >> 12));
        out[1] = (char)(0x80 | ((code_point >> 6) & 0x3F));
        out[2] = (char)(0x80 | (code_point & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | (code_point >> 18));
    out[1] = (char)(0x80 | ((code_point >> 12) & 0x3F));
    out[2] = (char)(0x80 | ((code_point >> 6) & 0x3F));
    out[3] = (char)(0x80 | (code_point & 0x3F));
    return 4;
}

size_t utf8_count(const char *text, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += !is_between(text[i], 0x80, 0xBF);
    }
    return count;
}
