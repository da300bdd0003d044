/* Targets that stroll: one that no request has set for some time walks about by itself.
 *
 * A goal swings through the world along both axes, each a sum of two sines whose frequencies have no common period, so
 * it comes by everywhere within the margins and turns gently. Its place is a function of (seed, tick, target). The target
 * moves as the goal does and closes the distance to it, at no more than its speed: it sets out from wherever it is,
 * and walks with the goal once it has reached it. */
#include <assert.h>

#include "server/sim/math/rng.h"
#include "server/sim/math/trig.h"
#include "server/sim/world/world_internal.h"

static const double ramp_s = 2.0;       /* from rest to full speed */
static const float margin_share = 0.1f; /* of the world's width and height, kept from the borders */
static const float closing = 0.5f;      /* 1/s, how fast the distance to the goal is closed */
static const float slow_part = 0.65f;   /* amplitude of the slower sine; the other one has the rest */
static const double fast_ratio = 1.6180339887498949; /* of the frequencies of the sines */
static const double swing_slope = 3.83; /* root mean square of the slope of the sum, for one turn a second */
static const double share_x = 0.5,
                    share_y = 0.41421356237309505; /* of the speed, root mean square along the axes */
static const double most_turns = 0.5;              /* 1/s, in a world that is small for the speed */

/* turns >= 0 */
static float sine_of_turns(double turns) {
    const double rest = turns - (double)(int64_t)turns;
    return trig_unit((float)(rest * (2.0 * TRIG_PI))).y;
}

/* From -1 to 1. share: of the speed that goes along this axis; reach: px to either side. */
static float swing(struct rng *phases, double time_s, float reach, float speed, double share) {
    const double wanted = share * (double)speed / ((double)reach * swing_slope);
    const double turns = time_s * (wanted < most_turns ? wanted : most_turns);
    const double slow = (double)rng_unit(phases), fast = (double)rng_unit(phases);
    return slow_part * sine_of_turns(turns + slow) +
           (1.0f - slow_part) * sine_of_turns(turns * fast_ratio + fast);
}

static vec2 goal(const struct world *world, int target, uint64_t tick) {
    const float speed = world->targets[target].stroll_speed;
    const vec2 middle = vec2_scale(world->bounds.size, 0.5f);
    const vec2 reach = vec2_scale(world->bounds.size, 0.5f - margin_share);
    const double time_s = (double)tick / world->tick_hz;
    struct rng phases = rng_begin(world->seed, 0, (uint32_t)target, RNG_TARGET_STROLL);
    const float x = swing(&phases, time_s, reach.x, speed, share_x);
    const float y = swing(&phases, time_s, reach.y, speed, share_y);
    return vec2_make(middle.x + reach.x * x, middle.y + reach.y * y);
}

/* Ticks for which it waits. */
static double wait_of(const struct world *world, const struct target_def *target) {
    return (double)target->stroll_after * world->tick_hz;
}

/* From 0, at rest, to 1, at full speed. */
static float ramp_of(const struct world *world, const struct target_def *target) {
    const double share = ((double)target->idle - wait_of(world, target)) / (ramp_s * world->tick_hz);
    const float x = (float)(share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share);
    return x * x * (3.0f - 2.0f * x);
}

vec2 world_stroll(const struct world *world, int index) {
    assert(index >= 0 && index < world->target_count);
    const struct target_def *target = &world->targets[index];
    const float ramp = target->stroll_speed > 0.0f ? ramp_of(world, target) : 0.0f;
    if (ramp == 0.0f) {
        return target->at;
    }
    const vec2 now = goal(world, index, world->tick), next = goal(world, index, world->tick + 1);
    const vec2 behind = bounds_difference(&world->bounds, target->at, now);
    const vec2 wanted = vec2_add(vec2_sub(next, now), vec2_scale(behind, closing * world->dt));
    const vec2 step = vec2_scale(vec2_truncate(wanted, target->stroll_speed * world->dt), ramp);
    return bounds_settle(&world->bounds, vec2_add(target->at, step));
}

uint32_t world_stroll_idle(const struct world *world, int index) {
    assert(index >= 0 && index < world->target_count);
    const struct target_def *target = &world->targets[index];
    const double full = wait_of(world, target) + ramp_s * world->tick_hz;
    const bool is_counted = target->stroll_speed > 0.0f && (double)target->idle < full;
    return target->idle + (is_counted ? 1u : 0u);
}

bool world_target_is_strolling(const struct world *world, int index) {
    assert(index >= 0 && index < world->target_count);
    const struct target_def *target = &world->targets[index];
    return target->stroll_speed > 0.0f && (double)target->idle > wait_of(world, target);
}
