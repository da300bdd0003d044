/* The rules of subscribe and set_region, for request.c alone. */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_SUBSCRIBE_H
#define DROVER_COMMON_PROTOCOL_REQUEST_SUBSCRIBE_H

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"

/** Reads `region` and checks what goes with which layout; names and numbers were read by the table. */
NODISCARD int request_check_subscribe(struct request_subscribe *subscribe, const cJSON *json,
                                      struct failure *failure);
NODISCARD int request_check_set_region(struct request_set_region *set, const cJSON *json,
                                       struct failure *failure);
/** "region":[...] of a request that has one. */
void request_write_region(const struct request *request, struct json_writer *json);

#endif
