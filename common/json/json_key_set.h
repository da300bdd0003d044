/* The keys that were seen in the objects of a text, compared after unescaping. Pure.
 *
 * Invariant: an entry names the object that it belongs to, so nothing is removed when an object closes.
 */
#ifndef DROVER_COMMON_JSON_JSON_KEY_SET_H
#define DROVER_COMMON_JSON_JSON_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where the text of a key is, and in which object. length_plus_one 0: a free slot. */
struct json_key_slot {
    uint32_t begin, length_plus_one, object;
};

/** Borrows its text and slots. */
struct json_key_set {
    const char *text;
    struct json_key_slot *slots; /* slot_mask + 1 of them; all zero at first */
    uint32_t slot_mask;
    uint64_t seed;
};

/** Slots for twice the keys that a text of this length can hold, a power of two. */
uint32_t json_key_slots(size_t length, int most_tokens);
/** Adds the key at text[begin], which passed the check of strings. False when the object has it already. */
bool json_key_set_add(struct json_key_set *set, uint32_t object, uint32_t begin, uint32_t length);

#endif
