/* A strict JSON check that every text passes before cJSON sees it. Owns its key set for the length of one
 * call.
 *
 * Invariants: one pass, a state per byte position, no recursion; `offset` only grows.
 */
#include "common/json/json_check.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/limits.h"
#include "common/base/utf8.h"
#include "common/json/json_text.h"
#include "common/text/digits.h"

/* ---- key set ---- */

/* The next byte of a checked key after unescaping. An escape can stand for several bytes: they queue in
 * `pending`. */
struct unescaper {
    const char *next, *end;
    char pending[4];
    size_t pending_begin, pending_end;
};

static void unescape_one(struct unescaper *key) {
    static const char plain[] = "b\bf\fn\nr\rt\t";
    key->pending_begin = 0;
    const char c = key->next[1];
    if (c != 'u') {
        const char *named = strchr(plain, c);
        key->pending[0] = named == NULL ? c : named[1];
        key->pending_end = 1;
        key->next += 2;
        return;
    }
    uint32_t code_point = (uint32_t)json_hex4(key->next, 6, 2);
    key->next += 6;
    if (json_is_high_surrogate((int32_t)code_point)) {
        const uint32_t low = (uint32_t)json_hex4(key->next, 6, 2);
        code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
        key->next += 6;
    }
    key->pending_end = utf8_encode(key->pending, code_point);
}

/* The byte, or -1 at the end. */
static int unescape_next(struct unescaper *key) {
    if (key->pending_begin == key->pending_end) {
        if (key->next == key->end) {
            return -1;
        }
        if (*key->next != '\\') {
            return (unsigned char)*key->next++;
        }
        unescape_one(key);
    }
    return (unsigned char)key->pending[key->pending_begin++];
}

static struct unescaper unescaper_of(const struct json_key_set *set, uint32_t begin, uint32_t length) {
    return (struct unescaper){.next = set->text + begin, .end = set->text + begin + length};
}

