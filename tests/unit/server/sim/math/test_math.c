/* Random numbers and trigonometry that are the same on every machine. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>

#include "server/sim/math/rng.h"
#include "server/sim/math/trig.h"

/* ==== server/sim/math/rng.h ==== */

static void test_known_values(void **state) {
    struct rng rng = rng_begin(1, 0, 1, RNG_SPAWN_PLACE);
    const uint64_t first = rng_next(&rng), second = rng_next(&rng);
    assert_int_not_equal(first, second);
    struct rng again = rng_begin(1, 0, 1, RNG_SPAWN_PLACE);
    assert_true(rng_next(&again) == first && rng_next(&again) == second);
}

static void test_every_part_of_the_key_matters(void **state) {
    struct rng keys[] = {rng_begin(1, 2, 3, RNG_SPAWN_PLACE), rng_begin(2, 2, 3, RNG_SPAWN_PLACE),
                         rng_begin(1, 3, 3, RNG_SPAWN_PLACE), rng_begin(1, 2, 4, RNG_SPAWN_PLACE),
                         rng_begin(1, 2, 3, RNG_SPAWN_BODY),  rng_begin(0, 0, 0, RNG_SPAWN_PLACE)};
    uint64_t values[6];
    for (int i = 0; i < 6; i++) {
        values[i] = rng_next(&keys[i]);
        for (int j = 0; j < i; j++) {
            assert_true(values[i] != values[j]);
        }
    }
}

/* Mean and spread of consecutive ids' first numbers: a poor key mix shows as structure here. */
static void test_uniform_over_subjects(void **state) {
    enum { COUNT = 100000, BINS = 20 };
    double sum = 0.0;
    int bins[BINS] = {0};
    for (uint32_t id = 1; id <= COUNT; id++) {
        struct rng rng = rng_begin(7, 0, id, RNG_SPAWN_PLACE);
        const float unit = rng_unit(&rng);
        assert_true(unit >= 0.0f && unit < 1.0f);
        sum += (double)unit;
        bins[(int)(unit * BINS)]++;
    }
    assert_true(fabs(sum / COUNT - 0.5) < 0.005);
    for (int i = 0; i < BINS; i++) {
        assert_in_range(bins[i], COUNT / BINS - 350, COUNT / BINS + 350);
    }
}

static void test_between_stays_between(void **state) {
    struct rng rng = rng_begin(3, 1, 1, RNG_TARGET_JUMP);
    for (int i = 0; i < 1000; i++) {
        const float value = rng_between(&rng, -5.0f, 12.5f);
        assert_true(value >= -5.0f && value <= 12.5f);
    }
    assert_true(rng_between(&rng, 4.0f, 4.0f) == 4.0f);
    assert_true(rng_between(&rng, 4.0f, 3.0f) == 4.0f);
}

/* ==== server/sim/math/trig.h, against libm ==== */

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
        cmocka_unit_test(test_known_values),          cmocka_unit_test(test_every_part_of_the_key_matters),
        cmocka_unit_test(test_uniform_over_subjects), cmocka_unit_test(test_between_stays_between),
        cmocka_unit_test(test_unit_against_libm),     cmocka_unit_test(test_unit_far_away),
        cmocka_unit_test(test_exact_quarters),        cmocka_unit_test(test_atan2_against_libm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
