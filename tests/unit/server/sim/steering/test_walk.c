/* Walking as people do (behavior_filters.c): what holds a walker back, what turns it, and that bodies hardly overlap. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>

#include "tests/unit/server/sim/sim_fixture.h"

/* A kind "agent" that seeks the target and walks. */
static struct world_def walkers(vec2 target) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, target);
    struct state_def *state = &def.kinds[0].states[0];
    state->behaviors[state->behavior_count++] = behavior_def_default(BEHAVIOR_WALK);
    def.kinds[0].body.radius = (struct field_range){5.0f, 5.0f};
    def.kinds[0].body.max_speed = (struct field_range){32.0f, 32.0f};
    def.kinds[0].body.max_force = (struct field_range){1000.0f, 1000.0f};
    return def;
}

static struct behavior_def *walk_of(struct world_def *def, int kind) {
    struct state_def *state = &def->kinds[kind].states[0];
    return &state->behaviors[state->behavior_count - 1];
}

/* A kind "agent" that goes east and a kind "other" that goes west. */
static struct world_def two_streams(float speed) {
    struct world_def def = walkers((vec2){0.0f, 0.0f});
    copy_text(walk_of(&def, 0)->kinds, "agent other");
    assert_non_null(world_def_add_kind(&def, "other"));
    def.kinds[1].body = def.kinds[0].body;
    def.kinds[1].states[0] = def.kinds[0].states[0];
    for (int k = 0; k < 2; k++) {
        struct behavior_def *goes = &def.kinds[k].states[0].behaviors[0];
        struct flow_def *flow = geometry_def_add_flow(&def.geometry);
        assert_non_null(flow);
        *goes = behavior_def_default(BEHAVIOR_FOLLOW_FLOW);
        flow->vector = (vec2){k == 0 ? speed : -speed, 0.0f};
        copy_text(flow->name, k == 0 ? "east" : "west");
        copy_text(goes->flow_field, flow->name);
    }
    return def;
}

static void place_kind(struct world_def *def, const char *kind, vec2 at, vec2 velocity) {
    place(def, at, velocity);
    copy_text(def->placements[def->placement_count - 1].kind, kind);
}

/* The velocity that the first walker, at {300,300} on its way east, wants beside another one. */
static vec2 wanted_beside(vec2 offset, vec2 velocity) {
    struct world_def def = walkers((vec2){3000.0f, 300.0f});
    walk_of(&def, 0)->push = 0.0f;
    place(&def, (vec2){300.0f, 300.0f}, (vec2){32.0f, 0.0f});
    place(&def, vec2_add((vec2){300.0f, 300.0f}, offset), velocity);
    struct world *world = build(&def);
    struct steering_view view;
    world_explain(world, 0, &view);
    world_destroy(world);
    return view.desired;
}

static void assert_close(float found, float expected) {
    if (!(fabsf(found - expected) < 1e-3f)) {
        fail_msg("%g, not %g", (double)found, (double)expected);
    }
}

static void test_the_gap_bounds_the_speed(void **state) {
    const vec2 still = {0.0f, 0.0f};
    assert_close(wanted_beside((vec2){100.0f, 0.0f}, still).x, 32.0f);
    assert_close(wanted_beside((vec2){16.0f, 0.0f}, still).x, 6.0f / 0.8f);
    assert_close(wanted_beside((vec2){10.0f, 0.0f}, still).x, 0.0f);
    assert_close(wanted_beside((vec2){9.0f, 0.0f}, still).x,
                 -0.5f / 0.3f); /* they overlap: its half of the way out */
    assert_close(wanted_beside((vec2){-9.0f, 0.0f}, still).x, 32.0f); /* behind */
}

/* Only what is within 60 degrees, and not past its shoulder, is in the way; the room is that to an ellipse. */
static void test_the_cone(void **state) {
    const vec2 still = {0.0f, 0.0f};
    const vec2 half = {14.0f, 3.75f}, shoulder = {12.0f, 7.6f};
    assert_close(wanted_beside(half, still).x, (14.0f - 10.0f * sqrtf(0.75f)) / 0.8f);
    assert_close(wanted_beside(shoulder, still).x, 32.0f);
    assert_true(wanted_beside((vec2){4.8f, 7.4f}, still).x < 12.0f); /* 57 degrees */
    assert_true(wanted_beside((vec2){4.0f, 7.4f}, still).x > 20.0f); /* 62 degrees: it leaves the other */
}

