/* Queries as numbers: what the kernels of every width begin with, and the kernels of a width. */
#ifndef DROVER_SERVER_SIM_KERNELS_KERNELS_INTERNAL_H
#define DROVER_SERVER_SIM_KERNELS_KERNELS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/steering/locomotion.h"

/* ---- neighbors ---- */

/** Which zones are the same; or the one zone that has a radius. */
enum kernel_layout {
    KERNEL_THREE,
    KERNEL_TWIN, /* alignment and cohesion */
    KERNEL_ONE,
    KERNEL_APART,
    KERNEL_ALONG,
    KERNEL_TOGETHER,
};

/** The query of a batch as numbers. */
struct kernel_plan {
    const struct neighbor_batch *batch;
    bool is_picky;                        /* some agent's kind may not count */
    bool has_cones;                       /* a view that is not all round */
    bool is_sharp;                        /* all weights are 1 */
    bool is_sparse;                       /* most candidates are in no agent's zones */
    enum kernel_layout layout;            /* which zones are the same */
    enum zone only;                       /* the zone that has a radius; ZONE_COUNT: several have */
    float size_x, size_y, half_x, half_y; /* px, of the torus */
    float furthest;                       /* px^2 */
    struct zone_plan zones[ZONE_COUNT];
    int32_t reach_columns, reach_rows; /* cells */
    int32_t
        gap; /* slots of no wanted agent that cost as much as a block of their own for those behind them */
};

/** Sums as memory, lane by lane. */
struct kernel_sums {
    _Alignas(64) float separation_x[KERNEL_WIDTH_MAX];
    _Alignas(64) float separation_y[KERNEL_WIDTH_MAX];
    _Alignas(64) float velocity_x[KERNEL_WIDTH_MAX];
    _Alignas(64) float velocity_y[KERNEL_WIDTH_MAX];
    _Alignas(64) float velocity_weight[KERNEL_WIDTH_MAX];
    _Alignas(64) float offset_x[KERNEL_WIDTH_MAX];
    _Alignas(64) float offset_y[KERNEL_WIDTH_MAX];
    _Alignas(64) float offset_weight[KERNEL_WIDTH_MAX];
    _Alignas(64) int32_t count[ZONE_COUNT][KERNEL_WIDTH_MAX];
};

/** The sums of one agent by neighbors_sum: for an agent with another one in the same place. */
struct neighbor_sums kernel_sums_alone(const struct kernel_plan *plan, int32_t slot);

/** A kernel: neighbor_kernel_columns of its width. */
typedef void neighbor_function(const struct kernel_plan *plan, int32_t begin, int32_t end, uint64_t wanted,
                               struct sums_columns *out);

/* ---- threats ---- */

/** The query of a batch about threats as numbers. */
struct threat_plan {
    struct kernel_plan near;  /* its candidates: those in ZONE_SEPARATION */
    float clearance, horizon; /* px, s */
};

/** A kernel: threat_kernel_sums of its width. */
typedef void threat_function(const struct threat_plan *plan, int32_t begin, int32_t end, uint64_t wanted,
                             struct threat_columns *out);

/* ---- sights ---- */

/** The agents of a block whose candidates are visited together, and where these are.
 *
 * wanted     bit i for lane i; not 0
 * low, high  of the box around the agents that are wanted, px
 * reach      px: how far candidates are looked for
 * area       receives the cells
 * returns    the bits to go together: `wanted`, or the lower half of them, whose box is another one */
uint32_t sight_choose_agents(const struct sight_query *query, uint32_t wanted, vec2 low, vec2 high,
                             float reach, struct sight_area *area);

/** A kernel: sight_kernel_find of its width. */
typedef void sight_function(const struct sight_query *query, int32_t begin, int32_t end, uint64_t wanted,
                            struct sight_columns *out);

/* ---- flocks ---- */

/** What flock_rules come to for one tick. */
struct flock_plan {
    const struct flock_rules *rules;
    struct flock_limits limits;
    float full_radius_inverse; /* flock_full_inverse of the cohesion radius */
    float push;                /* s / mass */
    float hold_squared;        /* (px/s)^2, up to which the heading stays */
    vec2 low, high;            /* between these no border is felt */
};

/** Finishes one agent that a kernel has moved: applies the border and turns the heading. */
void flock_finish(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t slot,
                  struct motion moved, const struct flock_out *out);

/** A kernel: the tick of the agents in slots [begin, end) that are of the flock's kind. */
typedef void flock_function(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t begin,
                            int32_t end, const struct flock_out *out);

/* ---- orca ---- */

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

/** The slots of the neighbors of the agent in a slot, nearest first, by neighbors_nearest_slots. out: room
 * for query->most. Returns how many there are. */
int32_t orca_rank_alone(const struct orca_plan *plan, int32_t slot, int32_t *out);

/** A kernel: see orca_kernel_solve. `active` and `alone` are 0 to begin with. */
typedef void orca_function(const struct orca_plan *plan, const struct orca_wishes *wishes, int32_t begin,
                           int32_t end, const uint64_t *wanted, const struct orca_answers *answers);

/* ---- the kernels of a width ---- */

/** What kernel_set.inc.h defines, by the name KERNEL_SET. */
struct kernel_set {
    neighbor_function *neighbor;
    threat_function *threat;
    sight_function *sight;
    flock_function *flock;
    orca_function *orca;
    const struct steering_kernel *steering;
};

extern const struct kernel_set kernels_plain;
#if defined(__x86_64__)
extern const struct kernel_set kernels_sse2, kernels_avx2, kernels_avx512;
#elif defined(__wasm_simd128__)
extern const struct kernel_set kernels_simd128;
#endif

#endif
