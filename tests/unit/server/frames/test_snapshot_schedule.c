/* What subscriptions add up to. */
#include "tests/unit/server/cmocka_all.h"

#include "common/snapshot/snapshot.h"
#include "server/frames/frame_form.h"

static void test_nothing(void **state) {
    const struct snapshot_schedule schedule = {0};
    assert_false(snapshot_schedule_wants(&schedule, 0));
    assert_false(snapshot_schedule_wants(&schedule, 60));
}

static void test_union(void **state) {
    struct snapshot_schedule schedule = {0};
    snapshot_schedule_add(&schedule, 3, false);
    snapshot_schedule_add(&schedule, 4, true);
    snapshot_schedule_add(&schedule, 6, false); /* in 3 */
    assert_int_equal(schedule.count, 2);
    assert_true(schedule.forces);
    assert_int_equal(snapshot_schedule_fields(&schedule), SNAPSHOT_FORCES);
    schedule.headings = schedule.parts = true;
    assert_int_equal(snapshot_schedule_fields(&schedule),
                     SNAPSHOT_FORCES | SNAPSHOT_PARTS | SNAPSHOT_HEADING);
    for (uint64_t tick = 0; tick < 100; tick++) {
        assert_int_equal(snapshot_schedule_wants(&schedule, tick), tick % 3 == 0 || tick % 4 == 0);
    }
}

static void test_too_many_rates(void **state) {
    struct snapshot_schedule schedule = {0};
    for (uint64_t every = 1000; every < 1000 + SNAPSHOT_SCHEDULE_RATES + 1; every++) {
        snapshot_schedule_add(&schedule, every, false);
    }
    assert_int_equal(schedule.count, 1);
    assert_true(snapshot_schedule_wants(&schedule, 7)); /* every tick rather than a missing one */
    snapshot_schedule_add(&schedule, 5, false);
    assert_int_equal(schedule.count, 1);
}

/* As one tick at a time would have it. */
static void test_since(void **state) {
    struct snapshot_schedule schedule = {0};
    assert_false(snapshot_schedule_wants_since(&schedule, 0, 1000));
    snapshot_schedule_add(&schedule, 4, false);
    snapshot_schedule_add(&schedule, 6, false);
    for (uint64_t from = 0; from < 30; from++) {
        bool wants = false;
        assert_false(snapshot_schedule_wants_since(&schedule, from, from));
        for (uint64_t to = from + 1; to < from + 15; to++) {
            wants = wants || snapshot_schedule_wants(&schedule, to);
            assert_int_equal(snapshot_schedule_wants_since(&schedule, from, to), wants);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_union),
        cmocka_unit_test(test_too_many_rates),
        cmocka_unit_test(test_since),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
