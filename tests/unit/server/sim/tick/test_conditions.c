/* Conditions of states: what is in the field of view and in sight, what is remembered, cooldowns, chances, signals, areas.
 * The fast answers against plain loops over all agents and all solids. */
#include <stdio.h>

#include "server/sim/tick/world_sights.h"
#include "tests/property/named_scenario.h"
#include "tests/property/other_ways.h"
#include "tests/property/random_world.h"

/* ==== by hand ==== */

static struct state_def *add_state(struct kind_def *kind, const char *name, int type) {
    kind->state_count += kind->has_states;
    kind->has_states = true;
    struct state_def *state = &kind->states[kind->state_count - 1];
    *state = (struct state_def){.condition_count = type >= 0, .conditions = {{.type = type}}};
    copy_text(state->name, name);
    return state;
}

static void put(struct world_def *def, const char *kind, vec2 at) {
    struct placement_def *placement = world_def_add_placement(def, kind);
    assert_non_null(placement);
    placement->at = at;
    placement->has_heading = true;
}

/* A guard at 100,100 that faces along x: "chase" with near, then "patrol"; nobody moves. */
static struct world_def watching_def(void) {
    struct world_def def = world_def_default();
    struct kind_def *guard = world_def_add_kind(&def, "guard");
    assert_non_null(guard);
    assert_non_null(world_def_add_kind(&def, "thief"));
    guard = &def.kinds[0];
    struct condition_def *near = add_state(guard, "chase", CONDITION_NEAR)->conditions;
    copy_text(near->target.kind, "thief");
    near->target.within = 200.0f;
    (void)add_state(guard, "patrol", -1);
    put(&def, "guard", (vec2){100.0f, 100.0f});
    return def;
}

static void add_wall(struct world_def *def, vec2 from, vec2 to) {
    struct wall_def *wall = geometry_def_add_wall(&def->geometry);
    assert_non_null(wall);
    *wall = (struct wall_def){from, to};
}

static bool chases_next(struct world *world) {
    world_step(world);
    return world_agent(world, 0).state == 0;
}

static bool chases(struct world_def *def) {
    struct world *world = build(def);
    const bool is_so = chases_next(world);
    world_destroy(world);
    return is_so;
}

static void test_field_of_view(void **state) {
    (void)state;
    const struct {
        vec2 at;
        bool is_seen;
    } places[] = {
        {{200, 100}, true}, {{180, 165}, true}, {{180, 200}, false}, {{30, 100}, false}, {{310, 100}, false}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct world_def def = watching_def();
        def.kinds[0].states[0].conditions[0].field_of_view = 1.5707964f; /* 45 degrees to each side */
        put(&def, "thief", places[i].at);
        assert_int_equal(chases(&def), places[i].is_seen);
    }
}

static void test_walls_hide(void **state) {
    (void)state;
    for (int is_visible = 0; is_visible < 2; is_visible++) {
        struct world_def def = watching_def();
        def.kinds[0].states[0].conditions[0].is_visible = is_visible;
        add_wall(&def, (vec2){150, 50}, (vec2){150, 150});
        put(&def, "thief", (vec2){200, 100});
        assert_int_equal(chases(&def), !is_visible);
    }
}

/* The nearest is behind a wall, another one is not; and where two walls meet there is no gap. */
static void test_any_counts(void **state) {
    (void)state;
    for (int others = 0; others < 2; others++) {
        struct world_def def = watching_def();
        def.kinds[0].states[0].conditions[0].is_visible = true;
        add_wall(&def, (vec2){150, 50}, (vec2){150, 100});
        add_wall(&def, (vec2){150, 100}, (vec2){150, 150});
        put(&def, "thief", (vec2){180, 100});
        if (others > 0) {
            put(&def, "thief", (vec2){100, 250});
        }
        assert_int_equal(chases(&def), others);
    }
}

/* Around the border it is 60 px to the thief, and the wall in between is there, too. */
static void test_torus(void **state) {
    (void)state;
    for (int walls = 0; walls < 2; walls++) {
        struct world_def def = watching_def();
        def.edge = EDGE_WRAP;
        def.placements[0].heading = 3.1415927f;
        def.kinds[0].states[0].conditions[0].is_visible = true;
        def.kinds[0].states[0].conditions[0].field_of_view = 1.0f;
        if (walls > 0) {
            add_wall(&def, (vec2){790, 50}, (vec2){790, 150});
        }
        put(&def, "thief", (vec2){760, 100});
        assert_int_equal(chases(&def), walls == 0);
    }
}

