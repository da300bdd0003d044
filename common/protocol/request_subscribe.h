/* The rules of subscribe and set_region, for request_table.c. See request_check.h for what a check and a
 * writer do.
 */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_SUBSCRIBE_H
#define DROVER_COMMON_PROTOCOL_REQUEST_SUBSCRIBE_H

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"

/** The fields of agents that a subscription may name, NULL after the last. */
extern const char *const request_field_names[];

/** Reads `region`; checks which fields the layout takes. */
NODISCARD int request_check_subscribe(struct request *request, const cJSON *json, struct failure *failure);
/** Reads the region of a view that has one, and holds the rules of its other members. */
NODISCARD int request_check_view(struct request_subscribe *view, const cJSON *json, struct failure *failure);
/** Writes the region of a view that has one, as a member of the open object. */
void request_write_view(const struct request_subscribe *view, struct json_writer *json);
NODISCARD int request_check_get(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_set_region(struct request *request, const cJSON *json, struct failure *failure);
/** Write `region`, when there is one. */
bool request_write_get(const struct request *request, struct json_writer *json);
bool request_write_subscribe(const struct request *request, struct json_writer *json);
bool request_write_set_region(const struct request *request, struct json_writer *json);

#endif
