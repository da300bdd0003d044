/* What stands and flows in a world, before it runs: obstacles, walls, paths, flow fields, areas, gates. Part of a
 * world_def.
 *
 * A geometry_def owns its arrays and the vectors of its grids. Zeroed it is empty.
 */
#ifndef DROVER_SERVER_SIM_SCENERY_GEOMETRY_DEF_H
#define DROVER_SERVER_SIM_SCENERY_GEOMETRY_DEF_H

#include <stdint.h>

#include "common/base/geometry.h"
#include "common/base/nodiscard.h"

enum flow_type {
    FLOW_UNIFORM, /* the same everywhere: `vector` */
    FLOW_VORTEX,  /* around `at`, clockwise on a screen, `strength` px/s (negative: the other way) */
    FLOW_NOISE,   /* smooth random currents without sources or sinks, about `scale` px wide */
    FLOW_TOWARDS, /* to `at` with `strength` px/s (negative: away from it) */
    FLOW_GRID,    /* vectors at the centers of columns x rows cells that fill the world */
    FLOW_WAY,     /* the same, made by scenery_init: the way round the solids to the nearest of `goals` */
};

/** Where a way field leads to. */
struct way_goal {
    char name[LIMIT_NAME_CHARS + 1]; /* of an area, or else of a target */
    vec2 at;                         /* px; of a target, in a running world: its way_at */
};

/** A velocity for every place. */
struct flow_def {
    char name[LIMIT_NAME_CHARS + 1];
    int type;       /* enum flow_type */
    vec2 at;        /* px */
    vec2 vector;    /* px/s */
    float strength; /* px/s */
    float scale;    /* px, > 0 */
    uint32_t seed;
    int32_t columns, rows;
    vec2 *vectors; /* owned; FLOW_GRID, FLOW_WAY: columns * rows, row by row, px/s */
    float body;    /* px; FLOW_WAY: as far as this from every solid is a way */
    int goal_count;
    struct way_goal goals[LIMIT_WAY_GOALS];
};

/** The vectors of a flow field: 0 of one that is a formula. */
static inline int flow_def_cells(const struct flow_def *flow) {
    return flow->type == FLOW_GRID || flow->type == FLOW_WAY ? flow->columns * flow->rows : 0;
}

struct geometry_def {
    int obstacle_count, wall_count, path_count, flow_count, area_count, gate_count;
    struct obstacle_def *obstacles;
    struct wall_def *walls;
    struct path_def *paths;
    struct flow_def *flows;
    struct area_def *areas;
    struct gate_def *gates;
};

void geometry_def_fini(struct geometry_def *def);

/** Each appends one that is zero; NULL at its limit (common/base/limits.h) or without memory. The pointer is
 * valid until the next call. */
NODISCARD struct obstacle_def *geometry_def_add_obstacle(struct geometry_def *def);
NODISCARD struct wall_def *geometry_def_add_wall(struct geometry_def *def);
NODISCARD struct path_def *geometry_def_add_path(struct geometry_def *def);
NODISCARD struct flow_def *geometry_def_add_flow(struct geometry_def *def);
NODISCARD struct area_def *geometry_def_add_area(struct geometry_def *def);
NODISCARD struct gate_def *geometry_def_add_gate(struct geometry_def *def);

/** Makes the flow field a way field with cells of about `cell` px, none larger, in a world of this size. 0; 1: those are
 * more than LIMIT_WAY_CELLS; -1 without memory. */
NODISCARD int flow_def_begin_way(struct flow_def *flow, float cell, vec2 size);

/** A copy with arrays of its own. 0, or -1 without memory (*out is empty then). */
NODISCARD int geometry_def_copy(const struct geometry_def *def, struct geometry_def *out);

/** How many convex pieces all obstacles are cut into, whole ones included; they are without faults. */
int geometry_def_pieces(const struct geometry_def *def);

/** NULL, or what is wrong with one of them, as a static sentence. polygon_crossing names the sides that meet.
 * wraps, size: of the world; in a wrapping one nothing may be larger than half the world, or the short way
 * round it would be ambiguous. */
const char *obstacle_def_fault(const struct obstacle_def *obstacle, bool wraps, vec2 size);
const char *wall_def_fault(const struct wall_def *wall, bool wraps, vec2 size);
/** At least a part of an area is in the world; in a wrapping one it may be as large as the world. */
const char *area_def_fault(const struct area_def *area, bool wraps, vec2 size);
const char *gate_def_fault(const struct gate_def *gate, bool wraps, vec2 size);
/** The first fault of all, or NULL. */
const char *geometry_def_fault(const struct geometry_def *def, bool wraps, vec2 size);

/** The corners of the smallest upright box around an obstacle, or around the shape of an area. px */
void obstacle_def_extent(const struct obstacle_def *obstacle, vec2 *low, vec2 *high);

struct bounds;
/** Puts so many points between any two of a path: on a curve through all of them (centripetal Catmull-Rom: without loops and
 * cusps; the ends of a line go on straight), evenly in its parameter, with radii between those of the two. On a torus sides go
 * the short way. + - * / and sqrt alone.
 *
 * returns  how many points it has then; more than LIMIT_PATH_POINTS: that would be too many, nothing changed
 * source   Catmull, Rom 1974; Yuksel, Schaefer, Keyser 2011, "Parameterization and applications of Catmull-Rom curves" */
int path_def_smooth(struct path_def *path, uint32_t between_two, const struct bounds *bounds);

/** The index of the path, flow field, area or gate of this name, or -1. */
int geometry_def_find_path(const struct geometry_def *def, const char *name);
int geometry_def_find_flow(const struct geometry_def *def, const char *name);
int geometry_def_find_area(const struct geometry_def *def, const char *name);
int geometry_def_find_gate(const struct geometry_def *def, const char *name);

#endif
