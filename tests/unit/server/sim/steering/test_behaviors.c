/* Behaviors alone and with neighbors, and how bodies move. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>

#include "server/sim/math/trig.h"
#include "server/sim/space/edge.h"
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_def.h"
#include "server/sim/steering/locomotion.h"
#include "tests/unit/server/sim/sim_fixture.h"

/* ==== server/sim/steering/behavior.h ==== */

static const struct body behavior_body = {
    .mass = 1.0f, .radius = 5.0f, .max_speed = 100.0f, .max_force = 200.0f};

static const struct bounds plain = {{800.0f, 600.0f}, EDGE_OPEN};

static struct steering_context senses_at(vec2 to_target, vec2 velocity) {
    struct steering_context context = {
        .velocity = velocity,
        .heading = {0.0f, 1.0f},
        .first = {.is_there = true, .offset = to_target, .heading = {1.0f, 0.0f}},
        .bounds = &plain,
        .body = &behavior_body,
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
    context.body = &behavior_body;
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

/* ==== The behaviors about neighbors in small worlds: required and forbidden results ==== */

/* One kind "agent" with one behavior; radius 8, max_speed 100, max_force 200. */
static struct world_def def_of(enum behavior_type type, enum edge edge) {
    struct world_def def = one_kind_def(type, (vec2){400.0f, 300.0f});
    def.edge = (int)edge;
    if (behavior_target_count(type) == 0) {
        def.kinds[0].states[0].behaviors[0].target.target[0] = '\0';
    }
    return def;
}

static struct behavior_def *add_behavior(struct world_def *def, enum behavior_type type, uint32_t tier) {
    struct state_def *state = &def->kinds[0].states[0];
    state->behaviors[state->behavior_count] = behavior_def_default(type);
    state->behaviors[state->behavior_count].tier = tier;
    return &state->behaviors[state->behavior_count++];
}

/* The least distance between any two, the short way. */
static float closest(const struct world *world) {
    const struct bounds bounds = {world_size(world), world_edge(world)};
    float least = 1e9f;
    for (int32_t a = 0; a < world_agent_count(world); a++) {
        for (int32_t b = a + 1; b < world_agent_count(world); b++) {
            const float distance = vec2_length(
                bounds_difference(&bounds, world_agent(world, a).position, world_agent(world, b).position));
            least = distance < least ? distance : least;
        }
    }
    return least;
}

static float fastest(const struct world *world) {
    float most = 0.0f;
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        const float speed = vec2_length(world_agent(world, row).velocity);
        most = speed > most ? speed : most;
    }
    return most;
}

static void test_a_heap_dissolves(void **state) {
    struct world_def def = def_of(BEHAVIOR_SEPARATION, EDGE_WRAP);
    for (int i = 0; i < 30; i++) {
        place(&def, (vec2){400.0f, 300.0f}, (vec2){0.0f, 0.0f});
    }
    struct world *world = build(&def);
    steps(world, 300);
    assert_true(closest(world) > 8.0f); /* also fails on NaN */
    world_destroy(world);
}

static void test_strength_is_bounded(void **state) {
    /* At half the radius exactly max_force; weights stay comparable. */
    struct world_def def = def_of(BEHAVIOR_SEPARATION, EDGE_OPEN);
    place(&def, (vec2){100.0f, 100.0f}, (vec2){0.0f, 0.0f});
    place(&def, (vec2){120.0f, 100.0f}, (vec2){0.0f, 0.0f});
    struct world *world = build(&def);
    struct steering_view view;
    world_explain(world, 0, &view);
    assert_float_equal(view.forces[0].x, -200.0f, 1e-3);
    world_destroy(world);
    def = def_of(BEHAVIOR_SEPARATION, EDGE_OPEN); /* and no more, however many and near they are */
    for (int i = 0; i < 5; i++) {
        place(&def, (vec2){100.0f + 4.0f * (float)i, 100.0f}, (vec2){0.0f, 0.0f});
    }
    world = build(&def);
    world_explain(world, 0, &view);
    assert_float_equal(view.forces[0].x, -200.0f, 1e-3);
    world_destroy(world);
    def = def_of(BEHAVIOR_COHESION, EDGE_OPEN);
    behavior_of(&def)->falloff = FALLOFF_NONE;
    place(&def, (vec2){100.0f, 100.0f}, (vec2){0.0f, 0.0f});
    place(&def, (vec2){115.0f, 100.0f}, (vec2){0.0f, 0.0f});
    world = build(&def);
    world_explain(world, 0, &view); /* an eighth of the radius away: half the strength */
    assert_float_equal(view.forces[0].x, 100.0f, 1e-3);
    world_destroy(world);
}

static void test_alignment_agrees(void **state) {
    struct world_def def = def_of(BEHAVIOR_ALIGNMENT, EDGE_WRAP);
    behavior_of(&def)->zones[ZONE_ALIGNMENT].radius = 300.0f;
    behavior_of(&def)->weight = 20.0f; /* however heavy, it does not overshoot */
    for (int i = 0; i < 12; i++) {
        place(&def, (vec2){300.0f + 10.0f * (float)i, 300.0f}, (vec2){60.0f, (float)(i - 6) * 12.0f});
    }
    struct world *world = build(&def);
    steps(world, 600);
    const vec2 first = world_agent(world, 0).velocity;
    assert_true(vec2_length(first) > 40.0f);
    for (int32_t row = 1; row < 12; row++) {
        assert_true(vec2_length(vec2_sub(world_agent(world, row).velocity, first)) < 0.1f);
    }
    world_destroy(world);
}

static void test_cohesion_gathers(void **state) {
    struct world_def def = def_of(BEHAVIOR_COHESION, EDGE_WRAP);
    place(&def, (vec2){790.0f, 300.0f}, (vec2){0.0f, 0.0f});
    place(&def, (vec2){60.0f, 300.0f}, (vec2){0.0f, 0.0f});
    struct world *world = build(&def);
    steps(world, 40);
    assert_true(closest(world) < 45.0f); /* from 70, across the edge */
    world_destroy(world);
}

static struct world *flock_at(vec2 middle) {
    struct world_def def = def_of(BEHAVIOR_FLOCK, EDGE_WRAP);
    def.size = (vec2){1024.0f, 1024.0f};
    for (int i = 0; i < 40; i++) {
        const int column = i % 8, line = i / 8;
        const vec2 offset = {(float)column * 16.0f - 64.0f, (float)line * 16.0f - 32.0f};
        place(&def, vec2_add(middle, offset), (vec2){(float)(i % 5) * 8.0f, (float)(i % 3) * 8.0f});
    }
    return build(&def);
}

static void test_a_flock_crosses_the_edge_whole(void **state) {
    /* The same flock in the middle and over a corner moves the same way. */
    struct world *inside = flock_at((vec2){512.0f, 512.0f}), *across = flock_at((vec2){0.0f, 0.0f});
    const struct bounds bounds = {world_size(inside), EDGE_WRAP};
    for (int tick = 0; tick < 60; tick++) {
        world_step(inside);
        world_step(across);
    }
    for (int32_t row = 0; row < world_agent_count(inside); row++) {
        const struct agent_view a = world_agent(inside, row), b = world_agent(across, row);
        const vec2 shifted = vec2_sub(a.position, (vec2){512.0f, 512.0f});
        assert_true(vec2_length(bounds_difference(&bounds, shifted, b.position)) < 0.1f);
        assert_true(vec2_length(vec2_sub(a.velocity, b.velocity)) < 0.5f);
    }
    world_destroy(inside);
    world_destroy(across);
}

static void test_order_does_not_matter(void **state) {
    /* Two that mirror each other stay mirrored; agents updated in place would not. */
    struct world_def def = def_of(BEHAVIOR_FLOCK, EDGE_OPEN);
    place(&def, (vec2){-20.0f, -3.0f}, (vec2){10.0f, 5.0f});
    place(&def, (vec2){20.0f, 3.0f}, (vec2){-10.0f, -5.0f});
    def.placements[0].has_heading = def.placements[1].has_heading = true;
    def.placements[1].heading = 3.14159265f;
    struct world *world = build(&def);
    for (int tick = 0; tick < 200; tick++) {
        world_step(world);
        const vec2 a = world_agent(world, 0).position, b = world_agent(world, 1).position;
        assert_float_equal(a.x, -b.x, 1e-3);
        assert_float_equal(a.y, -b.y, 1e-3);
    }
    world_destroy(world);
}

/* With max_neighbors a tick agrees with world_explain, though other sums are computed in batches; and the
 * result differs from the one without a limit. */
static void check_limit_of_neighbors(bool is_alone) {
    struct world_def def = def_of(BEHAVIOR_FLOCK, EDGE_WRAP);
    behavior_of(&def)->max_neighbors = 3;
    if (!is_alone) {
        add_behavior(&def, BEHAVIOR_WANDER, 0)->weight = 0.1f;
    }
    for (int i = 0; i < 60; i++) {
        const int column = i % 8, line = i / 8;
        place(&def, (vec2){380.0f + 9.0f * (float)column, 280.0f + 11.0f * (float)line},
              (vec2){(float)(i * 37 % 50), (float)(i * 53 % 40) - 20.0f});
    }
    struct world *world = build(&def);
    struct param_ref ref;
    assert_true(world_find_param(world, 0, "flock.max_neighbors", &ref));
    int different = 0;
    for (int tick = 0; tick < 20; tick++) {
        vec2 expected[60];
        for (int32_t row = 0; row < 60; row++) {
            struct steering_view limited, all;
            world_explain(world, row, &limited);
            expected[row] = vec2_truncate(
                vec2_add(world_agent(world, row).velocity, vec2_scale(limited.steering, 1.0f / 60.0f)),
                100.0f);
            world_set_param(world, &ref, 0.0);
            world_explain(world, row, &all);
            world_set_param(world, &ref, 3.0);
            different += vec2_length(vec2_sub(limited.forces[0], all.forces[0])) > 1.0f;
        }
        world_step(world);
        for (int32_t row = 0; row < 60; row++) {
            assert_true(vec2_length(vec2_sub(world_agent(world, row).velocity, expected[row])) < 1e-3f);
        }
    }
    assert_true(different > 600);
    world_destroy(world);
}

static void test_limit_of_neighbors(void **state) {
    check_limit_of_neighbors(false);
    check_limit_of_neighbors(true);
}

/* Two streams of one kind: agents that want past each other, each heading for its target. */
static void test_head_on_passes(void **state) {
    struct world_def def = world_def_default();
    def.target_count = 2;
    copy_text(def.targets[0].name, "east");
    copy_text(def.targets[1].name, "west");
    def.targets[0].at = (vec2){700.0f, 300.0f};
    def.targets[1].at = (vec2){100.0f, 300.0f};
    const char *const names[] = {"a", "b"};
    for (int k = 0; k < 2; k++) {
        struct kind_def *kind = world_def_add_kind(&def, names[k]);
        assert_non_null(kind);
        kind->states[0].behavior_count = 2;
        kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_AVOID_AGENTS);
        copy_text(kind->states[0].behaviors[0].kinds, "a b");
        kind->states[0].behaviors[1] = behavior_def_default(BEHAVIOR_ARRIVE);
        kind->states[0].behaviors[1].tier = 1;
        copy_text(kind->states[0].behaviors[1].target.target, k == 0 ? "east" : "west");
        struct placement_def *placement = world_def_add_placement(&def, names[k]);
        assert_non_null(placement);
        placement->at = def.targets[1 - k].at;
    }
    struct world *world = build(&def);
    float least = 1e9f;
    for (int tick = 0; tick < 900; tick++) {
        world_step(world);
        const float distance = closest(world);
        least = distance < least ? distance : least;
    }
    assert_true(least > 16.0f);
    assert_float_equal(world_agent(world, 0).position.x, 700.0f, 0.1);
    assert_float_equal(world_agent(world, 1).position.x, 100.0f, 0.1);
    world_destroy(world);
}

