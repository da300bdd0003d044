/* What a request has beyond its fixed size: columns of numbers, the requests of a batch, or a document. Memory of its own,
 * which does not change once the request is decoded and which copies of the request share.
 *
 * request_decode_within creates it, request_copy shares it, request_fini gives it back; the last holder frees it. The
 * count is atomic: a copy may go to another thread. A plain assignment of a request borrows it.
 */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_EXTRA_H
#define DROVER_COMMON_PROTOCOL_REQUEST_EXTRA_H

#include <cjson/cJSON.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"

/** The members of requests that may be columns: those with FIELD_COLUMN in the table. */
enum request_column {
    REQUEST_COLUMN_X,
    REQUEST_COLUMN_Y,
    REQUEST_COLUMN_VX,
    REQUEST_COLUMN_VY,
    REQUEST_COLUMN_HEADING,
    REQUEST_COLUMN_STAMINA,
    REQUEST_COLUMN_COUNT
};

/** Columns of numbers, in the units of the wire (px, px/s, degrees), finite and within the range of their field;
 * there is no -0. Row i of every column is about agents[i]. Ids may repeat. */
struct request_columns {
    bool is_given; /* the request has columns, of no rows perhaps */
    uint32_t count;
    uint32_t *agents;                    /* ids, as given; NULL: the rows are about something else */
    float *values[REQUEST_COLUMN_COUNT]; /* NULL: not given */
};

struct request_extra {
    atomic_uint holders;
    size_t bytes; /* of all this */
    struct request_columns columns;
    uint32_t member_count;   /* of a batch */
    struct request *members; /* in the tail; their extras go with this one */
    size_t document_length;
    char *
        document; /* of load and edit: JSON without white space between tokens, NUL-terminated, in the tail */
};

/** Zeroed, with one holder and so many bytes behind it, which are aligned for any number. NULL: out of memory. */
NODISCARD struct request_extra *request_extra_create(size_t tail_bytes);
void *request_extra_tail(struct request_extra *extra);
/** One holder more; returns its argument. NULL is fine. */
struct request_extra *request_extra_keep(struct request_extra *extra);
/** One holder less; the last one frees. NULL is fine. */
void request_extra_release(struct request_extra *extra);
/** The columns of a request, or NULL when it has none. */
const struct request_columns *request_columns_of(const struct request *request);

/* Columns of a request: one number a row for many agents, instead of one request an agent.
 *
 * A field of the op's table with FIELD_COLUMN is a number, or a column: an array of numbers, or a string, which is the
 * base64 of little-endian float32 (uint32 for `agents`). All columns of a request have the same length, at most
 * LIMIT_AGENTS. The columns are in the request's extra; the members of its body are at their defaults then.
 */

/** Says whose numbers the columns are. */
enum request_columns_rows {
    REQUEST_COLUMNS_OF_AGENTS, /* columns and `agents` go together */
    REQUEST_COLUMNS_OF_ANY,    /* columns may be there without `agents` */
};

/** Reads `agents` and the columns of the request's op from its object into request->extra, for the op's check
 * (request_table.h). Without any, in the form for one agent, request->extra stays NULL.
 * returns 0, or -1 with *failure, whose field names the element ("x[17]"). */
NODISCARD int request_columns_read(struct request *request, const cJSON *json, enum request_columns_rows rows,
                                   struct failure *failure);
/** Writes the columns of a request, if it has any, as members of the open object: arrays, or base64 when they are long.
 * Reading them gives the same bits. A writer of request_table.h: returns false, the table writes the other members. */
bool request_columns_write(const struct request *request, struct json_writer *json);
/** The radians of an angle of a column, as those of an angle for one agent. */
float request_columns_radians(float degrees);

#endif
