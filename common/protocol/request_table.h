/* The table of requests, for the request_*.c files alone: one row an op. */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_TABLE_H
#define DROVER_COMMON_PROTOCOL_REQUEST_TABLE_H

#include <cjson/cJSON.h>

#include "common/json/json_writer.h"
#include "common/protocol/request.h"

/** A bool of the request's body that says whether a field was given. */
struct request_presence {
    const char *field;
    size_t offset; /* of the bool in the body's struct */
};

/** Holds the rules between fields, and reads those that the table cannot (request_check.h). */
typedef int request_check(struct request *request, const cJSON *json, struct failure *failure);
/** Writes the fields that the table cannot. Returns whether these are all. */
typedef bool request_writer(const struct request *request, struct json_writer *json);

/** Why ranks that share a world in stripes (docs/cluster.md) do not do an op, or a part of what it does, and what to do
 * instead. NULL: they do all of it. Ranks that have copies of the world do everything. */
struct request_stripes {
    const char *refused; /* the op altogether */
    const char *limited; /* some of its requests */
};

/** The wire half of a request. The server's half, its handlers, is in server/commands/command_apply.c and
 * server/loop/session_requests.c. */
struct request_row {
    const char *name;
    enum role role;                           /* that the op needs */
    unsigned traits;                          /* enum request_trait; LOOP, WORLD or both among them */
    const struct field *fields;               /* FIELD_END-ended */
    const struct request_presence *presences; /* ended by a NULL field */
    request_check *check;                     /* NULL: there are no rules between fields */
    request_writer *write;                    /* NULL: the table writes all */
    struct request_stripes stripes;
};

extern const struct request_row request_rows[REQUEST_OP_COUNT];

#endif
