/* What a person does in the viewer: edits, handles, searches, inspections, keys. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/model/edits.h"
#include "viewer/model/history.h"
#include "viewer/model/input.h"
#include "viewer/model/meters.h"
#include "viewer/model/radius_overlay.h"
#include "viewer/model/shortcuts.h"
#include "viewer/panels/hud_internal.h"

/* ==== edits ====
 * Undo and redo: the opposite requests, sliders as one edit, other clients, agents that come back. */

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
    (void)edits_add(&edits, &(struct edit){.what = EDIT_DOOR, .obstacle = 4, .closes = true});
    expect_words(true, "door 4 open");
    request = step(true);
    assert_true(request.op == REQUEST_SET_OBSTACLE && request.body.set_obstacle.obstacle == 4);
    assert_false(request.body.set_obstacle.closed);
    assert_true(step(false).body.set_obstacle.closed);
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
    const struct edit *back = edits_name_agents(&edits, number, 0, 251);
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
    assert_non_null(edits_name_agents(&edits, number, 0, 100));
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

/* What came with the moment's tick came after the moment. */
static void a_rewind_keeps_what_was_done_before(void **state) {
    struct message_event event = {
        .event = "param", .by = 3, .tick = 60, .has = EVENT_HAS_PARAM | EVENT_HAS_KIND};
    (void)snprintf(event.kind, sizeof event.kind, "bird");
    (void)snprintf(event.param, sizeof event.param, "mass");
    edits.now = 50;
    edits_add_param(&edits, "bird", "mass", 1.0, 2.0, false);
    const uint32_t added = edits_add(&edits, &(struct edit){.what = EDIT_ADDED, .count = 1})->number;
    edits_note(&edits, &event, 3); /* it was sent at 50 and done at 60 */
    assert_non_null(edits_name_agents(&edits, added, 61, 9));
    edits.now = 90;
    (void)edits_add(&edits, &(struct edit){.what = EDIT_OBSTACLE, .obstacle = 3});
    edits_cut(&edits, 90);
    assert_int_equal(edits.done, 2);
    (void)step(true);
    event.tick = 95; /* of the undo, which is no edit's */
    edits_note(&edits, &event, 3);
    edits_cut(&edits, 61);
    assert_true(edits.count == 1 && edits.done == 1);
    expect_words(true, "mass of bird 2 -> 1");
    edits_cut(&edits, 60);
    assert_null(edits_next(&edits, true));
}

static void only_its_own_ids_have_a_number(void **state) {
    assert_int_equal(edits_number("\"edit-12\""), 12);
    assert_int_equal(edits_number("\"tune\""), 0);
    assert_int_equal(edits_number(""), 0);
}

/* ==== Every shape is found where it is and a little beyond; a moved one keeps its shape ==== */

static struct message_geometry three_shapes(void) {
    struct message_geometry geometry = {.obstacle_count = 3};
    geometry.obstacles[0] =
        (struct obstacle_def){.shape = OBSTACLE_CIRCLE, .at = {50, 50}, .radius = 20, .id = 4};
    geometry.obstacles[1] =
        (struct obstacle_def){.shape = OBSTACLE_BOX, .at = {100, 20}, .size = {60, 40}, .id = 7};
    geometry.obstacles[2] = (struct obstacle_def){
        .shape = OBSTACLE_POLYGON, .point_count = 3, .points = {{20, 180}, {80, 180}, {20, 120}}, .id = 9};
    return geometry;
}

static const struct message_moment open_moment = {{0, 0}, 60.0, 90.0};

static uint32_t id_at(const struct message_geometry *geometry, float x, float y, float reach) {
    const struct obstacle_def *found = obstacle_handle_find(geometry, vec2_make(x, y), reach, &open_moment);
    return found != NULL ? found->id : 0;
}

