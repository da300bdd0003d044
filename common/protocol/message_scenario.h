/* The description of a world: part of hello, and the message "scenario". */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_SCENARIO_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/vec2.h"
#include "common/json/json_writer.h"
#include "common/protocol/message_geometry.h"
#include "common/protocol/message_view.h"

struct message_kind {
    char name[LIMIT_NAME_CHARS + 1];
    float radius, max_speed, max_force; /* px, px/s, mass*px/s^2; the high end of a range */
    uint32_t count;                     /* agents of the kind when the message was written */
};

/** How fast the time of the world goes: members of hello, of a scenario line and of the reply to stats. Zeroed: at its
 * own rate. */
struct message_pace {
    bool has_speed;  /* it has another speed than 1: */
    double speed;    /* times its own rate; 0: as fast as it goes */
    bool is_warming; /* the warm-up of a fresh world is under way: */
    double warmed;   /* the share of its ticks that is done */
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
    struct message_pace pace; /* not in hello's "scenario", but beside it */
    int kind_count;
    struct message_kind kinds[LIMIT_KINDS];
    int target_count;
    char targets[LIMIT_TARGETS][LIMIT_NAME_CHARS + 1];
    struct message_geometry geometry;
    struct message_view view;   /* how it wants to be looked at */
    struct message_about about; /* what it says to a person */
};

/** Appends the line. Failure is out->failed. */
void message_write_scenario(const struct message_scenario *scenario, struct buffer *out);
/** A pace of this speed. */
struct message_pace message_pace_make(double speed);
/** The speed, also when it is 1. */
double message_pace_speed(const struct message_pace *pace);
/** Writes "speed", unless it is 1, and "warming", while it applies, into an open object. */
void message_pace_write(const struct message_pace *pace, struct json_writer *json);
/** Reads them; the speed is 1 when it is left out. 0, or -1 with *failure. */
NODISCARD int message_pace_read(const cJSON *json, struct message_pace *pace, struct failure *failure);
/** Its members but for the pace, into an open object and out of one. 0, or -1 with *failure. */
void message_scenario_write(const struct message_scenario *scenario, struct json_writer *json);
NODISCARD int message_scenario_read(const cJSON *json, struct message_scenario *scenario,
                                    struct failure *failure);

#endif
