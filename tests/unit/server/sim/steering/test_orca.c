/* Reciprocal velocity obstacles in small worlds (behavior_orca.c): agents pass each other, no two touch, none
 * freezes; and the velocity filter changes velocities only where it must. */
#include <math.h>

#include "server/sim/math/trig.h"
#include "tests/unit/server/sim/sim_fixture.h"

static struct behavior_def *add_behavior(struct state_def *state, enum behavior_type type) {
    struct behavior_def *behavior = &state->behaviors[state->behavior_count++];
    *behavior = behavior_def_default(type);
    return behavior;
}

/* Kinds "agent" and "other" that arrive at "mouse" and "cat", one state each, and avoid both. */
static struct world_def two_kinds(vec2 mouse, vec2 cat) {
    struct world_def def = one_kind_def(BEHAVIOR_ARRIVE, mouse);
    def.target_count = 2;
    def.targets[1].at = cat;
    copy_text(def.targets[1].name, "cat");
    assert_non_null(world_def_add_kind(&def, "other"));
    def.kinds[1].states[0] = def.kinds[0].states[0];
    copy_text(def.kinds[1].states[0].behaviors[0].target.target, "cat");
    for (int k = 0; k < 2; k++) {
        copy_text(add_behavior(&def.kinds[k].states[0], BEHAVIOR_ORCA)->kinds, "agent other");
    }
    return def;
}

static void place_other(struct world_def *def, vec2 at) {
    struct placement_def *placement = world_def_add_placement(def, "other");
    assert_non_null(placement);
    placement->at = at;
}

/* px between the two bodies that are nearest to each other, the short way. */
static float least_gap(const struct world *world) {
    const struct bounds bounds = world_bounds(world);
    float least = 1e9f;
    for (int32_t a = 0; a < world_agent_count(world); a++) {
        for (int32_t b = a + 1; b < world_agent_count(world); b++) {
            const struct agent_view one = world_agent(world, a), two = world_agent(world, b);
            const float gap =
                vec2_length(bounds_difference(&bounds, one.position, two.position)) - one.radius - two.radius;
            least = gap < least ? gap : least;
        }
    }
    return least;
}

static float distance_to(const struct world *world, int32_t row, vec2 place) {
    const struct bounds bounds = world_bounds(world);
    return vec2_length(bounds_difference(&bounds, world_agent(world, row).position, place));
}

/* Both get there in time, and never touch. */
static void check_passing(struct world *world, vec2 mouse, vec2 cat, int ticks) {
    for (int t = 0; t < ticks; t++) {
        world_step(world);
        assert_true(least_gap(world) > 0.0f);
    }
    assert_true(distance_to(world, 0, mouse) < 1.0f && distance_to(world, 1, cat) < 1.0f);
    world_destroy(world);
}

static void test_head_on(void **state) {
    const vec2 west = {100.0f, 300.0f}, east = {700.0f, 300.0f};
    struct world_def def = two_kinds(east, west);
    place(&def, west, (vec2){0.0f, 0.0f});
    place_other(&def, east);
    check_passing(build(&def), east, west, 600); /* 6 s of way, 10 s of time */
    /* Already at full speed; and with hardly any force. */
    def = two_kinds(east, west);
    def.kinds[0].body.max_force = def.kinds[1].body.max_force = (struct field_range){60.0f, 60.0f};
    place(&def, west, (vec2){100.0f, 0.0f});
    place_other(&def, east);
    def.placements[1].velocity = (vec2){-100.0f, 0.0f};
    check_passing(build(&def), east, west, 700);
}

static void test_head_on_across_the_edge(void **state) {
    const vec2 west = {150.0f, 595.0f}, east = {650.0f, 595.0f};
    struct world_def def = two_kinds(east, west); /* 300 px the short way, over x = 0 */
    def.edge = EDGE_WRAP;
    place(&def, west, (vec2){0.0f, 0.0f});
    place_other(&def, east);
    check_passing(build(&def), east, west, 500);
}

