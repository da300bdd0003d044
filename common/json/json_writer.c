/* Writes JSON text into a buffer, without a tree. Owns nothing; the buffer is the caller's.
 *
 * Invariants: a key is followed by exactly one value; every item but the first of its container has a comma
 * before it; numbers never depend on the locale.
 */
#include "common/json/json_writer.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/digits.h"

enum { JSON_WRITER_DEPTH = 32 };

struct json_writer json_writer_begin(struct buffer *buffer) {
    return (struct json_writer){.buffer = buffer};
}

static uint32_t top_bit(const struct json_writer *json) {
    return UINT32_C(1) << (unsigned)(json->depth - 1);
}

/* The comma before an item, when it needs one. */
static void begin_item(struct json_writer *json) {
    if (json->depth == 0) {
        return;
    }
    if (json->has_items & top_bit(json)) {
        buffer_append(json->buffer, ",", 1);
    }
    json->has_items |= top_bit(json);
}

static void begin_value(struct json_writer *json) {
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    assert(json->depth == 0 || !(json->is_object & top_bit(json)));
    begin_item(json);
}

static void append_value(struct json_writer *json, const char *text, size_t length) {
    begin_value(json);
    buffer_append(json->buffer, text, length);
}

static void open_container(struct json_writer *json, const char *bracket, bool is_object) {
    append_value(json, bracket, 1);
    assert(json->depth < JSON_WRITER_DEPTH);
    json->depth++;
    json->has_items &= ~top_bit(json);
    json->is_object = is_object ? json->is_object | top_bit(json) : json->is_object & ~top_bit(json);
}

void json_object(struct json_writer *json) {
    open_container(json, "{", true);
}

void json_array(struct json_writer *json) {
    open_container(json, "[", false);
}

void json_end(struct json_writer *json) {
    assert(json->depth > 0 && !json->after_key);
    buffer_append(json->buffer, json->is_object & top_bit(json) ? "}" : "]", 1);
    json->depth--;
}

/* The escape of a character that cannot stand in a string as it is; its length, or 0. */
static size_t escape(unsigned char c, char out[8]) {
    static const char hex[] = "0123456789abcdef";
    static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (size_t i = 0; i + 1 < sizeof named; i += 2) {
        if (c == (unsigned char)named[i]) {
            out[0] = '\\';
            out[1] = named[i + 1];
            return 2;
        }
    }
    if (c >= 0x20) {
        return 0;
    }
    memcpy(out, "\\u00", 4);
    out[4] = hex[c >> 4];
    out[5] = hex[c & 15];
    return 6;
}

static void append_quoted(struct buffer *buffer, const char *text) {
    buffer_append(buffer, "\"", 1);
    const char *plain = text;
    for (; *text != '\0'; text++) {
        char escaped[8];
        const size_t length = escape((unsigned char)*text, escaped);
        if (length > 0) {
            buffer_append(buffer, plain, (size_t)(text - plain));
            buffer_append(buffer, escaped, length);
            plain = text + 1;
        }
    }
    buffer_append(buffer, plain, (size_t)(text - plain));
    buffer_append(buffer, "\"", 1);
}

void json_key(struct json_writer *json, const char *key) {
    assert(json->depth > 0 && (json->is_object & top_bit(json)) && !json->after_key);
    begin_item(json);
    append_quoted(json->buffer, key);
    buffer_append(json->buffer, ":", 1);
    json->after_key = true;
}

void json_string(struct json_writer *json, const char *text) {
    begin_value(json);
    append_quoted(json->buffer, text);
}

void json_bool(struct json_writer *json, bool value) {
    append_value(json, value ? "true" : "false", value ? 4 : 5);
}

/* Digits of value, ending just before `end`; returns where they begin. */
static char *write_backwards(char *end, uint64_t value) {
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return end;
}

static uint64_t magnitude(int64_t value) {
    return value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
}

void json_signed(struct json_writer *json, int64_t value) {
    char text[24];
    char *begin = write_backwards(text + sizeof text, magnitude(value));
    if (value < 0) {
        *--begin = '-';
    }
    append_value(json, begin, (size_t)(text + sizeof text - begin));
}

