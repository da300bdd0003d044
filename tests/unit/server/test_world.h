/* Worlds from the text of a scenario, for states of a simulation. */
#ifndef DROVER_TESTS_UNIT_SERVER_TEST_WORLD_H
#define DROVER_TESTS_UNIT_SERVER_TEST_WORLD_H

#include <stdio.h>
#include <string.h>

#include "server/commands/simulation_state.h"
#include "server/scenario/scenario.h"
#include "tests/unit/server/cmocka_all.h"

/** A scenario with so many prey that wander and flock; count: a literal. */
#define POND(count)                                                                                          \
    "{\"name\":\"Pond\",\"seed\":3,\"world\":{\"size\":[800,600],\"edge\":\"wrap\"},"                        \
    "\"targets\":{\"mouse\":[10,20]},"                                                                       \
    "\"kinds\":{\"prey\":{\"behaviors\":[{\"wander\":{}},{\"flock\":{}}]}},"                                 \
    "\"agents\":[{\"kind\":\"prey\",\"in\":{\"rect\":[0,0,800,600]},\"count\":" count "}]}"

/** The caller: scenario_fini. */
static inline struct scenario scenario_of(const char *text, const char *name) {
    struct scenario scenario;
    struct failure failure = {0};
    if (scenario_read(text, strlen(text), &scenario, &failure) != 0) {
        fail_msg("%s: %s", failure.field, failure.message);
    }
    (void)snprintf(scenario.name, sizeof scenario.name, "%s", name);
    return scenario;
}

/** The state goes on with the world of this scenario. */
static inline void put_world(struct simulation_state *state, const char *text, const char *name) {
    struct scenario scenario = scenario_of(text, name);
    const struct world_overrides overrides = {0};
    struct built_world built;
    struct failure failure = {0};
    assert_int_equal(built_world_make(&scenario, &overrides, NULL, NULL, &built, &failure), 0);
    scenario_fini(&scenario);
    simulation_state_change(state, &built);
    built_world_fini(&built);
}

#endif
