/* Kernels: what many agents compute at once, in SIMD lanes. One source (kernel_set.inc.h) is compiled for each
 * instruction set (kernels_*.c); `simd`, which must be supported, selects one at run time.
 *
 * Every width gives the bits of the functions for one agent: the same operations in the same order. The kernels,
 * from the bottom up: sums of neighbors, threats, sights, whole ticks of flocks, orca, and steering by behaviors.
 */
#ifndef DROVER_SERVER_SIM_KERNELS_KERNELS_H
#define DROVER_SERVER_SIM_KERNELS_KERNELS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/vec2.h"
#include "server/sim/math/motion.h"
#include "server/sim/math/simd.h"
#include "server/sim/space/edge.h"
#include "server/sim/space/neighbors.h"
#include "server/sim/space/sight_index.h"
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_def.h"
#include "server/sim/steering/locomotion.h"

/* Agents in consecutive slots that make the same query about their neighbors. */

/** The query, and where its agents are. Plain value; owns nothing. */
struct neighbor_batch {
    const struct grid *grid; /* its radius column is filled */
    const struct bounds *bounds;
    const uint32_t *ids;          /* by row */
    const vec2 *heading;          /* unit vectors, where heading_place says */
    const int32_t *heading_place; /* by slot; NULL: headings are by slot */
    float course_above; /* (px/s)^2: a faster agent faces along its velocity, whatever `heading` says */
    float core_radii;   /* core = core_radii * grid->radius[slot] */
    uint64_t kinds;     /* bit k: kind k counts */
    const struct neighbor_zone *zones; /* of enum zone */
};

/** COURSE_NEVER: headings are what `heading` says. */
#define COURSE_NEVER 3e38f
/** Where in `heading` that of the agent in a slot is. */
static inline int32_t neighbor_batch_place(const struct neighbor_batch *batch, int32_t slot) {
    return batch->heading_place == NULL ? slot : batch->heading_place[slot];
}

/** The heading of the agent in a slot. */
vec2 neighbor_batch_heading(const struct neighbor_batch *batch, int32_t slot);

/* What kernels answer about the agents of a batch: a column for each number, one entry an agent, by *place*:
 * slot minus the first slot of the batch.
 */

enum {
    KERNEL_WIDTH_MAX = 16,
    KERNEL_PLACES = 64,                            /* agents of a batch */
    KERNEL_ROOM = KERNEL_PLACES + KERNEL_WIDTH_MAX /* as many lanes as there are fit in from any place */
};

/** struct neighbor_sums as columns; counts are whole numbers. */
struct sums_columns {
    _Alignas(64) float separation_count[KERNEL_ROOM];
    _Alignas(64) float alignment_count[KERNEL_ROOM];
    _Alignas(64) float cohesion_count[KERNEL_ROOM];
    _Alignas(64) float separation_x[KERNEL_ROOM];
    _Alignas(64) float separation_y[KERNEL_ROOM];
    _Alignas(64) float velocity_x[KERNEL_ROOM];
    _Alignas(64) float velocity_y[KERNEL_ROOM];
    _Alignas(64) float velocity_weight[KERNEL_ROOM];
    _Alignas(64) float offset_x[KERNEL_ROOM];
    _Alignas(64) float offset_y[KERNEL_ROOM];
    _Alignas(64) float offset_weight[KERNEL_ROOM];
};

/** Count and push of struct neighbor_threats as columns; counts are whole numbers. */
struct threat_columns {
    _Alignas(64) float count[KERNEL_ROOM];
    _Alignas(64) float push_x[KERNEL_ROOM];
    _Alignas(64) float push_y[KERNEL_ROOM];
};

/** The sums of the agent at a place. */
static inline struct neighbor_sums sums_columns_get(const struct sums_columns *columns, int32_t place) {
    assert(place >= 0 && place < KERNEL_PLACES);
    return (struct neighbor_sums){
        .separation_count = (int32_t)columns->separation_count[place],
        .alignment_count = (int32_t)columns->alignment_count[place],
        .cohesion_count = (int32_t)columns->cohesion_count[place],
        .separation = {columns->separation_x[place], columns->separation_y[place]},
        .velocity = {columns->velocity_x[place], columns->velocity_y[place]},
        .velocity_weight = columns->velocity_weight[place],
        .offset = {columns->offset_x[place], columns->offset_y[place]},
        .offset_weight = columns->offset_weight[place],
    };
}

