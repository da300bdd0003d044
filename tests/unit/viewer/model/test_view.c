/* What the viewer looks at: camera, kiosk, the scenario's view, plots. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/model/camera.h"
#include "viewer/model/kiosk.h"
#include "viewer/model/meters.h"
#include "viewer/model/shortcuts.h"

/* ==== The world fits the window, keeps its shape, and points find their way back ==== */

static void assert_near(float found, float wanted, float tolerance) {
    if (!(fabsf(found - wanted) <= tolerance)) {
        fail_msg("found %f, wanted %f", (double)found, (double)wanted);
    }
}

static void fits_the_tighter_side(void **state) {
    const struct camera_margins none = {0, 0, 0, 0};
    struct camera wide = camera_fit(vec2_make(800, 400), vec2_make(1600, 2000), none);
    assert_near(wide.scale, 2.0f, 1e-6f);
    assert_near(wide.offset.x, 0.0f, 1e-4f);
    assert_near(wide.offset.y, 600.0f, 1e-4f);
    struct camera tall = camera_fit(vec2_make(400, 800), vec2_make(2000, 1600), none);
    assert_near(tall.scale, 2.0f, 1e-6f);
    assert_near(tall.offset.x, 600.0f, 1e-4f);
}

static void respects_margins(void **state) {
    const struct camera_margins margins = {10, 40, 30, 20};
    const struct camera camera = camera_fit(vec2_make(800, 600), vec2_make(1280, 800), margins);
    const vec2 low = camera_to_window(&camera, vec2_make(0, 0));
    const vec2 high = camera_to_window(&camera, vec2_make(800, 600));
    assert_true(low.x >= 10.0f - 1e-3f && low.y >= 40.0f - 1e-3f);
    assert_true(high.x <= 1250.0f + 1e-3f && high.y <= 780.0f + 1e-3f);
    assert_near(low.y, 40.0f, 1e-3f); /* the tighter side is used up */
    assert_near(high.y, 780.0f, 1e-3f);
    assert_near(low.x - 10.0f, 1250.0f - high.x, 1e-3f); /* the other is centered */
}

static void goes_there_and_back(void **state) {
    const struct camera_margins margins = {16, 48, 16, 16};
    const struct camera camera = camera_fit(vec2_make(800, 480), vec2_make(1111, 777), margins);
    for (float x = -200.0f; x <= 1000.0f; x += 77.0f) {
        const vec2 back = camera_to_world(&camera, camera_to_window(&camera, vec2_make(x, 900.0f - x)));
        assert_near(back.x, x, 1e-2f);
        assert_near(back.y, 900.0f - x, 1e-2f);
    }
}

static void leaves_room_beside_it(void **state) {
    const struct camera_margins sides = {16, 48, 16, 16};
    const float strip = 244.0f;
    static const vec2 worlds[] = {{800, 560}, {900, 600}, {800, 480}, {600, 600}, {400, 800}, {900, 900}};
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
        const vec2 window = vec2_make(960, 600), world = worlds[i];
        struct camera_margins margins = sides;
        const float wider = camera_beside(world, window, sides, strip);
        margins.left += wider;
        assert_true(camera_fit(world, window, margins).offset.x >= 16.0f + strip - 1e-3f);
        assert_true(wider >= 0.0f && wider <= strip);
    }
    assert_true(camera_beside(vec2_make(400, 800), vec2_make(960, 600), sides, strip) ==
                0.0f); /* there is room */
    assert_near(camera_beside(vec2_make(600, 600), vec2_make(960, 600), sides, strip), 96.0f, 1e-3f);
    assert_true(camera_beside(vec2_make(800, 480), vec2_make(700, 600), sides, strip) ==
                0.0f); /* it costs too much */
}

static void survives_a_window_smaller_than_its_margins(void **state) {
    const struct camera_margins margins = {500, 500, 500, 500};
    const struct camera camera = camera_fit(vec2_make(0, 0), vec2_make(10, 10), margins);
    assert_true(camera.scale > 0.0f && isfinite(camera.scale));
}

