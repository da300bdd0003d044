/* Words and numbers of the panels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/draw/palette.h"
#include "viewer/panels/hud.h"
#include "viewer/panels/hud_format.h"

static void states_are_named_by_what_matters_most(void **state) {
    (void)state;
    struct link_status link = {.state = LINK_CONNECTING};
    assert_int_equal(hud_run_state(&link, false, false), RUN_CONNECTING);
    link.was_ready = true;
    assert_int_equal(hud_run_state(&link, true, true), RUN_RECONNECTING);
    link.state = LINK_READY;
    assert_int_equal(hud_run_state(&link, true, true), RUN_PAUSED);
    assert_int_equal(hud_run_state(&link, false, true), RUN_STALLED);
    assert_int_equal(hud_run_state(&link, false, false), RUN_RUNNING);
    assert_string_equal(run_state_name(RUN_STALLED), "stalled");
}

static void counts_are_grouped(void **state) {
    (void)state;
    char text[32];
    hud_format_count(0, text, sizeof text);
    assert_string_equal(text, "0");
    hud_format_count(4210, text, sizeof text);
    assert_string_equal(text, "4 210");
    hud_format_count(18446744073709551615u, text, sizeof text);
    assert_string_equal(text, "18 446 744 073 709 551 615");
}

struct fixture {
    struct server_model server;
    struct frame frame;
    struct panels_view view;
    struct link_status link;
    struct address address;
    struct camera camera;
    struct view_settings settings;
    struct selection selection;
    struct panels_open open;
    struct playhead playhead;
};

static struct fixture *fixture_create(void) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    server_model_init(&fixture->server);
    fixture->server.role = ROLE_ADMIN;
    fixture->playhead.is_live = true;
    fixture->link = (struct link_status){.state = LINK_READY, .was_ready = true, .ping_ms = 0.449};
    fixture->address = (struct address){"127.0.0.1", "7717"};
    fixture->camera = (struct camera){.scale = 2.0f, .offset = {10, 20}};
    return fixture;
}

static struct hud_input input_of(const struct fixture *fixture) {
    return (struct hud_input){.server = &fixture->server,
                              .frame = &fixture->frame,
                              .link = &fixture->link,
                              .address = &fixture->address,
                              .camera = &fixture->camera,
                              .settings = &fixture->settings,
                              .selection = &fixture->selection,
                              .open = &fixture->open,
                              .playhead = &fixture->playhead,
                              .now_ns = 1000000000u,
                              .measures = {.behind_rate = -1.0, .snapshots_per_s = 29.96}};
}

static void numbers_are_shown(void **state) {
    (void)state;
    struct fixture *fixture = fixture_create();
    struct snapshot *snapshot = make_snapshot(70150, NULL, 0);
    snapshot->tick = 4209;
    add_target(snapshot, "mouse", 1, 2);
    add_target(snapshot, "centre", 100, 50);
    fixture->frame.names = snapshot;
    fixture->frame.target_count = 2;
    fixture->frame.targets[0] = (struct frame_target){0, {1, 2}};
    fixture->frame.targets[1] = (struct frame_target){1, {100, 50}};
    struct hud_input input = input_of(fixture);
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.tick, "4 209");
    assert_string_equal(fixture->view.time, "70.2 s");
    assert_string_equal(fixture->view.ping, "0.4 ms");
    assert_string_equal(fixture->view.rate, "30.0/s");
    assert_string_equal(fixture->view.state, "running");
    assert_string_equal(fixture->view.address, "127.0.0.1:7717");
    assert_string_equal(fixture->view.banner[0], "");
    assert_int_equal(fixture->view.label_count, 1);
    assert_string_equal(fixture->view.labels[0].text, "centre");
    assert_true(fixture->view.labels[0].x == 210.0f && fixture->view.labels[0].y == 120.0f);
    input.is_fixed = true; /* a picture to compare has no measured numbers */
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.ping, "");
    assert_string_equal(fixture->view.rate, "");
    snapshot_destroy(snapshot);
    free(fixture);
}

