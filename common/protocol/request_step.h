/* The members of step that the table cannot read or write: `until`, and what goes with `return`. */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_STEP_H
#define DROVER_COMMON_PROTOCOL_REQUEST_STEP_H

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"

/* As in request_check.h. */
NODISCARD int request_check_step(struct request *request, const cJSON *json, struct failure *failure);
bool request_write_step(const struct request *request, struct json_writer *json);

#endif
