/* The inside of a world, shared by the world_*.c files and nobody else.
 *
 * Columns: one entry an agent, rows in ascending order of id, all of them `capacity` long. motion is double
 * buffered: motion[now] is tick t, motion[1 - now] receives t+1.
 */
#ifndef DROVER_SIM_WORLD_INTERNAL_H
#define DROVER_SIM_WORLD_INTERNAL_H

#include "server/sim/behavior.h"
#include "server/sim/edge.h"
#include "server/sim/world.h"

struct behavior_runtime {
    int target;                       /* index */
    char label[LIMIT_NAME_CHARS + 8]; /* "seek", "seek2" */
};

struct state_runtime {
    float weight_sum;
    struct behavior_runtime behaviors[LIMIT_BEHAVIORS];
};

struct kind {
    struct kind_def def; /* as it is now: set_param writes here */
    struct body body;    /* the low ends of the ranges: what agents without an own body have */
    bool draws_body;     /* some range is not a single value: new agents get an own body */
    vec2 turn;           /* {cos, sin} of the largest turn of one tick */
    struct aim aim;
    struct state_runtime states[LIMIT_STATES];
};

enum agent_flag { AGENT_OWN_BODY = 1, AGENT_REMOVED = 2 };

struct world {
    struct bounds bounds;
    double tick_hz;
    float dt; /* s */
    uint64_t seed, tick;

    int kind_count;
    struct kind *kinds; /* owned */

    int target_count;
    struct target_def targets[LIMIT_TARGETS]; /* `at` is the position of tick t */

    int32_t agent_count, capacity;
    uint32_t next_id;
    int now; /* which motion buffer is tick t */
    struct motion *motion[2];
    vec2 *heading; /* unit vectors */
    uint32_t *id;
    uint8_t *kind, *state, *flags;
    struct aim *aim;
    struct body *own_body; /* meaningful where AGENT_OWN_BODY is set */
};

/** The agent's body: its own, or its kind's. */
static inline const struct body *world_body(const struct world *world, int32_t row) {
    return (world->flags[row] & AGENT_OWN_BODY) ? &world->own_body[row]
                                                : &world->kinds[world->kind[row]].body;
}

/** The two sums a tick needs, and, for explaining, each behaviour's part. */
struct steering {
    vec2 desired; /* px/s, truncated to max_speed */
    vec2 force;   /* mass*px/s^2, not yet truncated */
};

/** What agent `row` does about the state of tick t. detail: NULL, or receives every behaviour's force. */
struct steering world_steer(const struct world *world, int32_t row, struct steering_view *detail);

/** Recomputes what follows from a kind's parameters (body, turn, weight sums). */
void world_refresh_kind(struct world *world, int index);

/** Room for `count` agents in every column; 0 or -1 (nothing changes). */
NODISCARD int world_reserve(struct world *world, int32_t count);

#endif
