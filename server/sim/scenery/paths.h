/* Paths as lines with an arc length: the nearest point, and the point at a length.
 *
 * In a wrapping world every side of a path goes the short way from its point to the next. A place on a path
 * is named by its arc length s, 0 <= s <= length (px). Sides of no length are skipped; a path of no length at
 * all is a point.
 */
#ifndef DROVER_SERVER_SIM_SCENERY_PATHS_H
#define DROVER_SERVER_SIM_SCENERY_PATHS_H

#include <stdbool.h>

#include "common/base/geometry.h"
#include "server/sim/space/edge.h"

struct path_side {
    vec2 from, delta; /* px: its first point, and from there to its last */
    float start;      /* px, arc length of `from` */
    float length;     /* px, > 0 unless the whole path is a point */
};

/** A path, prepared. Plain value. */
struct path {
    bool is_loop;
    float radius; /* px */
    float length; /* px, of the whole line, once round for a loop */
    int count;    /* sides, >= 1 */
    struct path_side sides[LIMIT_PATH_POINTS];
};

struct path path_prepare(const struct path_def *def, const struct bounds *bounds);

/** The point of a path that is nearest to a place. */
struct path_spot {
    float s;        /* px, arc length */
    float distance; /* px, from the place */
    vec2 offset;    /* px, from the place to the point, the short way */
    vec2 direction; /* unit vector along the path, towards larger s */
};

/** Of two as near, the one of smaller s. */
struct path_spot path_nearest(const struct path *path, const struct bounds *bounds, vec2 place);

/** The same of the part of the path that is at most `window` px before or after the arc length s (on a loop
 * across its joint as well). */
struct path_spot path_nearest_within(const struct path *path, const struct bounds *bounds, vec2 place,
                                     float s, float window);

/** The point at arc length s: taken round a loop, held at the ends otherwise. px, in the world (not settled)
 */
vec2 path_point(const struct path *path, float s);

/** s + step, round a loop or held at the ends. */
float path_advance(const struct path *path, float s, float step);

/** From one arc length to another, px: on a loop the short way round, -length/2 .. length/2. */
float path_between(const struct path *path, float from, float to);

#endif