/** Puts the sums of one agent at a place. */
static inline void sums_columns_set(struct sums_columns *columns, int32_t place,
                                    const struct neighbor_sums *sums) {
    assert(place >= 0 && place < KERNEL_PLACES);
    columns->separation_count[place] = (float)sums->separation_count;
    columns->alignment_count[place] = (float)sums->alignment_count;
    columns->cohesion_count[place] = (float)sums->cohesion_count;
    columns->separation_x[place] = sums->separation.x;
    columns->separation_y[place] = sums->separation.y;
    columns->velocity_x[place] = sums->velocity.x;
    columns->velocity_y[place] = sums->velocity.y;
    columns->velocity_weight[place] = sums->velocity_weight;
    columns->offset_x[place] = sums->offset.x;
    columns->offset_y[place] = sums->offset.y;
    columns->offset_weight[place] = sums->offset_weight;
}

/* neighbors_sum for many agents at once: agents in SIMD lanes, candidates broadcast to all lanes.
 *
 * 1. The sums are those of neighbors_sum, bit for bit, whichever instruction set does it: the same operations
 * in the same order (ascending slots); a candidate that does not count for a lane adds +0.0 there.
 * 2. Lanes hold agents of consecutive slots in one row of cells; candidates are those of the union of their
 * walks. An agent with another one in the same place is left to neighbors_sum.
 */

/** The sums of the wanted agents in slots [begin, end), at most KERNEL_PLACES of them. Bit i of `wanted`: the
 * agent in slot begin + i; bits for slots from `end` on are not looked at. What stands in `out` for other
 * agents stays. simd must be supported. */
void neighbor_kernel_columns(enum simd simd, const struct neighbor_batch *batch, int32_t begin, int32_t end,
                             uint64_t wanted, struct sums_columns *out);

/* neighbors_threats for many agents at once: agents in SIMD lanes, candidates broadcast to all lanes; then
 * pairs of an agent and one that approaches it in lanes.
 *
 * 1. Count and push are those of neighbors_threats, bit for bit, whichever instruction set does it: the same
 * operations, and the pushes on each agent are added in ascending order of slots.
 * 2. Most candidates are out of the zone or on their way apart: two comparisons find that out. The pairs
 * that are left are put in line, and what they predict of each other is computed for as many pairs at a time
 * as there are lanes.
 */

/** The query of a batch about threats. Plain value; owns nothing. */
struct threat_batch {
    const struct neighbor_batch *neighbors; /* of its zones ZONE_SEPARATION is the one that threats are in */
    float clearance, horizon;               /* struct neighbor_space; the radius is grid->radius[slot] */
};

/** The threats to the wanted agents in slots [begin, end), at most KERNEL_PLACES of them. Bit i of `wanted`:
 * the agent in slot begin + i; bits for slots from `end` on are not looked at. What stands in `out` for other
 * agents stays. simd must be supported. */
void threat_kernel_sums(enum simd simd, const struct threat_batch *batch, int32_t begin, int32_t end,
                        uint64_t wanted, struct threat_columns *out);

/* The nearest agent of a kind, for many agents at once: agents in SIMD lanes, candidates broadcast to all
 * lanes.
 *
 * 1. The agent found is the one of the least squared distance (bounds_difference, vec2_length_squared), of
 * several as near the one of the lowest row, never the agent itself; a squared distance of within * within
 * still counts. The result is the same whichever instruction set does it.
 * 2. Lanes hold agents of consecutive slots in one row of cells. Agents so far apart that they would share
 * too many candidates go by halves, at last alone.
 * 3. Where many agents of the kind are within reach, near ones are searched for first.
 */

enum { SIGHT_PLACES = 64, SIGHT_SPARE = 16, SIGHT_WIDTH_MAX = 16 };

/** What agents look for. Plain value; owns nothing. */
struct sight_query {
    const struct grid *grid;
    const struct sight_index *index; /* of the grid's agents as they are now */
    int kind;                        /* looked for when the index was built */
    float within;                    /* px, > 0 */
};

/** What the agents of a batch see, by place: slot - begin. */
struct sight_columns {
    _Alignas(64) float squared[SIGHT_PLACES + SIGHT_SPARE]; /* px^2; INFINITY where slot is -1 */
    int32_t slot[SIGHT_PLACES + SIGHT_SPARE];               /* of the nearest agent; -1: there is none */
};

/** The sights of the agents in slots [begin, end), SIGHT_PLACES at most. simd must be supported.
 * wanted: bit i for place i; the other places are left as they are. */
