/* The strict JSON check against a second opinion: a recursive parser written from RFC 8259 and json_check.h
 * alone. They must accept the same texts; cJSON must read every accepted one. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/json/json_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KEYS = 4096, KEY_POOL = 1 << 18 };

struct parser {
    const uint8_t *at, *end;
    struct json_limits limits;
    int depth, tokens;
    uint8_t *pool; /* unescaped keys of the objects that are open, one behind the other */
    size_t used;
};

struct key {
    size_t start, length;
};

static bool parse_value(struct parser *p);

static void skip_white(struct parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')) {
        p->at++;
    }
}

static bool take(struct parser *p, char c) {
    if (p->at < p->end && *p->at == (uint8_t)c) {
        p->at++;
        return true;
    }
    return false;
}

static void keep(struct parser *p, uint32_t code) {
    if (p->used + 4 > KEY_POOL) {
        abort();
    }
    if (code < 0x80) {
        p->pool[p->used++] = (uint8_t)code;
    } else if (code < 0x800) {
        p->pool[p->used++] = (uint8_t)(0xC0 | code >> 6);
        p->pool[p->used++] = (uint8_t)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        p->pool[p->used++] = (uint8_t)(0xE0 | code >> 12);
        p->pool[p->used++] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        p->pool[p->used++] = (uint8_t)(0x80 | (code & 0x3F));
    } else {
        p->pool[p->used++] = (uint8_t)(0xF0 | code >> 18);
        p->pool[p->used++] = (uint8_t)(0x80 | (code >> 12 & 0x3F));
        p->pool[p->used++] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        p->pool[p->used++] = (uint8_t)(0x80 | (code & 0x3F));
    }
}

