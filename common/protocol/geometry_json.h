/* Obstacles, walls and points as scenario files and messages write them: {"circle":[x,y,r]}, {"box":[x,y,w,h]},
 * {"polygon":[[x,y],...]}, [x1,y1,x2,y2]. px.
 */
#ifndef DROVER_COMMON_PROTOCOL_GEOMETRY_JSON_H
#define DROVER_COMMON_PROTOCOL_GEOMETRY_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "common/base/failure.h"
#include "common/base/field.h"
#include "common/base/geometry.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/json/json_writer.h"

/** A disc or a rectangle. */
struct geometry_area {
    vec2 at;      /* a disc's center, a rectangle's upper left corner */
    vec2 size;    /* of a rectangle, >= 0; 0 of a disc */
    float radius; /* of a disc, >= 0; 0 of a rectangle */
};

/** Reads [x, y, r] or [x, y, w, h]. 0, or -1 with *failure (bad_param, out_of_range). */
NODISCARD int geometry_area_read(const cJSON *json, bool is_circle, const char *path,
                                 struct geometry_area *out, struct failure *failure);
void geometry_area_write(const struct geometry_area *area, bool is_circle, struct json_writer *json);

/** By enum obstacle_shape, NULL-ended: "circle", "box", "polygon". */
extern const char *const obstacle_shape_names[];
/** The same for areas: "circle", "rect", "polygon". */
extern const char *const area_shape_names[];

/** By enum obstacle_shape: what its numbers are. */
extern const struct field *const geometry_shape_rows[];

/** Reads the member of an object that is called by a shape (names: one of the lists above); what else the obstacle has stays as it is. 0; 1 when the
 * member is no shape; or -1 with *failure. Whether a polygon's sides cross is for the world to check. */
NODISCARD int geometry_shape_read(const cJSON *member, const char *const *names, const char *path,
                                  struct obstacle_def *obstacle, struct failure *failure);
/** The obstacle's shape, a member of an open object. */
void geometry_shape_write(const struct obstacle_def *obstacle, const char *const *names,
                          struct json_writer *json);

/** How an obstacle moves, as a scenario says it: the members of "move" and of "door". */
extern const struct field geometry_move_fields[], geometry_door_fields[];
/** The members "move" and "door" of a struct obstacle_def, with the state of the door; absent when it stands still. */
extern const struct field geometry_motion_fields[];

/** What stands for a point and for a wall: the one row of a table of FIELD_ROWS. */
extern const struct field geometry_point[], geometry_wall[];

/** A row: the members `points` and `point_count` of a struct. */
#define GEOMETRY_POINTS(wire_name, structure, row_flags, least, most)                                        \
    {                                                                                                        \
        .name = wire_name, .type = FIELD_ROWS, FIELD_MEMBER(structure, points), .flags = row_flags,          \
        .min = least, .max = most, .unit = "an array of points [x, y]", .help = "points",                    \
        .table = geometry_point, .stride = sizeof(vec2), .count = offsetof(structure, point_count)           \
    }

#endif
