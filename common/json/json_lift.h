/* Takes the long strings out of a line of JSON before it is parsed: a parser that copies them byte by byte
 * would take most of the time that a packed frame takes.
 *
 * In the short copy each long string is "#0", "#1", ... A line that has a string beginning with # itself is
 * refused, so that a line cannot refer to another text. Whether the line is JSON is for the parser to say.
 */
#ifndef DROVER_COMMON_JSON_JSON_LIFT_H
#define DROVER_COMMON_JSON_JSON_LIFT_H

#include <stddef.h>

#include "common/base/buffer.h"
#include "common/base/nodiscard.h"

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
