/* See json_key_set.h. */
#include "common/json/json_key_set.h"

#include <assert.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/json/json_escape.h"

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
uint32_t json_key_slots(size_t length, int most_tokens) {
    const size_t by_tokens = ((size_t)most_tokens + 1) / 2; /* each key has a value */
    const size_t keys = length / 4 + 1 < by_tokens ? length / 4 + 1 : by_tokens;
    uint32_t slots = 8;
    while (slots < 2 * keys) {
        slots *= 2;
    }
    return slots;
}

bool json_key_set_add(struct json_key_set *set, uint32_t object, uint32_t begin, uint32_t length) {
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