static void zooming_keeps_what_is_under_the_cursor(void **state) {
    const struct camera_margins margins = {16, 48, 280, 54};
    const vec2 world = {800, 600}, window = {1280, 800}, at = {300, 400};
    const vec2 middle = camera_room_center(window, margins);
    struct camera_view view = {0};
    struct camera camera = camera_view_place(&view, world, window, margins);
    const vec2 held = camera_to_world(&camera, at);
    for (int i = 0; i < 60; i++) {
        camera_view_zoom(&view, &camera, middle, at, i < 30 ? 1.2f : 0.9f, 0.1f, 20.0f);
        camera = camera_view_place(&view, world, window, margins);
        assert_near(camera_to_window(&camera, held).x, at.x, 0.5f);
        assert_near(camera_to_window(&camera, held).y, at.y, 0.5f);
        assert_true(camera.scale >= 0.1f && camera.scale <= 20.0f);
    }
    const float scale = camera.scale; /* another window: the same place and scale */
    const vec2 center = camera_to_world(&camera, middle);
    camera = camera_view_place(&view, world, vec2_make(700, 500), margins);
    assert_near(camera.scale, scale, 1e-4f);
    const vec2 again = camera_to_world(&camera, camera_room_center(vec2_make(700, 500), margins));
    assert_near(again.x, center.x, 0.1f);
    camera_view_fit(&view);
    camera = camera_view_place(&view, world, window, margins);
    assert_near(camera.scale, camera_fit(world, window, margins).scale, 1e-6f);
}

static void panning_and_following_move_the_world(void **state) {
    const struct camera_margins margins = {16, 48, 16, 16};
    const vec2 world = {800, 600}, window = {1000, 700}, middle = camera_room_center(window, margins);
    struct camera_view view = {0};
    struct camera camera = camera_view_place(&view, world, window, margins);
    const vec2 before = camera_to_window(&camera, vec2_make(100, 100));
    camera_view_pan(&view, &camera, middle, vec2_make(30, -20));
    camera = camera_view_place(&view, world, window, margins);
    assert_near(camera_to_window(&camera, vec2_make(100, 100)).x, before.x + 30.0f, 0.01f);
    assert_near(camera_to_window(&camera, vec2_make(100, 100)).y, before.y - 20.0f, 0.01f);
    camera_view_center(&view, &camera, vec2_make(700, 50));
    camera = camera_view_place(&view, world, window, margins);
    assert_near(camera_to_window(&camera, vec2_make(700, 50)).x, middle.x, 0.01f);
    assert_near(camera_to_window(&camera, vec2_make(700, 50)).y, middle.y, 0.01f);
}

/* The card lies beside a world that keeps its size, and over one that it would make a stamp. */
static void a_card_makes_no_stamp(void **state) {
    const vec2 window = vec2_make(1280.0f, 800.0f);
    const struct camera_margins margins = {202.0f, 48.0f, 280.0f, 54.0f};
    assert_true(camera_clear(vec2_make(1000.0f, 700.0f), window, margins, 480.0f) == 0.0f);
    assert_true(camera_clear(vec2_make(300.0f, 900.0f), window, margins, 480.0f) == 480.0f);
}

/* ==== Playlists, and when an exhibition goes on to the next world or puts one back ==== */

static int read_list(const char *text, struct kiosk_list *list, struct failure *failure) {
    return kiosk_list_read(text, strlen(text), list, failure);
}

static void a_playlist_is_read(void **state) {
    struct kiosk_list list = {.count = 0};
    struct failure failure;
    assert_int_equal(read_list("# evening\nflock 90\r\n\n  seek\t# short\nboids 2.5", &list, &failure), 0);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.rows[0].scenario, "flock");
    assert_true(list.rows[0].seconds == 90.0);
    assert_string_equal(list.rows[1].scenario, "seek");
    assert_true(list.rows[1].seconds == 60.0);
    assert_true(list.rows[2].seconds == 2.5);
}

static void a_wrong_line_is_named(void **state) {
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"flock\n../seek 3\n", "line 2: '../seek' is no name"},
        {"flock soon", "line 1: 'soon' is no time"},
        {"flock 0", "line 1: '0' is no time"},
        {"flock 86401", "1 to 86400"},
        {"flock 3 4", "line 1: '3 4' is no time"},
        {"flock 1.2.3", "is no time"},
        {"an_endless_name_of_a_scenario_without_an_end", "is no name"},
        {"# nothing\n\n", "no scenario in it"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct kiosk_list list = {.count = 7};
        struct failure failure;
        assert_int_equal(read_list(wrong[i].text, &list, &failure), -1);
        assert_non_null(strstr(failure.message, wrong[i].words));
        assert_int_equal(list.count, 7);
    }
}

static void too_many_lines_are_refused(void **state) {
    char text[2 * (KIOSK_ROWS + 1) + 1] = "";
    struct kiosk_list list = {.count = 0};
    struct failure failure;
    for (int i = 0; i < KIOSK_ROWS; i++) {
        memcpy(text + 2 * i, "a\n", 3);
    }
    assert_int_equal(read_list(text, &list, &failure), 0);
    assert_int_equal(list.count, KIOSK_ROWS);
    memcpy(text + 2 * KIOSK_ROWS, "a\n", 3);
    assert_int_equal(read_list(text, &list, &failure), -1);
    assert_non_null(strstr(failure.message, "too many scenarios"));
}

