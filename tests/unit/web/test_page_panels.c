/* The page's panels: sections out of a view, results out of messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "viewer/model/replay.h"
#include "viewer/panels/panel_controls.h"
#include "web/page_panels.h"

struct fixture {
    struct panels *panels;
    struct panels_view view;
    struct view_settings settings;
    struct panels_open open;
    struct server_model server;
    struct message_param params[2];
    double first_values[2];
    struct message_agent agent;
};

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->panels = panels_create(2.0f, false);
    assert_non_null(fixture->panels);
    fixture->settings = view_settings_default();
    fixture->settings.panel = PANEL_ON;
    fixture->params[0] =
        (struct message_param){.kind = "bird", .param = "max_speed", .value = 120, .max = 900};
    fixture->params[1] = (struct message_param){.kind = "bird", .param = "seek.weight", .value = 0, .max = 9};
    fixture->first_values[0] = 100;
    fixture->first_values[1] = 1;
    server_model_init(&fixture->server);
    fixture->server.params = fixture->params;
    fixture->server.first_values = fixture->first_values;
    fixture->server.param_count = 2;
    fixture->server.scenario.kind_count = 1;
    fixture->view.settings = &fixture->settings;
    fixture->view.open = &fixture->open;
    fixture->view.server = &fixture->server;
    fixture->view.tuned_kind = "bird";
    fixture->view.agent_kind = fixture->view.agent_state = fixture->view.state_tip = "";
    fixture->view.plot_mark = -1;
    fixture->view.speed = 1.0;
    fixture->view.now_s = 100.0;
    fixture->view.line = timeline_make(NULL, 6000.0, 60.0);
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    panels_destroy(fixture->panels);
    free(fixture);
    return 0;
}

static const struct panels_result *draw(struct fixture *fixture) {
    static const struct pointer pointer;
    static const struct panels_input input;
    return panels_draw(fixture->panels, &fixture->view, &pointer, &input, NULL);
}

static void send(struct fixture *fixture, const char *message) {
    assert_true(page_panels_message(fixture->panels, message, strlen(message)));
}

/* The sections that are new; the caller deletes them. */
static cJSON *sections(struct fixture *fixture) {
    size_t length = 0;
    const char *text = page_panels_sections(fixture->panels, &length);
    assert_int_equal(length, strlen(text));
    cJSON *json = cJSON_ParseWithLength(text, length);
    assert_non_null(json);
    return json;
}

static int count(cJSON *json) {
    const int size = cJSON_GetArraySize(json);
    cJSON_Delete(json);
    return size;
}

static void the_first_frame_has_all_sections_and_then_only_what_changed(void **state) {
    struct fixture *fixture = *state;
    assert_false(page_panels_have_news(fixture->panels));
    (void)draw(fixture);
    assert_true(page_panels_have_news(fixture->panels));
    assert_int_equal(count(sections(fixture)), 26);
    (void)draw(fixture);
    assert_false(page_panels_have_news(fixture->panels));
    assert_int_equal(count(sections(fixture)), 0);
    (void)snprintf(fixture->view.tick, sizeof fixture->view.tick, "%s", "60");
    (void)draw(fixture);
    cJSON *json = sections(fixture);
    assert_string_equal(json->child->string, "bar");
    assert_string_equal(cJSON_GetObjectItem(json->child, "tick")->valuestring, "60");
    assert_int_equal(count(json), 1);
}

static void a_section_that_is_not_fetched_is_the_newest_when_it_is(void **state) {
    struct fixture *fixture = *state;
    (void)draw(fixture);
    (void)snprintf(fixture->view.tick, sizeof fixture->view.tick, "%s", "60");
    (void)draw(fixture);
    (void)snprintf(fixture->view.tick, sizeof fixture->view.tick, "%s", "61");
    (void)draw(fixture);
    cJSON *json = sections(fixture);
    const cJSON *bar = cJSON_GetObjectItem(json, "bar");
    assert_string_equal(cJSON_GetObjectItem(bar, "tick")->valuestring, "61");
    cJSON_Delete(json);
}

