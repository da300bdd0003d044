/* The table of requests, for the request_*.c files alone: one row an op. */
#ifndef DROVER_COMMON_PROTOCOL_REQUEST_TABLE_H
#define DROVER_COMMON_PROTOCOL_REQUEST_TABLE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"

/** Holds the rules between fields, and reads those that the table cannot. */
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
    enum role role;             /* that the op needs */
    unsigned traits;            /* enum request_trait; LOOP, WORLD or both among them */
    const struct field *fields; /* FIELD_END-ended */
    request_check *check;       /* NULL: there are no rules between fields */
    request_writer *write;      /* NULL: the table writes all */
    struct request_stripes stripes;
};

extern const struct request_row request_rows[REQUEST_OP_COUNT];

/* The rules between the fields of a request, and the fields that a row of the table cannot read or write by
 * itself. One pair of functions an op, referred to by request_table.c.
 */

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
NODISCARD int request_check_edit(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_cursor(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_record(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_rewind(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_look(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_compare(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_speed(struct request *request, const cJSON *json, struct failure *failure);

/** Adds to the refusal of a field by its row which member was meant, where the op has such a rule: {"op":"speed","factor":"max"}. */
void request_check_hint(enum request_op op, struct failure *failure);

/* Each writer adds the fields of its op that the table cannot write to an open object. Returns whether these are
 * all its fields: otherwise the table writes the others. */
bool request_write_remove(const struct request *request, struct json_writer *json);
bool request_write_load(const struct request *request, struct json_writer *json);
bool request_write_edit(const struct request *request, struct json_writer *json);
bool request_write_inspect(const struct request *request, struct json_writer *json);
bool request_write_cursor(const struct request *request, struct json_writer *json);

/* The shape that add_obstacle takes, for request_table.c. Its check and its writer do
 * what those of other ops do.
 */

/** Reads circle, box or polygon, exactly one of them. Whether the sides of a polygon cross is for the
 * world to check. */
NODISCARD int request_check_add_obstacle(struct request *request, const cJSON *json, struct failure *failure);
bool request_write_add_obstacle(const struct request *request, struct json_writer *json);

/* The members of step that the table cannot read or write: `until`, and what goes with `return`. */

NODISCARD int request_check_step(struct request *request, const cJSON *json, struct failure *failure);
bool request_write_step(const struct request *request, struct json_writer *json);
NODISCARD int request_check_go(struct request *request, const cJSON *json, struct failure *failure);
bool request_write_go(const struct request *request, struct json_writer *json);

/* The rules of subscribe and set_region, for request_table.c.
 */

/** The fields of agents that a subscription may name, NULL after the last. */
extern const char *const request_field_names[];

/** Reads `region`; checks which fields the layout takes. */
NODISCARD int request_check_subscribe(struct request *request, const cJSON *json, struct failure *failure);
/** Writes the region of a view that has one, as a member of the open object. */
NODISCARD int request_check_get(struct request *request, const cJSON *json, struct failure *failure);
NODISCARD int request_check_set_region(struct request *request, const cJSON *json, struct failure *failure);
/** Write `region`, when there is one. */
bool request_write_get(const struct request *request, struct json_writer *json);
bool request_write_subscribe(const struct request *request, struct json_writer *json);
bool request_write_set_region(const struct request *request, struct json_writer *json);

#endif
