/* Pictures of a world: scene, scenery, inspected agents. */

#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/draw/scene.h"
#include "viewer/explain/agent_colors.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"
#include "viewer/model/interpolate.h"

/* ---- what they share ---- */

enum { SIDE = 200 };

/* ==== The picture shows agents where they are, in the color of their state, pointing where they head ==== */

struct scene_fixture {
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

static int setup_scene(void **state) {
    struct scene_fixture *fixture = calloc(1, sizeof *fixture);
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

static int teardown_scene(void **state) {
    struct scene_fixture *fixture = *state;
    raster_destroy(fixture->raster);
    snapshot_buffer_fini(&fixture->buffer);
    sprites_destroy(fixture->sprites);
    frame_fini(&fixture->frame);
    free(fixture);
    return 0;
}

static void draw_scene(struct scene_fixture *fixture) {
    struct canvas canvas = canvas_on_raster(fixture->raster, fixture->sprites);
    static struct agent_colors colors;
    agent_colors_init(&colors);
    agent_colors_fill(&colors, &fixture->frame, &fixture->server, &fixture->settings);
    agent_colors_fini(&colors);
    scene_draw(&fixture->scene, &canvas);
}

static color pixel_scene(const struct scene_fixture *fixture, int x, int y) {
    return fixture->raster->pixels[y * SIDE + x];
}

static int count_color(const struct scene_fixture *fixture, color wanted) {
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        count += fixture->raster->pixels[i] == wanted ? 1 : 0;
    }
    return count;
}

static void an_agent_is_where_it_is(void **state) {
    struct scene_fixture *fixture = *state;
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, 100, 100), explain_behavior_color(PALETTE_SAFE, "seek"));
    assert_int_equal(pixel_scene(fixture, 108, 100),
                     explain_behavior_color(PALETTE_SAFE, "seek")); /* towards the tip */
    assert_int_not_equal(pixel_scene(fixture, 92, 100),
                         explain_behavior_color(PALETTE_SAFE, "seek")); /* the notch behind */
    const int large = count_color(fixture, explain_behavior_color(PALETTE_SAFE, "seek"));
    fixture->server.scenario.kinds[0].radius = 0.5f; /* never too small to see */
    draw_scene(fixture);
    const int small = count_color(fixture, explain_behavior_color(PALETTE_SAFE, "seek"));
    assert_true(small >= 12 && small < large);
    fixture->frame.count = fixture->frame.settled_count = 0;
    draw_scene(fixture);
    assert_int_equal(count_color(fixture, explain_behavior_color(PALETTE_SAFE, "seek")), 0);
}

static void vectors_appear_on_request(void **state) {
    struct scene_fixture *fixture = *state;
    fixture->frame.vx[0] = 100;
    fixture->frame.desired[0] = vec2_make(0, 100);
    fixture->frame.steering[0] = vec2_make(-100, 0);
    draw_scene(fixture);
    assert_int_equal(count_color(fixture, theme_color(PALETTE_SAFE, THEME_VELOCITY)), 0);
    view_settings_show_forces(&fixture->settings);
    draw_scene(fixture);
    assert_true(count_color(fixture, theme_color(PALETTE_SAFE, THEME_VELOCITY)) > 30);
    assert_int_equal(count_color(fixture, theme_color(PALETTE_SAFE, THEME_DESIRED)),
                     0); /* the snapshot does not have it */
    fixture->frame.has_forces = true;
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, 140, 100), theme_color(PALETTE_SAFE, THEME_VELOCITY));
    assert_int_equal(pixel_scene(fixture, 100, 140), theme_color(PALETTE_SAFE, THEME_DESIRED));
    assert_int_equal(pixel_scene(fixture, 60, 100), theme_color(PALETTE_SAFE, THEME_STEERING));
}