void sight_kernel_find(enum simd simd, const struct sight_query *query, int32_t begin, int32_t end,
                       uint64_t wanted, struct sight_columns *out);

/* A whole tick for many agents at once whose only behavior is flock: neighbors, force, velocity, position,
 * border and heading, in SIMD lanes.
 *
 * 1. What comes out is what behavior_flock, sum_tiers, locomotion_velocity, bounds_apply and
 * locomotion_heading give one agent, bit for bit: the same operations in the same order.
 * 2. Lanes that meet a border or turn as far as they can are finished by those functions themselves.
 */

/** What the agents have in common: steered, with the body of their kind, in a world that does not contain. */
struct flock_rules {
    float rule_weight[ZONE_COUNT], weight; /* of the three rules, of the behavior */
    float cohesion_radius;                 /* px */
    float max_speed, max_force, radius;    /* px/s, mass*px/s^2, px */
    float mass, exact_rate;                /* 1, see struct steering_context */
    float dt;                              /* s */
    vec2 turn;                             /* {cos, sin} of the largest turn of one tick */
};

/** Where the agents of tick t+1 go. */
struct flock_out {
    int kind;             /* the kind that is moved */
    struct motion *next;  /* by slot */
    vec2 *heading;        /* of tick t+1, where the batch has those of tick t */
    int32_t *cell;        /* by slot: the cell of tick t's grid that the agent is in then; NULL: not needed */
    bool only_of_resting; /* headings are written only of agents that do not face along their velocity */
};

/** Moves the agents of the kind in slots [begin, end). simd must be supported. */
void flock_kernel_step(enum simd simd, const struct neighbor_batch *batch, const struct flock_rules *rules,
                       int32_t begin, int32_t end, const struct flock_out *out);

/* Optimal reciprocal collision avoidance for many agents at once: neighbors, half-planes and the permitted
 * velocity in SIMD lanes.
 *
 * 1. What comes out is what behavior_orca finds for an agent without solids in reach, bit for bit: the
 * nearest neighbors by (distance^2, id), the half-planes of half_plane_of, the velocity of
 * half_planes_nearest. It depends neither on the order of slots nor on the width.
 * 2. Agents that meet another one without knowing on which side to pass it (two in the same place with the
 * same velocity) are left to behavior_orca: `alone`.
 * 3. Lanes hold agents of consecutive slots in one row of cells. Agents to which the half-planes leave no
 * velocity wait until there are as many of them as lanes, or until the call ends: longer calls fill lanes
 * better.
 */

/** What the agents have in common. Plain value; owns nothing. */
struct orca_query {
    const struct grid *grid; /* its radius column is filled */
    const struct bounds *bounds;
    const uint32_t *ids; /* by row */
    uint64_t kinds;      /* bit k: kind k counts; UINT64_MAX: all */
    float radius;        /* px, >= 0: nearer than this a neighbor counts */
    float clearance;     /* px, >= 0, beside two bodies */
    float horizon;       /* s, > 0, at least a tick */
    float settle;        /* s, > 0: see struct encounter */
    int32_t most;        /* only so many neighbors, the nearest, count; 1 to NEIGHBORS_NEAREST_MAX */
};

enum {
    ORCA_SPARE = 16 /* entries of wishes and answers behind the last agent that may be read and written */
};

/** What the agents want, by place (slot - begin). */
struct orca_wishes {
    const float *preferred_x, *preferred_y; /* px/s, within max_speed */
    const float *max_speed;                 /* px/s, >= 0 */
};

/** Receives the answers, by place; bit p % 64 of word p / 64 is of place p. */
struct orca_answers {
    uint64_t *active; /* the preferred velocity is not permitted */
    uint64_t *alone;  /* nothing is known: behavior_orca must be called; then not active */
    float *x, *y;     /* px/s: the permitted velocity where it is active; all others stay as they are */
};

/** How many words have a bit for each of so many places. */
static inline int32_t orca_words(int32_t places) {
    return (places + 63) / 64;
}

/** Answers for the agents in slots [begin, end) whose bits are set in `wanted`: those of all others are 0.
 * simd must be supported. */
void orca_kernel_solve(enum simd simd, const struct orca_query *query, const struct orca_wishes *wishes,
                       int32_t begin, int32_t end, const uint64_t *wanted,
                       const struct orca_answers *answers);

/* The agents of a batch, column by column: what the steering kernels read and write.
 *
 * A batch is up to BATCH_MAX consecutive slots of the grid. An agent's *place* in it is its slot less the
 * first one. Which agents something concerns is a set of places, a bit each. Columns are padded so that a
 * kernel may read and write whole registers; what stands behind the last place is of no consequence.
 */

