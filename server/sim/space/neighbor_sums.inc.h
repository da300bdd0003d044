/* The kernel of neighbor_kernel.h, for LANES_WIDTH agents at once. The file that includes this defines
 * LANES_WIDTH and KERNEL_FUNCTION, the name that the kernel gets.
 */
#include "server/sim/space/kernel_columns.h"
#include "server/sim/space/neighbor_sweep.inc.h"

LANES_INLINE void store_columns(const struct sums *sums, lanes_mask wanted, int32_t place,
                                struct sums_columns *out) {
    const lanes_tally *count = sums->count;
    store_where(out->separation_count + place, wanted, lanes_from_tally(count[ZONE_SEPARATION]));
    store_where(out->alignment_count + place, wanted, lanes_from_tally(count[ZONE_ALIGNMENT]));
    store_where(out->cohesion_count + place, wanted, lanes_from_tally(count[ZONE_COHESION]));
    store_where(out->separation_x + place, wanted, sums->separation_x);
    store_where(out->separation_y + place, wanted, sums->separation_y);
    store_where(out->velocity_x + place, wanted, sums->velocity_x);
    store_where(out->velocity_y + place, wanted, sums->velocity_y);
    store_where(out->velocity_weight + place, wanted, sums->velocity_weight);
    store_where(out->offset_x + place, wanted, sums->offset_x);
    store_where(out->offset_y + place, wanted, sums->offset_y);
    store_where(out->offset_weight + place, wanted, sums->offset_weight);
}

/* One copy for each zone that may be the only one, so that nothing is done for the others. */
LANES_INLINE struct sums sweep_only(const struct kernel_plan *plan, const struct block *block,
                                    struct variant variant) {
    switch (plan->only) {
    case ZONE_ALIGNMENT:
        variant.layout = KERNEL_ALONG;
        return sweep(plan, block, variant);
    case ZONE_COHESION:
        variant.layout = KERNEL_TOGETHER;
        return sweep(plan, block, variant);
    default:
        variant.layout = KERNEL_APART;
        return sweep(plan, block, variant);
    }
}

LANES_INLINE struct sums sweep_one_zone(const struct kernel_plan *plan, struct block *block) {
    if (plan->has_cones) {
        find_cones(plan, block);
        return plan->is_sharp ? sweep_only(plan, block, (struct variant){KERNEL_APART, true, true, true})
                              : sweep_only(plan, block, (struct variant){KERNEL_APART, true, false, true});
    }
    return plan->is_sharp ? sweep_only(plan, block, (struct variant){KERNEL_APART, false, true, true})
                          : sweep_only(plan, block, (struct variant){KERNEL_APART, false, false, true});
}

void KERNEL_FUNCTION(const struct kernel_plan *plan, int32_t begin, int32_t end, uint64_t wanted,
                     struct sums_columns *out) {
    struct search search = begin_search(plan, begin, end, wanted);
    struct block block;
    for (uint32_t lanes_wanted; (lanes_wanted = next_block(&search, &block)) != 0;) {
        const struct sums sums =
            plan->only == ZONE_COUNT ? sweep_any(plan, &block, true) : sweep_one_zone(plan, &block);
        const int32_t place = block.first - begin;
        store_columns(&sums, lanes_from_bits(lanes_wanted), place, out);
        for (uint32_t left = coincident_lanes(&block, &sums) & lanes_wanted; left != 0; left &= left - 1) {
            const int32_t lane = __builtin_ctz(left);
            const struct neighbor_sums alone = kernel_sums_alone(plan, block.first + lane);
            sums_columns_set(out, place + lane, &alone);
        }
    }
}
