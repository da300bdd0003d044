/* A strict JSON check (RFC 8259) that every text passes before cJSON sees it.
 *
 * cJSON accepts trailing garbage, leading zeros, raw control characters, broken UTF-8, \u0000, duplicate
 * keys, 1e999, and nests 1000 deep. This refuses all of that: grammar, UTF-8 (and no lone surrogate escapes),
 * NUL in any spelling, duplicate keys (compared after unescaping), numbers that are not finite as a double,
 * and the limits. Non-recursive. It allocates nothing for texts within LIMIT_JSON_TOKENS; never more than the
 * token limit needs.
 */
#ifndef DROVER_COMMON_JSON_JSON_CHECK_H
#define DROVER_COMMON_JSON_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"

struct json_limits {
    int depth;        /* most open objects and arrays */
    int tokens;       /* most keys and values */
    int number_chars; /* most characters of a number */
};

/** The limits of a line on the wire (common/base/limits.h). */
struct json_limits json_limits_line(void);
/** The limits of an admin's line: the same depth, more tokens. */
struct json_limits json_limits_admin(void);
/** The limits of a scenario file: the same depth, more tokens (1 000 000). */
struct json_limits json_limits_file(void);

enum json_fault_kind { JSON_FINE = 0, JSON_MALFORMED, JSON_DUPLICATE_KEY };

struct json_fault {
    enum json_fault_kind kind;
    size_t offset;     /* byte where it went wrong, 0-based */
    int line, column;  /* the same place, 1-based, column in bytes */
    char message[160]; /* "unexpected '}'", "duplicate key \"op\"", ... printable ASCII or valid UTF-8 */
};

/** JSON_FINE when the whole of text[0..length) is exactly one JSON value with optional white space around it;
 * otherwise fills *fault. text need not be NUL-terminated. */
NODISCARD enum json_fault_kind json_check(const char *text, size_t length, const struct json_limits *limits,
                                          struct json_fault *fault);

/* The keys that were seen in the objects of a text, compared after unescaping. Pure.
 *
 * Invariant: an entry names the object that it belongs to, so nothing is removed when an object closes.
 */

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

#endif
