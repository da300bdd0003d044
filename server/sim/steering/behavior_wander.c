/* Wandering. See behavior.h. */
#include <assert.h>

#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_fields.h"

/* `unit` turned by about `angle` rad, exactly by 2 atan(angle / 2): no sine, and never more than half a turn.
 */
static vec2 turned(vec2 unit, float angle) {
    const float t = 0.5f * angle, scale = 1.0f / (1.0f + t * t);
    const float c = (1.0f - t * t) * scale, s = 2.0f * t * scale;
    return vec2_with_length(vec2_make(unit.x * c - unit.y * s, unit.x * s + unit.y * c), 1.0f);
}

const struct field behavior_wander_fields[] = {
    WEIGHT_ROW,
    NUMBER("radius", wander_radius, 10000.0, 30.0, "px", "The circle that the goal wanders on."),
    NUMBER("distance", wander_distance, 10000.0, 60.0, "px",
           "How far ahead of the agent the circle's centre is."),
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
    struct rng noise = rng_begin(context->seed, context->tick, context->id, RNG_WANDER);
    /* Uniform in +-sqrt(3) has variance 1; times sqrt(dt) the variance after a second is rate squared. */
    const float step =
        rng_between(&noise, -1.7320508f, 1.7320508f) * behavior->wander_rate * sqrtf(context->dt);
    const vec2 goal = context->memory->wander = turned(context->memory->wander, step);
    const vec2 ahead = context->heading, right = {-ahead.y, ahead.x};
    const vec2 on_circle = vec2_add(vec2_scale(ahead, goal.x), vec2_scale(right, goal.y));
    const vec2 to_circle = vec2_scale(ahead, behavior->wander_distance);
    const vec2 to_goal = vec2_add(to_circle, vec2_scale(on_circle, behavior->wander_radius));
    trace_circle(context->trace, TRACE_CIRCLE, to_circle, behavior->wander_radius);
    trace_offset(context->trace, TRACE_GOAL, to_goal);
    const vec2 towards = vec2_with_length(to_goal, 1.0f);
    /* Matching the velocity towards the goal would saturate max_force and turn as hard as it can, this way or
     * that. */
    const float max_force = context->body->max_force, max_speed = context->body->max_speed;
    const float sideways = max_force * vec2_dot(towards, right);
    const float forward = context->rate * (max_speed - vec2_dot(context->velocity, ahead));
    const float rest = max_force * max_force - sideways * sideways;
    const float left = rest > 0.0f ? sqrtf(rest) : 0.0f;
    const float push = forward < left ? forward : left;
    const vec2 force = vec2_add(vec2_scale(right, sideways), vec2_scale(ahead, push > -left ? push : -left));
    return (struct steering_output){true, vec2_scale(towards, max_speed), force};
}
