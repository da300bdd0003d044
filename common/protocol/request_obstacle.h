/* What add_obstacle takes, for request.c alone. */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_OBSTACLE_H
#define DROVER_COMMON_PROTOCOL_REQUEST_OBSTACLE_H

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/request.h"

/** Reads circle, box or polygon, exactly one of them. Whether a polygon is convex is the world's business. */
NODISCARD int request_read_obstacle(const cJSON *json, struct request_add_obstacle *add,
                                    struct failure *failure);

#endif
