/* All that stands and flows in a running world, prepared for questions, and the rule that bodies do not pass
 * through it.
 *
 * Static in a tick; between ticks obstacles change by rebuilding all of it (world_commands.c). Owns its arrays.
 * No question allocates. Answers do not depend on the order of agents; of two solids as near, the first in
 * the scenario counts, obstacles before walls. A concave obstacle is several solids, its pieces, with one owner; an index in
 * an answer is that of the owner.
 */
#ifndef DROVER_SERVER_SIM_SCENERY_SCENERY_H
#define DROVER_SERVER_SIM_SCENERY_SCENERY_H

#include <stddef.h>

#include "server/sim/scenery/geometry_def.h"
#include "server/sim/scenery/obstacles.h"
#include "server/sim/scenery/way_field.h"
#include "server/sim/space/edge.h"

/* Paths as lines with an arc length: the nearest point, and the point at a length.
 *
 * In a wrapping world every side of a path goes the short way from its point to the next. A place on a path
 * is named by its arc length s, 0 <= s <= length (px). Sides of no length are skipped; a path of no length at
 * all is a point.
 */

struct path_side {
    vec2 from, delta;       /* px: its first point, and from there to its last */
    float start;            /* px, arc length of `from` */
    float length;           /* px, > 0 unless the whole path is a point */
    float radius, widening; /* px: half the width at `from`; how much more it is at the end */
};

