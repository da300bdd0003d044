/* No key twice; every key has a name and a help; every action has a key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "viewer/model/input.h"
#include "viewer/model/shortcuts.h"

static void no_key_stands_twice(void **state) {
    size_t count = 0;
    const struct shortcut *table = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            assert_true(table[i].key != table[j].key || table[i].key == 0 ||
                        table[i].has_control != table[j].has_control ||
                        table[i].has_shift != table[j].has_shift);
            assert_true(table[i].name[0] == '\0' || strcmp(table[i].name, table[j].name) != 0);
        }
    }
}

static void help_is_complete(void **state) {
    size_t count = 0;
    bool has_key[SHORTCUT_ACTION_COUNT] = {false};
    const struct shortcut *table = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        /* a row without a name is another key of the row before, which has the words */
        assert_true(i > 0 || table[i].name[0] != '\0');
        assert_true((table[i].name[0] != '\0') == (strlen(table[i].help) > 3));
        assert_true(strlen(shortcuts_help(&table[i], true)) <= 41); /* the column's width */
        has_key[table[i].action] = has_key[table[i].action] || table[i].key != 0;
    }
    for (int action = SHORTCUT_NONE + 1; action < SHORTCUT_ACTION_COUNT; action++) {
        assert_true(has_key[action]);
    }
}

static enum shortcut_action action_of(int32_t key, bool has_control) {
    const struct shortcut *row = shortcuts_find(key, has_control, false);
    return row != NULL ? row->action : SHORTCUT_NONE;
}

static void keys_have_other_words_in_a_recording(void **state) {
    const struct shortcut *end = shortcuts_row(SHORTCUT_LIVE);
    assert_string_equal(shortcuts_help(end, false), "from the past back to now");
    assert_string_equal(shortcuts_help(end, true), "to the end");
    assert_string_equal(shortcuts_help(shortcuts_row(SHORTCUT_QUIT), true), "quit");
}

static void keys_do_what_the_readme_says(void **state) {
    assert_int_equal(action_of(KEY_SPACE, false), SHORTCUT_PAUSE);
    assert_int_equal(action_of(KEY_PERIOD, false), SHORTCUT_STEP);
    assert_int_equal(action_of(KEY_LEFT_BRACKET, false), SHORTCUT_PREVIOUS_SCENARIO);
    assert_int_equal(action_of(KEY_RIGHT_BRACKET, false), SHORTCUT_NEXT_SCENARIO);
    assert_int_equal(action_of(KEY_F1, false), SHORTCUT_HELP);
    assert_int_equal(action_of(KEY_F12, false), SHORTCUT_SCREENSHOT);
    assert_int_equal(action_of(KEY_ESCAPE, false), SHORTCUT_CLOSE); /* never the end */
    assert_int_equal(action_of(KEY_Q, true), SHORTCUT_QUIT);
    assert_int_equal(action_of(KEY_O, true), SHORTCUT_PICKER);
    assert_int_equal(action_of(KEY_P, false), SHORTCUT_PANEL);
    assert_null(shortcuts_find('q', false, false));
    assert_null(shortcuts_find(0, false, false)); /* the rows of the mouse have no key */
    assert_string_equal(shortcuts_row(SHORTCUT_QUIT)->name, "Ctrl+Q");
}

/* Shift matters to the rows that name it alone. */
static void shift_makes_another_key(void **state) {
    assert_int_equal(shortcuts_find(KEY_R, true, false)->action, SHORTCUT_RESTART);
    assert_int_equal(shortcuts_find(KEY_R, true, true)->action, SHORTCUT_RESTART_CHANGED);
    assert_int_equal(shortcuts_find(KEY_R, false, true)->action, SHORTCUT_SETTING);
    assert_int_equal(shortcuts_find(KEY_Z, true, false)->action, SHORTCUT_UNDO);
    assert_int_equal(shortcuts_find(KEY_Z, true, true)->action, SHORTCUT_REDO);
    assert_int_equal(shortcuts_find(KEY_Y, true, true)->action, SHORTCUT_REDO);
    assert_int_equal(shortcuts_find(KEY_EQUALS, true, true)->action, SHORTCUT_LARGER);
    assert_int_equal(shortcuts_find(KEY_F8, false, false)->action, SHORTCUT_RECORD);
}