static void distances(void **state) {
    const struct message_geometry geometry = three_shapes();
    const struct obstacle_def *circle = &geometry.obstacles[0], *box = &geometry.obstacles[1],
                              *polygon = &geometry.obstacles[2];
    assert_true(obstacle_handle_distance(circle, vec2_make(60, 60)) == 0.0f);
    assert_true(obstacle_handle_distance(circle, vec2_make(75, 50)) == 5.0f);
    assert_true(obstacle_handle_distance(box, vec2_make(159, 21)) == 0.0f);
    assert_true(obstacle_handle_distance(box, vec2_make(163, 64)) == 5.0f); /* 3 and 4 beyond the corner */
    assert_true(obstacle_handle_distance(polygon, vec2_make(30, 160)) == 0.0f);
    assert_true(obstacle_handle_distance(polygon, vec2_make(50, 184)) == 4.0f);
    assert_true(fabsf(obstacle_handle_distance(polygon, vec2_make(60, 140)) - 7.0710678f * 2.0f) < 1e-4f);
}

/* A horseshoe that opens downwards: its court is outside. */
static void a_court_is_outside(void **state) {
    const struct obstacle_def horseshoe = {
        .shape = OBSTACLE_POLYGON,
        .point_count = 8,
        .points = {{0, 0}, {90, 0}, {90, 80}, {70, 80}, {70, 20}, {20, 20}, {20, 80}, {0, 80}}};
    assert_true(obstacle_handle_distance(&horseshoe, vec2_make(10, 70)) == 0.0f);
    assert_true(obstacle_handle_distance(&horseshoe, vec2_make(80, 40)) == 0.0f);
    assert_true(obstacle_handle_distance(&horseshoe, vec2_make(45, 10)) == 0.0f);
    assert_true(obstacle_handle_distance(&horseshoe, vec2_make(45, 70)) == 25.0f);
    assert_true(obstacle_handle_distance(&horseshoe, vec2_make(30, 25)) == 5.0f);
    assert_true(obstacle_handle_distance(&horseshoe, vec2_make(-3, 84)) == 5.0f);
}

static void found_inside_and_within_reach(void **state) {
    const struct message_geometry geometry = three_shapes();
    assert_int_equal(id_at(&geometry, 50, 50, 0), 4);
    assert_int_equal(id_at(&geometry, 130, 40, 0), 7);
    assert_int_equal(id_at(&geometry, 30, 160, 0), 9);
    assert_int_equal(id_at(&geometry, 75, 50, 4), 0);
    assert_int_equal(id_at(&geometry, 75, 50, 6), 4);
    assert_int_equal(id_at(&geometry, 90, 50, 100), 7); /* 10 px from the box, 20 from the circle */
}

static void the_one_on_top_is_taken(void **state) {
    struct message_geometry geometry = three_shapes();
    geometry.obstacles[1].at = vec2_make(40, 40);
    assert_int_equal(id_at(&geometry, 50, 50, 3), 7);
    geometry.obstacles[1].id = 0;
    assert_int_equal(id_at(&geometry, 50, 50, 3), 4);
}

static void what_moves_is_where_it_is(void **state) {
    struct message_geometry geometry = three_shapes();
    geometry.path_count = 1;
    geometry.paths[0] = (struct path_def){.name = "r", .point_count = 2, .points = {{0, 0}, {0, 300}}};
    geometry.obstacles[0].move = (struct move_def){.path = "r", .speed = 100};
    geometry.obstacles[1].door = (struct door_def){{80, 0}, 1.0f, true, 120}; /* half closed at tick 90 */
    assert_int_equal(id_at(&geometry, 50, 50, 0), 0);
    assert_int_equal(id_at(&geometry, 50, 200, 0), 4);
    assert_int_equal(id_at(&geometry, 130, 40, 0), 0);
    assert_int_equal(id_at(&geometry, 199, 40, 0), 7);
    geometry.obstacles[0].move.path[0] = '?'; /* of a later server: it stands still */
    assert_int_equal(id_at(&geometry, 50, 50, 0), 4);
}

static void copies_of_a_wrapping_world_count(void **state) {
    struct message_geometry geometry = three_shapes();
    geometry.obstacles[0].at = vec2_make(195, 5); /* radii over both edges */
    const vec2 size = {200, 200};
    assert_int_equal(id_at(&geometry, 2, 198, 0), 0);
    const struct obstacle_def *found =
        obstacle_handle_find(&geometry, vec2_make(2, 198), 0.0f, &(struct message_moment){size, 60.0, 0.0});
    assert_non_null(found);
    assert_int_equal(found->id, 4);
}

