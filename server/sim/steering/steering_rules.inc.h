/* The formulas of behaviors, over LANES_WIDTH agents. The behaviors' functions include it with one lane, the
 * kernels with the lanes of their instruction set; the formulas stand nowhere else.
 */
#ifndef DROVER_SERVER_SIM_STEERING_STEERING_RULES_INC_H
#define DROVER_SERVER_SIM_STEERING_STEERING_RULES_INC_H

#include "server/sim/math/pair.h"
#include "server/sim/space/edge_rules.inc.h"
#include "server/sim/space/neighbors.h"
#include "server/sim/steering/behavior_def.h"
#include "server/sim/steering/locomotion.h"

#define ON_COURSE_MISS   0.02f /* px: seek leaves a course alone that misses the target by less */
#define STOP_MARGIN      0.9f /* share of max_force that arrive plans with; the rest corrects the direction */
#define ARRIVE_TOLERANCE 0.005f     /* px: half of what a snapshot shows */
#define STEPS_COUNTED    1e6f       /* of braking: so many need not be a whole number of them */
#define WANDER_NOISE     1.7320508f /* uniform in +-sqrt(3) has variance 1 */

struct steering_pairs {
    struct pair desired, force;
};

/* What the rules know about the world and the agents. */
struct rule_lanes {
    struct pair size, half; /* px, of a torus; half is huge elsewhere */
    struct pair velocity;   /* px/s */
    lanes max_speed, max_force, rate;
};

/* behavior_match_velocity */
LANES_INLINE struct steering_pairs match_velocity(struct pair desired, struct pair velocity, lanes rate) {
    return (struct steering_pairs){desired, pair_scale(pair_sub(desired, velocity), rate)};
}

/* behavior_lead */
LANES_INLINE struct pair lead(const struct rule_lanes *agent, struct pair desired, struct pair force,
                              lanes left) {
    const lanes asked = lanes_sqrt(pair_dot(force, force)), most = lanes_min(asked, agent->max_force);
    const lanes share = lanes_select(lanes_less(left, most), lanes_div(left, most), lanes_all(1.0f));
    const struct pair change = pair_sub(pair_truncate_often(desired, agent->max_speed), agent->velocity);
    return pair_scale(pair_truncate_often(change, lanes_div(asked, agent->rate)), share);
}

/* ---- seek ---- */

/* Whether the present velocity already leads to the target, but for a miss too small to see. */
LANES_INLINE lanes_mask is_on_course(struct pair offset, struct pair velocity) {
    const lanes miss = pair_cross(velocity, offset); /* px times the speed */
    const lanes unseen = lanes_mul(lanes_all(ON_COURSE_MISS * ON_COURSE_MISS), pair_dot(velocity, velocity));
    return lanes_both(lanes_less(lanes_all(0.0f), pair_dot(velocity, offset)),
                      lanes_less(lanes_mul(miss, miss), unseen));
}

LANES_INLINE struct steering_pairs seek(const struct rule_lanes *agent, struct pair offset) {
    const struct pair towards = pair_select(is_on_course(offset, agent->velocity), agent->velocity, offset);
    return match_velocity(pair_with_length(towards, agent->max_speed), agent->velocity, agent->rate);
}

/* ---- flee ---- */

/* Whether what is at `offset` is too far away to run from. */
LANES_INLINE lanes_mask is_beyond(struct pair offset, float panic_distance) {
    const lanes_mask is_far =
        lanes_less(lanes_all(panic_distance * panic_distance), pair_dot(offset, offset));
    return lanes_both(is_far, lanes_less(lanes_all(0.0f), lanes_all(panic_distance)));
}

/* Whether a vector is long enough to have a direction. */
LANES_INLINE lanes_mask has_direction(struct pair a) {
    return lanes_less(lanes_all(1e-30f), pair_dot(a, a));
}

/* Full speed away from a point at `offset`; on the point itself straight ahead. */
LANES_INLINE struct steering_pairs run_from(const struct rule_lanes *agent, struct pair offset,
                                            struct pair heading) {
    const struct pair away = pair_with_length(offset, lanes_sub(lanes_all(-0.0f), agent->max_speed));
    const struct pair desired =
        pair_select(has_direction(offset), away, pair_scale(heading, agent->max_speed));
    return match_velocity(desired, agent->velocity, agent->rate);
}