static void the_card_beside_the_agent_is_a_section_of_its_own(void **state) {
    struct fixture *fixture = *state;
    (void)draw(fixture);
    assert_true(count(sections(fixture)) > 0);
    fixture->view.tag = (struct panels_tag){
        .low = {200, 100}, .high = {440, 160}, .lines = {"Agent 7 (bird): flee", "why", "P"}};
    (void)draw(fixture);
    cJSON *json = sections(fixture);
    assert_string_equal(json->child->string, "tag");
    assert_true(cJSON_GetObjectItem(json->child, "wide")->valuedouble > 0);
    const cJSON *lines = cJSON_GetObjectItem(json->child, "lines");
    assert_string_equal(cJSON_GetArrayItem(lines, 0)->valuestring, "Agent 7 (bird): flee");
    assert_int_equal(count(json), 1);
}

static void words_of_the_world_stay_text(void **state) {
    struct fixture *fixture = *state;
    const char *const hostile = "</script><b>\"\\\n";
    (void)snprintf(fixture->view.scenario, sizeof fixture->view.scenario, "%s", hostile);
    (void)draw(fixture);
    cJSON *json = sections(fixture);
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "bar"), "scenario")->valuestring,
                        hostile);
    cJSON_Delete(json);
}

static void ranks_have_rows_and_bars(void **state) {
    struct fixture *fixture = *state;
    struct panels_ranks *ranks = &fixture->view.ranks;
    ranks->row_count = ranks->count = 1;
    (void)snprintf(ranks->rows[0].name, sizeof ranks->rows[0].name, "%s", "balance");
    (void)snprintf(ranks->bars[0].name, sizeof ranks->bars[0].name, "%s", "7");
    ranks->bars[0].work = 0.75f;
    ranks->bars[0].wait = 0.25f;
    ranks->bars[0].is_longest = true;
    (void)draw(fixture);
    cJSON *json = sections(fixture);
    const cJSON *section = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "side"), PANEL_RANKS),
                *row = cJSON_GetObjectItem(section, "rows")->child,
                *bar = cJSON_GetObjectItem(json, "ranks")->child;
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(section, "shown")));
    assert_true(strlen(cJSON_GetObjectItem(row, "tip")->valuestring) > 0);
    assert_string_equal(cJSON_GetObjectItem(bar, "name")->valuestring, "7");
    assert_true(cJSON_GetObjectItem(bar, "work")->valuedouble == 75.0);
    assert_true(cJSON_GetObjectItem(bar, "wait")->valuedouble == 25.0);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(bar, "longest")));
    cJSON_Delete(json);
}

static void bad_messages_are_refused_and_do_nothing(void **state) {
    struct fixture *fixture = *state;
    static const char *const bad[] = {"", "{", "[]", "7", "{}", "{\"do\":7}", "{\"do\":\"no such\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(page_panels_message(fixture->panels, bad[i], strlen(bad[i])));
    }
    /* messages that name nothing there is */
    send(fixture, "{\"do\":\"shortcut\",\"row\":100000}");
    send(fixture, "{\"do\":\"choose\",\"row\":0,\"choice\":3}");
    send(fixture, "{\"do\":\"tune\",\"param\":77,\"value\":1}");
    send(fixture, "{\"do\":\"mute\",\"param\":-1}");
    send(fixture, "{\"do\":\"kind\",\"kind\":9}");
    send(fixture, "{\"do\":\"pick\",\"name\":\"nowhere\",\"save\":false}");
    send(fixture, "{\"do\":\"lit\",\"lit\":[99,\"a\",null]}");
    send(fixture, "{\"do\":\"agree\",\"entered\":\"x\"}");
    for (int i = 0; i < 8; i++) {
        const struct panels_result *result = draw(fixture);
        assert_null(result->shortcut);
        assert_null(result->chooses);
        assert_false(result->tunes || result->mutes || result->picks_kind || result->picks || result->agrees);
        assert_int_equal(result->lit.what, LIT_NOTHING);
        assert_int_equal(result->hit, -1);
    }
    assert_false(page_panels_wait(fixture->panels));
}

