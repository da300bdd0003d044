/* Writes JSON text into a buffer, without a tree. Commas are put by the writer. Compact: no white space.
 *
 *     struct json_writer json = json_writer_begin(&buffer);
 *     json_object(&json);  json_key(&json, "tick");  json_unsigned(&json, 7);  json_end(&json);   ->
 * {"tick":7}
 *
 * Errors are the buffer's (`buffer.failed`). Nesting at most 32 deep (assert).
 */
#ifndef DROVER_COMMON_JSON_JSON_WRITER_H
#define DROVER_COMMON_JSON_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct json_writer {
    struct buffer *buffer;
    uint32_t is_object; /* bit d: the container at depth d is an object */
    uint32_t has_items; /* bit d: it needs a comma before the next item */
    int depth;
    bool after_key;
};

struct json_writer json_writer_begin(struct buffer *buffer);
void json_object(struct json_writer *json);
void json_array(struct json_writer *json);
/** Closes the innermost object or array. */
void json_end(struct json_writer *json);
void json_key(struct json_writer *json, const char *key);
/** Escapes quotes, backslashes and control characters; text must be valid UTF-8. */
void json_string(struct json_writer *json, const char *text);
void json_bool(struct json_writer *json, bool value);
void json_signed(struct json_writer *json, int64_t value);
void json_unsigned(struct json_writer *json, uint64_t value);
/** value / 100 with exactly two decimals: -5 -> -0.05. Locale-independent. */
void json_hundredths(struct json_writer *json, int64_t value);
/** A finite double in the shortest of %.6g / %.15g / %.17g that reads back, locale-independent; integers
 * without a point. For human-sized numbers (parameters, times); never for hashes or 64-bit ids. */
void json_number(struct json_writer *json, double value);
/** The same for a float: the fewest digits (6 to 9) that read back as this float, so 0.1f is 0.1. */
void json_float(struct json_writer *json, float value);
/** The same, but -0 keeps its sign: what comes back has the same bits. A float goes here as the double that it is. */
void json_exact(struct json_writer *json, double value);
/** 16 lower-case hexadecimal digits as a string: hashes, seeds above 2^53. */
void json_hex64(struct json_writer *json, uint64_t value);
/** Text that is JSON already (an id echoed as it came). */
void json_raw(struct json_writer *json, const char *text);

enum { JSON_NUMBER_TEXT = 40 };
/** The text json_number writes, NUL-terminated, for messages to people. Returns its length. */
size_t json_number_text(char out[JSON_NUMBER_TEXT], double value);
/** The text json_float writes. */
size_t json_float_text(char out[JSON_NUMBER_TEXT], float value);

/* key and value in one call */
void json_key_string(struct json_writer *json, const char *key, const char *value);
void json_key_bool(struct json_writer *json, const char *key, bool value);
void json_key_unsigned(struct json_writer *json, const char *key, uint64_t value);
void json_key_number(struct json_writer *json, const char *key, double value);
void json_key_hundredths(struct json_writer *json, const char *key, int64_t value);

#endif
