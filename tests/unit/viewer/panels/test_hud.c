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
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/texts.h"
#include "viewer/explain/theme.h"
#include "viewer/panels/hud.h"
#include "viewer/panels/panel_controls.h"

static void states_are_named_by_what_matters_most(void **state) {
    struct link_status link = {.state = LINK_CONNECTING};
    assert_int_equal(hud_run_state(&link, false, false), RUN_CONNECTING);
    link.was_ready = true;
    assert_int_equal(hud_run_state(&link, true, true), RUN_RECONNECTING);
    link.state = LINK_READY;
    assert_int_equal(hud_run_state(&link, true, true), RUN_PAUSED);
    assert_int_equal(hud_run_state(&link, false, true), RUN_STALLED);
    assert_int_equal(hud_run_state(&link, false, false), RUN_RUNNING);
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
    struct state_colors colors;
    struct panels_open open;
    struct playhead playhead;
};

static struct fixture *fixture_create(void) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    server_model_init(&fixture->server);
    fixture->server.role = ROLE_ADMIN;
    fixture->playhead.is_live = true;
    fixture->link =
        (struct link_status){.state = LINK_READY, .was_ready = true, .ping_ms = 0.449, .behind_ms = -1.0};
    fixture->address = (struct address){"127.0.0.1", "7717"};
    fixture->camera = (struct camera){.scale = 2.0f, .offset = {10, 20}};
    return fixture;
}

static struct hud_input input_of(struct fixture *fixture) {
    state_colors_update(&fixture->colors, &fixture->server);
    return (struct hud_input){.server = &fixture->server,
                              .frame = &fixture->frame,
                              .link = &fixture->link,
                              .address = &fixture->address,
                              .camera = &fixture->camera,
                              .settings = &fixture->settings,
                              .selection = &fixture->selection,
                              .colors = &fixture->colors,
                              .open = &fixture->open,
                              .playhead = &fixture->playhead,
                              .picture = {.size = {800, 600}, .middle = {400, 300}, .line_px = 14.0f},
                              .now_ns = 1000000000u,
                              .measures = {.behind_rate = -1.0, .snapshots_per_s = 29.96}};
}

/* A cursor that is a target of the world has one name, that of its session. */
static void a_cursor_is_named_once(void **state) {
    struct fixture *fixture = fixture_create();
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    add_target(snapshot, "cursor-7", 100, 50);
    fixture->frame.names = snapshot;
    fixture->frame.target_count = 1;
    fixture->frame.targets[0] = (struct frame_target){0, {100, 50}};
    fixture->server.cursors.count = 1;
    fixture->server.cursors.rows[0] = (struct message_cursor){.session = 7, .name = "Ann", .x = 100, .y = 50};
    struct hud_input input = input_of(fixture);
    hud_fill(&input, &fixture->view);
    assert_int_equal(fixture->view.label_count, 1);
    assert_string_equal(fixture->view.labels[0].text, "Ann");
    snapshot_destroy(snapshot);
    free(fixture);
}

/* While the panel is closed the selected agent has a card beside it, in the picture. */
static void the_selected_agent_has_a_card(void **state) {
    struct fixture *fixture = fixture_create();
    const struct test_agent agents[] = {{.id = 7, .x = 190, .y = 100, .vx = 30, .vy = 40, .state = "flee"}};
    struct snapshot *snapshot = make_snapshot(0, agents, 1);
    struct message_scenario *scenario = &fixture->server.scenario;
    fixture->server.has_scenario = true;
    scenario->size = vec2_make(400, 300);
    scenario->kind_count = 1;
    (void)snprintf(scenario->kinds[0].name, sizeof scenario->kinds[0].name, "ship");
    scenario->kinds[0].max_speed = 130;
    assert_int_equal(frame_reserve(&fixture->frame, 1), 0);
    fixture->frame.names = snapshot;
    fixture->frame.count = fixture->frame.settled_count = 1;
    fixture->frame.id[0] = 7;
    fixture->frame.kind[0] = snapshot->kind[0];
    fixture->frame.state[0] = snapshot->state[0];
    fixture->frame.row[0] = 0;
    fixture->frame.vx[0] = 30;
    fixture->frame.vy[0] = 40;
    fixture->frame.dir_x[0] = 1;
    fixture->frame.dir_y[0] = 0;
    fixture->frame.alpha[0] = 1;
    struct message_agent inspected = {.id = 7,
                                      .kind = "ship",
                                      .state = "flee",
                                      .velocity = {30, 40},
                                      .max_speed = 130,
                                      .term_count = 2,
                                      .neighbor_count = 3};
    inspected.terms[0] = (struct message_agent_term){.behavior = "flee", .type = "flee", .gets = {0, 5}};
    inspected.terms[1] = (struct message_agent_term){
        .behavior = "flock",
        .type = "flock",
        .gets = {9, 0},
        .part_count = 3,
        .parts = {{"separation", {8, 0}}, {"alignment", {1, 0}}, {"cohesion", {0, 2}}}};
    struct hud_tag_memory memory = {0};
    struct hud_input input = input_of(fixture);
    fixture->settings.panel = PANEL_OFF;
    fixture->selection = (struct selection){.has_agent = true, .id = 7};
    input.inspected = &inspected;
    input.tag = &memory;
    const struct panels_tag *tag = &fixture->view.tag;
    for (int i = 0; i < 9; i++) { /* in the middle, at each edge and in each corner */
        const int column = i % 3, row = i / 3;
        const vec2 at = vec2_make(190.0f * (float)column, 140.0f * (float)row);
        fixture->frame.x[0] = at.x;
        fixture->frame.y[0] = at.y;
        hud_fill(&input, &fixture->view);
        assert_non_null(strstr(tag->lines[0], "Agent 7 (ship)"));
        assert_string_equal(tag->lines[1], "keeps its distance from 3 neighbors");
        assert_non_null(strstr(tag->lines[2], "50.0 of 130.0 px/s"));
        assert_non_null(strstr(tag->lines[2], "P: all of it"));
        const vec2 drawn = camera_to_window(&fixture->camera, at);
        assert_true(tag->low.x >= 0 && tag->low.y >= 0 && tag->high.x <= 800 && tag->high.y <= 600);
        assert_false(drawn.x > tag->low.x && drawn.x < tag->high.x && drawn.y > tag->low.y &&
                     drawn.y < tag->high.y);
    }
    inspected.terms[0].gets = vec2_make(0, 50); /* the words stay as long as it takes to read them */
    hud_fill(&input, &fixture->view);
    assert_string_equal(tag->lines[1], "keeps its distance from 3 neighbors");
    input.now_ns += 600000000u;
    hud_fill(&input, &fixture->view);
    assert_string_equal(tag->lines[1], "runs from its target");
    inspected.terms[0].gets = inspected.terms[1].gets = vec2_make(0, 0); /* it goes as it wants to go */
    inspected.terms[1].has_desired = true;
    input.now_ns += 600000000u;
    hud_fill(&input, &fixture->view);
    assert_string_equal(tag->lines[1], "keeps its distance from 3 neighbors");
    fixture->settings.panel = PANEL_ON; /* the panel has it all */
    hud_fill(&input, &fixture->view);
    assert_string_equal(tag->lines[0], "");
    snapshot_destroy(snapshot);
    frame_fini(&fixture->frame);
    free(fixture);
}

