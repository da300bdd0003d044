/* Snapshots a second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "viewer/model/meters.h"

static void measures_the_last_two_seconds(void **state) {
    struct rate_meter meter;
    rate_meter_init(&meter);
    assert_true(rate_meter_per_s(&meter) < 0.0);
    uint64_t count = 0;
    for (int frame = 0; frame < 600; frame++) { /* 60 frames/s, a snapshot every other frame */
        count += frame % 2 == 0 ? 1 : 0;
        rate_meter_add(&meter, frame * 1000.0 / 60.0, count);
        if (frame < 30) {
            assert_true(rate_meter_per_s(&meter) < 0.0);
        }
    }
    assert_true(fabs(rate_meter_per_s(&meter) - 30.0) < 1.0);
    for (int frame = 600; frame < 780; frame++) { /* they stay away for three seconds */
        rate_meter_add(&meter, frame * 1000.0 / 60.0, count);
    }
    assert_true(rate_meter_per_s(&meter) == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(measures_the_last_two_seconds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
