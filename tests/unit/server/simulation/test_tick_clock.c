/* The tick clock: exact deadlines, catching up, dropping, pausing. */
#include "tests/unit/server/cmocka_all.h"

#include "server/simulation/tick_clock.h"

static const uint64_t second = 1000000000;

static void test_no_drift(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 60.0, 0);
    assert_int_equal(tick_clock_span_ns(&clock, 1), 16666666);
    assert_int_equal(tick_clock_span_ns(&clock, 2), 33333333);
    assert_int_equal(tick_clock_span_ns(&clock, 3), 50000000);
    assert_int_equal(tick_clock_span_ns(&clock, 60), second);
    /* Ten years of ticks are ten years, to the nanosecond. */
    const uint64_t years = UINT64_C(315360000);
    assert_int_equal(tick_clock_span_ns(&clock, years * 60), years * second);
    assert_int_equal(tick_clock_span_ns(&clock, years * 60 + 1), years * second + 16666666);
    tick_clock_init(&clock, 59.94, 0);
    assert_int_equal(tick_clock_span_ns(&clock, 5994), 100 * second);
    tick_clock_init(&clock, 480.0, 0);
    assert_int_equal(tick_clock_span_ns(&clock, years * 480), years * second);
}

static void test_one_tick_a_period(void **state) {
    struct tick_clock clock;
    const uint64_t start = 7 * second + 123;
    tick_clock_init(&clock, 60.0, start);
    assert_int_equal(tick_clock_take(&clock, start), 0);
    assert_int_equal(tick_clock_deadline_ns(&clock), start + 16666666);
    assert_int_equal(tick_clock_take(&clock, start + 16666665), 0);
    uint64_t ticks = 0;
    for (uint64_t ms = 0; ms <= 10000; ms++) {
        ticks += (uint64_t)tick_clock_take(&clock, start + ms * 1000000);
    }
    assert_int_equal(ticks, 600);
    assert_int_equal(clock.dropped_ticks, 0);
}

/* Asked exactly at each deadline, there is exactly one tick, for awkward rates too. */
static void test_deadlines_are_reached(void **state) {
    static const double rates[] = {1.0, 7.0, 29.97, 60.0, 143.856, 480.0};
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        struct tick_clock clock;
        tick_clock_init(&clock, rates[r], 99);
        for (int i = 0; i < 5000; i++) {
            const uint64_t deadline = tick_clock_deadline_ns(&clock);
            assert_int_equal(tick_clock_take(&clock, deadline - 1), 0);
            assert_int_equal(tick_clock_take(&clock, deadline), 1);
        }
    }
}

static void test_debt_is_dropped(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 100.0, 0);
    assert_int_equal(tick_clock_take(&clock, 50000000), 5); /* five late: all made up */
    assert_int_equal(clock.dropped_ticks, 0);
    assert_int_equal(tick_clock_take(&clock, 50000000 + 60000000 + 1), 5); /* six late */
    assert_int_equal(clock.dropped_ticks, 1);
    assert_int_equal(tick_clock_take(&clock, 3600 * second), 5);
    assert_int_equal(clock.dropped_ticks, 1 + 360000 - 11 - 5);
    assert_int_equal(tick_clock_take(&clock, 3600 * second), 0);
    assert_int_equal(tick_clock_deadline_ns(&clock), 3600 * second + 10000000); /* the grid stays */
}

static void test_pause(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 10.0, 0);
    assert_int_equal(tick_clock_take(&clock, second / 10), 1);
    tick_clock_pause(&clock);
    assert_int_equal(tick_clock_take(&clock, 50 * second), 0);
    assert_true(tick_clock_deadline_ns(&clock) == UINT64_MAX);
    tick_clock_set_rate(&clock, 20.0, 60 * second); /* a load while paused */
    assert_true(clock.is_paused);
    tick_clock_resume(&clock, 100 * second);
    assert_int_equal(tick_clock_take(&clock, 100 * second), 0);
    assert_int_equal(tick_clock_deadline_ns(&clock), 100 * second + second / 20);
    assert_int_equal(tick_clock_take(&clock, 100 * second + second / 20), 1);
    assert_int_equal(clock.dropped_ticks, 0);
}