/** How many bits are set. (The builtin is a call of the compiler's library on most processors.) */
static inline int32_t bits_count(uint64_t bits) {
    const uint64_t pairs = bits - (bits >> 1 & UINT64_C(0x5555555555555555));
    const uint64_t fours =
        (pairs & UINT64_C(0x3333333333333333)) + (pairs >> 2 & UINT64_C(0x3333333333333333));
    const uint64_t bytes = (fours + (fours >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (int32_t)(bytes * UINT64_C(0x0101010101010101) >> 56);
}

enum { BATCH_MAX = KERNEL_PLACES, BATCH_ROOM = KERNEL_ROOM };

/** A number for each place. */
#define BATCH_COLUMN(name) _Alignas(64) float name[BATCH_ROOM]

/** A set of places. */
typedef uint64_t place_set;

/** The first `count` places. */
static inline place_set places_until(int32_t count) {
    return count >= BATCH_MAX ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}
/** How many places a set has. */
static inline int32_t places_count(place_set places) {
    return bits_count(places);
}
/** The lowest place of a set that is not empty. */
static inline int32_t places_first(place_set places) {
    return (int32_t)__builtin_ctzll(places);
}
/** Takes the lowest place out of a set; false: it is empty. */
static inline bool places_next(place_set *left, int32_t *place) {
    if (*left == 0) {
        return false;
    }
    *place = places_first(*left);
    *left &= *left - 1;
    return true;
}

/** What one behavior puts out for the agents of a batch. */
struct steering_columns {
    place_set active;        /* the others put out nothing; their numbers are of no consequence */
    place_set left;          /* these the rule has left to the function for one agent */
    BATCH_COLUMN(desired_x); /* px/s */
    BATCH_COLUMN(desired_y);
    BATCH_COLUMN(force_x); /* mass*px/s^2, before weighting */
    BATCH_COLUMN(force_y);
};

struct steering_batch {
    int32_t begin, count; /* the first slot, the number of slots */
    float dt, dt_root;    /* s, and its square root */
    struct bounds bounds;
    const struct scenery *scenery;
    uint64_t tick;
    vec2 half;          /* px: half of a torus; elsewhere huge */
    uint64_t noise_key; /* rng_tick_key */
    uint32_t id[BATCH_ROOM];
    struct memory *memory; /* by place; in the making for t+1 */

    /* Of tick t. */
    BATCH_COLUMN(x); /* px */
    BATCH_COLUMN(y);
    BATCH_COLUMN(vx); /* px/s */
    BATCH_COLUMN(vy);
    BATCH_COLUMN(heading_x); /* unit vector */
    BATCH_COLUMN(heading_y);
    BATCH_COLUMN(max_speed); /* struct body */
    BATCH_COLUMN(max_force);
    BATCH_COLUMN(mass);
    BATCH_COLUMN(radius);
    BATCH_COLUMN(turn_x); /* {cos, sin} of the largest turn of one tick */
    BATCH_COLUMN(turn_y);
    BATCH_COLUMN(room); /* px, at least, to every solid (scenery_room) */
    BATCH_COLUMN(rate); /* behavior_rates */
    BATCH_COLUMN(exact_rate);

    /* What the behavior in hand is about: struct target_info of those that are there; of a driven agent its vector
     * instead of an offset. */
    BATCH_COLUMN(offset_x); /* px */
    BATCH_COLUMN(offset_y);
    BATCH_COLUMN(other_vx); /* px/s */
    BATCH_COLUMN(other_vy);

    /* Of a path that is followed: its index, and 1 along it or -1 against it. */
    BATCH_COLUMN(path);
    BATCH_COLUMN(path_sign);

    /* What the behavior in hand knows about neighbors, or NULL. */
    const struct sums_columns *sums;
    const struct threat_columns *threats;

    /* What the agents want so far: of the tiers that are done, and of the tier in hand. */
    BATCH_COLUMN(desired_x);
    BATCH_COLUMN(desired_y);
    BATCH_COLUMN(force_x);
    BATCH_COLUMN(force_y);
    BATCH_COLUMN(tier_x);
    BATCH_COLUMN(tier_y);
    BATCH_COLUMN(led_x); /* px/s, where the tiers that are done lead to, of states that are led */
    BATCH_COLUMN(led_y);

    /* Of a velocity filter: the velocity that it is asked for, and the one that it permits; px/s. */
    BATCH_COLUMN(preferred_x);
    BATCH_COLUMN(preferred_y);
    BATCH_COLUMN(permitted_x);
    BATCH_COLUMN(permitted_y);

    /* Of tick t+1: before solids and the edge, afterwards behind them. */
    BATCH_COLUMN(next_x);
    BATCH_COLUMN(next_y);
    BATCH_COLUMN(next_vx);
    BATCH_COLUMN(next_vy);
};

/* Steering of many agents at once: the behaviors that have a rule for lanes, and what becomes of their
 * forces (test_steering_kernels).
 *
 * A behavior without a rule is computed agent by agent. A new rule: its formula in steering_rules.inc.h, where
 * the behavior's function takes it from as well, and a row in STEERING_RULE_LIST (steering.inc.h).
 */

/** What one behavior puts out for the agents at `wanted`; what it is about has been found for them. It
 * may change what the agents remember. */
typedef void steering_rule(const struct steering_batch *batch, const struct behavior_def *behavior,
                           place_set wanted, struct steering_columns *out);

struct steering_kernel {
    /** By enum behavior_type; NULL: agent by agent. */
    steering_rule *rules[BEHAVIOR_ROWS];

    /** Fills x, y, vx and vy of the whole batch. motion: of its first slot; GRID_SPARE more than the batch has can
     * be read. */
    void (*gather)(struct steering_batch *batch, const struct motion *motion);
    /** Makes the points that stand in offset_x and offset_y the offsets to them, and the velocities there {0,0}.
     * limit: px^2; returns the places whose point is no further. */
    place_set (*look)(struct steering_batch *batch, const float *limit, place_set wanted);
    /** Makes the places of agents that stand in offset_x and offset_y the offsets to them. */
    void (*turn_to)(struct steering_batch *batch, place_set wanted);
    /** Which of the agents have at most `limit` in a column of the batch. */
    place_set (*within)(const struct steering_batch *batch, const float *squared, float limit,
                        place_set wanted);
    /** Fills the rates (behavior_rates) and empties what the agents want. */
    void (*begin)(struct steering_batch *batch, float weight_sum, place_set wanted);
    /** Adds a behavior's weighted output to the tier in hand. */
    void (*add)(struct steering_batch *batch, float weight, place_set wanted,
                const struct steering_columns *output);
    /** Before the end of the tier in hand: counts its desired velocity as far as it leads (behavior_lead). After the
     * last tier the agents want the velocity that all have led to. */
    void (*lead_tier)(struct steering_batch *batch, bool is_first, bool is_last, place_set wanted);
    /** Ends the tier in hand. is_only: there is no other, so it is truncated once, by the locomotion. */
    void (*end_tier)(struct steering_batch *batch, bool is_only, place_set wanted);
    /** The velocity that a velocity filter is asked for: the present one when nothing is wanted. */
    void (*prefer)(struct steering_batch *batch, place_set wanted);
    /** Makes a share of the correction that a velocity filter permits instead of what is preferred. */
    void (*filter)(struct steering_batch *batch, float share, place_set wanted);
    /** Fills room. */
    void (*find_room)(struct steering_batch *batch);
    /** Which of the agents have no solid within reach on their way to next_x, next_y: scenery_constrain does
     * nothing. Not necessarily all of these. */
    place_set (*clear)(const struct steering_batch *batch, place_set wanted);
    /** Which of the agents containment may act on: all for which bounds_contain is true, and few others. */
    place_set (*leaves)(const struct steering_batch *batch, place_set wanted);
    /** The velocities and the places of t+1, before solids and the edge; `desired` is truncated. */
    void (*move)(struct steering_batch *batch, enum locomotion locomotion, place_set wanted);
    /** Which of the agents are inside at t+1, where bounds_apply changes nothing. Those on the border are not. */
    place_set (*inside)(const struct steering_batch *batch, place_set wanted);
    /** Writes next_x, next_y, next_vx and next_vy of the agents. motion: of the batch's first slot. */
    void (*scatter)(const struct steering_batch *batch, place_set wanted, struct motion *motion);
    /** The headings of t+1, by the velocities of t+1. They take the place of those of tick t. */
    void (*turn)(struct steering_batch *batch, place_set wanted);
};

/** Whether a behavior has a rule for lanes, whatever the width. */
bool steering_has_rule(enum behavior_type type);

/** The kernel of an instruction set, which must be supported. */
const struct steering_kernel *steering_kernel_of(enum simd simd);

#endif
