/* The agents of a batch on their way through a tick: for world_crowd.c and the crowd_*.c files alone. */
#ifndef DROVER_SERVER_SIM_TICK_CROWD_H
#define DROVER_SERVER_SIM_TICK_CROWD_H

#include "server/sim/kernels/kernels.h"
#include "server/sim/tick/world_sights.h"

enum {
    CROWD_SUMS_MAX = 4,   /* different queries of sums of a batch that are answered in lanes */
    CROWD_THREATS_MAX = 2 /* and of threats */
};

/** The places of a batch whose agents are of one kind and in one state. */
struct crowd_group {
    const struct kind *kind;
    int state;
    place_set places;
};

/** The places of a batch whose agents steer alike. */
struct crowd_program {
    struct state_ref state; /* stands for all of them */
    place_set places;
};

/** One query about neighbors, of all agents of the batch that have it. */
struct crowd_query {
    const struct kind *kind;
    const struct behavior_def *behavior;
    const struct behavior_runtime *runtime;
    place_set places;
};

struct crowd {
    struct world *world;
    const struct steering_kernel *kernel;
    int32_t row[BATCH_MAX];
    const struct kind *kind[BATCH_MAX];
    const struct body *body[BATCH_MAX]; /* as it is where the agent stands */
    struct body slowed[BATCH_MAX];      /* what some of `body` point to */
    const struct kind *only;            /* all agents are of this kind and have its body; NULL: they differ */
    uint8_t state[BATCH_MAX];
    uint64_t kinds;                 /* that agents of the batch are of, a bit each */
    place_set of_kind[LIMIT_KINDS]; /* meaningful where `kinds` has the bit */
    int group_count;
    struct crowd_group groups[BATCH_MAX]; /* of all agents that are steered in lanes */
    struct steering_context context;      /* of the agent in hand */
    int program_count;
    struct crowd_program programs[BATCH_MAX];
    struct precomputed_sums known; /* what context points to */
    int sums_count, threats_count;
    struct crowd_query sums_queries[CROWD_SUMS_MAX], threats_queries[CROWD_THREATS_MAX];
    struct steering_batch batch;
    struct steering_columns output;
    struct sums_columns sums[CROWD_SUMS_MAX];
    struct threat_columns threats[CROWD_THREATS_MAX];
    struct world_sights sights;
};

static inline const struct state_runtime *crowd_runtime(const struct crowd *crowd, int32_t place) {
    return &crowd->kind[place]->states[crowd->state[place]];
}

static inline const struct state_def *crowd_state(const struct crowd *crowd, int32_t place) {
    return &crowd->kind[place]->def.states[crowd->state[place]];
}

/** The sights of the agent at a place. */
static inline struct sight_place crowd_sight(const struct crowd *crowd, int32_t place) {
    return (struct sight_place){&crowd->sights, place};
}

/** The same number for all of `count` places. */
static inline void crowd_fill(float *column, int32_t count, float value) {
    for (int32_t place = 0; place < count; place++) {
        column[place] = value;
    }
}

/** Copies the agents of slots [begin, end) out of tick t of the world; states and what follows are not filled. */
void crowd_begin(struct crowd *crowd, struct world *world, int32_t begin, int32_t end);

/** What the agent at a place may read, with the rates of its state; without rank and group. Valid until the next
 * call. */
struct steering_context *crowd_context(struct crowd *crowd, int32_t place);

/** Answers, in lanes, what the behaviors of all programs ask about neighbors. */
void crowd_find_neighbors(struct crowd *crowd);
/** The sums, or the threats, of a program's behavior; NULL when they are not known. */
const struct sums_columns *crowd_sums_of(const struct crowd *crowd, struct state_ref program, int index);
const struct threat_columns *crowd_threats_of(const struct crowd *crowd, struct state_ref program, int index);

/** The velocity filters of all programs, in lanes where there is a kernel; then agents want what they may. */
void crowd_filter_velocities(struct crowd *crowd);

/** What the agent at a place wants, out of the columns and back; without state and memory. */
struct intent crowd_intent(const struct crowd *crowd, int32_t place);
void crowd_set_intent(struct crowd *crowd, int32_t place, const struct intent *intent);

#endif
