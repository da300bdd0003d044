/* The table of requests, for request.c alone: one row an op. */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_TABLE_H
#define DROVER_COMMON_PROTOCOL_REQUEST_TABLE_H

#include "common/protocol/request.h"

/** A bool of the request's body that says whether a field was given. */
struct request_presence {
    const char *field;
    size_t offset; /* of the bool in the body's struct */
};

struct request_row {
    const char *name;
    bool always_answers;
    const struct field *fields;               /* FIELD_END-ended */
    const struct request_presence *presences; /* ended by a NULL field */
};

extern const struct request_row request_rows[REQUEST_OP_COUNT];

#endif