static void test_crossing_and_overtaking(void **state) {
    struct world_def def = two_kinds((vec2){700.0f, 300.0f}, (vec2){400.0f, 550.0f});
    place(&def, (vec2){150.0f, 300.0f}, (vec2){0.0f, 0.0f});
    place_other(&def, (vec2){400.0f, 50.0f});
    check_passing(build(&def), (vec2){700.0f, 300.0f}, (vec2){400.0f, 550.0f}, 700);
    def = two_kinds((vec2){760.0f, 300.0f}, (vec2){700.0f, 300.0f});
    def.kinds[1].body.max_speed = (struct field_range){40.0f, 40.0f};
    place(&def, (vec2){40.0f, 300.0f}, (vec2){0.0f, 0.0f}); /* the faster, behind on the same line */
    place_other(&def, (vec2){120.0f, 300.0f});
    check_passing(build(&def), (vec2){760.0f, 300.0f}, (vec2){700.0f, 300.0f}, 1200);
}

/* Agents on a circle, evenly, whose places (formation circle) are those opposite. */
static struct world *circle_of(int count, float radius, double tick_hz) {
    const vec2 middle = {400.0f, 400.0f};
    struct world_def def = one_kind_def(BEHAVIOR_FORMATION, middle);
    def.size = (vec2){800.0f, 800.0f};
    def.tick_hz = tick_hz;
    def.kinds[0].body.max_force = (struct field_range){400.0f, 400.0f};
    struct behavior_def *formation = &def.kinds[0].states[0].behaviors[0];
    formation->shape = FORMATION_CIRCLE;
    formation->spacing = 2.0f * (float)TRIG_PI * radius / (float)count;
    add_behavior(&def.kinds[0].states[0], BEHAVIOR_ORCA)->zones[ZONE_SEPARATION].radius = 200.0f;
    for (int i = 0; i < count; i++) {
        const float angle = (float)TRIG_PI * (2.0f * (float)i / (float)count + 1.0f);
        place(&def, vec2_add(middle, vec2_scale(trig_unit(angle), radius)), (vec2){0.0f, 0.0f});
    }
    return build(&def);
}

static bool have_swapped(const struct world *world, float radius) {
    const int32_t count = world_agent_count(world);
    for (int32_t i = 0; i < count; i++) {
        const vec2 out = trig_unit(2.0f * (float)TRIG_PI * (float)i / (float)count);
        if (distance_to(world, i, vec2_add((vec2){400.0f, 400.0f}, vec2_scale(out, radius))) > 1.0f) {
            return false;
        }
    }
    return true;
}

/* All agents through one point: all arrive, and no two touch, at any tick rate. */
static void test_circle_swap(void **state) {
    static const struct {
        int count;
        float radius;
        double tick_hz, seconds;
    } circles[] = {{8, 250.0f, 60.0, 10.0},  {16, 250.0f, 60.0, 14.0},  {32, 260.0f, 60.0, 20.0},
                   {32, 260.0f, 30.0, 20.0}, {24, 260.0f, 240.0, 16.0}, {48, 260.0f, 60.0, 40.0},
                   {17, 200.0f, 60.0, 20.0}};
    for (size_t i = 0; i < sizeof circles / sizeof *circles; i++) {
        struct world *world = circle_of(circles[i].count, circles[i].radius, circles[i].tick_hz);
        const int most = (int)(circles[i].seconds * circles[i].tick_hz);
        int tick = 0;
        for (; tick < most && !have_swapped(world, circles[i].radius); tick++) {
            world_step(world);
            assert_true(least_gap(world) > 0.0f);
        }
        assert_true(tick < most);
        world_destroy(world);
    }
}

/* Too many agents in one place, then all to one point, which has room for one: they part and settle around
 * it. */
static void test_a_heap_at_one_target(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_ARRIVE, (vec2){400.0f, 300.0f});
    def.kinds[0].states[0].behaviors[0].slowing_distance = 150.0f;
    add_behavior(&def.kinds[0].states[0], BEHAVIOR_ORCA);
    for (int i = 0; i < 25; i++) {
        place(&def, (vec2){200.0f, 200.0f}, (vec2){0.0f, 0.0f});
    }
    struct world *world = build(&def);
    steps(world, 1800);
    assert_true(least_gap(world) > -0.5f);
    double sum = 0.0;
    for (int32_t row = 0; row < 25; row++) {
        const struct agent_view before = world_agent(world, row);
        sum += (double)vec2_length(before.velocity);
        assert_true(distance_to(world, row, (vec2){400.0f, 300.0f}) < 120.0f);
    }
    assert_true(sum / 25.0 < 6.0); /* of 100 */
    world_destroy(world);
}