static void moved_as_a_whole(void **state) {
    const struct message_geometry geometry = three_shapes();
    const struct obstacle_def moved = obstacle_moved(&geometry.obstacles[2], vec2_make(120, 80));
    assert_true(moved.points[0].x == 120 && moved.points[0].y == 80);
    assert_true(moved.points[2].x == 120 && moved.points[2].y == 20);
    assert_int_equal(moved.id, 9);
    const struct obstacle_def box = obstacle_moved(&geometry.obstacles[1], vec2_make(1, 2));
    assert_true(box.at.x == 1 && box.at.y == 2 && box.size.x == 60);
    assert_true(obstacle_point(&box).x == 1);
}

static void found_by_id(void **state) {
    struct message_geometry geometry = three_shapes();
    geometry.obstacles[0].id = 0;
    assert_ptr_equal(obstacle_handle_by_id(&geometry, 9), &geometry.obstacles[2]);
    assert_null(obstacle_handle_by_id(&geometry, 4));
    assert_null(obstacle_handle_by_id(&geometry, 0));
}

/* ==== From a motion of the mouse to the frame that shows it ==== */

static void measures_what_came_back(void **state) {
    struct echo echo = {0};
    assert_true(echo_median_ms(&echo) < 0.0);
    echo_note_sent(&echo, vec2_make(10.0f, 20.0f), 100.0);
    echo_note_sent(&echo, vec2_make(11.0f, 20.0f), 110.0);
    echo_note_sent(&echo, vec2_make(12.0f, 20.0f), 120.0);
    echo_note_seen(&echo, vec2_make(50.0f, 20.0f), 130.0); /* another client's */
    assert_true(echo_median_ms(&echo) < 0.0);
    echo_note_seen(&echo, vec2_make(11.01f, 20.0f), 150.0);
    assert_true(echo_median_ms(&echo) == 40.0);
    echo_note_seen(&echo, vec2_make(10.0f, 20.0f), 160.0);  /* older than one that was answered */
    echo_note_seen(&echo, vec2_make(11.01f, 20.0f), 170.0); /* the same frame again */
    assert_int_equal(echo.count, 1);
    echo_note_seen(&echo, vec2_make(12.0f, 20.0f), 180.0);
    assert_int_equal(echo.count, 2);
    assert_true(echo_median_ms(&echo) == 60.0);
}

static void forgets_the_oldest(void **state) {
    struct echo echo = {0};
    for (int i = 0; i < 3 * ECHO_SENT; i++) {
        echo_note_sent(&echo, vec2_make((float)i, 0.0f), i);
    }
    echo_note_seen(&echo, vec2_make(5.0f, 0.0f), 1000.0);
    assert_int_equal(echo.count, 0);
    echo_note_seen(&echo, vec2_make(3.0f * ECHO_SENT - 1.0f, 0.0f), 1000.0);
    assert_int_equal(echo.count, 1);
    assert_int_equal(echo.sent_count, 0);
}

/* ==== Names by a few letters; radii by parameters' names; the numbers of the plots ==== */

static void letters_find_names(void **state) {
    assert_int_equal(fuzzy_score("xyz", "hunters_and_prey"), 0);
    assert_int_equal(fuzzy_score("yh", "hunters"), 0); /* in order */
    assert_true(fuzzy_score("", "anything") > 0);
    assert_true(fuzzy_score("HAP", "hunters_and_prey") > fuzzy_score("hap", "shape_and_path"));
    assert_true(fuzzy_score("seek", "seek_and_flee") > fuzzy_score("seek", "snakes_eat_cake_k"));
    assert_true(fuzzy_score("flow", "follow_flow") > fuzzy_score("flow", "follow_wall"));
    assert_true(fuzzy_score("and prey", "hunters_and_prey") > 0);
}

static void words_find_texts(void **state) {
    assert_int_equal(fuzzy_words_score("orca", "Walkers of reach and care"),
                     0); /* letters alone are not enough */
    assert_true(fuzzy_words_score("ORCA", "reciprocal avoidance (orca)") > 0);
    assert_true(fuzzy_words_score("prey falcon", "A falcon chases its prey") > 0);
    assert_int_equal(fuzzy_words_score("prey eagle", "A falcon chases its prey"), 0);
    assert_true(fuzzy_words_score("con", "a convoy") > fuzzy_words_score("con", "a falcon"));
    assert_true(fuzzy_words_score(" ", "anything") > 0);
}

