/* Whether two requests are the same to the bit, member by member: bytes between the members, and those of the other ops in the
 * union, do not count. */
#ifndef DROVER_TESTS_UNIT_COMMON_PROTOCOL_REQUEST_SAME_H
#define DROVER_TESTS_UNIT_COMMON_PROTOCOL_REQUEST_SAME_H

#include <string.h>

#include "common/protocol/request.h"
#include "common/protocol/request_table.h"

static inline bool is_same_member(const struct request *a, const struct request *b,
                                  const struct field *field) {
    const char *one = (const char *)&a->body + field->offset, *other = (const char *)&b->body + field->offset;
    const bool is_text = field->type == FIELD_NAME || field->type == FIELD_TEXT || field->type == FIELD_NAMES;
    return is_text ? strcmp(one, other) == 0
                   : memcmp(one, other, field->size) == 0; /* numbers: +0 is not -0 */
}

/* The name of the first field of two requests of one op that differs, or is given in one alone; NULL when there is none. Of
 * shaped fields, and of what is in the extra, the text tells. */
static inline const char *request_difference(const struct request *a, const struct request *b) {
    const struct request_row *row = &request_rows[a->op];
    for (const struct field *field = row->fields; field->type != FIELD_END; field++) {
        if (field->type != FIELD_SHAPED && !is_same_member(a, b, field)) {
            return field->name;
        }
        if (field->present != 0 && field_is_present(field, &a->body) != field_is_present(field, &b->body)) {
            return field->name;
        }
    }
    return NULL;
}

#endif
