/* The behaviors about neighbors: small functions over the sums of neighbors.c. See behavior.h.
 *
 * The force of separation, alignment, cohesion, flock and avoid_agents is a direction times a strength from 0
 * to 1 times max_force, so that weights mean the same for all of them.
 */
#define LANES_WIDTH 1 /* one agent at a time */
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_fields.h"
#include "server/sim/steering/steering_rules.inc.h"

#define HEADWAY     0.1f  /* s: a queueing agent keeps this much further away while moving */
#define REST_SHARE  0.04f /* of max_speed: a queueing agent that wants to go no faster stands */
#define STOP_MARGIN 0.9f  /* share of max_force that queue plans to brake with */

#define RULE_ROW(name_, zone_, initial_)                                                                     \
    NUMBER(name_, zones[zone_].weight, 1000.0, initial_, "1", "Factor on this rule's force.")
#define FALLOFF_ROW                                                                                          \
    {                                                                                                        \
        .name = "falloff", .type = FIELD_CHOICE, FIELD_MEMBER(struct behavior_def, falloff),                 \
        .choices = falloff_names, .unit = "",                                                                \
        .help = "smooth: neighbors count less the further away they are; none: all the same."                \
    }
#define CAP_ROW NEAREST_ROW("Only the nearest so many count, for each rule; 0: all of them.", 0, 0)
#define RULE_TABLE(zone_, radius_)                                                                           \
    {                                                                                                        \
        WEIGHT_ROW, RADIUS_ROW("radius", zone_, radius_), VIEW_ROW("field_of_view", zone_, 360),             \
            FALLOFF_ROW, CAP_ROW, KINDS_ROW, TURN_ROWS, END_ROW                                              \
    }

static const char *const falloff_names[] = {"smooth", "none", NULL};

static const struct steering_output no_output = {false, {0.0f, 0.0f}, {0.0f, 0.0f}};

/* towards: a direction times a strength up to 1. */
static struct steering_output push_output(vec2 towards, const struct steering_context *context) {
    return (struct steering_output){true, vec2_scale(towards, context->body->max_speed),
                                    vec2_scale(towards, context->body->max_force)};
}

/* The same of a behavior that has one strength. */
static struct steering_output push(vec2 towards, const struct steering_context *context) {
    trace_vector(context->trace, "strength", towards);
    return push_output(towards, context);
}

/* ---- the three rules: {0,0} to a vector of length 1 ---- */

static vec2 separating(const struct steering_context *context) {
    const vec2 sum = context->sums.separation;
    const struct pair strength = separation_strength((struct pair){sum.x, sum.y});
    trace_vector(context->trace, "separation_sum", sum);
    return vec2_make(strength.x, strength.y);
}

/* The numbers of alignment; what is enough to take the difference away within a tick only when it limits the
 * strength. */
static void trace_alignment(vec2 strength, const struct steering_context *context) {
    const struct neighbor_sums *sums = &context->sums;
    const struct body *body = context->body;
    const vec2 mean =
        vec2_truncate(vec2_scale(sums->velocity, 1.0f / sums->velocity_weight), body->max_speed);
    const vec2 difference = vec2_sub(mean, context->velocity);
    trace_vector(context->trace, "mean_velocity", mean);
    trace_vector(context->trace, "difference", difference);
    trace_number(context->trace, "alignment_count", sums->velocity_weight);
    if (body->max_force > 0.0f) {
        const float enough = context->exact_rate * vec2_length(difference) / body->max_force;
        if (vec2_length(strength) > 0.9999f * enough) {
            trace_number(context->trace, "rate", context->exact_rate);
            trace_number(context->trace, "enough", enough);
        }
    }
}

static vec2 aligning(const struct steering_context *context) {
    const struct neighbor_sums *sums = &context->sums;
    const struct body *body = context->body;
    const struct flock_limits limits = flock_limits(body->max_speed, body->max_force, context->exact_rate);
    const struct pair velocity = {context->velocity.x, context->velocity.y};
    const struct pair strength = alignment_strength((struct pair){sums->velocity.x, sums->velocity.y},
                                                    sums->velocity_weight, velocity, &limits);
    if (context->trace != NULL && sums->velocity_weight > 0.0f) {
        trace_alignment(vec2_make(strength.x, strength.y), context);
    }
    return vec2_make(strength.x, strength.y);
}

