/* common/failure: formatting, cutting, sanitising, the table of codes. */
#include "common/base/failure.h"

#include "common/base/utf8.h"
#include "tests/unit/common/test_support.h"

static void fills_and_returns_minus_one(void **state) {
    struct failure failure;
    assert_int_equal(failure_set(&failure, FAILURE_OUT_OF_RANGE, "count", "%d is out", 7), -1);
    assert_int_equal(failure.code, FAILURE_OUT_OF_RANGE);
    assert_string_equal(failure.field, "count");
    assert_string_equal(failure.message, "7 is out");
    assert_int_equal(failure_set(&failure, FAILURE_BUSY, NULL, "x"), -1);
    assert_string_equal(failure.field, "");
}

static void wraps_its_own_text(void **state) {
    struct failure failure;
    (void)failure_set(&failure, FAILURE_PARSE, "a.b", "inner");
    (void)failure_set(&failure, FAILURE_BAD_SCENARIO, failure.field, "file: %s", failure.message);
    assert_string_equal(failure.field, "a.b");
    assert_string_equal(failure.message, "file: inner");
}

static void is_always_valid_utf8(const char *text) {
    for (size_t left = strlen(text); left > 0;) {
        const size_t size = utf8_character(text, left);
        assert_true(size > 0);
        text += size;
        left -= size;
    }
}

static void cuts_at_a_character(void **state) {
    struct failure failure;
    char text[1000];
    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'a', sizeof text);
        for (size_t i = shift; i + 5 < sizeof text; i += 4) {
            memcpy(text + i, "\xF0\x9F\x90\x91", 4);
        }
        text[sizeof text - 1] = '\0';
        (void)failure_set(&failure, FAILURE_PARSE, text, "%s", text);
        is_always_valid_utf8(failure.message);
        is_always_valid_utf8(failure.field);
        assert_null(strchr(failure.message, '?'));
        assert_true(strlen(failure.message) > sizeof failure.message - 5);
        assert_true(strlen(failure.field) > sizeof failure.field - 5);
    }
}

static void replaces_what_is_not_utf8(void **state) {
    struct failure failure;
    (void)failure_set(&failure, FAILURE_PARSE, "\xFF", "a\xC0\x80z\xE2\x82");
    assert_string_equal(failure.field, "?");
    assert_string_equal(failure.message, "a??z??");
}

static void codes_round_trip(void **state) {
    for (int code = FAILURE_NONE + 1; code < FAILURE_CODE_COUNT; code++) {
        assert_int_equal(failure_code_from_name(failure_code_name((enum failure_code)code)), code);
    }
    assert_string_equal(failure_code_name(FAILURE_OUT_OF_RANGE), "out_of_range");
    assert_string_equal(failure_code_name(FAILURE_NONE), "none");
    assert_int_equal(failure_code_from_name("none"), FAILURE_NONE);
    assert_int_equal(failure_code_from_name("nonsense"), FAILURE_NONE);
}

static void hides_folders(void **state) {
    static const char *const rows[][2] = {
        {"/a/b: c/x.drover: Input/output error", "x.drover: Input/output error"},
        {"folder: No such file or directory", "folder: No such file or directory"},
        {"no path at all", "no path at all"},
        {"1/2 of it", "1/2 of it"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct failure failure;
        (void)failure_set(&failure, FAILURE_IO, NULL, "%s", rows[i][0]);
        failure_hide_folder(&failure);
        assert_string_equal(failure.message, rows[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_and_returns_minus_one),
        cmocka_unit_test(wraps_its_own_text),
        cmocka_unit_test(cuts_at_a_character),
        cmocka_unit_test(replaces_what_is_not_utf8),
        cmocka_unit_test(hides_folders),
        cmocka_unit_test(codes_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
