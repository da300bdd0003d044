/* What kernels answer about the agents of a batch: a column for each number, one entry an agent, by *place*:
 * slot minus the first slot of the batch.
 */
#ifndef DROVER_SERVER_SIM_SPACE_KERNEL_COLUMNS_H
#define DROVER_SERVER_SIM_SPACE_KERNEL_COLUMNS_H

#include <assert.h>
#include <stdint.h>

#include "server/sim/space/neighbors.h"

enum {
    KERNEL_WIDTH_MAX = 16,
    KERNEL_PLACES = 64,                            /* agents of a batch */
    KERNEL_ROOM = KERNEL_PLACES + KERNEL_WIDTH_MAX /* as many lanes as there are fit in from any place */
};

/** struct neighbor_sums as columns; counts are whole numbers. */
struct sums_columns {
    _Alignas(64) float separation_count[KERNEL_ROOM];
    _Alignas(64) float alignment_count[KERNEL_ROOM];
    _Alignas(64) float cohesion_count[KERNEL_ROOM];
    _Alignas(64) float separation_x[KERNEL_ROOM];
    _Alignas(64) float separation_y[KERNEL_ROOM];
    _Alignas(64) float velocity_x[KERNEL_ROOM];
    _Alignas(64) float velocity_y[KERNEL_ROOM];
    _Alignas(64) float velocity_weight[KERNEL_ROOM];
    _Alignas(64) float offset_x[KERNEL_ROOM];
    _Alignas(64) float offset_y[KERNEL_ROOM];
    _Alignas(64) float offset_weight[KERNEL_ROOM];
};

/** Count and push of struct neighbor_threats as columns; counts are whole numbers. */
struct threat_columns {
    _Alignas(64) float count[KERNEL_ROOM];
    _Alignas(64) float push_x[KERNEL_ROOM];
    _Alignas(64) float push_y[KERNEL_ROOM];
};

/** The sums of the agent at a place. */
static inline struct neighbor_sums sums_columns_get(const struct sums_columns *columns, int32_t place) {
    assert(place >= 0 && place < KERNEL_PLACES);
    return (struct neighbor_sums){
        .separation_count = (int32_t)columns->separation_count[place],
        .alignment_count = (int32_t)columns->alignment_count[place],
        .cohesion_count = (int32_t)columns->cohesion_count[place],
        .separation = {columns->separation_x[place], columns->separation_y[place]},
        .velocity = {columns->velocity_x[place], columns->velocity_y[place]},
        .velocity_weight = columns->velocity_weight[place],
        .offset = {columns->offset_x[place], columns->offset_y[place]},
        .offset_weight = columns->offset_weight[place],
    };
}

/** Puts the sums of one agent at a place. */
static inline void sums_columns_set(struct sums_columns *columns, int32_t place,
                                    const struct neighbor_sums *sums) {
    assert(place >= 0 && place < KERNEL_PLACES);
    columns->separation_count[place] = (float)sums->separation_count;
    columns->alignment_count[place] = (float)sums->alignment_count;
    columns->cohesion_count[place] = (float)sums->cohesion_count;
    columns->separation_x[place] = sums->separation.x;
    columns->separation_y[place] = sums->separation.y;
    columns->velocity_x[place] = sums->velocity.x;
    columns->velocity_y[place] = sums->velocity.y;
    columns->velocity_weight[place] = sums->velocity_weight;
    columns->offset_x[place] = sums->offset.x;
    columns->offset_y[place] = sums->offset.y;
    columns->offset_weight[place] = sums->offset_weight;
}

#endif
