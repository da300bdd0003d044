/* What is asked of orca_kernel.h, and the same as numbers: what the kernels of every width begin with. */
#ifndef DROVER_SERVER_SIM_STEERING_ORCA_PLAN_H
#define DROVER_SERVER_SIM_STEERING_ORCA_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "server/sim/space/neighbors.h"

/** What the agents have in common. Plain value; owns nothing. */
struct orca_query {
    const struct grid *grid; /* its radius column is filled */
    const struct bounds *bounds;
    const uint32_t *ids; /* by row */
    uint64_t kinds;      /* bit k: kind k counts; UINT64_MAX: all */
    float radius;        /* px, >= 0: nearer than this a neighbor counts */
    float clearance;     /* px, >= 0, beside two bodies */
    float horizon;       /* s, > 0, at least a tick */
    float settle;        /* s, > 0: see struct encounter */
    int32_t most;        /* only so many neighbors, the nearest, count; 1 to NEIGHBORS_NEAREST_MAX */
};

enum {
    ORCA_SPARE = 16 /* entries of wishes and answers behind the last agent that may be read and written */
};

/** What the agents want, by place (slot - begin). */
struct orca_wishes {
    const float *preferred_x, *preferred_y; /* px/s, within max_speed */
    const float *max_speed;                 /* px/s, >= 0 */
};

/** Receives the answers, by place; bit p % 64 of word p / 64 is of place p. */
struct orca_answers {
    uint64_t *active; /* the preferred velocity is not permitted */
    uint64_t *alone;  /* nothing is known: behavior_orca must be called; then not active */
    float *x, *y;     /* px/s: the permitted velocity where it is active; all others stay as they are */
};

/** How many words have a bit for each of so many places. */
static inline int32_t orca_words(int32_t places) {
    return (places + 63) / 64;
}

enum {
    ORCA_WIDTH_MAX = 16,
    ORCA_RANKED_MAX = 1024, /* candidates of a block: as many as keys have numbers for */
};

/** The query of a call as numbers. */
struct orca_plan {
    const struct orca_query *query;
    bool is_picky;                         /* some agent's kind may not count */
    float size_x, size_y, half_x, half_y;  /* px, of the torus */
    float furthest;                        /* px^2 */
    float quanta;                          /* 1/px^2: what squared distances are ranked in */
    float reach_x, reach_y;                /* px: how far the cells of candidates may be away */
    float horizon_inverse, settle_inverse; /* 1/s */
};

/** The plan of a query. query: must live as long as the plan. */
struct orca_plan orca_make_plan(const struct orca_query *query);

/** The slots of the neighbors of the agent in a slot, nearest first, by neighbors_nearest_slots. out: room
 * for query->most. Returns how many there are. */
int32_t orca_rank_alone(const struct orca_plan *plan, int32_t slot, int32_t *out);

/** A kernel: see orca_kernel_solve. `active` and `alone` are 0 to begin with. */
typedef void orca_function(const struct orca_plan *plan, const struct orca_wishes *wishes, int32_t begin,
                           int32_t end, const uint64_t *wanted, const struct orca_answers *answers);

/* orca_kernel.inc.h for each width. */
orca_function orca_kernel_plain;
#if defined(__x86_64__)
orca_function orca_kernel_sse2, orca_kernel_avx2, orca_kernel_avx512;
#elif defined(__wasm_simd128__)
orca_function orca_kernel_simd128;
#endif

#endif
