/* Undo and redo: the opposite requests, sliders as one edit, other clients, agents that come back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "viewer/model/edits.h"

static struct edits edits;

static int setup(void **state) {
    memset(&edits, 0, sizeof edits);
    return 0;
}

/* Sends it, as the window does. */
static struct request step(bool is_undo) {
    struct request request;
    const struct edit *edit = edits_next(&edits, is_undo);
    assert_non_null(edit);
    assert_true(edits_request(edit, is_undo, &request));
    edits_take(&edits, is_undo);
    return request;
}

static void expect_words(bool is_undo, const char *words) {
    char text[EDIT_WORDS];
    edits_words(edits_next(&edits, is_undo), is_undo, text, sizeof text);
    assert_string_equal(text, words);
}

static void a_slider_that_is_dragged_is_one_edit(void **state) {
    edits_add_param(&edits, "bird", "max_speed", 180.0, 170.0, true);
    edits_add_param(&edits, "bird", "max_speed", 170.0, 150.0, true);
    edits_add_param(&edits, "bird", "max_speed", 150.0, 130.0, false);
    assert_int_equal(edits.count, 1);
    expect_words(true, "max_speed of bird 130 -> 180");
    const struct request undo = step(true);
    assert_int_equal(undo.op, REQUEST_SET_PARAM);
    assert_string_equal(undo.body.set_param.param, "max_speed");
    assert_true(undo.body.set_param.value == 180.0);
    assert_null(edits_next(&edits, true));
    expect_words(false, "max_speed of bird 180 -> 130");
    assert_true(step(false).body.set_param.value == 130.0);
    edits_add_param(&edits, "bird", "max_speed", 130.0, 120.0, false); /* another drag, another edit */
    assert_int_equal(edits.count, 2);
}

static void what_changed_nothing_is_no_edit(void **state) {
    edits_add_param(&edits, "bird", "max_speed", 180.0, 180.0, false);
    edits_add_param(&edits, "bird", "max_speed", 180.0, 170.0, true);
    edits_add_param(&edits, "bird", "max_speed", 170.0, 180.0, false);
    assert_int_equal(edits.count, 0);
}

static void a_new_edit_ends_what_could_be_redone(void **state) {
    edits_add_param(&edits, "bird", "mass", 1.0, 2.0, false);
    edits_add_param(&edits, "bird", "mass", 2.0, 3.0, false);
    (void)step(true);
    edits_add_param(&edits, "bird", "max_force", 10.0, 20.0, false);
    assert_null(edits_next(&edits, false));
    assert_int_equal(edits.count, 2);
}

static void the_list_is_bounded(void **state) {
    for (int i = 0; i < 3 * EDITS_MOST; i++) {
        edits_add_param(&edits, "bird", "mass", i, i + 1.0, false);
    }
    assert_int_equal(edits.count, EDITS_MOST);
    for (int i = 0; i < EDITS_MOST; i++) {
        assert_true(step(true).body.set_param.value == 3.0 * EDITS_MOST - 1 - i);
    }
    assert_null(edits_next(&edits, true));
}

static void drags_go_back_and_forth(void **state) {
    const struct edit target = {.what = EDIT_TARGET, .target = "food", .from = {10, 20}, .to = {300, 40}};
    const struct edit obstacle = {.what = EDIT_OBSTACLE, .obstacle = 7, .from = {1, 2}, .to = {3, 4}};
    (void)edits_add(&edits, &target);
    (void)edits_add(&edits, &obstacle);
    struct request request = step(true);
    assert_int_equal(request.op, REQUEST_MOVE_OBSTACLE);
    assert_true(request.body.move_obstacle.obstacle == 7 && request.body.move_obstacle.y == 2.0f);
    expect_words(true, "target food at 10, 20");
    request = step(true);
    assert_int_equal(request.op, REQUEST_SET_TARGET);
    assert_true(request.body.set_target.has_point && request.body.set_target.x == 10.0f);
    request = step(false);
    assert_true(request.body.set_target.x == 300.0f && request.body.set_target.y == 40.0f);
}

