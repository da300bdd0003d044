/* A world as a scenario describes it, ready to be simulated, with the titles that clients get. Built away
 * from the simulation thread (scenario_builder.h), so that a world of a million agents costs no tick. */
#ifndef DROVER_SERVER_SCENARIO_BUILT_WORLD_H
#define DROVER_SERVER_SCENARIO_BUILT_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"

/** Values of the command line and the environment that replace those of a scenario or of the machine. */
struct world_overrides {
    bool has_seed;
    uint64_t seed;
    double tick_hz; /* 0: the scenario's */
    bool has_simd;  /* otherwise the widest there is */
    enum simd simd;
};

struct built_world {
    struct world *world; /* owned; NULL: none */
    uint64_t hash;       /* of the world as it was built */
    char name[LIMIT_NAME_CHARS + 1], title[128], description[512];
};

/** Builds the scenario's world.
 *
 * seed      NULL, or instead of the scenario's and the command line's
 * given_up  NULL, or ends it early when it becomes true
 * returns   0, or -1 with *failure (bad_scenario, busy); *out is then empty */
NODISCARD int built_world_make(const struct scenario *scenario, const struct world_overrides *overrides,
                               const uint64_t *seed, const atomic_bool *given_up, struct built_world *out,
                               struct failure *failure);
void built_world_fini(struct built_world *built);

#endif
