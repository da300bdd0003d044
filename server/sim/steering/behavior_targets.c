/* The behaviors about targets and other agents. See behavior.h. */
#define LANES_WIDTH 1 /* one agent at a time */
#include <math.h>
#include <stdint.h>

#include "server/sim/math/trig.h"
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_fields.h"
#include "server/sim/steering/one_agent.inc.h"

static const char *const arrive_law_names[] = {"stop", "linear", NULL};
static const char *const formation_names[] = {"line", "column", "wedge", "circle", NULL};

static const struct steering_output no_output = {false, {0.0f, 0.0f}, {0.0f, 0.0f}};

/* The output of a rule that matches a velocity. */
static struct steering_output matching(struct steering_pairs pairs, float rate,
                                       const struct steering_context *context) {
    const struct steering_output output = output_of(pairs);
    trace_vector(context->trace, "steering", vec2_sub(output.desired, context->velocity));
    trace_number(context->trace, "rate", rate);
    return output;
}

const struct field behavior_seek_fields[] = {WEIGHT_ROW, TARGET_ROWS, TURN_ROWS, END_ROW};

/* Seek: full speed towards the target, and past it.
 * desired velocity  towards the target at max_speed; {0,0} when exactly on it
 * source  Reynolds 1999, "Seek" */
struct steering_output behavior_seek(const struct behavior_def *behavior,
                                     const struct steering_context *context) {
    (void)behavior;
    trace_offset(context->trace, TRACE_TARGET, context->first.offset);
    const struct rule_lanes agent = rule_agent(context);
    const struct pair offset = pair_of(behavior_way(context->first.offset, context));
    if (!behavior_is_past_turning(context->first.offset, context)) {
        trace_vector(context->trace, "offset", context->first.offset);
        if (is_on_course(offset, agent.velocity)) {
            trace_vector(context->trace, "course", context->velocity);
        }
    }
    return matching(seek(&agent, offset), context->rate, context);
}

/* Whether what is at `offset` is too far away to run from. */
static bool is_calm(vec2 offset, float panic_distance, struct trace *trace) {
    const bool is_far = is_beyond(pair_of(offset), panic_distance);
    trace_vector(trace, "offset", offset);
    if (is_far) {
        trace_number(trace, "distance", vec2_length(offset));
        trace_number(trace, "calm_beyond", panic_distance);
    }
    return is_far;
}

static struct steering_output running(vec2 offset, const struct steering_context *context) {
    const struct rule_lanes agent = rule_agent(context);
    if (!has_direction(pair_of(offset))) {
        trace_vector(context->trace, "heading", context->heading);
    }
    return matching(run_from(&agent, pair_of(offset), pair_of(context->heading)), context->rate, context);
}

const struct field behavior_flee_fields[] = {WEIGHT_ROW, PANIC_ROW, TARGET_ROWS, TURN_ROWS, END_ROW};

/* Flee: full speed away from the target, within panic_distance px (0: always). On the target itself:
 * straight ahead.
 * source  Reynolds 1999, "Flee" */
struct steering_output behavior_flee(const struct behavior_def *behavior,
                                     const struct steering_context *context) {
    if (is_calm(context->first.offset, behavior->panic_distance, context->trace)) {
        return no_output;
    }
    trace_offset(context->trace, TRACE_TARGET, context->first.offset);
    return running(context->first.offset, context);
}

const struct field behavior_arrive_fields[] = {
    WEIGHT_ROW,
    SLOWING_ROW,
    {.name = "law",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct behavior_def, law),
     .choices = arrive_law_names,
     .unit = "",
     .help = "stop: always able to stop exactly on the target; linear: the slowing_distance alone."},
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};

/* Arrive: seek the target, slow down, and stop on it.
 *
 * ARRIVE_STOP    the highest speed from which max_force can still stop the agent on the target, in whole
 *                ticks; it stops exactly and stays. slowing_distance > 0: also no faster than
 *                max_speed * distance / slowing_distance.
 * ARRIVE_LINEAR  max_speed * distance / slowing_distance inside slowing_distance, as the tutorials have it.
 * source  Reynolds 1999, "Arrival" */