/* Far from other agents the velocity filter is silent: the same bits as without it. */
static void test_nothing_to_say(void **state) {
    struct world *worlds[2];
    for (int i = 0; i < 2; i++) {
        struct world_def def = one_kind_def(BEHAVIOR_ARRIVE, (vec2){400.0f, 300.0f});
        struct state_def *state_def = &def.kinds[0].states[0];
        *add_behavior(state_def, BEHAVIOR_WANDER) = behavior_def_default(BEHAVIOR_WANDER);
        if (i == 1) {
            add_behavior(state_def, BEHAVIOR_ORCA)->zones[ZONE_SEPARATION].radius = 50.0f;
        }
        place(&def, (vec2){100.0f, 100.0f}, (vec2){0.0f, 0.0f});
        place(&def, (vec2){700.0f, 100.0f}, (vec2){0.0f, 0.0f});
        worlds[i] = build(&def);
        steps(worlds[i], 100);
    }
    for (int32_t row = 0; row < 2; row++) {
        const struct agent_view without = world_agent(worlds[0], row), with = world_agent(worlds[1], row);
        assert_memory_equal(&without.position, &with.position, sizeof with.position);
        assert_memory_equal(&without.velocity, &with.velocity, sizeof with.velocity);
    }
    world_destroy(worlds[0]);
    world_destroy(worlds[1]);
}

/* Two agents that head for each other, in the first ticks: the sum of their braking. */
static float closing_speed(float weight, uint32_t max_neighbors, int combine, uint32_t tier,
                           enum locomotion locomotion) {
    struct world_def def = two_kinds((vec2){500.0f, 300.0f}, (vec2){300.0f, 300.0f});
    for (int k = 0; k < 2; k++) {
        def.kinds[k].body.locomotion = (int)locomotion;
        def.kinds[k].states[0].combine = combine;
        struct behavior_def *orca = &def.kinds[k].states[0].behaviors[1];
        orca->weight = weight;
        orca->max_neighbors = max_neighbors;
        orca->tier = tier;
    }
    place(&def, (vec2){380.0f, 300.0f}, (vec2){0.0f, 0.0f});
    place_other(&def, (vec2){420.0f, 300.0f});
    /* A third that is nearer to each than the other one. */
    for (int i = 0; i < 2; i++) {
        place_other(&def, (vec2){i == 0 ? 370.0f : 430.0f, 318.0f});
        struct kind_def *kind = world_def_add_kind(&def, i == 0 ? "post1" : "post2");
        assert_non_null(kind);
        copy_text(def.placements[def.placement_count - 1].kind, i == 0 ? "post1" : "post2");
    }
    for (int k = 0; k < 2; k++) {
        copy_text(def.kinds[k].states[0].behaviors[1].kinds, "agent other post1 post2");
    }
    struct world *world = build(&def);
    steps(world, 12);
    const float closing = world_agent(world, 0).velocity.x - world_agent(world, 1).velocity.x;
    world_destroy(world);
    return closing;
}

static void test_last_word(void **state) {
    const float free = closing_speed(0.0f, 10, COMBINE_SUM, 0, LOCOMOTION_STEERED);
    assert_true(free > 75.0f);
    const float held = closing_speed(1.0f, 10, COMBINE_SUM, 0, LOCOMOTION_STEERED);
    assert_true(held < 50.0f);
    /* Whatever its tier, listed first or last, however the others combine. */
    assert_true(held == closing_speed(1.0f, 10, COMBINE_SUM, 7, LOCOMOTION_STEERED));
    assert_true(closing_speed(1.0f, 10, COMBINE_DITHERED, 0, LOCOMOTION_STEERED) < 50.0f);
    assert_true(closing_speed(0.0f, 10, COMBINE_SUM, 0, LOCOMOTION_DIRECT) > 195.0f);
    assert_true(closing_speed(1.0f, 10, COMBINE_SUM, 0, LOCOMOTION_DIRECT) < 100.0f);
    /* In part; and blind to all but the nearest, which is not in the way. */
    const float partly = closing_speed(0.5f, 10, COMBINE_SUM, 0, LOCOMOTION_STEERED);
    assert_true(partly > held + 2.0f && partly < free - 2.0f);
    assert_true(closing_speed(1.0f, 1, COMBINE_SUM, 0, LOCOMOTION_STEERED) > held + 10.0f);
}

