/* server/sim/scenery/scenery.h: bodies neither enter nor pass solids, at any speed. */
#include <math.h>

#include "server/sim/math/rng.h"
#include "tests/unit/server/sim/sim_fixture.h"

static const struct bounds plain = {{800, 600}, EDGE_OPEN};
static struct rng dice;

static float any(float low, float high) {
    return rng_between(&dice, low, high);
}

/* A square room of walls around 400, 300, 200 px wide, with a pillar in its middle. */
static struct geometry_def room(void) {
    const struct wall_def sides[] = {{{300, 200}, {500, 200}},
                                     {{500, 200}, {500, 400}},
                                     {{500, 400}, {300, 400}},
                                     {{300, 400}, {300, 200}}};
    struct geometry_def def = {0};
    for (int i = 0; i < 4; i++) {
        struct wall_def *wall = geometry_def_add_wall(&def);
        assert_non_null(wall);
        *wall = sides[i];
    }
    struct obstacle_def *pillar = geometry_def_add_obstacle(&def);
    assert_non_null(pillar);
    *pillar = (struct obstacle_def){.shape = OBSTACLE_CIRCLE, .at = {400, 300}, .radius = 30};
    return def;
}

static struct scenery scenery_of(struct geometry_def def, const struct bounds *bounds) {
    struct scenery scenery;
    assert_int_equal(scenery_init(&scenery, &def, bounds), 0);
    geometry_def_fini(&def);
    return scenery;
}

static void test_nothing_leaves_a_room(void **state) {
    struct scenery scenery = scenery_of(room(), &plain);
    for (int body = 0; body < 200; body++) {
        const float radius = body % 2 ? any(0.0f, 12.0f) : 0.0f;
        struct motion at = {any(320, 360), any(220, 380), 0, 0};
        for (int tick = 0; tick < 300; tick++) {
            /* up to 20000 px/s: 333 px a tick, more than the room is wide */
            const float speed = tick % 3 ? any(0.0f, 400.0f) : any(0.0f, 20000.0f);
            const vec2 velocity = vec2_with_length((vec2){any(-1, 1), any(-1, 1)}, speed);
            const struct motion to = {at.x + velocity.x / 60.0f, at.y + velocity.y / 60.0f, velocity.x,
                                      velocity.y};
            at = scenery_constrain(&scenery, &plain, at, to, radius);
            assert_true(at.x > 300.0f && at.x < 500.0f && at.y > 200.0f && at.y < 400.0f);
            const struct scenery_touch nearest = scenery_nearest(&scenery, &plain, (vec2){at.x, at.y});
            assert_true(nearest.touch.distance > radius - 0.05f);
            assert_true(vec2_length((vec2){at.vx, at.vy}) <= speed * 1.0001f + 1e-3f);
        }
    }
    scenery_fini(&scenery);
}

static void test_slides_along_a_wall(void **state) {
    struct scenery scenery = scenery_of(room(), &plain);
    const struct motion before = {350, 215, 60, -600}, moved = {360, 115, 60, -600};
    const struct motion after = scenery_constrain(&scenery, &plain, before, moved, 5.0f);
    assert_true(fabsf(after.y - 205.0f) < 0.1f && fabsf(after.x - 360.0f) < 0.2f);
    assert_true(fabsf(after.vx - 60.0f) < 0.01f && fabsf(after.vy) < 0.01f);
    /* Far from all solids no bit changes. */
    const struct motion there = {340, 350, 1, 2}, on = {341, 352, 1, 2};
    const struct motion same = scenery_constrain(&scenery, &plain, there, on, 5.0f);
    assert_true(same.x == on.x && same.y == on.y && same.vx == on.vx && same.vy == on.vy);
    scenery_fini(&scenery);
}

static void test_pushed_out_the_shortest_way(void **state) {
    struct scenery scenery = scenery_of(room(), &plain);
    const vec2 out = scenery_push_out(&scenery, &plain, (vec2){410, 300}, 5.0f);
    assert_true(fabsf(out.x - 435.0f) < 0.1f && out.y == 300.0f);
    const vec2 middle = scenery_push_out(&scenery, &plain, (vec2){400, 300}, 5.0f);
    assert_true(fabsf(hypotf(middle.x - 400.0f, middle.y - 300.0f) - 35.0f) < 0.1f);
    scenery_fini(&scenery);
}

static void test_nearest_and_sweep(void **state) {
    struct scenery scenery = scenery_of(room(), &plain);
    const struct scenery_touch pillar = scenery_nearest(&scenery, &plain, (vec2){440, 300});
    assert_true(pillar.index == 0 && fabsf(pillar.touch.distance - 10.0f) < 1e-3f);
    const struct scenery_contact wall =
        scenery_sweep(&scenery, &plain, (vec2){440, 300}, (vec2){1, 0}, 1000.0f, 5.0f);
    assert_true(wall.index == 2 && fabsf(wall.contact.distance - 55.0f) < 1e-3f);
    const struct scenery_contact none =
        scenery_sweep(&scenery, &plain, (vec2){440, 300}, (vec2){1, 0}, 50.0f, 5.0f);
    assert_true(none.index == -1 && none.contact.distance == 50.0f);
    struct scenery empty = scenery_of((struct geometry_def){0}, &plain);
    assert_true(scenery_nearest(&empty, &plain, (vec2){0, 0}).index == -1);
    scenery_fini(&empty);
    scenery_fini(&scenery);
}

