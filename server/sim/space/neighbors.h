/* Queries about the neighbors of an agent: sums over those within a radius, a field of view and a set of
 * kinds.
 *
 * 1. Sums are formed in ascending order of slots (grid.h) and nothing else enters them: a candidate that does
 * not count would add +0.0. So any way to visit at least those that count, in this order, gives the same
 * bits: this code, the plain reference in the tests, or a kernel with agents in SIMD lanes. Where only the
 * nearest so many count (neighbor_query's `most`), sums are formed nearest first, of two as near the lower id
 * first: an order that knows nothing of the grid.
 * 2. Differences go the short way on a torus.
 * 3. No agent is its own neighbor. Of two agents in the same place each sees the other in a direction that
 * depends on their two ids, and the two directions are opposite.
 * 4. An agent nearer than `core` is noticed whatever the field of view (OpenSteer).
 */
#ifndef DROVER_SERVER_SIM_SPACE_NEIGHBORS_H
#define DROVER_SERVER_SIM_SPACE_NEIGHBORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/limits.h"
#include "common/base/vec2.h"
#include "server/sim/space/edge.h"
#include "server/sim/space/grid.h"

/* Zones: which neighbors count for a rule, by distance and field of view. */

/** The three rules of flocking; behaviors about one sort of neighbor use the first. */
enum zone { ZONE_SEPARATION, ZONE_ALIGNMENT, ZONE_COHESION, ZONE_COUNT };

/** Which neighbors count for one rule. */
struct neighbor_zone {
    float radius;  /* px; nearer than this; 0: the rule is off */
    float cosine;  /* of half the field of view; -1 or less: all round */
    bool is_sharp; /* full weight up to the radius, instead of a falloff to 0 there */
};

/** A zone as the numbers sums are made with; squared distances throughout. */
struct zone_plan {
    float squared;  /* px^2: nearer than this */
    float cone;     /* c |c| of its cosine c: f |f| >= cone * d^2 says that f = d cos(bearing) is in view */
    float fade;     /* 1/px^2: a weight is 1 - fade * d^2 */
    float strength; /* separation is offset * (strength / d^2 - less) */
    float less;
};
/** Whether two zones contain the same, with the same weights. */
bool zone_is_same(const struct neighbor_zone *a, const struct neighbor_zone *b);

/** The plan of a zone. */
struct zone_plan zone_make_plan(const struct neighbor_zone *zone);

/* The neighbors that counted in an agent's queries, for an inspection of that agent. */

/** Each neighbor once: nearest first, of two as near the lower id first. Zeroed it is empty. */
struct neighbor_log {
    int count;
    uint32_t ids[LIMIT_INSPECT_NEIGHBORS];
    float squared[LIMIT_INSPECT_NEIGHBORS]; /* px^2, their distances */
};

/** Adds a neighbor that is not there yet; of too many the nearest stay. offset: px, from the agent. */
void neighbor_log_add(struct neighbor_log *log, uint32_t id, vec2 offset);

/** The same; nothing happens without a log (NULL). */
static inline void neighbor_log_note(struct neighbor_log *log, uint32_t id, vec2 offset) {
    if (log != NULL) {
        neighbor_log_add(log, id, offset);
    }
}

/* ---- queries ---- */

/** What is queried about the neighbors before a behavior is called. */
enum neighbor_use {
    NEIGHBORS_UNUSED,
    NEIGHBORS_SUMS,    /* for the three rules */
    NEIGHBORS_THREATS, /* predicted close approaches */
    NEIGHBORS_AHEAD,   /* the nearest in the way to the target, and the separation sum */
    NEIGHBORS_NEAREST, /* the nearest so many, one by one */
};

/** The largest max_neighbors: so many neighbors can be found one by one. */
enum { NEIGHBORS_NEAREST_MAX = 32 };

/** The agent that queries, and the agents that count for it. */
struct neighbor_query {
    const struct bounds *bounds;
    const uint32_t *ids; /* by row */
    int32_t slot;        /* of the agent that queries */
    vec2 heading;        /* unit vector */
    float core;          /* px */
    uint64_t kinds;      /* bit k: kind k counts */
    int32_t most; /* only so many, the nearest, count for each rule; 0: all; <= NEIGHBORS_NEAREST_MAX */
    struct neighbor_log *log; /* receives the agents that count; or NULL */
};

