/* A world beside the one that runs, at a moment of its past (past.h): it is computed from the checkpoint before the moment,
 * or goes on from where it is. One thread at a time.
 */
#ifndef DROVER_SERVER_LIBRARY_SIDE_WORLD_H
#define DROVER_SERVER_LIBRARY_SIDE_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/library/past.h"
#include "server/recording/checkpoint.h"
#include "server/scenario/scenario.h"

struct simulation_state;

struct side_world {
    struct simulation_state *state; /* owned; its world is NULL before the first moment */
    struct past_place place;        /* where it is; serial 0: nowhere */
};

/** What ends a computation early: NULL, or flags that become true. */
struct side_limits {
    const atomic_bool *given_up;    /* at once, */
    const atomic_bool *is_replaced; /* or when it has taken SIDE_PATIENCE_MS (withdrawn) */
};

enum { SIDE_PATIENCE_MS = 500 };

/** False without memory. */
NODISCARD bool side_world_init(struct side_world *side);
void side_world_fini(struct side_world *side);
/** Goes the route, which was found from where the world is; adds the ticks to *simulated. overrides: as saved_world_read. 0, or
 * -1 with *failure: busy (given up, it takes longer than a minute), withdrawn (is_replaced); the world may be on its way then,
 * or nowhere. */
NODISCARD int side_world_go(struct side_world *side, struct past_route *route,
                            const struct world_overrides *overrides, const struct side_limits *limits,
                            uint64_t *simulated, struct failure *failure);

/** Computes the world of a moment, or of the present without a request.
 *
 * overrides  as saved_world_read
 * given_up   ends it early when it becomes true
 * returns    0: *out and *rest as saved_world_read, *way is the caller's; or -1 with *failure: out_of_range (the message has
 *            the range), bad_param (no such mark or branch), busy (memory, given up, it takes too long). All are empty then */
NODISCARD int past_go(struct past *past, const struct request_rewind *to,
                      const struct world_overrides *overrides, const atomic_bool *given_up,
                      struct built_world *out, struct checkpoint_rest *rest, struct past_way *way,
                      struct failure *failure);

#endif
