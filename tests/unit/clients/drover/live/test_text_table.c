/* clients/drover/live/text_table: columns, breaking, cutting. */
#include "clients/drover/live/live.h"

#include <stdio.h>

#include "tests/unit/common/test_support.h"

struct fixture {
    struct text_table table;
    struct buffer out;
};

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    text_table_init(&fixture->table);
    buffer_init(&fixture->out, 1 << 20);
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    text_table_fini(&fixture->table);
    buffer_fini(&fixture->out);
    free(fixture);
    return 0;
}

static void row(struct fixture *fixture, const char *name, const char *count, const char *help) {
    text_table_put(&fixture->table, text_table_column(&fixture->table, "name"), name);
    text_table_put(&fixture->table, text_table_column(&fixture->table, "count"), count);
    text_table_put(&fixture->table, text_table_column(&fixture->table, "help"), help);
    text_table_end_row(&fixture->table);
}

static const char *written(struct fixture *fixture, int width, bool has_color) {
    const struct text_style style = {.width = width, .has_color = has_color};
    buffer_clear(&fixture->out);
    text_table_write(&fixture->table, &style, &fixture->out);
    assert_false(fixture->out.failed);
    return fixture->out.data == NULL ? "" : fixture->out.data;
}

static void test_numbers_stand_at_the_right(void **state) {
    struct fixture *fixture = *state;
    row(fixture, "prey", "200", "");
    row(fixture, "鳥", "-7.5", "flies");
    row(fixture, "", "", "");
    assert_string_equal(written(fixture, 0, false), "name  count  help\n"
                                                    "prey    200\n"
                                                    "鳥     -7.5  flies\n"
                                                    "\n");
}

static void test_a_long_last_column_is_broken(void **state) {
    struct fixture *fixture = *state;
    row(fixture, "prey", "1", "one two three four five six seven eight");
    assert_string_equal(written(fixture, 40, false), "name  count  help\n"
                                                     "prey      1  one two three four five six\n"
                                                     "             seven eight\n");
    assert_string_equal(written(fixture, 20, false), "name  count  help\n"
                                                     "prey      1  one two\n");
}

static void test_a_word_longer_than_the_column_is_broken_too(void **state) {
    struct fixture *fixture = *state;
    text_table_put(&fixture->table, text_table_column(&fixture->table, "x"),
                   "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd");
    text_table_end_row(&fixture->table);
    assert_string_equal(written(fixture, 30, false), "x\naaaaaaaaaabbbbbbbbbbcccccccccc\ndddddddddd\n");
}

static void test_the_head_is_bold_in_color(void **state) {
    struct fixture *fixture = *state;
    row(fixture, "a", "1", "b");
    assert_string_equal(written(fixture, 0, true), "\033[1mname  count  help\033[0m\na         1  b\n");
}

static void test_cells_of_a_server_have_no_controls(void **state) {
    struct fixture *fixture = *state;
    row(fixture, "a\033[2Jb", "1", "\x9B");
    text_table_put(&fixture->table, text_table_column(&fixture->table, "c\033c"), "x");
    text_table_end_row(&fixture->table);
    assert_null(strchr(written(fixture, 0, false), '\033'));
    assert_null(strchr(written(fixture, 30, false), '\x9B'));
}

static void test_no_more_columns_than_there_is_room_for(void **state) {
    struct fixture *fixture = *state;
    char name[16];
    for (int i = 0; i < TEXT_TABLE_COLUMNS + 5; i++) {
        (void)snprintf(name, sizeof name, "c%d", i);
        text_table_put(&fixture->table, text_table_column(&fixture->table, name), "1");
    }
    text_table_end_row(&fixture->table);
    assert_int_equal(fixture->table.column_count, TEXT_TABLE_COLUMNS);
    assert_int_equal(text_table_column(&fixture->table, "c3"), 3);
    text_table_fini(&fixture->table);
    text_table_init(&fixture->table);
    assert_string_equal(written(fixture, 0, false), "");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_numbers_stand_at_the_right),
        TEST(test_a_long_last_column_is_broken),
        TEST(test_a_word_longer_than_the_column_is_broken_too),
        TEST(test_the_head_is_bold_in_color),
        TEST(test_cells_of_a_server_have_no_controls),
        TEST(test_no_more_columns_than_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
