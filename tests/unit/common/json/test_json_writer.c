/* common/json_writer and common/digits: structure, escapes, and every way of writing a number. */
#include "common/json/json_writer.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "common/text/digits.h"
#include "tests/unit/common/test_support.h"

static void writes_structure(void **state) {
    struct buffer out;
    buffer_init(&out, 4096);
    struct json_writer json = json_writer_begin(&out);
    json_object(&json);
    json_key_unsigned(&json, "tick", 7);
    json_key(&json, "list");
    json_array(&json);
    json_array(&json);
    json_end(&json);
    json_object(&json);
    json_end(&json);
    json_bool(&json, true);
    json_signed(&json, INT64_MIN);
    json_raw(&json, "null");
    json_end(&json);
    json_key_bool(&json, "no", false);
    json_key_hundredths(&json, "h", -5);
    json_key_number(&json, "n", 0.5);
    json_key_string(&json, "s", "a\"\\\n\x01\x7F\xC3\xA4");
    json_key(&json, "x");
    json_hex64(&json, UINT64_C(0x0123456789abcdef));
    json_end(&json);
    assert_string_equal(out.data, "{\"tick\":7,\"list\":[[],{},true,-9223372036854775808,null],\"no\":false,"
                                  "\"h\":-0.05,\"n\":0.5,\"s\":\"a\\\"\\\\\\n\\u0001\x7F\xC3\xA4\","
                                  "\"x\":\"0123456789abcdef\"}");
    assert_int_equal(json.depth, 0);
    buffer_fini(&out);
}

static void assert_number(double value, const char *expected) {
    char text[JSON_NUMBER_TEXT];
    assert_int_equal(json_number_text(text, value), strlen(expected));
    assert_string_equal(text, expected);
}

static void assert_float(float value, const char *expected) {
    char text[JSON_NUMBER_TEXT];
    assert_int_equal(json_float_text(text, value), strlen(expected));
    assert_string_equal(text, expected);
}

static void writes_short_numbers(void **state) {
    assert_number(0.0, "0");
    assert_number(-0.0, "0");
    assert_number(1.0, "1");
    assert_number(-1.0, "-1");
    assert_number(0.1, "0.1");
    assert_number(0.1 + 0.2, "0.30000000000000004");
    assert_number(1000000000.0, "1000000000");
    assert_number(123456789.25, "123456789.25");
    assert_number(0.01, "0.01");
    assert_number(1e300, "1e+300");
    assert_number(5e-324, "4.94066e-324");
    assert_number(DBL_MAX, "1.7976931348623157e+308");
    assert_float(0.1f, "0.1");
    assert_float(240.0f, "240");
    assert_float(1e9f, "1000000000");
    assert_float(1.0f / 3.0f, "0.33333334");
}

static double random_double(uint64_t *random) {
    for (;;) {
        const uint64_t bits = test_random(random);
        double value = 0.0;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            return value;
        }
    }
}

static void numbers_read_back(void **state) {
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        char text[JSON_NUMBER_TEXT];
        const double value = random_double(&random);
        (void)json_number_text(text, value);
        assert_true(strtod(text, NULL) == value);
        const float small = (float)test_below(&random, 1000000) / 997.0f;
        (void)json_float_text(text, small);
        assert_true(strtof(text, NULL) == small);
    }
}

static void a_locale_changes_nothing(void **state) {
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    const char *found = NULL;
    for (size_t i = 0; found == NULL && i < sizeof locales / sizeof locales[0]; i++) {
        found = setlocale(LC_NUMERIC, locales[i]);
    }
    if (found == NULL) {
        skip();
    }
    assert_number(0.5, "0.5");
    assert_number(0.1 + 0.2, "0.30000000000000004");
    assert_float(0.1f, "0.1");
    (void)setlocale(LC_NUMERIC, "C");
}

static void check_hundredths(int32_t value) {
    char text[DIGITS_SLACK + 16];
    char expected[32];
    const int64_t wide = value;
    const long long positive = wide < 0 ? -wide : wide;
    (void)snprintf(expected, sizeof expected, "%s%lld.%02lld", value < 0 ? "-" : "", positive / 100,
                   positive % 100);
    *json_write_hundredths(text, value) = '\0';
    assert_string_equal(text, expected);
    *digits_write_hundredths(text, value) = '\0';
    assert_string_equal(text, expected);
}

static void check_u32(uint32_t value) {
    char text[DIGITS_SLACK + 16];
    char expected[32];
    (void)snprintf(expected, sizeof expected, "%lu", (unsigned long)value);
    *json_write_u32(text, value) = '\0';
    assert_string_equal(text, expected);
    *digits_write_u32(text, value) = '\0';
    assert_string_equal(text, expected);
}

static void writes_integers(void **state) {
    for (int32_t value = -20000; value <= 20000; value++) {
        check_hundredths(value);
    }
    for (uint32_t value = 0; value < 20000; value++) {
        check_u32(value);
    }
    for (uint64_t power = 1; power < UINT64_C(10000000000); power *= 10) {
        for (int delta = -2; delta <= 2; delta++) {
            const int64_t value = (int64_t)power + delta;
            if (value >= 0 && value <= UINT32_MAX) {
                check_u32((uint32_t)value);
            }
            if (value <= INT32_MAX) {
                check_hundredths((int32_t)value);
                check_hundredths((int32_t)-value);
            }
        }
    }
    check_hundredths(INT32_MIN);
    check_hundredths(INT32_MAX);
    check_u32(UINT32_MAX);
    uint64_t random = 3;
    for (int i = 0; i < 100000; i++) {
        const uint64_t bits = test_random(&random);
        const unsigned shift = (unsigned)(bits >> 59);
        check_u32((uint32_t)bits >> shift);
        check_hundredths((int32_t)((uint32_t)bits >> shift));
        check_hundredths((int32_t)(0u - ((uint32_t)bits >> shift)));
    }
}

static void writes_nothing_past_the_text(void **state) {
    char text[8];
    memset(text, '#', sizeof text);
    assert_ptr_equal(json_write_hundredths(text, -123), text + 5);
    assert_memory_equal(text, "-1.23###", 8);
    assert_ptr_equal(json_write_u32(text, 9), text + 1);
    assert_memory_equal(text, "91.23###", 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_structure),  cmocka_unit_test(writes_short_numbers),
        cmocka_unit_test(numbers_read_back), cmocka_unit_test(a_locale_changes_nothing),
        cmocka_unit_test(writes_integers),   cmocka_unit_test(writes_nothing_past_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
