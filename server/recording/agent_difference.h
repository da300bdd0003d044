/* Which agents differ between two worlds: paired by id, compared column by column as checkpoints name them
 * (world_image.h), to the bit. */
#ifndef DROVER_SERVER_RECORDING_AGENT_DIFFERENCE_H
#define DROVER_SERVER_RECORDING_AGENT_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_image.h"

/** Agents that differ, or that only one of the worlds has: how many, and the smallest ids, ascending. */
struct agent_difference {
    int32_t count;
    int id_count;
    uint32_t ids[LIMIT_DIVERGED_AGENTS];
};

/** Compares the agents of two worlds between ticks. False: without memory; then *out is empty. */
NODISCARD bool agent_difference_find(const struct world *a, const struct world *b,
                                     struct agent_difference *out);

/** Rows of two worlds that are the same agent. */
struct agent_pairs {
    const struct world *world[2]; /* not owned */
    uint32_t *ids[2];             /* by row */
    int32_t count[2];             /* rows */
    int32_t pair_count;           /* agents that are in both */
    int32_t (*pairs)[2];          /* their rows */
    bool *differs;                /* by pair */
    int32_t single_count;         /* agents that only one world has, ascending with their id */
    struct agent_single {
        uint32_t id;
        int side; /* of the world that has it */
    } * singles;
};

/** Pairs and compares. False: without memory. agent_pairs_fini is due in any case. */
NODISCARD bool agent_pairs_compare(struct agent_pairs *pairs, const struct world *a, const struct world *b);
void agent_pairs_fini(struct agent_pairs *pairs);

/** Whether the column has an entry for every agent; what the others hold is in struct agent_sparse. */
bool agent_column_is_dense(const struct image_column *column);

/** What is not dense, of an agent. The body is 0 where it is that of the kind. */
struct agent_sparse {
    vec2 heading;
    float body[4]; /* mass, radius, max_speed, max_force */
};
struct agent_sparse agent_sparse_of(const struct world *world, int32_t row);

#endif