static void the_cursor_leads_and_the_echo_is_a_ring(void **state) {
    struct scene_fixture *fixture = *state;
    add_target(fixture->snapshot, "mouse", 40, 40);
    fixture->frame.target_count = 1;
    fixture->frame.targets[0] = (struct frame_target){0, {40.5f, 40.5f}};
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, 40, 40),
                     theme_color(PALETTE_SAFE, THEME_TARGET)); /* the dot in the marker's middle */
    fixture->scene.has_cursor = true;
    fixture->scene.cursor = vec2_make(150.5f, 50.5f);
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, 150, 50), theme_color(PALETTE_SAFE, THEME_TARGET));
    assert_int_not_equal(pixel_scene(fixture, 40, 40), theme_color(PALETTE_SAFE, THEME_TARGET));
    assert_int_not_equal(pixel_scene(fixture, 54, 40),
                         theme_color(PALETTE_SAFE, THEME_WORLD)); /* the ring, 14 px out */
}

static void a_flag_takes_the_color_of_the_agent_that_stands_on_it(void **state) {
    struct scene_fixture *fixture = *state;
    const color agent = explain_behavior_color(PALETTE_SAFE, "seek"),
                own = theme_color(PALETTE_SAFE, THEME_TARGET);
    add_target(fixture->snapshot, "mouse", 104, 100);
    fixture->frame.target_count = 1;
    fixture->frame.targets[0] = (struct frame_target){0, {104.5f, 100.5f}};
    (void)snprintf(fixture->server.scenario.view.flag, sizeof fixture->server.scenario.view.flag, "mouse");
    fixture->frame.vx[0] = 80; /* it only comes by */
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, 112, 76), own); /* the cloth */
    fixture->frame.vx[0] = 10;
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, 112, 76), agent);
    fixture->frame.targets[0].position.x = 120.5f; /* beside it */
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, 128, 76), own);
    fixture->scene.has_cursor = true;
    fixture->scene.cursor = vec2_make(150.5f, 60.5f);
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, 158, 36), own); /* it is in the hand */
    assert_int_not_equal(pixel_scene(fixture, 128, 76), own);
}

static void a_wedge_points_to_a_selected_agent_beyond_the_picture(void **state) {
    struct scene_fixture *fixture = *state;
    const color wedge = theme_color(PALETTE_SAFE, THEME_SELECTED);
    fixture->selection = (struct selection){.has_agent = true, .id = 1};
    draw_scene(fixture);
    assert_int_not_equal(pixel_scene(fixture, SIDE - 24, 100), wedge); /* it is seen */
    fixture->frame.x[0] = SIDE + 40.0f;
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, SIDE - 24, 100), wedge);
    fixture->scene.margins.right = 60.0f; /* a panel is there */
    draw_scene(fixture);
    assert_int_not_equal(pixel_scene(fixture, SIDE - 24, 100), wedge);
    assert_int_equal(pixel_scene(fixture, SIDE - 84, 100), wedge);
    fixture->selection.id = 2; /* one that the frame has not, being of a part of the world */
    draw_scene(fixture);
    assert_int_equal(count_color(fixture, wedge), 0);
    const struct message_agent inspected = {.id = 2, .x = 70.0f, .y = -300.0f};
    fixture->scene.inspected = &inspected;
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, 70, 24), wedge);
}

static void overlays_are_for_the_selected_agent(void **state) {
    struct scene_fixture *fixture = *state;
    uint32_t id = 0;
    fixture->frame.vx[0] = 100;
    fixture->settings.shows_velocity = true;
    fixture->selection.has_agent = true;
    fixture->selection.id = 77; /* no agent */
    draw_scene(fixture);
    assert_true(count_color(fixture, theme_color(PALETTE_SAFE, THEME_VELOCITY)) >
                30); /* all have their colors again */
    assert_int_equal(count_color(fixture, theme_color(PALETTE_SAFE, THEME_SELECTED)), 0);
    fixture->selection.id = 1;
    draw_scene(fixture);
    assert_true(count_color(fixture, theme_color(PALETTE_SAFE, THEME_VELOCITY)) > 30);
    assert_true(count_color(fixture, theme_color(PALETTE_SAFE, THEME_SELECTED)) > 20); /* its ring */
    assert_true(scene_pick(&fixture->scene, vec2_make(106, 100), 4.0f, &id));
    assert_int_equal(id, 1);
    assert_false(scene_pick(&fixture->scene, vec2_make(150, 100), 4.0f, &id));
}