static void the_usual_list_goes_by_groups(void **state) {
    const struct message_scenario_row rows[] = {{.name = "boids", .group = "crowds"},
                                                {.name = "million", .group = "large"},
                                                {.name = "mine"},
                                                {.name = "seek", .group = "tutorials"},
                                                {.name = "wander", .group = "behaviors"}};
    struct kiosk_list list;
    kiosk_list_fill(&list, rows, 5);
    assert_int_equal(list.count, 4);
    assert_string_equal(list.rows[0].scenario, "seek");
    assert_string_equal(list.rows[1].scenario, "wander");
    assert_string_equal(list.rows[2].scenario, "boids");
    assert_string_equal(list.rows[3].scenario, "mine");
}

/* Two worlds of 60 s and 20 s; it resets after 30 s. */
static struct kiosk two_worlds(void) {
    struct kiosk kiosk = {.at = -1, .reset_after = 30.0};
    struct failure failure;
    assert_int_equal(read_list("flock 60\nseek 20\n", &kiosk.list, &failure), 0);
    return kiosk;
}

static void worlds_follow_one_another(void **state) {
    struct kiosk kiosk = two_worlds();
    assert_int_equal(kiosk_update(&kiosk, true, 1e6), KIOSK_GOES_ON); /* no world yet */
    kiosk_begin(&kiosk, "flock", 0.0);
    assert_int_equal(kiosk_update(&kiosk, true, 59999.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, true, 60000.0), KIOSK_NEXT);
    assert_string_equal(kiosk_next(&kiosk, 60000.0), "seek");
    assert_int_equal(kiosk_update(&kiosk, true, 60001.0), KIOSK_GOES_ON); /* it is under way */
    kiosk_begin(&kiosk, "seek", 60500.0);
    assert_int_equal(kiosk_update(&kiosk, true, 80499.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, true, 80500.0), KIOSK_NEXT);
    assert_string_equal(kiosk_next(&kiosk, 80500.0), "flock");
}

static void a_world_that_does_not_come_is_left_out(void **state) {
    struct kiosk kiosk = two_worlds();
    kiosk_begin(&kiosk, "flock", 0.0);
    assert_string_equal(kiosk_next(&kiosk, 60000.0), "seek");
    assert_int_equal(kiosk_update(&kiosk, true, 69999.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, true, 70000.0), KIOSK_NEXT);
    assert_string_equal(kiosk_next(&kiosk, 70000.0), "flock");
}

static void a_world_beside_the_list_has_the_usual_time(void **state) {
    struct kiosk kiosk = two_worlds();
    kiosk_begin(&kiosk, "shepherds", 0.0);
    assert_int_equal(kiosk_update(&kiosk, true, 59999.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, true, 60000.0), KIOSK_NEXT);
    assert_string_equal(kiosk_next(&kiosk, 60000.0), "flock");
    kiosk.list.count = 0;
    assert_null(kiosk_next(&kiosk, 60000.0));
}

static void a_hand_keeps_its_world_for_a_while(void **state) {
    struct kiosk kiosk = two_worlds();
    kiosk_begin(&kiosk, "flock", 0.0);
    kiosk_touch(&kiosk, 55000.0);
    assert_int_equal(kiosk_update(&kiosk, true, 64999.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, true, 65000.0), KIOSK_NEXT);
    kiosk_touch(&kiosk, 179000.0); /* it would never rest: others wait */
    assert_int_equal(kiosk_update(&kiosk, true, 179999.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, true, 180000.0), KIOSK_NEXT);
}

static void hands_that_rest_put_it_back_once(void **state) {
    struct kiosk kiosk = two_worlds();
    kiosk_begin(&kiosk, "flock", 0.0);
    assert_int_equal(kiosk_update(&kiosk, false, 1e7), KIOSK_GOES_ON); /* no role for another world */
    kiosk_touch(&kiosk, 1e7);
    assert_int_equal(kiosk_update(&kiosk, false, 1e7 + 29999.0), KIOSK_GOES_ON);
    assert_int_equal(kiosk_update(&kiosk, false, 1e7 + 30000.0), KIOSK_RESETS);
    assert_int_equal(kiosk_update(&kiosk, false, 1e7 + 70000.0), KIOSK_GOES_ON);
}