static vec2 cohering(float radius, const struct steering_context *context) {
    const struct neighbor_sums *sums = &context->sums;
    if (context->trace != NULL && sums->offset_weight > 0.0f) {
        const vec2 center = vec2_scale(sums->offset, 1.0f / sums->offset_weight);
        trace_offset(context->trace, TRACE_CENTER, center);
        trace_vector(context->trace, "mean_offset", center);
        trace_number(context->trace, "cohesion_count", sums->offset_weight);
        trace_number(context->trace, "cohesion_radius", radius);
    }
    const struct pair strength = cohesion_strength((struct pair){sums->offset.x, sums->offset.y},
                                                   sums->offset_weight, flock_full_inverse(radius));
    return vec2_make(strength.x, strength.y);
}

const struct field behavior_separation_fields[] = RULE_TABLE(ZONE_SEPARATION, 40);

/* Separation: away from the neighbors, the nearest first of all; strength 1 from one neighbor at half the
 * radius.
 * source  Reynolds 1999, "Separation" */
struct steering_output behavior_separation(const struct behavior_def *behavior,
                                           const struct steering_context *context) {
    (void)behavior;
    return context->sums.separation_count > 0 ? push(separating(context), context) : no_output;
}

const struct field behavior_alignment_fields[] = RULE_TABLE(ZONE_ALIGNMENT, 80);

/* Alignment: towards the neighbors' mean velocity; strength 1 when it is a quarter of max_speed away.
 * source  Reynolds 1999, "Alignment" */
struct steering_output behavior_alignment(const struct behavior_def *behavior,
                                          const struct steering_context *context) {
    (void)behavior;
    if (context->sums.alignment_count == 0) {
        return no_output;
    }
    struct steering_output output = push(aligning(context), context);
    output.desired = vec2_add(context->velocity, vec2_scale(output.desired, FLOCK_FULL_STRENGTH_SHARE));
    return output;
}

const struct field behavior_cohesion_fields[] = RULE_TABLE(ZONE_COHESION, 120);

/* Cohesion: towards the neighbors' mean position; strength 1 when it is a quarter of the radius away.
 * source  Reynolds 1999, "Cohesion" */
struct steering_output behavior_cohesion(const struct behavior_def *behavior,
                                         const struct steering_context *context) {
    return context->sums.cohesion_count > 0
               ? push(cohering(behavior->zones[ZONE_COHESION].radius, context), context)
               : no_output;
}

const struct field behavior_flock_fields[] = {
    WEIGHT_ROW,
    RADIUS_ROW("separation_radius", ZONE_SEPARATION, 30),
    VIEW_ROW("separation_view", ZONE_SEPARATION, 360),
    RULE_ROW("separation_weight", ZONE_SEPARATION, 1.5),
    RADIUS_ROW("alignment_radius", ZONE_ALIGNMENT, 60),
    VIEW_ROW("alignment_view", ZONE_ALIGNMENT, 270),
    RULE_ROW("alignment_weight", ZONE_ALIGNMENT, 1),
    RADIUS_ROW("cohesion_radius", ZONE_COHESION, 60),
    VIEW_ROW("cohesion_view", ZONE_COHESION, 270),
    RULE_ROW("cohesion_weight", ZONE_COHESION, 1),
    FALLOFF_ROW,
    CAP_ROW,
    KINDS_ROW,
    TURN_ROWS,
    END_ROW,
};

/* The strengths of the three rules, and the force of each. */
static void trace_rules(const struct steering_context *context, const vec2 strengths[ZONE_COUNT],
                        const float weights[ZONE_COUNT]) {
    static const char *const names[ZONE_COUNT] = {"separation_strength", "alignment_strength",
                                                  "cohesion_strength"};
    static const char *const weight_names[ZONE_COUNT] = {"separation_weight", "alignment_weight",
                                                         "cohesion_weight"};
    vec2 forces[ZONE_COUNT];
    for (int zone = 0; zone < ZONE_COUNT; zone++) {
        trace_vector(context->trace, names[zone], strengths[zone]);
        trace_number(context->trace, weight_names[zone], weights[zone]);
        forces[zone] = vec2_scale(strengths[zone], weights[zone] * context->body->max_force);
    }
    trace_note_parts(context->trace, forces);
}

/* Flocking: the three together, each with its own radius, view and weight, from one query.
 * source  Reynolds 1987, "Flocks, herds, and schools" */