static void a_click_catches_where_an_agent_was_a_moment_ago(void **state) {
    struct scene_fixture *fixture = *state;
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
    struct scene_fixture *fixture = *state;
    (void)snprintf(fixture->server.scenario.edge, sizeof fixture->server.scenario.edge, "wrap");
    fixture->frame.x[0] = 1;
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, 8, 100), explain_behavior_color(PALETTE_SAFE, "seek"));
    assert_int_equal(pixel_scene(fixture, SIDE - 1, 100), explain_behavior_color(PALETTE_SAFE, "seek"));
    (void)snprintf(fixture->server.scenario.edge, sizeof fixture->server.scenario.edge, "bounce");
    draw_scene(fixture);
    assert_int_not_equal(pixel_scene(fixture, SIDE - 1, 100), explain_behavior_color(PALETTE_SAFE, "seek"));
}

/* The world takes the middle half of the picture: around it are its copies. */
static void copies_around_a_wrapping_world_are_dimmed(void **state) {
    struct scene_fixture *fixture = *state;
    const color full = explain_behavior_color(PALETTE_SAFE, "seek");
    uint32_t id = 0;
    (void)snprintf(fixture->server.scenario.edge, sizeof fixture->server.scenario.edge, "wrap");
    fixture->camera.scale = 0.5f;
    fixture->camera.offset = vec2_make(50.0f, 50.0f);
    fixture->frame.x[0] = 190;
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, 145, 100), full);
    const color copy = pixel_scene(fixture, 45, 100);
    assert_true(((copy >> 8) & 0xffu) > 0x50u && ((copy >> 8) & 0xffu) < ((full >> 8) & 0xffu));
    assert_int_equal(pixel_scene(fixture, 150, 60), theme_color(PALETTE_SAFE, THEME_BORDER));
    assert_true(scene_pick(&fixture->scene, vec2_make(44, 101), 4.0f, &id));
    assert_int_equal(id, 1);
    (void)snprintf(fixture->server.scenario.edge, sizeof fixture->server.scenario.edge, "bounce");
    draw_scene(fixture);
    assert_int_equal(pixel_scene(fixture, 45, 100), theme_color(PALETTE_SAFE, THEME_GROUND));
    assert_false(scene_pick(&fixture->scene, vec2_make(44, 101), 4.0f, &id));
}