static void test_follow_leader(void **state) {
    struct world_def def = world_def_default();
    def.edge = EDGE_WRAP;
    struct kind_def *kind = world_def_add_kind(&def, "leader");
    assert_non_null(kind);
    kind->body.max_speed = (struct field_range){60.0f, 60.0f};
    kind = world_def_add_kind(&def, "agent");
    assert_non_null(kind);
    kind->states[0].behavior_count = 1;
    kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_FOLLOW_LEADER);
    copy_text(kind->states[0].behaviors[0].target.kind, "leader");
    struct placement_def *placement = world_def_add_placement(&def, "leader");
    assert_non_null(placement);
    placement->at = (vec2){400.0f, 300.0f};
    placement->velocity = (vec2){60.0f, 0.0f};
    place(&def, (vec2){440.0f, 300.0f}, (vec2){0.0f, 0.0f}); /* right in its way */
    struct world *world = build(&def);
    const struct bounds bounds = {world_size(world), EDGE_WRAP};
    float least = 1e9f;
    for (int tick = 0; tick < 1200; tick++) {
        world_step(world);
        const float distance = closest(world);
        least = distance < least ? distance : least;
    }
    assert_true(least > 16.0f); /* it stepped aside */
    const vec2 offset =
        bounds_difference(&bounds, world_agent(world, 0).position, world_agent(world, 1).position);
    assert_float_equal(offset.x, -40.0f, 1.0);
    assert_float_equal(offset.y, 0.0f, 1.0);
    world_destroy(world);
}

