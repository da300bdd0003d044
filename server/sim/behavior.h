/* The steering behaviours: small pure functions from what an agent senses to a desired velocity and a
 * steering force.
 *
 * A new behaviour is an enumerator in world_def.h, a row in behavior_table (behavior.c) and the function it
 * names.
 *
 * Forces follow Reynolds' velocity matching, steering = desired velocity - velocity, made a force by a rate:
 * force = rate * (desired - velocity). At 60 ticks a second the rate is 60/s, which is the tutorials' "once a
 * frame": the force limit 6 px/s a frame is max_force 360. The rate never exceeds what would overshoot the
 * desired velocity within one tick (see behavior_rates), so that light agents and low tick rates do not
 * tremble.
 */
#ifndef DROVER_SIM_BEHAVIOR_H
#define DROVER_SIM_BEHAVIOR_H

#include <stdbool.h>

#include "common/vec2.h"
#include "server/sim/locomotion.h"
#include "server/sim/world_def.h"

/** What a behaviour may look at. All of tick t. */
struct senses {
    vec2 position, velocity; /* px, px/s */
    vec2 heading;            /* unit vector */
    vec2 to_target;          /* px, from the agent to its target, the short way */
    const struct body *body;
    float dt;         /* s */
    float rate;       /* 1/s times mass, velocity matching as in the tutorials */
    float exact_rate; /* the highest rate that does not overshoot within a tick */
};

/** Its answer: nothing (is_active false), or a desired velocity and the force towards it. */
struct urge {
    bool is_active;
    vec2 desired; /* px/s */
    vec2 force;   /* mass*px/s^2, before weighting */
};

typedef struct urge (*behavior_function)(const struct behavior_def *behavior, const struct senses *senses);

/** Seek: full speed towards the target, and past it.
 * desired velocity  towards the target at max_speed; {0,0} when exactly on it
 * source            Reynolds 1999, "Seek" */
struct urge behavior_seek(const struct behavior_def *behavior, const struct senses *senses);

/** Flee: full speed away from the target, within panic_distance px (0: always). On the target itself:
 * straight ahead. source  Reynolds 1999, "Flee" */
struct urge behavior_flee(const struct behavior_def *behavior, const struct senses *senses);

/** Arrive: seek the target, slow down, and stop on it.
 *
 * ARRIVE_STOP    the highest speed from which max_force can still stop the agent on the target, in whole
 * ticks; it stops exactly and stays. slowing_distance > 0: also no faster than max_speed * distance /
 * slowing_distance. ARRIVE_LINEAR  max_speed * distance / slowing_distance inside slowing_distance, as the
 * tutorials have it. source         Reynolds 1999, "Arrival" */
struct urge behavior_arrive(const struct behavior_def *behavior, const struct senses *senses);

/** The function of a type. */
behavior_function behavior_function_of(enum behavior_type type);

/** The largest speed, in px/s, from which an agent that may lose `acceleration` px/s^2 can stop after
 * `distance` px, moving in ticks of dt seconds and braking in each. Never more than distance / dt. */
float behavior_stopping_speed(float distance, float acceleration, float dt);

/** Fills rate and exact_rate. weight_sum: the sum of the weights of the behaviours that are combined. */
void behavior_rates(struct senses *senses, float weight_sum);

#endif