/* What it does is said of every behavior. */
static void every_behavior_has_a_reason(void **state) {
    for (int i = 0; explain_behavior_name(i) != NULL; i++) {
        const struct message_agent agent = {.id = 1};
        struct message_agent_term term = {0};
        char words[96];
        (void)snprintf(term.type, sizeof term.type, "%s", explain_behavior_name(i));
        explain_why(&agent, &term, words, sizeof words);
        assert_true(strlen(words) > 5);
    }
}

static void numbers_are_shown(void **state) {
    struct fixture *fixture = fixture_create();
    struct snapshot *snapshot = make_snapshot(70150, NULL, 0);
    snapshot->tick = 4209;
    add_target(snapshot, "mouse", 1, 2);
    add_target(snapshot, "center", 100, 50);
    fixture->frame.names = snapshot;
    fixture->frame.target_count = 2;
    fixture->frame.targets[0] = (struct frame_target){0, {1, 2}};
    fixture->frame.targets[1] = (struct frame_target){1, {100, 50}};
    struct hud_input input = input_of(fixture);
    fixture->settings.shows_network = true;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.tick, "4 209");
    assert_string_equal(fixture->view.time, "70.2 s");
    assert_string_equal(fixture->view.ping, "0.4 ms");
    assert_string_equal(fixture->view.rate, "30.0/s");
    assert_string_equal(fixture->view.state, "running");
    assert_string_equal(fixture->view.address, "127.0.0.1:7717");
    assert_string_equal(fixture->view.banner[0], "");
    assert_int_equal(fixture->view.label_count, 2);
    assert_string_equal(fixture->view.labels[0].text, "center");
    assert_true(fixture->view.labels[0].x == 228.0f && fixture->view.labels[0].y == 113.0f);
    assert_string_equal(fixture->view.labels[1].text, "mouse"); /* as others have names */
    input.picture.leads_mouse = true;
    hud_fill(&input, &fixture->view);
    assert_int_equal(fixture->view.label_count, 1);
    input.is_fixed = true; /* a picture to compare has no measured numbers */
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.ping, "");
    assert_string_equal(fixture->view.rate, "");
    snapshot_destroy(snapshot);
    free(fixture);
}

/* Agents that are gray in a scale of numbers have a row that says why. */
static void gray_agents_have_a_row(void **state) {
    struct fixture *fixture = fixture_create();
    const struct test_agent agents[] = {{.id = 1, .state = "pursue"}};
    struct snapshot *snapshot = make_snapshot(1000, agents, 1);
    fixture->frame.names = snapshot;
    fixture->settings.color = COLOR_FORCE;
    const struct hud_input input = input_of(fixture);
    hud_fill(&input, &fixture->view);
    const struct legend *legend = &fixture->view.legend;
    assert_true(legend->count > 0);
    assert_string_equal(legend->rows[legend->agent_count - 1].words, "gray: not known");
    fixture->frame.has_forces = true;
    hud_fill(&input, &fixture->view);
    for (int i = 0; i < legend->count; i++) {
        assert_string_not_equal(legend->rows[i].words, "gray: not known");
    }
    snapshot_destroy(snapshot);
    free(fixture);
}

