/* Wheeled agents from random places with random headings: each comes to its target, and none goes round it forever. */
#include <math.h>
#include <stdio.h>

#include "server/sim/math/rng.h"
#include "tests/unit/server/sim/sim_fixture.h"

#define PI 3.14159265358979
enum { CARS = 1000 };

static struct rng dice;
static float any(float low, float high) {
    return rng_between(&dice, low, high);
}

/* One car in the middle of nowhere whose target is at {0,0}; at rest or in motion. */
static struct world *random_car(enum behavior_type type, float turn_radius, float *bound) {
    struct world_def def = one_kind_def(type, vec2_make(0.0f, 0.0f));
    struct body_def *body = &def.kinds[0].body;
    body->locomotion = LOCOMOTION_WHEELED;
    body->turn_radius = turn_radius;
    body->max_speed = (struct field_range){80.0f, 80.0f};
    body->max_force = (struct field_range){100.0f, 100.0f};
    const float far = any(0.0f, 4.0f * turn_radius), reach = any(0.0f, 6.28f);
    const vec2 at = {far * cosf(reach), far * sinf(reach)};
    const float angle = any(0.0f, 6.28f), speed = any(0.0f, 1.0f) < 0.3f ? 0.0f : any(0.0f, 80.0f);
    place(&def, at, vec2_make(speed * cosf(angle), speed * sinf(angle)));
    def.placements[0].has_heading = true;
    def.placements[0].heading = angle;
    /* Straight on out of a circle, most of a turn, the rest of the way; and what braking and accelerating take. */
    *bound = (far + (2.0f + 2.0f * (float)PI) * turn_radius) / 80.0f * 2.0f + 6.0f;
    return build(&def);
}

static void come_to(enum behavior_type type, float share) {
    for (int i = 0; i < CARS; i++) {
        dice = rng_begin(1, (uint64_t)i, 0, 0);
        const float turn_radius = any(5.0f, 120.0f);
        float bound, nearest = INFINITY;
        struct world *world = random_car(type, turn_radius, &bound);
        for (int tick = 0; (float)tick < bound * 60.0f && nearest > share * turn_radius; tick++) {
            steps(world, 1);
            nearest = fminf(nearest, vec2_length(world_agent(world, 0).position));
        }
        if (nearest > share * turn_radius) {
            print_error("car %d, turn_radius %g: no nearer than %g within %g s\n", i, (double)turn_radius,
                        (double)nearest, (double)bound);
        }
        assert_true(nearest <= share * turn_radius);
        world_destroy(world);
    }
}

/* Not only within the turning circle, where an orbit would lie as well. */
static void test_seek_hits(void **state) {
    (void)state;
    come_to(BEHAVIOR_SEEK, 0.5f);
}

static void test_pursue_hits(void **state) {
    (void)state;
    come_to(BEHAVIOR_PURSUE, 0.5f);
}

static void test_arrive_comes_within_turn_radius(void **state) {
    (void)state;
    come_to(BEHAVIOR_ARRIVE, 1.0f);
    come_to(BEHAVIOR_QUEUE, 1.0f);
}

