/* The picture shows agents where they are, in the color of their state, pointing where they head. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/draw/scene.h"
#include "viewer/explain/agent_colors.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"
#include "viewer/model/interpolate.h"

enum { SIDE = 200 };

struct fixture {
    struct raster *raster;
    struct snapshot *snapshot;
    struct server_model server;
    struct snapshot_buffer buffer;
    struct frame frame;
    struct sprites *sprites;
    struct camera camera;
    struct view_settings settings;
    struct selection selection;
    struct scene scene;
};

static int setup(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    const struct test_agent agent = {.id = 1, .x = 100, .y = 100};
    fixture->raster = raster_create(SIDE, SIDE);
    fixture->snapshot = make_snapshot(0, &agent, 1);
    fixture->server.has_scenario = true;
    fixture->server.scenario.size = vec2_make(SIDE, SIDE);
    fixture->server.scenario.kind_count = 1;
    fixture->server.scenario.kinds[0].radius = 12;
    fixture->server.scenario.kinds[0].max_speed = 100;
    fixture->server.scenario.kinds[0].max_force = 100;
    (void)snprintf(fixture->server.scenario.kinds[0].name, sizeof fixture->server.scenario.kinds[0].name,
                   "ship");
    const struct interpolate_rules rules = {.world_size = {SIDE, SIDE}, .is_paused = true, .period_ms = 33};
    fixture->sprites = sprites_create(1.25f);
    assert_non_null(fixture->sprites);
    snapshot_buffer_init(&fixture->buffer);
    assert_null(snapshot_buffer_push(&fixture->buffer, fixture->snapshot));
    assert_int_equal(interpolate_at(&fixture->buffer, 0.0, &rules, &fixture->frame), 0);
    fixture->camera.scale = 1.0f;
    fixture->scene = (struct scene){.camera = &fixture->camera,
                                    .server = &fixture->server,
                                    .frame = &fixture->frame,
                                    .settings = &fixture->settings,
                                    .selection = &fixture->selection,
                                    .pixel_scale = 1.0f};
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    struct fixture *fixture = *state;
    raster_destroy(fixture->raster);
    snapshot_buffer_fini(&fixture->buffer);
    sprites_destroy(fixture->sprites);
    frame_fini(&fixture->frame);
    free(fixture);
    return 0;
}

static void draw(struct fixture *fixture) {
    struct canvas canvas = canvas_on_raster(fixture->raster, fixture->sprites);
    static struct agent_colors colors;
    agent_colors_init(&colors);
    agent_colors_fill(&colors, &fixture->frame, &fixture->server, &fixture->settings);
    agent_colors_fini(&colors);
    scene_draw(&fixture->scene, &canvas);
}

static color pixel(const struct fixture *fixture, int x, int y) {
    return fixture->raster->pixels[y * SIDE + x];
}

static int count_color(const struct fixture *fixture, color wanted) {
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        count += fixture->raster->pixels[i] == wanted ? 1 : 0;
    }
    return count;
}

static void an_agent_is_where_it_is(void **state) {
    struct fixture *fixture = *state;
    draw(fixture);
    assert_int_equal(pixel(fixture, 100, 100), explain_behavior_color(PALETTE_SAFE, "seek"));
    assert_int_equal(pixel(fixture, 108, 100),
                     explain_behavior_color(PALETTE_SAFE, "seek")); /* towards the tip */
    assert_int_not_equal(pixel(fixture, 92, 100),
                         explain_behavior_color(PALETTE_SAFE, "seek")); /* the notch behind */
    const int large = count_color(fixture, explain_behavior_color(PALETTE_SAFE, "seek"));
    fixture->server.scenario.kinds[0].radius = 0.5f; /* never too small to see */
    draw(fixture);
    const int small = count_color(fixture, explain_behavior_color(PALETTE_SAFE, "seek"));
    assert_true(small >= 12 && small < large);
    fixture->frame.count = fixture->frame.settled_count = 0;
    draw(fixture);
    assert_int_equal(count_color(fixture, explain_behavior_color(PALETTE_SAFE, "seek")), 0);
}