static void two_clicks_in_a_frame_are_two_frames(void **state) {
    struct fixture *fixture = *state;
    size_t rows = 0;
    const struct shortcut *table = shortcuts_table(&rows);
    send(fixture, "{\"do\":\"shortcut\",\"row\":1}");
    send(fixture, "{\"do\":\"shortcut\",\"row\":2}");
    send(fixture, "{\"do\":\"copy\"}");
    const struct panels_result *result = draw(fixture);
    assert_ptr_equal(result->shortcut, &table[1]);
    assert_false(result->copies);
    assert_true(page_panels_wait(fixture->panels));
    result = draw(fixture);
    assert_ptr_equal(result->shortcut, &table[2]);
    assert_true(result->copies);
    result = draw(fixture);
    assert_null(result->shortcut);
    assert_false(result->copies);
}

static void a_held_slider_goes_on_and_its_last_value_counts(void **state) {
    struct fixture *fixture = *state;
    fixture->open.params = true;
    send(fixture, "{\"do\":\"tune\",\"param\":0,\"value\":130,\"held\":true}");
    send(fixture, "{\"do\":\"tune\",\"param\":0,\"value\":140,\"held\":true}");
    const struct panels_result *result = draw(fixture);
    assert_true(result->tunes && result->is_sliding);
    assert_float_equal(result->value, 140.0, 0.0);
    result = draw(fixture); /* the hand rests */
    assert_true(result->tunes && result->is_sliding);
    send(fixture, "{\"do\":\"tune\",\"param\":0,\"value\":150,\"held\":false}");
    result = draw(fixture);
    assert_true(result->tunes && !result->is_sliding);
    assert_float_equal(result->value, 150.0, 0.0);
    assert_false(draw(fixture)->tunes);
    send(fixture, "{\"do\":\"first\",\"param\":0}");
    assert_float_equal(draw(fixture)->value, 100.0, 0.0);
}

static void the_slider_shows_the_value_under_the_hand(void **state) {
    struct fixture *fixture = *state;
    fixture->open.params = true;
    send(fixture, "{\"do\":\"tune\",\"param\":0,\"value\":140,\"held\":true}");
    (void)draw(fixture);
    (void)draw(fixture);
    cJSON *json = sections(fixture);
    const cJSON *row =
        cJSON_GetArrayItem(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "params"), "rows"), 0);
    assert_float_equal(cJSON_GetObjectItem(row, "value")->valuedouble, 140.0, 0.0);
    assert_float_equal(cJSON_GetObjectItem(row, "most")->valuedouble, 400.0, 0.0);
    assert_string_equal(cJSON_GetObjectItem(row, "group")->valuestring, "body");
    cJSON_Delete(json);
}

static void the_handle_of_the_timeline_holds_a_moment(void **state) {
    struct fixture *fixture = *state;
    fixture->view.recorded_s = 60.0;
    send(fixture, "{\"do\":\"scrub\",\"share\":0.5,\"held\":true}");
    assert_true(draw(fixture)->is_scrubbing);
    assert_float_equal(draw(fixture)->scrub_to_s, 70.0, 1e-9);
    send(fixture, "{\"do\":\"scrub\",\"share\":0.25,\"held\":false}");
    assert_float_equal(draw(fixture)->scrub_to_s, 55.0, 1e-9);
    assert_false(draw(fixture)->is_scrubbing);
    send(fixture, "{\"do\":\"scrub\",\"share\":1,\"held\":false}");
    assert_float_equal(draw(fixture)->scrub_to_s, 100.0, 0.0);
}

