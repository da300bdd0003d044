/* server/sim/steering/locomotion.h */
#include <math.h>

#include "server/sim/math/trig.h"
#include "server/sim/steering/locomotion.h"
#include "tests/unit/server/cmocka_all.h"

static const struct body body = {.mass = 2.0f, .radius = 5.0f, .max_speed = 100.0f, .max_force = 600.0f};
static const float dt = 1.0f / 60.0f;

static void test_force_is_truncated_and_divided_by_mass(void **state) {
    const vec2 v =
        locomotion_velocity(LOCOMOTION_STEERED, &body, (vec2){0, 0}, (vec2){0, 0}, (vec2){6000.0f, 0}, dt);
    assert_true(fabsf(v.x - 5.0f) < 1e-5f && v.y == 0.0f); /* 600 / 2 / 60 */
}

static void test_speed_is_truncated(void **state) {
    const vec2 v =
        locomotion_velocity(LOCOMOTION_STEERED, &body, (vec2){98.0f, 0}, (vec2){0, 0}, (vec2){600.0f, 0}, dt);
    assert_true(fabsf(vec2_length(v) - 100.0f) < 1e-4f);
}

static void test_braking_ends_at_rest_but_a_weak_push_starts(void **state) {
    const vec2 slow = {0.0004f, 0.0f};
    const vec2 braked =
        locomotion_velocity(LOCOMOTION_STEERED, &body, slow, (vec2){0, 0}, (vec2){-0.04f, 0}, dt);
    assert_true(braked.x == 0.0f && braked.y == 0.0f);
    const vec2 pushed =
        locomotion_velocity(LOCOMOTION_STEERED, &body, (vec2){0, 0}, (vec2){0, 0}, (vec2){0.01f, 0}, dt);
    assert_true(pushed.x > 0.0f);
}

static void test_direct_takes_the_desired_velocity(void **state) {
    const vec2 v =
        locomotion_velocity(LOCOMOTION_DIRECT, &body, (vec2){-100, 0}, (vec2){0, 40}, (vec2){0, 0}, dt);
    assert_true(v.x == 0.0f && v.y == 40.0f);
    const vec2 fast =
        locomotion_velocity(LOCOMOTION_DIRECT, &body, (vec2){0, 0}, (vec2){0, 400}, (vec2){0, 0}, dt);
    assert_true(fabsf(fast.y - 100.0f) < 1e-4f);
}

static void test_constant_speed(void **state) {
    /* A tiny force still pushes with max_force, and the speed is max_speed at once. */
    const vec2 v = locomotion_velocity(LOCOMOTION_CONSTANT_SPEED, &body, (vec2){50, 0}, (vec2){0, 0},
                                       (vec2){0, 1e-3f}, dt);
    assert_true(fabsf(vec2_length(v) - 100.0f) < 1e-4f);
    assert_true(fabsf(v.y / v.x - 5.0f / 50.0f) < 1e-5f);
    const vec2 still =
        locomotion_velocity(LOCOMOTION_CONSTANT_SPEED, &body, (vec2){0, 0}, (vec2){0, 0}, (vec2){0, 0}, dt);
    assert_true(still.x == 0.0f && still.y == 0.0f);
}

/* The difference between two equal velocities is rounding, which must not become a push of max_force. */
static void test_constant_speed_leaves_an_aligned_agent_alone(void **state) {
    const vec2 along = {100.0f, 0.0f}, noise = {1e-5f, -3e-5f};
    const vec2 v =
        locomotion_velocity(LOCOMOTION_CONSTANT_SPEED, &body, along, (vec2){100.0f, 1e-5f}, noise, dt);
    assert_true(v.x == 100.0f && v.y == 0.0f);
}

static void test_no_speed_no_force_no_nan(void **state) {
    const struct body stone = {.mass = 0.01f, .max_speed = 0.0f, .max_force = 0.0f};
    for (int mode = LOCOMOTION_STEERED; mode <= LOCOMOTION_CONSTANT_SPEED; mode++) {
        const vec2 v = locomotion_velocity((enum locomotion)mode, &stone, (vec2){0, 0}, (vec2){1e4f, 0},
                                           (vec2){1e9f, 1}, dt);
        assert_true(v.x == 0.0f && v.y == 0.0f);
    }
}

static void test_heading_turns_no_faster_than_allowed(void **state) {
    const vec2 turn = trig_unit(0.1f);
    vec2 heading = {1.0f, 0.0f};
    const vec2 velocity = {0.0f, 50.0f};
    for (int tick = 1; tick <= 15; tick++) {
        heading = locomotion_heading(heading, velocity, 100.0f, turn);
        assert_true(fabsf(trig_atan2(heading.y, heading.x) - 0.1f * (float)tick) < 1e-4f);
        assert_true(fabsf(vec2_length(heading) - 1.0f) < 1e-5f);
    }
    heading = locomotion_heading(heading, velocity, 100.0f, turn);
    assert_true(heading.x == 0.0f && heading.y == 1.0f);
    /* The short way, also backwards and for exactly opposite directions. */
    const vec2 left = locomotion_heading((vec2){1.0f, 0.0f}, (vec2){0.0f, -50.0f}, 100.0f, turn);
    assert_true(left.y < 0.0f);
    const vec2 back = locomotion_heading((vec2){1.0f, 0.0f}, (vec2){-50.0f, 0.0f}, 100.0f, turn);
    assert_true(fabsf(back.y) > 0.09f);
}

static void test_heading_stays_when_the_agent_stops(void **state) {
    const vec2 heading = {0.6f, 0.8f}, free_turn = {-1.0f, 0.0f};
    const vec2 stopped = locomotion_heading(heading, (vec2){0, 0}, 100.0f, free_turn);
    assert_true(stopped.x == heading.x && stopped.y == heading.y);
    const vec2 creeping = locomotion_heading(heading, (vec2){-0.05f, 0}, 100.0f, free_turn);
    assert_true(creeping.x == heading.x && creeping.y == heading.y);
    const vec2 moving = locomotion_heading(heading, (vec2){-5.0f, 0}, 100.0f, free_turn);
    assert_true(moving.x == -1.0f && moving.y == 0.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force_is_truncated_and_divided_by_mass),
        cmocka_unit_test(test_speed_is_truncated),
        cmocka_unit_test(test_braking_ends_at_rest_but_a_weak_push_starts),
        cmocka_unit_test(test_direct_takes_the_desired_velocity),
        cmocka_unit_test(test_constant_speed),
        cmocka_unit_test(test_constant_speed_leaves_an_aligned_agent_alone),
        cmocka_unit_test(test_no_speed_no_force_no_nan),
        cmocka_unit_test(test_heading_turns_no_faster_than_allowed),
        cmocka_unit_test(test_heading_stays_when_the_agent_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