static void vectors_appear_on_request(void **state) {
    struct fixture *fixture = *state;
    fixture->frame.vx[0] = 100;
    fixture->frame.desired[0] = vec2_make(0, 100);
    fixture->frame.steering[0] = vec2_make(-100, 0);
    draw(fixture);
    assert_int_equal(count_color(fixture, theme_color(PALETTE_SAFE, THEME_VELOCITY)), 0);
    view_settings_show_forces(&fixture->settings);
    draw(fixture);
    assert_true(count_color(fixture, theme_color(PALETTE_SAFE, THEME_VELOCITY)) > 30);
    assert_int_equal(count_color(fixture, theme_color(PALETTE_SAFE, THEME_DESIRED)),
                     0); /* the snapshot does not have it */
    fixture->frame.has_forces = true;
    draw(fixture);
    assert_int_equal(pixel(fixture, 140, 100), theme_color(PALETTE_SAFE, THEME_VELOCITY));
    assert_int_equal(pixel(fixture, 100, 140), theme_color(PALETTE_SAFE, THEME_DESIRED));
    assert_int_equal(pixel(fixture, 60, 100), theme_color(PALETTE_SAFE, THEME_STEERING));
}

static void the_cursor_leads_and_the_echo_is_a_ring(void **state) {
    struct fixture *fixture = *state;
    add_target(fixture->snapshot, "mouse", 40, 40);
    fixture->frame.target_count = 1;
    fixture->frame.targets[0] = (struct frame_target){0, {40.5f, 40.5f}};
    draw(fixture);
    assert_int_equal(pixel(fixture, 40, 40),
                     theme_color(PALETTE_SAFE, THEME_TARGET)); /* the dot in the marker's middle */
    fixture->scene.has_cursor = true;
    fixture->scene.cursor = vec2_make(150.5f, 50.5f);
    draw(fixture);
    assert_int_equal(pixel(fixture, 150, 50), theme_color(PALETTE_SAFE, THEME_TARGET));
    assert_int_not_equal(pixel(fixture, 40, 40), theme_color(PALETTE_SAFE, THEME_TARGET));
    assert_int_not_equal(pixel(fixture, 54, 40),
                         theme_color(PALETTE_SAFE, THEME_WORLD)); /* the ring, 14 px out */
}

static void a_flag_takes_the_color_of_the_agent_that_stands_on_it(void **state) {
    struct fixture *fixture = *state;
    const color agent = explain_behavior_color(PALETTE_SAFE, "seek"),
                own = theme_color(PALETTE_SAFE, THEME_TARGET);
    add_target(fixture->snapshot, "mouse", 104, 100);
    fixture->frame.target_count = 1;
    fixture->frame.targets[0] = (struct frame_target){0, {104.5f, 100.5f}};
    (void)snprintf(fixture->server.scenario.view.flag, sizeof fixture->server.scenario.view.flag, "mouse");
    fixture->frame.vx[0] = 80; /* it only comes by */
    draw(fixture);
    assert_int_equal(pixel(fixture, 112, 76), own); /* the cloth */
    fixture->frame.vx[0] = 10;
    draw(fixture);
    assert_int_equal(pixel(fixture, 112, 76), agent);
    fixture->frame.targets[0].position.x = 120.5f; /* beside it */
    draw(fixture);
    assert_int_equal(pixel(fixture, 128, 76), own);
    fixture->scene.has_cursor = true;
    fixture->scene.cursor = vec2_make(150.5f, 60.5f);
    draw(fixture);
    assert_int_equal(pixel(fixture, 158, 36), own); /* it is in the hand */
    assert_int_not_equal(pixel(fixture, 128, 76), own);
}

static void overlays_are_for_the_selected_agent(void **state) {
    struct fixture *fixture = *state;
    uint32_t id = 0;
    fixture->frame.vx[0] = 100;
    fixture->settings.shows_velocity = true;
    fixture->selection.has_agent = true;
    fixture->selection.id = 77; /* no agent */
    draw(fixture);
    assert_true(count_color(fixture, theme_color(PALETTE_SAFE, THEME_VELOCITY)) >
                30); /* all have their colors again */
    assert_int_equal(count_color(fixture, theme_color(PALETTE_SAFE, THEME_SELECTED)), 0);
    fixture->selection.id = 1;
    draw(fixture);
    assert_true(count_color(fixture, theme_color(PALETTE_SAFE, THEME_VELOCITY)) > 30);
    assert_true(count_color(fixture, theme_color(PALETTE_SAFE, THEME_SELECTED)) > 20); /* its ring */
    assert_true(scene_pick(&fixture->scene, vec2_make(106, 100), 4.0f, &id));
    assert_int_equal(id, 1);
    assert_false(scene_pick(&fixture->scene, vec2_make(150, 100), 4.0f, &id));
}