static uint64_t hash_key(const struct json_key_set *set, uint32_t object, uint32_t begin, uint32_t length) {
    struct unescaper key = unescaper_of(set, begin, length);
    uint64_t hash = set->seed + object;
    for (int byte; (byte = unescape_next(&key)) >= 0;) {
        hash = (hash ^ (uint64_t)byte) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return hash ^ hash >> 32;
}

static bool is_same_key(const struct json_key_set *set, const struct json_key_slot *slot, uint32_t begin,
                        uint32_t length) {
    struct unescaper one = unescaper_of(set, slot->begin, slot->length_plus_one - 1);
    struct unescaper other = unescaper_of(set, begin, length);
    int byte;
    do {
        byte = unescape_next(&one);
        if (byte != unescape_next(&other)) {
            return false;
        }
    } while (byte >= 0);
    return true;
}

/* A member takes 4 bytes or more: "":0. */
static uint32_t json_key_slots(size_t length, int most_tokens) {
    const size_t by_tokens = ((size_t)most_tokens + 1) / 2; /* each key has a value */
    const size_t keys = length / 4 + 1 < by_tokens ? length / 4 + 1 : by_tokens;
    uint32_t slots = 8;
    while (slots < 2 * keys) {
        slots *= 2;
    }
    return slots;
}

/* Adds the key at text[begin], which passed the check of strings. False when the object has it already. */
static bool json_key_set_add(struct json_key_set *set, uint32_t object, uint32_t begin, uint32_t length) {
    assert(set->slots != NULL);
    uint32_t at = (uint32_t)hash_key(set, object, begin, length) & set->slot_mask;
    for (; set->slots[at].length_plus_one != 0; at = (at + 1) & set->slot_mask) {
        if (set->slots[at].object == object && is_same_key(set, &set->slots[at], begin, length)) {
            return false;
        }
    }
    set->slots[at] = (struct json_key_slot){.begin = begin, .length_plus_one = length + 1, .object = object};
    return true;
}

enum {
    DEPTH_MOST = 64,                   /* bits of is_object */
    KEYS_ON_STACK = LIMIT_JSON_TOKENS, /* slots: twice the keys that LIMIT_JSON_TOKENS allows */
    FILE_TOKENS = 1000000,
};

struct checker {
    const char *text;
    size_t length, offset;
    const struct json_limits *limits;
    struct json_fault *fault;
    int tokens, depth;
    uint64_t is_object;           /* bit d: the container at depth d is an object */
    uint32_t objects[DEPTH_MOST]; /* the number of the object at depth d */
    uint32_t object_count;
    struct json_key_set keys;
};

struct json_limits json_limits_line(void) {
    return (struct json_limits){
        .depth = LIMIT_JSON_DEPTH, .tokens = LIMIT_JSON_TOKENS, .number_chars = LIMIT_JSON_NUMBER_CHARS};
}

struct json_limits json_limits_admin(void) {
    return (struct json_limits){.depth = LIMIT_JSON_DEPTH,
                                .tokens = LIMIT_ADMIN_JSON_TOKENS,
                                .number_chars = LIMIT_JSON_NUMBER_CHARS};
}

struct json_limits json_limits_file(void) {
    return (struct json_limits){
        .depth = LIMIT_JSON_DEPTH, .tokens = FILE_TOKENS, .number_chars = LIMIT_JSON_NUMBER_CHARS};
}

static bool fail_at(struct checker *check, size_t offset, const char *message) {
    check->fault->kind = JSON_MALFORMED;
    check->fault->offset = offset;
    (void)snprintf(check->fault->message, sizeof check->fault->message, "%s", message);
    return false;
}

static bool fail(struct checker *check, const char *message) {
    return fail_at(check, check->offset, message);
}

static bool fail_number(struct checker *check, const char *format_one_number, int number) {
    check->fault->kind = JSON_MALFORMED;
    check->fault->offset = check->offset;
    (void)snprintf(check->fault->message, sizeof check->fault->message, "%s %d", format_one_number, number);
    return false;
}

static bool is_at_end(const struct checker *check) {
    return check->offset == check->length;
}

static const char *ends_inside(const struct checker *check) {
    if (check->depth == 0) {
        return "the text is empty";
    }
    return check->is_object >> (unsigned)(check->depth - 1) & 1 ? "the text ends inside an object"
                                                                : "the text ends inside an array";
}

/* Says what stands where something else is wanted: "unexpected '}'", or a byte by its number. */
static bool fail_unexpected(struct checker *check) {
    if (is_at_end(check)) {
        return fail(check, ends_inside(check));
    }
    const unsigned char byte = (unsigned char)check->text[check->offset];
    char message[64];
    if (byte >= 0x20 && byte < 0x7F) {
        (void)snprintf(message, sizeof message, "unexpected '%c'", byte);
    } else {
        (void)snprintf(message, sizeof message, "unexpected byte 0x%02x", byte);
    }
    return fail(check, message);
}

static void skip_space(struct checker *check) {
    while (!is_at_end(check)) {
        const char c = check->text[check->offset];
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
            break;
        }
        check->offset++;
    }
}

static bool next_is(const struct checker *check, char wanted) {
    return !is_at_end(check) && check->text[check->offset] == wanted;
}

/* ---- strings ---- */

/* offset is at the 'u' of \uXXXX. */
static bool check_unicode_escape(struct checker *check) {
    const size_t begin = check->offset - 1;
    const int32_t unit = json_hex4(check->text, check->length, check->offset + 1);
    if (unit < 0) {
        return fail_at(check, begin, "\\u needs four hexadecimal digits");
    }
    if (unit == 0) {
        return fail_at(check, begin, "NUL is not allowed, not even as \\u0000");
    }
    if (json_is_low_surrogate(unit)) {
        return fail_at(check, begin, "a low surrogate without a high one");
    }
    check->offset += 5;
    if (json_is_high_surrogate(unit)) {
        const bool has_pair = check->length - check->offset >= 6 && check->text[check->offset] == '\\' &&
                              check->text[check->offset + 1] == 'u' &&
                              json_is_low_surrogate(json_hex4(check->text, check->length, check->offset + 2));
        if (!has_pair) {
            return fail_at(check, begin, "a high surrogate without a low one");
        }
        check->offset += 6;
    }
    return true;
}

static bool check_escape(struct checker *check) {
    check->offset++;
    if (is_at_end(check)) {
        return fail(check, "the text ends inside a string");
    }
    const char c = check->text[check->offset];
    if (c == 'u') {
        return check_unicode_escape(check);
    }
    if (c == '\0' || strchr("\"\\/bfnrt", c) == NULL) {
        return fail_at(check, check->offset - 1, "unknown escape in a string");
    }
    check->offset++;
    return true;
}