static void a_hand_is_not_forgotten_when_its_world_is_told_again(void **state) {
    struct kiosk kiosk = two_worlds();
    kiosk_begin(&kiosk, "flock", 0.0);
    kiosk_touch(&kiosk, 1000.0);
    kiosk_begin(&kiosk, "flock", 2000.0);
    assert_int_equal(kiosk_update(&kiosk, true, 31000.0), KIOSK_RESETS);
    kiosk_touch(&kiosk, 32000.0);
    kiosk_begin(&kiosk, "seek", 33000.0); /* another world has not been touched */
    assert_int_equal(kiosk_update(&kiosk, false, 70000.0), KIOSK_GOES_ON);
}

/* ==== How a scenario wants to be looked at, over what a person has chosen ==== */

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

/* ==== A series of one's own: a parameter from when it was chosen, or the count of a state ==== */

static void a_parameter_is_plotted_from_its_choice_on(void **state) {
    static struct plots plots;
    const struct test_agent agents[] = {{.id = 1, .vx = 30, .state = "seek"},
                                        {.id = 2, .vx = 10, .state = "rest"}};
    struct snapshot *first = make_snapshot(1000, agents, 2), *second = make_snapshot(2000, agents, 2);
    plots_init(&plots);
    plots_add(&plots, first);
    plots_choose(&plots, "bird", "max_speed");
    plots.own_value = 240.0f;
    plots_add(&plots, second);
    assert_int_equal(plots.count, 2);
    assert_true(isnan(plots_value(&plots, PLOTS_OWN, 0)));
    assert_true(plots_value(&plots, PLOTS_OWN, 1) == 240.0f);
    assert_true(plots_value(&plots, PLOTS_SPEED, 1) == 20.0f);
    assert_true(plots_value(&plots, PLOTS_STATE, 1) == 1.0f);
    plots_clear(&plots);
    plots_choose(&plots, "", "seek");
    plots_add(&plots, first);
    assert_true(plots_value(&plots, PLOTS_OWN, 0) == 1.0f);
    snapshot_destroy(first);
    snapshot_destroy(second);
}

/* Twins that have parted by 30 px and, through the edge of a wrapping world, by 20; an agent without one. */
static void the_distance_to_twins_is_plotted_while_there_are_some(void **state) {
    static struct plots plots;
    const struct test_agent agents[] = {
        {.id = 1, .x = 100, .y = 50}, {.id = 2, .x = 790, .y = 50}, {.id = 3}};
    struct snapshot *without = make_snapshot(1000, agents, 3), *with = make_snapshot(2000, agents, 3);
    assert_int_equal(snapshot_reserve_twins(with), 0);
    with->fields |= SNAPSHOT_TWIN;
    with->twins[0] = (struct snapshot_vector){10000, 8000};
    with->twins[1] = (struct snapshot_vector){1000, 5000};
    plots_init(&plots);
    plots.wrap_size = vec2_make(800.0f, 600.0f);
    plots_add(&plots, without);
    assert_false(plots_have_twins(&plots));
    const struct message_comparison known = {
        .polarisation = {1.0, 0.25},
        .state_count = 3,
        .states = {{"seek", {1, 2}}, {"flee", {2, 4}}, {"seek", {0, 3}}}}; /* of two kinds */
    plots.twin = &known;
    plots_add(&plots, with);
    assert_true(plots_have_twins(&plots));
    assert_true(isnan(plots_value(&plots, PLOTS_TWIN_ORDER, 0)) &&
                isnan(plots_value(&plots, PLOTS_TWIN_STATE, 0)));
    assert_true(plots_value(&plots, PLOTS_TWIN_ORDER, 1) == 0.25f &&
                plots_value(&plots, PLOTS_TWIN_STATE, 1) == 5.0f &&
                plots_value(&plots, PLOTS_TWIN_STATE + 1, 1) == 4.0f);
    char name[PLOTS_SERIES_NAME], text[400] = "";
    plots_series_name(&plots, PLOTS_TWIN_STATE + 1, name);
    assert_string_equal(name, "flee, twin");
    plots_series_name(&plots, PLOTS_SPEED, name);
    assert_string_equal(name, "");
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(plots_write_csv(&plots, file), 0);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_string_equal(text,
                        "time_s,mean_speed,order,seek,flee,mean_distance_to_twin,order_of_twin,seek_of_twin,"
                        "flee_of_twin\n1.000,0.000,0.000,3,0,,,,\n2.000,0.000,0.000,3,0,25.000,0.250,5,4\n");
    fclose(file);
    assert_true(isnan(plots_value(&plots, PLOTS_APART, 0)));
    assert_true(fabsf(plots_value(&plots, PLOTS_APART, 1) - 25.0f) < 0.01f);
    snapshot_destroy(without);
    snapshot_destroy(with);
}