static void test_queue_waits(void **state) {
    struct world_def def = def_of(BEHAVIOR_QUEUE, EDGE_OPEN);
    for (int i = 0; i < 12; i++) {
        place(&def, (vec2){100.0f + 22.5f * (float)i, 300.0f}, (vec2){0.0f, 0.0f});
    }
    struct world *world = build(&def);
    for (int tick = 0; tick < 1200; tick++) {
        world_step(world);
        assert_true(closest(world) > 8.0f);
    }
    assert_true(fastest(world) < 0.1f);
    /* The first stands on the target, the others behind it with their clearance. */
    assert_float_equal(world_agent(world, 11).position.x, 400.0f, 0.5);
    assert_float_equal(world_agent(world, 10).position.x, 378.0f, 0.7);
    world_destroy(world);
}

static void test_crowd_comes_to_rest(void **state) {
    struct world_def def = def_of(BEHAVIOR_QUEUE, EDGE_CONTAIN);
    struct placement_def *placement = world_def_add_placement(&def, "agent");
    assert_non_null(placement);
    placement->count = 40;
    placement->shape = PLACE_RECT;
    placement->size = (vec2){800.0f, 600.0f};
    struct world *world = build(&def);
    steps(world, 2400);
    assert_true(closest(world) > 8.0f);
    assert_true(fastest(world) < 0.5f);
    world_destroy(world);
}