/* Fast agents that seek a target in another room, in a world with every kind of edge. */
static struct geometry_def many_pillars(void) {
    struct geometry_def def = {0};
    for (int i = 0; i < 150; i++) {
        struct obstacle_def *pillar = geometry_def_add_obstacle(&def);
        assert_non_null(pillar);
        *pillar = (struct obstacle_def){
            .shape = OBSTACLE_CIRCLE, .at = {any(0, 800), any(0, 600)}, .radius = any(1, 30)};
    }
    return def;
}

/* What is within reach is named, wherever the place is. */
static void check_within(const struct bounds *bounds) {
    struct scenery scenery = scenery_of(many_pillars(), bounds);
    for (int round = 0; round < 2000; round++) {
        const vec2 place = bounds_settle(bounds, vec2_make(any(-200, 1000), any(-200, 800)));
        const float reach = any(0, round % 10 ? 60 : 500);
        struct solid_set set;
        const bool is_sifted = scenery_within(&scenery, bounds, place, reach, &set);
        for (int i = 0; i < scenery.solid_count; i++) {
            const struct solid *solid = &scenery.solids[i];
            const bool is_near = solid_touch(solid, solid_offset(solid, bounds, place)).distance <= reach;
            assert_true(!is_sifted || !is_near || (set.words[i / 64] >> (i % 64) & 1) != 0);
        }
    }
    scenery_fini(&scenery);
}

static void test_within(void **state) {
    const struct bounds torus = {plain.size, EDGE_WRAP};
    check_within(&plain);
    check_within(&torus);
}

static void test_agents_of_a_world(void **state) {
    for (int edge = 0; edge < 4; edge++) {
        struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){400, 350});
        def.edge = edge;
        def.geometry = room();
        def.kinds[0].body.max_speed = (struct field_range){100, 15000};
        def.kinds[0].body.max_force = (struct field_range){100, 900000};
        def.kinds[0].body.radius = (struct field_range){0, 10};
        struct placement_def *placement = world_def_add_placement(&def, "agent");
        assert_non_null(placement);
        placement->count = 40;
        placement->shape = PLACE_RECT;
        placement->size = (vec2){800, 600};
        struct world *world = build(&def);
        bool was_in[40];
        for (int tick = 0; tick <= 300; tick++) {
            for (int32_t row = 0; row < 40; row++) {
                const struct agent_view agent = world_agent(world, row);
                const vec2 at = agent.position;
                const bool is_in = at.x > 300 && at.x < 500 && at.y > 200 && at.y < 400;
                was_in[row] = tick == 0 ? is_in : was_in[row];
                assert_true(is_in == was_in[row]);
                const struct bounds bounds = world_bounds(world);
                assert_true(scenery_nearest(world_scenery(world), &bounds, at).touch.distance >
                            agent.radius - 0.05f);
            }
            world_step(world);
        }
        world_destroy(world);
    }
}

static void test_definitions_are_checked(void **state) {
    const vec2 size = {800, 600};
    struct obstacle_def shape = {
        .shape = OBSTACLE_POLYGON, .point_count = 4, .points = {{0, 0}, {100, 0}, {100, 100}, {0, 100}}};
    assert_null(obstacle_def_fault(&shape, true, size));
    shape.points[2] = (vec2){20, 20}; /* a dent */
    assert_non_null(obstacle_def_fault(&shape, false, size));
    shape.points[2] = shape.points[1];
    assert_non_null(obstacle_def_fault(&shape, false, size));
    const struct obstacle_def star = {.shape = OBSTACLE_POLYGON,
                                      .point_count = 5,
                                      .points = {{0, -100}, {59, 81}, {-95, -31}, {95, -31}, {-59, 81}}};
    assert_non_null(obstacle_def_fault(&star, false, size));
    const struct obstacle_def wide = {.shape = OBSTACLE_BOX, .size = {500, 10}};
    assert_null(obstacle_def_fault(&wide, false, size));
    assert_non_null(obstacle_def_fault(&wide, true, size));
    struct world_def def = world_def_default();
    struct obstacle_def *bad = geometry_def_add_obstacle(&def.geometry);
    assert_non_null(bad);
    *bad = star;
    struct world *world = NULL;
    const char *what = "";
    assert_int_equal(world_create(&def, &world, &what), WORLD_BAD_DEF);
    assert_non_null(strstr(what, "convex"));
    world_def_fini(&def);
}

static uint64_t hash_with_pillar_at(float x) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){1, 1});
    def.geometry = room();
    def.geometry.obstacles[0].at.x = x;
    struct world *world = build(&def);
    const uint64_t hash = world_hash(world);
    world_destroy(world);
    return hash;
}

static void test_geometry_is_in_the_hash(void **state) {
    assert_true(hash_with_pillar_at(400) == hash_with_pillar_at(400));
    assert_true(hash_with_pillar_at(400) != hash_with_pillar_at(401));
}

int main(void) {
    dice = rng_begin(11, 0, 0, RNG_SPAWN_PLACE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_leaves_a_room),
        cmocka_unit_test(test_slides_along_a_wall),
        cmocka_unit_test(test_pushed_out_the_shortest_way),
        cmocka_unit_test(test_nearest_and_sweep),
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_agents_of_a_world),
        cmocka_unit_test(test_definitions_are_checked),
        cmocka_unit_test(test_geometry_is_in_the_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