/* ---- arrive ---- */

/* The tutorials' ramp: a speed, px/s, that falls linearly from max_speed at slowing_distance px to 0. */
LANES_INLINE lanes ramp_speed(lanes distance, float slowing_distance, lanes max_speed) {
    const lanes slowing = lanes_all(slowing_distance);
    return lanes_select(lanes_less(distance, slowing), lanes_mul(max_speed, lanes_div(distance, slowing)),
                        max_speed);
}

LANES_INLINE struct steering_pairs arrive_linear(const struct rule_lanes *agent, struct pair offset,
                                                 float slowing_distance) {
    const lanes distance = lanes_sqrt(pair_dot(offset, offset));
    const lanes speed = ramp_speed(distance, slowing_distance, agent->max_speed);
    return match_velocity(pair_with_length(offset, speed), agent->velocity, agent->rate);
}

/* behavior_stopping_speed */
LANES_INLINE lanes stopping_speed(lanes distance, lanes acceleration, float dt) {
    const lanes half = lanes_all(0.5f), one = lanes_all(1.0f), none = lanes_all(0.0f);
    /* What one tick of braking takes off the way of each later tick. */
    const lanes step_speed = lanes_mul(acceleration, lanes_all(dt));
    const lanes step = lanes_mul(step_speed, lanes_all(dt));
    const lanes steps = lanes_div(distance, step);
    const lanes whole =
        lanes_sub(lanes_sqrt(lanes_add(lanes_all(0.25f), lanes_mul(lanes_all(2.0f), steps))), half);
    /* From (k + f) * a * dt, k whole and 0 <= f < 1, the way is (k + 1) * (k + 2f) / 2 steps; solved for f. */
    const lanes k = lanes_truncated(lanes_min(whole, lanes_all(STEPS_COUNTED)));
    const lanes f = lanes_sub(lanes_div(steps, lanes_add(k, one)), lanes_mul(half, k));
    const lanes counted = lanes_add(k, lanes_max(f, none));
    const lanes count = lanes_select(lanes_less(whole, lanes_all(STEPS_COUNTED)), counted, whole);
    return lanes_keep(lanes_less(lanes_all(1e-20f), step), lanes_mul(step_speed, count));
}

/* px: positions are floats; far from the origin a place can only be met to the spacing of floats there. */
LANES_INLINE lanes arrival_tolerance(struct pair position) {
    const lanes far = lanes_add(lanes_abs(position.x), lanes_abs(position.y));
    return lanes_add(lanes_all(ARRIVE_TOLERANCE), lanes_mul(lanes_all(2.4e-7f), far));
}

/* behavior_stopping_velocity, and the numbers on the way to it. */
struct stopping {
    struct pair velocity;
    lanes distance, tolerance, stopping, speed;
};
/* acceleration: px/s^2, what the agent plans to brake with. velocity: of the frame that `offset` is in. */
LANES_INLINE struct stopping stop_at(struct pair position, struct pair offset, struct pair velocity,
                                     float slowing_distance, lanes max_speed, lanes acceleration, float dt) {
    struct stopping at = {.tolerance = arrival_tolerance(position)};
    at.distance = lanes_sqrt(pair_dot(offset, offset));
    at.stopping = stopping_speed(at.distance, acceleration, dt);
    at.speed = lanes_min(ramp_speed(at.distance, slowing_distance, max_speed), at.stopping);
    at.velocity = pair_select(lanes_less(at.tolerance, at.distance),
                              pair_add(velocity, pair_with_length(offset, at.speed)), velocity);
    return at;
}

/* px/s^2: what an agent plans to brake with. */
LANES_INLINE lanes planned_braking(lanes max_force, lanes mass) {
    return lanes_div(lanes_mul(lanes_all(STOP_MARGIN), max_force), mass);
}

/* ---- pursue, evade ---- */

