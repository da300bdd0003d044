/* The request `batch`: up to LIMIT_BATCH requests that take effect together, or not at all. Its members are in the
 * request's extra. An op may stand in a batch when its row has REQUEST_TRAIT_BATCH: what it does can be undone.
 */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_BATCH_H
#define DROVER_COMMON_PROTOCOL_REQUEST_BATCH_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"

/** The members of a batch, or those of a compare; 0 of every other request. */
uint32_t request_member_count(const struct request *request);
/** A member, from 0; it belongs to the batch. */
const struct request *request_member(const struct request *request, uint32_t index);
/** Makes a failure of a member one of its batch: its place becomes "requests[3].agent". Returns -1. */
int request_fail_member(uint32_t index, struct failure *failure);

/** Reads a member out of its object. 0, or -1 with *failure; then the caller need not end it. */
typedef int request_member_reader(const cJSON *json, struct request *member, struct failure *failure);
/** Writes the members of a request's object into an open object. */
typedef void request_member_writer(const struct request *member, struct json_writer *json);

#endif