/* It gives up 5 s after it has lost sight, and not before. */
static void test_remember(void **state) {
    (void)state;
    struct world_def def = watching_def();
    def.kinds[0].states[0].conditions[0].remember = 5.0f;
    put(&def, "thief", (vec2){200, 100});
    struct world *world = build(&def);
    assert_true(chases_next(world));
    const uint32_t thief = 2;
    assert_int_equal(world_remove(world, &thief, 1, NULL), 1);
    struct world *copy = world_clone_new(world);
    assert_non_null(copy);
    for (int tick = 1; tick <= 300; tick++) {
        assert_true(chases_next(world));
        world_step(copy);
        assert_true(world_hash(world) == world_hash(copy));
    }
    assert_false(chases_next(world));
    assert_false(chases_next(copy));
    world_destroy(copy);
    world_destroy(world);
}

/* A dash that a stop ends after 0.5 s; then a rest until 1 s has passed since the dash was left. */
static void test_cooldown(void **state) {
    (void)state;
    struct world_def def = world_def_default();
    struct kind_def *kind = world_def_add_kind(&def, "agent");
    assert_non_null(kind);
    struct state_def *rest = add_state(kind, "rest", CONDITION_NOT);
    rest->condition_count = 2;
    rest->conditions[1] = (struct condition_def){.type = CONDITION_COOLDOWN, .value = 1.0f};
    copy_text(rest->conditions[1].name, "dash");
    add_state(kind, "stop", CONDITION_TIME_OVER)->conditions[0].value = 0.5f;
    (void)add_state(kind, "dash", -1);
    put(&def, "agent", (vec2){100, 100});
    struct world *world = build(&def);
    char seen[200] = "";
    for (int tick = 0; tick < 150; tick++) {
        world_step(world);
        seen[tick] = "rsd"[world_agent(world, 0).state];
    }
    const size_t dash = strspn(seen, "d"), stop = strspn(seen + dash, "s"),
                 resting = strspn(seen + dash + stop, "r");
    assert_in_range(dash, 30, 31);
    assert_int_equal(stop, 1);
    assert_int_equal(stop + resting, 60);
    assert_true(seen[dash + 61] ==
                'd'); /* the rest was longer than 0.5 s: a stop of one tick, then it may dash again */
    world_destroy(world);
}

/* 2 a second, whatever the threads; the numbers of two conditions are not the same. */
static void test_chance(void **state) {
    (void)state;
    struct world_def def = world_def_default();
    struct kind_def *kind = world_def_add_kind(&def, "agent");
    assert_non_null(kind);
    for (int s = 0; s < 2; s++) {
        add_state(kind, s == 0 ? "a" : "b", CONDITION_CHANCE)->conditions[0].value = 2.0f;
    }
    (void)add_state(kind, "c", -1);
    put(&def, "agent", (vec2){100, 100});
    def.placements[0].count = 1000;
    struct world *world = build(&def);
    const struct parallel other_order = backwards();
    struct world *other = world_clone_new(world);
    assert_non_null(other);
    int counts[3] = {0};
    for (int tick = 0; tick < 60; tick++) {
        world_step(world);
        world_step_parallel(other, &other_order);
        for (int32_t row = 0; row < 1000; row++) {
            counts[world_agent(world, row).state]++;
        }
    }
    assert_true(world_hash(world) == world_hash(other));
    assert_in_range(counts[0], 1800, 2200);
    assert_in_range(counts[1], 1750, 2150); /* of those that are not in a: 0 if the numbers were the same */
    world_destroy(other);
    world_destroy(world);
}