/* The legend, the plots' values and the text at the top are those of the shown moment. */
static void the_past_has_its_own_numbers(void **state) {
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
    fixture->playhead.at_s = 1.0;
    input.now_s = 3.2;
    input.behind_s = 2.2;
    input.plots = &plots;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.past, "2.2 s ago");
    assert_string_equal(fixture->view.state, "the past");
    assert_true(fixture->view.state_color != theme_color(PALETTE_SAFE, THEME_OK));
    assert_string_equal(fixture->view.no_tuning, "This is the past. End goes back to now.");
    assert_string_equal(fixture->view.no_time, ""); /* the buttons are for the past then */
    assert_string_equal(panel_why_not(&fixture->view, SHORTCUT_WHAT_IF),
                        "This is the past. End goes back to now.");
    assert_string_equal(fixture->view.legend.rows[0].words, "pursue");
    assert_int_equal(fixture->view.legend.rows[0].count, 2);
    assert_int_equal(fixture->view.legend.rows[1].count, 0);
    assert_int_equal(fixture->view.plot_mark, 0);
    assert_string_equal(fixture->view.plots[0].value, "10.0 px/s");
    fixture->frame.names = now;
    fixture->frame.time_s = 3.2;
    fixture->playhead.is_live = true;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.past, "");
    assert_string_equal(panel_why_not(&fixture->view, SHORTCUT_WHAT_IF), "");
    assert_string_equal(fixture->view.state, "running");
    assert_int_equal(fixture->view.legend.rows[0].count, 0);
    assert_int_equal(fixture->view.legend.rows[1].count, 2);
    assert_int_equal(fixture->view.plot_mark, -1);
    assert_string_equal(fixture->view.plots[0].value, "50.0 px/s");
    input.is_in_past =
        true; /* the handle is where only the server has been: the picture is of now, and says so */
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.past, "now, not 2.2 s ago");
    assert_string_equal(fixture->view.state, "running");
    assert_true(fixture->view.is_beyond && !fixture->view.is_live);
    input.is_in_past = false;
    fixture->link.state = LINK_WAITING; /* that the server is gone matters more */
    fixture->playhead.is_live = false;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "reconnecting");
    snapshot_destroy(past);
    snapshot_destroy(now);
    free(fixture);
}

/* Two ranks, the second one the longest. */
static struct message_cluster two_ranks(void) {
    return (struct message_cluster){
        .mode = "stripes",
        .count = 2,
        .longest = 1,
        .balance = 0.875,
        .ghosts = 6714,
        .migrants_hz = 36.5,
        .rank_count = 2,
        .ranks = {
            {.rank = 0, .host = "node-a", .work_ms = 12, .wait_ms = 4, .agents = 501204, .ghosts = 3350},
            {.rank = 1,
             .host = "node-b",
             .work_ms = 16,
             .work_p99_ms = 24.4,
             .agents = 498796,
             .ghosts = 3364,
             .has_rows = true,
             .row = 300,
             .row_end = 598}}};
}

static void ranks_have_rows_and_bars(void **state) {
    struct fixture *fixture = fixture_create();
    struct message_cluster cluster = two_ranks();
    struct hud_input input = input_of(fixture);
    const struct panels_ranks *ranks = &fixture->view.ranks;
    hud_fill(&input, &fixture->view);
    assert_int_equal(ranks->row_count, 0);
    fixture->server.cluster = &cluster;
    hud_fill(&input, &fixture->view);
    assert_int_equal(ranks->row_count, 5);
    assert_string_equal(ranks->rows[0].value, "2, stripes");
    assert_string_equal(ranks->rows[1].value, "1 on node-b");
    assert_string_equal(ranks->rows[2].value, "88 %");
    assert_string_equal(ranks->rows[3].value, "6 714");
    assert_string_equal(ranks->rows[4].value, "36.5/s");
    assert_int_equal(ranks->count, 2);
    assert_true(ranks->bars[0].work == 0.75f && ranks->bars[0].wait == 0.25f && !ranks->bars[0].is_longest);
    assert_true(ranks->bars[1].work == 1.0f && ranks->bars[1].wait == 0.0f && ranks->bars[1].is_longest);
    assert_string_equal(ranks->bars[0].value, "12.0 + 4.0 ms");
    assert_string_equal(
        ranks->bars[1].tip,
        "Rank 1 on node-b: 498 796 agents, 3 364 ghosts, rows 300 up to 598. Work 16.00 ms a tick "
        "(1 % take 24.40 ms or more), wait 0.00 ms.");
    input.is_fixed = true; /* a picture to compare has no measured numbers */
    hud_fill(&input, &fixture->view);
    assert_int_equal(ranks->row_count, 0);
    free(fixture);
}

static void copies_have_no_ghosts_and_may_have_done_no_tick(void **state) {
    struct fixture *fixture = fixture_create();
    struct message_cluster cluster = {
        .mode = "copy", .count = 1, .balance = 1, .rank_count = 1, .ranks = {{.host = "here"}}};
    struct hud_input input = input_of(fixture);
    fixture->server.cluster = &cluster;
    hud_fill(&input, &fixture->view);
    assert_int_equal(fixture->view.ranks.row_count, 3);
    assert_true(fixture->view.ranks.bars[0].work == 0.0f);
    assert_true(fixture->view.ranks.bars[0].is_longest);
    free(fixture);
}

