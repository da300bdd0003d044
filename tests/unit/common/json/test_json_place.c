/* common/json/json_place: lines and columns of what a path names. */
#include "common/json/json_text.h"

#include "tests/unit/common/test_support.h"

static const char text[] = "{\n"
                           "  \"a\": [1, \"]},\\\"\", {\"b\": true,\n"
                           "  \"a.b\" :{\"c\":[ [] ,{}, -1e3]}}],\n"
                           "  \"d\": { }, \"ab\": null\n"
                           "}";

static void the_place_is_that_of_the_path(void **state) {
    static const struct {
        const char *path;
        int line, column;
        const char *value; /* how it begins; NULL: there is none */
    } rows[] = {
        {"", 1, 1, "{\n"},
        {"a", 2, 3, "[1"},
        {"ab", 4, 13, "null"},
        {"a[0]", 2, 9, "1,"},
        {"a[1]", 2, 12, "\"]}"},
        {"a[2]", 2, 21, "{\"b"},
        {"a[2].b", 2, 22, "true"},
        {"a[2].a.b.c[0]", 3, 17, "[] "},
        {"a[2].a.b.c[1]", 3, 21, "{},"},
        {"a[2].a.b.c[2]", 3, 25, "-1e3"},
        /* what goes on to where nothing is: the innermost that is there */
        {"a[3]", 2, 3, NULL},
        {"a[2", 2, 3, NULL},
        {"a[2].x.y", 2, 21, NULL},
        {"d.e", 4, 3, NULL},
        {"ab.e", 4, 13, NULL},
        {"abc", 1, 1, NULL},
        {"d[0]", 4, 3, NULL},
        {"a[]", 2, 3, NULL},
        {"[0]", 1, 1, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *copy = test_exact_copy(text, sizeof text);
        const struct json_place place = json_place_find(copy, rows[i].path);
        const char *value = json_value_find(copy, rows[i].path);
        assert_true(rows[i].value == NULL ? value == NULL
                                          : strncmp(value, rows[i].value, strlen(rows[i].value)) == 0);
        free(copy);
        if (place.line != rows[i].line || place.column != rows[i].column) {
            fail_msg("%s: %d:%d", rows[i].path, place.line, place.column);
        }
    }
    const struct json_place scalar = json_place_find(" 7", "a");
    assert_int_equal(scalar.column, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_place_is_that_of_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