static void test_nearest_of_many(void **state) {
    /* Enough agents of a kind for the grid to be used; the result is that of a plain loop. */
    struct world_def def = def_of(BEHAVIOR_SEEK, EDGE_WRAP);
    struct behavior_def *seek = behavior_of(&def);
    seek->target.target[0] = '\0';
    copy_text(seek->target.kind, "agent");
    seek->target.within = 30.0f;
    struct placement_def *placement = world_def_add_placement(&def, "agent");
    assert_non_null(placement);
    placement->count = 300;
    placement->shape = PLACE_RECT;
    placement->size = (vec2){800.0f, 600.0f};
    struct world *world = build(&def);
    const struct bounds bounds = {world_size(world), EDGE_WRAP};
    int found = 0;
    for (int32_t row = 0; row < 300; row++) {
        vec2 best = {30.0f, 0.0f};
        bool is_there = false;
        for (int32_t other = 0; other < 300; other++) {
            const vec2 offset = bounds_difference(&bounds, world_agent(world, row).position,
                                                  world_agent(world, other).position);
            if (other != row && vec2_length_squared(offset) <= vec2_length_squared(best)) {
                best = offset;
                is_there = true;
            }
        }
        struct steering_view view;
        world_explain(world, row, &view);
        const vec2 expected = vec2_with_length(best, is_there ? 100.0f : 0.0f);
        assert_true(vec2_length(vec2_sub(view.desired, expected)) < 1e-3f);
        found += is_there;
    }
    assert_true(found > 200 && found < 300);
    world_destroy(world);
}