struct steering_output behavior_flock(const struct behavior_def *behavior,
                                      const struct steering_context *context) {
    const struct neighbor_sums *sums = &context->sums;
    if (sums->separation_count + sums->alignment_count + sums->cohesion_count == 0) {
        return no_output;
    }
    const struct zone_def *zones = behavior->zones;
    const float weights[ZONE_COUNT] = {zones[0].weight, zones[1].weight, zones[2].weight};
    const vec2 apart = separating(context), along = aligning(context);
    const vec2 together = cohering(zones[ZONE_COHESION].radius, context);
    const struct pair strength =
        flock_strength((struct pair){apart.x, apart.y}, (struct pair){along.x, along.y},
                       (struct pair){together.x, together.y}, weights);
    if (context->trace != NULL) {
        trace_rules(context, (const vec2[]){apart, along, together}, weights);
    }
    return push_output(vec2_make(strength.x, strength.y), context);
}

const struct field behavior_avoid_agents_fields[] = {
    WEIGHT_ROW,
    RADIUS_ROW("radius", ZONE_SEPARATION, 150),
    VIEW_ROW("field_of_view", ZONE_SEPARATION, 360),
    NUMBER("horizon", horizon, 60.0, 2.0, "s", "How far ahead approaches are predicted."),
    CLEARANCE_ROW(4),
    KINDS_ROW,
    TURN_ROWS,
    END_ROW,
};

/* Unaligned collision avoidance: away from where predicted collisions will be, the sooner the harder (see
 * neighbors_threats).
 * source  Reynolds 1999, "Unaligned collision avoidance" */
struct steering_output behavior_avoid_agents(const struct behavior_def *behavior,
                                             const struct steering_context *context) {
    (void)behavior;
    const struct neighbor *soonest = &context->threats.soonest;
    if (context->threats.count == 0) {
        return no_output;
    }
    trace_offset(context->trace, TRACE_PREDICTED,
                 vec2_add(soonest->offset, vec2_scale(soonest->velocity, soonest->time)));
    trace_offset(context->trace, TRACE_FUTURE, vec2_scale(context->velocity, soonest->time));
    trace_number(context->trace, "threats", (float)context->threats.count);
    trace_number(context->trace, "time", soonest->time);
    trace_number(context->trace, "miss", soonest->miss);
    trace_vector(context->trace, "away", context->threats.push);
    return push(vec2_truncate(context->threats.push, 1.0f), context);
}

/* ---- keeping a velocity ---- */

static struct steering_output match(vec2 desired, const struct steering_context *context) {
    const vec2 velocity = vec2_truncate(desired, context->body->max_speed);
    trace_vector(context->trace, "steering", vec2_sub(velocity, context->velocity));
    trace_number(context->trace, "rate", context->exact_rate);
    return (struct steering_output){true, velocity,
                                    vec2_scale(vec2_sub(velocity, context->velocity), context->exact_rate)};
}

/* The way out of the rectangle ahead of the leader; false when not in it. */
static bool step_aside(float clear_ahead, const struct steering_context *context, vec2 *aside) {
    const struct target_info *leader = &context->first;
    const vec2 from_leader = vec2_scale(leader->offset, -1.0f);
    const float ahead = vec2_dot(leader->heading, from_leader);
    const float side = vec2_cross(leader->heading, from_leader), half = 0.5f * clear_ahead;
    if (!(ahead > 0.0f && ahead < clear_ahead && side < half && side > -half)) {
        return false;
    }
    bool is_right = side > 0.0f;
    if (side < 1e-3f && side > -1e-3f) {
        is_right = neighbors_split(context->id, leader->id).x > 0.0f;
    }
    const vec2 right = {-leader->heading.y, leader->heading.x};
    *aside = vec2_scale(right, is_right ? context->body->max_speed : -context->body->max_speed);
    trace_vector(context->trace, "aside", *aside);
    return true;
}

const struct field behavior_follow_leader_fields[] = {
    WEIGHT_ROW,
    NUMBER("distance", distance, LIMIT_COORDINATE, 40.0, "px", "The place to follow at, behind the leader."),
    NUMBER("clear_ahead", clear_ahead, LIMIT_COORDINATE, 80.0, "px",
           "Ahead of the leader and half as far to its sides followers step out of the way."),
    RADIUS_ROW("radius", ZONE_SEPARATION, 30),
    NUMBER("slowing_distance", slowing_distance, LIMIT_COORDINATE, 100.0, "px",
           "Inside this distance the speed falls linearly to the leader's."),
    KINDS_ROW,
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};

