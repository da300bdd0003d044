/* Wandering. See behavior.h. */
#define LANES_WIDTH 1 /* one agent at a time */
#include <assert.h>

#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_fields.h"
#include "server/sim/steering/one_agent.inc.h"

const struct field behavior_wander_fields[] = {
    WEIGHT_ROW,
    NUMBER("radius", wander_radius, 10000.0, 30.0, "px", "The circle that the goal wanders on."),
    NUMBER("distance", wander_distance, 10000.0, 60.0, "px",
           "How far ahead of the agent the circle's center is."),
    NUMBER("rate", wander_rate, 100.0, 2.0, "rad/s^0.5",
           "How far the goal moves along the circle in a second, root mean square."),
    TURN_ROWS,
    END_ROW,
};

/* Wander: seek a goal that wanders at random on a circle ahead.
 *
 * The force to the side is max_force times the sine of the goal's bearing, the force ahead holds max_speed.
 * The goal's angle is a random walk whose variance grows with time, not with ticks, so paths look alike at
 * any tick rate.
 * source  Reynolds 1999, "Wander" */
struct steering_output behavior_wander(const struct behavior_def *behavior,
                                       const struct steering_context *context) {
    assert(context->memory != NULL && context->dt > 0.0f);
    struct rng dice = rng_begin(context->seed, context->tick, context->id, RNG_WANDER);
    const float noise = rng_between(&dice, -WANDER_NOISE, WANDER_NOISE);
    const struct rule_lanes agent = rule_agent(context);
    const struct wandering at = wander(&agent, pair_of(context->heading), pair_of(context->memory->wander),
                                       noise, behavior, sqrtf(context->dt));
    context->memory->wander = vec2_of(at.goal);
    trace_circle(context->trace, TRACE_CIRCLE, vec2_of(at.to_circle), behavior->wander_radius);
    trace_offset(context->trace, TRACE_GOAL, vec2_of(at.to_goal));
    trace_vector(context->trace, "to_goal", vec2_of(at.to_goal));
    trace_vector(context->trace, "ahead", context->heading);
    trace_vector(context->trace, "right", vec2_of(at.right));
    trace_number(context->trace, "sine", at.sine);
    trace_number(context->trace, "sideways", at.sideways);
    trace_number(context->trace, "rate", context->rate);
    trace_number(context->trace, "speed_ahead", at.speed_ahead);
    trace_number(context->trace, "forward", at.forward);
    trace_number(context->trace, "left", at.left);
    trace_number(context->trace, "forward_left", at.push);
    return output_of(at.output);
}
