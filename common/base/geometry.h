/* Obstacles, walls, paths, gates and areas as plain values. Scenario files define them, the simulation core steers by them,
 * the protocol carries them to viewers. This header has no dependencies.
 */
#ifndef DROVER_COMMON_BASE_GEOMETRY_H
#define DROVER_COMMON_BASE_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/limits.h"
#include "common/base/vec2.h"

enum obstacle_shape { OBSTACLE_CIRCLE, OBSTACLE_BOX, OBSTACLE_POLYGON };

/** Something solid. px. */
struct obstacle_def {
    int shape;    /* enum obstacle_shape */
    vec2 at;      /* circle: its center; box: its upper left corner */
    vec2 size;    /* box: width and height, >= 0 */
    float radius; /* circle: >= 0 */
    int point_count; /* polygon: 3 .. LIMIT_OBSTACLE_POINTS corners, either way round; sides meet at corners only */
    vec2 points[LIMIT_OBSTACLE_POINTS];
    uint32_t id; /* given by a running world: from 1, never used twice; 0 before */
};

/** The point it is moved by: a circle's center, a box's upper left corner, a polygon's first corner. */
static inline vec2 obstacle_point(const struct obstacle_def *obstacle) {
    return obstacle->shape == OBSTACLE_POLYGON ? obstacle->points[0] : obstacle->at;
}

/** The same obstacle with that point exactly there. */
static inline struct obstacle_def obstacle_moved(const struct obstacle_def *obstacle, vec2 to) {
    struct obstacle_def moved = *obstacle;
    const vec2 by = vec2_sub(to, obstacle_point(obstacle));
    moved.at = vec2_add(moved.at, by);
    for (int i = 0; i < moved.point_count; i++) {
        moved.points[i] = vec2_add(moved.points[i], by);
    }
    *(moved.shape == OBSTACLE_POLYGON ? &moved.points[0] : &moved.at) = to; /* whatever was rounded */
    return moved;
}

/** A straight wall without thickness. px. */
struct wall_def {
    vec2 from, to;
};

/** A named way through the world: a line along its points and a corridor of `radius` px on both sides. */
struct path_def {
    char name[LIMIT_NAME_CHARS + 1];
    bool is_loop;    /* the last point is joined to the first */
    float radius;    /* px, >= 0 */
    int point_count; /* 2 .. LIMIT_PATH_POINTS */
    vec2 points[LIMIT_PATH_POINTS];
};

/** A named line across which agents are counted; it stops no agent. px */
struct gate_def {
    char name[LIMIT_NAME_CHARS + 1];
    vec2 from, to;
};

/** A named place: a disc, a rectangle or a polygon. Nothing solid. */
struct area_def {
    char name[LIMIT_NAME_CHARS + 1];
    struct obstacle_def shape; /* px; its id is 0 */
    float speed; /* 0 < speed <= 1: the max_speed of who stands in it is multiplied by this; 1: as it is */
};

#endif
