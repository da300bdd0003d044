/* Forces of the past belong to their moment and agent, and stay bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "viewer/model/history.h"

static struct message_agent *agent_create(uint32_t id, float steering) {
    struct message_agent *agent = calloc(1, sizeof *agent);
    assert_non_null(agent);
    agent->id = id;
    agent->steering = vec2_make(steering, 0.0f);
    agent->share_count = agent->neighbor_count = agent->point_count = agent->term_count = 2;
    agent->shares[1].force = vec2_make(steering, 1.0f);
    agent->neighbors[1] = id + 7;
    agent->points[1].radius = 3.0f;
    agent->terms[1].weight = 2.0f;
    memcpy(agent->kind, "hunter", 7);
    return agent;
}

static void add(struct inspections *inspections, uint64_t tick, uint32_t id, float steering) {
    struct message_agent *agent = agent_create(id, steering);
    inspections_add(inspections, tick, agent);
    free(agent);
}

static void the_nearest_moment_of_the_agent_is_found(void **state) {
    struct inspections *kept = calloc(1, sizeof *kept);
    struct message_agent *wanted = agent_create(3, 20.0f), *found = calloc(1, sizeof *found);
    assert_non_null(kept);
    assert_non_null(found);
    add(kept, 10, 3, 10.0f);
    add(kept, 20, 3, 20.0f);
    add(kept, 21, 4, 21.0f);
    assert_true(inspections_find(kept, 3, 21.4, 5.0, found));
    assert_memory_equal(found, wanted, sizeof *found);
    assert_true(inspections_find(kept, 3, 14.0, 5.0, found));
    assert_true(found->steering.x == 10.0f);
    assert_false(inspections_find(kept, 3, 30.0, 5.0, found));
    assert_false(inspections_find(kept, 5, 20.0, 5.0, found));
    add(kept, 20, 3, 99.0f); /* a request changed the paused world */
    assert_int_equal(kept->count, 3);
    assert_true(inspections_find(kept, 3, 20.0, 0.5, found) && found->steering.x == 99.0f);
    inspections_clear(kept);
    assert_false(inspections_find(kept, 3, 20.0, 5.0, found));
    free(wanted);
    free(found);
    free(kept);
}

static void they_stay_bounded(void **state) {
    struct inspections *kept = calloc(1, sizeof *kept);
    struct message_agent *agent = agent_create(3, 1.0f), *found = calloc(1, sizeof *found);
    assert_non_null(kept);
    assert_non_null(found);
    for (uint64_t tick = 0; tick < 2 * INSPECTIONS_MOST; tick++) {
        inspections_add(kept, tick, agent);
        assert_true(kept->count <= INSPECTIONS_MOST && kept->bytes <= (size_t)INSPECTIONS_BYTES);
    }
    assert_true(inspections_find(kept, 3, 2.0 * INSPECTIONS_MOST - 1.0, 0.5, found));
    assert_false(inspections_find(kept, 3, 1.0, 0.5, found));
    inspections_clear(kept);
    free(agent);
    free(found);
    free(kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_moment_of_the_agent_is_found),
        cmocka_unit_test(they_stay_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
