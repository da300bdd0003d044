/* Two dogs bring all sheep of scenarios/herd.json into the pen, whatever the seed; and the herd that a dog sees is that
 * of a plain loop. */
#include <math.h>

#include "tests/property/named_scenario.h"

enum { MINUTES = 4 };

static int in_pen(const struct world *world) {
    int count = 0;
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        const struct agent_view agent = world_agent(world, row);
        count += agent.kind == 0 && agent.position.x > 690.0f && agent.position.x < 880.0f &&
                 agent.position.y > 30.0f && agent.position.y < 220.0f;
    }
    return count;
}

static void test_all_come_into_the_pen(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct scenario scenario;
        struct world *world = NULL;
        scenario_named("herd", &scenario);
        scenario.def.seed = seed;
        assert_int_equal(world_create(&scenario.def, &world, NULL), WORLD_OK);
        scenario_fini(&scenario);
        assert_true(in_pen(world) < 10);
        int tick = 0;
        while (in_pen(world) < 60 && tick < MINUTES * 3600) {
            world_step(world);
            tick++;
        }
        print_message("seed %d: all in after %d s\n", (int)seed, tick / 60);
        assert_int_equal(in_pen(world), 60);
        world_destroy(world);
    }
}

/* Where the dog goes, by the formula of the paper with the square and cube roots of the C library. */
static void test_where_a_dog_goes(void **state) {
    (void)state;
    struct world *world = world_named("herd");
    bool has_collected = false, has_driven = false;
    for (int tick = 0; tick < 3600; tick += 60) {
        for (int i = 0; i < 60; i++) {
            world_step(world);
        }
        double x = 0.0, y = 0.0, far_x = 0.0, far_y = 0.0;
        for (int32_t row = 2; row < 62; row++) {
            x += (double)world_agent(world, row).position.x / 60.0;
            y += (double)world_agent(world, row).position.y / 60.0;
        }
        for (int32_t row = 2; row < 62; row++) {
            const vec2 at = world_agent(world, row).position;
            const double dx = (double)at.x - x, dy = (double)at.y - y;
            if (hypot(dx, dy) > hypot(far_x, far_y)) {
                far_x = dx;
                far_y = dy;
            }
        }
        const double furthest = hypot(far_x, far_y), gathered = 10.0 * pow(60.0, 2.0 / 3.0);
        const bool collects = furthest > gathered;
        if (fabs(furthest - gathered) < 0.1) {
            continue; /* either way */
        }
        const double pen_x = x - 800.0, pen_y = y - 110.0, pen = hypot(pen_x, pen_y),
                     behind = 10.0 * sqrt(60.0);
        const double to_x = collects ? x + far_x * (1.0 + 10.0 / furthest) : x + pen_x / pen * behind;
        const double to_y = collects ? y + far_y * (1.0 + 10.0 / furthest) : y + pen_y / pen * behind;
        const struct agent_view dog = world_agent(world, 0);
        struct steering_view view;
        struct trace trace;
        world_trace(world, 0, &view, &trace);
        assert_string_equal(trace.terms[0].type, "herd");
        const double way_x = to_x - (double)dog.position.x, way_y = to_y - (double)dog.position.y;
        const vec2 desired = trace.terms[0].desired;
        const double length = hypot(way_x, way_y), speed = (double)vec2_length(desired);
        if (length > 1.0) {
            assert_true(fabs((double)desired.x - way_x / length * speed) < 0.1);
            assert_true(fabs((double)desired.y - way_y / length * speed) < 0.1);
        }
        has_collected |= collects;
        has_driven |= !collects;
    }
    assert_true(has_collected && has_driven);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_come_into_the_pen),
        cmocka_unit_test(test_where_a_dog_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
