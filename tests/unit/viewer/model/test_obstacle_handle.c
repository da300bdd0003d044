/* Every shape is found where it is and a little beyond; a moved one keeps its shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "viewer/model/edits.h"

static const vec2 open_world = {0.0f, 0.0f};

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

static uint32_t id_at(const struct message_geometry *geometry, float x, float y, float reach) {
    const struct obstacle_def *found = obstacle_handle_find(geometry, vec2_make(x, y), reach, open_world);
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

static void copies_of_a_wrapping_world_count(void **state) {
    struct message_geometry geometry = three_shapes();
    geometry.obstacles[0].at = vec2_make(195, 5); /* radii over both edges */
    const vec2 size = {200, 200};
    assert_int_equal(id_at(&geometry, 2, 198, 0), 0);
    const struct obstacle_def *found = obstacle_handle_find(&geometry, vec2_make(2, 198), 0.0f, size);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(found_inside_and_within_reach),
        cmocka_unit_test(the_one_on_top_is_taken),
        cmocka_unit_test(copies_of_a_wrapping_world_count),
        cmocka_unit_test(moved_as_a_whole),
        cmocka_unit_test(found_by_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