/* offset is at the opening quote; afterwards past the closing one. */
static bool check_string(struct checker *check) {
    check->offset++;
    while (!is_at_end(check)) {
        const unsigned char c = (unsigned char)check->text[check->offset];
        if (c == '"') {
            check->offset++;
            return true;
        }
        if (c == '\\') {
            if (!check_escape(check)) {
                return false;
            }
        } else if (c < 0x20) {
            return fail(check, c == 0 ? "NUL is not allowed" : "a control character in a string; escape it");
        } else {
            const size_t size = utf8_character(check->text + check->offset, check->length - check->offset);
            if (size == 0) {
                return fail(check, "not UTF-8");
            }
            check->offset += size;
        }
    }
    return fail(check, "the text ends inside a string");
}

static bool fail_duplicate(struct checker *check, uint32_t begin, uint32_t length) {
    const char *key = check->text + begin;
    const int shown = (int)utf8_cut(key, length, 64);
    check->fault->kind = JSON_DUPLICATE_KEY;
    check->fault->offset = begin - 1;
    (void)snprintf(check->fault->message, sizeof check->fault->message, "duplicate key \"%.*s%s\"", shown,
                   key, (uint32_t)shown < length ? "..." : "");
    return false;
}

static bool remember_key(struct checker *check, uint32_t begin, uint32_t length) {
    return json_key_set_add(&check->keys, check->objects[check->depth - 1], begin, length) ||
           fail_duplicate(check, begin, length);
}

/* ---- numbers ---- */

static size_t count_digits(const struct checker *check, size_t at) {
    size_t count = 0;
    while (at + count < check->length && check->text[at + count] >= '0' && check->text[at + count] <= '9') {
        count++;
    }
    return count;
}

static bool check_fraction(struct checker *check) {
    if (next_is(check, '.')) {
        check->offset++;
        const size_t digits = count_digits(check, check->offset);
        check->offset += digits;
        if (digits == 0) {
            return fail(check, "a digit must follow the point of a number");
        }
    }
    return true;
}

static bool check_exponent(struct checker *check, int64_t *exponent) {
    *exponent = 0;
    if (!next_is(check, 'e') && !next_is(check, 'E')) {
        return true;
    }
    check->offset++;
    const bool is_negative = next_is(check, '-');
    if (is_negative || next_is(check, '+')) {
        check->offset++;
    }
    const size_t digits = count_digits(check, check->offset);
    *exponent = decimal_exponent(check->text + check->offset, digits, is_negative);
    check->offset += digits;
    return digits > 0 || fail(check, "a digit must follow the exponent sign of a number");
}

static bool check_number(struct checker *check) {
    const size_t begin = check->offset;
    if (next_is(check, '-')) {
        check->offset++;
    }
    const size_t mantissa = check->offset;
    const size_t digits = count_digits(check, mantissa);
    if (digits == 0) {
        return fail(check, "a digit must follow the minus sign");
    }
    if (digits > 1 && check->text[mantissa] == '0') {
        return fail_at(check, mantissa, "a number must not begin with a zero");
    }
    check->offset += digits;
    if (!check_fraction(check)) {
        return false;
    }
    const size_t mantissa_length = check->offset - mantissa;
    int64_t exponent = 0;
    if (!check_exponent(check, &exponent)) {
        return false;
    }
    if (check->offset - begin > (size_t)check->limits->number_chars) {
        check->offset = begin;
        return fail_number(check,
                           "a number is too long: most characters allowed:", check->limits->number_chars);
    }
    return decimal_is_finite(check->text + mantissa, mantissa_length, exponent) ||
           fail_at(check, begin, "a number is too large for a double");
}

/* ---- structure ---- */

static bool count_token(struct checker *check) {
    return ++check->tokens <= check->limits->tokens ||
           fail_number(check, "too many keys and values: at most", check->limits->tokens);
}

static bool check_word(struct checker *check, const char *word) {
    const size_t length = strlen(word);
    if (check->length - check->offset < length || memcmp(check->text + check->offset, word, length) != 0) {
        return fail_unexpected(check);
    }
    check->offset += length;
    return true;
}

static bool open_container(struct checker *check, bool is_object) {
    if (check->depth >= check->limits->depth) {
        return fail_number(check, "nested too deep: at most", check->limits->depth);
    }
    const uint64_t bit = UINT64_C(1) << (unsigned)check->depth;
    check->is_object = is_object ? check->is_object | bit : check->is_object & ~bit;
    check->objects[check->depth++] = check->object_count++;
    check->offset++;
    return true;
}