/* Leader following: arrive at a place behind the leader at its velocity, keep apart from the other
 * followers, and step aside when in front of the leader.
 * source  Reynolds 1999, "Leader following" */
struct steering_output behavior_follow_leader(const struct behavior_def *behavior,
                                              const struct steering_context *context) {
    const struct target_info *leader = &context->first;
    vec2 desired;
    if (!step_aside(behavior->clear_ahead, context, &desired)) {
        const vec2 behind = vec2_scale(leader->heading, -behavior->distance), nowhere = {0.0f, 0.0f};
        const vec2 place = bounds_difference(context->bounds, nowhere, vec2_add(leader->offset, behind));
        trace_offset(context->trace, TRACE_PLACE, place);
        trace_vector(context->trace, "offset", leader->offset);
        trace_vector(context->trace, "beside", behind);
        trace_vector(context->trace, "way", place);
        trace_vector(context->trace, "other_velocity", leader->velocity);
        desired = behavior_stopping_velocity(place, leader->velocity, behavior->slowing_distance, context);
    }
    /* Velocities are added, not forces: where arriving and keeping apart balance, followers come to rest. */
    const vec2 apart = separating(context);
    trace_vector(context->trace, "arriving", desired);
    trace_vector(context->trace, "strength", apart);
    return match(vec2_add(desired, vec2_scale(apart, context->body->max_speed)), context);
}

const struct field behavior_queue_fields[] = {
    WEIGHT_ROW,
    RADIUS_ROW("radius", ZONE_SEPARATION, 80),
    VIEW_ROW("field_of_view", ZONE_SEPARATION, 90),
    CLEARANCE_ROW(6),
    NUMBER("time_gap", time_gap, 60.0, 0, "s",
           "It is no faster than the room to the agent in the way divided by this time; 0: as fast as it can "
           "stop."),
    KINDS_ROW,
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};

/* How fast it may be behind the agent in the way. */
static float queue_speed(const struct behavior_def *behavior, const struct steering_context *context) {
    const struct body *body = context->body;
    const struct neighbor *other = &context->ahead;
    const float moving = HEADWAY * vec2_length(context->velocity);
    const float room = other->distance - body->radius - other->radius - behavior->clearance;
    const float gap = room - moving;
    const vec2 forward = vec2_with_length(context->first.offset, 1.0f);
    const float along = vec2_dot(other->velocity, forward), theirs = along > 0.0f ? along : 0.0f;
    const float own =
        gap > 0.0f ? behavior_stopping_speed(gap, STOP_MARGIN * body->max_force / body->mass, context->dt)
                   : 0.0f;
    trace_number(context->trace, "gap", gap);
    trace_number(context->trace, "gap_speed", own);
    trace_number(context->trace, "their_speed", theirs);
    float speed = own + theirs;
    if (behavior->time_gap > 0.0f) {
        const float most = room > 0.0f ? room / behavior->time_gap : 0.0f;
        trace_number(context->trace, "time_gap_speed", most);
        speed = most < speed ? most : speed;
    }
    return speed;
}

/* Queueing: arrive at the target, no faster than the agent in the way allows.
 * source  Reynolds 1999, "Queuing" */
struct steering_output behavior_queue(const struct behavior_def *behavior,
                                      const struct steering_context *context) {
    const struct body *body = context->body;
    const vec2 still = {0.0f, 0.0f};
    trace_offset(context->trace, TRACE_TARGET, context->first.offset);
    vec2 desired = behavior_stopping_velocity(context->first.offset, still, 0.0f, context);
    trace_vector(context->trace, "offset", context->first.offset);
    trace_vector(context->trace, "arriving", desired);
    if (context->ahead.is_there) {
        desired = vec2_truncate(desired, queue_speed(behavior, context));
        trace_vector(context->trace, "held", desired);
    }
    const vec2 apart = separating(context);
    desired = vec2_add(desired, vec2_scale(apart, 0.5f * body->max_speed));
    trace_vector(context->trace, "strength", apart);
    /* A waiting agent stands: the small push of its neighbors would keep turning it on its spot. */
    const float rest = REST_SHARE * body->max_speed;
    const bool waits = vec2_length_squared(desired) < rest * rest;
    if (waits) {
        trace_number(context->trace, "rest", rest);
    }
    return match(waits ? still : desired, context);
}