static void test_commands_keep_the_grid(void **state) {
    struct world_def def = def_of(BEHAVIOR_SEPARATION, EDGE_OPEN);
    place(&def, (vec2){100.0f, 100.0f}, (vec2){0.0f, 0.0f});
    struct world *world = build(&def);
    struct steering_view view;
    world_explain(world, 0, &view);
    assert_true(view.forces[0].x == 0.0f);
    const struct spawn_def spawn = {.count = 5, .at = {120.0f, 100.0f}};
    uint32_t first;
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    world_explain(world, 0, &view);
    assert_float_equal(view.forces[0].x, -200.0f, 1e-3);
    struct param_ref ref;
    assert_true(world_find_param(world, 0, "separation.radius", &ref));
    world_set_param(world, &ref, 20.0);
    world_explain(world, 0, &view);
    assert_true(view.forces[0].x == 0.0f);
    world_set_param(world, &ref, 30.0);
    assert_true(world_candidates(world) >= 6.0);
    const uint32_t gone[] = {2, 3, 4, 5, 6};
    assert_int_equal(world_remove(world, gone, 5, NULL), 5);
    world_explain(world, 0, &view);
    assert_true(view.forces[0].x == 0.0f);
    assert_int_equal(world_remove_kind(world, 0), 1);
    world_step(world);
    assert_true(world_candidates(world) == 0.0);
    world_destroy(world);
}

/* 2 000 agents that look 20 px far, and one that looks 400 px far: only that one examines many candidates. */
static void test_a_far_look_costs_only_who_looks(void **state) {
    double candidates[2];
    for (int with = 0; with < 2; with++) {
        struct world_def def = def_of(BEHAVIOR_SEPARATION, EDGE_WRAP);
        def.size = (vec2){2000.0f, 2000.0f};
        behavior_of(&def)->zones[ZONE_SEPARATION].radius = 20.0f;
        struct placement_def *batch = world_def_add_placement(&def, "agent");
        assert_non_null(batch);
        batch->shape = PLACE_RECT;
        batch->size = def.size;
        batch->count = 2000;
        if (with) {
            struct kind_def *falcon = world_def_add_kind(&def, "falcon");
            assert_non_null(falcon);
            falcon->states[0].behavior_count = 1;
            falcon->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_SEPARATION);
            falcon->states[0].behaviors[0].zones[ZONE_SEPARATION].radius = 400.0f;
            copy_text(falcon->states[0].behaviors[0].kinds, "agent");
            assert_non_null(world_def_add_placement(&def, "falcon"));
        }
        struct world *world = build(&def);
        candidates[with] = world_candidates(world);
        world_destroy(world);
    }
    assert_true(candidates[0] > 1.0 && candidates[1] < 1.5 * candidates[0] + 1.0);
}

