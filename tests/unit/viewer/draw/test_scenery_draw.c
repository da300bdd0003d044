/* Obstacles, walls, paths and flow fields appear where they are; hostile sizes do no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "viewer/draw/scene.h"
#include "viewer/explain/theme.h"

enum { SIDE = 200 };

struct fixture {
    struct raster *raster;
    struct sprites *sprites;
    struct message_scenario scenario;
    struct camera camera;
};

static int setup(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
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

static int teardown(void **state) {
    struct fixture *fixture = *state;
    raster_destroy(fixture->raster);
    sprites_destroy(fixture->sprites);
    free(fixture);
    return 0;
}

static void draw(struct fixture *fixture) {
    raster_clear(fixture->raster, theme_color(PALETTE_SAFE, THEME_WORLD));
    struct canvas canvas = canvas_on_raster(fixture->raster, fixture->sprites);
    scenery_draw(&fixture->scenario, &fixture->camera, 1.0f, &canvas);
}

static color pixel(const struct fixture *fixture, int x, int y) {
    return fixture->raster->pixels[y * SIDE + x];
}

static int count_other(const struct fixture *fixture, color ground) {
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        count += fixture->raster->pixels[i] != ground ? 1 : 0;
    }
    return count;
}

static void nothing_draws_nothing(void **state) {
    struct fixture *fixture = *state;
    draw(fixture);
    assert_int_equal(count_other(fixture, theme_color(PALETTE_SAFE, THEME_WORLD)), 0);
}

static void obstacles_are_filled_and_have_a_border(void **state) {
    struct fixture *fixture = *state;
    struct message_geometry *geometry = &fixture->scenario.geometry;
    geometry->obstacle_count = 3;
    geometry->obstacles[0] = (struct obstacle_def){.shape = OBSTACLE_CIRCLE, .at = {50, 50}, .radius = 20};
    geometry->obstacles[1] = (struct obstacle_def){.shape = OBSTACLE_BOX, .at = {100, 20}, .size = {60, 40}};
    geometry->obstacles[2] = (struct obstacle_def){
        .shape = OBSTACLE_POLYGON, .point_count = 3, .points = {{20, 180}, {80, 180}, {20, 120}}};
    draw(fixture);
    assert_int_equal(pixel(fixture, 50, 50), theme_color(PALETTE_SAFE, THEME_OBSTACLE));
    assert_int_equal(pixel(fixture, 130, 40), theme_color(PALETTE_SAFE, THEME_OBSTACLE));
    assert_int_equal(pixel(fixture, 30, 160), theme_color(PALETTE_SAFE, THEME_OBSTACLE));
    assert_int_equal(pixel(fixture, 75, 130),
                     theme_color(PALETTE_SAFE, THEME_WORLD)); /* the triangle's missing half */
    assert_int_equal(pixel(fixture, 72, 50), theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_int_not_equal(pixel(fixture, 69, 50), theme_color(PALETTE_SAFE, THEME_OBSTACLE)); /* the border */
    assert_int_not_equal(pixel(fixture, 69, 50), theme_color(PALETTE_SAFE, THEME_WORLD));
}