static void a_neighbor_across_the_seam_is_linked_the_short_way(void **state) {
    struct scene_fixture *fixture = *state;
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
    draw_scene(fixture);
    assert_int_not_equal(pixel_scene(fixture, 4, 100), theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_int_not_equal(pixel_scene(fixture, 194, 100),
                         theme_color(PALETTE_SAFE, THEME_WORLD)); /* it goes on at the other side */
    assert_int_equal(pixel_scene(fixture, 100, 100), theme_color(PALETTE_SAFE, THEME_WORLD));
}

static void a_crowd_can_be_heat(void **state) {
    struct scene_fixture *fixture = *state;
    struct heat heat;
    heat_init(&heat);
    fixture->scene.heat = &heat;
    assert_false(scene_is_heat(&fixture->scene));
    fixture->settings.heat = HEAT_ON;
    draw_scene(fixture);
    assert_int_not_equal(pixel_scene(fixture, 100, 100), theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_int_not_equal(
        pixel_scene(fixture, 108, 100),
        theme_color(PALETTE_SAFE, THEME_WORLD)); /* smooth: the cells around are warm as well */
    assert_int_equal(pixel_scene(fixture, 130, 100), theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_string_equal(heat.scale.title, "agents per 6 x 6 px");
    assert_string_equal(heat.scale.high, "5"); /* four times the mean of cells with agents, rounded up */
    assert_true(heat.is_tinted);               /* by the colors of the frame's agents */
    heat_fini(&heat);
    assert_true(heat_is_better(50000, 2.5f, 200000.0f));
    assert_false(heat_is_better(50000, 2.5f, 2000000.0f));
    assert_false(heat_is_better(100, 50.0f, 1000.0f));
}

static void an_old_picture_is_dimmed(void **state) {
    struct scene_fixture *fixture = *state;
    draw_scene(fixture);
    const color before = pixel_scene(fixture, 100, 100);
    fixture->scene.is_dimmed = true;
    draw_scene(fixture);
    const color after = pixel_scene(fixture, 100, 100);
    assert_true(((after >> 8) & 0xffu) < ((before >> 8) & 0xffu) * 2 / 3);
    assert_int_not_equal(after, theme_color(PALETTE_SAFE, THEME_GROUND)); /* still to be made out */
}

static void nothing_is_known_yet(void **state) {
    struct scene_fixture *fixture = *state;
    fixture->server.has_scenario = false;
    draw_scene(fixture);
    assert_int_equal(count_color(fixture, theme_color(PALETTE_SAFE, THEME_GROUND)), SIDE * SIDE);
}

/* ==== Obstacles, walls, paths and flow fields appear where they are; hostile sizes do no harm ==== */

struct scenery_draw_fixture {
    struct raster *raster;
    struct sprites *sprites;
    struct message_scenario scenario;
    struct camera camera;
};

static int setup_scenery_draw(void **state) {
    struct scenery_draw_fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->raster = raster_create(SIDE, SIDE);
    fixture->sprites = sprites_create(1.25f);
    assert_non_null(fixture->sprites);
    fixture->scenario.size = vec2_make(SIDE, SIDE);
    memcpy(fixture->scenario.edge, "open", 5);
    fixture->camera.scale = 1.0f;
    *state = fixture;
    return 0;
}

static int teardown_scenery_draw(void **state) {
    struct scenery_draw_fixture *fixture = *state;
    raster_destroy(fixture->raster);
    sprites_destroy(fixture->sprites);
    free(fixture);
    return 0;
}

static void draw_scenery_draw(struct scenery_draw_fixture *fixture) {
    raster_clear(fixture->raster, theme_color(PALETTE_SAFE, THEME_WORLD));
    struct canvas canvas = canvas_on_raster(fixture->raster, fixture->sprites);
    const struct message_moment start = {0};
    scenery_draw(&fixture->scenario, &fixture->camera, 1.0f, &start, &canvas);
}

static color pixel_scenery_draw(const struct scenery_draw_fixture *fixture, int x, int y) {
    return fixture->raster->pixels[y * SIDE + x];
}

static int count_other(const struct scenery_draw_fixture *fixture, color ground) {
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        count += fixture->raster->pixels[i] != ground ? 1 : 0;
    }
    return count;
}

static void nothing_draws_nothing(void **state) {
    struct scenery_draw_fixture *fixture = *state;
    draw_scenery_draw(fixture);
    assert_int_equal(count_other(fixture, theme_color(PALETTE_SAFE, THEME_WORLD)), 0);
}

static void obstacles_are_filled_and_have_a_border(void **state) {
    struct scenery_draw_fixture *fixture = *state;
    struct message_geometry *geometry = &fixture->scenario.geometry;
    geometry->obstacle_count = 3;
    geometry->obstacles[0] = (struct obstacle_def){.shape = OBSTACLE_CIRCLE, .at = {50, 50}, .radius = 20};
    geometry->obstacles[1] = (struct obstacle_def){.shape = OBSTACLE_BOX, .at = {100, 20}, .size = {60, 40}};
    geometry->obstacles[2] = (struct obstacle_def){
        .shape = OBSTACLE_POLYGON, .point_count = 3, .points = {{20, 180}, {80, 180}, {20, 120}}};
    draw_scenery_draw(fixture);
    assert_int_equal(pixel_scenery_draw(fixture, 50, 50), theme_color(PALETTE_SAFE, THEME_OBSTACLE));
    assert_int_equal(pixel_scenery_draw(fixture, 130, 40), theme_color(PALETTE_SAFE, THEME_OBSTACLE));
    assert_int_equal(pixel_scenery_draw(fixture, 30, 160), theme_color(PALETTE_SAFE, THEME_OBSTACLE));
    assert_int_equal(pixel_scenery_draw(fixture, 75, 130),
                     theme_color(PALETTE_SAFE, THEME_WORLD)); /* the triangle's missing half */
    assert_int_equal(pixel_scenery_draw(fixture, 72, 50), theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_int_not_equal(pixel_scenery_draw(fixture, 69, 50),
                         theme_color(PALETTE_SAFE, THEME_OBSTACLE)); /* the border */
    assert_int_not_equal(pixel_scenery_draw(fixture, 69, 50), theme_color(PALETTE_SAFE, THEME_WORLD));
}

static void regions_have_a_border_and_tint_the_ground(void **state) {
    struct scenery_draw_fixture *fixture = *state;
    struct message_geometry *geometry = &fixture->scenario.geometry;
    geometry->region_count = 2;
    geometry->regions[0] = (struct message_region){.is_circle = true, .at = {50, 50}, .radius = 40};
    geometry->regions[1] = (struct message_region){.at = {110, 20}, .size = {60, 60}};
    draw_scenery_draw(fixture);
    const color inside = pixel_scenery_draw(fixture, 50, 50), edge = pixel_scenery_draw(fixture, 89, 50);
    assert_int_not_equal(inside, theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_int_not_equal(edge, theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_int_not_equal(edge, inside);
    assert_int_equal(pixel_scenery_draw(fixture, 140, 50), inside);
    assert_int_equal(pixel_scenery_draw(fixture, 140, 79), pixel_scenery_draw(fixture, 140, 20));
    assert_int_equal(pixel_scenery_draw(fixture, 98, 50), theme_color(PALETTE_SAFE, THEME_WORLD));
    geometry->region_count = 3; /* the circle once more, in another state */
    geometry->regions[2] = geometry->regions[0];
    draw_scenery_draw(fixture);
    assert_int_equal(pixel_scenery_draw(fixture, 50, 50), inside);
    geometry->regions[0].radius = 1e9f;
    geometry->regions[1].size = vec2_make(1e9f, 1e9f);
    draw_scenery_draw(fixture);
}

static void walls_are_thick_lines(void **state) {
    struct scenery_draw_fixture *fixture = *state;
    fixture->scenario.geometry.wall_count = 1;
    fixture->scenario.geometry.walls[0] = (struct wall_def){{20, 100}, {180, 100}};
    draw_scenery_draw(fixture);
    assert_int_equal(pixel_scenery_draw(fixture, 100, 100), theme_color(PALETTE_SAFE, THEME_WALL));
    assert_int_equal(pixel_scenery_draw(fixture, 100, 99), theme_color(PALETTE_SAFE, THEME_WALL));
    assert_int_equal(pixel_scenery_draw(fixture, 100, 105), theme_color(PALETTE_SAFE, THEME_WORLD));
}

static void paths_are_bands_with_a_line(void **state) {
    struct scenery_draw_fixture *fixture = *state;
    struct message_geometry *geometry = &fixture->scenario.geometry;
    geometry->path_count = 1;
    geometry->paths[0] = (struct path_def){
        .name = "a", .radius = 20, .point_count = 3, .points = {{40, 40}, {160, 40}, {160, 160}}};
    draw_scenery_draw(fixture);
    assert_int_equal(pixel_scenery_draw(fixture, 60, 30), theme_color(PALETTE_SAFE, THEME_PATH));
    assert_int_equal(pixel_scenery_draw(fixture, 150, 100), theme_color(PALETTE_SAFE, THEME_PATH));
    assert_int_equal(pixel_scenery_draw(fixture, 60, 70), theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_int_equal(pixel_scenery_draw(fixture, 100, 100),
                     theme_color(PALETTE_SAFE, THEME_WORLD)); /* not closed */
    assert_int_not_equal(pixel_scenery_draw(fixture, 160, 90),
                         theme_color(PALETTE_SAFE, THEME_PATH)); /* the line */
    geometry->paths[0].is_loop = true;
    draw_scenery_draw(fixture);
    assert_int_not_equal(pixel_scenery_draw(fixture, 95, 105), theme_color(PALETTE_SAFE, THEME_WORLD));
}

static void a_path_goes_over_a_wrapping_edge(void **state) {
    struct scenery_draw_fixture *fixture = *state;
    struct message_geometry *geometry = &fixture->scenario.geometry;
    memcpy(fixture->scenario.edge, "wrap", 5);
    geometry->path_count = 1;
    geometry->paths[0] =
        (struct path_def){.name = "a", .radius = 10, .point_count = 2, .points = {{170, 100}, {20, 100}}};
    geometry->obstacle_count = 1;
    geometry->obstacles[0] = (struct obstacle_def){.shape = OBSTACLE_CIRCLE, .at = {100, 195}, .radius = 20};
    draw_scenery_draw(fixture);
    assert_int_equal(pixel_scenery_draw(fixture, 195, 95), theme_color(PALETTE_SAFE, THEME_PATH));
    assert_int_equal(pixel_scenery_draw(fixture, 5, 95), theme_color(PALETTE_SAFE, THEME_PATH));
    assert_int_equal(pixel_scenery_draw(fixture, 100, 95),
                     theme_color(PALETTE_SAFE, THEME_WORLD)); /* not the long way */
    assert_int_equal(pixel_scenery_draw(fixture, 100, 5), theme_color(PALETTE_SAFE, THEME_OBSTACLE));
}

static void flow_fields_are_arrows(void **state) {
    struct scenery_draw_fixture *fixture = *state;
    struct message_flow *flow = &fixture->scenario.geometry.flows[0];
    fixture->scenario.geometry.flow_count = 1;
    flow->columns = 2;
    flow->rows = 1;
    flow->vectors[0] = vec2_make(50, 0);
    draw_scenery_draw(fixture);
    assert_int_not_equal(pixel_scenery_draw(fixture, 40, 100), theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_true(count_other(fixture, theme_color(PALETTE_SAFE, THEME_WORLD)) > 40);
    for (int y = 0; y < SIDE; y++) {
        assert_int_equal(pixel_scenery_draw(fixture, 150, y),
                         theme_color(PALETTE_SAFE, THEME_WORLD)); /* no flow, no arrow */
    }
}

static void hostile_geometry_is_harmless(void **state) {
    struct scenery_draw_fixture *fixture = *state;
    struct message_geometry *geometry = &fixture->scenario.geometry;
    geometry->obstacle_count = geometry->wall_count = geometry->path_count = geometry->flow_count = 1;
    geometry->obstacles[0] =
        (struct obstacle_def){.shape = OBSTACLE_CIRCLE, .at = {1e6f, -1e6f}, .radius = 1e6f};
    geometry->walls[0] = (struct wall_def){{-1e6f, 1e6f}, {1e6f, -1e6f}};
    geometry->paths[0] = (struct path_def){.radius = 1e5f,
                                           .is_loop = true,
                                           .point_count = 3,
                                           .points = {{-1e6f, -1e6f}, {1e6f, 1e6f}, {1e6f, 1e6f}}};
    geometry->flows[0] = (struct message_flow){.columns = 400, .rows = 1, .vectors = {{1e6f, 1e6f}}};
    for (int i = 0; i < 2; i++) {
        draw_scenery_draw(fixture);
        memcpy(fixture->scenario.edge, "wrap", 5);
    }
    assert_int_equal(fixture->raster->clip.x1, SIDE);
}

/* ==== Places of the reply to inspect are drawn in place for an agent that has moved since ==== */

static const vec2 open_world = {0.0f, 0.0f}, wrapping = {800.0f, 480.0f};

static struct message_agent answer(const char *what, float x, float y) {
    struct message_agent agent = {.id = 3, .x = 100.0f, .y = 100.0f, .point_count = 1};
    memcpy(agent.points[0].what, what, strlen(what));
    agent.points[0].x = x;
    agent.points[0].y = y;
    return agent;
}

static void assert_place(const struct message_agent *agent, vec2 position, vec2 wrap_size, float x, float y) {
    const vec2 place = inspect_overlay_place(agent, &agent->points[0], position, wrap_size);
    assert_true(place.x == x && place.y == y);
}

static void a_target_stands(void **state) {
    const struct message_agent agent = answer("predicted", 150.0f, 120.0f);
    assert_place(&agent, vec2_make(110.0f, 105.0f), open_world, 150.0f, 120.0f);
}

static void a_goal_goes_along(void **state) {
    const struct message_agent agent = answer("goal", 150.0f, 120.0f);
    assert_place(&agent, vec2_make(110.0f, 105.0f), open_world, 160.0f, 125.0f);
}

static void the_short_way_over_the_border(void **state) {
    const struct message_agent standing = answer("target", 790.0f, 470.0f);
    assert_place(&standing, vec2_make(100.0f, 100.0f), open_world, 790.0f, 470.0f);
    assert_place(&standing, vec2_make(100.0f, 100.0f), wrapping, -10.0f, -10.0f);
    const struct message_agent carried = answer("future", 790.0f, 100.0f);
    assert_place(&carried, vec2_make(790.0f, 100.0f), wrapping, 680.0f, 100.0f);
}

static void finds_what_there_is(void **state) {
    const struct message_agent agent = answer("circle", 0.0f, 0.0f);
    assert_true(inspect_overlay_has(&agent, "circle"));
    assert_false(inspect_overlay_has(&agent, "goal"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_agent_is_where_it_is, setup_scene, teardown_scene),
        cmocka_unit_test_setup_teardown(vectors_appear_on_request, setup_scene, teardown_scene),
        cmocka_unit_test_setup_teardown(a_click_catches_where_an_agent_was_a_moment_ago, setup_scene,
                                        teardown_scene),
        cmocka_unit_test_setup_teardown(the_cursor_leads_and_the_echo_is_a_ring, setup_scene, teardown_scene),
        cmocka_unit_test_setup_teardown(a_wedge_points_to_a_selected_agent_beyond_the_picture, setup_scene,
                                        teardown_scene),
        cmocka_unit_test_setup_teardown(a_flag_takes_the_color_of_the_agent_that_stands_on_it, setup_scene,
                                        teardown_scene),
        cmocka_unit_test_setup_teardown(overlays_are_for_the_selected_agent, setup_scene, teardown_scene),
        cmocka_unit_test_setup_teardown(the_border_of_a_wrapping_world_shows_an_agent_twice, setup_scene,
                                        teardown_scene),
        cmocka_unit_test_setup_teardown(copies_around_a_wrapping_world_are_dimmed, setup_scene,
                                        teardown_scene),
        cmocka_unit_test_setup_teardown(a_neighbor_across_the_seam_is_linked_the_short_way, setup_scene,
                                        teardown_scene),
        cmocka_unit_test_setup_teardown(a_crowd_can_be_heat, setup_scene, teardown_scene),
        cmocka_unit_test_setup_teardown(an_old_picture_is_dimmed, setup_scene, teardown_scene),
        cmocka_unit_test_setup_teardown(nothing_is_known_yet, setup_scene, teardown_scene),
        cmocka_unit_test_setup_teardown(nothing_draws_nothing, setup_scenery_draw, teardown_scenery_draw),
        cmocka_unit_test_setup_teardown(obstacles_are_filled_and_have_a_border, setup_scenery_draw,
                                        teardown_scenery_draw),
        cmocka_unit_test_setup_teardown(regions_have_a_border_and_tint_the_ground, setup_scenery_draw,
                                        teardown_scenery_draw),
        cmocka_unit_test_setup_teardown(walls_are_thick_lines, setup_scenery_draw, teardown_scenery_draw),
        cmocka_unit_test_setup_teardown(paths_are_bands_with_a_line, setup_scenery_draw,
                                        teardown_scenery_draw),
        cmocka_unit_test_setup_teardown(a_path_goes_over_a_wrapping_edge, setup_scenery_draw,
                                        teardown_scenery_draw),
        cmocka_unit_test_setup_teardown(flow_fields_are_arrows, setup_scenery_draw, teardown_scenery_draw),
        cmocka_unit_test_setup_teardown(hostile_geometry_is_harmless, setup_scenery_draw,
                                        teardown_scenery_draw),
        cmocka_unit_test(a_target_stands),
        cmocka_unit_test(a_goal_goes_along),
        cmocka_unit_test(the_short_way_over_the_border),
        cmocka_unit_test(finds_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