/* NULL without such a row. */
static const char *row_value(const struct panels_view *view, const char *name) {
    for (int i = 0; i < view->network_count; i++) {
        if (strcmp(view->network[i].name, name) == 0) {
            return view->network[i].value;
        }
    }
    return NULL;
}

static void figures_of_the_network_are_asked_for_or_explain(void **state) {
    struct fixture *fixture = fixture_create();
    struct hud_input input = input_of(fixture);
    hud_fill(&input, &fixture->view);
    assert_int_equal(fixture->view.network_count, 0);
    assert_string_equal(fixture->view.ping, "");
    fixture->settings.shows_network = true;
    input.measures.picture_ms[HUD_PICTURE_WORLD] = 4.0;
    input.measures.picture_ms[HUD_PICTURE_PANELS] = 3.5;
    fixture->link.snapshot_count = 200;
    fixture->link.skipped_count = 10;
    hud_fill(&input, &fixture->view);
    assert_true(fixture->view.network_count > 3 && !fixture->view.is_network_bad);
    assert_string_equal(row_value(&fixture->view, "snapshots drawn"), "95 %");
    assert_string_equal(fixture->view.ping, "0.4 ms");
    assert_string_equal(row_value(&fixture->view, "a picture takes"), "7.50 ms");
    assert_string_equal(row_value(&fixture->view, "- world"), "4.00 ms");
    assert_null(row_value(&fixture->view, "a tick takes")); /* the server has not said */
    fixture->server.phases = (struct message_phases){true, 0.25, 3.0, 0.5, 1.0};
    hud_fill(&input, &fixture->view);
    assert_string_equal(row_value(&fixture->view, "a tick takes"), "4.75 ms");
    assert_string_equal(row_value(&fixture->view, "- step"), "3.00 ms");
    fixture->settings.shows_network = false;
    fixture->frame.is_stalled = true;
    hud_fill(&input, &fixture->view);
    assert_true(fixture->view.network_count > 3 && fixture->view.is_network_bad);
    input.has_own_server = true; /* there is no network that could be bad */
    hud_fill(&input, &fixture->view);
    assert_true(fixture->view.network_count == 0 && !fixture->view.is_network_bad);
    free(fixture);
}

static void a_world_that_is_behind_its_rate_says_so(void **state) {
    struct fixture *fixture = fixture_create();
    struct hud_input input = input_of(fixture);
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "running");
    assert_int_equal(fixture->view.state_color, theme_color(PALETTE_SAFE, THEME_OK));
    assert_int_equal(fixture->view.state_words, theme_color(PALETTE_SAFE, THEME_TEXT));
    assert_string_equal(fixture->view.state_tip, "");
    input.measures.behind_rate = 0.0949;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "running 0.09x");
    assert_int_equal(fixture->view.state_color, theme_color(PALETTE_SAFE, THEME_WARN));
    assert_int_equal(fixture->view.state_words, theme_color(PALETTE_SAFE, THEME_WARN));
    assert_non_null(strstr(fixture->view.state_tip, "slower than it should"));
    assert_non_null(strstr(fixture->view.state_tip, "fewer agents, or more threads"));
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
    fixture->server.has_scenario = fixture->server.scenario.pace.is_warming = true;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "warming up 0 %");
    fixture->server.scenario.pace.warmed = 0.378;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "warming up 37 %");
    assert_non_null(strstr(fixture->view.state_tip, "fewer agents, or more threads"));
    assert_int_equal(fixture->view.state_color, theme_color(PALETTE_SAFE, THEME_ACCENT));
    fixture->server.scenario.pace.is_warming = false;
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

static void a_slow_link_is_said(void **state) {
    struct fixture *fixture = fixture_create();
    struct hud_input input = input_of(fixture);
    input.link = &fixture->link;
    fixture->link.paced_hz = 7.6;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "slow link: 8 frames a second");
    assert_int_not_equal(fixture->view.state_tip[0], '\0');
    fixture->link.paced_hz = 0.5;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "slow link: few frames");
    fixture->link.paced_hz = 0.1;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "slow link: catching up");
    fixture->server.is_paused = true;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "paused");
    free(fixture);
}

static void a_lost_server_is_announced(void **state) {
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

static void the_end_of_the_recording_s_server_is_said(void **state) {
    struct fixture *fixture = fixture_create();
    struct hud_input input = input_of(fixture);
    fixture->link = (struct link_status){.state = LINK_WAITING, .was_ready = true, .has_no_server = true};
    input.file = "hour.drover";
    input.ended = "out of memory";
    fixture->open.question = PANELS_ASKS_REOPEN;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "ended");
    assert_string_equal(fixture->view.banner[0], "");
    assert_string_equal(fixture->view.dialog.title, "The recording's server has ended");
    assert_non_null(strstr(fixture->view.dialog.words, "out of memory"));
    assert_non_null(strstr(fixture->view.dialog.words, "hour.drover"));
    assert_string_equal(fixture->view.dialog.agree, "Open again");
    fixture->open.question = PANELS_NO_QUESTION; /* Esc */
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.banner[1],
                        "out of memory\nCtrl+O opens hour.drover again. Ctrl+Q quits.");
    free(fixture);
}