/* An agent without other behaviors keeps its velocity, around agents in its way. */
static void test_no_wish(void **state) {
    struct world_def def = two_kinds((vec2){0.0f, 0.0f}, (vec2){0.0f, 0.0f});
    def.kinds[0].states[0].behaviors[0] = def.kinds[0].states[0].behaviors[1];
    def.kinds[0].states[0].behavior_count = 1;
    def.kinds[1].body.max_speed = (struct field_range){0.0f, 0.0f};
    place(&def, (vec2){100.0f, 300.0f}, (vec2){60.0f, 0.0f});
    place_other(&def, (vec2){300.0f, 303.0f});
    struct world *world = build(&def);
    for (int tick = 0; tick < 480; tick++) {
        world_step(world);
        assert_true(least_gap(world) > 0.0f);
    }
    assert_true(world_agent(world, 0).position.x > 400.0f && world_agent(world, 0).velocity.x > 30.0f);
    world_destroy(world);
}

/* Between a wall and a pillar: through, without touching either, though the straight way is barred. */
static void test_solids(void **state) {
    for (int with = 0; with < 2; with++) {
        struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){780.0f, 300.0f});
        add_behavior(&def.kinds[0].states[0], BEHAVIOR_ORCA)->obstacle_horizon = with ? 0.5f : 0.0f;
        struct obstacle_def *pillar = geometry_def_add_obstacle(&def.geometry);
        assert_non_null(pillar);
        *pillar = (struct obstacle_def){.at = {400.0f, 300.0f}, .radius = 60.0f};
        struct wall_def *wall = geometry_def_add_wall(&def.geometry);
        assert_non_null(wall);
        *wall = (struct wall_def){{300.0f, 200.0f}, {500.0f, 200.0f}};
        place(&def, (vec2){100.0f, 296.0f}, (vec2){0.0f, 0.0f});
        place(&def, (vec2){100.0f, 205.0f}, (vec2){0.0f, 0.0f});
        struct world *world = build(&def);
        const struct bounds bounds = world_bounds(world);
        float least = 1e9f;
        for (int tick = 0; tick < 700; tick++) {
            world_step(world);
            for (int32_t row = 0; row < 2; row++) {
                const struct agent_view agent = world_agent(world, row);
                const float gap =
                    scenery_nearest(world_scenery(world), &bounds, agent.position).touch.distance -
                    agent.radius;
                least = gap < least ? gap : least;
            }
        }
        if (with) {
            assert_true(least > 0.05f); /* so the solid itself never had to stop an agent */
            assert_true(world_agent(world, 0).position.x > 480.0f &&
                        world_agent(world, 1).position.x > 480.0f);
        } else {
            assert_true(least < 0.05f);
        }
        world_destroy(world);
    }
}

/* One agent whose tiers are of two minds: the first seeks to the left, the next to the right and into a wall. What
 * orca does about the wall leaves the first tier its way: as without orca. */
static void test_tiers_keep_their_order(void **state) {
    static const enum locomotion locomotions[] = {LOCOMOTION_STEERED, LOCOMOTION_CONSTANT_SPEED};
    for (size_t i = 0; i < 2; i++) {
        float x[2];
        for (int with = 0; with < 2; with++) {
            struct world_def def = two_kinds((vec2){-3000.0f, 300.0f}, (vec2){3000.0f, 2300.0f});
            struct kind_def *kind = &def.kinds[0];
            kind->body.locomotion = (int)locomotions[i];
            kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_SEEK);
            copy_text(kind->states[0].behaviors[0].target.target, "mouse");
            kind->states[0].behavior_count = with ? 2 : 1;
            struct behavior_def *next = add_behavior(&kind->states[0], BEHAVIOR_SEEK);
            copy_text(next->target.target, "cat");
            next->tier = 1;
            struct wall_def *wall = geometry_def_add_wall(&def.geometry);
            assert_non_null(wall);
            *wall = (struct wall_def){{-1000.0f, 310.0f}, {1800.0f, 310.0f}};
            place(&def, (vec2){400.0f, 300.0f}, (vec2){0.0f, 0.0f});
            struct world *world = build(&def);
            steps(world, 600);
            x[with] = world_agent(world, 0).position.x;
            world_destroy(world);
        }
        assert_true(x[0] < -500.0f && fabsf(x[1] - x[0]) < 15.0f);
    }
}

