/* The table of routes: whole paths and folders, and what a handler answers. */
#include "tests/unit/server/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "server/web/web_route.h"

static const struct web_route table[] = {{"/", NULL}, {"/a/", NULL}, {"/a/b", NULL}, {"/c", NULL}};

static const char *row_of(const char *path, const char **rest) {
    const struct web_route *route = web_route_find(table, sizeof table / sizeof *table, path, rest);
    return route == NULL ? NULL : route->path;
}

static void paths(void **state) {
    const char *rest = NULL;
    assert_string_equal(row_of("/", &rest), "/");
    assert_string_equal(row_of("/a/b", &rest), "/a/");
    assert_string_equal(rest, "b");
    assert_string_equal(row_of("/a/../c", &rest), "/a/");
    assert_string_equal(rest, "../c"); /* a handler checks it */
    assert_string_equal(row_of("/c", &rest), "/c");
    static const char *const none[] = {"", "/a", "/a/", "/cc", "/c/", "c", "/d", "//"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_null(row_of(none[i], &rest));
    }
}

static void answers(void **state) {
    struct web_answer answer = {.status = 200};
    struct buffer body;
    buffer_init(&body, 8);
    buffer_append_text(&body, "short");
    web_answer_buffer(&answer, "text/x", &body);
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.length, 5);
    assert_ptr_equal(answer.bytes, answer.owned);
    free(answer.owned);
    answer = (struct web_answer){.status = 200};
    buffer_append_text(&body, "longer than the buffer may be");
    web_answer_buffer(&answer, "text/x", &body);
    assert_int_equal(answer.status, 500);
    assert_null(answer.owned);
    buffer_fini(&body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),
        cmocka_unit_test(answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