/* The alarm is heard a tick later, near enough, and not by the one that gives it. */
static void test_heard(void **state) {
    (void)state;
    struct world_def def = watching_def();
    struct kind_def *guard = &def.kinds[0];
    copy_text(guard->states[0].signal, "alarm");
    guard->states[1] =
        (struct state_def){.condition_count = 1, .conditions = {{.type = CONDITION_HEARD, .value = 300.0f}}};
    copy_text(guard->states[1].conditions[0].name, "alarm");
    guard->state_count++;
    copy_text(guard->states[2].name, "patrol");
    put(&def, "guard", (vec2){100, 390});
    put(&def, "guard", (vec2){100, 410});
    put(&def, "thief", (vec2){200, 100});
    struct world *world = build(&def);
    world->state[0] = world->state[1] = world->state[2] = 2;
    const int expected[3][3] = {{0, 2, 2}, {0, 1, 2}, {0, 1, 2}};
    for (int tick = 0; tick < 3; tick++) {
        world_step(world);
        for (int32_t row = 0; row < 3; row++) {
            assert_int_equal(world_agent(world, row).state, expected[tick][row]);
        }
    }
    char text[256];
    assert_non_null(world_stripes_refusal(world, 2, text, sizeof text));
    assert_string_equal(text, "kind guard (heard) hears agents of other ranks, whose states are not known; "
                              "allowed: --mode copy");
    world_destroy(world);
}

static void test_in_an_area(void **state) {
    (void)state;
    for (int is_in = 0; is_in < 2; is_in++) {
        struct world_def def = watching_def();
        struct area_def *area = geometry_def_add_area(&def.geometry);
        assert_non_null(area);
        *area = (struct area_def){
            .shape = {.shape = OBSTACLE_CIRCLE, .at = {100, 150}, .radius = is_in ? 60 : 40}, .speed = 1.0f};
        copy_text(area->name, "hall");
        def.kinds[0].states[0].conditions[0] = (struct condition_def){.type = CONDITION_IN};
        copy_text(def.kinds[0].states[0].conditions[0].name, "hall");
        assert_int_equal(chases(&def), is_in);
    }
}

/* ==== the fast answers against plain loops ==== */

enum { WORLDS = 60, TICKS = 12, AGENTS = 150 };

static struct world *random_watch(uint64_t number) {
    dice = rng_begin(91, number, 0, RNG_WANDER);
    struct world_def def = watching_def();
    def.edge = (int)(number % 4);
    def.size = vec2_make(any(200.0f, 900.0f), any(200.0f, 900.0f));
    struct condition_def *near = def.kinds[0].states[0].conditions;
    near->target.within = below(3) == 0 ? 0.0f : any(20.0f, 120.0f);
    near->field_of_view = below(3) == 0 ? 0.0f : any(0.1f, 2.0f);
    near->is_visible = below(4) > 0;
    near->remember = below(2) == 0 ? 0.0f : 0.05f;
    for (int k = 0; k < 2; k++) {
        struct state_def *last = &def.kinds[k].states[def.kinds[k].state_count - 1];
        last->behavior_count = 1;
        last->behaviors[0] = behavior_def_default(BEHAVIOR_WANDER);
        def.kinds[k].body.radius = (struct field_range){2.0f, 2.0f};
        struct placement_def *more = world_def_add_placement(&def, def.kinds[k].name);
        assert_non_null(more);
        *more = (struct placement_def){
            .count = (uint32_t)(1 + below(below(2) ? AGENTS : 20)), .shape = PLACE_RECT, .size = def.size};
        copy_text(more->kind, def.kinds[k].name);
    }
    for (int i = below(25); i > 0; i--) {
        const vec2 from = {any(0.0f, def.size.x), any(0.0f, def.size.y)};
        add_wall(&def, from, vec2_add(from, (vec2){any(-80.0f, 80.0f), any(-80.0f, 80.0f)}));
        if (below(3) == 0) {
            add_circle(&def, (vec2){any(0.0f, def.size.x), any(0.0f, def.size.y)}, any(2.0f, 40.0f));
        }
    }
    return build(&def);
}

static bool is_open(const struct world *world, vec2 from, vec2 offset) {
    const float length = vec2_length(offset);
    return length == 0.0f || scenery_sweep_all(&world->scenery, &world->bounds, from,
                                               vec2_scale(offset, 1.0f / length), length, SCENERY_SKIN)
                                     .index < 0;
}

