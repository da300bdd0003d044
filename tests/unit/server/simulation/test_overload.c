/* When an overload is reported, and for which place. */
#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "server/simulation/tick_clock.h"

#define SECOND UINT64_C(1000000000)

/* Two kinds; `crowd` birds in one place, as many wolves there as stand in `wolves`, and some spread out. */
static struct world *make_world(uint32_t crowd, uint32_t wolves) {
    struct world_def def = world_def_default();
    struct kind_def *bird = world_def_add_kind(&def, "bird");
    assert_non_null(bird);
    bird->states[0].behavior_count = 1;
    bird->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_FLOCK);
    assert_non_null(world_def_add_kind(&def, "wolf"));
    const struct {
        const char *kind;
        uint32_t count;
        int shape;
    } placed[] = {{"wolf", wolves, PLACE_POINT}, {"bird", crowd, PLACE_POINT}, {"bird", 200, PLACE_RECT}};
    for (int i = 0; i < 3; i++) {
        struct placement_def *placement = world_def_add_placement(&def, placed[i].kind);
        assert_non_null(placement);
        placement->count = placed[i].count;
        placement->shape = placed[i].shape;
        placement->at = placed[i].shape == PLACE_RECT ? (vec2){0.0f, 0.0f} : (vec2){640.0f, 480.0f};
        placement->size = def.size;
    }
    struct world *world = NULL;
    assert_int_equal(world_create(&def, &world, NULL), WORLD_OK);
    world_def_fini(&def);
    return world;
}

static void test_the_clump(void **state) {
    struct world *world = make_world(1500, 20);
    struct clump clump = overload_look(world);
    assert_true(clump.is_there);
    assert_string_equal(clump.kind, "bird");
    assert_true(fabsf(clump.at.x - 640.0f) < 1.0f && fabsf(clump.at.y - 480.0f) < 1.0f);
    assert_in_range(clump.candidates, 1520, 1720);
    world_destroy(world);
    world = make_world(500, 3000);
    clump = overload_look(world);
    assert_true(clump.is_there);
    assert_string_equal(clump.kind, "wolf"); /* which examines no agent, but is examined */
    world_destroy(world);
    world = make_world(50, 0);
    assert_false(overload_look(world).is_there);
    world_destroy(world);
}

static void test_no_agent_examines_others(void **state) {
    struct world_def def = world_def_default();
    assert_non_null(world_def_add_kind(&def, "rock"));
    struct placement_def *placement = world_def_add_placement(&def, "rock");
    assert_non_null(placement);
    placement->count = 5000;
    struct world *world = NULL;
    struct world_clump clump;
    assert_int_equal(world_create(&def, &world, NULL), WORLD_OK);
    world_def_fini(&def);
    assert_false(world_find_clump(world, &clump));
    world_destroy(world);
}

static void test_slow(void **state) {
    assert_false(overload_is_slow(SECOND / 13, 60.0));
    assert_true(overload_is_slow(SECOND / 11, 60.0));
    assert_false(overload_is_slow(SECOND - 1, 1.0));
    assert_true(overload_is_slow(SECOND, 1.0));
}

static void test_when(void **state) {
    struct overload overload = {
        .clump = {.is_there = true, .kind = "bird", .at = {100.0f, 50.0f}, .candidates = 4000}};
    struct message_event event;
    uint64_t tick_ns = 0;
    assert_false(overload_tell(&overload, 0, 5 * SECOND, &event, &tick_ns));
    assert_false(overload_tell(&overload, SECOND - 1, 5 * SECOND, &event, &tick_ns));
    assert_true(overload_tell(&overload, SECOND, 5 * SECOND, &event, &tick_ns));
    assert_true(tick_ns == SECOND);
    assert_string_equal(event.event, "overload");
    assert_string_equal(event.kind, "bird");
    assert_int_equal(event.x, 10000);
    assert_int_equal(event.y, 5000);
    assert_int_equal(event.candidates, 4000);
    assert_int_equal(event.by, 0);
    overload_note(&overload, 3 * SECOND); /* it is over */
    overload_note(&overload, 2 * SECOND);
    assert_false(overload_tell(&overload, 0, 15 * SECOND - 1, &event, &tick_ns));
    assert_true(overload_tell(&overload, 0, 15 * SECOND, &event, &tick_ns));
    assert_true(tick_ns == 3 * SECOND);
    assert_false(overload_tell(&overload, 0, 60 * SECOND, &event, &tick_ns)); /* no slow tick since */
    overload.clump.is_there = false;
    assert_false(overload_tell(&overload, 9 * SECOND, 60 * SECOND, &event, &tick_ns));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_clump),
        cmocka_unit_test(test_no_agent_examines_others),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
