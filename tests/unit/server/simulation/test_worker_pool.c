/* server/simulation/worker_pool.h */
#include <stdlib.h>
#include <string.h>

#include "server/library/scenario_library.h"
#include "server/scenario/scenario.h"
#include "server/simulation/worker_pool.h"
#include "tests/unit/server/cmocka_all.h"

enum { ROWS = 100000 };

static void mark(void *context, int32_t begin, int32_t end) {
    unsigned char *marks = context;
    for (int32_t row = begin; row < end; row++) {
        marks[row]++;
    }
}

/* Every row exactly once, whatever the number of threads and the length of the loop, many loops in a row. */
static void test_every_row_once(void **state) {
    unsigned char *marks = malloc(ROWS);
    assert_non_null(marks);
    const int32_t lengths[] = {0, 1, 511, 512, 1023, 1024, 1025, 5000, ROWS};
    for (int threads = 1; threads <= 7; threads += 2) {
        struct worker_pool *pool = worker_pool_create(threads);
        assert_non_null(pool);
        const struct parallel parallel = worker_pool_parallel(pool);
        for (int repeat = 0; repeat < 50; repeat++) {
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                memset(marks, 0, ROWS);
                parallel.run(parallel.pool, lengths[i], 512, mark, marks);
                for (int32_t row = 0; row < ROWS; row++) {
                    assert_int_equal(marks[row], row < lengths[i]);
                }
            }
        }
        worker_pool_destroy(pool);
    }
    free(marks);
}

static struct world *crowd(void) {
    struct scenario scenario;
    struct failure failure;
    if (scenario_file_load("scenarios/hunters_and_prey.json", &scenario, &failure) != 0) {
        fail_msg("%s", failure.message);
    }
    scenario.def.placements[1].count = 3000;
    struct world *world = NULL;
    assert_int_equal(world_create(&scenario.def, &world, NULL), WORLD_OK);
    scenario_fini(&scenario);
    return world;
}

/* Enough of them for a sort in several parts, and nothing but a flock. */
static struct world *flock(void) {
    struct world_def def = world_def_default();
    def.size = (vec2){2000.0f, 1500.0f};
    def.edge = EDGE_WRAP;
    struct kind_def *kind = world_def_add_kind(&def, "boid");
    struct placement_def *placement = world_def_add_placement(&def, "boid");
    assert_true(kind && placement);
    kind->states[0].behavior_count = 1;
    kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_FLOCK);
    placement->count = 30000;
    placement->shape = PLACE_RECT;
    placement->size = def.size;
    struct world *world = NULL;
    assert_int_equal(world_create(&def, &world, NULL), WORLD_OK);
    world_def_fini(&def);
    return world;
}

/* The contract: 1, 2, 3 and 7 threads, the same hash at every tick. */
static void check_threads(struct world *(*make)(void)) {
    enum { TICKS = 30 };
    uint64_t expected[TICKS];
    const int threads[] = {1, 2, 3, 7};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        struct world *world = make();
        struct worker_pool *pool = worker_pool_create(threads[t]);
        assert_non_null(pool);
        const struct parallel parallel = worker_pool_parallel(pool);
        for (int tick = 0; tick < TICKS; tick++) {
            world_step_parallel(world, &parallel);
            const uint64_t hash = world_hash(world);
            expected[tick] = t == 0 ? hash : expected[tick];
            assert_true(hash == expected[tick]);
        }
        worker_pool_destroy(pool);
        world_destroy(world);
    }
    worker_pool_destroy(NULL);
}

static void test_threads_do_not_change_the_state(void **state) {
    check_threads(crowd);
    check_threads(flock);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_once),
        cmocka_unit_test(test_threads_do_not_change_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