/* From who comes towards it it turns away, to the right when that is dead ahead; not from who goes along. */
static void test_the_side_step(void **state) {
    const vec2 towards = {-32.0f, 0.0f}, along = {32.0f, 0.0f};
    assert_true(wanted_beside((vec2){60.0f, 0.0f}, towards).y > 2.0f);
    assert_true(wanted_beside((vec2){60.0f, -3.0f}, towards).y > 2.0f);
    assert_true(wanted_beside((vec2){60.0f, 3.0f}, towards).y < -2.0f);
    assert_close(wanted_beside((vec2){60.0f, 16.0f}, towards).y, 0.0f); /* not in its way */
    assert_close(wanted_beside((vec2){60.0f, 3.0f}, along).y, 0.0f);
}

static float overlap_of(const struct world *world) {
    const struct bounds bounds = world_bounds(world);
    float worst = 0.0f;
    for (int32_t a = 0; a < world_agent_count(world); a++) {
        for (int32_t b = a + 1; b < world_agent_count(world); b++) {
            const struct agent_view one = world_agent(world, a), two = world_agent(world, b);
            const float bodies = one.radius + two.radius;
            const float apart = vec2_length(bounds_difference(&bounds, one.position, two.position));
            worst = fmaxf(worst, (bodies - apart) / bodies);
        }
    }
    return worst;
}

/* Two that meet exactly head-on pass, across the edge of a torus too; without the side step they stand. */
static void test_head_on(void **state) {
    for (int turn = 0; turn < 3; turn++) {
        struct world_def def = two_streams(60.0f);
        for (int k = 0; turn == 2 && k < 2; k++) {
            walk_of(&def, k)->side_step = 0.0f;
        }
        def.edge = turn == 1 ? EDGE_WRAP : EDGE_OPEN;
        place_kind(&def, "agent", (vec2){turn == 1 ? 740.0f : 340.0f, 300.0f}, (vec2){0.0f, 0.0f});
        place_kind(&def, "other", (vec2){turn == 1 ? 60.0f : 460.0f, 300.0f}, (vec2){0.0f, 0.0f});
        struct world *world = build(&def);
        float worst = 0.0f;
        for (int tick = 0; tick < 300; tick++) {
            world_step(world);
            worst = fmaxf(worst, overlap_of(world));
        }
        const struct bounds bounds = world_bounds(world);
        const vec2 apart =
            bounds_difference(&bounds, world_agent(world, 0).position, world_agent(world, 1).position);
        assert_true(worst < 0.01f);
        assert_true(turn == 2 ? apart.x > 0.0f : apart.x < -60.0f);
        world_destroy(world);
    }
}

/* A crowd through a door of 1.2 m, and a heap of walkers in one place: all get through, and hardly overlap. */
static void test_a_crush(void **state) {
    struct world_def def = walkers((vec2){3000.0f, 100.0f});
    for (int side = 0; side < 2; side++) {
        struct wall_def *wall = geometry_def_add_wall(&def.geometry);
        assert_non_null(wall);
        *wall = (struct wall_def){{20.0f, side == 0 ? -95.0f : 295.0f}, {200.0f, side == 0 ? 85.0f : 115.0f}};
    }
    struct placement_def *crowd = world_def_add_placement(&def, "agent");
    assert_non_null(crowd);
    crowd->count = 50;
    crowd->shape = PLACE_RECT;
    crowd->at = (vec2){10.0f, 30.0f};
    crowd->size = (vec2){90.0f, 140.0f};
    crowd->has_spacing = true;
    for (int i = 0; i < 4; i++) {
        place(&def, (vec2){150.0f, 100.0f}, (vec2){0.0f, 0.0f});
    }
    struct world *world = build(&def);
    float worst = 0.0f;
    for (int tick = 0; tick < 2400; tick++) {
        world_step(world);
        worst = tick < 120 ? 0.0f : fmaxf(worst, tick % 4 == 0 ? overlap_of(world) : 0.0f);
    }
    assert_true(worst < 0.2f); /* of a diameter */
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        assert_true(world_agent(world, row).position.x > 210.0f);
    }
    world_destroy(world);
}