struct steering_output behavior_arrive(const struct behavior_def *behavior,
                                       const struct steering_context *context) {
    const vec2 offset = context->first.offset;
    trace_offset(context->trace, TRACE_TARGET, offset);
    trace_vector(context->trace, "offset", offset);
    if (behavior->law == ARRIVE_LINEAR) {
        const struct rule_lanes agent = rule_agent(context);
        trace_number(context->trace, "distance", vec2_length(offset));
        trace_number(context->trace, "slowing_distance", behavior->slowing_distance);
        trace_number(context->trace, "speed",
                     ramp_speed(vec2_length(offset), behavior->slowing_distance, context->body->max_speed));
        return matching(
            arrive_linear(&agent, pair_of(behavior_way(offset, context)), behavior->slowing_distance),
            context->rate, context);
    }
    const vec2 still = {0.0f, 0.0f};
    return behavior_match_velocity(
        behavior_stopping_velocity(offset, still, behavior->slowing_distance, context), context,
        context->exact_rate);
}

/* ---- others that move ---- */

/* s: how far ahead to predict, as long as it takes to get there. */
static float time_to(vec2 offset, float max_prediction, const struct steering_context *context) {
    const float time = time_ahead(pair_of(offset), max_prediction, context->body->max_speed);
    trace_vector(context->trace, "way_ahead", offset);
    trace_number(context->trace, "max_prediction", max_prediction);
    trace_number(context->trace, "time", time);
    return time;
}

/* Where the other will be after `time` s, from the agent, the short way. */
static vec2 predicted(const struct target_info *other, float time, const struct steering_context *context) {
    const struct rule_lanes agent = rule_agent(context);
    const vec2 then = vec2_of(place_ahead(&agent, pair_of(other->offset), pair_of(other->velocity), time));
    trace_offset(context->trace, TRACE_PREDICTED, then);
    return then;
}

const struct field behavior_pursue_fields[] = {
    WEIGHT_ROW,
    PREDICTION_ROW,
    ROW(FIELD_BOOL, "keep", struct behavior_def, keep, 0, 0, 0, 0, "",
        "Stay with the first quarry until it is gone or the state ends."),
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};

/* Pursue: seek where the quarry will be.
 *
 * The time ahead is what the distance takes at max_speed, at most max_prediction s; on a torus the predicted
 * place is again the nearest one.
 * source  Reynolds 1999, "Pursuit"; the estimate is the movement manager
 * tutorial's */
struct steering_output behavior_pursue(const struct behavior_def *behavior,
                                       const struct steering_context *context) {
    const vec2 ahead = predicted(&context->first,
                                 time_to(context->first.offset, behavior->max_prediction, context), context);
    trace_vector(context->trace, "other_velocity", context->first.velocity);
    trace_vector(context->trace, "predicted_offset", ahead);
    const struct rule_lanes agent = rule_agent(context);
    return matching(pursue(&agent, pair_of(behavior_way(ahead, context))), context->rate, context);
}

const struct field behavior_evade_fields[] = {WEIGHT_ROW,  PREDICTION_ROW, PANIC_ROW,
                                              TARGET_ROWS, TURN_ROWS,      END_ROW};

/* Evade: flee from where the menace will be, within panic_distance px (0: always).
 * source  Reynolds 1999, "Evasion" */
struct steering_output behavior_evade(const struct behavior_def *behavior,
                                      const struct steering_context *context) {
    if (is_calm(context->first.offset, behavior->panic_distance, context->trace)) {
        return no_output;
    }
    const float time = time_to(context->first.offset, behavior->max_prediction, context);
    const vec2 ahead = predicted(&context->first, time, context);
    trace_vector(context->trace, "other_velocity", context->first.velocity);
    trace_vector(context->trace, "predicted_offset", ahead);
    return running(ahead, context);
}

