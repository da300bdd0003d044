/* Containment in a region. See behavior.h. */
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_fields.h"

static const struct steering_output nothing = {false, {0.0f, 0.0f}, {0.0f, 0.0f}};

const struct field behavior_contain_fields[] = {
    WEIGHT_ROW,
    NUMBER("margin", margin, LIMIT_COORDINATE, 0.0, "px", "Kept between the body and the region's border."),
    NUMBER("prediction", prediction, 60.0, 0.0, "s",
           "It looks ahead at least so far, and as far as it takes to brake."),
    TURN_ROWS,
    END_ROW,
};

/* Contain: back into the region (the world, a rectangle or a circle) before and after leaving it.
 *
 * Predicts where the agent will be once it has braked, and at least prediction s ahead; when that is outside,
 * or nearer than margin px to the border, every outward part of the velocity is turned inward. Inactive
 * otherwise.
 * source  Reynolds 1999, "Containment" */
struct steering_output behavior_contain(const struct behavior_def *behavior,
                                        const struct steering_context *context) {
    const struct body *body = context->body;
    const struct region_def *region = &behavior->region;
    const float horizon =
        containment_horizon(context->velocity, body->max_force / body->mass, 2.0f * context->dt);
    const float ahead = horizon > behavior->prediction ? horizon : behavior->prediction;
    const float inset = body->radius + behavior->margin;
    const vec2 size = region->shape == REGION_WORLD ? context->bounds->size : region->size;
    const vec2 half = vec2_scale(size, 0.5f);
    const vec2 center = region->shape == REGION_WORLD    ? half
                        : region->shape == REGION_CIRCLE ? region->at
                                                         : vec2_add(region->at, half);
    const vec2 place = bounds_difference(context->bounds, center, context->position);
    const vec2 future = vec2_add(place, vec2_scale(context->velocity, ahead));
    trace_place(context->trace, TRACE_FUTURE, vec2_add(center, future));
    trace_number(context->trace, "look_ahead", ahead);
    vec2 desired = context->velocity;
    const bool leaves = region->shape == REGION_CIRCLE
                            ? containment_circle(region->radius, inset, future, body->max_speed, &desired)
                            : containment_box(vec2_add(half, future), size, inset, body->max_speed, &desired);
    return leaves ? behavior_match_velocity(desired, context, context->rate) : nothing;
}