/* The radius of a full turn is turn_radius at any speed, the speed is that of the wish, and there is no way back. */
static void test_circle(void **state) {
    (void)state;
    const struct body body = {.mass = 2.0f, .radius = 1.0f, .max_speed = 100.0f, .max_force = 100.0f};
    for (int s = 1; s <= 4; s++) {
        const float speed = 25.0f * (float)s;
        vec2 at = {0.0f, 0.0f}, heading = {1.0f, 0.0f}, velocity = {speed, 0.0f};
        float furthest = 0.0f;
        for (int tick = 0; tick < 4000; tick++) {
            const vec2 left =
                vec2_scale(vec2_make(-heading.y, heading.x), speed); /* always to the same side */
            const struct drive_step step = locomotion_drive(&body, 30.0f, vec2_make(NO_TURN_LIMIT, 0.0f),
                                                            heading, velocity, left, 1.0f / 240.0f);
            heading = step.heading;
            velocity = step.velocity;
            assert_true(fabsf(vec2_length(velocity) - speed) < 0.01f);
            assert_true(vec2_dot(velocity, heading) > 0.0f);
            at = vec2_add(at, vec2_scale(velocity, 1.0f / 240.0f));
            furthest = fmaxf(furthest, vec2_length(at));
        }
        assert_true(fabsf(furthest - 60.0f) < 1.0f);
    }
    /* At rest it does not turn; backwards it does not go. */
    const struct drive_step first =
        locomotion_drive(&body, 30.0f, vec2_make(NO_TURN_LIMIT, 0.0f), vec2_make(1.0f, 0.0f),
                         vec2_make(0.0f, 0.0f), vec2_make(-50.0f, 0.0f), 1.0f / 60.0f);
    assert_true(first.velocity.x > 0.0f && first.heading.x > 0.999f);
    const struct drive_step none =
        locomotion_drive(&body, 30.0f, vec2_make(NO_TURN_LIMIT, 0.0f), vec2_make(1.0f, 0.0f),
                         vec2_make(0.5f, 0.0f), vec2_make(0.0f, 0.0f), 1.0f / 60.0f);
    assert_true(none.velocity.x == 0.0f && none.heading.x == 1.0f);
    /* max_force / mass is the most that the speed changes by in a second. */
    const struct drive_step push =
        locomotion_drive(&body, 30.0f, vec2_make(NO_TURN_LIMIT, 0.0f), vec2_make(1.0f, 0.0f),
                         vec2_make(10.0f, 0.0f), vec2_make(90.0f, 0.0f), 0.1f);
    assert_true(fabsf(push.velocity.x - 15.0f) < 1e-4f);
}

/* The only parameter of a body that not every kind lists. */
static void test_turn_radius_is_a_parameter(void **state) {
    (void)state;
    for (int wheeled = 0; wheeled < 2; wheeled++) {
        struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(0.0f, 0.0f));
        def.kinds[0].body.locomotion = wheeled ? LOCOMOTION_WHEELED : LOCOMOTION_STEERED;
        place(&def, vec2_make(10.0f, 10.0f), vec2_make(0.0f, 0.0f));
        struct world *world = build(&def);
        struct param_ref ref;
        char name[64];
        assert_int_equal(world_find_param(world, 0, "turn_radius", &ref), wheeled);
        assert_true(world_param_at(world, 0, 6 + wheeled, &ref, name));
        assert_string_equal(name, "seek.weight");
        assert_false(world_param_at(world, 0, 8 + wheeled, &ref, name));
        if (wheeled) {
            const uint64_t before = world_hash(world);
            assert_true(world_find_param(world, 0, "turn_radius", &ref));
            world_set_param(world, &ref, 90.0);
            assert_true(world_hash(world) != before);
        }
        world_destroy(world);
    }
}

/* What a car runs into turns it along; it stays outside. */
static void test_solids_hold_cars(void **state) {
    (void)state;
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(400.0f, 100.0f));
    def.kinds[0].body.locomotion = LOCOMOTION_WHEELED;
    add_circle(&def, vec2_make(200.0f, 110.0f), 40.0f);
    place(&def, vec2_make(50.0f, 100.0f), vec2_make(0.0f, 0.0f));
    struct world *world = build(&def);
    bool has_come = false;
    for (int tick = 0; tick < 1200; tick++) {
        steps(world, 1);
        const struct agent_view car = world_agent(world, 0);
        assert_true(vec2_length(vec2_sub(car.position, vec2_make(200.0f, 110.0f))) >
                    40.0f + car.radius - 0.05f);
        const float along = vec2_dot(car.velocity, car.heading);
        assert_true(fabsf(along - vec2_length(car.velocity)) < 0.1f);
        has_come |= car.position.x > 390.0f;
    }
    assert_true(has_come);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_seek_hits),
        cmocka_unit_test(test_pursue_hits),
        cmocka_unit_test(test_arrive_comes_within_turn_radius),
        cmocka_unit_test(test_turn_radius_is_a_parameter),
        cmocka_unit_test(test_solids_hold_cars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
