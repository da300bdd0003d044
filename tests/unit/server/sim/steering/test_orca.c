/* Collision avoidance with half planes. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "server/sim/math/rng.h"
#include "server/sim/math/trig.h"
#include "server/sim/steering/velocity_obstacles.h"
#include "tests/unit/server/sim/sim_fixture.h"
#include "tests/unit/server/sim/steering/half_planes_reference.h"

/* ==== orca ====
 * Reciprocal velocity obstacles in small worlds (behavior_filters.c): agents pass each other, no two touch, none
 * freezes; and the velocity filter changes velocities only where it must. */

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
static void test_orca_solids(void **state) {
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

/* ==== velocity obstacles ====
 * velocity_obstacles.h: half-planes by hand, and the linear program against an
 * independent search and, bit for bit, an independent program. */

static struct rng dice;

static float any(float low, float high) {
    return rng_between(&dice, low, high);
}

static vec2 any_direction(void) {
    const float angle = any(0.0f, 6.2831853f);
    return (vec2){cosf(angle), sinf(angle)};
}

/* ---- half-planes ---- */

static struct encounter meeting(vec2 offset, vec2 own, vec2 other) {
    return (struct encounter){.offset = offset,
                              .own = own,
                              .other = other,
                              .room = 20.0f,
                              .split = {1.0f, 0.0f},
                              .horizon = 2.0f,
                              .settle = 0.25f};
}

/* px: how near the two come within the horizon, in doubles. */
static double nearest_approach(vec2 offset, vec2 own, vec2 other, double horizon) {
    const double px = (double)offset.x, py = (double)offset.y;
    const double vx = (double)other.x - (double)own.x, vy = (double)other.y - (double)own.y;
    const double speed = vx * vx + vy * vy;
    double time = speed > 0.0 ? -(px * vx + py * vy) / speed : 0.0;
    time = fmin(fmax(time, 0.0), horizon);
    return hypot(px + vx * time, py + vy * time);
}

/* Two agents that both go to the border of the permitted half-plane just touch within the horizon; inside
 * they miss. */
static void test_both_shares_are_enough(void **state) {
    dice = rng_begin(5, 0, 0, RNG_SPAWN_PLACE);
    int tight = 0;
    for (int i = 0; i < 20000; i++) {
        const struct encounter a = meeting(vec2_scale(any_direction(), any(20.1f, 300.0f)),
                                           vec2_scale(any_direction(), any(0.0f, 150.0f)),
                                           vec2_scale(any_direction(), any(0.0f, 150.0f)));
        struct encounter b = a;
        b.offset = vec2_scale(a.offset, -1.0f);
        b.own = a.other;
        b.other = a.own;
        b.split = vec2_scale(a.split, -1.0f);
        const struct half_plane mine = half_plane_of(&a), theirs = half_plane_of(&b);
        assert_float_equal(vec2_length(mine.normal), 1.0f, 1e-4);
        /* Opposite normals; the shares of the two add up to the whole. */
        assert_float_equal(vec2_length(vec2_add(mine.normal, theirs.normal)), 0.0f, 1e-3);
        const vec2 along = {-mine.normal.y, mine.normal.x};
        const float needed = mine.least - vec2_dot(a.own, mine.normal);
        const float rest = theirs.least - vec2_dot(a.other, theirs.normal);
        assert_true(needed * rest >= -1e-2f);
        /* Both move to the border, along the normal, and slide along it as they like. */
        const vec2 me = vec2_add(a.own, vec2_scale(mine.normal, needed));
        const vec2 you = vec2_add(a.other, vec2_scale(theirs.normal, rest));
        const double near = nearest_approach(a.offset, me, you, (double)a.horizon);
        assert_true(near > (double)a.room - 0.05);
        tight += near < (double)a.room + 0.05;
        const float extra = any(0.0f, 50.0f);
        const vec2 further =
            vec2_add(vec2_add(me, vec2_scale(mine.normal, extra)), vec2_scale(along, any(-200.0f, 200.0f)));
        const vec2 slid = vec2_add(you, vec2_scale(along, any(-200.0f, 200.0f)));
        assert_true(nearest_approach(a.offset, further, slid, (double)a.horizon) > (double)a.room - 0.1);
    }
    assert_true(tight > 15000); /* and no more than necessary */
}

/* No smaller change of the relative velocity, in any direction, avoids the collision. */
static void test_no_more_than_needed(void **state) {
    dice = rng_begin(9, 0, 0, RNG_SPAWN_PLACE);
    int threatened = 0;
    for (int i = 0; i < 8000; i++) {
        const struct encounter mine = meeting(vec2_scale(any_direction(), any(25.0f, 200.0f)),
                                              vec2_scale(any_direction(), any(10.0f, 150.0f)),
                                              vec2_scale(any_direction(), any(0.0f, 100.0f)));
        const struct encounter theirs = meeting(vec2_scale(mine.offset, -1.0f), mine.other, mine.own);
        if (nearest_approach(mine.offset, mine.own, mine.other, (double)mine.horizon) > 19.0) {
            continue;
        }
        threatened++;
        const struct half_plane one = half_plane_of(&mine), other = half_plane_of(&theirs);
        const float change =
            one.least - vec2_dot(mine.own, one.normal) + other.least - vec2_dot(theirs.own, other.normal);
        assert_true(change > 0.0f);
        for (int d = 0; d < 32; d++) {
            const vec2 less = vec2_add(mine.own, vec2_scale(any_direction(), 0.97f * change));
            assert_true(nearest_approach(mine.offset, less, mine.other, (double)mine.horizon) < 20.05);
        }
    }
    assert_true(threatened > 300);
}

static void test_overlap_parts(void **state) {
    /* 10 px of 20 overlap and both stand: each moves away so that 10 px are made in 0.25 s, half each. */
    const struct encounter e = meeting((vec2){10.0f, 0.0f}, (vec2){0.0f, 0.0f}, (vec2){0.0f, 0.0f});
    const struct half_plane plane = half_plane_of(&e);
    assert_float_equal(plane.normal.x, -1.0f, 1e-5);
    assert_float_equal(plane.least, 20.0f, 1e-3);
    /* In the very same place each goes its own way. */
    struct encounter same = meeting((vec2){0.0f, 0.0f}, (vec2){5.0f, 0.0f}, (vec2){5.0f, 0.0f});
    const struct half_plane left = half_plane_of(&same);
    same.split = (vec2){-1.0f, 0.0f};
    const struct half_plane right = half_plane_of(&same);
    assert_float_equal(left.normal.x, -1.0f, 1e-5);
    assert_float_equal(right.normal.x, 1.0f, 1e-5);
    assert_float_equal(left.least, 35.0f, 1e-3); /* 40 apart from where both are going */
}

static void test_velocity_obstacles_solids(void **state) {
    const vec2 away = {0.0f, -1.0f};
    const struct half_plane near = half_plane_of_solid(away, 30.0f, 0.0f, 0.5f, 0.25f, 100.0f);
    assert_float_equal(near.least, -60.0f, 1e-3); /* towards it at 60 px/s at most */
    const struct half_plane inside = half_plane_of_solid(away, -10.0f, 0.0f, 0.5f, 0.25f, 100.0f);
    assert_float_equal(inside.least, 40.0f, 1e-3);
    const struct half_plane deep = half_plane_of_solid(away, -1000.0f, 0.0f, 0.5f, 0.25f, 100.0f);
    assert_float_equal(deep.least, 100.0f, 1e-3); /* no more than it can do */
}

/* ---- the linear program ---- */

enum { PLANES = 12 };

static double violation(const struct half_plane *planes, int begin, int count, double x, double y) {
    double worst = -1e30;
    for (int i = begin; i < count; i++) {
        const double missing =
            (double)planes[i].least - (double)planes[i].normal.x * x - (double)planes[i].normal.y * y;
        worst = fmax(worst, missing);
    }
    return worst;
}

/* The least of a convex function over the disc of max_speed, by a grid of angles and speeds that is drawn
 * together again and again around the best so far. */
struct search {
    const struct half_plane *planes;
    int hard, count;
    vec2 preferred;
    bool is_feasible; /* look for the nearest permitted; otherwise for the least violation */
};

static double cost(const struct search *search, double x, double y) {
    const double hard = violation(search->planes, 0, search->hard, x, y);
    const double soft = violation(search->planes, search->hard, search->count, x, y);
    const double away = hypot(x - (double)search->preferred.x, y - (double)search->preferred.y);
    /* An exact penalty: convex, with the same least as the constraint when steep enough. */
    const double penalty = 1e3 * fmax(hard, 0.0);
    return search->is_feasible ? away + penalty + 1e3 * fmax(soft, 0.0) : soft + penalty;
}

static double least_cost(const struct search *search, double max_speed, double *best_x, double *best_y) {
    double reach = max_speed, best = 1e30, x = 0.0, y = 0.0;
    for (int round = 0; round < 60; round++) {
        const double from_x = x, from_y = y;
        for (int i = -10; i <= 10; i++) {
            for (int j = -10; j <= 10; j++) {
                double tx = from_x + reach * i / 10.0, ty = from_y + reach * j / 10.0;
                const double speed = hypot(tx, ty);
                if (speed > max_speed) {
                    tx *= max_speed / speed;
                    ty *= max_speed / speed;
                }
                const double c = cost(search, tx, ty);
                if (c < best) {
                    best = c;
                    x = tx;
                    y = ty;
                }
            }
        }
        reach *= 0.75;
    }
    *best_x = x;
    *best_y = y;
    return best;
}

/* half_planes_nearest, which has the bits of the reference. */
static vec2 nearest(const struct half_plane *planes, int count, int hard, vec2 preferred, float max_speed) {
    const vec2 found = half_planes_nearest(planes, count, hard, preferred, max_speed);
    const vec2 reference = reference_nearest(planes, count, hard, preferred, max_speed);
    assert_memory_equal(&found, &reference, sizeof found);
    return found;
}

static int random_planes(struct half_plane *planes, float tightness) {
    const int count = 1 + (int)(rng_next(&dice) % PLANES);
    for (int i = 0; i < count; i++) {
        planes[i] = (struct half_plane){any_direction(), any(-100.0f, tightness)};
        if (i > 0 && rng_next(&dice) % 5 == 0) { /* the same again, its opposite, or nearly either */
            const float sign = rng_next(&dice) % 2 ? 1.0f : -1.0f;
            planes[i].normal = vec2_scale(planes[i - 1].normal, sign);
            planes[i].least = rng_next(&dice) % 2 ? planes[i - 1].least : planes[i].least;
        }
    }
    return count;
}

/* If some velocity is permitted, the result is permitted and as near as a search finds. */
static void test_nearest_against_a_search(void **state) {
    dice = rng_begin(6, 0, 0, RNG_SPAWN_PLACE);
    int feasible = 0, bent = 0;
    for (int i = 0; i < 1200; i++) {
        struct half_plane planes[PLANES];
        const int count = random_planes(planes, 60.0f);
        const vec2 preferred = vec2_scale(any_direction(), any(0.0f, 150.0f));
        const struct search search = {planes, 0, count, preferred, true};
        double x, y;
        const double best = least_cost(&search, 100.0, &x, &y);
        if (violation(planes, 0, count, x, y) > 1e-3) {
            continue;
        }
        feasible++;
        const vec2 found = nearest(planes, count, 0, preferred, 100.0f);
        assert_true(vec2_length(found) <= 100.0f * 1.00001f);
        assert_true(violation(planes, 0, count, (double)found.x, (double)found.y) < 2e-2);
        const double away = hypot((double)(found.x - preferred.x), (double)(found.y - preferred.y));
        assert_true(away < best + 0.1);
        bent += away > 1.0 && vec2_length(preferred) < 100.0f;
        if (half_planes_permit(planes, count, preferred) && vec2_length(preferred) <= 100.0f) {
            assert_float_equal(away, 0.0, 1e-6);
        }
    }
    assert_true(feasible > 300 && bent > 80);
}

/* If none is, the violation is as small as a search finds; the hard ones hold if possible. */
static void test_least_violation_against_a_search(void **state) {
    dice = rng_begin(7, 0, 0, RNG_SPAWN_PLACE);
    int infeasible = 0;
    for (int i = 0; i < 1200; i++) {
        struct half_plane planes[PLANES];
        const int count = random_planes(planes, 150.0f), hard = count > 3 ? 2 : 0;
        const vec2 preferred = vec2_scale(any_direction(), any(0.0f, 150.0f));
        const struct search search = {planes, hard, count, preferred, false};
        double x, y;
        const double best = least_cost(&search, 100.0, &x, &y);
        if (violation(planes, hard, count, x, y) < 0.1 || violation(planes, 0, hard, x, y) > 1e-6) {
            continue;
        }
        infeasible++;
        const vec2 found = nearest(planes, count, hard, preferred, 100.0f);
        assert_true(vec2_length(found) <= 100.0f * 1.00001f);
        assert_true(violation(planes, 0, hard, (double)found.x, (double)found.y) < 5e-2);
        assert_true(violation(planes, hard, count, (double)found.x, (double)found.y) < best + 0.1);
    }
    assert_true(infeasible > 200);
}

/* For any input: a finite velocity, no faster than allowed, and that of the reference. */
static void test_never_more_than_finite(void **state) {
    dice = rng_begin(8, 0, 0, RNG_SPAWN_PLACE);
    const float sizes[] = {0.0f, 1e-20f, 1e-3f, 1.0f, 1e3f, 1e6f};
    for (int i = 0; i < 20000; i++) {
        struct half_plane planes[HALF_PLANES_MAX];
        const int count = (int)(rng_next(&dice) % (HALF_PLANES_MAX + 1));
        for (int p = 0; p < count; p++) {
            const struct encounter e = {
                .offset = vec2_scale(any_direction(), sizes[rng_next(&dice) % 6]),
                .own = vec2_scale(any_direction(), sizes[rng_next(&dice) % 5] * 20.0f),
                .other = vec2_scale(any_direction(), sizes[rng_next(&dice) % 5] * 20.0f),
                .room = sizes[2 + rng_next(&dice) % 4],
                .split = any_direction(),
                .horizon = any(0.002f, 60.0f),
                .settle = 0.25f};
            planes[p] = half_plane_of(&e);
            if (p > 0 && rng_next(&dice) % 4 == 0) {
                planes[p] = planes[p - 1];
            }
        }
        const float max_speed = sizes[rng_next(&dice) % 5] * 20.0f;
        const vec2 found = nearest(planes, count, count / 3, any_direction(), max_speed);
        assert_true(isfinite(found.x) && isfinite(found.y));
        assert_true(vec2_length(found) <= max_speed * 1.00001f);
    }
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
        cmocka_unit_test(test_orca_solids),
        cmocka_unit_test(test_tiers_keep_their_order),
        cmocka_unit_test(test_a_silent_tier),
        cmocka_unit_test(test_a_corner),
        cmocka_unit_test(test_both_shares_are_enough),
        cmocka_unit_test(test_no_more_than_needed),
        cmocka_unit_test(test_overlap_parts),
        cmocka_unit_test(test_velocity_obstacles_solids),
        cmocka_unit_test(test_nearest_against_a_search),
        cmocka_unit_test(test_least_violation_against_a_search),
        cmocka_unit_test(test_never_more_than_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
