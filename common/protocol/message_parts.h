/* The parts of every message: its beginning, its members, its end; for common/protocol/message*.c alone. */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_PARTS_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_PARTS_H

#include <cjson/cJSON.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/field.h"
#include "common/json/json_writer.h"

/* Rows of a table of members, in wire order. What else a row has stands behind its bounds: FIELD_HAS(...), .table. */
#define END                                                                                                  \
    { .name = NULL, .type = FIELD_END }
#define ROW(structure, wire_name, field_type, member, row_flags, low, ...)                                   \
    {                                                                                                        \
        .name = wire_name, .type = field_type, FIELD_MEMBER(structure, member), .flags = row_flags,          \
        .min = low, .max = __VA_ARGS__                                                                       \
    }
#define NEED       FIELD_REQUIRED
#define FLOAT_MOST ((double)FLT_MAX)
/* An object of its own in a member, or whose members are those of the structure itself. */
#define OBJECT(structure, wire_name, member, members, ...)                                                   \
    {                                                                                                        \
        .name = wire_name, .type = FIELD_OBJECT, FIELD_MEMBER(structure, member), .table = members,          \
        __VA_ARGS__                                                                                          \
    }
#define OBJECT_HERE(wire_name, members, ...)                                                                 \
    { .name = wire_name, .type = FIELD_OBJECT, .table = members, __VA_ARGS__ }
/* At most so many entries, each as the one row says: ENTRY(...) of values, OBJECTS(...) of a table. */
#define ROWS(structure, wire_name, member, counted, row_flags, most, ...)                                    \
    {                                                                                                        \
        .name = wire_name, .type = FIELD_ROWS, FIELD_MEMBER(structure, member), .flags = row_flags,          \
        .max = most, .stride = sizeof *((structure *)0)->member, .count = offsetof(structure, counted),      \
        .table = __VA_ARGS__                                                                                 \
    }
#define ENTRY(...)       ((const struct field[]){{__VA_ARGS__}})
#define OBJECTS(members) ENTRY(.type = FIELD_OBJECT, .table = members)

/** The rows of struct message_flow. */
extern const struct field message_flow_fields[];

/** Opens {"op":OP; members follow, then message_close. */
struct json_writer message_open(const char *op, struct buffer *out);
/** Closes the object and ends the line. */
void message_close(struct json_writer *json);

/** A share of what is to be done, as messages say it: from 0 to 1, in thousandths. */
double message_share(double share);

#endif