static struct message_param param(const char *kind, const char *name, double value) {
    struct message_param made = {.value = value};
    (void)snprintf(made.kind, sizeof made.kind, "%s", kind);
    (void)snprintf(made.param, sizeof made.param, "%s", name);
    return made;
}

static void parameters_become_reaches(void **state) {
    const struct message_param params[] = {
        param("boid", "radius", 4),
        param("boid", "flock.alignment_radius", 60),
        param("boid", "flock.alignment_view", 90),
        param("boid", "wander/wander.radius", 30),
        param("boid", "wander/wander.distance", 50),
        param("boid", "seek/arrive.slowing_distance", 20),
        param("boid", "seek/arrive.within", 0),
        param("boid", "queue.radius", 80),
        param("boid", "queue.field_of_view", 180),
        param("cat", "seek.within", 300),
    };
    struct radius_overlay found[RADIUS_OVERLAY_MOST];
    const int count = (int)(sizeof params / sizeof params[0]);
    assert_int_equal(radius_overlay_find(params, count, "boid", "wander", found), 3);
    assert_int_equal(found[0].form, RADIUS_VIEW);
    assert_string_equal(found[0].behavior, "alignment");
    assert_true(found[0].radius == 60.0f && fabsf(found[0].view - 1.5708f) < 1e-3f);
    assert_int_equal(found[1].form, RADIUS_WANDER);
    assert_true(found[1].radius == 30.0f && found[1].distance == 50.0f);
    assert_true(fabsf(found[2].view - 3.1416f) < 1e-3f);
    assert_int_equal(radius_overlay_find(params, count, "boid", "seek", found), 3);
    assert_int_equal(found[1].form, RADIUS_SLOWING);
    assert_string_equal(found[1].behavior, "arrive");
    assert_int_equal(radius_overlay_find(params, count, "cat", "seek", found), 1);
    assert_int_equal(found[0].form, RADIUS_NOTICE);
    assert_int_equal(radius_overlay_find(params, count, "dog", "seek", found), 0);
    assert_int_equal(radius_overlay_find(NULL, 0, "cat", "seek", found), 0);
}

static void rings_have_names(void **state) {
    const struct radius_overlay rings[] = {
        {.form = RADIUS_VIEW, .behavior = "separation", .radius = 20},
        {.form = RADIUS_VIEW, .behavior = "alignment", .radius = 50},
        {.form = RADIUS_VIEW, .behavior = "cohesion", .radius = 50.2f},
        {.form = RADIUS_SLOWING, .behavior = "arrive", .radius = 50},
    };
    char words[64], few[12];
    assert_true(radius_overlay_name(rings, 4, 0, words, sizeof words));
    assert_string_equal(words, "separation 20 px");
    assert_true(radius_overlay_name(rings, 4, 1, words, sizeof words));
    assert_string_equal(words, "alignment, cohesion 50 px");
    assert_false(radius_overlay_name(rings, 4, 2, words, sizeof words));
    assert_true(radius_overlay_name(rings, 4, 3, words, sizeof words));
    assert_string_equal(words, "arrive slows down 50 px");
    assert_true(radius_overlay_name(rings, 4, 1, few, sizeof few));
    assert_string_equal(few, "alignment, ");
}

