/* Where a value is in a JSON text, found by its path, for messages to people. */
#ifndef DROVER_COMMON_JSON_JSON_PLACE_H
#define DROVER_COMMON_JSON_JSON_PLACE_H

#include <stddef.h>

/** A place in a text, 1-based; the column counts bytes. */
struct json_place {
    int line, column;
};

/** The place of text[offset]. */
struct json_place json_place_of(const char *text, size_t offset);
/** The place of what a path such as "kinds.prey.behaviors[0].seek" names: the key of a member, the beginning of an
 * element. Where the path goes on to what is not there (a missing key, a path that was cut, a key with escapes), the
 * place of the innermost value that is.
 *
 * text      passed json_check, NUL-terminated
 */
struct json_place json_place_find(const char *text, const char *path);
/** Where the value that a path names begins in such a text; NULL when there is none. */
const char *json_value_find(const char *text, const char *path);

#endif
