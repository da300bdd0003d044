/* Copying a world out: rounding, headings, names, forces. */
#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/frames/world_snapshot.h"
#include "server/scenario/scenario.h"
#include "server/sim/math/trig.h"

static void test_rounding(void **state) {
    (void)state;
    assert_int_equal(world_snapshot_hundredths(0.0f), 0);
    assert_int_equal(world_snapshot_hundredths(12.34f), 1234);
    assert_int_equal(world_snapshot_hundredths(-0.006f), -1);
    assert_int_equal(world_snapshot_hundredths(-0.004f), 0);
    assert_int_equal(world_snapshot_hundredths(1e6f), 100000000);
    assert_int_equal(world_snapshot_hundredths(1e12f), INT32_MAX);
    assert_int_equal(world_snapshot_hundredths(-1e12f), -INT32_MAX);
}

static void test_heading(void **state) {
    (void)state;
    assert_int_equal(world_snapshot_heading(vec2_make(1.0f, 0.0f)), 0);
    assert_int_equal(world_snapshot_heading(vec2_make(0.0f, 1.0f)), 9000);
    assert_int_equal(world_snapshot_heading(vec2_make(-1.0f, 0.0f)), 18000);
    assert_int_equal(world_snapshot_heading(vec2_make(0.0f, -1.0f)), 27000);
    assert_int_equal(world_snapshot_heading(vec2_make(1.0f, -1e-7f)), 0); /* not 36000 */
    for (int hundredths = 0; hundredths < 36000; hundredths += 37) {
        const vec2 unit = trig_unit((float)(hundredths * TRIG_PI / 18000.0));
        assert_true(abs(world_snapshot_heading(unit) - hundredths) <= 1);
    }
}

static struct world *make_world(const char *text) {
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

static const char *const two_kinds =
    "{\"name\":\"t\",\"tick_hz\":50,\"world\":{\"size\":[800,600]},\"targets\":{\"a\":[100,0],\"b\":[0,-7.5]}"
    ","
    "\"kinds\":{\"slow\":{\"max_force\":10,\"behaviors\":[{\"seek\":{\"target\":\"a\"}},{\"seek\":{"
    "\"target\":\"b\"}}]},"
    "\"still\":{}},\"agents\":[{\"kind\":\"still\",\"at\":[1.25,2.5],\"heading\":45,\"count\":2},"
    "{\"kind\":\"slow\",\"at\":[0,0],\"heading\":0}]}";

static void test_copy(void **state) {
    (void)state;
    struct world *world = make_world(two_kinds);
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    for (int i = 0; i < 5; i++) {
        world_step(world);
    }
    assert_int_equal(world_snapshot_copy(world, false, snapshot), 0);
    assert_int_equal(snapshot->tick, 5);
    assert_true(fabs(snapshot->time_s - 0.1) < 1e-12);
    assert_int_equal(snapshot->count, 3);
    assert_false(snapshot->has_forces);
    assert_int_equal(snapshot->id[0], 1);
    assert_int_equal(snapshot->id[2], 3);
    assert_int_equal(snapshot->x[0], 125);
    assert_int_equal(snapshot->y[1], 250);
    assert_int_equal(snapshot->heading[0], 4500);
    assert_string_equal(snapshot->kind_names.names[snapshot->kind[0]], "still");
    assert_string_equal(snapshot->state_names.names[snapshot->state[0]], "idle");
    assert_string_equal(snapshot->kind_names.names[snapshot->kind[2]], "slow");
    assert_string_equal(snapshot->state_names.names[snapshot->state[2]], "seek");
    assert_true(snapshot->vx[2] > 0);
    assert_int_equal(snapshot->target_count, 2);
    assert_string_equal(snapshot->target_names.names[snapshot->target_name[1]], "b");
    assert_int_equal(snapshot->target_y[1], -750);
    snapshot_destroy(snapshot);
    world_destroy(world);
}

static void test_forces(void **state) {
    (void)state;
    struct world *world = make_world(two_kinds);
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    assert_int_equal(world_snapshot_copy(world, true, snapshot), 0);
    assert_true(snapshot->has_forces);
    assert_int_equal(snapshot->share_begin[0], snapshot->share_begin[1]); /* the still ones have none */
    assert_int_equal(snapshot->share_begin[3] - snapshot->share_begin[2], 2);
    const struct snapshot_share *shares = &snapshot->shares[snapshot->share_begin[2]];
    assert_string_equal(snapshot->behavior_names.names[shares[0].behavior], "seek");
    assert_string_equal(snapshot->behavior_names.names[shares[1].behavior], "seek2");
    assert_true(shares[0].force.x > 0 && shares[1].force.y < 0);
    const double steering = hypot(snapshot->steering[2].x, snapshot->steering[2].y);
    assert_true(fabs(steering - 1000.0) < 2.0); /* max_force 10, in hundredths */
    /* Again without, then with: the same snapshot is reused, growing and shrinking. */
    assert_int_equal(world_snapshot_copy(world, false, snapshot), 0);
    assert_false(snapshot->has_forces);
    assert_int_equal(world_snapshot_copy(world, true, snapshot), 0);
    assert_int_equal(snapshot->share_count, 2);
    snapshot_destroy(snapshot);
    world_destroy(world);
}

static void test_empty(void **state) {
    (void)state;
    struct world *world = make_world("{\"name\":\"t\",\"world\":{\"size\":[1,1]}}");
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    assert_int_equal(world_snapshot_copy(world, true, snapshot), 0);
    assert_int_equal(snapshot->count, 0);
    assert_int_equal(snapshot->target_count, 0);
    snapshot_destroy(snapshot);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounding), cmocka_unit_test(test_heading), cmocka_unit_test(test_copy),
        cmocka_unit_test(test_forces),   cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
