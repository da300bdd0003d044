/* common/clock: it moves forward, in nanoseconds. */
#include "common/system/clock.h"

#include <time.h>

#include "tests/unit/common/test_support.h"

static void moves_forward_in_nanoseconds(void **state) {
    const uint64_t before = clock_now_ns();
    const struct timespec pause = {.tv_nsec = 5000000};
    assert_int_equal(nanosleep(&pause, NULL), 0);
    const uint64_t after = clock_now_ns();
    assert_true(after - before >= 5000000u);
    assert_true(after - before < UINT64_C(60000000000));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves_forward_in_nanoseconds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
