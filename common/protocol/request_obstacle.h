/* The shape that add_obstacle takes, for request_table.c. See request_check.h for what a check and a writer
 * do.
 */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_OBSTACLE_H
#define DROVER_COMMON_PROTOCOL_REQUEST_OBSTACLE_H

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"

/** Reads circle, box or polygon, exactly one of them. Whether a polygon is convex is for the world to
 * check. */
NODISCARD int request_check_add_obstacle(struct request *request, const cJSON *json, struct failure *failure);
bool request_write_add_obstacle(const struct request *request, struct json_writer *json);

#endif