/** A path, prepared. Plain value. */
struct path {
    bool is_loop;
    bool is_even; /* as wide everywhere */
    float radius; /* px, where it is widest */
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

/** The point at arc length s: taken round a loop, held at the ends otherwise. px, in the world (not settled)
 */
vec2 path_point(const struct path *path, float s);

/** Half the width of the path at arc length s, 0 <= s <= length. px */
float path_radius(const struct path *path, float s);

/* ---- the scenery ---- */

#define SCENERY_SKIN                                                                                         \
    0.01f /* px kept between a body and what it touches, so that rounding does not put it inside */

/** An obstacle that moves. Its solids stand where it is in this tick. */
struct mover {
    int owner;     /* the index of the obstacle */
    vec2 home;     /* px, the center of its solids at no offset */
    vec2 at, next; /* px, where it is in this tick and in the next one */
    vec2 step;     /* px, from the one to the other */
    vec2 velocity; /* px/s, with which it takes this step */
};

/** When an obstacle is where. */
enum scenery_moment {
    MOMENT_NOW,   /* in this tick */
    MOMENT_NEXT,  /* in the next one */
    MOMENT_STILL, /* those that move do not count */
};

struct scenery {
    struct geometry_def def; /* owned copy */
    int mover_count;
    struct mover movers[LIMIT_MOVERS]; /* in the order of obstacles */
    float fastest;                     /* px/s, of the movers in this tick */
    int owner_count; /* obstacles (def.obstacle_count of them), then walls: what indices mean outside */
    uint16_t *first; /* owned; owner_count + 1: the solids of owner i are first[i] .. first[i + 1] - 1 */
    int solid_count;
    struct solid *solids;   /* owned; the pieces of each owner side by side */
    struct path *paths;     /* owned; def.path_count */
    struct solid_grid grid; /* which solids matter where */
    bool *no_way; /* owned; of each cell of each way field, one field after the other: no body fits there */
    struct way_room room;          /* owned; for the largest way field */
    bool holds_ways, has_old_ways; /* scenery_hold_ways; way fields are to be rebuilt */
    void *block;       /* owned; where all these arrays lie in a clone; NULL: each is owned by itself */
    size_t block_size; /* bytes */
};

/** The definition is copied; it must be without faults (geometry_def_fault). 0, or -1 without memory. Movers are to be placed before
 * anything is asked (scenery_place_movers). */
NODISCARD int scenery_init(struct scenery *scenery, const struct geometry_def *def,
                           const struct bounds *bounds);
/** The same; its way fields are held. */
NODISCARD int scenery_init_held(struct scenery *scenery, const struct geometry_def *def,
                                const struct bounds *bounds);
void scenery_fini(struct scenery *scenery);

/** Puts what moves where it is at this tick. A function of the definition and the tick. */
void scenery_place_movers(struct scenery *scenery, const struct bounds *bounds, double tick_hz,
                          uint64_t tick);

/** How far the obstacle of this index is off its own place in this tick. px */
vec2 scenery_offset_of(const struct scenery *scenery, int obstacle);

/** Closes or opens a door, the obstacle of this index, from where it is at this tick on; way fields are rebuilt. Allocates nothing.
 * Movers are to be placed again then.
 * Returns whether it does anything else than before. */
bool scenery_set_door(struct scenery *scenery, const struct bounds *bounds, double tick_hz, uint64_t tick,
                      int obstacle, bool closed);

/** While way fields are held, what changes obstacles does not rebuild them; when they are released they are, once, if any change wanted
 * it. Meanwhile nobody may read them. Allocates nothing. Returns whether they were rebuilt. */
bool scenery_hold_ways(struct scenery *scenery, const struct bounds *bounds, bool is_held);

/** Leads the way fields that have a goal of this name to a place: those for which it is in another cell are rebuilt.
 * Allocates nothing. at: px. Returns whether any was. */
bool scenery_lead_ways(struct scenery *scenery, const struct bounds *bounds, const char *name, vec2 at);

/** What a way field, flow field `flow` of the scenery, leaves out. */
struct way_gaps {
    int32_t free, cut_off; /* cells where a body fits; those of them from which no way leads to a goal */
    vec2 at;               /* px; the middle of the first of these */
    int goal;              /* the index of the first target that is where no body fits; -1: none is */
};
struct way_gaps scenery_way_gaps(const struct scenery *scenery, const struct bounds *bounds, int flow);

/** Moves what `to` holds into one block with room for it and for a scenery of this size (scenery_clone_size). 0, or -1
 * without memory (nothing changes). The room is there until scenery_fini. */
NODISCARD int scenery_reserve(struct scenery *to, size_t size);
/** Bytes that a clone takes. */
size_t scenery_clone_size(const struct scenery *from);
/** Whether `to` has room for `from`. */
bool scenery_clone_fits(const struct scenery *to, const struct scenery *from);
/** Copies `from` into the room of `to`. Allocates nothing. */
void scenery_clone(struct scenery *to, const struct scenery *from);

/** What a body senses of an obstacle or a wall. index: the owner; -1: nothing. */
struct scenery_touch {
    int index;
    struct touch touch;
};
/** The solid whose outline is nearest to a place of the world. */
struct scenery_touch scenery_nearest(const struct scenery *scenery, const struct bounds *bounds, vec2 place);
/** The same of a moment. */
struct scenery_touch scenery_nearest_at(const struct scenery *scenery, const struct bounds *bounds,
                                        vec2 place, enum scenery_moment moment);
/** How near the next place of a mover is. */
struct touch scenery_touch_next(const struct scenery *scenery, const struct bounds *bounds, int mover,
                                vec2 place);

/** How near a place of the world is to an obstacle or a wall. */
struct touch scenery_touch_of(const struct scenery *scenery, const struct bounds *bounds, int owner,
                              vec2 place);
/** How far it reaches across a direction, from the center of its solids. px */
float scenery_reach_of(const struct scenery *scenery, int owner, vec2 across);

/** A distance that every solid has at least from a place, in this tick and in the next one: 3e38 without solids, -3e38 when
 * it is not known. px */
float scenery_room(const struct scenery *scenery, const struct bounds *bounds, vec2 place);

/** The first solid a disc meets on its way. index: its owner; -1: none. Units as solid_sweep. */
struct scenery_contact {
    int index;
    struct contact contact;
};
struct scenery_contact scenery_sweep(const struct scenery *scenery, const struct bounds *bounds, vec2 place,
                                     vec2 way, float length, float radius);

/** The same among solids that stand still. */
struct scenery_contact scenery_sweep_still(const struct scenery *scenery, const struct bounds *bounds,
                                           vec2 place, vec2 way, float length, float radius);
/** The first solid that a disc meets on its way within `horizon` s, also one that comes towards it; distance: px along the
 * disc's own way. way: unit vector; speed: px/s, > 0 */
struct scenery_contact scenery_meet(const struct scenery *scenery, const struct bounds *bounds, vec2 place,
                                    vec2 way, float speed, float horizon, float radius);

/** The same by looking at every solid: what scenery_nearest and scenery_sweep must equal, bit for bit, and what they fall back to
 * outside the grid and on ways around the world. */
struct scenery_touch scenery_nearest_of_all(const struct scenery *scenery, const struct bounds *bounds,
                                            vec2 place);
struct scenery_contact scenery_sweep_all(const struct scenery *scenery, const struct bounds *bounds,
                                         vec2 place, vec2 way, float length, float radius);

/** The solids that may be nearer to a place than `reach` px, and perhaps more. False: all may as well be
 * compared; the set is empty then. */
bool scenery_within(const struct scenery *scenery, const struct bounds *bounds, vec2 place, float reach,
                    struct solid_set *set);

/** Moves a body through a tick without entering or passing a solid that stands still, whatever its speed.
 *
 * The disc of `radius` is swept along its way; where it meets a solid, the velocity's inward part is taken
 * away and the rest of the way goes along the surface, at most four times. Then it is pushed out of whatever
 * it still overlaps, the shortest way, unless that would carry its center through another solid.
 *
 * before   px, px/s: where it was
 * moved    px, px/s: where it would be without solids, not yet settled at the world's edge
 * returns  px, px/s: where it is; not faster than before
 */
struct motion scenery_constrain(const struct scenery *scenery, const struct bounds *bounds,
                                struct motion before, struct motion moved, float radius);

/** Moves a body out of the way of what moves in this tick, whatever the speeds.
 *
 * Seen from each mover, the disc is swept along its way and goes along the surface that it meets, as above; then it is
 * pushed out of whatever it overlaps in the next tick. Where it is squeezed, so that no push leads out, it is put to the
 * nearest free place that its center can be moved to in a straight line past what stands still; when there is none, to
 * the nearest one that there is.
 *
 * before   px: where it was
 * moved    px, px/s: where it would be without movers, after scenery_constrain and the edge
 * returns  px, px/s: where it is, in the world; not faster than before
 */
struct motion scenery_yield(const struct scenery *scenery, const struct bounds *bounds, struct motion before,
                            struct motion moved, float radius);

/** The nearest place outside all solids for a disc, if pushing it out a few times finds one. px */
vec2 scenery_push_out(const struct scenery *scenery, const struct bounds *bounds, vec2 place, float radius);

/* Flow fields: a velocity for every place, from a formula or a grid.
 *
 * Only + - * / and sqrt, so the same everywhere. Pure: the definition is all there is.
 */

/** The flow at a place.
 *
 * place    px
 * returns  px/s, finite. Vortex and towards fall to {0,0} within 20 px of their middle; a grid is
 * interpolated between the centers of its cells, round the edge of a wrapping world, and goes on outside as
 * at its border, and so does a way, which is {0,0} where there is none; noise repeats every world size, so it joins at a wrapping edge. Not above |strength|. source
 * noise: the curl of a smooth random height (Bridson 2007, "Curl-noise for procedural fluid flow"), here of
 * value noise
 */
vec2 flow_at(const struct flow_def *flow, const struct bounds *bounds, vec2 place);

/** Whether a place of the world is in an area; on a torus also across the edge. Of a rectangle and a polygon the
 * border to the left of and above a place belongs to it, the one to the right and below does not, so areas that
 * adjoin share no place; the border of a disc belongs to it. Exact for coordinates of up to 1/64 px. place: px */
bool area_holds(const struct area_def *area, const struct bounds *bounds, vec2 place);
/** px^2 */
double area_size(const struct area_def *area);

/** How the straight way between two places, on a torus the short one, goes through a gate: 1 from its left to its right,
 * seen from its first point to its second; -1 the other way; 0 not at all. Every way through a point that gates share
 * goes through exactly one of them, and a way that ends on a gate goes through it, or the next one does, as area_holds
 * has it: gates around an area count its agents exactly. source: simulation of simplicity (Edelsbrunner, Muecke 1990),
 * with all places moved by the same infinitely small amount, to the right and even less downwards */
int gate_crossing(const struct gate_def *gate, const struct bounds *bounds, vec2 from, vec2 to);

#endif