static void how_to_start_a_server_is_said(void **state) {
    struct fixture *fixture = fixture_create();
    fixture->link =
        (struct link_status){.state = LINK_WAITING, .retry_at_ns = 3000000000u, .has_no_server = true};
    (void)snprintf(fixture->link.reason, sizeof fixture->link.reason, "connection refused");
    const struct hud_input input = input_of(fixture);
    hud_fill(&input, &fixture->view);
    assert_string_equal(
        fixture->view.banner[1],
        "127.0.0.1:7717: connection refused.\nNo server runs there. Start one:  drover-server flock\n"
        "Or open a recording:  drover-viewer FILE.drover");
    (void)snprintf(fixture->address.port, sizeof fixture->address.port, "7800");
    hud_fill(&input, &fixture->view);
    assert_non_null(strstr(fixture->view.banner[1], "drover-server flock --port 7800"));
    (void)snprintf(fixture->address.host, sizeof fixture->address.host, "lab.example");
    hud_fill(&input, &fixture->view);
    assert_null(strstr(fixture->view.banner[1], "Start one"));
    assert_non_null(strstr(fixture->view.banner[1], "No server listens there"));
    free(fixture);
}

/* ---- saved worlds and recordings ---- */

static void play(struct fixture *fixture) {
    fixture->server.has_scenario = true;
    fixture->server.scenario.tick_hz = 60;
    fixture->server.playback =
        (struct message_playback){.has_replay = true,
                                  .replay = {.world = 2,
                                             .worlds = 2,
                                             .tick = 83 * 60,
                                             .first = 0,
                                             .last = 300 * 60 - 1,
                                             .speed = 1.0,
                                             .span_count = 2,
                                             .spans = {{0, 60 * 60 - 1}, {0, 300 * 60 - 1}}}};
}

static void a_recording_has_a_timeline_of_all_of_it(void **state) {
    struct fixture *fixture = fixture_create();
    struct hud_input input = input_of(fixture);
    struct panels_view *view = &fixture->view;
    play(fixture);
    hud_fill(&input, view);
    assert_true(view->is_replay && view->is_live);
    assert_string_equal(view->state, "playing");
    assert_string_equal(view->past, "");
    assert_string_equal(view->replay.time, "2:23 / 5:59");
    assert_string_equal(view->replay.worlds, "world 2 of 2");
    assert_false(view->replay.has_diverged);
    assert_string_equal(view->replay.no_take_over, "");
    const struct replay_moment wish = {1, 30 * 60};
    input.wish = &wish; /* the handle stays where it was put */
    fixture->server.scenario.pace = message_pace_make(0.25);
    fixture->server.playback.replay.has_diverged = true;
    fixture->server.playback.replay.diverged_world = 2;
    fixture->server.playback.replay.diverged_tick = 4000;
    hud_fill(&input, view);
    assert_string_equal(view->replay.time, "0:30 / 5:59");
    assert_string_equal(view->replay.worlds, "world 1 of 2");
    assert_string_equal(view->state, "playing 0.25x");
    assert_true(view->speed == 0.25);
    assert_true(view->replay.has_diverged && view->replay.diverged.tick == 4000);
    assert_false(view->replay.is_other); /* world 1 is what was recorded */
    const struct replay_moment before = {2, 3999}, after = {2, 4000};
    input.wish = &before;
    hud_fill(&input, view);
    assert_false(view->replay.is_other);
    input.wish = &after;
    hud_fill(&input, view);
    assert_true(view->replay.is_other);
    fixture->server.playback.replay.is_seeking = true;
    fixture->server.playback.replay.sought = 0.125;
    hud_fill(&input, view);
    assert_string_equal(view->state, "seeking 12 %");
    fixture->server.role = ROLE_VIEWER;
    hud_fill(&input, view);
    assert_non_null(strstr(view->replay.no_take_over, "admin"));
    free(fixture);
}

static void the_bar_says_how_fast_the_world_goes(void **state) {
    struct fixture *fixture = fixture_create();
    struct hud_input input = input_of(fixture);
    struct panels_view *view = &fixture->view;
    play(fixture);
    fixture->server.playback.has_replay = false;
    input.measures.behind_rate = input.measures.pace = -1.0;
    fixture->server.scenario.pace = message_pace_make(0.5);
    hud_fill(&input, view);
    assert_string_equal(view->state, "running 0.5x");
    assert_int_equal(view->state_words, theme_color(PALETTE_SAFE, THEME_TEXT));
    input.measures.behind_rate = 0.558; /* of the ticks that are due at that speed */
    fixture->server.scenario.pace = message_pace_make(4.0);
    hud_fill(&input, view);
    assert_string_equal(view->state, "running 4x (55 %)");
    assert_int_equal(view->state_words, theme_color(PALETTE_SAFE, THEME_WARN));
    fixture->server.scenario.pace = message_pace_make(1.0);
    hud_fill(&input, view);
    assert_string_equal(view->state, "running 0.55x");
    input.measures.behind_rate = -1.0;
    server_model_ask_speed(&fixture->server, 0.0);
    hud_fill(&input, view);
    assert_string_equal(view->state, "max speed");
    input.measures.pace = 37.4;
    hud_fill(&input, view);
    assert_string_equal(view->state, "max 37x");
    fixture->server.role = ROLE_OPERATOR;
    hud_fill(&input, view);
    assert_non_null(strstr(view->no_speed, "Changing the speed needs the role admin"));
    free(fixture);
}

