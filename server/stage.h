/* The world that is being simulated and what surrounds it: which scenario it is, whether it is paused, how
 * many there were before. The simulation thread's own; commands are applied to it (command_apply.h).
 *
 * `epoch` counts the worlds put on the stage, from 1: a snapshot of an earlier epoch is a snapshot of another
 * world.
 */
#ifndef DROVER_SERVER_STAGE_H
#define DROVER_SERVER_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/failure.h"
#include "common/message.h"
#include "common/nodiscard.h"
#include "server/event_log.h"
#include "server/scenario.h"
#include "server/scenario_library.h"
#include "server/sim/world.h"
#include "server/worker_pool.h"

/** What the names of targets that are cursors begin with; a number follows, from 1. */
#define STAGE_CURSOR "cursor-"

/** Whose cursors stand in the world: cursor-N belongs to session owners[N - 1], 0 for none. A session gets
 * the smallest number that is free when it points for the first time, so names follow from what was asked of
 * the world alone, whatever number a session has. */
struct stage_cursors {
    uint32_t owners[LIMIT_TARGETS];
    uint32_t refused[LIMIT_TARGETS]; /* sessions that were told of the lack of room: the last so many */
    uint32_t refused_count;
};

/** Where scenarios come from: a scenario_library, or a test's own. */
struct scenario_source {
    void *context;
    int (*load)(void *context, const char *name, struct scenario *out, struct failure *failure);
    const struct scenario_list *(*list)(void *context, struct failure *failure);
};

/** What the command line and the environment put in place of what a scenario says or the machine offers. */
struct stage_overrides {
    bool has_seed;
    uint64_t seed;
    double tick_hz; /* 0: the scenario's */
    bool has_simd;  /* otherwise the widest there is */
    enum simd simd;
};

struct stage {
    struct world *world; /* owned; NULL until the first stage_put */
    char name[LIMIT_NAME_CHARS + 1], title[128], description[512];
    uint32_t epoch;
    bool is_paused;
    uint32_t session; /* whose request is being applied */
    struct stage_cursors cursors;
    struct event_log log; /* what ticks brought about, not yet told */
    struct stage_overrides overrides;
    struct scenario_source source;
    struct worker_pool *pool; /* NULL, or helps in a tick; not owned */
};

struct scenario_source scenario_library_source(struct scenario_library *library);

void stage_init(struct stage *stage, const struct stage_overrides *overrides, struct scenario_source source);
void stage_fini(struct stage *stage);
/** One tick of the world, with the pool's help if there is one. */
void stage_step(struct stage *stage);
/** Builds the scenario's world and, when that succeeds, puts it in place of the old one. seed: NULL, or
 * instead of the scenario's and the command line's. 0, or -1 with *failure; nothing has changed then. */
NODISCARD int stage_put(struct stage *stage, const struct scenario *scenario, const uint64_t *seed,
                        struct failure *failure);
/** What a viewer must know of it, as of now. */
void stage_describe(const struct stage *stage, struct message_scenario *out);

#endif