static void the_past_of_the_server_has_lanes_and_marks(void **state) {
    struct fixture *fixture = *state;
    struct message_past *past = &fixture->server.past;
    past->has_branches = true;
    past->branch_count = 2;
    past->branches[0] = (struct message_branch){.name = "b1", .first = 0, .last = 9000};
    past->branches[1] =
        (struct message_branch){.name = "b2", .from = "b1", .at = 5000, .last = 6000, .is_current = true};
    past->mark_count = past->change_count = 1;
    past->marks[0] = (struct message_mark){.name = "m1", .branch = "b1", .tick = 4800};
    past->changes[0] =
        (struct message_change){.tick = 8000, .branch = "b1", .by = 3, .op = "spawn", .text = "count 2"};
    fixture->server.past_count = 1;
    fixture->view.is_live = true;
    fixture->view.line = timeline_make(past, 6000.0, 60.0);
    (void)draw(fixture);
    cJSON *json = sections(fixture);
    const cJSON *section = cJSON_GetObjectItem(json, "past"),
                *lane = cJSON_GetObjectItem(section, "lanes")->child,
                *mark = cJSON_GetObjectItem(section, "marks")->child,
                *change = cJSON_GetObjectItem(section, "changes")->child,
                *timeline = cJSON_GetObjectItem(json, "timeline");
    assert_string_equal(cJSON_GetObjectItem(timeline, "back")->valuestring,
                        "-100 s"); /* the server keeps so much */
    assert_string_equal(cJSON_GetObjectItem(section, "branch")->valuestring, "branch b2");
    assert_string_equal(cJSON_GetObjectItem(lane, "name")->valuestring, "b1");
    assert_true(cJSON_GetObjectItem(lane, "from")->valuedouble == 5000.0);
    assert_true(cJSON_GetObjectItem(lane, "parent")->valuedouble == -1.0);
    assert_true(cJSON_GetObjectItem(mark, "lane")->valuedouble == -1.0);
    assert_string_equal(cJSON_GetObjectItem(mark, "words")->valuestring, "mark m1: 20.0 s ago, tick 4800");
    assert_true(cJSON_GetObjectItem(change, "lane")->valuedouble == 0.0);
    assert_string_equal(cJSON_GetObjectItem(change, "words")->valuestring,
                        "session 3: spawn count 2; 33.3 s ahead, tick 8000");
    cJSON_Delete(json);
    send(fixture, "{\"do\":\"branch\",\"name\":\"b1\"}");
    assert_string_equal(draw(fixture)->branch, "b1");
    assert_string_equal(draw(fixture)->branch, "");
    char message[64]; /* a place near a mark is the mark */
    (void)snprintf(message, sizeof message, "{\"do\":\"scrub\",\"share\":%.4f,\"held\":false}",
                   timeline_share(&fixture->view.line, 4801.0));
    send(fixture, message);
    assert_float_equal(draw(fixture)->scrub_to_s, 80.0, 0.0);
}

static void a_place_of_the_speed_is_a_speed_and_its_middle_is_one(void **state) {
    struct fixture *fixture = *state;
    send(fixture, "{\"do\":\"speed\",\"place\":0.5193,\"held\":false}");
    const struct panels_result *result = draw(fixture);
    assert_true(result->sets_speed);
    assert_float_equal(result->speed, 1.0, 0.0);
    send(fixture, "{\"do\":\"speed\",\"place\":7}");
    assert_float_equal(draw(fixture)->speed, SPEEDS_MOST, 1e-9);
    send(fixture, "{\"do\":\"set_speed\",\"speed\":0}");
    assert_float_equal(draw(fixture)->speed, 0.0, 0.0);
}

/* The row that is pointed at lasts, a click is of one picture; so is the width of the panel. */
static void a_row_of_the_legend_is_lit_and_kept(void **state) {
    struct fixture *fixture = *state;
    assert_int_equal(draw(fixture)->lights, -1);
    send(fixture, "{\"do\":\"light\",\"row\":2}");
    (void)draw(fixture);
    const struct panels_result *result = draw(fixture);
    assert_true(result->lights == 2 && !result->keeps_light);
    send(fixture, "{\"do\":\"light\",\"row\":-1}");
    send(fixture, "{\"do\":\"keep_light\",\"row\":1}");
    send(fixture, "{\"do\":\"width\",\"px\":400}");
    result = draw(fixture);
    assert_true(result->keeps_light && result->lights == 1 && result->panel_width == 400.0);
    result = draw(fixture);
    assert_true(!result->keeps_light && result->lights == -1 && result->panel_width == 0.0);
}

static void a_hit_is_found_by_its_name(void **state) {
    struct fixture *fixture = *state;
    fixture->open.picker = true;
    fixture->view.hits[0] = (struct panels_hit){"flock", "Flock", "", "", "Behaviors", false, true, 1};
    fixture->view.hits[1] = (struct panels_hit){"flock", "flock", "", "", "Saved worlds", true, true, 1};
    fixture->view.hit_count = 2;
    send(fixture, "{\"do\":\"wanted\",\"text\":\"flo\"}");
    send(fixture, "{\"do\":\"pick\",\"name\":\"flock\",\"save\":true}");
    const struct panels_result *result = draw(fixture);
    assert_true(result->picks && !result->removes && result->wants_keys);
    assert_int_equal(result->hit, 1);
    assert_string_equal(result->wanted, "flo");
    assert_false(draw(fixture)->picks);
    fixture->open.picker = false;
    assert_string_equal(draw(fixture)->wanted, "");
}