static bool sees_by_loops(const struct world *world, int32_t row, int prey) {
    const struct condition_def *near = world->kinds[0].def.states[0].conditions;
    const struct motion own = world_motion(world, row);
    const vec2 here = {own.x, own.y};
    for (int32_t other = 0; other < world_agent_count(world); other++) {
        const struct motion motion = world_motion(world, other);
        const vec2 there = {motion.x, motion.y}, offset = bounds_difference(&world->bounds, here, there);
        const float distance = vec2_length(offset), within = near->target.within;
        const bool is_near = within == 0.0f || vec2_length_squared(offset) <= within * within;
        const float cosine = world->kinds[0].states[0].cosine[0];
        const bool is_ahead =
            cosine < -1.0f || vec2_dot(offset, world_heading(world, row)) >= cosine * distance;
        if (world->kind[other] == prey && is_near && is_ahead &&
            (!near->is_visible ||
             (is_open(world, here, offset) &&
              (world->bounds.edge != EDGE_WRAP || is_open(world, there, vec2_scale(offset, -1.0f)))))) {
            return true;
        }
    }
    return false;
}

static void test_fast_equals_slow(void **state) {
    (void)state;
    int seen = 0, unseen = 0, remembered = 0;
    for (uint64_t number = 0; number < WORLDS; number++) {
        struct world *world = random_watch(number);
        static int ago[4096];
        memset(ago, -1, sizeof ago);
        const int lasts = world->kinds[0].timer_count > 0 ? 3 : 0; /* 0.05 s */
        for (int tick = 0; tick < TICKS; tick++) {
            static bool expected[4096];
            for (int32_t row = 0; row < world_agent_count(world) && world->kind[row] == 0; row++) {
                const bool sees = sees_by_loops(world, row, 1);
                ago[row] = sees ? 0 : ago[row] < 0 ? -1 : ago[row] + 1;
                expected[row] = ago[row] >= 0 && ago[row] <= lasts;
                seen += sees;
                unseen += !sees;
                remembered += expected[row] && !sees;
                assert_int_equal(world_decide(world, row, (struct sight_place){NULL, 0}).state,
                                 !expected[row]);
            }
            world_step(world);
            for (int32_t row = 0; row < world_agent_count(world) && world->kind[row] == 0; row++) {
                assert_int_equal(world_state(world, row), !expected[row]);
            }
        }
        world_destroy(world);
    }
    print_message("%d seen, %d not, %d remembered\n", seen, unseen, remembered);
    assert_true(seen > 1000 && unseen > 1000 && remembered > 30);
}

/* The guard of the scenario: it chases as soon as it sees a thief, gives up 5 s after it has lost sight, not a tick earlier
 * or later, and goes back to its path. */
static void test_the_guard(void **state) {
    (void)state;
    struct world *world = world_named("guard");
    const struct path *round = &world->scenery.paths[0];
    int chases_begun = 0, given_up = 0, back = 0;
    int ago = -1;
    bool was_chasing = false, is_returning = false;
    for (int tick = 0; tick < 60 * 180; tick++) {
        const bool sees = sees_by_loops(world, 0, 2);
        ago = sees ? 0 : ago < 0 ? -1 : ago + 1;
        world_step(world);
        const bool is_chasing = world_agent(world, 0).state == 0;
        assert_int_equal(is_chasing, ago >= 0 && ago <= 300);
        chases_begun += is_chasing && !was_chasing;
        given_up += !is_chasing && was_chasing;
        const struct motion motion = world_motion(world, 0);
        const bool is_back =
            path_nearest(round, &world->bounds, (vec2){motion.x, motion.y}).distance < round->radius;
        is_returning = !is_chasing && (is_returning || was_chasing);
        back += is_returning && is_back;
        is_returning = is_returning && !is_back;
        was_chasing = is_chasing;
    }
    print_message("%d chases, %d given up, %d back on the path\n", chases_begun, given_up, back);
    assert_true(chases_begun >= 3 && given_up >= 3 && back >= 3);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field_of_view), cmocka_unit_test(test_walls_hide),
        cmocka_unit_test(test_any_counts),    cmocka_unit_test(test_torus),
        cmocka_unit_test(test_remember),      cmocka_unit_test(test_cooldown),
        cmocka_unit_test(test_chance),        cmocka_unit_test(test_heard),
        cmocka_unit_test(test_in_an_area),    cmocka_unit_test(test_fast_equals_slow),
        cmocka_unit_test(test_the_guard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