static void agents_come_back_with_other_ids(void **state) {
    const struct edit removal = {.what = EDIT_REMOVED,
                                 .kind = "bird",
                                 .first_id = 17,
                                 .count = 1,
                                 .at = {50, 60},
                                 .velocity = {7, 8},
                                 .heading = 1.5f};
    const uint32_t number = edits_add(&edits, &removal)->number;
    expect_words(true, "bird 17 is back");
    struct request request = step(true);
    assert_int_equal(request.op, REQUEST_SPAWN);
    assert_true(request.body.spawn.count == 1 && request.body.spawn.x == 50.0f &&
                request.body.spawn.vx == 7.0f && request.body.spawn.has_heading &&
                request.body.spawn.heading == 1.5f);
    assert_int_equal(edits_number(request.id), number);
    assert_false(edits_request(edits_next(&edits, false), false, &request)); /* its id is not known yet */
    const struct edit *back = edits_name_agents(&edits, number, 251);
    assert_true(back != NULL && back->was_id == 17);
    request = step(false);
    assert_int_equal(request.op, REQUEST_REMOVE);
    assert_true(request.body.remove.agent_count == 1 && request.body.remove.agents[0] == 251);
}

static void what_was_added_is_removed(void **state) {
    const struct edit added = {.what = EDIT_ADDED, .kind = "bird", .count = 10, .at = {5, 6}, .radius = 9};
    const uint32_t number = edits_add(&edits, &added)->number;
    struct request request;
    assert_false(edits_request(edits_next(&edits, true), true, &request));
    assert_non_null(edits_name_agents(&edits, number, 100));
    expect_words(true, "10 bird are removed");
    request = step(true);
    assert_true(request.body.remove.agent_count == 10 && request.body.remove.agents[9] == 109);
    request = step(false);
    assert_true(request.op == REQUEST_SPAWN && request.body.spawn.count == 10 &&
                request.body.spawn.radius == 9.0f && !request.body.spawn.has_heading);
    edits_drop(&edits, number); /* the server refused it */
    assert_int_equal(edits.count, 0);
    assert_int_equal(edits.done, 0);
}

static void another_client_is_not_overwritten_unasked(void **state) {
    struct message_event event = {.event = "param", .by = 4, .has = EVENT_HAS_PARAM | EVENT_HAS_KIND};
    (void)snprintf(event.kind, sizeof event.kind, "bird");
    (void)snprintf(event.param, sizeof event.param, "mass");
    edits_add_param(&edits, "bird", "mass", 1.0, 2.0, false);
    edits_note(&edits, &event, 4); /* this window's own */
    assert_false(edits_asks(&edits, true));
    edits_note(&edits, &event, 3);
    assert_string_equal(edits_next(&edits, true)->by, "session 4");
    assert_true(edits_asks(&edits, true));
    assert_false(edits_asks(&edits, true)); /* the second time it is meant */
    event.has |= EVENT_HAS_NAME;
    (void)snprintf(event.name, sizeof event.name, "Ann");
    edits_note(&edits, &event, 3);
    assert_string_equal(edits_next(&edits, true)->by, "Ann");
    assert_true(edits_asks(&edits, true)); /* changed once more */
    (void)step(true);
    assert_false(edits_asks(&edits, false));
}

static void a_restart_keeps_the_last_places(void **state) {
    const struct edit first = {.what = EDIT_TARGET, .target = "food", .to = {1, 1}},
                      last = {.what = EDIT_TARGET, .target = "food", .to = {2, 2}},
                      obstacle = {.what = EDIT_OBSTACLE, .obstacle = 3, .to = {4, 4}},
                      added = {.what = EDIT_ADDED, .kind = "bird", .count = 1};
    (void)edits_add(&edits, &first);
    (void)edits_add(&edits, &last);
    (void)edits_add(&edits, &obstacle);
    (void)edits_add(&edits, &added);
    struct edits places;
    edits_places(&edits, &places);
    assert_int_equal(places.count, 2);
    assert_true(places.rows[0].to.x == 2.0f && places.rows[1].obstacle == 3);
    edits_restart(&edits);
    assert_int_equal(edits.count, 3); /* the agent is gone */
    assert_int_equal(edits.done, 3);
}

static void only_its_own_ids_have_a_number(void **state) {
    assert_int_equal(edits_number("\"edit-12\""), 12);
    assert_int_equal(edits_number("\"tune\""), 0);
    assert_int_equal(edits_number(""), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_slider_that_is_dragged_is_one_edit, setup),
        cmocka_unit_test_setup(what_changed_nothing_is_no_edit, setup),
        cmocka_unit_test_setup(a_new_edit_ends_what_could_be_redone, setup),
        cmocka_unit_test_setup(the_list_is_bounded, setup),
        cmocka_unit_test_setup(drags_go_back_and_forth, setup),
        cmocka_unit_test_setup(agents_come_back_with_other_ids, setup),
        cmocka_unit_test_setup(what_was_added_is_removed, setup),
        cmocka_unit_test_setup(another_client_is_not_overwritten_unasked, setup),
        cmocka_unit_test_setup(a_restart_keeps_the_last_places, setup),
        cmocka_unit_test_setup(only_its_own_ids_have_a_number, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
