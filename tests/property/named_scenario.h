/* Scenarios of the project, by name. */
#ifndef DROVER_TESTS_PROPERTY_NAMED_SCENARIO_H
#define DROVER_TESTS_PROPERTY_NAMED_SCENARIO_H

#include <stdio.h>

#include "server/library/scenario_library.h"
#include "tests/unit/server/cmocka_all.h"

/** Loads scenarios/NAME.json. The caller: scenario_fini. */
static inline void scenario_named(const char *name, struct scenario *scenario) {
    char path[256];
    struct failure failure;
    (void)snprintf(path, sizeof path, "scenarios/%s.json", name);
    if (scenario_file_load(path, scenario, &failure) != 0) {
        fail_msg("%s: %s", path, failure.message);
    }
}

/** The scenario's world as it begins. The caller: world_destroy. */
static inline struct world *world_named(const char *name) {
    struct scenario scenario;
    struct world *world = NULL;
    scenario_named(name, &scenario);
    assert_int_equal(world_create(&scenario.def, &world, NULL), WORLD_OK);
    scenario_fini(&scenario);
    return world;
}

/** How many agents a world begins with. */
static inline int32_t agents_of(const struct world_def *def) {
    int64_t agents = 0;
    for (int i = 0; i < def->placement_count; i++) {
        agents += def->placements[i].count;
    }
    return (int32_t)agents;
}

#endif
