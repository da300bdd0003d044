/* The rules between the fields of a request, and the fields that a row of the table cannot read or write by
 * itself. One pair of functions an op, referred to by request_table.c.
 */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_CHECK_H
#define DROVER_COMMON_PROTOCOL_REQUEST_CHECK_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"

/* Each check reads the SHAPED fields of its op from the request's object and holds the rules between its
 * fields; the others were read by the table. 0, or -1 with *failure. */
NODISCARD int request_check_drive(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_set_target(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_place(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_spawn(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_remove(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_inspect(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_set_param(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_hello(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_load(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_cursor(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_record(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_speed(struct request *request, const cJSON *json, struct failure *failure);

/** Adds to the refusal of a field by its row which member was meant, where the op has such a rule: {"op":"speed","factor":"max"}. */
void request_check_hint(enum request_op op, struct failure *failure);

/* Each writer adds the fields of its op that the table cannot write to an open object. Returns whether these are
 * all its fields: otherwise the table writes the others. */
bool request_write_remove(const struct request *request, struct json_writer *json);
bool request_write_inspect(const struct request *request, struct json_writer *json);
bool request_write_cursor(const struct request *request, struct json_writer *json);

/** Whether the request has this member, whatever its value is. */
bool request_is_given(const cJSON *json, const char *name);

#endif