static bool is_in_object(const struct checker *check) {
    return check->depth > 0 && (check->is_object >> (unsigned)(check->depth - 1) & 1);
}

static bool check_key(struct checker *check) {
    if (!next_is(check, '"')) {
        return fail_unexpected(check);
    }
    const size_t begin = check->offset + 1;
    if (!count_token(check) || !check_string(check) ||
        !remember_key(check, (uint32_t)begin, (uint32_t)(check->offset - 1 - begin))) {
        return false;
    }
    skip_space(check);
    if (!next_is(check, ':')) {
        return fail_unexpected(check);
    }
    check->offset++;
    skip_space(check);
    return true;
}

/* A whole scalar, or the opening of a container (*opened). */
static bool check_value(struct checker *check, bool *opened) {
    *opened = false;
    if (is_at_end(check) || !count_token(check)) {
        return is_at_end(check) ? fail_unexpected(check) : false;
    }
    switch (check->text[check->offset]) {
    case '{':
    case '[':
        *opened = true;
        return open_container(check, check->text[check->offset] == '{');
    case '"':
        return check_string(check);
    case 't':
        return check_word(check, "true");
    case 'f':
        return check_word(check, "false");
    case 'n':
        return check_word(check, "null");
    default:
        if (next_is(check, '-') || count_digits(check, check->offset) > 0) {
            return check_number(check);
        }
        return fail_unexpected(check);
    }
}

static bool close_if_next(struct checker *check) {
    if (!next_is(check, is_in_object(check) ? '}' : ']')) {
        return false;
    }
    check->offset++;
    check->depth--;
    return true;
}

/* After a value: closes what ends here. *more says that another item follows its comma. */
static bool finish_value(struct checker *check, bool *more) {
    *more = false;
    for (;;) {
        skip_space(check);
        if (check->depth == 0) {
            return is_at_end(check) || fail(check, "something follows the value");
        }
        if (next_is(check, ',')) {
            check->offset++;
            skip_space(check);
            *more = true;
            return true;
        }
        if (!close_if_next(check)) {
            return fail_unexpected(check);
        }
    }
}

static bool check_text(struct checker *check) {
    bool more = true;
    skip_space(check);
    while (more) {
        bool opened = false;
        if ((is_in_object(check) && !check_key(check)) || !check_value(check, &opened)) {
            return false;
        }
        if (opened) {
            skip_space(check);
            if (!close_if_next(check)) {
                continue;
            }
        }
        if (!finish_value(check, &more)) {
            return false;
        }
    }
    return true;
}

static bool check_with_slots(struct checker *check, uint32_t slot_count) {
    if (slot_count <= KEYS_ON_STACK) {
        struct json_key_slot slots[KEYS_ON_STACK];
        memset(slots, 0, slot_count * sizeof slots[0]);
        check->keys.slots = slots;
        const bool is_fine = check_text(check);
        check->keys.slots = NULL; /* it ends with this block */
        return is_fine;
    }
    check->keys.slots = calloc(slot_count, sizeof check->keys.slots[0]);
    const bool is_fine = check->keys.slots == NULL ? fail(check, "out of memory") : check_text(check);
    free(check->keys.slots);
    return is_fine;
}

enum json_fault_kind json_check(const char *text, size_t length, const struct json_limits *limits,
                                struct json_fault *fault) {
    assert(limits->depth <= DEPTH_MOST);
    *fault = (struct json_fault){.kind = JSON_FINE, .line = 1, .column = 1};
    struct checker check = {
        .text = text, .length = length, .limits = limits, .fault = fault, .keys = {.text = text}};
    /* The address differs from run to run: a client cannot prepare keys that all fall into one slot. Affects speed
     * only. */
    check.keys.seed = (uint64_t)(uintptr_t)&check;
    if (length > INT32_MAX) {
        (void)fail(&check, "the text is too long");
        return fault->kind;
    }
    const uint32_t slot_count = json_key_slots(length, limits->tokens);
    check.keys.slot_mask = slot_count - 1;
    if (!check_with_slots(&check, slot_count)) {
        const struct json_place place = json_place_of(text, fault->offset);
        fault->line = place.line;
        fault->column = place.column;
    }
    return fault->kind;
}