void json_unsigned(struct json_writer *json, uint64_t value) {
    char text[24];
    const char *begin = write_backwards(text + sizeof text, value);
    append_value(json, begin, (size_t)(text + sizeof text - begin));
}

void json_hundredths(struct json_writer *json, int64_t value) {
    char text[32];
    char *end = text + sizeof text;
    const uint64_t positive = magnitude(value);
    *--end = (char)('0' + positive % 10);
    *--end = (char)('0' + positive / 10 % 10);
    *--end = '.';
    char *begin = write_backwards(end, positive / 100);
    if (value < 0) {
        *--begin = '-';
    }
    append_value(json, begin, (size_t)(text + sizeof text - begin));
}

/* Puts a point for whatever the locale uses (it may be several bytes). Returns the length. */
static size_t undo_locale(char *text) {
    char *out = text;
    for (const char *in = text; *in != '\0';) {
        const size_t usual = strspn(in, "0123456789+-e");
        memmove(out, in, usual);
        in += usual;
        out += usual;
        const size_t point = strcspn(in, "0123456789+-e");
        if (point > 0) {
            *out++ = '.';
            in += point;
        }
    }
    *out = '\0';
    return (size_t)(out - text);
}

static size_t integer_text(char out[JSON_NUMBER_TEXT], double value) {
    const int length = snprintf(out, JSON_NUMBER_TEXT, "%.0f", value == 0.0 ? 0.0 : value); /* no "-0" */
    return (size_t)length;
}

static bool is_short_integer(double value) {
    return fabs(value) < 1e15 && value == floor(value);
}

/* snprintf and strtod use the same locale here, so the read-back is sound in each; the point is put right
 * last. */
size_t json_number_text(char out[JSON_NUMBER_TEXT], double value) {
    static const int digits[] = {6, 15, 17};
    assert(isfinite(value));
    if (is_short_integer(value)) {
        return integer_text(out, value);
    }
    for (size_t i = 0; i < sizeof digits / sizeof digits[0]; i++) {
        (void)snprintf(out, JSON_NUMBER_TEXT, "%.*g", digits[i], value);
        if (strtod(out, NULL) == value) {
            break;
        }
    }
    return undo_locale(out);
}

size_t json_float_text(char out[JSON_NUMBER_TEXT], float value) {
    assert(isfinite(value));
    if (is_short_integer((double)value)) {
        return integer_text(out, (double)value);
    }
    for (int digits = 6; digits <= 9; digits++) {
        (void)snprintf(out, JSON_NUMBER_TEXT, "%.*g", digits, (double)value);
        if (strtof(out, NULL) == value) {
            break;
        }
    }
    return undo_locale(out);
}

void json_number(struct json_writer *json, double value) {
    char text[JSON_NUMBER_TEXT];
    const size_t length = json_number_text(text, value);
    append_value(json, text, length);
}

void json_exact(struct json_writer *json, double value) {
    if (value == 0.0 && signbit(value)) {
        json_raw(json, "-0");
    } else {
        json_number(json, value);
    }
}

void json_float(struct json_writer *json, float value) {
    char text[JSON_NUMBER_TEXT];
    const size_t length = json_float_text(text, value);
    append_value(json, text, length);
}

void json_hex64(struct json_writer *json, uint64_t value) {
    char text[18];
    text[0] = text[17] = '"';
    for (int i = 16; i >= 1; i--) {
        text[i] = "0123456789abcdef"[value & 15];
        value >>= 4;
    }
    append_value(json, text, sizeof text);
}

void json_raw(struct json_writer *json, const char *text) {
    append_value(json, text, strlen(text));
}

void json_key_string(struct json_writer *json, const char *key, const char *value) {
    json_key(json, key);
    json_string(json, value);
}

void json_key_bool(struct json_writer *json, const char *key, bool value) {
    json_key(json, key);
    json_bool(json, value);
}

void json_key_unsigned(struct json_writer *json, const char *key, uint64_t value) {
    json_key(json, key);
    json_unsigned(json, value);
}

void json_key_number(struct json_writer *json, const char *key, double value) {
    json_key(json, key);
    json_number(json, value);
}

void json_key_hundredths(struct json_writer *json, const char *key, int64_t value) {
    json_key(json, key);
    json_hundredths(json, value);
}