/* A change of rate keeps the part of a period that has passed. */
static void test_a_change_of_rate_does_not_jump(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 10.0, second);
    assert_int_equal(tick_clock_take(&clock, second + second / 10), 1);
    const uint64_t half = second + second * 15 / 100; /* half of the second tick's period */
    tick_clock_change_rate(&clock, 1.0, half);
    assert_int_equal(tick_clock_deadline_ns(&clock), half + second / 2);
    tick_clock_change_rate(&clock, 100.0, half);
    assert_int_equal(tick_clock_deadline_ns(&clock), half + second / 200);
    assert_int_equal(tick_clock_take(&clock, half + second / 200), 1);
    assert_int_equal(tick_clock_deadline_ns(&clock), half + second / 200 + second / 100);
    assert_int_equal(clock.dropped_ticks, 0);
}

/* Ticks that are overdue stay so: a change skips none, and the next one is not later for it. */
static void test_a_change_of_rate_keeps_the_debt(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 100.0, second);
    const uint64_t late = second + second * 35 / 1000; /* three ticks and a half */
    tick_clock_change_rate(&clock, 10.0, late);
    assert_int_equal(tick_clock_take(&clock, late), 3);
    assert_int_equal(tick_clock_take(&clock, late), 0);
    assert_int_equal(tick_clock_deadline_ns(&clock), late + second / 20);
    assert_int_equal(clock.dropped_ticks, 0);
}

/* What is too much to be made up is dropped and counted, at the new rate as at the old one. */
static void test_a_long_debt_is_dropped_after_a_change_of_rate(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 100.0, second);
    tick_clock_change_rate(&clock, 200.0, 9 * second);
    assert_int_equal(tick_clock_take(&clock, 9 * second), TICK_CLOCK_CATCH_UP);
    assert_int_equal(tick_clock_take(&clock, 9 * second), 0);
    assert_int_equal(clock.dropped_ticks, 800 - TICK_CLOCK_CATCH_UP);
    tick_clock_change_rate(&clock, 0.001,
                           90 * second); /* more periods than the clock has gone: no time before 0 */
    assert_int_equal(clock.start_ns, 0);
}

/* A slider that is dragged all the time: as many ticks as the mean rate says. */
static void test_rates_that_change_all_the_time(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 0.6, second);
    uint64_t ticks = 0;
    double due = 0.0;
    for (uint64_t ms = 1; ms <= 100000; ms++) {
        const double hz = ms % 16 == 0 ? 0.6 + (double)(ms % 7) : 0.0;
        due += (double)clock.microhertz * 1e-9;
        ticks += (uint64_t)tick_clock_take(&clock, second + ms * 1000000);
        if (hz > 0.0) {
            tick_clock_change_rate(&clock, hz, second + ms * 1000000);
        }
    }
    assert_true((double)ticks >= due - 1.01 && (double)ticks <= due + 1.01);
    assert_int_equal(clock.dropped_ticks, 0);
}

static void test_a_change_of_rate_in_a_pause(void **state) {
    struct tick_clock clock;
    tick_clock_init(&clock, 10.0, 0);
    tick_clock_pause(&clock);
    tick_clock_change_rate(&clock, 1.0, 50 * second);
    assert_true(clock.is_paused);
    assert_int_equal(tick_clock_take(&clock, 90 * second), 0);
    tick_clock_resume(&clock, 100 * second);
    assert_int_equal(tick_clock_deadline_ns(&clock), 101 * second);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_drift),
        cmocka_unit_test(test_one_tick_a_period),
        cmocka_unit_test(test_deadlines_are_reached),
        cmocka_unit_test(test_debt_is_dropped),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_a_change_of_rate_does_not_jump),
        cmocka_unit_test(test_a_change_of_rate_keeps_the_debt),
        cmocka_unit_test(test_a_long_debt_is_dropped_after_a_change_of_rate),
        cmocka_unit_test(test_rates_that_change_all_the_time),
        cmocka_unit_test(test_a_change_of_rate_in_a_pause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
