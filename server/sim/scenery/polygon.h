/* A polygon of any simple shape, cut into convex pieces.
 *
 * In whole hundredths of a px and 64-bit products, so every comparison is exact and the pieces are the same everywhere. The
 * corners of the pieces are corners of the polygon: nothing is added.
 */
#ifndef DROVER_SERVER_SIM_SCENERY_POLYGON_H
#define DROVER_SERVER_SIM_SCENERY_POLYGON_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/geometry.h"

enum { POLYGON_PIECES_MAX = LIMIT_OBSTACLE_POINTS - 2 };

/** A convex piece: corners of the polygon, clockwise on a screen. */
struct polygon_piece {
    int count;
    uint8_t corners[LIMIT_PIECE_POINTS];
};

/** Plain value. */
struct polygon_cut {
    int point_count;
    int64_t x[LIMIT_OBSTACLE_POINTS], y[LIMIT_OBSTACLE_POINTS]; /* 1/100 px, clockwise on a screen */
    int piece_count;
    struct polygon_piece pieces[POLYGON_PIECES_MAX];
};

/** Cuts a polygon of 3 to LIMIT_OBSTACLE_POINTS points, either way round. False when it is not simple.
 * source  Meisters 1975, "Polygons have ears"; Hertel, Mehlhorn 1983, "Fast triangulation of simple polygons" */
bool polygon_cut(const vec2 *points, int count, struct polygon_cut *cut);

/** Whether a polygon is convex and has no more corners than one piece may have: then it is not cut. */
bool polygon_is_convex(const vec2 *points, int count);

/** Two sides that meet elsewhere than at a corner they share, counted from 1; side n leads from point n to the next. The
 * same one twice: it has no length. False: the polygon is simple. */
bool polygon_crossing(const vec2 *points, int count, int sides[2]);

#endif
