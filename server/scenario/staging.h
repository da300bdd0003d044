/* A world that may come on the stage, and what is told of it. Built away from the simulation thread
 * (scenario_builder.h), so that a world of a million agents costs no tick. */
#ifndef DROVER_SERVER_SCENARIO_STAGING_H
#define DROVER_SERVER_SCENARIO_STAGING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"

/** What the command line and the environment put in place of what a scenario says or the machine offers. */
struct stage_overrides {
    bool has_seed;
    uint64_t seed;
    double tick_hz; /* 0: the scenario's */
    bool has_simd;  /* otherwise the widest there is */
    enum simd simd;
};

struct staging {
    struct world *world; /* owned; NULL: none */
    uint64_t hash;       /* of the world as it was built */
    char name[LIMIT_NAME_CHARS + 1], title[128], description[512];
};

/** Builds the scenario's world.
 *
 * seed      NULL, or instead of the scenario's and the command line's
 * given_up  NULL, or ends it early when it becomes true
 * returns   0, or -1 with *failure (bad_scenario, busy); *out is then empty */
NODISCARD int staging_build(const struct scenario *scenario, const struct stage_overrides *overrides,
                            const uint64_t *seed, const atomic_bool *given_up, struct staging *out,
                            struct failure *failure);
void staging_fini(struct staging *staging);

#endif