static void a_click_catches_where_an_agent_was_a_moment_ago(void **state) {
    struct fixture *fixture = *state;
    uint32_t id = 0;
    fixture->frame.vx[0] = 200; /* px/s: 100 ms ago it was 20 px to the left */
    assert_true(scene_pick_for_hand(&fixture->scene, vec2_make(65, 100), 1.0, &id));
    assert_int_equal(id, 1);
    assert_false(scene_pick_for_hand(&fixture->scene, vec2_make(65, 100), 0.0, &id)); /* paused: it was not */
    assert_false(scene_pick_for_hand(&fixture->scene, vec2_make(135, 100), 1.0, &id)); /* nor will it be */
    assert_true(scene_pick_for_hand(&fixture->scene, vec2_make(127, 100), 1.0, &id));
    assert_true(scene_pick_for_hand(&fixture->scene, vec2_make(35, 100), 1.0, &id)); /* a busy machine */
    fixture->scene.pixel_scale = 0.5f; /* a picture in which that is twice as far */
    assert_false(scene_pick_for_hand(&fixture->scene, vec2_make(127, 100), 1.0, &id));
}

static void the_border_of_a_wrapping_world_shows_an_agent_twice(void **state) {
    struct fixture *fixture = *state;
    (void)snprintf(fixture->server.scenario.edge, sizeof fixture->server.scenario.edge, "wrap");
    fixture->frame.x[0] = 1;
    draw(fixture);
    assert_int_equal(pixel(fixture, 8, 100), explain_behavior_color(PALETTE_SAFE, "seek"));
    assert_int_equal(pixel(fixture, SIDE - 1, 100), explain_behavior_color(PALETTE_SAFE, "seek"));
    (void)snprintf(fixture->server.scenario.edge, sizeof fixture->server.scenario.edge, "bounce");
    draw(fixture);
    assert_int_not_equal(pixel(fixture, SIDE - 1, 100), explain_behavior_color(PALETTE_SAFE, "seek"));
}

/* The world takes the middle half of the picture: around it are its copies. */
static void copies_around_a_wrapping_world_are_dimmed(void **state) {
    struct fixture *fixture = *state;
    const color full = explain_behavior_color(PALETTE_SAFE, "seek");
    uint32_t id = 0;
    (void)snprintf(fixture->server.scenario.edge, sizeof fixture->server.scenario.edge, "wrap");
    fixture->camera.scale = 0.5f;
    fixture->camera.offset = vec2_make(50.0f, 50.0f);
    fixture->frame.x[0] = 190;
    draw(fixture);
    assert_int_equal(pixel(fixture, 145, 100), full);
    const color copy = pixel(fixture, 45, 100);
    assert_true(((copy >> 8) & 0xffu) > 0x50u && ((copy >> 8) & 0xffu) < ((full >> 8) & 0xffu));
    assert_int_equal(pixel(fixture, 150, 60), theme_color(PALETTE_SAFE, THEME_BORDER));
    assert_true(scene_pick(&fixture->scene, vec2_make(44, 101), 4.0f, &id));
    assert_int_equal(id, 1);
    (void)snprintf(fixture->server.scenario.edge, sizeof fixture->server.scenario.edge, "bounce");
    draw(fixture);
    assert_int_equal(pixel(fixture, 45, 100), theme_color(PALETTE_SAFE, THEME_GROUND));
    assert_false(scene_pick(&fixture->scene, vec2_make(44, 101), 4.0f, &id));
}

