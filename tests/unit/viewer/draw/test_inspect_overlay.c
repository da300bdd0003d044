/* Places of the reply to inspect are drawn in place for an agent that has moved since. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "viewer/draw/scene.h"

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
        cmocka_unit_test(a_target_stands),
        cmocka_unit_test(a_goal_goes_along),
        cmocka_unit_test(the_short_way_over_the_border),
        cmocka_unit_test(finds_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
