/* common/decimal: finite or not, by the digits, at and around the bound of a double. */
#include "common/text/digits.h"

#include <stdio.h>

#include "tests/unit/common/test_support.h"

static bool is_finite(const char *mantissa, int64_t exponent) {
    return decimal_is_finite(mantissa, strlen(mantissa), exponent);
}

static void knows_the_bound(void **state) {
    assert_true(is_finite("1.7976931348623157", 308));
    assert_true(is_finite("1.797693134862315807", 308));
    assert_true(is_finite("1.7976931348623158079372897140530341507993413271003782", 308));
    assert_false(is_finite("1.7976931348623158079372897140530341507993413271003783", 308));
    assert_false(is_finite("1.7976931348623159", 308));
    assert_false(is_finite("17976931348623159", 292));
    assert_false(is_finite("2", 308));
    assert_true(is_finite("1", 308));
    assert_false(is_finite("1", 309));
    assert_false(is_finite("1", 999));
    assert_true(is_finite("0.0001", 312));
    assert_false(is_finite("0.0001", 313));
    assert_true(is_finite("0.000", 999999));
    assert_true(is_finite("0", 999999));
    assert_true(is_finite("123456789", -1000000000));
}

static void agrees_with_strtod(void **state) {
    uint64_t random = 7;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        const uint64_t digits = test_random(&random) % UINT64_C(10000000000000000);
        const int exponent = 285 + (int)test_below(&random, 30);
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)digits);
        const size_t length = strlen(text);
        (void)snprintf(text + length, sizeof text - length, "e%d", exponent);
        const bool expected = strtod(text, NULL) <= 1.7976931348623157e308;
        assert_int_equal(decimal_is_finite(text, length, exponent), expected);
    }
}

static void reads_exponents_without_overflow(void **state) {
    assert_int_equal(decimal_exponent("308", 3, false), 308);
    assert_int_equal(decimal_exponent("0012", 4, true), -12);
    assert_true(decimal_exponent("99999999999999999999999999999999", 32, false) >= 1000000000);
}

static void plain_numbers_have_their_value(void **state) {
    const char *end = NULL;
    assert_true(decimal_read("12.25x", &end) == 12.25 && *end == 'x');
    assert_true(decimal_read("1.5.5", &end) == 1.5 && *end == '.');
    assert_true(decimal_read("x", &end) == 0.0 && *end == 'x');
    assert_true(decimal_read("999999999999999999999999", &end) < 1e10 && *end == '\0');
    assert_true(decimal_read("96", NULL) == 96.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_bound),
        cmocka_unit_test(agrees_with_strtod),
        cmocka_unit_test(reads_exponents_without_overflow),
        cmocka_unit_test(plain_numbers_have_their_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