/** Sums for the three rules of flocking.
 *
 * A weight is 1 - (distance / radius)^2, or 1 for a sharp zone. Separation adds unit vectors away from the
 * neighbors times 2/3 (radius / distance - distance / radius), so its size is 1 for one neighbor at half
 * the radius and 0 at the radius (sharp: radius / distance, Reynolds' 1/r). All of it without a square root.
 */
struct neighbor_sums {
    int32_t separation_count, alignment_count, cohesion_count;
    vec2 separation;       /* 1 */
    vec2 velocity;         /* px/s, weighted sum of the alignment zone */
    float velocity_weight; /* sum of its weights */
    vec2 offset;           /* px, weighted sum of the cohesion zone, from the agent */
    float offset_weight;
};

/** px^2: nearer than this two are in the same place. */
#define NEIGHBORS_COINCIDENT 1e-12f

/** One neighbor. */
struct neighbor {
    bool is_there;
    int32_t row;
    uint32_t id;
    float distance;   /* px */
    float radius;     /* px, of its body */
    vec2 offset;      /* px, from the agent */
    vec2 velocity;    /* px/s */
    float time;       /* neighbors_threats: s until the two are nearest, >= 0 */
    float miss;       /* neighbors_threats: px, how near that is */
    vec2 offset_then; /* neighbors_threats: px, from the agent's place then to the neighbor's */
};

/** zones: of enum zone. */
struct neighbor_sums neighbors_sum(const struct grid *grid, const struct neighbor_query *query,
                                   const struct neighbor_zone zones[ZONE_COUNT]);

/** The nearest in a zone; of two as near the one of lower id. */
struct neighbor neighbors_nearest(const struct grid *grid, const struct neighbor_query *query,
                                  const struct neighbor_zone *zone);

/** The nearest query->most (>= 1) in a zone, nearest first, of two as near the one of lower id first. out:
 * room for query->most. Returns how many there are. */
int32_t neighbors_nearest_few(const struct grid *grid, const struct neighbor_query *query,
                              const struct neighbor_zone *zone, struct neighbor *out);

/** The slots of the same, without a log. out: room for query->most. */
int32_t neighbors_nearest_slots(const struct grid *grid, const struct neighbor_query *query,
                                const struct neighbor_zone *zone, int32_t *out);

/** How much room an agent wants, and how far ahead it predicts. */
struct neighbor_space {
    float radius;    /* px, of its body */
    float clearance; /* px, beside the two bodies */
    float horizon;   /* s */
};

struct neighbor_threats {
    int32_t count;
    struct neighbor soonest; /* of two as soon the one of lower id */
    /** Sum over the threats of unit vectors away from where each will be, times a strength that is 0 at the
     * horizon and at a miss of all the room, 1 at half the horizon and a miss that touches. Every agent
     * leans a little to the same hand, across the relative velocity, so that two agents that meet head-on do
     * not mirror each other indefinitely; of two on crossing courses the faster leans forward and the slower
     * backward. Two agents that see only each other push in opposite directions. */
    vec2 push;
};

/** Those in the zone that will come nearer than the two bodies' radii and the clearance within the horizon,
 * if both keep their velocities. An agent that is so near already and does not move away is a threat at
 * once (time 0).
 *
 * The miss is the real one, sqrt(d^2 - p^2) with p the offset's part along the relative velocity, not the
 * distance less the way made.
 * source    Reynolds 1999, "Unaligned collision avoidance" */
struct neighbor_threats neighbors_threats(const struct grid *grid, const struct neighbor_query *query,
                                          const struct neighbor_zone *zone,
                                          const struct neighbor_space *space);

/** The direction in which agent `id` sees agent `other` when both are in the same place: a unit vector,
 * opposite to what the other sees. */
vec2 neighbors_split(uint32_t id, uint32_t other);

#endif