/* Keeps the place at `offset` (x ahead, y to the right) of the one seen first, at its velocity. */
static struct steering_output keep_place(vec2 offset, float slowing_distance,
                                         const struct steering_context *context) {
    const struct target_info *leader = &context->first;
    const vec2 ahead = vec2_scale(leader->heading, offset.x);
    const vec2 right = vec2_scale(vec2_make(-leader->heading.y, leader->heading.x), offset.y);
    const vec2 nowhere = {0.0f, 0.0f};
    const vec2 place =
        bounds_difference(context->bounds, nowhere, vec2_add(leader->offset, vec2_add(ahead, right)));
    trace_offset(context->trace, TRACE_PLACE, place);
    trace_vector(context->trace, "offset", leader->offset);
    trace_vector(context->trace, "beside", vec2_add(ahead, right));
    trace_vector(context->trace, "way", place);
    trace_vector(context->trace, "other_velocity", leader->velocity);
    const vec2 desired = behavior_stopping_velocity(place, leader->velocity, slowing_distance, context);
    return behavior_match_velocity(vec2_truncate(desired, context->body->max_speed), context,
                                   context->exact_rate);
}

const struct field behavior_offset_pursuit_fields[] = {
    WEIGHT_ROW,
    PREDICTION_ROW,
    SLOWING_ROW,
    ROW(FIELD_POINT, "offset", struct behavior_def, offset, 0, -LIMIT_WORLD_SIZE, LIMIT_WORLD_SIZE, 0, "px",
        "The place to keep, in the other's frame: x ahead, y to its right."),
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};

/* Offset pursuit: keep a place relative to another agent (offset px ahead and to its right), matching its
 * velocity.
 * source  Reynolds 1999, "Offset pursuit" */
struct steering_output behavior_offset_pursuit(const struct behavior_def *behavior,
                                               const struct steering_context *context) {
    return keep_place(behavior->offset, behavior->slowing_distance, context);
}

/* The place of the rank-th of `count` members, in the leader's frame. */
static vec2 formation_place(int shape, int32_t rank, int32_t count, float spacing) {
    const float side = rank % 2 == 0 ? 1.0f : -1.0f;
    const int32_t pairs = rank / 2 + 1;
    const float pair = (float)pairs * spacing;
    switch ((enum formation_shape)shape) {
    case FORMATION_LINE:
        return vec2_make(0.0f, side * pair);
    case FORMATION_COLUMN:
        return vec2_make(-(float)(rank + 1) * spacing, 0.0f);
    case FORMATION_WEDGE:
        return vec2_make(-pair, side * pair);
    case FORMATION_CIRCLE:
        break;
    }
    const float share = (float)rank / (float)count;
    const float round = (float)count * spacing * (float)(0.5 / TRIG_PI);
    return vec2_scale(trig_unit(share * (float)(2.0 * TRIG_PI)), round > spacing ? round : spacing);
}

const struct field behavior_formation_fields[] = {
    WEIGHT_ROW,
    NUMBER("spacing", spacing, 10000.0, 30.0, "px", "The distance between neighbors."),
    PREDICTION_ROW,
    SLOWING_ROW,
    {.name = "shape",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct behavior_def, shape),
     .choices = formation_names,
     .unit = "",
     .help = "How the places lie around the one it is about."},
    ROW(FIELD_NAME, "formation", struct behavior_def, formation, 0, 0, 0, 0, "",
        "One of the scenario's formations, whose places are kept instead of a shape's."),
    TARGET_ROWS,
    TURN_ROWS,
    END_ROW,
};

/* Formation: keep one of the places around another, given out by rank among the agents of its own kind; when
 * one is removed the others close up. In a formation with places of its own: the place that it was given
 * (world_formations.c); without one inactive.
 * source  Reynolds 1999, "Offset pursuit"; the shapes are those of
 * gdx-ai's formation patterns */
struct steering_output behavior_formation(const struct behavior_def *behavior,
                                          const struct steering_context *context) {
    if (behavior->formation[0] != '\0') {
        return context->post == NULL ? no_output
                                     : keep_place(*context->post, behavior->slowing_distance, context);
    }
    const vec2 place = formation_place(behavior->shape, context->rank, context->group, behavior->spacing);
    trace_number(context->trace, "rank", (float)(context->rank + 1));
    trace_number(context->trace, "group", (float)context->group);
    return keep_place(place, behavior->slowing_distance, context);
}

const struct field behavior_interpose_fields[] = {WEIGHT_ROW,  PREDICTION_ROW, SLOWING_ROW, TARGET_ROWS,
                                                  SECOND_ROWS, TURN_ROWS,      END_ROW};

/* Interpose: arrive halfway between where two others will be.
 * source  Buckland 2005, "Interpose" */
