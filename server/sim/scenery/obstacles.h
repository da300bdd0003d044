/* Solid things: distance, normal and first contact of a moving disc, for circles, convex polygons (boxes too)
 * and walls.
 *
 * Everything is relative to the solid's center, so that a caller can take the short way round a torus first
 * (solid_offset). A normal always points from the solid to the outside (from inside, the shortest way out)
 * and is a unit vector, whatever coincides. Nothing here divides by zero.
 */
#ifndef DROVER_SERVER_SIM_SCENERY_OBSTACLES_H
#define DROVER_SERVER_SIM_SCENERY_OBSTACLES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/geometry.h"
#include "common/base/nodiscard.h"
#include "server/sim/scenery/polygon.h"
#include "server/sim/space/edge.h"

enum { SOLID_PIECES_MAX = POLYGON_PIECES_MAX };

enum solid_shape {
    SOLID_CIRCLE,
    SOLID_CONVEX, /* 3 .. LIMIT_PIECE_POINTS corners */
    SOLID_WALL,   /* two corners (they may coincide), nothing inside */
};

/** An obstacle or a wall, prepared; or a convex piece of an obstacle, whose pieces lie side by side in an array. Plain
 * value.
 *
 * A seam is a side that divides two pieces. It is no surface: a place whose nearest point of the piece lies on a seam is
 * nearer to another piece. All pieces have the center and the radius of the whole, so a corner has the same bits in each. */
struct solid {
    enum solid_shape shape;
    uint16_t owner;        /* the index of what it is or belongs to: obstacles first, then walls */
    uint16_t seams;        /* bit i: the side from corner i to corner i + 1 is one */
    uint8_t mover;         /* 1 + the number of the mover it belongs to; 0: it stands still */
    uint8_t piece, pieces; /* this is number `piece`, from 0, of so many; 0 of 1: it is whole */
    vec2 center;           /* px, in the world */
    float radius;          /* px, of the circle, or of the circle around center that holds every corner */
    int count;
    vec2 corners[LIMIT_PIECE_POINTS]; /* px from center, clockwise on a screen */
    vec2 normals[LIMIT_PIECE_POINTS]; /* outward unit normal of the side from corner i to corner i + 1 */
};

/** Prepares an obstacle without faults. Returns how many solids it is.
 * solids  room for SOLID_PIECES_MAX; NULL: they are only counted */
int solids_from_obstacle(const struct obstacle_def *obstacle, struct solid *solids);
struct solid solid_from_wall(const struct wall_def *wall);

/** A point of the world from the solid's center, the short way on a torus. px */
vec2 solid_offset(const struct solid *solid, const struct bounds *bounds, vec2 point);

/** How near a place is to a solid. */
struct touch {
    float distance; /* px to the outline; < 0 inside (never for a wall); 3e38 where a seam is nearest */
    vec2 normal;    /* unit vector, from the nearest point of the outline outwards */
};

/** Distance and normal at a place (px from the center). In the middle of a circle, or exactly on a wall,
 * where every way is as short, the normal is one fixed direction. Inside a piece: to the outline of the whole, so the
 * other pieces must lie beside it. */
struct touch solid_touch(const struct solid *solid, vec2 place);

/** A disc's first contact on a straight way. */
struct contact {
    bool is_hit;
    float distance; /* px along the way; 0 when it overlaps at the start and moves further in */
    vec2 normal;    /* unit vector at the point of contact */
};

/** Sweeps a disc of `radius` px from `place` (px from the center) along the unit vector `way`, at most
 * `length` px. A disc that overlaps at the start but moves outwards hits nothing. source  Ericson 2005,
 * "Real-Time Collision Detection", 5.5.3 (ray against the solid grown by the disc) */
struct contact solid_sweep(const struct solid *solid, vec2 place, vec2 way, float length, float radius);

/** How far the solid reaches across a direction: the largest dot(corner, across), px from its center. */
float solid_reach(const struct solid *solid, vec2 across);

/* A lookup for solids: which of them can matter at a place, or on a way, so that no query visits all of them.
 *
 * 1. Static: built once from the solids that stand still, owns its arrays, no query allocates.
 * 2. The lookup only names candidates, by ascending index and never one too few; computing with these gives
 * the same bits as computing with all solids.
 * 3. Cells fill the world (on a torus), or a box around the world and all solids (otherwise).
 *
 * A cell knows three things: `room`, a distance that every solid has at least from every place in it; the
 * solids that can be the nearest to some place in it; the solids that reach into it.
 */

enum { SOLIDS_MAX = LIMIT_PIECES + LIMIT_WALLS, SOLID_WORDS = (SOLIDS_MAX + 63) / 64 };

/** For every cell a list of solids, ascending: members[begin[cell] .. begin[cell + 1]). */
struct solid_lists {
    int32_t *begin;    /* owned; cells + 1 */
    uint16_t *members; /* owned */
    int32_t capacity;
};

struct solid_grid {
    int32_t columns, rows; /* 0, 0: no solids */
    vec2 origin, cell;     /* px: the upper left corner of all, the size of a cell */
    bool wraps;
    float slack;                       /* px, what rounding may amount to */
    float *room;                       /* owned; px, for every cell */
    struct solid_lists nearest, reach; /* may be nearest; reaches into the cell */
};

/** 0, or -1 without memory (the grid is empty then). count <= SOLIDS_MAX. */
NODISCARD int solid_grid_init(struct solid_grid *grid, const struct solid *solids, int count,
                              const struct bounds *bounds);
void solid_grid_fini(struct solid_grid *grid);

/** The cell of a place, or -1 when it is outside (never on a torus). */
int32_t solid_grid_cell(const struct solid_grid *grid, const struct bounds *bounds, vec2 place);

/** Solids by bit: solid i is bit i % 64 of word i / 64. */
struct solid_set {
    uint64_t words[SOLID_WORDS];
};

/** The solids that a disc may meet on its way (as solid_sweep). False when the way is so long that all
 * solids may as well be compared; the set is empty then. */
bool solid_grid_sweep(const struct solid_grid *grid, const struct bounds *bounds, vec2 place, vec2 way,
                      float length, float radius, struct solid_set *set);

#endif
