/* No key twice; every key has a name and a help; every action has a key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "viewer/model/key_codes.h"
#include "viewer/model/overlays.h"
#include "viewer/model/shortcuts.h"

static void no_key_stands_twice(void **state) {
    (void)state;
    size_t count = 0;
    const struct shortcut *table = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            assert_true(table[i].key != table[j].key || table[i].key == 0 ||
                        table[i].has_control != table[j].has_control);
            assert_true(table[i].name[0] == '\0' || strcmp(table[i].name, table[j].name) != 0);
        }
    }
}

static void help_is_complete(void **state) {
    (void)state;
    size_t count = 0;
    bool has_key[SHORTCUT_ACTION_COUNT] = {false};
    const struct shortcut *table = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        /* a row without a name is another key of the row before, which has the words */
        assert_true(i > 0 || table[i].name[0] != '\0');
        assert_true((table[i].name[0] != '\0') == (strlen(table[i].help) > 3));
        has_key[table[i].action] = has_key[table[i].action] || table[i].key != 0;
    }
    for (int action = SHORTCUT_NONE + 1; action < SHORTCUT_ACTION_COUNT; action++) {
        assert_true(has_key[action]);
    }
}

static void keys_do_what_the_readme_says(void **state) {
    (void)state;
    assert_int_equal(shortcuts_find(KEY_SPACE, false), SHORTCUT_PAUSE);
    assert_int_equal(shortcuts_find(KEY_PERIOD, false), SHORTCUT_STEP);
    assert_int_equal(shortcuts_find(KEY_LEFT_BRACKET, false), SHORTCUT_PREVIOUS_SCENARIO);
    assert_int_equal(shortcuts_find(KEY_RIGHT_BRACKET, false), SHORTCUT_NEXT_SCENARIO);
    assert_int_equal(shortcuts_find(KEY_F1, false), SHORTCUT_HELP);
    assert_int_equal(shortcuts_find(KEY_F12, false), SHORTCUT_SCREENSHOT);
    assert_int_equal(shortcuts_find(KEY_ESCAPE, false), SHORTCUT_CLOSE); /* never the end */
    assert_int_equal(shortcuts_find(KEY_Q, true), SHORTCUT_QUIT);
    assert_int_equal(shortcuts_find(KEY_O, true), SHORTCUT_PICKER);
    assert_int_equal(shortcuts_find(KEY_O, false), SHORTCUT_NONE);
    assert_int_equal(shortcuts_find(KEY_P, false), SHORTCUT_PANEL);
    assert_int_equal(shortcuts_find(KEY_P, true), SHORTCUT_PALETTE);
    assert_int_equal(shortcuts_find(KEY_V, false), SHORTCUT_VELOCITY);
    assert_int_equal(SHORTCUT_GRID - SHORTCUT_VELOCITY, OVERLAY_COUNT - 1); /* as app_act counts on */
    assert_string_equal(shortcuts_key_name(SHORTCUT_TRAILS), "T");
    assert_int_equal(shortcuts_find('q', false), SHORTCUT_NONE);
    assert_int_equal(shortcuts_find(0, false), SHORTCUT_NONE); /* the rows of the mouse have no key */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_key_stands_twice),
        cmocka_unit_test(help_is_complete),
        cmocka_unit_test(keys_do_what_the_readme_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
