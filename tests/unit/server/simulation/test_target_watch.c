/* The events of moved targets name the session, and their rate is bounded. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/simulation/simulation_internal.h"

static const uint64_t ms = 1000000;

static void one_hand(void **state) {
    static struct target_watch watch;
    target_watch_reset(&watch);
    int told = 0;
    for (uint64_t t = 0; t < 3000; t += 10) {
        told += target_watch_tell(&watch, 3, 7, t * ms);
    }
    assert_int_equal(told, 3);
    assert_true(target_watch_tell(&watch, 4, 7, 3000 * ms)); /* another target */
}

static void two_hands(void **state) {
    static struct target_watch watch;
    target_watch_reset(&watch);
    assert_true(target_watch_tell(&watch, 0, 1, 5 * ms));
    assert_false(target_watch_tell(&watch, 0, 2, 204 * ms));
    assert_true(target_watch_tell(&watch, 0, 2, 205 * ms));
    assert_false(target_watch_tell(&watch, 0, 2, 1204 * ms));
    int told = 0;
    for (uint64_t t = 2000; t < 4000; t += 5) {
        told += target_watch_tell(&watch, 0, 1 + (uint32_t)(t / 5 % 2), t * ms);
    }
    assert_true(told >= 8 && told <= 10);
    target_watch_reset(&watch);
    assert_true(target_watch_tell(&watch, 0, 1, 4001 * ms));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_hand),
        cmocka_unit_test(two_hands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
