/* The kernel of neighbor_kernel.h, for LANES_WIDTH agents at once. The file that includes this defines
 * LANES_WIDTH and KERNEL_FUNCTION, the name that the kernel gets.
 */
#include "server/sim/space/neighbor_sweep.inc.h"

void KERNEL_FUNCTION(const struct kernel_plan *plan, int32_t begin, int32_t end, struct neighbor_sums *out) {
    const struct grid *grid = plan->batch->grid;
    int32_t row = begin < end ? row_before(grid, begin) : 0;
    struct block block;
    struct kernel_sums stored;
    for (int32_t first = begin; first < end && !grid_is_given_up(grid); first += block.count) {
        const int32_t stop = row_end(grid, first, &row);
        begin_block(plan, first, row, stop < end ? stop : end, &block);
        const struct sums sums = sweep_any(plan, &block, true);
        const uint32_t coincident = coincident_lanes(&block, &sums);
        store_sums(&sums, &stored);
        for (int zone = 0; zone < ZONE_COUNT; zone++) {
            lanes_tally_store(stored.count[zone], sums.count[zone]);
        }
        for (int32_t lane = 0; lane < block.count; lane++) {
            struct neighbor_sums *one = &out[first + lane - begin];
            *one = (struct neighbor_sums){
                .separation_count = stored.count[ZONE_SEPARATION][lane],
                .alignment_count = stored.count[ZONE_ALIGNMENT][lane],
                .cohesion_count = stored.count[ZONE_COHESION][lane],
                .separation = {stored.separation_x[lane], stored.separation_y[lane]},
                .velocity = {stored.velocity_x[lane], stored.velocity_y[lane]},
                .velocity_weight = stored.velocity_weight[lane],
                .offset = {stored.offset_x[lane], stored.offset_y[lane]},
                .offset_weight = stored.offset_weight[lane],
            };
            if ((coincident >> lane) & 1) {
                *one = kernel_sums_alone(plan, first + lane);
            }
        }
    }
}
