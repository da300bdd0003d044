/* /healthz and /readyz: which worlds are well, which are ready. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/web/metrics.h"

#define SECOND UINT64_C(1000000000)
#define NOW    (UINT64_C(1000) * SECOND)

static struct simulation_motion moving(void) {
    return (struct simulation_motion){.due_hz = 60.0, .moved_ns = NOW};
}

static void ticks_that_begin_are_well(void **state) {
    struct simulation_motion motion = moving();
    assert_true(health_well(&motion, NOW).is_good);
    assert_string_equal(health_well(&motion, NOW).text, "ok\n");
    assert_true(health_well(&motion, NOW + 2 * SECOND).is_good);
    const struct health health = health_well(&motion, NOW + 5 * SECOND);
    assert_false(health.is_good);
    assert_string_equal(health.text, "no tick began for 5.0 s\n");
    assert_true(health_well(&motion, NOW - SECOND).is_good); /* a tick that began since the time was read */
}

static void a_tick_that_does_not_end_is_named(void **state) {
    struct simulation_motion motion = moving();
    motion.began_ns = NOW;
    assert_string_equal(health_well(&motion, NOW + 3 * SECOND).text, "a tick has taken 3.0 s so far\n");
}

static void a_paused_world_is_well(void **state) {
    struct simulation_motion motion = moving();
    motion.is_paused = true;
    assert_true(health_well(&motion, NOW + 100 * SECOND).is_good);
    assert_true(health_ready(&motion, false, NOW + 100 * SECOND).is_good);
}

static void a_slow_world_has_its_own_pace(void **state) {
    struct simulation_motion motion = moving();
    motion.due_hz = 0.1;
    assert_true(health_well(&motion, NOW + 11 * SECOND).is_good);
    assert_false(health_well(&motion, NOW + 13 * SECOND).is_good);
    motion.due_hz = 0.0; /* as fast as it goes */
    assert_false(health_well(&motion, NOW + 3 * SECOND).is_good);
}

static void ready_means_that_visitors_may_come(void **state) {
    struct simulation_motion motion = moving();
    assert_true(health_ready(&motion, false, NOW).is_good);
    assert_non_null(strstr(health_ready(&motion, true, NOW).text, "stops"));
    motion.is_loading = true;
    assert_true(health_well(&motion, NOW).is_good);
    assert_non_null(strstr(health_ready(&motion, false, NOW).text, "loaded"));
    motion.is_loading = false;
    motion.is_resuming = true;
    assert_non_null(strstr(health_ready(&motion, false, NOW).text, "stopped"));
    motion.is_resuming = false;
    assert_false(health_ready(&motion, false, NOW + 5 * SECOND).is_good);
    assert_false(health_unkept("No space left on device").is_good);
    assert_string_equal(health_unkept("No space left on device").text,
                        "the journal has ended: No space left on device\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_that_begin_are_well),
        cmocka_unit_test(a_tick_that_does_not_end_is_named),
        cmocka_unit_test(a_paused_world_is_well),
        cmocka_unit_test(a_slow_world_has_its_own_pace),
        cmocka_unit_test(ready_means_that_visitors_may_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
