/* The description of a world: part of hello, and the message "scenario". */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_SCENARIO_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_SCENARIO_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/vec2.h"
#include "common/json/json_writer.h"
#include "common/protocol/message_geometry.h"

struct message_kind {
    char name[LIMIT_NAME_CHARS + 1];
    float radius, max_speed, max_force; /* px, px/s, mass*px/s^2; the high end of a range */
    uint32_t count;                     /* agents of the kind when the message was written */
};

/** The world as a viewer must know it to draw it. Part of hello, and sent alone as "scenario" after each
 * load. */
struct message_scenario {
    char name[LIMIT_NAME_CHARS + 1]; /* the file's name without .json: what `load` takes */
    char title[128];
    char description[512];
    vec2 size;     /* px */
    char edge[16]; /* "wrap", "bounce", "contain", "open" */
    uint64_t seed;
    double tick_hz;
    int kind_count;
    struct message_kind kinds[LIMIT_KINDS];
    int target_count;
    char targets[LIMIT_TARGETS][LIMIT_NAME_CHARS + 1];
    struct message_geometry geometry;
};

/** Appends the line. Failure is out->failed. */
void message_write_scenario(const struct message_scenario *scenario, struct buffer *out);
/** Its members, into an open object and out of one. 0, or -1 with *failure. */
void message_scenario_write(const struct message_scenario *scenario, struct json_writer *json);
NODISCARD int message_scenario_read(const cJSON *json, struct message_scenario *scenario,
                                    struct failure *failure);

#endif
