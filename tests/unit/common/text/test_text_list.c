/* common/text_list: with any items and any room, the list stays inside its buffer and ends cleanly. */
#include "common/text/names.h"

#include "tests/unit/common/test_support.h"

static void lists_names(void **state) {
    char list[64] = "";
    text_list_add(list, sizeof list, "seek", true);
    text_list_add(list, sizeof list, "flee", true);
    assert_string_equal(list, "\"seek\", \"flee\"");
    char plain[64] = "";
    text_list_add(plain, sizeof plain, "seek", false);
    text_list_add(plain, sizeof plain, "flee", false);
    assert_string_equal(plain, "seek, flee");
}

/* Every size up to more than enough, in memory of exactly that size, with names long and short. */
static void never_overflows(void **state) {
    static const char *const names[] = {"remove_obstacle", "a", "set_target", "b", "", "add_obstacle"};
    for (size_t size = 1; size < 100; size++) {
        char *list = test_exact_copy("", 0);
        list = realloc(list, size);
        assert_non_null(list);
        list[0] = '\0';
        for (int round = 0; round < 4; round++) {
            for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
                text_list_add(list, size, names[i], i % 2 == 0);
            }
        }
        const size_t length = strlen(list);
        assert_true(length < size);
        if (size > 4) {
            assert_string_equal(list + length - 4, " ..."); /* 24 names do not fit into 100 bytes */
        }
        free(list);
    }
}

/* A later item that would still fit is not added: the list would look complete. */
static void an_end_is_an_end(void **state) {
    char list[16] = "";
    text_list_add(list, sizeof list, "pause", false);
    text_list_add(list, sizeof list, "remove_target", false);
    text_list_add(list, sizeof list, "a", false);
    assert_string_equal(list, "pause ...");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_names), cmocka_unit_test(never_overflows),
                                       cmocka_unit_test(an_end_is_an_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