/* The legend, the plots' values and the text at the top are those of the shown moment. */
static void the_past_has_its_own_numbers(void **state) {
    (void)state;
    static struct plots plots;
    struct fixture *fixture = fixture_create();
    const struct test_agent early[] = {{.id = 1, .vx = 10, .state = "pursue"},
                                       {.id = 2, .vx = 10, .state = "pursue"}};
    const struct test_agent late[] = {{.id = 1, .vx = 50, .state = "seek"},
                                      {.id = 2, .vx = 50, .state = "seek"}};
    struct snapshot *past = make_snapshot(1000, early, 2), *now = make_snapshot(3200, late, 2);
    plots_init(&plots);
    plots_add(&plots, past);
    plots_add(&plots, now);
    server_model_note_names(&fixture->server, past);
    server_model_note_names(&fixture->server, now);
    fixture->frame.names = past;
    fixture->frame.time_s = 1.0;
    struct hud_input input = input_of(fixture);
    fixture->playhead.is_live = false;
    input.now_s = 3.2;
    input.behind_s = 2.2;
    input.plots = &plots;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.past, "2.2 s ago");
    assert_string_equal(fixture->view.state, "the past");
    assert_true(fixture->view.state_color != PALETTE_OK);
    assert_string_equal(fixture->view.no_tuning, "This is the past. End goes back to now.");
    assert_string_equal(fixture->view.no_time, ""); /* the buttons are for the past then */
    assert_string_equal(fixture->view.legend[0].name, "pursue");
    assert_int_equal(fixture->view.legend[0].count, 2);
    assert_int_equal(fixture->view.legend[1].count, 0);
    assert_int_equal(fixture->view.plot_mark, 0);
    assert_string_equal(fixture->view.plots[0].value, "10.0 px/s");
    fixture->frame.names = now;
    fixture->frame.time_s = 3.2;
    fixture->playhead.is_live = true;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.past, "");
    assert_string_equal(fixture->view.state, "running");
    assert_int_equal(fixture->view.legend[0].count, 0);
    assert_int_equal(fixture->view.legend[1].count, 2);
    assert_int_equal(fixture->view.plot_mark, -1);
    assert_string_equal(fixture->view.plots[0].value, "50.0 px/s");
    fixture->link.state = LINK_WAITING; /* that the server is gone matters more */
    fixture->playhead.is_live = false;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "reconnecting");
    snapshot_destroy(past);
    snapshot_destroy(now);
    free(fixture);
}

static void a_world_that_is_behind_its_rate_says_so(void **state) {
    (void)state;
    struct fixture *fixture = fixture_create();
    struct hud_input input = input_of(fixture);
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "running");
    assert_int_equal(fixture->view.state_color, PALETTE_OK);
    assert_int_equal(fixture->view.state_words, PALETTE_TEXT);
    input.measures.behind_rate = 0.0949;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "running 0.09x");
    assert_int_equal(fixture->view.state_color, PALETTE_WARN);
    assert_int_equal(fixture->view.state_words, PALETTE_WARN);
    input.measures.behind_rate = 0.9499;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "running 0.94x");
    fixture->frame.is_stalled = true; /* its snapshots are rare: */
    fixture->frame.late_ms = 2500.0;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "running 0.94x");
    assert_false(fixture->view.is_network_bad);
    fixture->frame.late_ms = 5500.0;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "stalled");
    input.measures.behind_rate = -1.0;
    fixture->frame.late_ms = 600.0;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "stalled");
    assert_true(fixture->view.is_network_bad);
    fixture->server.is_paused = true;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "paused");
    free(fixture);
}

static void a_lost_server_is_announced(void **state) {
    (void)state;
    struct fixture *fixture = fixture_create();
    fixture->link.state = LINK_WAITING;
    fixture->link.retry_at_ns = 4200000000u;
    (void)snprintf(fixture->link.reason, sizeof fixture->link.reason, "connection refused");
    (void)snprintf(fixture->address.host, sizeof fixture->address.host, "::1");
    const struct hud_input input = input_of(fixture);
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "reconnecting");
    assert_string_equal(fixture->view.banner[0], "Reconnecting in 4 s");
    assert_string_equal(fixture->view.banner[1], "[::1]:7717: connection refused");
    assert_string_equal(fixture->view.ping, "");
    free(fixture);
}

