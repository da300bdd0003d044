/* See shown_text.h. */
#include "clients/drover/live/shown_text.h"

#include <stdbool.h>
#include <stdint.h>

#include "common/base/utf8.h"

struct span {
    uint32_t first, last; /* code points */
};

/* Controls, what has no width, and what turns the direction of a text. */
static const struct span hidden[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},       {0xAD, 0xAD},       {0x061C, 0x061C},   {0x180E, 0x180E},
    {0x200B, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},
    {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0x10FFFF}};
static const struct span wide[] = {
    {0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F}, {0xFF01, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD},
};
static const struct span combining[] = {
    {0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};

static bool is_in(const struct span *spans, size_t count, uint32_t code_point) {
    for (size_t i = 0; i < count; i++) {
        if (code_point >= spans[i].first && code_point <= spans[i].last) {
            return true;
        }
    }
    return false;
}

static bool is_hidden(uint32_t code_point) {
    return is_in(hidden, sizeof hidden / sizeof *hidden, code_point);
}

/* Six characters, or twelve: what JSON has for a code point above U+FFFF. */
static void append_escape(struct buffer *out, uint32_t code_point) {
    if (code_point > 0xFFFF) {
        const uint32_t rest = code_point - 0x10000;
        buffer_printf(out, "\\u%04x\\u%04x", (unsigned)(0xD800 + (rest >> 10)),
                      (unsigned)(0xDC00 + (rest & 0x3FF)));
    } else {
        buffer_printf(out, "\\u%04x", (unsigned)code_point);
    }
}

void shown_text_append(struct buffer *out, const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        const size_t size = utf8_character(text + i, length - i);
        if (size == 0) {
            buffer_printf(out, "\\x%02x", (unsigned)(unsigned char)text[i]);
            i++;
            continue;
        }
        const uint32_t code_point = utf8_code_point(text + i, size);
        if (is_hidden(code_point)) {
            append_escape(out, code_point);
        } else {
            buffer_append(out, text + i, size);
        }
        i += size;
    }
}

void shown_json_append(struct buffer *out, const char *json, size_t length) {
    for (size_t i = 0; i < length;) {
        const size_t size = utf8_character(json + i, length - i);
        const uint32_t code_point = size == 0 ? 0 : utf8_code_point(json + i, size);
        if (code_point < 0x20) { /* white space: strings of JSON have none of these */
            buffer_append(out, " ", 1);
        } else if (is_hidden(code_point)) {
            append_escape(out, code_point);
        } else {
            buffer_append(out, json + i, size);
        }
        i += size == 0 ? 1 : size;
    }
}

static int width_of(uint32_t code_point) {
    if (code_point < 0x300) {
        return 1;
    }
    if (is_in(combining, sizeof combining / sizeof *combining, code_point)) {
        return 0;
    }
    return is_in(wide, sizeof wide / sizeof *wide, code_point) ? 2 : 1;
}

size_t shown_text_fit(const char *text, size_t length, int columns) {
    size_t i = 0;
    while (i < length) {
        const size_t size = utf8_character(text + i, length - i);
        const int width = size == 0 ? 1 : width_of(utf8_code_point(text + i, size));
        if (width > columns) {
            break;
        }
        columns -= width;
        i += size == 0 ? 1 : size;
    }
    return i;
}

int shown_text_width(const char *text, size_t length) {
    int width = 0;
    for (size_t i = 0; i < length;) {
        const size_t size = utf8_character(text + i, length - i);
        width += size == 0 ? 1 : width_of(utf8_code_point(text + i, size));
        i += size == 0 ? 1 : size;
    }
    return width;
}
