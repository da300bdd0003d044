/* The rules of steering_rules.inc.h for one agent: what the behaviors' functions need to call them. Included by
 * behavior*.c, which define LANES_WIDTH as 1.
 */
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/steering_rules.inc.h"

static inline struct pair pair_of(vec2 a) {
    return (struct pair){a.x, a.y};
}

static inline vec2 vec2_of(struct pair a) {
    return vec2_make(a.x, a.y);
}

static inline struct steering_output output_of(struct steering_pairs pairs) {
    return (struct steering_output){true, vec2_of(pairs.desired), vec2_of(pairs.force)};
}

static inline struct rule_lanes rule_agent(const struct steering_context *context) {
    const struct bounds *bounds = context->bounds;
    const bool wraps = bounds != NULL && bounds->edge == EDGE_WRAP;
    return (struct rule_lanes){
        .size = wraps ? pair_of(bounds->size) : pair_all(1.0f, 1.0f),
        .half = wraps ? pair_of(vec2_scale(bounds->size, 0.5f)) : pair_all(3e38f, 3e38f),
        .velocity = pair_of(context->velocity),
        .max_speed = context->body->max_speed,
        .max_force = context->body->max_force,
        .rate = context->rate,
    };
}