static void test_kinds_by_name(void **state) {
    struct world_def def = def_of(BEHAVIOR_SEPARATION, EDGE_OPEN);
    assert_non_null(world_def_add_kind(&def, "agents")); /* "agent" is a part of it */
    copy_text(behavior_of(&def)->kinds, "agents");
    place(&def, (vec2){100.0f, 100.0f}, (vec2){0.0f, 0.0f});
    place(&def, (vec2){120.0f, 100.0f}, (vec2){0.0f, 0.0f});
    struct placement_def *placement = world_def_add_placement(&def, "agents");
    assert_non_null(placement);
    placement->at = (vec2){100.0f, 120.0f};
    (void)add_behavior(&def, BEHAVIOR_COHESION, 0); /* its own kind */
    struct world *world = build(&def);
    struct steering_view view;
    world_explain(world, 0, &view);
    assert_float_equal(view.forces[0].y, -200.0f, 1e-3);
    assert_true(view.forces[0].x == 0.0f && view.forces[1].x > 0.0f && view.forces[1].y == 0.0f);
    world_destroy(world);
    def = def_of(BEHAVIOR_SEPARATION, EDGE_OPEN);
    copy_text(behavior_of(&def)->kinds, "agent stranger");
    const char *what = "";
    assert_int_equal(world_create(&def, &world, &what), WORLD_BAD_DEF);
    world_def_fini(&def);
}

/* ==== server/sim/steering/locomotion.h ==== */

static const struct body locomotion_body = {
    .mass = 2.0f, .radius = 5.0f, .max_speed = 100.0f, .max_force = 600.0f};
static const float locomotion_dt = 1.0f / 60.0f;

static void test_force_is_truncated_and_divided_by_mass(void **state) {
    const vec2 v = locomotion_velocity(LOCOMOTION_STEERED, &locomotion_body, (vec2){0, 0}, (vec2){0, 0},
                                       (vec2){6000.0f, 0}, locomotion_dt);
    assert_true(fabsf(v.x - 5.0f) < 1e-5f && v.y == 0.0f); /* 600 / 2 / 60 */
}

static void test_speed_is_truncated(void **state) {
    const vec2 v = locomotion_velocity(LOCOMOTION_STEERED, &locomotion_body, (vec2){98.0f, 0}, (vec2){0, 0},
                                       (vec2){600.0f, 0}, locomotion_dt);
    assert_true(fabsf(vec2_length(v) - 100.0f) < 1e-4f);
}

static void test_braking_ends_at_rest_but_a_weak_push_starts(void **state) {
    const vec2 slow = {0.0004f, 0.0f};
    const vec2 braked = locomotion_velocity(LOCOMOTION_STEERED, &locomotion_body, slow, (vec2){0, 0},
                                            (vec2){-0.04f, 0}, locomotion_dt);
    assert_true(braked.x == 0.0f && braked.y == 0.0f);
    const vec2 pushed = locomotion_velocity(LOCOMOTION_STEERED, &locomotion_body, (vec2){0, 0}, (vec2){0, 0},
                                            (vec2){0.01f, 0}, locomotion_dt);
    assert_true(pushed.x > 0.0f);
}

static void test_direct_takes_the_desired_velocity(void **state) {
    const vec2 v = locomotion_velocity(LOCOMOTION_DIRECT, &locomotion_body, (vec2){-100, 0}, (vec2){0, 40},
                                       (vec2){0, 0}, locomotion_dt);
    assert_true(v.x == 0.0f && v.y == 40.0f);
    const vec2 fast = locomotion_velocity(LOCOMOTION_DIRECT, &locomotion_body, (vec2){0, 0}, (vec2){0, 400},
                                          (vec2){0, 0}, locomotion_dt);
    assert_true(fabsf(fast.y - 100.0f) < 1e-4f);
}

static void test_constant_speed(void **state) {
    /* A tiny force still pushes with max_force, and the speed is max_speed at once. */
    const vec2 v = locomotion_velocity(LOCOMOTION_CONSTANT_SPEED, &locomotion_body, (vec2){50, 0},
                                       (vec2){0, 0}, (vec2){0, 1e-3f}, locomotion_dt);
    assert_true(fabsf(vec2_length(v) - 100.0f) < 1e-4f);
    assert_true(fabsf(v.y / v.x - 5.0f / 50.0f) < 1e-5f);
    const vec2 still = locomotion_velocity(LOCOMOTION_CONSTANT_SPEED, &locomotion_body, (vec2){0, 0},
                                           (vec2){0, 0}, (vec2){0, 0}, locomotion_dt);
    assert_true(still.x == 0.0f && still.y == 0.0f);
}