static void how_to_start_a_server_is_said(void **state) {
    (void)state;
    struct fixture *fixture = fixture_create();
    fixture->link =
        (struct link_status){.state = LINK_WAITING, .retry_at_ns = 3000000000u, .has_no_server = true};
    (void)snprintf(fixture->link.reason, sizeof fixture->link.reason, "connection refused");
    const struct hud_input input = input_of(fixture);
    hud_fill(&input, &fixture->view);
    assert_string_equal(
        fixture->view.banner[1],
        "127.0.0.1:7717: connection refused.\nNo server runs there. Start one:  drover-server flock");
    (void)snprintf(fixture->address.port, sizeof fixture->address.port, "7800");
    hud_fill(&input, &fixture->view);
    assert_non_null(strstr(fixture->view.banner[1], "drover-server flock --port 7800"));
    (void)snprintf(fixture->address.host, sizeof fixture->address.host, "lab.example");
    hud_fill(&input, &fixture->view);
    assert_null(strstr(fixture->view.banner[1], "Start one"));
    assert_non_null(strstr(fixture->view.banner[1], "No server listens there"));
    free(fixture);
}

static void a_paused_world_that_has_just_begun_says_what_to_press(void **state) {
    (void)state;
    struct fixture *fixture = fixture_create();
    struct snapshot *snapshot = make_snapshot(0, NULL, 0);
    fixture->frame.names = snapshot;
    fixture->server.has_scenario = fixture->server.is_paused = true;
    snapshot->tick = 0;
    struct hud_input input = input_of(fixture);
    input.is_headless = true; /* there is no keyboard */
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.hint, "");
    input.is_headless = false;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.hint, "Paused: Space resumes");
    fixture->server.role = ROLE_OPERATOR;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.hint, "Paused, until an admin resumes");
    snapshot->tick = 7; /* a past moment was shown, then paused: the bar says so */
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.hint, "");
    snapshot->tick = 0;
    fixture->server.is_paused = false;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.hint, "");
    snapshot_destroy(snapshot);
    free(fixture);
}

static void a_server_that_wants_a_token_says_so(void **state) {
    (void)state;
    struct fixture *fixture = fixture_create();
    fixture->link = (struct link_status){.state = LINK_REFUSED, .was_ready = true};
    struct hud_input input = input_of(fixture);
    fixture->playhead.is_live = true;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.banner[0], "This server wants a token");
    assert_non_null(strstr(fixture->view.banner[1], "--token SECRET"));
    assert_string_equal(fixture->view.state, "not let in");
    fixture->link.has_token = true;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.banner[0], "The token was refused");
    fixture->link.state = LINK_READY; /* the token was shown and not answered yet */
    fixture->server.role = ROLE_NONE;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "connecting");
    assert_false(fixture->view.has_live);
    free(fixture);
}

static void what_a_role_may_not_do_is_marked(void **state) {
    (void)state;
    struct fixture *fixture = fixture_create();
    const struct hud_input input = input_of(fixture);
    fixture->server.has_scenario = true;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.role, ""); /* the role admin is not shown */
    assert_string_equal(fixture->view.no_time, "");
    assert_false(fixture->view.is_denied[SHORTCUT_PAUSE]);
    fixture->server.role = ROLE_OPERATOR;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.role, "operator");
    assert_true(fixture->view.is_denied[SHORTCUT_PAUSE] && fixture->view.is_denied[SHORTCUT_PICKER]);
    assert_false(fixture->view.is_denied[SHORTCUT_ADD] || fixture->view.is_denied[SHORTCUT_SETTING]);
    assert_non_null(strstr(fixture->view.no_time, "needs the role admin; you are operator"));
    assert_string_equal(fixture->view.no_tuning, "");
    free(fixture);
}

static void notices_become_toasts(void **state) {
    (void)state;
    struct fixture *fixture = fixture_create();
    server_model_set_notice(&fixture->server, true, "no kind \"%s\"", "boat");
    struct hud_input input = input_of(fixture);
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.toast, "");
    input.toast_alpha = 0.5f;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.toast, "no kind \"boat\"");
    assert_true(fixture->view.is_toast_error);
    free(fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_named_by_what_matters_most),
        cmocka_unit_test(counts_are_grouped),
        cmocka_unit_test(numbers_are_shown),
        cmocka_unit_test(the_past_has_its_own_numbers),
        cmocka_unit_test(a_world_that_is_behind_its_rate_says_so),
        cmocka_unit_test(a_lost_server_is_announced),
        cmocka_unit_test(how_to_start_a_server_is_said),
        cmocka_unit_test(a_paused_world_that_has_just_begun_says_what_to_press),
        cmocka_unit_test(a_server_that_wants_a_token_says_so),
        cmocka_unit_test(what_a_role_may_not_do_is_marked),
        cmocka_unit_test(notices_become_toasts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
