/* Columns of a request: one number a row for many agents, instead of one request an agent.
 *
 * A field of the op's table with FIELD_COLUMN is a number, or a column: an array of numbers, or a string, which is the
 * base64 of little-endian float32 (uint32 for `agents`). All columns of a request have the same length, at most
 * LIMIT_AGENTS. The columns are in the request's extra; the members of its body are at their defaults then.
 */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_COLUMNS_H
#define DROVER_COMMON_PROTOCOL_REQUEST_COLUMNS_H

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"
#include "common/protocol/request_extra.h"

/** Says whose numbers the columns are. */
enum request_columns_rows {
    REQUEST_COLUMNS_OF_AGENTS, /* columns and `agents` go together */
    REQUEST_COLUMNS_OF_ANY,    /* columns may be there without `agents` */
};

/** Reads `agents` and the columns of the request's op from its object into request->extra, for the op's check
 * (request_check.h). Without any, in the form for one agent, request->extra stays NULL.
 * returns 0, or -1 with *failure, whose field names the element ("x[17]"). */
NODISCARD int request_columns_read(struct request *request, const cJSON *json, enum request_columns_rows rows,
                                   struct failure *failure);
/** Writes the columns of a request, if it has any, as members of the open object: arrays, or base64 when they are long.
 * Reading them gives the same bits. A writer of request_table.h: returns false, the table writes the other members. */
bool request_columns_write(const struct request *request, struct json_writer *json);
/** Whether the value of a field with FIELD_COLUMN has the form of a column. */
bool request_columns_is_column(const cJSON *value);
/** The radians of an angle of a column, as those of an angle for one agent. */
float request_columns_radians(float degrees);

#endif
