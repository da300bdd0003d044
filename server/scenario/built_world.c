/* See built_world.h. */
#include "server/scenario/built_world.h"

#include <assert.h>
#include <string.h>

static int fail_create(const struct scenario *scenario, enum world_result result, const char *what,
                       struct failure *failure) {
    switch (result) {
    case WORLD_NO_MEMORY:
        return failure_set(failure, FAILURE_BUSY, "scenario", "out of memory for the world of \"%s\"",
                           scenario->name);
    case WORLD_GIVEN_UP:
        return failure_set(failure, FAILURE_BUSY, "scenario", "the server stops");
    default:
        return failure_set(failure, FAILURE_BAD_SCENARIO, "scenario", "%s: %s", scenario->name,
                           result == WORLD_FULL ? "too many agents" : what);
    }
}

int built_world_make(const struct scenario *scenario, const struct world_overrides *overrides,
                     const uint64_t *seed, const atomic_bool *given_up, struct built_world *out,
                     struct failure *failure) {
    assert(scenario != NULL && overrides != NULL && out != NULL);
    struct world_def def = scenario->def; /* shares the scenario's arrays; not freed here */
    def.given_up = given_up;
    if (seed != NULL) {
        def.seed = *seed;
    } else if (overrides->has_seed) {
        def.seed = overrides->seed;
    }
    if (overrides->tick_hz > 0.0) {
        def.tick_hz = overrides->tick_hz;
    }
    *out = (struct built_world){.world = NULL};
    const char *what = "the world cannot be made";
    const enum world_result result = world_create(&def, &out->world, &what);
    if (result != WORLD_OK) {
        return fail_create(scenario, result, what, failure);
    }
    world_let_give_up(out->world, NULL);
    if (overrides->has_simd) {
        world_set_simd(out->world, overrides->simd);
    }
    out->hash = world_hash(out->world);
    memcpy(out->name, scenario->name, sizeof out->name);
    memcpy(out->title, scenario->title, sizeof out->title);
    memcpy(out->description, scenario->description, sizeof out->description);
    return 0;
}

void built_world_fini(struct built_world *built) {
    world_destroy(built->world);
    built->world = NULL;
}
