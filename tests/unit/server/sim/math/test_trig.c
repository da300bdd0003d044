/* server/sim/math/trig.h, against libm. */
#include <math.h>

#include "server/sim/math/trig.h"
#include "tests/unit/server/cmocka_all.h"

static void test_unit_against_libm(void **state) {
    for (int i = -20000; i <= 20000; i++) {
        const float angle = (float)i * 0.00137f;
        const vec2 unit = trig_unit(angle);
        assert_true(fabs((double)unit.x - cos((double)angle)) < 6.1e-8);
        assert_true(fabs((double)unit.y - sin((double)angle)) < 6.1e-8);
    }
}

static void test_unit_far_away(void **state) {
    const float angles[] = {1e6f, -1e6f, 123456.0f, -99999.5f};
    for (int i = 0; i < 4; i++) {
        const vec2 unit = trig_unit(angles[i]);
        assert_true(fabs((double)unit.x - cos((double)angles[i])) < 1e-6);
        assert_true(fabs((double)unit.y - sin((double)angles[i])) < 1e-6);
    }
}

static void test_exact_quarters(void **state) {
    assert_true(trig_unit(0.0f).x == 1.0f && trig_unit(0.0f).y == 0.0f);
    assert_true(trig_atan2(0.0f, 1.0f) == 0.0f);
    assert_true(trig_atan2(0.0f, 0.0f) == 0.0f);
    assert_true(trig_atan2(1.0f, 0.0f) == (float)(TRIG_PI / 2));
    assert_true(trig_atan2(-1.0f, 0.0f) == (float)(-TRIG_PI / 2));
    assert_true(trig_atan2(0.0f, -1.0f) == (float)TRIG_PI);
}

static void test_atan2_against_libm(void **state) {
    for (int i = 0; i < 100000; i++) {
        const double angle = -3.14159 + 6.28318 * i / 100000.0, radius = 1e-3 * pow(1.7, i % 40);
        const float x = (float)(radius * cos(angle)), y = (float)(radius * sin(angle));
        assert_true(fabs((double)trig_atan2(y, x) - atan2((double)y, (double)x)) < 2.5e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unit_against_libm),
        cmocka_unit_test(test_unit_far_away),
        cmocka_unit_test(test_exact_quarters),
        cmocka_unit_test(test_atan2_against_libm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