struct steering_output behavior_interpose(const struct behavior_def *behavior,
                                          const struct steering_context *context) {
    const vec2 middle = vec2_scale(vec2_add(context->first.offset, context->second.offset), 0.5f);
    const float time = time_to(middle, behavior->max_prediction, context);
    const vec2 one = predicted(&context->first, time, context),
               other = predicted(&context->second, time, context);
    /* Halfway from one to the other the short way, which on a torus need not be the mean of the two offsets.
     */
    const vec2 half = vec2_scale(bounds_difference(context->bounds, one, other), 0.5f);
    const vec2 midpoint = vec2_add(one, half), still = {0.0f, 0.0f};
    trace_vector(context->trace, "offset", context->first.offset);
    trace_vector(context->trace, "other_velocity", context->first.velocity);
    trace_vector(context->trace, "predicted_offset", one);
    trace_vector(context->trace, "second_offset", context->second.offset);
    trace_vector(context->trace, "second_velocity", context->second.velocity);
    trace_vector(context->trace, "second_predicted", other);
    trace_vector(context->trace, "way", midpoint);
    trace_offset(context->trace, TRACE_MIDPOINT, midpoint);
    const vec2 desired = behavior_stopping_velocity(midpoint, still, behavior->slowing_distance, context);
    return behavior_match_velocity(desired, context, context->exact_rate);
}

const struct field behavior_herd_fields[] = {
    WEIGHT_ROW,
    NUMBER("gather", gather, 10000.0, 20.0, "px",
           "What the herded keep from each other; the herd is together within this times its number to the "
           "2/3."),
    ROW(FIELD_NAME, "kind", struct behavior_def, target.kind, 0, 0, 0, 0, "", "The kind that is herded."),
    SECOND_ROWS,
    TURN_ROWS,
    END_ROW,
};

#define BESIDE_HERD 3.0f /* gathers: nearer to one of the herd than this it goes slowly */
#define CALM_SHARE  0.4f /* of max_speed: how slowly */
#define ROOT_STEPS  40   /* of Newton's iteration, enough from LIMIT_AGENTS down */

/* The cube root of 1 or more, by + - x / alone. */
static float cube_root(float number) {
    float root = number;
    for (int i = 0; i < ROOT_STEPS; i++) {
        root = (2.0f * root + number / (root * root)) * (1.0f / 3.0f);
    }
    return root;
}

/* Herd: drive all agents of a kind to a place.
 *
 * While one of them is further from their middle than gather N^(2/3): to gather px behind that one, seen from the
 * middle. Otherwise to gather sqrt(N) behind the middle, seen from the place. Slowly beside them, as not to scatter
 * them.
 * source  Strombom et al. 2014, "Solving the shepherding problem", with its factors */
struct steering_output behavior_herd(const struct behavior_def *behavior,
                                     const struct steering_context *context) {
    const struct herd_seen *herd = &context->herd;
    const float root = cube_root((float)herd->count), gathered = behavior->gather * root * root;
    const float furthest = vec2_length(herd->furthest), beside = BESIDE_HERD * behavior->gather;
    const bool collects = furthest > gathered;
    const vec2 driven = collects ? vec2_add(herd->middle, herd->furthest) : herd->middle;
    const vec2 away = collects ? herd->furthest : vec2_sub(herd->middle, context->second.offset);
    const float behind = collects ? behavior->gather : behavior->gather * sqrtf((float)herd->count);
    const vec2 place = vec2_add(driven, vec2_with_length(away, behind)), still = {0.0f, 0.0f};
    const vec2 way = behavior_way(bounds_difference(context->bounds, still, place), context);
    trace_offset(context->trace, TRACE_PLACE, way);
    trace_offset(context->trace, TRACE_TARGET, driven);
    trace_number(context->trace, "furthest", furthest);
    trace_number(context->trace, "gathered", gathered);
    trace_vector(context->trace, "way", way);
    vec2 desired = behavior_stopping_velocity(way, still, 0.0f, context);
    if (vec2_length_squared(context->first.offset) < beside * beside) {
        const float calm = CALM_SHARE * context->body->max_speed;
        trace_number(context->trace, "calm_speed", calm);
        desired = vec2_truncate(desired, calm);
    }
    return behavior_match_velocity(desired, context, context->exact_rate);
}
