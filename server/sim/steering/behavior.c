/* See behavior.h and behavior_def.h: the table of behaviors, what several of them use, and those that are about nobody
 * else: contain, external and wander. */
#define LANES_WIDTH 1 /* one agent at a time */
#include "server/sim/steering/behavior.h"

#include <assert.h>
#include <string.h>

#include "server/sim/math/trig.h"
#include "server/sim/steering/behavior_def.h"
#include "server/sim/steering/behavior_fields.h"
#include "server/sim/steering/one_agent.inc.h"

/* ---- the table ---- */

/* The rows are made from behavior_list.h. */
static const struct behavior_row rows[BEHAVIOR_TYPE_COUNT] = {
#define ROW_OF(enumerator, name_, targets_, neighbors_, zones_, traits_)                                     \
    [BEHAVIOR_##enumerator] = {                                                                              \
        .name = #name_,                                                                                      \
        .targets = (targets_),                                                                               \
        .neighbors = (neighbors_),                                                                           \
        .zones = (zones_),                                                                                   \
        .traits = (traits_),                                                                                 \
        .fields = behavior_##name_##_fields,                                                                 \
        .function = behavior_##name_,                                                                        \
    },
    BEHAVIOR_LIST(ROW_OF)
#undef ROW_OF
};

const struct behavior_row *behavior_row(int type) {
    assert(type >= 0 && type < BEHAVIOR_TYPE_COUNT);
    return &rows[type];
}

const struct field *behavior_fields(enum behavior_type type) {
    return behavior_row((int)type)->fields;
}

const char *behavior_type_name(enum behavior_type type) {
    return (int)type >= 0 && type < BEHAVIOR_TYPE_COUNT ? rows[type].name : NULL;
}

int behavior_type_from_name(const char *name) {
    for (int type = 0; type < BEHAVIOR_TYPE_COUNT; type++) {
        if (strcmp(rows[type].name, name) == 0) {
            return type;
        }
    }
    return -1;
}

/* Sets a numeric member from its row's initial value. */
static void set_initial(const struct field *field, struct behavior_def *def) {
    char *member = (char *)def + field->offset;
    const bool is_angle = field->type == FIELD_ANGLE;
    const float number = (float)(is_angle ? field->initial * (TRIG_PI / 180.0) : field->initial);
    const uint32_t whole = (uint32_t)field->initial;
    if (field->type == FIELD_FLOAT || is_angle) {
        memcpy(member, &number, sizeof number);
    } else if (field->type == FIELD_UINT32) {
        memcpy(member, &whole, sizeof whole);
    }
}

struct behavior_def behavior_def_default(enum behavior_type type) {
    struct behavior_def def = {.type = (int)type};
    for (const struct field *field = behavior_fields(type); field->type != FIELD_END; field++) {
        set_initial(field, &def);
    }
    return def;
}

struct behavior_def behavior_def_placeholder(void) {
    return behavior_def_default(BEHAVIOR_WANDER);
}

/* ---- what several behaviors use ---- */

#define TUTORIAL_RATE 60.0f /* 1/s: steering is applied once a frame at 60 frames a second */

void behavior_rates(struct steering_context *context, float weight_sum) {
    assert(context->dt > 0.0f && context->body->mass > 0.0f && weight_sum >= 0.0f);
    /* force = rate * error and acceleration = force / mass, so the error shrinks by weight_sum * rate * dt /
     * mass in a tick; above 1 it would change sign. */
    const float combined = weight_sum > 1.0f ? weight_sum : 1.0f;
    context->exact_rate = context->body->mass / (context->dt * combined);
    context->rate = context->exact_rate < TUTORIAL_RATE ? context->exact_rate : TUTORIAL_RATE;
}

struct steering_output behavior_match_velocity(vec2 desired, const struct steering_context *context,
                                               float rate) {
    trace_vector(context->trace, "steering", vec2_sub(desired, context->velocity));
    trace_number(context->trace, "rate", rate);
    return (struct steering_output){true, desired, vec2_scale(vec2_sub(desired, context->velocity), rate)};
}

vec2 behavior_lead(const struct steering_context *context, vec2 desired, vec2 force, float left) {
    const struct rule_lanes agent = rule_agent(context);
    return vec2_of(lead(&agent, pair_of(desired), pair_of(force), left));
}

float behavior_stopping_speed(float distance, float acceleration, float dt) {
    assert(distance >= 0.0f && acceleration >= 0.0f && dt > 0.0f);
    return stopping_speed(distance, acceleration, dt);
}