static bool hex4(struct parser *p, uint32_t *code) {
    *code = 0;
    for (int i = 0; i < 4; i++) {
        if (p->at == p->end) {
            return false;
        }
        const uint8_t c = *p->at++;
        const uint32_t lower = c | 0x20u;
        if (c >= '0' && c <= '9') {
            *code = *code * 16 + (uint32_t)(c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            *code = *code * 16 + (lower - 'a' + 10);
        } else {
            return false;
        }
    }
    return true;
}

static bool parse_escape(struct parser *p) {
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    if (p->at == p->end) {
        return false;
    }
    const uint8_t c = *p->at++;
    const char *found = c == 0 ? NULL : strchr(from, c);
    if (found != NULL) {
        keep(p, (uint8_t)to[found - from]);
        return true;
    }
    uint32_t code = 0;
    if (c != 'u' || !hex4(p, &code) || code == 0 || (code >= 0xDC00 && code <= 0xDFFF)) {
        return false;
    }
    if (code >= 0xD800 && code <= 0xDBFF) {
        uint32_t low = 0;
        if (!take(p, '\\') || !take(p, 'u') || !hex4(p, &low) || low < 0xDC00 || low > 0xDFFF) {
            return false;
        }
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    keep(p, code);
    return true;
}

/* One UTF-8 character: no overlong form, no surrogate, nothing above U+10FFFF. */
static bool parse_character(struct parser *p) {
    const uint8_t first = *p->at++;
    if (first < 0x20) {
        return false;
    }
    if (first < 0x80) {
        keep(p, first);
        return true;
    }
    const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    uint32_t code = first & (0x3Fu >> more);
    if (first < 0xC2 || first > 0xF4 || p->end - p->at < more) {
        return false;
    }
    for (int i = 0; i < more; i++) {
        const uint8_t next = *p->at++;
        if ((next & 0xC0) != 0x80) {
            return false;
        }
        code = code << 6 | (next & 0x3Fu);
    }
    keep(p, code);
    return code >= least[more] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

/* Leaves the unescaped text at the end of the pool. */
static bool parse_string(struct parser *p, struct key *key) {
    key->start = p->used;
    if (!take(p, '"')) {
        return false;
    }
    while (p->at < p->end && *p->at != '"') {
        if (take(p, '\\') ? !parse_escape(p) : !parse_character(p)) {
            return false;
        }
    }
    key->length = p->used - key->start;
    return take(p, '"');
}

static int digits(struct parser *p) {
    int count = 0;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
        p->at++;
        count++;
    }
    return count;
}

static bool parse_number(struct parser *p) {
    const uint8_t *start = p->at;
    (void)take(p, '-');
    const bool is_zero = p->at < p->end && *p->at == '0';
    const int whole = digits(p);
    if (whole == 0 || (is_zero && whole > 1) || (take(p, '.') && digits(p) == 0)) {
        return false;
    }
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        p->at++;
        if (!take(p, '+')) {
            (void)take(p, '-');
        }
        if (digits(p) == 0) {
            return false;
        }
    }
    char text[80] = "";
    const size_t length = (size_t)(p->at - start);
    if (length > (size_t)p->limits.number_chars || length >= sizeof text) {
        return false;
    }
    memcpy(text, start, length);
    return isfinite(strtod(text, NULL));
}

static bool parse_array(struct parser *p) {
    skip_white(p);
    if (take(p, ']')) {
        return true;
    }
    do {
        if (!parse_value(p)) {
            return false;
        }
    } while (take(p, ','));
    return take(p, ']');
}

static bool is_new(const struct parser *p, const struct key *keys, int count, const struct key *key) {
    for (int i = 0; i < count; i++) {
        if (keys[i].length == key->length &&
            memcmp(p->pool + keys[i].start, p->pool + key->start, key->length) == 0) {
            return false;
        }
    }
    return true;
}

static bool parse_members(struct parser *p, struct key *keys) {
    int count = 0;
    skip_white(p);
    if (take(p, '}')) {
        return true;
    }
    do {
        skip_white(p);
        if (++p->tokens > p->limits.tokens || count == KEYS || !parse_string(p, &keys[count]) ||
            !is_new(p, keys, count, &keys[count])) {
            return false;
        }
        count++;
        skip_white(p);
        if (!take(p, ':') || !parse_value(p)) {
            return false;
        }
    } while (take(p, ','));
    return take(p, '}');
}

static bool parse_object(struct parser *p) {
    const size_t used = p->used;
    struct key *keys = malloc(KEYS * sizeof *keys);
    if (keys == NULL) {
        abort();
    }
    const bool result = parse_members(p, keys);
    free(keys);
    p->used = used;
    return result;
}

static bool parse_word(struct parser *p) {
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(words[i]);
        if ((size_t)(p->end - p->at) >= length && memcmp(p->at, words[i], length) == 0) {
            p->at += length;
            return true;
        }
    }
    return false;
}

static bool parse_nested(struct parser *p, bool is_object) {
    p->at++;
    const bool result = ++p->depth <= p->limits.depth && (is_object ? parse_object(p) : parse_array(p));
    p->depth--;
    return result;
}

static bool parse_value(struct parser *p) {
    struct key ignored;
    const size_t used = p->used;
    bool result = false;
    skip_white(p);
    if (p->at == p->end || ++p->tokens > p->limits.tokens) {
        return false;
    }
    switch (*p->at) {
    case '{':
    case '[':
        result = parse_nested(p, *p->at == '{');
        break;
    case '"':
        result = parse_string(p, &ignored);
        break;
    case 't':
    case 'f':
    case 'n':
        result = parse_word(p);
        break;
    default:
        result = parse_number(p);
    }
    p->used = used;
    skip_white(p);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint8_t pool[KEY_POOL];
    if (size > 1 << 16) {
        return 0;
    }
    struct parser parser = {.at = data, .end = data + size, .limits = json_limits_line(), .pool = pool};
    const bool expected = parse_value(&parser) && parser.at == parser.end;
    struct json_fault fault;
    const bool found = json_check((const char *)data, size, &parser.limits, &fault) == JSON_FINE;
    if (expected != found || (!found && (fault.message[0] == '\0' || fault.offset > size))) {
        abort();
    }
    if (found) {
        cJSON *json = cJSON_ParseWithLengthOpts((const char *)data, size, NULL, 0);
        if (json == NULL) {
            abort();
        }
        cJSON_Delete(json);
    }
    return 0;
}