/* s: how far ahead to predict, as long as it takes to get there. */
LANES_INLINE lanes time_ahead(struct pair offset, float max_prediction, lanes max_speed) {
    const lanes distance = lanes_sqrt(pair_dot(offset, offset)), most = lanes_all(max_prediction);
    return lanes_select(lanes_less(distance, lanes_mul(most, max_speed)), lanes_div(distance, max_speed),
                        most);
}

/* Where the other will be after `time` s, from the agent, the short way. */
LANES_INLINE struct pair place_ahead(const struct rule_lanes *agent, struct pair offset, struct pair velocity,
                                     lanes time) {
    const struct pair then = pair_add(offset, pair_scale(velocity, time));
    return (struct pair){wrap_difference(then.x, agent->size.x, agent->half.x),
                         wrap_difference(then.y, agent->size.y, agent->half.y)};
}

LANES_INLINE struct steering_pairs pursue(const struct rule_lanes *agent, struct pair ahead) {
    return match_velocity(pair_with_length(ahead, agent->max_speed), agent->velocity, agent->rate);
}

/* ---- wander ---- */

/* `unit` turned by about `angle` rad, exactly by 2 atan(angle / 2): no sine, and never more than half a turn.
 */
LANES_INLINE struct pair turned(struct pair unit, lanes angle) {
    const lanes one = lanes_all(1.0f), t = lanes_mul(lanes_all(0.5f), angle);
    const lanes square = lanes_mul(t, t), scale = lanes_div(one, lanes_add(one, square));
    const lanes c = lanes_mul(lanes_sub(one, square), scale);
    const lanes s = lanes_mul(lanes_mul(lanes_all(2.0f), t), scale);
    const struct pair at = {lanes_sub(lanes_mul(unit.x, c), lanes_mul(unit.y, s)),
                            lanes_add(lanes_mul(unit.x, s), lanes_mul(unit.y, c))};
    return pair_with_length(at, one);
}

/* What wander computes, and the numbers on the way to it. */
struct wandering {
    struct steering_pairs output;
    struct pair goal; /* on the circle, in the agent's frame */
    struct pair right, to_circle, to_goal;
    lanes sine, sideways, speed_ahead, forward, left, push;
};

/* noise: uniform in +-WANDER_NOISE; times the root of dt the variance after a second is rate squared. */
LANES_INLINE struct wandering wander(const struct rule_lanes *agent, struct pair heading, struct pair goal,
                                     lanes noise, const struct behavior_def *behavior, float dt_root) {
    struct wandering at;
    const lanes step = lanes_mul(lanes_mul(noise, lanes_all(behavior->wander_rate)), lanes_all(dt_root));
    at.goal = turned(goal, step);
    at.right = (struct pair){lanes_sub(lanes_all(-0.0f), heading.y), heading.x};
    const struct pair on_circle = pair_add(pair_scale(heading, at.goal.x), pair_scale(at.right, at.goal.y));
    at.to_circle = pair_scale(heading, lanes_all(behavior->wander_distance));
    at.to_goal = pair_add(at.to_circle, pair_scale(on_circle, lanes_all(behavior->wander_radius)));
    const struct pair towards = pair_with_length(at.to_goal, lanes_all(1.0f));
    /* Matching the velocity towards the goal would saturate max_force and turn as hard as it can, this way or
     * that. */
    at.sine = pair_dot(towards, at.right);
    at.sideways = lanes_mul(agent->max_force, at.sine);
    at.speed_ahead = pair_dot(agent->velocity, heading);
    at.forward = lanes_mul(agent->rate, lanes_sub(agent->max_speed, at.speed_ahead));
    const lanes rest =
        lanes_sub(lanes_mul(agent->max_force, agent->max_force), lanes_mul(at.sideways, at.sideways));
    at.left = lanes_keep(lanes_less(lanes_all(0.0f), rest), lanes_sqrt(rest));
    at.push = lanes_max(lanes_min(at.forward, at.left), lanes_sub(lanes_all(-0.0f), at.left));
    at.output.desired = pair_scale(towards, agent->max_speed);
    at.output.force = pair_add(pair_scale(at.right, at.sideways), pair_scale(heading, at.push));
    return at;
}

/* ---- external ---- */

