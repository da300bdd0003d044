/* Percentiles of the newest samples. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/simulation/tick_clock.h"

static void empty(void **state) {
    const struct tick_meter meter = {0};
    const struct tick_meter_summary summary = tick_meter_summarize(&meter);
    assert_true(summary.p50_ms == 0.0 && summary.p99_ms == 0.0 && summary.max_ms == 0.0);
}

static void percentiles(void **state) {
    static struct tick_meter meter;
    for (uint64_t i = 100; i >= 1; i--) {
        tick_meter_add(&meter, i * 1000000);
    }
    const struct tick_meter_summary summary = tick_meter_summarize(&meter);
    assert_true(summary.p50_ms == 50.0);
    assert_true(summary.p99_ms == 99.0);
    assert_true(summary.max_ms == 100.0);
}

static void few_samples_have_their_slowest(void **state) {
    static struct tick_meter meter;
    tick_meter_add(&meter, 1000);
    tick_meter_add(&meter, 50000);
    tick_meter_add(&meter, 2000);
    assert_true(tick_meter_summarize(&meter).p99_ms == 0.05);
}

static void old_samples_go(void **state) {
    static struct tick_meter meter;
    tick_meter_add(&meter, UINT64_C(5000000000));
    for (int i = 0; i < TICK_METER_SAMPLES - 1; i++) {
        tick_meter_add(&meter, 2500);
    }
    assert_true(tick_meter_summarize(&meter).max_ms == 5000.0);
    assert_true(tick_meter_summarize(&meter).p99_ms == 0.002);
    tick_meter_add(&meter, 3000);
    assert_true(tick_meter_summarize(&meter).max_ms == 0.003);
}

static void buckets_have_all_times(void **state) {
    static struct tick_meter meter;
    const uint64_t times_ns[] = {
        0, 50000, 50001, 100000, 800000, 800001, UINT64_C(1638400000), UINT64_C(1638400001)};
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < sizeof times_ns / sizeof *times_ns; i++) {
        tick_meter_add(&meter, times_ns[i]);
        sum_ns += times_ns[i];
    }
    assert_int_equal(tick_meter_within(&meter, 0), 2);
    assert_int_equal(tick_meter_within(&meter, 1), 4);
    assert_int_equal(tick_meter_within(&meter, 3), 4);
    assert_int_equal(tick_meter_within(&meter, 4), 5);
    assert_int_equal(tick_meter_within(&meter, 5), 6);
    assert_int_equal(tick_meter_within(&meter, TICK_METER_BUCKETS - 1), 7);
    assert_int_equal(meter.count, 8);
    assert_int_equal(meter.sum_ns, sum_ns);
    assert_int_equal(tick_meter_bound_ns(TICK_METER_BUCKETS - 1), 1638400000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty),
        cmocka_unit_test(percentiles),
        cmocka_unit_test(few_samples_have_their_slowest),
        cmocka_unit_test(old_samples_go),
        cmocka_unit_test(buckets_have_all_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
