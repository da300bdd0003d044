/* The agents of a batch, column by column: what the steering kernels read and write.
 *
 * A batch is up to BATCH_MAX consecutive slots of the grid. An agent's *place* in it is its slot less the
 * first one. Which agents something concerns is a set of places, a bit each. Columns are padded so that a
 * kernel may read and write whole registers; what stands behind the last place is of no consequence.
 */
#ifndef DROVER_SERVER_SIM_STEERING_STEERING_BATCH_H
#define DROVER_SERVER_SIM_STEERING_STEERING_BATCH_H

#include <stdint.h>

#include "common/base/vec2.h"
#include "server/sim/math/bits.h"
#include "server/sim/space/edge.h"
#include "server/sim/space/kernel_columns.h"
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_def.h"
#include "server/sim/steering/locomotion.h"

enum { BATCH_MAX = KERNEL_PLACES, BATCH_ROOM = KERNEL_ROOM };

/** A number for each place. */
#define BATCH_COLUMN(name) _Alignas(64) float name[BATCH_ROOM]

/** A set of places. */
typedef uint64_t place_set;

/** The first `count` places. */
static inline place_set places_until(int32_t count) {
    return count >= BATCH_MAX ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}
/** How many places a set has. */
static inline int32_t places_count(place_set places) {
    return bits_count(places);
}
/** The lowest place of a set that is not empty. */
static inline int32_t places_first(place_set places) {
    return (int32_t)__builtin_ctzll(places);
}

/** What one behavior puts out for the agents of a batch. */
struct steering_columns {
    place_set active;        /* the others put out nothing; their numbers are of no consequence */
    place_set left;          /* these the rule has left to the function for one agent */
    BATCH_COLUMN(desired_x); /* px/s */
    BATCH_COLUMN(desired_y);
    BATCH_COLUMN(force_x); /* mass*px/s^2, before weighting */
    BATCH_COLUMN(force_y);
};

struct steering_batch {
    int32_t begin, count; /* the first slot, the number of slots */
    float dt, dt_root;    /* s, and its square root */
    struct bounds bounds;
    const struct scenery *scenery;
    uint64_t tick;
    vec2 half;          /* px: half of a torus; elsewhere huge */
    uint64_t noise_key; /* rng_tick_key */
    uint32_t id[BATCH_ROOM];
    struct memory *memory; /* by place; in the making for t+1 */

    /* Of tick t. */
    BATCH_COLUMN(x); /* px */
    BATCH_COLUMN(y);
    BATCH_COLUMN(vx); /* px/s */
    BATCH_COLUMN(vy);
    BATCH_COLUMN(heading_x); /* unit vector */
    BATCH_COLUMN(heading_y);
    BATCH_COLUMN(max_speed); /* struct body */
    BATCH_COLUMN(max_force);
    BATCH_COLUMN(mass);
    BATCH_COLUMN(radius);
    BATCH_COLUMN(turn_x); /* {cos, sin} of the largest turn of one tick */
    BATCH_COLUMN(turn_y);
    BATCH_COLUMN(room); /* px, at least, to every solid (scenery_room) */
    BATCH_COLUMN(rate); /* behavior_rates */
    BATCH_COLUMN(exact_rate);

    /* What the behavior in hand is about: struct target_info of those that are there; of a driven agent its vector
     * instead of an offset. */
    BATCH_COLUMN(offset_x); /* px */
    BATCH_COLUMN(offset_y);
    BATCH_COLUMN(other_vx); /* px/s */
    BATCH_COLUMN(other_vy);

    /* Of a path that is followed: its index, and 1 along it or -1 against it. */
    BATCH_COLUMN(path);
    BATCH_COLUMN(path_sign);

    /* What the behavior in hand knows about neighbors, or NULL. */
    const struct sums_columns *sums;
    const struct threat_columns *threats;

    /* What the agents want so far: of the tiers that are done, and of the tier in hand. */
    BATCH_COLUMN(desired_x);
    BATCH_COLUMN(desired_y);
    BATCH_COLUMN(force_x);
    BATCH_COLUMN(force_y);
    BATCH_COLUMN(tier_x);
    BATCH_COLUMN(tier_y);
    BATCH_COLUMN(led_x); /* px/s, where the tiers that are done lead to, of states that are led */
    BATCH_COLUMN(led_y);

    /* Of a velocity filter: the velocity that it is asked for, and the one that it permits; px/s. */
    BATCH_COLUMN(preferred_x);
    BATCH_COLUMN(preferred_y);
    BATCH_COLUMN(permitted_x);
    BATCH_COLUMN(permitted_y);

    /* Of tick t+1: before solids and the edge, afterwards behind them. */
    BATCH_COLUMN(next_x);
    BATCH_COLUMN(next_y);
    BATCH_COLUMN(next_vx);
    BATCH_COLUMN(next_vy);
};

#endif
