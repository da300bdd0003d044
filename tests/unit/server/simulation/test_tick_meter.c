/* Percentiles of the newest samples. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/simulation/tick_meter.h"

static void empty(void **state) {
    (void)state;
    const struct tick_meter meter = {0};
    const struct tick_meter_summary summary = tick_meter_summarise(&meter);
    assert_true(summary.p50_ms == 0.0 && summary.p99_ms == 0.0 && summary.max_ms == 0.0);
}

static void percentiles(void **state) {
    (void)state;
    static struct tick_meter meter;
    for (uint64_t i = 100; i >= 1; i--) {
        tick_meter_add(&meter, i * 1000000);
    }
    const struct tick_meter_summary summary = tick_meter_summarise(&meter);
    assert_true(summary.p50_ms == 50.0);
    assert_true(summary.p99_ms == 99.0);
    assert_true(summary.max_ms == 100.0);
}

static void old_samples_go(void **state) {
    (void)state;
    static struct tick_meter meter;
    tick_meter_add(&meter, UINT64_C(5000000000));
    for (int i = 0; i < TICK_METER_SAMPLES - 1; i++) {
        tick_meter_add(&meter, 2500);
    }
    assert_true(tick_meter_summarise(&meter).max_ms == 5000.0);
    assert_true(tick_meter_summarise(&meter).p99_ms == 0.002);
    tick_meter_add(&meter, 3000);
    assert_true(tick_meter_summarise(&meter).max_ms == 0.003);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty),
        cmocka_unit_test(percentiles),
        cmocka_unit_test(old_samples_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