/* The difference between two equal velocities is rounding, which must not become a push of max_force. */
static void test_constant_speed_leaves_an_aligned_agent_alone(void **state) {
    const vec2 along = {100.0f, 0.0f}, noise = {1e-5f, -3e-5f};
    const vec2 v = locomotion_velocity(LOCOMOTION_CONSTANT_SPEED, &locomotion_body, along,
                                       (vec2){100.0f, 1e-5f}, noise, locomotion_dt);
    assert_true(v.x == 100.0f && v.y == 0.0f);
}

static void test_no_speed_no_force_no_nan(void **state) {
    const struct body stone = {.mass = 0.01f, .max_speed = 0.0f, .max_force = 0.0f};
    for (int mode = LOCOMOTION_STEERED; mode <= LOCOMOTION_CONSTANT_SPEED; mode++) {
        const vec2 v = locomotion_velocity((enum locomotion)mode, &stone, (vec2){0, 0}, (vec2){1e4f, 0},
                                           (vec2){1e9f, 1}, locomotion_dt);
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

/* No faster than the room to the one in the way divided by the time gap: 36 px less two bodies and the clearance. */
static void test_queue_time_gap(void **state) {
    float speed[2];
    for (int i = 0; i < 2; i++) {
        struct world_def def = one_kind_def(BEHAVIOR_QUEUE, (vec2){700.0f, 300.0f});
        behavior_of(&def)->time_gap = (float)i;
        place(&def, (vec2){300.0f, 300.0f}, (vec2){0.0f, 0.0f});
        place(&def, (vec2){336.0f, 300.0f}, (vec2){0.0f, 0.0f});
        struct world *world = build(&def);
        struct steering_view view;
        world_explain(world, 0, &view);
        speed[i] = view.desired.x;
        world_destroy(world);
    }
    assert_true(speed[0] > 40.0f && fabsf(speed[1] - 14.0f) < 0.01f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_seek_and_flee_are_opposite),
        cmocka_unit_test(test_on_the_target_itself),
        cmocka_unit_test(test_flee_only_in_panic),
        cmocka_unit_test(test_linear_ramp),
        cmocka_unit_test(test_stopping_speed_can_stop),
        cmocka_unit_test(test_a_heap_dissolves),
        cmocka_unit_test(test_strength_is_bounded),
        cmocka_unit_test(test_alignment_agrees),
        cmocka_unit_test(test_cohesion_gathers),
        cmocka_unit_test(test_a_flock_crosses_the_edge_whole),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_limit_of_neighbors),
        cmocka_unit_test(test_head_on_passes),
        cmocka_unit_test(test_follow_leader),
        cmocka_unit_test(test_queue_waits),
        cmocka_unit_test(test_crowd_comes_to_rest),
        cmocka_unit_test(test_nearest_of_many),
        cmocka_unit_test(test_commands_keep_the_grid),
        cmocka_unit_test(test_a_far_look_costs_only_who_looks),
        cmocka_unit_test(test_kinds_by_name),
        cmocka_unit_test(test_force_is_truncated_and_divided_by_mass),
        cmocka_unit_test(test_speed_is_truncated),
        cmocka_unit_test(test_braking_ends_at_rest_but_a_weak_push_starts),
        cmocka_unit_test(test_direct_takes_the_desired_velocity),
        cmocka_unit_test(test_constant_speed),
        cmocka_unit_test(test_constant_speed_leaves_an_aligned_agent_alone),
        cmocka_unit_test(test_no_speed_no_force_no_nan),
        cmocka_unit_test(test_heading_turns_no_faster_than_allowed),
        cmocka_unit_test(test_heading_stays_when_the_agent_stops),
        cmocka_unit_test(test_queue_time_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
