/* The description of a world: part of hello, and the message "scenario". */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_SCENARIO_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_SCENARIO_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/field.h"
#include "common/base/geometry.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/json/json_writer.h"

/* How a scenario wants to be looked at ("view") and what it says to a person ("about"): members of hello's
 * `scenario` and of `scenario` lines, as they stand in the scenario's file.
 *
 * The words of a view (a color mode, overlays) mean something to programs that draw: the server and this module check
 * that they are names, and a client ignores those that it does not know.
 */

/* Members of a view that are there. The first ones are the rows of message_view_fields. */
enum message_view_member {
    MESSAGE_VIEW_TRAILS = 1u << 0,
    MESSAGE_VIEW_COLOR = 1u << 1,
    MESSAGE_VIEW_SELECT = 1u << 2,
    MESSAGE_VIEW_PANEL = 1u << 3,
    MESSAGE_VIEW_ZOOM = 1u << 4,
    MESSAGE_VIEW_FLAG = 1u << 5,
    MESSAGE_VIEW_OVERLAYS = 1u << 6,
};

/** Plain value. Zeroed it says nothing; a member whose bit is not in `has` is zero. */
struct message_view {
    uint64_t has;                     /* bits of enum message_view_member */
    bool trails;                      /* whether agents leave trails */
    char color[LIMIT_NAME_CHARS + 1]; /* by what agents are colored: "state", "kind", "heading", ... */
    uint32_t select;                  /* the id of the agent that is selected, from 1 */
    bool panel;                       /* whether the side panel is open */
    float zoom;                       /* 1: the whole world fits; 2: twice as near */
    char flag[LIMIT_NAME_CHARS + 1];  /* the target that is drawn as a flag */
    int overlay_count;                /* 0 with MESSAGE_VIEW_OVERLAYS in `has`: no overlay at all */
    char overlays[LIMIT_VIEW_OVERLAYS]
                 [LIMIT_NAME_CHARS + 1]; /* "velocity", "radii", ... in the file's order */
};

/** Plain value: UTF-8 texts for people, "" for those that are not there. */
struct message_about {
    char group[LIMIT_NAME_CHARS +
               1]; /* "tutorials", "behaviors", "crowds", "large"; a later server may have others */
    char caption[LIMIT_CAPTION_BYTES + 1];   /* one sentence: what it is */
    char to_try[LIMIT_TRY_BYTES + 1];        /* a sentence: what a person can do */
    char look_for[LIMIT_LOOK_FOR_BYTES + 1]; /* what there is to see */
    char source[LIMIT_SOURCE_BYTES + 1];     /* where it comes from */
};

/** The groups that a scenario file may name; a NULL-ended list. */
extern const char *const message_groups[];
/** The members of struct message_view but its overlays; row i is bit i of `has`. */
extern const struct field message_view_fields[];
/** The members of struct message_about. */
extern const struct field message_about_fields[];

/** Reads an array of names into view->overlays. path: of the array, for failures.
 * 0, or -1 with *failure (bad_param); the view may then be partly written. */
NODISCARD int message_overlays_read(const cJSON *array, const char *path, struct message_view *view,
                                    struct failure *failure);

/* The geometry in hello and scenario messages: obstacles, walls, paths, flow fields sampled coarsely for drawing,
 * the regions that agents keep to, areas and gates. Part of struct message_scenario.
 */

/** A flow field at the centers of columns x rows cells that fill the world. */
struct message_flow {
    char name[LIMIT_NAME_CHARS + 1];
    int32_t columns, rows;           /* columns * rows <= LIMIT_FLOW_ARROWS */
    int vector_count;                /* columns * rows */
    vec2 vectors[LIMIT_FLOW_ARROWS]; /* px/s, row by row */
};

/** Where the agents of a kind stay while they are in a state (contain); the world itself is no region. */
struct message_region {
    char kind[LIMIT_NAME_CHARS + 1], state[LIMIT_NAME_CHARS + 1];
    bool is_circle;
    vec2 at;      /* px: the circle's center, the rectangle's upper left corner */
    vec2 size;    /* px, of the rectangle */
    float radius; /* px, of the circle */
};

/** Plain value, some 100 KB. Zeroed it is empty. */
struct message_geometry {
    int obstacle_count, wall_count, path_count, flow_count, region_count, area_count, gate_count;
    struct obstacle_def obstacles[LIMIT_OBSTACLES];
    struct wall_def walls[LIMIT_WALLS];
    struct path_def paths[LIMIT_PATHS];
    struct message_flow flows[LIMIT_FLOW_FIELDS];
    struct message_region regions[LIMIT_REGIONS];
    struct area_def areas[LIMIT_AREAS];
    struct gate_def gates[LIMIT_GATES];
};

/** Reads one obstacle's shape, and how it moves, out of an object. 1: there is no shape that this version knows. */
NODISCARD int message_obstacle_read(const cJSON *item, struct obstacle_def *obstacle,
                                    struct failure *failure);

/** An obstacle that is new, or in place of the one of its id. One more than there may be is left out. */
void message_geometry_put(struct message_geometry *geometry, const struct obstacle_def *obstacle);
/** When the obstacles of a geometry are where. */
struct message_moment {
    vec2 wrap_size;       /* px, the size of a wrapping world; {0,0} otherwise */
    double tick_hz, tick; /* tick: also between two */
};
/** The obstacle of this index where it is at a moment. */
struct obstacle_def message_obstacle_at(const struct message_geometry *geometry, int index,
                                        const struct message_moment *moment);

/** A flow field in place of the one of its name; one that is new, or lacks vectors, is left out. */
void message_geometry_put_flow(struct message_geometry *geometry, const struct message_flow *flow);
/** The obstacle of this id is gone; none of it is fine. */
void message_geometry_remove(struct message_geometry *geometry, uint32_t id);

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
    float meter;   /* px a meter; 0: the world has no scale */
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