static void a_recording_allows_no_changes(void **state) {
    struct fixture *fixture = fixture_create();
    const struct hud_input input = input_of(fixture);
    play(fixture);
    hud_fill(&input, &fixture->view);
    assert_true(fixture->view.is_denied[SHORTCUT_ADD] && fixture->view.is_denied[SHORTCUT_PICKER]);
    assert_true(fixture->view.is_denied[SHORTCUT_RECORD] && fixture->view.is_denied[SHORTCUT_KEEP_MINUTE]);
    assert_non_null(strstr(fixture->view.no_tuning, "plays a recording"));
    assert_string_equal(fixture->view.no_time, "");
    assert_false(fixture->view.is_denied[SHORTCUT_NEXT_SCENARIO]); /* the key changes the speed there */
    assert_false(fixture->view.is_denied[SHORTCUT_TAKE_OVER]);
    fixture->server.playback.has_replay = false;
    hud_fill(&input, &fixture->view);
    assert_false(fixture->view.is_denied[SHORTCUT_ADD]);
    assert_true(fixture->view.is_denied[SHORTCUT_TAKE_OVER]);
    free(fixture);
}

static void a_world_that_is_continued_says_how_far_it_is(void **state) {
    struct fixture *fixture = fixture_create();
    const struct hud_input input = input_of(fixture);
    fixture->server.playback = (struct message_playback){.is_resuming = true, .resumed = 0.409};
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.state, "resuming 40 %");
    assert_int_equal(fixture->view.state_color, theme_color(PALETTE_SAFE, THEME_WARN));
    free(fixture);
}

static void the_picker_has_groups_and_finds_words(void **state) {
    struct fixture *fixture = fixture_create();
    struct hud_input input = input_of(fixture);
    struct message_scenario_row scenarios[] = {
        {.name = "crossing_crowds", .title = "Crossing crowds", .group = "crowds"},
        {.name = "orbits", .title = "Orbits", .group = "of a later server"},
        {.name = "seek", .title = "Seek", .group = "tutorials"},
        {.name = "hunters_and_prey",
         .title = "Hunters and prey",
         .group = "tutorials",
         .caption = "Predators tire.",
         .description = "Prey flee a hunter."},
        {.name = "avoid_agents",
         .title = "Avoid agents",
         .group = "behaviors",
         .description = "ORCA: one ring."},
    };
    fixture->server.scenarios = scenarios;
    fixture->server.scenario_count = 5;
    fixture->open.picker = true;
    input.wanted = "";
    hud_fill(&input, &fixture->view);
    const struct panels_hit *hits = fixture->view.hits;
    const char *const names[] = {"seek", "hunters_and_prey", "avoid_agents", "crossing_crowds", "orbits"};
    for (int i = 0; i < 5; i++) {
        assert_string_equal(hits[i].name, names[i]);
        assert_int_equal(hits[i].begins_group, i != 1);
    }
    assert_string_equal(hits[0].group, "Tutorials");
    assert_int_equal(hits[0].group_count, 2);
    assert_string_equal(hits[4].group, "Other scenarios");
    assert_string_equal(fixture->view.hit_words, "5 scenarios");
    input.wanted = "predator";
    hud_fill(&input, &fixture->view);
    assert_string_equal(hits[0].name, "hunters_and_prey");
    assert_true(fixture->view.hit_count == 1 && !hits[0].begins_group);
    input.wanted = "orca";
    hud_fill(&input, &fixture->view);
    assert_string_equal(hits[0].name, "avoid_agents");
    (void)snprintf(scenarios[4].description, sizeof scenarios[4].description, "A ring without hunters.");
    input.wanted = "hunter"; /* one title is far better, and a word of a text is not left out for that */
    hud_fill(&input, &fixture->view);
    assert_string_equal(hits[0].name, "hunters_and_prey");
    assert_int_equal(fixture->view.hit_count, 2);
    assert_string_equal(hits[1].name, "avoid_agents");
    fixture->server.scenarios = NULL; /* the test's */
    fixture->server.scenario_count = 0;
    server_model_fini(&fixture->server);
    free(fixture);
}

