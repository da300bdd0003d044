/* The members of a request that its op does not know: noted, so that its answer can name them, and compared
 * with those it knows. They never change what a request does. */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_UNKNOWN_H
#define DROVER_COMMON_PROTOCOL_REQUEST_UNKNOWN_H

#include <cjson/cJSON.h>

#include "common/json/json_writer.h"
#include "common/protocol/request.h"

/** Fills request->unknown; its op and id are set.
 * present  the rows of its table that fields_read saw, or NULL when it did not come to the end */
void request_unknown_note(const cJSON *json, const uint64_t *present, struct request *request);

/** Writes "unknown", an array, and "hint", a sentence, into an open object; nothing when all are known. */
void request_unknown_write(const struct request *request, struct json_writer *json);

/** Appends what was probably meant (`"rate": did you mean "hz"?`), which ops have such a member, and what
 * this one takes. */
void request_unknown_hint(const struct request *request, struct buffer *out);

#endif
