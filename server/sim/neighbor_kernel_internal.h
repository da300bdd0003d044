/* What neighbor_kernel.c and the kernels of each width share. */
#ifndef DROVER_SIM_NEIGHBOR_KERNEL_INTERNAL_H
#define DROVER_SIM_NEIGHBOR_KERNEL_INTERNAL_H

#include "server/sim/neighbor_kernel.h"

enum { KERNEL_WIDTH_MAX = 16 };

/** px^2: below it a candidate is the agent itself or in its place. More than neighbors_sum's own limit: those
 * between the two are left to it without need. */
#define KERNEL_NEAR_SQUARED 2e-12f

/** A crowd's question as numbers. */
struct kernel_plan {
    const struct motion *motion; /* by slot */
    const uint8_t *kind;         /* by slot */
    uint64_t kinds;
    bool is_picky;           /* some agent's kind may not count */
    bool has_cones, is_twin; /* a view that is not all round; alignment and cohesion have the same zone */
    float size_x, size_y, half_x, half_y;                            /* px, of the torus */
    float furthest;                                                  /* px^2 */
    float squared[ZONE_COUNT], cosine[ZONE_COUNT], fade[ZONE_COUNT]; /* px^2, 1, 1/px */
    float strength, strongest, less; /* of separation: strength * min(1 / distance, strongest) - less */
};

/** One block of agents, and what becomes of it. Lanes beyond the agents repeat the last one. */
struct kernel_block {
    struct grid_walk walk;
    bool wraps; /* some difference may be shorter the other way round */
    _Alignas(64) float x[KERNEL_WIDTH_MAX];
    _Alignas(64) float y[KERNEL_WIDTH_MAX];
    _Alignas(64) float heading_x[KERNEL_WIDTH_MAX];
    _Alignas(64) float heading_y[KERNEL_WIDTH_MAX];
    _Alignas(64) float core_squared[KERNEL_WIDTH_MAX];
    _Alignas(64) float vx[KERNEL_WIDTH_MAX];
    _Alignas(64) float vy[KERNEL_WIDTH_MAX];
};

enum kernel_sum {
    KERNEL_SEPARATION_X,
    KERNEL_SEPARATION_Y,
    KERNEL_VELOCITY_X,
    KERNEL_VELOCITY_Y,
    KERNEL_VELOCITY_WEIGHT,
    KERNEL_OFFSET_X,
    KERNEL_OFFSET_Y,
    KERNEL_OFFSET_WEIGHT,
    KERNEL_SUM_COUNT
};

struct kernel_sums {
    _Alignas(64) float sum[KERNEL_SUM_COUNT][KERNEL_WIDTH_MAX];
    _Alignas(64) int32_t count[ZONE_COUNT][KERNEL_WIDTH_MAX];
    _Alignas(64) int32_t here[KERNEL_WIDTH_MAX]; /* candidates in the agent's place, itself included */
};

/** What flock_rules come to for one tick. */
struct flock_plan {
    float rule_weight[ZONE_COUNT], weight;
    float full_speed_inverse, full_radius_inverse; /* 1 / what deserves full strength; 0: no rule */
    float max_speed, max_force;
    float exact_rate, push, dt; /* push: s / mass */
    float hold_squared;         /* (px/s)^2, up to which the heading stays */
    float turn_cosine;
    vec2 low, high; /* between these no border is felt */
};

/** Agents after the tick. */
struct flock_lanes {
    _Alignas(64) float x[KERNEL_WIDTH_MAX];
    _Alignas(64) float y[KERNEL_WIDTH_MAX];
    _Alignas(64) float vx[KERNEL_WIDTH_MAX];
    _Alignas(64) float vy[KERNEL_WIDTH_MAX];
    _Alignas(64) float heading_x[KERNEL_WIDTH_MAX];
    _Alignas(64) float heading_y[KERNEL_WIDTH_MAX];
    _Alignas(
        64) int32_t is_done[KERNEL_WIDTH_MAX]; /* 0: the border and the heading are still to be seen to */
};

/** Moves all lanes of its width. */
typedef void (*flock_function)(const struct flock_plan *plan, const struct kernel_block *block,
                               const struct kernel_sums *sums, struct flock_lanes *out);

/** A kernel: sums for all lanes of its width. */
typedef void (*kernel_function)(const struct kernel_plan *plan, const struct kernel_block *block,
                                struct kernel_sums *out);

void neighbor_kernel_plain(const struct kernel_plan *plan, const struct kernel_block *block,
                           struct kernel_sums *out);
void flock_kernel_plain(const struct flock_plan *plan, const struct kernel_block *block,
                        const struct kernel_sums *sums, struct flock_lanes *out);
#if defined(__x86_64__)
void neighbor_kernel_sse2(const struct kernel_plan *plan, const struct kernel_block *block,
                          struct kernel_sums *out);
void neighbor_kernel_avx2(const struct kernel_plan *plan, const struct kernel_block *block,
                          struct kernel_sums *out);
void neighbor_kernel_avx512(const struct kernel_plan *plan, const struct kernel_block *block,
                            struct kernel_sums *out);
void flock_kernel_sse2(const struct flock_plan *plan, const struct kernel_block *block,
                       const struct kernel_sums *sums, struct flock_lanes *out);
void flock_kernel_avx2(const struct flock_plan *plan, const struct kernel_block *block,
                       const struct kernel_sums *sums, struct flock_lanes *out);
void flock_kernel_avx512(const struct flock_plan *plan, const struct kernel_block *block,
                         const struct kernel_sums *sums, struct flock_lanes *out);
#endif

/** A kernel of some width, and what cuts a crowd into blocks for it (neighbor_kernel.c). */
struct kernel {
    int32_t width;
    kernel_function sum;
    flock_function move;
};
struct kernel kernel_of(enum simd simd);
struct kernel_plan kernel_make_plan(const struct neighbor_crowd *crowd);

/** Where the next block begins, and who is in it. */
struct kernel_cursor {
    int32_t first, count, end, row;
    float radius; /* px, the widest zone */
};
struct kernel_cursor kernel_begin(const struct neighbor_crowd *crowd, int32_t begin, int32_t end);
/** Sums for the next block; false when there is none. needs_all: headings and velocities are filled in
 * whether sums need them or not. */
bool kernel_next(const struct kernel *kernel, const struct neighbor_crowd *crowd,
                 const struct kernel_plan *plan, bool needs_all, struct kernel_cursor *cursor,
                 struct kernel_block *block, struct kernel_sums *sums);

#endif