/* Against each body with each other. */
static void plots_count_bodies_that_overlap(void **state) {
    enum { COUNT = 300 };
    static struct plots plots;
    static struct test_agent agents[COUNT];
    uint32_t random = 7;
    for (int i = 0; i < COUNT; i++) {
        random = random * 1664525u + 1013904223u;
        agents[i] = (struct test_agent){
            .id = (uint32_t)i + 1, .x = (float)((random >> 8) % 800), .y = (float)((random >> 20) % 600)};
    }
    struct snapshot *snapshot = make_snapshot(1000, agents, COUNT);
    assert_int_equal(snapshot_reserve_twins(snapshot), 0);
    snapshot->fields |= SNAPSHOT_TWIN;
    for (int i = 0; i < COUNT; i++) {
        snapshot->twins[i] = (struct snapshot_vector){SNAPSHOT_NO_TWIN, 0};
    }
    snapshot->twins[0] = (struct snapshot_vector){100, 100};
    snapshot->twins[1] = (struct snapshot_vector){79900, 59900}; /* near over the corner */
    for (int wraps = 0; wraps < 2; wraps++) {
        int expected = 0;
        plots_init(&plots);
        plots_choose(&plots, PLOTS_ALL, PLOTS_OVERLAPS);
        plots.radii[0] = 9.0f;
        plots.wrap_size = wraps ? vec2_make(800.0f, 600.0f) : vec2_make(0.0f, 0.0f);
        for (int i = 0; i < COUNT; i++) {
            for (int j = i + 1; j < COUNT; j++) {
                double dx = fabs((double)agents[i].x - (double)agents[j].x),
                       dy = fabs((double)agents[i].y - (double)agents[j].y);
                dx = wraps ? fmin(dx, 800.0 - dx) : dx;
                dy = wraps ? fmin(dy, 600.0 - dy) : dy;
                expected += dx * dx + dy * dy < 18.0 * 18.0 ? 1 : 0;
            }
        }
        plots_add(&plots, snapshot);
        assert_true(expected > 20 && lroundf(plots_value(&plots, PLOTS_OWN, 0)) == expected);
        assert_true(plots_value(&plots, PLOTS_TWIN_OWN, 0) == (wraps ? 1.0f : 0.0f));
        char text[400] = "", end[32];
        FILE *file = tmpfile();
        assert_non_null(file);
        assert_int_equal(plots_write_csv(&plots, file), 0);
        rewind(file);
        assert_true(fread(text, 1, sizeof text - 1, file) > 0);
        (void)snprintf(end, sizeof end, ",%d,%d\n", expected, wraps);
        assert_true(strstr(text, ",overlaps,overlaps_of_twin\n") != NULL && strstr(text, end) != NULL);
        fclose(file);
    }
    snapshot_destroy(snapshot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plots_count_bodies_that_overlap),
        cmocka_unit_test(fits_the_tighter_side),
        cmocka_unit_test(respects_margins),
        cmocka_unit_test(goes_there_and_back),
        cmocka_unit_test(zooming_keeps_what_is_under_the_cursor),
        cmocka_unit_test(panning_and_following_move_the_world),
        cmocka_unit_test(leaves_room_beside_it),
        cmocka_unit_test(survives_a_window_smaller_than_its_margins),
        cmocka_unit_test(a_card_makes_no_stamp),
        cmocka_unit_test(a_playlist_is_read),
        cmocka_unit_test(a_wrong_line_is_named),
        cmocka_unit_test(too_many_lines_are_refused),
        cmocka_unit_test(the_usual_list_goes_by_groups),
        cmocka_unit_test(worlds_follow_one_another),
        cmocka_unit_test(a_world_that_does_not_come_is_left_out),
        cmocka_unit_test(a_world_beside_the_list_has_the_usual_time),
        cmocka_unit_test(a_hand_keeps_its_world_for_a_while),
        cmocka_unit_test(hands_that_rest_put_it_back_once),
        cmocka_unit_test(a_hand_is_not_forgotten_when_its_world_is_told_again),
        cmocka_unit_test(a_view_that_says_nothing_changes_nothing),
        cmocka_unit_test(the_list_of_overlays_is_complete),
        cmocka_unit_test(what_was_changed_or_given_is_the_persons),
        cmocka_unit_test(the_next_world_begins_with_the_persons_own),
        cmocka_unit_test(a_narrow_window_has_no_panel_because_of_a_view),
        cmocka_unit_test(a_parameter_is_plotted_from_its_choice_on),
        cmocka_unit_test(the_distance_to_twins_is_plotted_while_there_are_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
