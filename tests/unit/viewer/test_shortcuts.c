/* No key twice; every key has a name and a help; every action has a key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "viewer/key_codes.h"
#include "viewer/shortcuts.h"

static void no_key_stands_twice(void **state) {
    (void)state;
    size_t count = 0;
    const struct shortcut *table = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            assert_true(table[i].key != table[j].key || table[i].key == 0);
            assert_string_not_equal(table[i].name, table[j].name);
        }
    }
}

static void help_is_complete(void **state) {
    (void)state;
    size_t count = 0;
    bool has_key[SHORTCUT_ACTION_COUNT] = {false};
    const struct shortcut *table = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(table[i].name) > 0);
        assert_true(strlen(table[i].help) > 3);
        has_key[table[i].action] = has_key[table[i].action] || table[i].key != 0;
    }
    for (int action = SHORTCUT_NONE + 1; action < SHORTCUT_ACTION_COUNT; action++) {
        assert_true(has_key[action]);
    }
}

static void keys_do_what_the_readme_says(void **state) {
    (void)state;
    assert_int_equal(shortcuts_find(KEY_SPACE), SHORTCUT_PAUSE);
    assert_int_equal(shortcuts_find(KEY_PERIOD), SHORTCUT_STEP);
    assert_int_equal(shortcuts_find(KEY_LEFT_BRACKET), SHORTCUT_PREVIOUS_SCENARIO);
    assert_int_equal(shortcuts_find(KEY_RIGHT_BRACKET), SHORTCUT_NEXT_SCENARIO);
    assert_int_equal(shortcuts_find(KEY_F1), SHORTCUT_HELP);
    assert_int_equal(shortcuts_find(KEY_F12), SHORTCUT_SCREENSHOT);
    assert_int_equal(shortcuts_find(KEY_ESCAPE), SHORTCUT_QUIT);
    assert_int_equal(shortcuts_find('q'), SHORTCUT_NONE);
    assert_int_equal(shortcuts_find(0), SHORTCUT_NONE); /* the rows of the mouse have no key */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_key_stands_twice),
        cmocka_unit_test(help_is_complete),
        cmocka_unit_test(keys_do_what_the_readme_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
