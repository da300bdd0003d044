/* server/sim/steering/behavior.h */
#include <math.h>

#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_def.h"
#include "tests/unit/server/cmocka_all.h"

static const struct body body = {.mass = 1.0f, .radius = 5.0f, .max_speed = 100.0f, .max_force = 200.0f};

static const struct bounds plain = {{800.0f, 600.0f}, EDGE_OPEN};

static struct steering_context senses_at(vec2 to_target, vec2 velocity) {
    struct steering_context context = {
        .velocity = velocity,
        .heading = {0.0f, 1.0f},
        .first = {.is_there = true, .offset = to_target, .heading = {1.0f, 0.0f}},
        .bounds = &plain,
        .body = &body,
        .dt = 1.0f / 60.0f};
    behavior_rates(&context, 1.0f);
    return context;
}

static void test_rates(void **state) {
    struct steering_context context = senses_at((vec2){0, 0}, (vec2){0, 0});
    assert_true(fabsf(context.rate - 60.0f) < 1e-3f); /* the tutorials: the whole difference in one frame */
    const struct body heavy = {.mass = 20.0f}, light = {.mass = 0.5f};
    context.body = &heavy;
    behavior_rates(&context, 2.0f);
    assert_true(fabsf(context.rate - 60.0f) < 1e-3f && fabsf(context.exact_rate - 600.0f) < 1e-2f);
    context.body = &light;
    behavior_rates(&context, 1.0f);
    assert_true(fabsf(context.rate - 30.0f) < 1e-3f); /* more would overshoot the desired velocity */
    context.body = &body;
    behavior_rates(&context, 3.0f);
    assert_true(fabsf(context.rate - 20.0f) < 1e-3f);
}

static void test_seek_and_flee_are_opposite(void **state) {
    const struct behavior_def seek = behavior_def_default(BEHAVIOR_SEEK),
                              flee = behavior_def_default(BEHAVIOR_FLEE);
    const struct steering_context context = senses_at((vec2){30.0f, 40.0f}, (vec2){10.0f, 0.0f});
    const struct steering_output to = behavior_seek(&seek, &context), from = behavior_flee(&flee, &context);
    assert_true(fabsf(to.desired.x - 60.0f) < 1e-4f && fabsf(to.desired.y - 80.0f) < 1e-4f);
    assert_true(fabsf(to.force.x - 50.0f * 60.0f) < 0.05f && fabsf(to.force.y - 80.0f * 60.0f) < 0.05f);
    assert_true(fabsf(from.desired.x + 60.0f) < 1e-4f && fabsf(from.desired.y + 80.0f) < 1e-4f);
}

static void test_on_the_target_itself(void **state) {
    const struct steering_context context = senses_at((vec2){0, 0}, (vec2){3.0f, 0.0f});
    const struct behavior_def seek = behavior_def_default(BEHAVIOR_SEEK),
                              flee = behavior_def_default(BEHAVIOR_FLEE),
                              arrive = behavior_def_default(BEHAVIOR_ARRIVE);
    const struct steering_output to = behavior_seek(&seek, &context), from = behavior_flee(&flee, &context),
                                 at = behavior_arrive(&arrive, &context);
    assert_true(to.desired.x == 0.0f && to.desired.y == 0.0f && isfinite(to.force.x));
    assert_true(from.desired.x == 0.0f && from.desired.y == 100.0f); /* straight ahead */
    assert_true(at.desired.x == 0.0f && at.desired.y == 0.0f && at.force.x < 0.0f);
}

static void test_flee_only_in_panic(void **state) {
    struct behavior_def flee = behavior_def_default(BEHAVIOR_FLEE);
    flee.panic_distance = 50.0f;
    const struct steering_context near = senses_at((vec2){49.0f, 0}, (vec2){0, 0}),
                                  far = senses_at((vec2){51.0f, 0}, (vec2){0, 0});
    assert_true(behavior_flee(&flee, &near).is_active);
    assert_false(behavior_flee(&flee, &far).is_active);
}

static void test_linear_ramp(void **state) {
    struct behavior_def arrive = behavior_def_default(BEHAVIOR_ARRIVE);
    arrive.law = ARRIVE_LINEAR;
    arrive.slowing_distance = 20.0f;
    const float distances[] = {200.0f, 20.0f, 10.0f, 5.0f}, speeds[] = {100.0f, 100.0f, 50.0f, 25.0f};
    for (int i = 0; i < 4; i++) {
        const struct steering_context context = senses_at((vec2){distances[i], 0}, (vec2){0, 0});
        assert_true(fabsf(behavior_arrive(&arrive, &context).desired.x - speeds[i]) < 1e-4f);
    }
}

/* From the speed the function allows, braking by a*dt a tick never covers more than the distance. */
static void test_stopping_speed_can_stop(void **state) {
    const float dt = 1.0f / 60.0f;
    for (int i = 1; i < 4000; i++) {
        const double distance = 0.001 * pow(1.004, i), a = 10.0 + (i * 37 % 2000);
        double v = (double)behavior_stopping_speed((float)distance, (float)a, dt), covered = 0.0;
        assert_true(v > 0.0 && v * (double)dt <= distance * 1.0001);
        for (int tick = 0; tick < 100000 && v > 1e-9; tick++) {
            covered += v * (double)dt;
            v -= a * (double)dt;
        }
        assert_true(covered <= distance * 1.001 + 1e-6);
        assert_true(covered >= distance * 0.5);
    }
    assert_true(behavior_stopping_speed(100.0f, 0.0f, dt) == 0.0f);
    assert_true(behavior_stopping_speed(0.0f, 100.0f, dt) == 0.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_seek_and_flee_are_opposite),
        cmocka_unit_test(test_on_the_target_itself),
        cmocka_unit_test(test_flee_only_in_panic),
        cmocka_unit_test(test_linear_ramp),
        cmocka_unit_test(test_stopping_speed_can_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
