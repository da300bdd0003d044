/* The reply to `help`: every op with its role and its fields, from the table that decoding uses. */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_HELP_H
#define DROVER_COMMON_PROTOCOL_REQUEST_HELP_H

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"

/** Adds the member "ops" to an open reply: all of them, or the one that the request is about. 0, or -1 with
 * *failure (unknown_op, field "about"); nothing is written then. */
NODISCARD int request_help_write(const struct request_help *request, struct json_writer *json,
                                 struct failure *failure);

#endif