static void plots_are_means_and_stay_a_minute(void **state) {
    static struct plots plots;
    const struct test_agent agents[] = {{.id = 1, .vx = 30, .state = "seek"},
                                        {.id = 2, .vx = -30, .state = "flee"},
                                        {.id = 3, .vy = 60, .state = "seek"}};
    plots_init(&plots);
    for (int i = 0; i < 2000; i++) {
        struct snapshot *snapshot = make_snapshot(i * 50.0, agents, 3);
        plots_add(&plots, snapshot);
        snapshot_destroy(snapshot);
    }
    assert_int_equal(plots.count, PLOTS_SAMPLES);
    const struct plots_sample *newest = plots_at(&plots, plots.count - 1);
    assert_true(fabsf(newest->mean_speed - 40.0f) < 1e-3f);
    assert_true(fabsf(newest->order - 1.0f / 3.0f) < 1e-3f);
    assert_string_equal(plots.state_names[0], "seek");
    assert_true(newest->states[0] == 2.0f && newest->states[1] == 1.0f);
    assert_true(fabs(newest->time_s - plots_at(&plots, 0)->time_s - 59.9) < 0.2);
    struct snapshot *last = make_snapshot(1999 * 50.0, agents, 3);
    for (int i = 0; i < 100; i++) { /* paused: the server's clock goes on, the world's does not */
        last->clock_ms += 200.0;
        plots_add(&plots, last);
    }
    snapshot_destroy(last);
    assert_true(plots_at(&plots, plots.count - 1) == newest);
    assert_int_equal(plots_find(&plots, 1e9), PLOTS_SAMPLES - 1);
    assert_int_equal(plots_find(&plots, 1.0), -1);
    const int found = plots_find(&plots, newest->time_s - 3.0);
    assert_true(fabs(plots_at(&plots, found)->time_s - newest->time_s + 3.0) < 0.051);
    FILE *file = tmpfile();
    char head[64] = "", line[64] = "";
    assert_non_null(file);
    assert_int_equal(plots_write_csv(&plots, file), 0);
    rewind(file);
    assert_non_null(fgets(head, sizeof head, file));
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(head, "time_s,mean_speed,order,seek,flee\n");
    assert_non_null(strstr(line, ",40.000,0.333,2,1\n"));
    fclose(file);
    assert_false(plots_is_part(plots_at(&plots, plots.count - 1)));
}

static void plots_of_a_part_say_so(void **state) {
    static struct plots plots;
    const struct test_agent agents[] = {{.id = 1, .vx = 30}, {.id = 2, .vx = 50}};
    char text[160] = "";
    plots_init(&plots);
    struct snapshot *snapshot = make_snapshot(0.0, agents, 2);
    plots_add(&plots, snapshot);
    snapshot->time_s = 1.0;
    plots.in_world = 50000.0; /* those around what is visible are sent alone */
    plots_add(&plots, snapshot);
    snapshot_destroy(snapshot);
    assert_false(plots_is_part(plots_at(&plots, 0)));
    assert_true(plots_is_part(plots_at(&plots, 1)));
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(plots_write_csv(&plots, file), 0);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_string_equal(text, "time_s,mean_speed,order,seek,agents_in_view,agents_in_world\n"
                              "0.000,40.000,1.000,2,2,2\n1.000,40.000,1.000,2,2,50000\n");
    fclose(file);
}

/* ==== No key twice; every key has a name and a help; every action has a key ==== */

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

/* ==== Forces of the past belong to their moment and agent, and stay bounded ==== */

static struct message_agent *agent_create(uint32_t id, float steering) {
    struct message_agent *agent = calloc(1, sizeof *agent);
    assert_non_null(agent);
    agent->id = id;
    agent->steering = vec2_make(steering, 0.0f);
    agent->share_count = agent->neighbor_count = agent->point_count = agent->term_count = 2;
    agent->shares[1].force = vec2_make(steering, 1.0f);
    agent->neighbors[1] = id + 7;
    agent->points[1].radius = 3.0f;
    agent->terms[1].weight = 2.0f;
    memcpy(agent->kind, "hunter", 7);
    return agent;
}

static void add(struct inspections *inspections, uint64_t tick, uint32_t id, float steering) {
    struct message_agent *agent = agent_create(id, steering);
    inspections_add(inspections, tick, agent);
    free(agent);
}

static void the_nearest_moment_of_the_agent_is_found(void **state) {
    struct inspections *kept = calloc(1, sizeof *kept);
    struct message_agent *wanted = agent_create(3, 20.0f), *found = calloc(1, sizeof *found);
    assert_non_null(kept);
    assert_non_null(found);
    add(kept, 10, 3, 10.0f);
    add(kept, 20, 3, 20.0f);
    add(kept, 21, 4, 21.0f);
    assert_true(inspections_find(kept, 3, 21.4, 5.0, found));
    assert_memory_equal(found, wanted, sizeof *found);
    assert_true(inspections_find(kept, 3, 14.0, 5.0, found));
    assert_true(found->steering.x == 10.0f);
    assert_false(inspections_find(kept, 3, 30.0, 5.0, found));
    assert_false(inspections_find(kept, 5, 20.0, 5.0, found));
    add(kept, 20, 3, 99.0f); /* a request changed the paused world */
    assert_int_equal(kept->count, 3);
    assert_true(inspections_find(kept, 3, 20.0, 0.5, found) && found->steering.x == 99.0f);
    inspections_clear(kept);
    assert_false(inspections_find(kept, 3, 20.0, 5.0, found));
    free(wanted);
    free(found);
    free(kept);
}