bool behavior_is_past_turning(vec2 offset, const struct steering_context *context) {
    if (!(context->turn_radius > 0.0f)) {
        return false;
    }
    /* It goes in chords: the circle through where it is in each tick begins half of one behind it. */
    const float chord = vec2_length(context->velocity) * context->dt;
    const float ahead = vec2_dot(context->heading, offset), aside = vec2_cross(context->heading, offset);
    return vec2_length_squared(offset) + chord * ahead <
           2.0f * context->turn_radius * (aside < 0.0f ? -aside : aside);
}

vec2 behavior_way(vec2 offset, const struct steering_context *context) {
    if (!behavior_is_past_turning(offset, context)) {
        return offset;
    }
    trace_vector(context->trace, "ahead", context->heading);
    return vec2_scale(context->heading, vec2_length(offset));
}

/* The velocity that brings the agent to rest at `offset`, in a frame that moves with `velocity`. */
vec2 behavior_stopping_velocity(vec2 offset, vec2 velocity, float slowing_distance,
                                const struct steering_context *context) {
    const struct body *body = context->body;
    const float near = context->turn_radius;
    if (vec2_length_squared(offset) <= near * near && behavior_is_past_turning(offset, context)) {
        trace_number(context->trace, "distance", vec2_length(offset));
        trace_number(context->trace, "arrived", near);
        return velocity;
    }
    const struct stopping at =
        stop_at(pair_of(context->position), pair_of(behavior_way(offset, context)), pair_of(velocity),
                slowing_distance, body->max_speed, planned_braking(body->max_force, body->mass), context->dt);
    trace_number(context->trace, "distance", at.distance);
    if (!(at.tolerance < at.distance)) {
        trace_number(context->trace, "arrived", at.tolerance);
        return vec2_of(at.velocity);
    }
    if (slowing_distance > 0.0f) {
        trace_number(context->trace, "slowing_distance", slowing_distance);
    }
    trace_number(context->trace, "stopping_speed", at.stopping);
    trace_number(context->trace, "speed", at.speed);
    return vec2_of(at.velocity);
}

/* ---- containment in a region ---- */

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

/* ---- driving from outside: a client says where an agent goes ---- */

static const char *const mode_names[] = {"velocity", "force", NULL};

const struct field behavior_external_fields[] = {
    WEIGHT_ROW,
    {
        .name = "mode",
        .type = FIELD_CHOICE,
        FIELD_MEMBER(struct behavior_def, mode),
        .choices = mode_names,
        .unit = "",
        .help = "What the vectors of drive are: velocities to have, or forces.",
    },
    ROW(FIELD_UINT32, "hold", struct behavior_def, hold, FIELD_PARAM, 1, LIMIT_HOLD, 6, "ticks",
        "How long a vector counts unless another one comes; then this behavior is silent."),
    NUMBER("limit", limit, LIMIT_DRIVE, 0.0, "px/s or mass*px/s^2",
           "Longer vectors are cut to this; 0: as far as the body goes."),
    TURN_ROWS,
    END_ROW,
};

/* External: what a client drives the agent with (world_drive), as a velocity or as a force.
 *
 * Inactive without a vector that is new enough, so that the other behaviors act when a client is gone. What the
 * body cannot do is cut off: velocities at max_speed, forces at max_force, turns as everywhere. */
struct steering_output behavior_external(const struct behavior_def *behavior,
                                         const struct steering_context *context) {
    const struct drive *drive = context->drive;
    trace_number(context->trace, "hold", (float)behavior->hold);
    if (drive == NULL || !drive_is_fresh(drive, behavior->hold)) {
        return nothing;
    }
    trace_number(context->trace, "ticks_ago", (float)(LIMIT_HOLD - drive->left));
    const struct rule_lanes agent = rule_agent(context);
    const struct pair vector = pair_of(drive->vector);
    if (behavior->mode == EXTERNAL_FORCE) {
        trace_vector(context->trace, "driven_force", drive->vector);
        trace_number(context->trace, "force_limit", longest_drive(agent.max_force, behavior->limit));
        return output_of(drive_force(&agent, vector, behavior->limit, context->dt / context->body->mass));
    }
    const struct steering_output output =
        output_of(drive_velocity(&agent, vector, behavior->limit, context->exact_rate));
    trace_vector(context->trace, "driven", drive->vector);
    trace_number(context->trace, "speed_limit", longest_drive(agent.max_speed, behavior->limit));
    trace_vector(context->trace, "steering", vec2_sub(output.desired, context->velocity));
    trace_number(context->trace, "rate", context->exact_rate);
    return output;
}

/* ---- wandering ---- */

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
