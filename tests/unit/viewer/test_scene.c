/* The picture shows agents where they are, in the colour of their state, pointing where they head. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "make_snapshot.h"
#include "viewer/palette.h"
#include "viewer/scene.h"

enum { SIDE = 200 };

struct fixture {
    struct raster *raster;
    struct snapshot *snapshot;
    struct server_view server;
    struct frame frame;
    struct pose pose;
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
    snprintf(fixture->server.scenario.kinds[0].name, sizeof fixture->server.scenario.kinds[0].name, "ship");
    fixture->pose = (struct pose){.id = 1, .position = {100, 100}, .alpha = 1};
    fixture->frame.names = fixture->snapshot;
    fixture->frame.poses = &fixture->pose;
    fixture->frame.count = 1;
    fixture->scene = (struct scene){
        .camera = {.scale = 1.0f}, .server = &fixture->server, .frame = &fixture->frame, .pixel_scale = 1.0f};
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    struct fixture *fixture = *state;
    raster_destroy(fixture->raster);
    snapshot_destroy(fixture->snapshot);
    free(fixture);
    return 0;
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
    scene_draw(&fixture->scene, fixture->raster);
    assert_int_equal(pixel(fixture, 100, 100), palette_state("seek"));
    assert_int_equal(pixel(fixture, 108, 100), palette_state("seek"));    /* towards the tip */
    assert_int_not_equal(pixel(fixture, 92, 100), palette_state("seek")); /* the notch behind */
    const int large = count_color(fixture, palette_state("seek"));
    fixture->server.scenario.kinds[0].radius = 0.5f; /* never too small to see */
    scene_draw(&fixture->scene, fixture->raster);
    const int small = count_color(fixture, palette_state("seek"));
    assert_true(small >= 12 && small < large);
    fixture->frame.count = 0;
    scene_draw(&fixture->scene, fixture->raster);
    assert_int_equal(count_color(fixture, palette_state("seek")), 0);
}

static void vectors_appear_on_request(void **state) {
    struct fixture *fixture = *state;
    fixture->pose.velocity = vec2_make(100, 0);
    fixture->pose.desired = vec2_make(0, 100);
    fixture->pose.steering = vec2_make(-100, 0);
    scene_draw(&fixture->scene, fixture->raster);
    assert_int_equal(count_color(fixture, PALETTE_VELOCITY), 0);
    fixture->scene.shows_forces = true;
    scene_draw(&fixture->scene, fixture->raster);
    assert_true(count_color(fixture, PALETTE_VELOCITY) > 30);
    assert_int_equal(count_color(fixture, PALETTE_DESIRED), 0); /* the snapshot does not have it */
    fixture->frame.has_forces = true;
    scene_draw(&fixture->scene, fixture->raster);
    assert_int_equal(pixel(fixture, 140, 100), PALETTE_VELOCITY);
    assert_int_equal(pixel(fixture, 100, 140), PALETTE_DESIRED);
    assert_int_equal(pixel(fixture, 60, 100), PALETTE_STEERING);
}

static void the_cursor_leads_and_the_echo_is_a_ring(void **state) {
    struct fixture *fixture = *state;
    add_target(fixture->snapshot, "mouse", 40, 40);
    fixture->frame.target_count = 1;
    fixture->frame.targets[0] = (struct frame_target){0, {40.5f, 40.5f}};
    scene_draw(&fixture->scene, fixture->raster);
    assert_int_equal(pixel(fixture, 40, 40), PALETTE_TARGET); /* the dot in the marker's middle */
    fixture->scene.has_cursor = true;
    fixture->scene.cursor = vec2_make(150.5f, 50.5f);
    scene_draw(&fixture->scene, fixture->raster);
    assert_int_equal(pixel(fixture, 150, 50), PALETTE_TARGET);
    assert_int_not_equal(pixel(fixture, 40, 40), PALETTE_TARGET);
    assert_int_not_equal(pixel(fixture, 54, 40), PALETTE_WORLD); /* the ring, 14 px out */
}

static void an_old_picture_is_dimmed(void **state) {
    struct fixture *fixture = *state;
    scene_draw(&fixture->scene, fixture->raster);
    const color before = pixel(fixture, 100, 100);
    fixture->scene.is_dimmed = true;
    scene_draw(&fixture->scene, fixture->raster);
    const color after = pixel(fixture, 100, 100);
    assert_true(((after >> 8) & 0xffu) < ((before >> 8) & 0xffu) * 2 / 3);
    assert_int_not_equal(after, PALETTE_GROUND); /* still to be made out */
}

static void nothing_is_known_yet(void **state) {
    struct fixture *fixture = *state;
    fixture->server.has_scenario = false;
    scene_draw(&fixture->scene, fixture->raster);
    assert_int_equal(count_color(fixture, PALETTE_GROUND), SIDE * SIDE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_agent_is_where_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(vectors_appear_on_request, setup, teardown),
        cmocka_unit_test_setup_teardown(the_cursor_leads_and_the_echo_is_a_ring, setup, teardown),
        cmocka_unit_test_setup_teardown(an_old_picture_is_dimmed, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_known_yet, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