static void a_question_is_answered_with_what_its_line_holds(void **state) {
    struct fixture *fixture = *state;
    fixture->open.question = PANELS_ASKS_NAME;
    fixture->view.dialog.has_line = true;
    send(fixture, "{\"do\":\"agree\",\"entered\":\"\"}");
    assert_false(draw(fixture)->agrees);
    send(fixture, "{\"do\":\"agree\",\"entered\":\"night\"}");
    const struct panels_result *result = draw(fixture);
    assert_true(result->agrees);
    assert_string_equal(result->entered, "night");
    assert_false(draw(fixture)->agrees);
}

static void the_selected_agent_has_its_equations_and_its_muted_behaviors(void **state) {
    struct fixture *fixture = *state;
    struct message_agent *agent = &fixture->agent;
    (void)snprintf(agent->kind, sizeof agent->kind, "bird");
    (void)snprintf(fixture->view.agent, sizeof fixture->view.agent, "bird 7");
    agent->term_count = 1;
    agent->terms[0] = (struct message_agent_term){
        .behavior = "flee", .type = "flee", .weight = 1, .wants = {30, 40}, .gets = {15, 20}, .tier = -1};
    fixture->view.inspected = agent;
    fixture->view.lit = (struct lit){LIT_TERM, 0, -1, -1};
    (void)draw(fixture);
    cJSON *json = sections(fixture);
    const cJSON *equations = cJSON_GetObjectItem(json, "equations");
    const cJSON *term = cJSON_GetArrayItem(cJSON_GetObjectItem(equations, "terms"), 0);
    assert_string_equal(cJSON_GetObjectItem(term, "words")->valuestring, "wants 50, gets 25");
    assert_float_equal(cJSON_GetObjectItem(term, "gets")->valuedouble, 0.5, 1e-9);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(term, "on")));
    const cJSON *muted = cJSON_GetArrayItem(cJSON_GetObjectItem(equations, "muted"), 0);
    assert_string_equal(cJSON_GetObjectItem(muted, "behavior")->valuestring, "seek");
    assert_float_equal(cJSON_GetObjectItem(muted, "weight")->valuedouble, 1, 0);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(equations, "sum")) > 0);
    cJSON_Delete(json);
    send(fixture, "{\"do\":\"mute\",\"param\":1}");
    const struct panels_result *result = draw(fixture);
    assert_true(result->mutes && result->param == 1);
}

static void measures_of_the_page_place_names_and_the_legend(void **state) {
    struct fixture *fixture = *state;
    send(fixture, "{\"do\":\"font\",\"line\":20,\"widths\":[5,6]}");
    send(fixture, "{\"do\":\"cover\",\"right\":180,\"bottom\":90.5}");
    assert_float_equal(panels_line_px(fixture->panels), 40.0, 0.0);
    assert_float_equal(panels_words_px(fixture->panels, " !"), 22.0, 1e-4);
    const struct panels_result *result = draw(fixture);
    assert_float_equal(result->legend_right, 360.0, 0.0);
    assert_float_equal(result->legend_bottom, 181.0, 0.0);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_frame_has_all_sections_and_then_only_what_changed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_section_that_is_not_fetched_is_the_newest_when_it_is, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_card_beside_the_agent_is_a_section_of_its_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_of_the_world_stay_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ranks_have_rows_and_bars, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_messages_are_refused_and_do_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_clicks_in_a_frame_are_two_frames, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_held_slider_goes_on_and_its_last_value_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_slider_shows_the_value_under_the_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_handle_of_the_timeline_holds_a_moment, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_past_of_the_server_has_lanes_and_marks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_place_of_the_speed_is_a_speed_and_its_middle_is_one, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_row_of_the_legend_is_lit_and_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_hit_is_found_by_its_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_question_is_answered_with_what_its_line_holds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_selected_agent_has_its_equations_and_its_muted_behaviors, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(measures_of_the_page_place_names_and_the_legend, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