static void a_world_says_what_it_is(void **state) {
    struct fixture *fixture = fixture_create();
    struct hud_input input = input_of(fixture);
    struct message_scenario_row scenarios[39] = {{.name = "flock"}};
    const struct panels_caption *caption = &fixture->view.caption;
    fixture->server.has_scenario = true;
    (void)snprintf(fixture->server.scenario.description, sizeof fixture->server.scenario.description,
                   "Birds fly at 1.5 m. They turn.");
    input.caption_alpha = 0.5f;
    hud_fill(&input, &fixture->view);
    assert_string_equal(caption->lines[0], "Birds fly at 1.5 m.");
    assert_string_equal(caption->lines[1], "");
    assert_string_equal(caption->lines[2], "I: more about it      Ctrl+O: other scenarios");
    assert_true(caption->alpha == 0.5f);
    (void)snprintf(fixture->server.scenario.about.caption, sizeof fixture->server.scenario.about.caption,
                   "Birds.");
    fixture->server.scenarios = scenarios;
    fixture->server.scenario_count = 39;
    hud_fill(&input, &fixture->view);
    assert_string_equal(caption->lines[0], "Birds.");
    assert_string_equal(caption->lines[2], "I: more about it      Ctrl+O: 38 more scenarios");
    fixture->server.role = ROLE_VIEWER; /* may not load */
    hud_fill(&input, &fixture->view);
    assert_string_equal(caption->lines[2], "I: more about it");
    fixture->open.help = true; /* covers it */
    hud_fill(&input, &fixture->view);
    assert_true(caption->alpha == 0.0f);
    fixture->server.scenarios = NULL;
    fixture->server.scenario_count = 0;
    server_model_fini(&fixture->server);
    free(fixture);
}

static void saves_are_asked_for_and_listed(void **state) {
    struct fixture *fixture = fixture_create();
    struct hud_input input = input_of(fixture);
    struct message_save_row saves[] = {{.name = "flock-3600",
                                        .scenario = "flock",
                                        .tick = 3600,
                                        .agents = 250,
                                        .bytes = 12345,
                                        .saved = "2025-11-21T19:00:00Z"}};
    struct message_scenario_row scenarios[] = {{.name = "flock", .title = "Flock"},
                                               {.name = "seek", .title = "Seek"}};
    fixture->server.saves = saves;
    fixture->server.save_count = 1;
    fixture->server.scenarios = scenarios;
    fixture->server.scenario_count = 2;
    fixture->open.picker = true;
    input.wanted = "";
    input.wall_s = 1763751600 + 300;
    hud_fill(&input, &fixture->view);
    assert_int_equal(fixture->view.hit_count, 3);
    assert_true(fixture->view.hits[2].is_save && !fixture->view.hits[1].is_save);
    assert_string_equal(fixture->view.hits[2].title, "flock, tick 3 600");
    assert_string_equal(fixture->view.hits[2].description, "250 agents, 12 KB, saved 5 min ago");
    assert_string_equal(fixture->view.hit_words, "2 scenarios, 1 saved world");
    fixture->open.picker = false;
    fixture->open.question = PANELS_ASKS_NAME;
    input.proposal = "flock-3700";
    input.entered = "flock-37";
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.dialog.proposal, "flock-3700");
    assert_string_equal(fixture->view.dialog.agree, "Save");
    assert_string_equal(fixture->view.dialog.note, "");
    input.entered = "flock-3600";
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.dialog.agree, "Replace ...");
    assert_string_equal(fixture->view.dialog.note, "Taken: flock, tick 3 600, 250 agents, 12 KB, 5 min ago");
    struct snapshot *shown = make_snapshot(6000, NULL, 0);
    shown->tick = 362;
    fixture->frame.names = shown;
    fixture->playhead.is_live = false;
    input.now_tick = 539;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.dialog.note,
                        "This saves the world as it is now, tick 539; you are looking at tick 362.\n"
                        "Taken: flock, tick 3 600, 250 agents, 12 KB, 5 min ago");
    fixture->open.question = PANELS_ASKS_REPLACE;
    hud_fill(&input, &fixture->view);
    assert_non_null(strstr(fixture->view.dialog.note, "as it is now, tick 539"));
    snapshot_destroy(shown);
    fixture->frame.names = NULL;
    fixture->playhead.is_live = true;
    fixture->open.question = PANELS_ASKS_REMOVE;
    input.asked = saves;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.dialog.title, "Remove flock-3600?");
    assert_true(fixture->view.dialog.is_grave);
    free(fixture);
}

static void a_paused_world_that_has_just_begun_says_what_to_press(void **state) {
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
    play(fixture);
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.hint, "Paused: Space plays");
    fixture->server.playback.replay.worlds = fixture->server.playback.replay.world = 1;
    fixture->server.playback.replay.span_count = 1;
    fixture->server.playback.replay.spans[0] = (struct message_replay_span){0, 0};
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.hint, "The recording has no ticks");
    fixture->server.playback.has_replay = false;
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
    struct fixture *fixture = fixture_create();
    fixture->link = (struct link_status){.state = LINK_REFUSED, .was_ready = true};
    struct hud_input input = input_of(fixture);
    fixture->playhead.is_live = true;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.banner[0], "This server wants a token");
    assert_non_null(strstr(fixture->view.banner[1], "--token SECRET"));
    assert_string_equal(fixture->view.state, "not let in");
    assert_string_equal(fixture->view.no_time, "The server has not let this viewer in.");
    assert_string_equal(fixture->view.no_speed,
                        fixture->view.no_time); /* nothing of the timeline looks alive */
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

/* The picture is a moment between two snapshots, and a target moved in a pause changes what the next tick does: the rows
 * say what the equations are about. */