/* All lengths come from the body: twice as large is the same, twice as large. */
static void test_the_scale_does_not_matter(void **state) {
    struct world *worlds[2];
    for (int i = 0; i < 2; i++) {
        const float scale = i == 0 ? 1.0f : 2.0f;
        struct world_def def = two_streams(60.0f * scale);
        for (int k = 0; k < 2; k++) {
            struct body_def *body = &def.kinds[k].body;
            body->radius = (struct field_range){5.0f * scale, 5.0f * scale};
            body->max_speed = (struct field_range){32.0f * scale, 32.0f * scale};
            body->max_force = (struct field_range){1000.0f * scale, 1000.0f * scale};
        }
        for (int a = 0; a < 24; a++) {
            const int file = a / 4;
            const vec2 at = {(float)(100 + 30 * file) * scale, (float)(70 + 16 * (a % 4) + a) * scale};
            place_kind(&def, a % 2 == 0 ? "agent" : "other", at, (vec2){0.0f, 0.0f});
        }
        worlds[i] = build(&def);
        steps(worlds[i], 300);
    }
    for (int32_t row = 0; row < 24; row++) {
        const struct agent_view one = world_agent(worlds[0], row), two = world_agent(worlds[1], row);
        assert_true(2.0f * one.position.x == two.position.x && 2.0f * one.position.y == two.position.y);
    }
    world_destroy(worlds[0]);
    world_destroy(worlds[1]);
}

static int neighbors_at(float distance, float radius) {
    struct world_def def = walkers((vec2){3000.0f, 300.0f});
    walk_of(&def, 0)->zones[ZONE_SEPARATION].radius = radius;
    place(&def, (vec2){300.0f, 300.0f}, (vec2){0.0f, 0.0f});
    place(&def, (vec2){300.0f + distance, 300.0f}, (vec2){0.0f, 0.0f});
    struct world *world = build(&def);
    struct steering_view view;
    static struct trace trace;
    world_trace(world, 0, &view, &trace);
    world_destroy(world);
    return trace.neighbors.count;
}

static void test_how_far_it_sees(void **state) {
    assert_int_equal(neighbors_at(109.0f, 0.0f), 1);
    assert_int_equal(neighbors_at(111.0f, 0.0f), 0);
    assert_int_equal(neighbors_at(111.0f, 120.0f), 1);
}

/* A wall turns it away, over a tenth of its radius; two that overlap part. */
static void test_walls_and_contact(void **state) {
    for (int i = 0; i < 2; i++) {
        struct world_def def = walkers((vec2){3000.0f, 300.0f});
        struct wall_def *wall = geometry_def_add_wall(&def.geometry);
        assert_non_null(wall);
        *wall = (struct wall_def){{0.0f, 294.5f}, {600.0f, 294.5f}};
        place(&def, (vec2){300.0f, i == 0 ? 300.0f : 302.0f}, (vec2){0.0f, 0.0f});
        struct world *world = build(&def);
        struct steering_view view;
        world_explain(world, 0, &view);
        assert_true(i == 0 ? view.desired.y > 5.0f : fabsf(view.desired.y) < 0.1f);
        world_destroy(world);
    }
    struct world_def def = walkers((vec2){0.0f, 0.0f});
    def.kinds[0].states[0].behaviors[0] = def.kinds[0].states[0].behaviors[1];
    def.kinds[0].states[0].behavior_count = 1;
    place(&def, (vec2){300.0f, 300.0f}, (vec2){0.0f, 0.0f});
    place(&def, (vec2){304.0f, 300.0f}, (vec2){0.0f, 0.0f});
    struct world *world = build(&def);
    steps(world, 60);
    /* Two that overlap part. */
    const float apart = world_agent(world, 1).position.x - world_agent(world, 0).position.x;
    assert_true(apart >= 9.5f);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_gap_bounds_the_speed),
        cmocka_unit_test(test_the_cone),
        cmocka_unit_test(test_the_side_step),
        cmocka_unit_test(test_head_on),
        cmocka_unit_test(test_a_crush),
        cmocka_unit_test(test_the_scale_does_not_matter),
        cmocka_unit_test(test_how_far_it_sees),
        cmocka_unit_test(test_walls_and_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
