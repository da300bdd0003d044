/* Numbers and units as a person reads them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "viewer/explain/param_list.h"

static void whole_numbers_have_their_thousands_apart(void **state) {
    char words[27];
    assert_int_equal(units_format_whole(0, words, sizeof words), 1);
    assert_string_equal(words, "0");
    (void)units_format_whole(123456, words, sizeof words);
    assert_string_equal(words, "123 456");
    assert_int_equal(units_format_whole(4210, words, sizeof words), 5);
    assert_string_equal(words, "4 210");
    assert_int_equal(units_format_whole(UINT64_MAX, words, sizeof words), 26);
    assert_string_equal(words, "18 446 744 073 709 551 615");
}

static void numbers_have_their_thousands_apart(void **state) {
    const struct {
        double value;
        const char *words;
    } rows[] = {{0.0, "0"},     {12600.0, "12 600"}, {-1234567.5, "-1 234 567.5"},   {0.35, "0.35"},
                {-0.0001, "0"}, {999.9996, "1 000"}, {1e15, "1 000 000 000 000 000"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char words[32];
        units_format_number(rows[i].value, words, sizeof words);
        assert_string_equal(words, rows[i].words);
    }
}

static void no_unit_stands_where_it_says_nothing(void **state) {
    char words[UNITS_TEXT];
    const struct message_param speed = {.unit = "px/s", .max = 20000}, mass = {.unit = "mass", .max = 100},
                               turn = {.unit = "deg/s", .max = 86400};
    units_format_param(&speed, 240, words);
    assert_string_equal(words, "240 px/s");
    units_format_param(&mass, 1, words);
    assert_string_equal(words, "1");
    units_format_param(&turn, 180, words);
    assert_string_equal(words, "180 deg/s");
    units_format_param(&turn, 86400, words);
    assert_string_equal(words, "no limit");
    assert_string_equal(units_in_words("mass*px/s^2"), "mass × px/s²");
    assert_string_equal(units_beside("mass*px/s^2"), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_numbers_have_their_thousands_apart),
                                       cmocka_unit_test(numbers_have_their_thousands_apart),
                                       cmocka_unit_test(no_unit_stands_where_it_says_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