/* As wide as it was made, but the world keeps half of the picture, and what the panel says has room. */
static void the_panel_has_ends(void **state) {
    struct view_settings settings = view_settings_default();
    assert_int_equal(action_of(KEY_LEFT, true), SHORTCUT_PANEL_WIDER);
    assert_int_equal(action_of(KEY_RIGHT, true), SHORTCUT_PANEL_NARROWER);
    assert_true(view_settings_panel_px(&settings, 1280.0f) == VIEW_PANEL_LEAST);
    settings.panel_width = 400.0;
    assert_true(view_settings_panel_px(&settings, 1280.0f) == 400.0f);
    assert_true(view_settings_panel_px(&settings, 640.0f) == 320.0f);
    assert_true(view_settings_panel_px(&settings, 320.0f) == VIEW_PANEL_LEAST);
    settings.panel_width = 5000.0;
    assert_true(view_settings_panel_px(&settings, 2560.0f) == VIEW_PANEL_MOST);
}

/* A row says which member its key changes. */
static void a_key_changes_its_setting(void **state) {
    struct view_settings settings = view_settings_default();
    struct view_changes changes = {{false}};
    const struct shortcut *velocity = shortcuts_find(KEY_V, false, false),
                          *palette = shortcuts_find(KEY_P, true, false);
    view_settings_change(&settings, &changes, &velocity->setting);
    assert_true(settings.shows_velocity && view_settings_get_bool(&settings, &velocity->setting));
    view_settings_change(&settings, &changes, &velocity->setting);
    assert_false(settings.shows_velocity);
    assert_true(changes.is_changed[offsetof(struct view_settings, shows_velocity)]);
    assert_false(changes.is_changed[offsetof(struct view_settings, shows_desired)]);
    view_settings_change(&settings, &changes, &palette->setting);
    assert_int_equal(settings.palette, PALETTE_CLASSIC);
    assert_string_equal(view_settings_get_choice(&settings, &palette->setting), "classic");
    view_settings_change(&settings, &changes, &palette->setting);
    assert_int_equal(settings.palette, PALETTE_SAFE); /* after the last choice the first */
}

static void settings_have_a_name_each(void **state) {
    size_t count = 0;
    const struct shortcut *table = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        const struct shortcut *row = &table[i];
        assert_true(row->action != SHORTCUT_SETTING || row->setting.name != NULL);
        assert_true(!row->is_overlay || (row->setting.type == FIELD_BOOL && row->label != NULL));
        /* a choice says in a notice what it is now */
        assert_true(row->action != SHORTCUT_SETTING || row->setting.type != FIELD_CHOICE ||
                    row->setting.help != NULL);
        for (size_t j = i + 1; row->setting.name != NULL && j < count; j++) {
            assert_true(table[j].setting.name == NULL ||
                        (strcmp(table[j].setting.name, row->setting.name) != 0 &&
                         table[j].setting.offset != row->setting.offset));
        }
    }
}

static void the_forces_are_three_at_once(void **state) {
    struct view_settings settings = {.shows_desired = true};
    struct view_changes changes = {{false}};
    view_settings_toggle_forces(&settings, &changes);
    assert_true(settings.shows_velocity && settings.shows_desired && settings.shows_steering);
    view_settings_toggle_forces(&settings, &changes);
    assert_false(settings.shows_velocity || settings.shows_desired || settings.shows_steering);
    assert_false(view_settings_have_vectors(&settings));
    settings.shows_velocity = true; /* the velocity is in every snapshot */
    assert_true(view_settings_have_vectors(&settings) && !view_settings_need_forces(&settings));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_key_stands_twice),
        cmocka_unit_test(help_is_complete),
        cmocka_unit_test(keys_have_other_words_in_a_recording),
        cmocka_unit_test(keys_do_what_the_readme_says),
        cmocka_unit_test(shift_makes_another_key),
        cmocka_unit_test(the_panel_has_ends),
        cmocka_unit_test(a_key_changes_its_setting),
        cmocka_unit_test(settings_have_a_name_each),
        cmocka_unit_test(the_forces_are_three_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