static void they_stay_bounded(void **state) {
    struct inspections *kept = calloc(1, sizeof *kept);
    struct message_agent *agent = agent_create(3, 1.0f), *found = calloc(1, sizeof *found);
    assert_non_null(kept);
    assert_non_null(found);
    for (uint64_t tick = 0; tick < 2 * INSPECTIONS_MOST; tick++) {
        inspections_add(kept, tick, agent);
        assert_true(kept->count <= INSPECTIONS_MOST && kept->bytes <= (size_t)INSPECTIONS_BYTES);
    }
    assert_true(inspections_find(kept, 3, 2.0 * INSPECTIONS_MOST - 1.0, 0.5, found));
    assert_false(inspections_find(kept, 3, 1.0, 0.5, found));
    inspections_clear(kept);
    free(agent);
    free(found);
    free(kept);
}

/* ==== A muted behavior gets back the weight it had ==== */

static void a_weight_comes_back(void **state) {
    struct mutes mutes = {0};
    struct message_param weight = {.kind = "bird", .param = "flock.weight", .value = 2.5};
    assert_true(mutes_toggle(&mutes, &weight) == 0.0);
    weight.value = 0.0;
    assert_true(mutes_toggle(&mutes, &weight) == 2.5);
    assert_int_equal(mutes.count, 0);
    assert_true(mutes_toggle(&mutes, &weight) == 1.0); /* 0 from the start */
}

static void the_oldest_note_is_forgotten(void **state) {
    struct mutes mutes = {0};
    struct message_param weight = {.kind = "bird", .value = 3.0};
    for (int i = 0; i <= MUTES_MOST; i++) {
        (void)snprintf(weight.param, sizeof weight.param, "seek%d.weight", i);
        assert_true(mutes_toggle(&mutes, &weight) == 0.0);
    }
    assert_int_equal(mutes.count, MUTES_MOST);
    weight.value = 0.0;
    (void)snprintf(weight.param, sizeof weight.param, "seek0.weight");
    assert_true(mutes_toggle(&mutes, &weight) == 1.0);
    (void)snprintf(weight.param, sizeof weight.param, "seek1.weight");
    assert_true(mutes_toggle(&mutes, &weight) == 3.0);
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
        cmocka_unit_test_setup(a_rewind_keeps_what_was_done_before, setup),
        cmocka_unit_test_setup(only_its_own_ids_have_a_number, setup),
        cmocka_unit_test(distances),
        cmocka_unit_test(a_court_is_outside),
        cmocka_unit_test(found_inside_and_within_reach),
        cmocka_unit_test(the_one_on_top_is_taken),
        cmocka_unit_test(what_moves_is_where_it_is),
        cmocka_unit_test(copies_of_a_wrapping_world_count),
        cmocka_unit_test(moved_as_a_whole),
        cmocka_unit_test(found_by_id),
        cmocka_unit_test(measures_what_came_back),
        cmocka_unit_test(forgets_the_oldest),
        cmocka_unit_test(letters_find_names),
        cmocka_unit_test(words_find_texts),
        cmocka_unit_test(parameters_become_reaches),
        cmocka_unit_test(rings_have_names),
        cmocka_unit_test(plots_are_means_and_stay_a_minute),
        cmocka_unit_test(plots_of_a_part_say_so),
        cmocka_unit_test(no_key_stands_twice),
        cmocka_unit_test(help_is_complete),
        cmocka_unit_test(keys_have_other_words_in_a_recording),
        cmocka_unit_test(keys_do_what_the_readme_says),
        cmocka_unit_test(shift_makes_another_key),
        cmocka_unit_test(the_panel_has_ends),
        cmocka_unit_test(a_key_changes_its_setting),
        cmocka_unit_test(settings_have_a_name_each),
        cmocka_unit_test(the_forces_are_three_at_once),
        cmocka_unit_test(the_nearest_moment_of_the_agent_is_found),
        cmocka_unit_test(they_stay_bounded),
        cmocka_unit_test(a_weight_comes_back),
        cmocka_unit_test(the_oldest_note_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
