/* Suggestions: near names and others. */
#include "tests/unit/common/test_support.h"

#include <string.h>

#include "common/text/names.h"

static const char *hint_for(const char *typed, const char *const *names) {
    static char hint[NEAREST_HINT_BYTES];
    struct nearest_name nearest = nearest_name_begin(typed);
    for (; *names != NULL; names++) {
        nearest_name_offer(&nearest, *names);
    }
    nearest_name_hint(&nearest, hint);
    return hint;
}

static void counts_changes(void **state) {
    assert_int_equal(nearest_name_distance("", ""), 0);
    assert_int_equal(nearest_name_distance("pause", "pause"), 0);
    assert_int_equal(nearest_name_distance("PAUSE", "pause"), 0);
    assert_int_equal(nearest_name_distance("pase", "pause"), 1);
    assert_int_equal(nearest_name_distance("pauuse", "pause"), 1);
    assert_int_equal(nearest_name_distance("pouse", "pause"), 1);
    assert_int_equal(nearest_name_distance("puase", "pause"), 1);
    assert_int_equal(nearest_name_distance("", "pause"), 5);
    assert_int_equal(nearest_name_distance("kitten", "sitting"), 3);
    char longer[NEAREST_NAME_CHARS + 2];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(nearest_name_distance(longer, "a"), NEAREST_NAME_CHARS + 1);
    longer[NEAREST_NAME_CHARS] = '\0';
    assert_int_equal(nearest_name_distance(longer, "a"), NEAREST_NAME_CHARS - 1);
}

static void suggests_the_nearest_or_nothing(void **state) {
    static const char *const names[] = {"spawn", "step", "subscribe", "unsubscribe", "x", NULL};
    assert_string_equal(hint_for("spwan", names), " (did you mean \"spawn\"?)");
    assert_string_equal(hint_for("Subscribe", names), " (did you mean \"subscribe\"?)");
    assert_string_equal(hint_for("unsubscrib", names), " (did you mean \"unsubscribe\"?)");
    assert_string_equal(hint_for("stpe", names), " (did you mean \"step\"?)");
    assert_string_equal(hint_for("fly", names), "");
    assert_string_equal(hint_for("subscr", names), " (did you mean \"subscribe\"?)"); /* the rest left off */
    assert_string_equal(hint_for("unsub", names), "");
    assert_string_equal(hint_for("spawn", names), ""); /* the typed name itself is not a suggestion */
    assert_string_equal(hint_for("Spawn", names), " (did you mean \"spawn\"?)");
    assert_string_equal(hint_for("y", names), "");
    assert_string_equal(hint_for("", names), "");
    assert_string_equal(hint_for("spawn", (const char *const[]){NULL}), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_changes),
        cmocka_unit_test(suggests_the_nearest_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
