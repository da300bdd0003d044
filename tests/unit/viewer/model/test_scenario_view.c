/* How a scenario wants to be looked at, over what a person has chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "viewer/model/shortcuts.h"

struct fixture {
    struct view_settings own, now;
    struct view_changes changes, flags;
    struct message_view view;
};

static struct fixture fixture_make(void) {
    struct fixture fixture = {.own = view_settings_default(), .changes = {{false}}, .flags = {{false}}};
    fixture.own.panel = PANEL_ON;
    fixture.now = fixture.own;
    return fixture;
}

static struct view_settings apply(const struct fixture *fixture, bool has_room) {
    const struct scenario_view_person person = {&fixture->own, &fixture->now, &fixture->changes,
                                                &fixture->flags, has_room};
    return scenario_view_apply(&person, &fixture->view);
}

static void add_overlay(struct message_view *view, const char *name) {
    view->has |= MESSAGE_VIEW_OVERLAYS;
    (void)snprintf(view->overlays[view->overlay_count++], sizeof view->overlays[0], "%s", name);
}

static void a_view_that_says_nothing_changes_nothing(void **state) {
    const struct fixture fixture = fixture_make();
    const struct view_settings shown = apply(&fixture, true);
    assert_true(shown.shows_grid && shown.shows_radii && !shown.shows_trails && shown.panel == PANEL_ON);
}

static void the_list_of_overlays_is_complete(void **state) {
    struct fixture fixture = fixture_make();
    add_overlay(&fixture.view, "velocity");
    add_overlay(&fixture.view, "halos"); /* of a later viewer */
    fixture.view.has |= MESSAGE_VIEW_TRAILS | MESSAGE_VIEW_PANEL;
    fixture.view.trails = true;
    const struct view_settings shown = apply(&fixture, true);
    assert_true(shown.shows_velocity && shown.shows_trails);
    assert_true(!shown.shows_grid && !shown.shows_radii && shown.panel == PANEL_OFF);
}

static void what_was_changed_or_given_is_the_persons(void **state) {
    struct fixture fixture = fixture_make();
    add_overlay(&fixture.view, "velocity");
    fixture.view.has |= MESSAGE_VIEW_TRAILS | MESSAGE_VIEW_PANEL;
    fixture.view.trails = true;
    view_changes_note(&fixture.changes, offsetof(struct view_settings, shows_grid));
    view_changes_note(&fixture.flags, offsetof(struct view_settings, shows_trails));
    view_changes_note(&fixture.flags, offsetof(struct view_settings, panel));
    struct view_settings shown = apply(&fixture, true);
    assert_true(shown.shows_grid && !shown.shows_trails && shown.panel == PANEL_ON);
    fixture.now.shows_grid = false; /* pressed once more */
    shown = apply(&fixture, true);
    assert_false(shown.shows_grid);
}

static void the_next_world_begins_with_the_persons_own(void **state) {
    struct fixture fixture = fixture_make();
    fixture.view.has = MESSAGE_VIEW_TRAILS;
    fixture.view.trails = true;
    fixture.now = apply(&fixture, true);
    assert_true(fixture.now.shows_trails);
    fixture.view = (struct message_view){.has = 0};
    fixture.now = apply(&fixture, true);
    assert_false(fixture.now.shows_trails);
}

static void a_narrow_window_has_no_panel_because_of_a_view(void **state) {
    struct fixture fixture = fixture_make();
    fixture.own.panel = fixture.now.panel = PANEL_OFF;
    fixture.view = (struct message_view){.has = MESSAGE_VIEW_PANEL, .panel = true};
    assert_int_equal(apply(&fixture, false).panel, PANEL_OFF);
    assert_int_equal(apply(&fixture, true).panel, PANEL_ON);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_that_says_nothing_changes_nothing),
        cmocka_unit_test(the_list_of_overlays_is_complete),
        cmocka_unit_test(what_was_changed_or_given_is_the_persons),
        cmocka_unit_test(the_next_world_begins_with_the_persons_own),
        cmocka_unit_test(a_narrow_window_has_no_panel_because_of_a_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
