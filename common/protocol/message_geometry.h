/* The geometry in hello and scenario messages: obstacles, walls, paths, flow fields sampled coarsely for drawing,
 * and the regions that agents keep to. Part of struct message_scenario.
 */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_GEOMETRY_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/geometry.h"
#include "common/base/limits.h"
#include "common/json/json_writer.h"

/** A flow field at the centers of columns x rows cells that fill the world. */
struct message_flow {
    char name[LIMIT_NAME_CHARS + 1];
    int32_t columns, rows;           /* columns * rows <= LIMIT_FLOW_ARROWS */
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
    int obstacle_count, wall_count, path_count, flow_count, region_count;
    struct obstacle_def obstacles[LIMIT_OBSTACLES];
    struct wall_def walls[LIMIT_WALLS];
    struct path_def paths[LIMIT_PATHS];
    struct message_flow flows[LIMIT_FLOW_FIELDS];
    struct message_region regions[LIMIT_REGIONS];
};

/** Members "obstacles", "walls", "paths", "flow_fields", "regions" into an open object; what is empty is left out. */
void message_geometry_write(const struct message_geometry *geometry, struct json_writer *json);

/** Members of one obstacle into an open object: its shape, "circle", "box" or "polygon". */
void message_obstacle_write(const struct obstacle_def *obstacle, struct json_writer *json);
/** Reads one obstacle's shape and "id" (0 when it has none). 1: there is no shape that this version knows. */
NODISCARD int message_obstacle_read(const cJSON *item, const char *id, struct obstacle_def *obstacle,
                                    struct failure *failure);

/** An obstacle that is new, or in place of the one of its id. One more than there may be is left out. */
void message_geometry_put(struct message_geometry *geometry, const struct obstacle_def *obstacle);
/** The obstacle of this id is gone; none of it is fine. */
void message_geometry_remove(struct message_geometry *geometry, uint32_t id);

/** Reads them from an object; absent ones are empty. An obstacle of a shape that this version does not know
 * is skipped. *geometry must be zeroed. 0, or -1 with *failure (too many, wrong types, numbers out of range);
 * what was read until then is whole. */
NODISCARD int message_geometry_read(const cJSON *json, struct message_geometry *geometry,
                                    struct failure *failure);

#endif