static void a_neighbor_across_the_seam_is_linked_the_short_way(void **state) {
    struct fixture *fixture = *state;
    const struct test_agent agents[] = {{.id = 1, .x = 20, .y = 100}, {.id = 2, .x = 170, .y = 100}};
    const struct interpolate_rules rules = {.world_size = {SIDE, SIDE}, .is_paused = true, .period_ms = 33};
    const struct message_agent inspected = {.id = 1, .neighbor_count = 1, .neighbors = {2}};
    (void)snprintf(fixture->server.scenario.edge, sizeof fixture->server.scenario.edge, "wrap");
    assert_null(snapshot_buffer_push(&fixture->buffer, make_snapshot(1, agents, 2)));
    assert_int_equal(interpolate_at(&fixture->buffer, 1000.0, &rules, &fixture->frame), 0);
    fixture->server.scenario.kinds[0].radius = 6;
    fixture->selection = (struct selection){.has_agent = true, .id = 1};
    fixture->scene.inspected = &inspected;
    fixture->settings.shows_neighbors = true;
    draw(fixture);
    assert_int_not_equal(pixel(fixture, 4, 100), theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_int_not_equal(pixel(fixture, 194, 100),
                         theme_color(PALETTE_SAFE, THEME_WORLD)); /* it goes on at the other side */
    assert_int_equal(pixel(fixture, 100, 100), theme_color(PALETTE_SAFE, THEME_WORLD));
}

static void a_crowd_can_be_heat(void **state) {
    struct fixture *fixture = *state;
    struct heat heat;
    heat_init(&heat);
    fixture->scene.heat = &heat;
    assert_false(scene_is_heat(&fixture->scene));
    fixture->settings.heat = HEAT_ON;
    draw(fixture);
    assert_int_not_equal(pixel(fixture, 100, 100), theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_int_not_equal(
        pixel(fixture, 108, 100),
        theme_color(PALETTE_SAFE, THEME_WORLD)); /* smooth: the cells around are warm as well */
    assert_int_equal(pixel(fixture, 130, 100), theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_string_equal(heat.scale.title, "agents per 6 x 6 px");
    assert_string_equal(heat.scale.high, "5"); /* four times the mean of cells with agents, rounded up */
    assert_true(heat.is_tinted);               /* by the colors of the frame's agents */
    heat_fini(&heat);
    assert_true(heat_is_better(50000, 2.5f, 200000.0f));
    assert_false(heat_is_better(50000, 2.5f, 2000000.0f));
    assert_false(heat_is_better(100, 50.0f, 1000.0f));
}

static void an_old_picture_is_dimmed(void **state) {
    struct fixture *fixture = *state;
    draw(fixture);
    const color before = pixel(fixture, 100, 100);
    fixture->scene.is_dimmed = true;
    draw(fixture);
    const color after = pixel(fixture, 100, 100);
    assert_true(((after >> 8) & 0xffu) < ((before >> 8) & 0xffu) * 2 / 3);
    assert_int_not_equal(after, theme_color(PALETTE_SAFE, THEME_GROUND)); /* still to be made out */
}

static void nothing_is_known_yet(void **state) {
    struct fixture *fixture = *state;
    fixture->server.has_scenario = false;
    draw(fixture);
    assert_int_equal(count_color(fixture, theme_color(PALETTE_SAFE, THEME_GROUND)), SIDE * SIDE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_agent_is_where_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(vectors_appear_on_request, setup, teardown),
        cmocka_unit_test_setup_teardown(a_click_catches_where_an_agent_was_a_moment_ago, setup, teardown),
        cmocka_unit_test_setup_teardown(the_cursor_leads_and_the_echo_is_a_ring, setup, teardown),
        cmocka_unit_test_setup_teardown(a_flag_takes_the_color_of_the_agent_that_stands_on_it, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(overlays_are_for_the_selected_agent, setup, teardown),
        cmocka_unit_test_setup_teardown(the_border_of_a_wrapping_world_shows_an_agent_twice, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_around_a_wrapping_world_are_dimmed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_neighbor_across_the_seam_is_linked_the_short_way, setup, teardown),
        cmocka_unit_test_setup_teardown(a_crowd_can_be_heat, setup, teardown),
        cmocka_unit_test_setup_teardown(an_old_picture_is_dimmed, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_known_yet, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
