/* What neighbor_kernel.c, flock_kernel.c and the kernels of each width share. */
#ifndef DROVER_SERVER_SIM_SPACE_NEIGHBOR_KERNEL_INTERNAL_H
#define DROVER_SERVER_SIM_SPACE_NEIGHBOR_KERNEL_INTERNAL_H

#include "server/sim/space/neighbor_kernel.h"
#include "server/sim/steering/flock_kernel.h"

enum { KERNEL_WIDTH_MAX = 16 };

/** Which zones are the same. */
enum kernel_layout { KERNEL_THREE, KERNEL_TWIN /* alignment and cohesion */, KERNEL_ONE };

/** A crowd's question as numbers. */
struct kernel_plan {
    const struct neighbor_crowd *crowd;
    bool is_picky;  /* some agent's kind may not count */
    bool has_cones; /* a view that is not all round */
    bool is_sharp;  /* all weights are 1 */
    enum kernel_layout layout;
    float size_x, size_y, half_x, half_y; /* px, of the torus */
    float furthest;                       /* px^2 */
    struct zone_plan zones[ZONE_COUNT];
    int32_t reach_columns, reach_rows; /* cells */
};

/** What flock_rules come to for one tick. */
struct flock_plan {
    const struct flock_rules *rules;
    float full_speed_inverse, full_radius_inverse; /* 1 / what deserves full strength; 0: no rule */
    float push;                                    /* s / mass */
    float hold_squared;                            /* (px/s)^2, up to which the heading stays */
    vec2 low, high;                                /* between these no border is felt */
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

/** A kernel: the sums of the agents in slots [begin, end). */
typedef void (*kernel_function)(const struct kernel_plan *plan, int32_t begin, int32_t end,
                                struct neighbor_sums *out);
/** A kernel: the tick of the agents in slots [begin, end) that are of the flock's kind. */
typedef void (*flock_function)(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t begin,
                               int32_t end, const struct flock_out *out);

void neighbor_kernel_plain(const struct kernel_plan *plan, int32_t begin, int32_t end,
                           struct neighbor_sums *out);
void flock_kernel_plain(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t begin,
                        int32_t end, const struct flock_out *out);
#if defined(__x86_64__)
void neighbor_kernel_sse2(const struct kernel_plan *plan, int32_t begin, int32_t end,
                          struct neighbor_sums *out);
void neighbor_kernel_avx2(const struct kernel_plan *plan, int32_t begin, int32_t end,
                          struct neighbor_sums *out);
void neighbor_kernel_avx512(const struct kernel_plan *plan, int32_t begin, int32_t end,
                            struct neighbor_sums *out);
void flock_kernel_sse2(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t begin,
                       int32_t end, const struct flock_out *out);
void flock_kernel_avx2(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t begin,
                       int32_t end, const struct flock_out *out);
void flock_kernel_avx512(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t begin,
                         int32_t end, const struct flock_out *out);
#endif

struct kernel {
    kernel_function sum;
    flock_function move;
};
struct kernel kernel_of(enum simd simd);
struct kernel_plan kernel_make_plan(const struct neighbor_crowd *crowd);

/** One agent the plain way: for whoever has somebody in its very place. */
struct neighbor_sums kernel_sums_alone(const struct kernel_plan *plan, int32_t slot);
/** One lane that the kernel has moved but not finished: its border and its heading. */
void flock_finish(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t slot,
                  struct motion moved, const struct flock_out *out);

#endif
