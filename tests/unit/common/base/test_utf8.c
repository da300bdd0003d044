/* common/utf8: every two-byte start, the edges of the ranges, cutting, encoding. */
#include "common/base/utf8.h"

#include "tests/unit/common/test_support.h"

static void encodes_what_it_accepts(void **state) {
    for (uint32_t code_point = 0; code_point <= 0x10FFFF; code_point++) {
        char text[4];
        const size_t size = utf8_encode(text, code_point);
        const int is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
        assert_int_equal(utf8_character(text, size), is_surrogate ? 0 : size);
        assert_int_equal(utf8_character(text, size - 1), 0);
        assert_int_equal(utf8_code_point(text, size), code_point);
    }
}

static void refuses_ill_formed(void **state) {
    static const char *const bad[] = {"\x80",
                                      "\xBF",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xC2",
                                      "\xC2\x20",
                                      "\xE0\x80\x80",
                                      "\xE0\x9F\xBF",
                                      "\xED\xA0\x80",
                                      "\xED\xBF\xBF",
                                      "\xE2\x82",
                                      "\xF0\x80\x80\x80",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xFE",
                                      "\xFF",
                                      "\xF0\x9F\x90"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(utf8_character(bad[i], strlen(bad[i])), 0);
    }
}

static void cuts_and_counts(void **state) {
    const char text[] = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x90\x91"; /* 1 + 2 + 3 + 4 bytes */
    assert_int_equal(utf8_count(text, 10), 4);
    static const size_t ends[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (size_t limit = 0; limit < sizeof ends / sizeof ends[0]; limit++) {
        assert_int_equal(utf8_cut(text, 10, limit), ends[limit]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_what_it_accepts),
        cmocka_unit_test(refuses_ill_formed),
        cmocka_unit_test(cuts_and_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