static void an_agent_s_rows_and_equations_are_of_one_tick(void **state) {
    struct fixture *fixture = fixture_create();
    const struct test_agent agents[] = {{.id = 7, .x = 320.1f, .y = 275.2f, .vx = 8, .state = "flock"}};
    struct snapshot *snapshot = make_snapshot(1000, agents, 1);
    static struct message_agent inspected = {
        .id = 7, .kind = "bird", .state = "flee", .x = 320.7f, .y = 275.5f};
    inspected.velocity = vec2_make(6, 8);
    inspected.heading = 53;
    frame_init(&fixture->frame);
    assert_int_equal(frame_reserve(&fixture->frame, 1), 0);
    struct frame *frame = &fixture->frame;
    frame->names = snapshot;
    frame->count = frame->settled_count = 1;
    frame->id[0] = 7;
    frame->kind[0] = frame->state[0] = 0;
    frame->x[0] = 320.1f, frame->y[0] = 275.2f, frame->vx[0] = 8, frame->vy[0] = 0;
    frame->dir_x[0] = frame->alpha[0] = 1, frame->dir_y[0] = 0;
    fixture->selection = (struct selection){.has_agent = true, .id = 7};
    struct hud_input input = input_of(fixture);
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.agent_state, "flock");
    assert_string_equal(fixture->view.agent_rows[1].value, "320.1, 275.2");
    input.inspected = &inspected;
    hud_fill(&input, &fixture->view);
    assert_string_equal(fixture->view.agent_state, "flee");
    assert_string_equal(fixture->view.agent_rows[1].value, "320.7, 275.5");
    assert_string_equal(fixture->view.agent_rows[2].value, "10.0 of 0.0 px/s");
    assert_string_equal(fixture->view.agent_rows[3].value, "53 deg");
    frame_fini(frame);
    snapshot_destroy(snapshot);
    free(fixture);
}

/* It covers neither the selected agent nor a target, nor one of few agents; where it is once, it stays. */
static void the_caption_keeps_clear(void **state) {
    struct fixture *fixture = fixture_create();
    struct snapshot *snapshot = make_snapshot(1000, NULL, 0);
    fixture->frame.names = snapshot;
    fixture->camera = (struct camera){.scale = 1.0f};
    fixture->server.has_scenario = true;
    (void)snprintf(fixture->server.scenario.about.caption, sizeof fixture->server.scenario.about.caption,
                   "It is so.");
    struct hud_input input = input_of(fixture);
    input.caption_alpha = 1.0f;
    input.picture.pixel_scale = 1.0f;
    hud_fill(&input, &fixture->view);
    assert_false(fixture->view.caption.is_high);
    fixture->frame.target_count = 1;
    fixture->frame.targets[0] = (struct frame_target){0, {420, 540}};
    hud_fill(&input, &fixture->view);
    assert_true(fixture->view.caption.is_high);
    input.was_caption_high = true;
    fixture->frame.targets[0].position = vec2_make(420, 300);
    hud_fill(&input, &fixture->view);
    assert_true(fixture->view.caption.is_high);
    fixture->frame.targets[0].position = vec2_make(420, 60);
    hud_fill(&input, &fixture->view);
    assert_false(fixture->view.caption.is_high);
    snapshot_destroy(snapshot);
    free(fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_named_by_what_matters_most),
        cmocka_unit_test(a_cursor_is_named_once),
        cmocka_unit_test(the_selected_agent_has_a_card),
        cmocka_unit_test(every_behavior_has_a_reason),
        cmocka_unit_test(numbers_are_shown),
        cmocka_unit_test(the_past_has_its_own_numbers),
        cmocka_unit_test(ranks_have_rows_and_bars),
        cmocka_unit_test(copies_have_no_ghosts_and_may_have_done_no_tick),
        cmocka_unit_test(figures_of_the_network_are_asked_for_or_explain),
        cmocka_unit_test(a_world_that_is_behind_its_rate_says_so),
        cmocka_unit_test(a_slow_link_is_said),
        cmocka_unit_test(a_lost_server_is_announced),
        cmocka_unit_test(the_end_of_the_recording_s_server_is_said),
        cmocka_unit_test(how_to_start_a_server_is_said),
        cmocka_unit_test(a_recording_has_a_timeline_of_all_of_it),
        cmocka_unit_test(a_recording_allows_no_changes),
        cmocka_unit_test(the_bar_says_how_fast_the_world_goes),
        cmocka_unit_test(a_world_that_is_continued_says_how_far_it_is),
        cmocka_unit_test(the_picker_has_groups_and_finds_words),
        cmocka_unit_test(a_world_says_what_it_is),
        cmocka_unit_test(saves_are_asked_for_and_listed),
        cmocka_unit_test(a_paused_world_that_has_just_begun_says_what_to_press),
        cmocka_unit_test(a_server_that_wants_a_token_says_so),
        cmocka_unit_test(what_a_role_may_not_do_is_marked),
        cmocka_unit_test(notices_become_toasts),
        cmocka_unit_test(gray_agents_have_a_row),
        cmocka_unit_test(the_caption_keeps_clear),
        cmocka_unit_test(an_agent_s_rows_and_equations_are_of_one_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
