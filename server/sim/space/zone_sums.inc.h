/* The formula of neighbor sums, over LANES_WIDTH agents and one candidate: which candidates count in a zone
 * and what they add. neighbors.c includes it with one lane, the kernels with the lanes of their instruction
 * set; the formula stands nowhere else. tests/property/neighbors_reference.c compares it with a naive one.
 *
 * A candidate that does not count for a lane adds +0.0 there, so that the sums are the same whichever
 * candidates are visited besides those that count.
 */
#include "server/sim/math/lanes.h"
#include "server/sim/space/neighbors.h"

struct candidate {
    lanes x, y, squared, facing; /* px, px, px^2; candidate_facing */
    lanes_mask is_near;          /* within the widest zone */
};

struct sums {
    lanes separation_x, separation_y;
    lanes velocity_x, velocity_y, velocity_weight;
    lanes offset_x, offset_y, offset_weight;
    lanes nearest; /* px^2: to the nearest candidate that counts, the agent itself left out */
    lanes_tally count[ZONE_COUNT];
};

/* A difference of coordinates inside a torus, the short way round. half: infinite elsewhere. */
LANES_INLINE lanes short_way(lanes difference, float size, float half) {
    const lanes once = lanes_all(size);
    const lanes_mask is_over = lanes_less(lanes_all(half), difference);
    const lanes_mask is_under = lanes_less(difference, lanes_all(-half));
    return lanes_add(lanes_sub(difference, lanes_keep(is_over, once)), lanes_keep(is_under, once));
}

/* The signed square of the part of the offset along the heading, px^2; huge within the core, where an agent
 * notices everything whatever its field of view. core: px^2. */
LANES_INLINE lanes candidate_facing(const struct candidate *other, lanes heading_x, lanes heading_y,
                                    lanes core) {
    const lanes facing = lanes_add(lanes_mul(heading_x, other->x), lanes_mul(heading_y, other->y));
    const lanes_mask in_core = lanes_less(other->squared, core);
    return lanes_select(in_core, lanes_all(3e38f), lanes_mul(facing, lanes_abs(facing)));
}

/* has_cones: the candidate's facing is filled, and the zone may have a field of view. */
LANES_INLINE lanes_mask zone_contains(const struct zone_plan *zone, const struct candidate *other,
                                      bool has_cones) {
    const lanes_mask is_in = lanes_less(other->squared, lanes_all(zone->squared));
    return has_cones
               ? lanes_at_most_where(is_in, lanes_mul(lanes_all(zone->cone), other->squared), other->facing)
               : is_in;
}

/* The weight of a candidate; never negative within the radius. */
LANES_INLINE lanes zone_weight(const struct zone_plan *zone, lanes_mask counts,
                               const struct candidate *other) {
    return lanes_sub_where(counts, lanes_all(1.0f), lanes_mul(lanes_all(zone->fade), other->squared));
}

/* is_sharp: a constant for the compiler; false is right for every zone, only slower for a sharp one. */
LANES_INLINE void zone_separate(const struct zone_plan *zone, bool is_sharp, lanes_mask counts,
                                const struct candidate *other, struct sums *sums) {
    const lanes strength = lanes_all(zone->strength);
    const lanes factor =
        is_sharp ? lanes_div_where(counts, strength, other->squared)
                 : lanes_sub_where(counts, lanes_div(strength, other->squared), lanes_all(zone->less));
    sums->separation_x = lanes_sub(sums->separation_x, lanes_mul(other->x, factor));
    sums->separation_y = lanes_sub(sums->separation_y, lanes_mul(other->y, factor));
}

LANES_INLINE void zone_align(lanes weight, const struct motion *motion, struct sums *sums) {
    sums->velocity_x = lanes_add(sums->velocity_x, lanes_mul(lanes_all(motion->vx), weight));
    sums->velocity_y = lanes_add(sums->velocity_y, lanes_mul(lanes_all(motion->vy), weight));
}

LANES_INLINE void zone_cohere(lanes weight, const struct candidate *other, struct sums *sums) {
    sums->offset_x = lanes_add(sums->offset_x, lanes_mul(other->x, weight));
    sums->offset_y = lanes_add(sums->offset_y, lanes_mul(other->y, weight));
}

/* The same for weights of 1. */
LANES_INLINE void zone_align_sharply(lanes_mask counts, const struct motion *motion, struct sums *sums) {
    sums->velocity_x = lanes_add_where(counts, sums->velocity_x, lanes_all(motion->vx));
    sums->velocity_y = lanes_add_where(counts, sums->velocity_y, lanes_all(motion->vy));
}

LANES_INLINE void zone_cohere_sharply(lanes_mask counts, const struct candidate *other, struct sums *sums) {
    sums->offset_x = lanes_add_where(counts, sums->offset_x, other->x);
    sums->offset_y = lanes_add_where(counts, sums->offset_y, other->y);
}