/* A tier that wants nothing takes nothing: the others lead to what they desire, and meet as in one tier. */
static void test_a_silent_tier(void **state) {
    vec2 at[2][2];
    for (int with = 0; with < 2; with++) {
        const vec2 west = {100.0f, 300.0f}, east = {700.0f, 303.0f};
        struct world_def def = two_kinds(east, west);
        for (int k = 0; with && k < 2; k++) {
            def.kinds[k].states[0].behaviors[0].tier = 1;
            add_behavior(&def.kinds[k].states[0], BEHAVIOR_AVOID_OBSTACLES);
        }
        place(&def, west, (vec2){0.0f, 0.0f});
        place_other(&def, east);
        struct world *world = build(&def);
        steps(world, 260);
        for (int32_t row = 0; row < 2; row++) {
            at[with][row] = world_agent(world, row).position;
        }
        world_destroy(world);
    }
    for (int32_t row = 0; row < 2; row++) {
        assert_true(vec2_length(vec2_sub(at[0][row], at[1][row])) < 0.5f);
    }
}

/* Twenty that go round a corner, of which avoid_obstacles leads some along the walls: all get out, as without orca. */
static void test_a_corner(void **state) {
    static const struct wall_def walls[] = {{{0.0f, 1000.0f}, {1000.0f, 1000.0f}},
                                            {{0.0f, 1200.0f}, {1200.0f, 1200.0f}},
                                            {{1200.0f, 1200.0f}, {1200.0f, 0.0f}},
                                            {{1000.0f, 1000.0f}, {1000.0f, 0.0f}}};
    struct world_def def = one_kind_def(BEHAVIOR_AVOID_OBSTACLES, (vec2){1100.0f, -300.0f});
    def.size = (vec2){1200.0f, 1200.0f};
    def.seed = 2;
    def.kinds[0].body.radius = (struct field_range){20.0f, 20.0f};
    def.kinds[0].body.max_speed = (struct field_range){108.0f, 160.0f};
    def.kinds[0].body.max_force = (struct field_range){268.0f, 268.0f};
    struct behavior_def *seek = add_behavior(&def.kinds[0].states[0], BEHAVIOR_SEEK);
    copy_text(seek->target.target, "mouse");
    seek->tier = 1;
    struct behavior_def *orca = add_behavior(&def.kinds[0].states[0], BEHAVIOR_ORCA);
    orca->horizon = 1.0f;
    orca->zones[ZONE_SEPARATION].radius = 300.0f;
    orca->max_neighbors = 16;
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i++) {
        struct wall_def *wall = geometry_def_add_wall(&def.geometry);
        assert_non_null(wall);
        *wall = walls[i];
    }
    place(&def, (vec2){30.0f, 1030.0f}, (vec2){0.0f, 0.0f});
    def.placements[0].count = 20;
    def.placements[0].shape = PLACE_RECT;
    def.placements[0].size = (vec2){570.0f, 140.0f};
    struct world *world = build(&def);
    uint32_t out = 0; /* a bit for each that has been there */
    for (int tick = 0; tick < 5400 && out != 0xFFFFFu; tick++) {
        world_step(world);
        for (int32_t row = 0; row < 20; row++) {
            out |= (uint32_t)(world_agent(world, row).position.y < -20.0f) << row;
        }
    }
    assert_int_equal(out, 0xFFFFFu);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_on),
        cmocka_unit_test(test_head_on_across_the_edge),
        cmocka_unit_test(test_crossing_and_overtaking),
        cmocka_unit_test(test_circle_swap),
        cmocka_unit_test(test_a_heap_at_one_target),
        cmocka_unit_test(test_nothing_to_say),
        cmocka_unit_test(test_last_word),
        cmocka_unit_test(test_no_wish),
        cmocka_unit_test(test_solids),
        cmocka_unit_test(test_tiers_keep_their_order),
        cmocka_unit_test(test_a_silent_tier),
        cmocka_unit_test(test_a_corner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
