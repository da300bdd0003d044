/* common/name_table: interning, finding, limits, valid names. */
#include "common/text/names.h"

#include <stdio.h>

#include "tests/unit/common/test_support.h"

static void interns_and_finds(void **state) {
    struct name_table *table = calloc(1, sizeof *table);
    assert_non_null(table);
    assert_int_equal(name_table_intern(table, "prey", 4), 0);
    assert_int_equal(name_table_intern(table, "preyXX", 4), 0);
    assert_int_equal(name_table_intern(table, "pre", 3), 1);
    assert_int_equal(name_table_intern(table, "prey2", 5), 2);
    assert_int_equal(name_table_find(table, "pre"), 1);
    assert_int_equal(name_table_find(table, "pr"), -1);
    assert_int_equal(name_table_intern(table, "0123456789012345678901234567890", 31), 3);
    assert_int_equal(name_table_intern(table, "01234567890123456789012345678901", 32), -1);
    assert_string_equal(table->names[3], "0123456789012345678901234567890");
    assert_int_equal(table->count, 4);
    free(table);
}

static void is_bounded(void **state) {
    struct name_table *table = calloc(1, sizeof *table);
    assert_non_null(table);
    for (int i = 0; i < NAME_TABLE_CAPACITY; i++) {
        char name[16];
        const int length = snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(name_table_intern(table, name, (size_t)length), i);
    }
    assert_int_equal(name_table_intern(table, "more", 4), -1);
    assert_int_equal(name_table_intern(table, "n1023", 5), 1023);
    free(table);
}

static void knows_names(void **state) {
    assert_true(name_is_valid("aZ09_-", 6));
    assert_true(name_is_valid("0123456789012345678901234567890", 31));
    assert_false(name_is_valid("01234567890123456789012345678901", 32));
    assert_false(name_is_valid("", 0));
    assert_false(name_is_valid("a b", 3));
    assert_false(name_is_valid("a\"b", 3));
    assert_false(name_is_valid("a\0b", 3));
    assert_false(name_is_valid("\xC3\xA4", 2));
    assert_false(name_is_valid("a.b", 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interns_and_finds),
        cmocka_unit_test(is_bounded),
        cmocka_unit_test(knows_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
