/* Which session is due. Sending is tested end to end. */
#include "tests/unit/server/cmocka_all.h"

#include "server/broadcast/broadcast.h"

static void test_every(void **state) {
    assert_int_equal(broadcast_every(60.0, 30.0), 2);
    assert_int_equal(broadcast_every(60.0, 25.0), 3); /* rounded down: 20 Hz */
    assert_int_equal(broadcast_every(60.0, 60.0), 1);
    assert_int_equal(broadcast_every(60.0, 480.0), 1);
    assert_int_equal(broadcast_every(60.0, 0.01), 6000);
    assert_int_equal(broadcast_every(59.94, 59.94), 1);
    assert_int_equal(broadcast_every(60.0, 59.99), 2);
    for (uint64_t every = 1; every <= 480; every++) {
        assert_int_equal(broadcast_every(480.0, 480.0 / (double)every), every); /* the granted rate stays */
    }
}

static void test_rate(void **state) {
    struct subscription subscription = {.is_active = true, .every = 3, .has_sent = true, .last_tick = 7};
    assert_false(broadcast_is_due(&subscription, 7, 0, FRAME_REASON_RATE, false));
    assert_false(broadcast_is_due(&subscription, 8, 0, FRAME_REASON_RATE, false));
    assert_true(broadcast_is_due(&subscription, 9, 0, FRAME_REASON_RATE, false));
    assert_true(broadcast_is_due(&subscription, 10, 0, FRAME_REASON_RATE, false)); /* tick 9 was missed */
    subscription.last_tick = 9;
    assert_false(broadcast_is_due(&subscription, 11, 0, FRAME_REASON_RATE, false));
    subscription.has_sent = false;
    assert_true(broadcast_is_due(&subscription, 9, 0, FRAME_REASON_RATE, false)); /* subscribed just now */
    subscription.is_active = false;
    assert_false(broadcast_is_due(&subscription, 100, 0, FRAME_REASON_ALL, true));
}

static void test_paused(void **state) {
    const struct subscription subscription = {
        .is_active = true, .every = 6, .has_sent = true, .last_tick = 6};
    assert_false(broadcast_is_due(&subscription, 6, 0, FRAME_REASON_NEWER, false));
    assert_true(broadcast_is_due(&subscription, 7, 0, FRAME_REASON_NEWER, false));
    assert_true(broadcast_is_due(&subscription, 6, 0, FRAME_REASON_ALL, false));
}

/* During a step ticks go by as fast as they can; the clock decides which session is due. */
static void test_clock(void **state) {
    struct subscription subscription = {
        .is_active = true, .every = 2, .has_sent = true, .last_tick = 100, .last_clock_tick = 10};
    assert_false(broadcast_is_due(&subscription, 9000, 11, FRAME_REASON_CLOCK, false));
    assert_true(broadcast_is_due(&subscription, 101, 12, FRAME_REASON_CLOCK, false));
    assert_true(broadcast_is_due(&subscription, 101, 11, FRAME_REASON_ALL, false)); /* its end */
    subscription.has_sent = false;
    assert_true(broadcast_is_due(&subscription, 101, 10, FRAME_REASON_CLOCK, false));
}

static void test_forces(void **state) {
    const struct subscription subscription = {.is_active = true, .every = 1, .forces = true};
    assert_false(broadcast_is_due(&subscription, 1, 0, FRAME_REASON_ALL, false)); /* the next one has them */
    assert_true(broadcast_is_due(&subscription, 1, 0, FRAME_REASON_RATE, true));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every), cmocka_unit_test(test_rate),   cmocka_unit_test(test_paused),
        cmocka_unit_test(test_clock), cmocka_unit_test(test_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
