/* Obstacles, walls, paths, gates and areas as plain values, and where an obstacle that moves is. Scenario files define them, the simulation core steers by them,
 * the protocol carries them to viewers. This header has no dependencies.
 */
#ifndef DROVER_COMMON_BASE_GEOMETRY_H
#define DROVER_COMMON_BASE_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/limits.h"
#include "common/base/vec2.h"

enum obstacle_shape { OBSTACLE_CIRCLE, OBSTACLE_BOX, OBSTACLE_POLYGON };

/** How an obstacle follows a path: by as much as the path goes from its first point, it is off its own place. Round and
 * round a loop; there and back along any other path. Runs and waits take whole ticks. speed 0: it does not. */
struct move_def {
    char path[LIMIT_NAME_CHARS + 1]; /* of the same world */
    float speed;                     /* px/s, >= 0 */
    float wait;                      /* s, that it waits at each end, or where a loop begins */
    float start;                     /* s, that it has been on its way at tick 0 */
    bool is_once;                    /* it stops at the end of the path, or after one round */
};

/** A door stands at its own place when it is closed, and off it by `open` when it is open. time 0: it is none. */
struct door_def {
    vec2 open;      /* px */
    float time;     /* s, that opening and closing take, >= 0 */
    bool is_closed; /* or about to be */
    uint64_t until; /* the tick at which it is where it goes; in the past: it is there */
};

/** Something solid. px. */
struct obstacle_def {
    int shape;    /* enum obstacle_shape */
    vec2 at;      /* circle: its center; box: its upper left corner */
    vec2 size;    /* box: width and height, >= 0 */
    float radius; /* circle: >= 0 */
    int point_count; /* polygon: 3 .. LIMIT_OBSTACLE_POINTS corners, either way round; sides meet at corners only */
    vec2 points[LIMIT_OBSTACLE_POINTS];
    uint32_t id;          /* given by a running world: from 1, never used twice; 0 before */
    struct move_def move; /* at most one of these two */
    struct door_def door;
};

/** Whether it may be anywhere but at its own place. */
static inline bool obstacle_moves(const struct obstacle_def *obstacle) {
    return obstacle->move.speed > 0.0f || obstacle->door.time > 0.0f;
}

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
    bool is_loop; /* the last point is joined to the first */
    float radius; /* px, >= 0; where points have their own, the largest of them */
    int radius_count; /* 0; or point_count: the corridor has radii[i] at point i, and between points what is between */
    float radii[LIMIT_PATH_POINTS]; /* px, >= 0 */
    int point_count;                /* 2 .. LIMIT_PATH_POINTS */
    vec2 points[LIMIT_PATH_POINTS];
};

/** The whole ticks that a time takes. */
static inline double whole_ticks(double seconds, double tick_hz) {
    const double half = 0.5; /* no lround: the core has +, -, *, / and roots */
    return (double)(uint64_t)(seconds * tick_hz + half);
}

/** Side i of a path, the short way on a torus. wrap: px, the size of the torus; {0, 0}: there is none. */
static inline vec2 path_side_of(const struct path_def *path, int i, vec2 wrap) {
    vec2 side = vec2_sub(path->points[(i + 1) % path->point_count], path->points[i]);
    side.x -= side.x > 0.5f * wrap.x ? wrap.x : side.x < -0.5f * wrap.x ? -wrap.x : 0.0f;
    side.y -= side.y > 0.5f * wrap.y ? wrap.y : side.y < -0.5f * wrap.y ? -wrap.y : 0.0f;
    return side;
}

/** The length of a path, px. */
static inline double path_length(const struct path_def *path, vec2 wrap) {
    double length = 0.0;
    for (int i = 0; i < path->point_count - !path->is_loop; i++) {
        length += (double)vec2_length(path_side_of(path, i, wrap));
    }
    return length;
}

/** From the first point of a path to the one that lies `along` px after it on its line, px. */
static inline vec2 path_offset(const struct path_def *path, vec2 wrap, double along) {
    vec2 offset = {0.0f, 0.0f};
    for (int i = 0; i < path->point_count - !path->is_loop && along > 0.0; i++) {
        const vec2 side = path_side_of(path, i, wrap);
        const double length = (double)vec2_length(side);
        offset = vec2_add(offset, along < length ? vec2_scale(side, (float)(along / length)) : side);
        along -= length;
    }
    return offset;
}

/** The share of its path that an obstacle has behind it, 0 .. 1. length: px, of the path. */
static inline double move_share(const struct move_def *move, const struct path_def *path, double length,
                                double tick_hz, double tick) {
    const double whole = whole_ticks(length / (double)move->speed, tick_hz), run = whole < 1.0 ? 1.0 : whole;
    const double wait = whole_ticks((double)move->wait, tick_hz);
    const double cycle = path->is_loop ? run + wait : 2.0 * (run + wait);
    double at = tick + whole_ticks((double)move->start, tick_hz);
    if (move->is_once) {
        return at < run ? at / run : 1.0;
    }
    at -= cycle * (double)(uint64_t)(at / cycle);
    if (path->is_loop) {
        return at < run ? at / run : 0.0;
    }
    return at < run                ? at / run
           : at < run + wait       ? 1.0
           : at < 2.0 * run + wait ? (2.0 * run + wait - at) / run
                                   : 0.0;
}

/** The ticks that a door takes to open or to close, and the share of them that is left at a tick. */
static inline double door_ticks(const struct door_def *door, double tick_hz) {
    const double ticks = whole_ticks((double)door->time, tick_hz);
    return ticks < 1.0 ? 1.0 : ticks;
}
static inline double door_left(const struct door_def *door, double tick_hz, double tick) {
    const double left = ((double)door->until - tick) / door_ticks(door, tick_hz);
    return left < 0.0 ? 0.0 : left > 1.0 ? 1.0 : left;
}

/** How far an obstacle is off its own place at a tick; between two ticks, on its way. A function of the definition alone: servers and
 * viewers have the same.
 *
 * path     of this world and named by move.path; NULL: it follows none
 * wrap     px, the size of a torus; {0, 0}: the world is none
 * returns  px
 */
static inline vec2 obstacle_offset(const struct obstacle_def *obstacle, const struct path_def *path,
                                   vec2 wrap, double tick_hz, double tick) {
    const struct door_def *door = &obstacle->door;
    if (door->time > 0.0f) {
        const double left = door_left(door, tick_hz, tick);
        return vec2_scale(door->open, (float)(door->is_closed ? left : 1.0 - left));
    }
    if (!(obstacle->move.speed > 0.0f) || path == NULL) {
        return vec2_make(0.0f, 0.0f);
    }
    const double length = path_length(path, wrap);
    return path_offset(path, wrap, length * move_share(&obstacle->move, path, length, tick_hz, tick));
}

/** Half the width of the corridor at a point, px. */
static inline float path_radius_at(const struct path_def *path, int point) {
    return point < path->radius_count ? path->radii[point] : path->radius;
}

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
