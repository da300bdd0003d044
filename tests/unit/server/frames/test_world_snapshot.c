/* Copying a world out: rounding, headings, names, forces. */
#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/frames/snapshot_gather.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/math/trig.h"
#include "server/sim/steering/trace.h"
#include "tests/unit/server/frames/world_fixture.h"

static void test_rounding(void **state) {
    assert_int_equal(world_snapshot_hundredths(0.0f), 0);
    assert_int_equal(world_snapshot_hundredths(12.34f), 1234);
    assert_int_equal(world_snapshot_hundredths(-0.006f), -1);
    assert_int_equal(world_snapshot_hundredths(-0.004f), 0);
    assert_int_equal(world_snapshot_hundredths(1e6f), 100000000);
    assert_int_equal(world_snapshot_hundredths(1e12f), INT32_MAX);
    assert_int_equal(world_snapshot_hundredths(-1e12f), -INT32_MAX);
}

static void test_heading(void **state) {
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

static const char *const two_kinds =
    "{\"name\":\"t\",\"tick_hz\":50,\"world\":{\"size\":[800,600]},\"targets\":{\"a\":[100,0],\"b\":[0,-7.5]}"
    ","
    "\"kinds\":{\"slow\":{\"max_force\":10,\"behaviors\":[{\"seek\":{\"target\":\"a\"}},{\"seek\":{"
    "\"target\":\"b\"}}]},"
    "\"still\":{}},\"agents\":[{\"kind\":\"still\",\"at\":[1.25,2.5],\"heading\":45,\"count\":2},"
    "{\"kind\":\"slow\",\"at\":[0,0],\"heading\":0}]}";

static void test_copy(void **state) {
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

static const char *const birds =
    "{\"name\":\"t\",\"world\":{\"size\":[300,300]},\"targets\":{\"a\":[100,0]},\"kinds\":{"
    "\"ant\":{\"behaviors\":[{\"seek\":{\"target\":\"a\"}}]},"
    "\"bird\":{\"behaviors\":[{\"seek\":{\"target\":\"a\"}},{\"flock\":{\"weight\":2}}]}},"
    "\"agents\":[{\"kind\":\"bird\",\"count\":40,\"in\":{\"rect\":[0,0,300,300]}},{\"kind\":\"ant\",\"at\":["
    "9,9],\"count\":3}]}";

/* The parts of a term are what they are to a hundredth or so, and add up to what it wants. */
static void assert_rounded(const struct trace_term *term, const struct snapshot_part *parts) {
    int64_t x = 0, y = 0;
    for (int p = 0; p < term->part_count; p++) {
        assert_true(llabs((int64_t)parts[p].force.x - world_snapshot_hundredths(term->parts[p].x)) <= 2);
        assert_true(llabs((int64_t)parts[p].force.y - world_snapshot_hundredths(term->parts[p].y)) <= 2);
        x += parts[p].force.x;
        y += parts[p].force.y;
    }
    if (term->part_count > 0) {
        assert_int_equal(x, world_snapshot_hundredths(term->wants.x));
        assert_int_equal(y, world_snapshot_hundredths(term->wants.y));
    }
}

/* The parts of an agent's flock are those that inspect tells, and no more. */
static void assert_parts(const struct world *world, int32_t row, const struct snapshot *snapshot) {
    struct steering_view view;
    struct trace trace;
    world_trace(world, row, &view, &trace);
    int32_t at = snapshot->part_begin[row];
    for (int t = 0; t < trace.term_count; t++) {
        for (int p = 0; p < trace.terms[t].part_count; p++, at++) {
            const struct snapshot_part *part = &snapshot->parts[at];
            assert_string_equal(snapshot->behavior_names.names[part->behavior], "flock");
            assert_string_equal(snapshot->part_names.names[part->part], trace_part_names[p]);
        }
        assert_rounded(&trace.terms[t], &snapshot->parts[at - trace.terms[t].part_count]);
    }
    assert_int_equal(at, snapshot->part_begin[row + 1]);
}

static void test_parts(void **state) {
    struct world *world = make_world(birds);
    struct snapshot *snapshot = snapshot_create(), *plain = snapshot_create();
    assert_non_null(snapshot);
    assert_non_null(plain);
    world_step(world);
    const uint64_t hash = world_hash(world);
    assert_int_equal(world_snapshot_copy(world, true, plain), 0);
    assert_int_equal(world_snapshot_copy_wanted(world, SNAPSHOT_FORCES | SNAPSHOT_PARTS, NULL, snapshot), 0);
    assert_true(world_hash(world) == hash);
    assert_true(snapshot_has_parts(snapshot) && !snapshot_has_parts(plain));
    for (int32_t row = 0; row < snapshot->count; row++) {
        assert_parts(world, row, snapshot);
    }
    assert_true(snapshot->part_count > 60);
    assert_int_equal(snapshot->share_count, plain->share_count); /* what forces say is the same */
    assert_memory_equal(snapshot->shares, plain->shares, (size_t)plain->share_count * sizeof *plain->shares);
    assert_memory_equal(snapshot->steering, plain->steering, (size_t)plain->count * sizeof *plain->steering);
    assert_int_equal(world_snapshot_copy_wanted(world, SNAPSHOT_PARTS, NULL, snapshot), 0);
    assert_false(snapshot_has_parts(snapshot)); /* parts belong to forces */
    snapshot_destroy(snapshot);
    snapshot_destroy(plain);
    world_destroy(world);
}

/* Agents that no view with forces shows have none; the others have what they have beside all. */
static void test_no_more_than_is_shown(void **state) {
    struct world *world = make_world(birds);
    struct snapshot *all = snapshot_create(), *some = snapshot_create();
    struct snapshot_demand *demand = calloc(1, sizeof *demand);
    assert_non_null(demand);
    snapshot_demand_add(demand, &(struct snapshot_view){.fields = SNAPSHOT_USUAL});
    snapshot_demand_add(
        demand,
        &(struct snapshot_view){.fields = SNAPSHOT_FORCES, .has_region = true, .region = {0, 0, 150, 300}});
    assert_int_equal(world_snapshot_copy(world, true, all), 0);
    assert_int_equal(world_snapshot_copy_wanted(world, SNAPSHOT_HEADING | SNAPSHOT_FORCES, demand, some), 0);
    int shown = 0;
    for (int32_t i = 0; i < all->count; i++) {
        const bool is_shown = all->x[i] < 15000;
        const int count = some->share_begin[i + 1] - some->share_begin[i];
        const struct snapshot_vector none = {0};
        assert_int_equal(count, is_shown ? all->share_begin[i + 1] - all->share_begin[i] : 0);
        assert_memory_equal(&some->steering[i], is_shown ? &all->steering[i] : &none, sizeof none);
        assert_memory_equal(&some->shares[some->share_begin[i]], &all->shares[all->share_begin[i]],
                            (size_t)count * sizeof *all->shares);
        shown += is_shown ? 1 : 0;
    }
    assert_true(shown > 5 && shown < all->count - 5);
    free(demand);
    snapshot_destroy(all);
    snapshot_destroy(some);
    world_destroy(world);
}

static void expect_rounded(const float parts[TRACE_PARTS], float wants, const int32_t rounded[TRACE_PARTS]) {
    struct trace_term term = {.part_count = TRACE_PARTS, .wants = vec2_make(wants, 0.0f)};
    struct snapshot_vector out[TRACE_PARTS];
    for (int i = 0; i < TRACE_PARTS; i++) {
        term.parts[i] = vec2_make(parts[i], 0.0f);
    }
    world_snapshot_parts(&term, out);
    for (int i = 0; i < TRACE_PARTS; i++) {
        assert_int_equal(out[i].x, rounded[i]);
        assert_int_equal(out[i].y, 0);
    }
}

static void test_rounded_parts_add_up(void **state) {
    expect_rounded((const float[]){1.004f, 1.004f, 1.004f}, 3.012f, (const int32_t[]){100, 101, 100});
    expect_rounded((const float[]){-1.006f, 2.003f, 0.0f}, 0.997f, (const int32_t[]){-101, 201, 0});
    expect_rounded((const float[]){0.0f, 0.0f, 0.0f}, 0.0f, (const int32_t[]){0, 0, 0});
    expect_rounded((const float[]){1e9f, -1e9f, 5.0f}, 5.0f, (const int32_t[]){INT32_MAX, -INT32_MAX, 500});
}

static void test_empty(void **state) {
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
        cmocka_unit_test(test_rounding), cmocka_unit_test(test_heading),
        cmocka_unit_test(test_copy),     cmocka_unit_test(test_forces),
        cmocka_unit_test(test_parts),    cmocka_unit_test(test_rounded_parts_add_up),
        cmocka_unit_test(test_empty),    cmocka_unit_test(test_no_more_than_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
