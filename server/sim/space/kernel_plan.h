/* A batch's query as numbers: what the kernels of every width begin with. */
#ifndef DROVER_SERVER_SIM_SPACE_KERNEL_PLAN_H
#define DROVER_SERVER_SIM_SPACE_KERNEL_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "server/sim/space/kernel_columns.h"
#include "server/sim/space/neighbor_batch.h"

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

/** The plan of a query. batch: must live as long as the plan. */
struct kernel_plan kernel_make_plan(const struct neighbor_batch *batch);

/** The sums of one agent by neighbors_sum: for an agent with another one in the same place. */
struct neighbor_sums kernel_sums_alone(const struct kernel_plan *plan, int32_t slot);

/** A kernel: neighbor_kernel_columns of its width. */
typedef void kernel_function(const struct kernel_plan *plan, int32_t begin, int32_t end, uint64_t wanted,
                             struct sums_columns *out);

/* neighbor_sums.inc.h for each width. */
kernel_function neighbor_kernel_plain;
#if defined(__x86_64__)
kernel_function neighbor_kernel_sse2, neighbor_kernel_avx2, neighbor_kernel_avx512;
#elif defined(__wasm_simd128__)
kernel_function neighbor_kernel_simd128;
#endif

#endif
