/* Worlds from the text of a scenario. */
#ifndef DROVER_TESTS_UNIT_SERVER_FRAMES_WORLD_FIXTURE_H
#define DROVER_TESTS_UNIT_SERVER_FRAMES_WORLD_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "server/scenario/scenario.h"
#include "tests/unit/server/cmocka_all.h"

/** The caller: world_destroy. */
static inline struct world *make_world(const char *text) {
    struct scenario *scenario = malloc(sizeof *scenario);
    struct failure failure = {0};
    struct world *world = NULL;
    assert_non_null(scenario);
    if (scenario_read(text, strlen(text), scenario, &failure) != 0) {
        fail_msg("%s: %s", failure.field, failure.message);
    }
    assert_int_equal(world_create(&scenario->def, &world, NULL), WORLD_OK);
    scenario_fini(scenario);
    free(scenario);
    return world;
}

#endif
