/* The parts of every message: its beginning, its members, its end; for common/protocol/message*.c alone. */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_PARTS_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_PARTS_H

#include <cjson/cJSON.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/field.h"
#include "common/json/json_writer.h"

/* Rows of a table of members, in wire order. */
#define END                                                                                                  \
    { .name = NULL, .type = FIELD_END }
/* What else a row has stands behind its bounds: FIELD_HAS(...). */
#define ROW(structure, wire_name, field_type, member, row_flags, low, ...)                                   \
    {                                                                                                        \
        .name = wire_name, .type = field_type, FIELD_MEMBER(structure, member), .flags = row_flags,          \
        .min = low, .max = __VA_ARGS__                                                                       \
    }
#define NEED       FIELD_REQUIRED
#define FLOAT_MOST ((double)FLT_MAX)

/** Writes every member of a table, with its key, into an open object. */
void message_write_fields(const struct field *table, const void *object, struct json_writer *json);
/** Opens {"op":OP; members follow, then message_close. */
struct json_writer message_open(const char *op, struct buffer *out);
/** Closes the object and ends the line. */
void message_close(struct json_writer *json);

/** Refuses what is not an array of at most so many. */
int message_fail_array(struct failure *failure, const char *path, int most);
/** The number of entries of an array of at most `most`, -1 when it is something else. */
NODISCARD int message_array_size(const cJSON *array, int most);

#endif