/* The longest vector: what the body can do, or less. */
LANES_INLINE lanes longest_drive(lanes most, float limit) {
    return limit > 0.0f ? lanes_min(most, lanes_all(limit)) : most;
}

/* As driven: in one tick, as far as the force allows. rate: behavior_rates' exact one. */
LANES_INLINE struct steering_pairs drive_velocity(const struct rule_lanes *agent, struct pair vector,
                                                  float limit, lanes exact_rate) {
    const struct pair desired = pair_truncate_often(vector, longest_drive(agent->max_speed, limit));
    return match_velocity(desired, agent->velocity, exact_rate);
}

/* The force, and the velocity that it alone leads to, which a velocity filter is asked for. push: dt / mass. */
LANES_INLINE struct steering_pairs drive_force(const struct rule_lanes *agent, struct pair vector,
                                               float limit, lanes push) {
    const struct pair force = pair_truncate_often(vector, longest_drive(agent->max_force, limit));
    const struct pair then = pair_add(agent->velocity, pair_scale(force, push));
    return (struct steering_pairs){pair_truncate_often(then, agent->max_speed), force};
}

/* ---- neighbors ---- */

/* towards: a direction times a strength up to 1. */
LANES_INLINE struct steering_pairs pushed(const struct rule_lanes *agent, struct pair towards) {
    return (struct steering_pairs){pair_scale(towards, agent->max_speed),
                                   pair_scale(towards, agent->max_force)};
}

/* ---- the three rules of flocking ---- */

/* From the sums about the agents' neighbors to a vector of length 0 to 1 each. */

/* `difference` as a direction with strength 1 from 1 / full_inverse on; less with few neighbors. */
LANES_INLINE struct pair rule_strength(struct pair difference, float full_inverse, lanes weight) {
    const struct pair strength =
        pair_truncate_often(pair_scale(difference, lanes_all(full_inverse)), lanes_all(1.0f));
    return pair_scale(strength, lanes_min(weight, lanes_all(1.0f)));
}

LANES_INLINE struct pair separation_strength(struct pair sum) {
    return pair_truncate_often(sum, lanes_all(1.0f));
}

/* sum, weight: of the neighbors' velocities. No more than what takes the difference away within a tick. */
LANES_INLINE struct pair alignment_strength(struct pair sum, lanes weight, struct pair velocity,
                                            const struct flock_limits *limits) {
    const lanes none = lanes_all(0.0f);
    if (!(limits->full_speed_inverse > 0.0f)) {
        return (struct pair){none, none};
    }
    const struct pair mean = pair_scale(sum, lanes_div(lanes_all(1.0f), weight));
    const struct pair difference = pair_sub(pair_truncate(mean, lanes_all(limits->max_speed)), velocity);
    const lanes distance = lanes_sqrt(pair_dot(difference, difference));
    const lanes enough =
        lanes_div(lanes_mul(lanes_all(limits->exact_rate), distance), lanes_all(limits->max_force));
    const struct pair strength = rule_strength(difference, limits->full_speed_inverse, weight);
    return pair_keep(lanes_less(none, weight), pair_truncate(strength, enough));
}

/* sum, weight: of the offsets to the neighbors. */
LANES_INLINE struct pair cohesion_strength(struct pair sum, lanes weight, float full_radius_inverse) {
    const lanes none = lanes_all(0.0f);
    if (!(full_radius_inverse > 0.0f)) {
        return (struct pair){none, none};
    }
    const struct pair mean = pair_scale(sum, lanes_div(lanes_all(1.0f), weight));
    return pair_keep(lanes_less(none, weight), rule_strength(mean, full_radius_inverse, weight));
}

/* The three together. weights: of enum zone. */
LANES_INLINE struct pair flock_strength(struct pair apart, struct pair along, struct pair together,
                                        const float weights[ZONE_COUNT]) {
    apart = pair_scale(apart, lanes_all(weights[ZONE_SEPARATION]));
    along = pair_scale(along, lanes_all(weights[ZONE_ALIGNMENT]));
    together = pair_scale(together, lanes_all(weights[ZONE_COHESION]));
    return pair_add(pair_add(apart, along), together);
}

#endif
