/* The rival of drover-bench crowd: reciprocal collision avoidance as most programs implement it. Every agent is an object of
 * its own, a kd-tree over all of them is built in each tick, an agent keeps its nearest neighbors in a sorted list, and the
 * permitted velocity comes from linear programs over the half-planes of that list, one agent after the other.
 *
 * source  van den Berg, Guy, Lin, Manocha 2011, "Reciprocal n-Body Collision Avoidance"
 */
#ifndef DROVER_TESTS_BENCH_CROWD_RIVAL_H
#define DROVER_TESTS_BENCH_CROWD_RIVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/vec2.h"

enum { CROWD_NEIGHBORS_MAX = 16 };

/** The same for all agents of a crowd. */
struct crowd_rules {
    float dt;               /* s, of a tick */
    float radius;           /* px, of a body */
    float max_speed;        /* px/s */
    float horizon;          /* s, in which no two may meet */
    float sight;            /* px; neighbors are nearer than this */
    int most;               /* only the nearest so many count; at most CROWD_NEIGHBORS_MAX */
    float slowing_distance; /* px; agents slow down for their goals from here; 0: they never do */
};

/** An agent of a crowd: place, velocity, and the place that it goes to. */
struct crowd_agent {
    vec2 position; /* px */
    vec2 velocity; /* px/s */
    vec2 goal;     /* px */
};

/** What the last tick had to do, on average. */
struct crowd_work {
    double neighbors; /* that count for an agent */
    double
        infeasible; /* share of agents whose half-planes leave no velocity: the program of three dimensions runs */
};

struct crowd_rival;

/** `count` agents at 0,0; owned by the caller. */
struct crowd_rival *crowd_rival_create(const struct crowd_rules *rules, int32_t count);
void crowd_rival_destroy(struct crowd_rival *rival);
void crowd_rival_set(struct crowd_rival *rival, int32_t index, const struct crowd_agent *agent);
struct crowd_agent crowd_rival_get(const struct crowd_rival *rival, int32_t index);
void crowd_rival_step(struct crowd_rival *rival);
struct crowd_work crowd_rival_work(const struct crowd_rival *rival);

#endif
