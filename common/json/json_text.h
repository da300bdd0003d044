/* Escapes in JSON strings. */
#ifndef DROVER_COMMON_JSON_JSON_TEXT_H
#define DROVER_COMMON_JSON_JSON_TEXT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"

/** The number that four hexadecimal digits at text[at] say, or -1 when there are none within length. */
int32_t json_hex4(const char *text, size_t length, size_t at);
/** Whether a \u escape is the first, or the second, half of a surrogate pair. */
bool json_is_high_surrogate(int32_t unit);
bool json_is_low_surrogate(int32_t unit);

/* The id of a request, as JSON text: read from a line, echoed in its answer. */

enum { ID_TEXT_BYTES = LIMIT_ID_CHARS * 6 + 3 };

/** An integer 0..2^53-1 or a string of at most LIMIT_ID_CHARS characters, as JSON text. false: neither (out
 * is ""). */
bool id_text_read(const cJSON *value, char out[ID_TEXT_BYTES]);

/* Where a value is in a JSON text, found by its path, for messages to people. */

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
/** Where the value of the member at `index`, from 0, of the object that a text is begins; it has so many members and passed
 * json_check. *length: of the value, with the white space behind it. */
const char *json_member_value(const char *text, int index, size_t *length);
/** Leaves out the white space between the tokens of a text that passed json_check; tokens stay as they are. out: room for length
 * bytes; the text itself will do. Returns how many there are. */
size_t json_compact(const char *text, size_t length, char *out);
/** Appends the value that begins here, of a text that passed json_check and has no white space between its tokens, as people lay it
 * out: in one line what fits into JSON_LAYOUT_COLUMNS, otherwise a member a line, elements as many as fit; with a line feed at the
 * end. */
enum { JSON_LAYOUT_COLUMNS = 120 };
void json_layout(const char *value, struct buffer *out);

struct json_writer;
/** Writes a tree as the next value; its numbers come back with the same bits. */
void json_tree_write(struct json_writer *json, const cJSON *tree);
/** Whether both are the same value, their numbers to the bit, members in any order. NULL: there is none. */
bool json_is_same(const cJSON *a, const cJSON *b);
/** Appends what a JSON merge patch (RFC 7396) makes of a value; tokens stay as they are, members keep their places, further ones come last.
 *
 * value, patch  texts that passed json_check, without white space between tokens; NULL: there is no value
 * returns       false: an object of the patch has more than JSON_MERGE_MEMBERS members, or memory is short (out->failed) */
enum { JSON_MERGE_MEMBERS = 1024 };
NODISCARD bool json_merge(const char *value, const char *patch, struct buffer *out);

/* Takes the long strings out of a line of JSON before it is parsed: a parser that copies them byte by byte
 * would take most of the time that a packed frame takes.
 *
 * In the short copy each long string is "#0", "#1", ... A line that has a string beginning with # itself is
 * refused, so that a line cannot refer to another text. Whether the line is JSON is for the parser to say.
 */

enum { JSON_LIFT_MOST = 64, JSON_LIFT_BYTES = 64 /* shorter ones stay */ };

struct json_lift {
    struct buffer line; /* the short copy; owned, its memory is kept from line to line */
    int count;
    const char *texts[JSON_LIFT_MOST]; /* in the line that was given; without quotes, no escapes in them */
    size_t lengths[JSON_LIFT_MOST];
};

void json_lift_init(struct json_lift *lift);
void json_lift_fini(struct json_lift *lift);
/** 0, or -1 when a string begins with # or memory runs out. The texts are valid as long as the line is. */
NODISCARD int json_lift_read(struct json_lift *lift, const char *line, size_t length);
/** The text that a string of the short copy stands for: another's, or itself. */
const char *json_lift_text(const struct json_lift *lift, const char *string, size_t *length);

#endif