static void regions_have_a_border_and_tint_the_ground(void **state) {
    struct fixture *fixture = *state;
    struct message_geometry *geometry = &fixture->scenario.geometry;
    geometry->region_count = 2;
    geometry->regions[0] = (struct message_region){.is_circle = true, .at = {50, 50}, .radius = 40};
    geometry->regions[1] = (struct message_region){.at = {110, 20}, .size = {60, 60}};
    draw(fixture);
    const color inside = pixel(fixture, 50, 50), edge = pixel(fixture, 89, 50);
    assert_int_not_equal(inside, theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_int_not_equal(edge, theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_int_not_equal(edge, inside);
    assert_int_equal(pixel(fixture, 140, 50), inside);
    assert_int_equal(pixel(fixture, 140, 79), pixel(fixture, 140, 20));
    assert_int_equal(pixel(fixture, 98, 50), theme_color(PALETTE_SAFE, THEME_WORLD));
    geometry->region_count = 3; /* the circle once more, in another state */
    geometry->regions[2] = geometry->regions[0];
    draw(fixture);
    assert_int_equal(pixel(fixture, 50, 50), inside);
    geometry->regions[0].radius = 1e9f;
    geometry->regions[1].size = vec2_make(1e9f, 1e9f);
    draw(fixture);
}

static void walls_are_thick_lines(void **state) {
    struct fixture *fixture = *state;
    fixture->scenario.geometry.wall_count = 1;
    fixture->scenario.geometry.walls[0] = (struct wall_def){{20, 100}, {180, 100}};
    draw(fixture);
    assert_int_equal(pixel(fixture, 100, 100), theme_color(PALETTE_SAFE, THEME_WALL));
    assert_int_equal(pixel(fixture, 100, 99), theme_color(PALETTE_SAFE, THEME_WALL));
    assert_int_equal(pixel(fixture, 100, 105), theme_color(PALETTE_SAFE, THEME_WORLD));
}

static void paths_are_bands_with_a_line(void **state) {
    struct fixture *fixture = *state;
    struct message_geometry *geometry = &fixture->scenario.geometry;
    geometry->path_count = 1;
    geometry->paths[0] = (struct path_def){
        .name = "a", .radius = 20, .point_count = 3, .points = {{40, 40}, {160, 40}, {160, 160}}};
    draw(fixture);
    assert_int_equal(pixel(fixture, 60, 30), theme_color(PALETTE_SAFE, THEME_PATH));
    assert_int_equal(pixel(fixture, 150, 100), theme_color(PALETTE_SAFE, THEME_PATH));
    assert_int_equal(pixel(fixture, 60, 70), theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_int_equal(pixel(fixture, 100, 100), theme_color(PALETTE_SAFE, THEME_WORLD));   /* not closed */
    assert_int_not_equal(pixel(fixture, 160, 90), theme_color(PALETTE_SAFE, THEME_PATH)); /* the line */
    geometry->paths[0].is_loop = true;
    draw(fixture);
    assert_int_not_equal(pixel(fixture, 95, 105), theme_color(PALETTE_SAFE, THEME_WORLD));
}

static void a_path_goes_over_a_wrapping_edge(void **state) {
    struct fixture *fixture = *state;
    struct message_geometry *geometry = &fixture->scenario.geometry;
    memcpy(fixture->scenario.edge, "wrap", 5);
    geometry->path_count = 1;
    geometry->paths[0] =
        (struct path_def){.name = "a", .radius = 10, .point_count = 2, .points = {{170, 100}, {20, 100}}};
    geometry->obstacle_count = 1;
    geometry->obstacles[0] = (struct obstacle_def){.shape = OBSTACLE_CIRCLE, .at = {100, 195}, .radius = 20};
    draw(fixture);
    assert_int_equal(pixel(fixture, 195, 95), theme_color(PALETTE_SAFE, THEME_PATH));
    assert_int_equal(pixel(fixture, 5, 95), theme_color(PALETTE_SAFE, THEME_PATH));
    assert_int_equal(pixel(fixture, 100, 95), theme_color(PALETTE_SAFE, THEME_WORLD)); /* not the long way */
    assert_int_equal(pixel(fixture, 100, 5), theme_color(PALETTE_SAFE, THEME_OBSTACLE));
}

static void flow_fields_are_arrows(void **state) {
    struct fixture *fixture = *state;
    struct message_flow *flow = &fixture->scenario.geometry.flows[0];
    fixture->scenario.geometry.flow_count = 1;
    flow->columns = 2;
    flow->rows = 1;
    flow->vectors[0] = vec2_make(50, 0);
    draw(fixture);
    assert_int_not_equal(pixel(fixture, 40, 100), theme_color(PALETTE_SAFE, THEME_WORLD));
    assert_true(count_other(fixture, theme_color(PALETTE_SAFE, THEME_WORLD)) > 40);
    for (int y = 0; y < SIDE; y++) {
        assert_int_equal(pixel(fixture, 150, y),
                         theme_color(PALETTE_SAFE, THEME_WORLD)); /* no flow, no arrow */
    }
}

static void hostile_geometry_is_harmless(void **state) {
    struct fixture *fixture = *state;
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
        draw(fixture);
        memcpy(fixture->scenario.edge, "wrap", 5);
    }
    assert_int_equal(fixture->raster->clip.x1, SIDE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_draws_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(obstacles_are_filled_and_have_a_border, setup, teardown),
        cmocka_unit_test_setup_teardown(regions_have_a_border_and_tint_the_ground, setup, teardown),
        cmocka_unit_test_setup_teardown(walls_are_thick_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(paths_are_bands_with_a_line, setup, teardown),
        cmocka_unit_test_setup_teardown(a_path_goes_over_a_wrapping_edge, setup, teardown),
        cmocka_unit_test_setup_teardown(flow_fields_are_arrows, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile_geometry_is_harmless, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
