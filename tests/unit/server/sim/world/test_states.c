/* States, strolling targets, and mistakes that were once made. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>

#include "tests/unit/server/sim/sim_fixture.h"

/* ==== Deciding and combining: states, conditions, stamina, quarry, tiers, dithering ==== */

static struct state_def *add_state(struct kind_def *kind, const char *name) {
    if (kind->state_count == 1 && kind->states[0].behavior_count == 0 && !kind->has_states) {
        kind->state_count = 0;
        kind->has_states = true;
    }
    struct state_def *state = &kind->states[kind->state_count++];
    *state = (struct state_def){0};
    copy_text(state->name, name);
    return state;
}

static struct behavior_def *add_behavior(struct state_def *state, enum behavior_type type) {
    struct behavior_def *behavior = &state->behaviors[state->behavior_count++];
    *behavior = behavior_def_default(type);
    return behavior;
}

static struct condition_def *add_condition(struct state_def *state, enum condition_type type) {
    struct condition_def *node = &state->conditions[state->condition_count++];
    *node = (struct condition_def){.type = (int)type};
    return node;
}

/* The movement manager tutorial's hunter: rests when exhausted, pursues one prey while stamina lasts,
 * wanders. */
static struct world_def hunting_def(void) {
    struct world_def def = world_def_default();
    struct kind_def *prey = world_def_add_kind(&def, "prey");
    assert_non_null(prey);
    struct kind_def *hunter = world_def_add_kind(&def, "hunter");
    assert_non_null(hunter);
    hunter->body.max_stamina = 100.0f;
    struct state_def *rest = add_state(hunter, "rest");
    add_condition(rest, CONDITION_EXHAUSTED);
    rest->stamina_rate = 50.0f;
    struct state_def *pursue = add_state(hunter, "pursue");
    add_condition(pursue, CONDITION_ANY)->count = 2;
    add_condition(pursue, CONDITION_HAS_QUARRY);
    struct condition_def *near = add_condition(pursue, CONDITION_NEAR);
    copy_text(near->target.kind, "prey");
    near->target.within = 100.0f;
    pursue->stamina_rate = -100.0f;
    struct behavior_def *behavior = add_behavior(pursue, BEHAVIOR_PURSUE);
    copy_text(behavior->target.kind, "prey");
    behavior->keep = true;
    add_behavior(add_state(hunter, "wander"), BEHAVIOR_WANDER);
    return def;
}

static void put(struct world_def *def, const char *kind, vec2 at) {
    struct placement_def *placement = world_def_add_placement(def, kind);
    assert_non_null(placement);
    placement->at = at;
}

static const char *state_name(const struct world *world, int32_t row) {
    const struct agent_view agent = world_agent(world, row);
    return world_kind(world, agent.kind)->states[agent.state].name;
}

static void test_hysteresis_of_stamina(void **state) {
    struct world_def def = hunting_def();
    put(&def, "prey", (vec2){450.0f, 300.0f});
    put(&def, "hunter", (vec2){400.0f, 300.0f});
    struct world *world = build(&def);
    int pursuing = 0, resting = 0;
    world_step(world);
    while (strcmp(state_name(world, 1), "pursue") == 0 && pursuing < 1000) {
        world_step(world);
        pursuing++;
    }
    assert_in_range(pursuing, 58, 62); /* 100 at 100 a second */
    assert_string_equal(state_name(world, 1), "rest");
    while (strcmp(state_name(world, 1), "rest") == 0 && resting < 1000) {
        world_step(world);
        resting++;
    }
    assert_in_range(resting, 118, 122); /* until full, not until there is some */
    assert_true(world_agent(world, 1).stamina > 98.0f);
    world_destroy(world);
}

static void test_the_quarry_is_kept(void **state) {
    struct world_def def = hunting_def();
    put(&def, "prey", (vec2){490.0f, 300.0f});
    put(&def, "prey", (vec2){400.0f, 600.0f});
    put(&def, "hunter", (vec2){400.0f, 300.0f});
    def.kinds[1].body.max_speed = (struct field_range){0.0f, 0.0f}; /* it only looks */
    struct world *world = build(&def);
    steps(world, 5);
    assert_string_equal(state_name(world, 2), "pursue");
    uint32_t first;
    const struct spawn_def nearer = {.count = 1, .shape = PLACE_POINT, .at = {400.0f, 250.0f}};
    assert_int_equal(world_spawn(world, &nearer, &first), WORLD_OK);
    struct param_ref ref;
    assert_true(world_find_param(world, 1, "max_speed", &ref));
    world_set_param(world, &ref, 100.0);
    struct steering_view view;
    world_explain(world, 2, &view);
    assert_true(view.desired.x > 99.0f); /* still the first */
    const uint32_t quarry = 1;
    assert_int_equal(world_remove(world, &quarry, 1, NULL), 1);
    world_step(world);
    world_explain(world, 1, &view);
    assert_true(view.desired.y < -99.0f); /* the nearer one, now that it is gone */
    world_destroy(world);
}

static void test_time_in_state(void **state) {
    struct world_def def = world_def_default();
    struct kind_def *lamp = world_def_add_kind(&def, "lamp");
    assert_non_null(lamp);
    /* on while not yet half a second in "on"; the condition asks about the present state */
    struct state_def *on = add_state(lamp, "on");
    add_condition(on, CONDITION_NOT);
    add_condition(on, CONDITION_TIME_OVER)->value = 0.5f;
    add_state(lamp, "off");
    put(&def, "lamp", (vec2){100.0f, 100.0f});
    struct world *world = build(&def);
    int changes = 0;
    const char *last = state_name(world, 0);
    for (int tick = 0; tick < 120; tick++) {
        world_step(world);
        changes += strcmp(last, state_name(world, 0)) != 0;
        last = state_name(world, 0);
    }
    assert_true(changes >= 2);
    world_destroy(world);
}

static void test_stamina_conditions(void **state) {
    struct world_def def = world_def_default();
    struct kind_def *kind = world_def_add_kind(&def, "runner");
    assert_non_null(kind);
    kind->body.max_stamina = 60.0f;
    struct state_def *fresh = add_state(kind, "fresh");
    add_condition(fresh, CONDITION_STAMINA_ABOVE)->value = 0.5f;
    fresh->stamina_rate = -60.0f;
    struct state_def *tired = add_state(kind, "tired");
    add_condition(tired, CONDITION_ALL)->count = 2;
    add_condition(tired, CONDITION_STAMINA_BELOW)->value = 0.6f;
    add_condition(tired, CONDITION_NOT);
    add_condition(tired, CONDITION_EXHAUSTED);
    tired->stamina_rate = -120.0f;
    add_state(kind, "spent");
    put(&def, "runner", (vec2){100.0f, 100.0f});
    struct world *world = build(&def);
    steps(world, 25);
    assert_string_equal(state_name(world, 0), "fresh");
    steps(world, 10);
    assert_string_equal(state_name(world, 0), "tired");
    steps(world, 30);
    assert_string_equal(state_name(world, 0), "spent");
    world_destroy(world);
}

/* A lower tier that needs all of max_force leaves nothing to the next one. */
static void test_tiers(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){800.0f, 300.0f});
    struct state_def *only = &def.kinds[0].states[0];
    only->behaviors[0].tier = 5;
    struct behavior_def *flee = add_behavior(only, BEHAVIOR_FLEE);
    copy_text(flee->target.target, "mouse");
    flee->tier = 1;
    flee->weight = 0.02f;
    place(&def, (vec2){400.0f, 300.0f}, (vec2){0, 0});
    struct world *world = build(&def);
    struct steering_view view;
    world_explain(world, 0, &view);
    assert_string_equal(view.labels[0], "flee"); /* tiers in order */
    assert_true(fabsf(view.forces[0].x + 120.0f) < 0.01f &&
                fabsf(view.steering.x - (200.0f - 240.0f)) < 0.01f);
    struct param_ref ref;
    assert_true(world_find_param(world, 0, "flee.weight", &ref));
    world_set_param(world, &ref, 1.0);
    world_explain(world, 0, &view);
    assert_true(fabsf(view.steering.x + 200.0f) < 0.01f);
    world_destroy(world);
}

static void test_dithering(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){800.0f, 300.0f});
    struct state_def *only = &def.kinds[0].states[0];
    only->combine = COMBINE_DITHERED;
    only->behaviors[0].probability = 0.25f;
    copy_text(add_behavior(only, BEHAVIOR_FLEE)->target.target, "mouse");
    for (int i = 0; i < 4000; i++) {
        place(&def, (vec2){400.0f, 300.0f}, (vec2){0, 0});
    }
    struct world *world = build(&def);
    int seeking = 0;
    for (int32_t row = 0; row < 4000; row++) {
        struct steering_view view;
        world_explain(world, row, &view);
        assert_int_equal(view.count, 1);
        seeking += view.steering.x > 0.0f;
    }
    assert_in_range(seeking, 880, 1120);
    world_destroy(world);
}

/* ==== Targets that stroll when no request sets them ==== */

enum { AFTER_S = 2, HZ = 60 };
static const float speed = 100.0f; /* px/s */

static struct world *park(uint64_t seed, vec2 at, int edge) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, at);
    def.seed = seed;
    def.edge = edge;
    def.targets[0].stroll_speed = speed;
    def.targets[0].stroll_after = (float)AFTER_S;
    place(&def, vec2_make(100.0f, 100.0f), vec2_make(0.0f, 0.0f));
    return build(&def);
}

static vec2 place_of(const struct world *world) {
    return world_target_position(world, 0);
}

static vec2 moved(struct world *world) {
    const vec2 before = place_of(world);
    world_step(world);
    return vec2_sub(place_of(world), before);
}

static void waits_and_sets_out_gently(void **state) {
    struct world *world = park(1, vec2_make(790.0f, 10.0f), EDGE_OPEN);
    for (int tick = 0; tick <= AFTER_S * HZ; tick++) {
        assert_false(world_target_is_strolling(world, 0));
        assert_true(vec2_length(moved(world)) == 0.0f);
    }
    assert_true(world_target_is_strolling(world, 0));
    vec2 velocity = vec2_make(0.0f, 0.0f);
    float top = 0.0f;
    for (int tick = 0; tick < 60 * HZ; tick++) {
        const vec2 now = vec2_scale(moved(world), (float)HZ);
        assert_true(vec2_length(now) <= speed * 1.001f);
        assert_true(vec2_length(vec2_sub(now, velocity)) <= speed / 20.0f); /* no jump, no jerk */
        velocity = now;
        top = fmaxf(top, vec2_length(now));
    }
    assert_true(top > 0.8f * speed);
    world_destroy(world);
}

static void a_request_stops_it_at_once(void **state) {
    struct world *world = park(1, vec2_make(400.0f, 300.0f), EDGE_WRAP);
    steps(world, 10 * HZ);
    assert_true(world_target_is_strolling(world, 0) && vec2_length(moved(world)) > 0.0f);
    world_set_target(world, 0, vec2_make(7.0f, 8.0f));
    for (int tick = 0; tick <= AFTER_S * HZ; tick++) {
        assert_false(world_target_is_strolling(world, 0));
        assert_true(place_of(world).x == 7.0f && place_of(world).y == 8.0f);
        world_step(world);
    }
    assert_true(vec2_length(moved(world)) > 0.0f);
    world_destroy(world);
}

/* All of 8 x 6 fields within the margins in 20 minutes, at a mean speed that fits the limit. */
static void it_comes_by_everywhere(void **state) {
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct world *world = park(seed, vec2_make(400.0f, 300.0f), EDGE_CONTAIN);
        bool was_here[8][6] = {{false}};
        double length = 0.0;
        int fields = 0, slow = 0;
        steps(world, 30 * HZ);
        const int ticks = 1200 * HZ;
        for (int tick = 0; tick < ticks; tick++) {
            const float step = vec2_length(moved(world));
            const vec2 at = place_of(world);
            const int column = (int)((at.x - 80.0f) / 80.0f), row = (int)((at.y - 60.0f) / 80.0f);
            assert_true(at.x >= 79.0f && at.x <= 721.0f && at.y >= 59.0f && at.y <= 541.0f);
            length += (double)step;
            slow += step * (float)HZ < 0.1f * speed;
            if (column >= 0 && column < 8 && row >= 0 && row < 6 && !was_here[column][row]) {
                was_here[column][row] = true;
                fields++;
            }
        }
        const double mean = length / (double)ticks * (double)HZ;
        if (fields < 46 || mean < 0.5 * (double)speed || slow > ticks / 10) {
            fail_msg("seed %d: %d fields, %.1f px/s, %d of %d ticks slow", (int)seed, fields, mean, slow,
                     ticks);
        }
        world_destroy(world);
    }
}

static void the_way_follows_from_the_seed(void **state) {
    struct world *one = park(1, vec2_make(400.0f, 300.0f), EDGE_OPEN);
    struct world *same = park(1, vec2_make(400.0f, 300.0f), EDGE_OPEN);
    struct world *other = park(2, vec2_make(400.0f, 300.0f), EDGE_OPEN);
    steps(one, 10 * HZ);
    steps(same, 10 * HZ);
    steps(other, 10 * HZ);
    assert_true(world_hash(one) == world_hash(same));
    assert_true(vec2_length(vec2_sub(place_of(one), place_of(other))) > 1.0f);
    world_destroy(one);
    world_destroy(same);
    world_destroy(other);
}

/* A small world, a fast target, an extreme rate, far away. */
static void extremes_stay_in_range(void **state) {
    static const double rates[] = {1.0, 60.0, LIMIT_TICK_HZ};
    for (int i = 0; i < 3; i++) {
        for (int edge = 0; edge < 4; edge++) {
            struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(1e6f, -1e6f));
            def.size = vec2_make(1.0f, i == 0 ? 1.0f : (float)LIMIT_WORLD_SIZE);
            def.edge = edge;
            def.tick_hz = rates[i];
            def.targets[0].stroll_speed = (float)LIMIT_SPEED;
            struct world *world = build(&def);
            for (int tick = 0; tick < 2000; tick++) {
                world_step(world);
                const vec2 at = place_of(world);
                assert_true(fabsf(at.x) <= 1e6f && fabsf(at.y) <= 1e6f);
            }
            world_destroy(world);
        }
    }
}

/* ==== known bugs ====
 * Bugs that steering libraries have had, each as a world in which the naive code shows it (docs/testing.md
 * has the list; many more are with their modules). */

/* A kind with one behavior about "mouse", or about the kind itself for behaviors that need an agent. */
static struct world_def def_about(enum behavior_type type, bool is_about_agents) {
    struct world_def def = one_kind_def(type, (vec2){400.0f, 300.0f});
    struct behavior_def *behavior = &def.kinds[0].states[0].behaviors[0];
    const int targets = behavior_target_count(type);
    if (targets == 0 || is_about_agents) {
        behavior->target.target[0] = '\0';
    }
    if (targets >= 1 && is_about_agents) {
        copy_text(behavior->target.kind, "agent");
    }
    if (targets >= 2) {
        copy_text(behavior->second.kind, "agent");
    }
    struct path_def *path = geometry_def_add_path(&def.geometry);
    struct flow_def *flow = geometry_def_add_flow(&def.geometry);
    assert_non_null(path);
    assert_non_null(flow);
    copy_text(path->name, "p");
    path->point_count = 2;
    path->points[0] = path->points[1] = (vec2){400.0f, 300.0f};
    copy_text(flow->name, "f");
    flow->type = FLOW_VORTEX;
    flow->at = (vec2){400.0f, 300.0f};
    flow->strength = 50.0f;
    copy_text(behavior->path, "p");
    copy_text(behavior->flow_field, "f");
    return def;
}

static void check_finite(const struct world *world) {
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        const struct agent_view agent = world_agent(world, row);
        assert_true(isfinite(agent.position.x) && isfinite(agent.position.y));
        assert_true(isfinite(agent.velocity.x) && isfinite(agent.velocity.y));
        assert_true(vec2_length(agent.velocity) <= agent.max_speed * 1.00001f);
        assert_true(fabsf(vec2_length(agent.heading) - 1.0f) < 1e-3f);
    }
}

/* Every behavior, three agents in the very same place, on the target, the path and the vortex, at rest or
 * not, with and without speed, force and a body. OpenSteer: NaN from separation (issue 6) and from pursuit at
 * rest; SharpSteer2: arrival 0/0; gdx-ai issue 45; UnitySteer issue 9; Construct: max speed 0. */
static void test_nothing_is_undefined(void **state) {
    for (int type = 0; type < BEHAVIOR_TYPE_COUNT; type++) {
        for (unsigned bits = 0; bits < 64; bits++) {
            struct world_def def = def_about((enum behavior_type)type, bits & 1);
            struct body_def *body = &def.kinds[0].body;
            body->max_speed = bits & 2 ? (struct field_range){0.0f, 0.0f} : body->max_speed;
            body->max_force = bits & 4 ? (struct field_range){0.0f, 0.0f} : body->max_force;
            body->radius = bits & 8 ? (struct field_range){0.0f, 0.0f} : body->radius;
            def.edge = bits & 16 ? EDGE_WRAP : EDGE_OPEN;
            const vec2 velocity = {bits & 32 ? 10.0f : 0.0f, 0.0f};
            for (int i = 0; i < 3; i++) {
                place(&def, (vec2){400.0f, 300.0f}, velocity);
            }
            struct world *world = build(&def);
            for (int tick = 0; tick < 20; tick++) {
                world_step(world);
                check_finite(world);
            }
            world_destroy(world);
        }
    }
}

/* OpenSteer divides by the own speed: the predicted place is 3.4e38 px away. Here pursuit from rest starts at
 * once, to where the quarry will be. */
static void test_pursuit_from_rest(void **state) {
    struct world_def def = def_about(BEHAVIOR_PURSUE, false);
    struct behavior_def *pursue = &def.kinds[0].states[0].behaviors[0];
    pursue->target.target[0] = '\0';
    copy_text(pursue->target.kind, "quarry");
    assert_non_null(world_def_add_kind(&def, "quarry"));
    place(&def, (vec2){100.0f, 100.0f}, (vec2){0.0f, 0.0f});
    place(&def, (vec2){200.0f, 100.0f}, (vec2){0.0f, 50.0f});
    copy_text(def.placements[1].kind, "quarry");
    struct world *world = build(&def);
    struct steering_view view;
    world_explain(world, 0, &view);
    /* 100 px at 100 px/s: where it will be after a second, (200, 150). */
    assert_true(fabsf(view.desired.y / view.desired.x - 0.5f) < 1e-4f);
    steps(world, 400);
    assert_true(vec2_length(vec2_sub(world_agent(world, 0).position, world_agent(world, 1).position)) <
                500.0f);
    world_destroy(world);
}

/* UnitySteer issue 33: an agent that evades a still threat must run straight. */
static void test_evading_the_still_is_straight(void **state) {
    struct world_def def = def_about(BEHAVIOR_EVADE, false);
    place(&def, (vec2){397.0f, 304.0f}, (vec2){0.0f, 0.0f});
    struct world *world = build(&def);
    for (int tick = 0; tick < 200; tick++) {
        world_step(world);
        const vec2 away = vec2_sub(world_agent(world, 0).position, (vec2){400.0f, 300.0f});
        assert_true(fabsf(vec2_cross((vec2){-0.6f, 0.8f}, away)) < 0.01f);
    }
    world_destroy(world);
}

/* Yuka: an agent at rest in cell 0 was entered there again each tick (600 times after 600 ticks). Here two at
 * rest in the first cell see each other once, and as many candidates as on the first tick. */
static void test_resting_in_the_first_cell(void **state) {
    for (int edge = EDGE_OPEN; edge <= EDGE_WRAP; edge++) {
        struct world_def def = def_about(BEHAVIOR_COHESION, false);
        def.edge = edge;
        def.kinds[0].body.max_speed = (struct field_range){0.0f, 0.0f};
        place(&def, (vec2){0.0f, 0.0f}, (vec2){0.0f, 0.0f});
        place(&def, (vec2){15.0f, 0.0f}, (vec2){0.0f, 0.0f});
        struct world *world = build(&def);
        struct steering_view first, last;
        const double candidates = world_candidates(world);
        world_explain(world, 0, &first);
        steps(world, 600);
        world_explain(world, 0, &last);
        assert_true(world_candidates(world) <= 2.0 && world_candidates(world) == candidates);
        assert_memory_equal(&first.forces[0], &last.forces[0], sizeof first.forces[0]);
        world_destroy(world);
    }
}

/* Yuka: steering.remove(unknown) takes the last behavior away. Here the removal of an unknown agent changes
 * nothing. */
static void test_removing_the_unknown(void **state) {
    struct world_def def = def_about(BEHAVIOR_SEEK, false);
    place(&def, (vec2){100.0f, 100.0f}, (vec2){0.0f, 0.0f});
    place(&def, (vec2){200.0f, 100.0f}, (vec2){0.0f, 0.0f});
    struct world *world = build(&def);
    const uint64_t before = world_hash(world);
    const uint32_t unknown[] = {0, 3, 4294967295u};
    struct param_ref ref;
    assert_int_equal(world_remove(world, unknown, 3, NULL), 0);
    assert_false(world_find_param(world, 0, "flee.weight", &ref));
    assert_false(world_find_param(world, 0, "seek2.weight", &ref));
    assert_false(world_find_param(world, 0, "", &ref));
    assert_true(world_hash(world) == before);
    world_destroy(world);
}

/* GDQuest issue 40: without a behavior that acts, the velocity stays as it is; it does not flip or fade. */
static void test_no_behavior_acts(void **state) {
    struct world_def def = def_about(BEHAVIOR_FLEE, false);
    def.kinds[0].states[0].behaviors[0].panic_distance = 10.0f;
    place(&def, (vec2){100.0f, 100.0f}, (vec2){30.0f, -40.0f});
    struct world *world = build(&def);
    const struct agent_view before = world_agent(world, 0);
    steps(world, 60);
    const struct agent_view after = world_agent(world, 0);
    assert_memory_equal(&before.velocity, &after.velocity, sizeof after.velocity);
    assert_memory_equal(&before.heading, &after.heading, sizeof after.heading);
    world_destroy(world);
}

/* A behavior about agents, six of them in a bunch around `middle` on a torus of 1024 px. */
static struct world *bunch(enum behavior_type type, bool is_about_agents, vec2 middle) {
    struct world_def def = def_about(type, is_about_agents);
    def.size = (vec2){1024.0f, 1024.0f};
    def.edge = EDGE_WRAP;
    def.targets[0].at = vec2_add(middle, (vec2){-20.0f, 15.0f});
    const vec2 offsets[] = {{0.0f, 0.0f},    {24.0f, 8.0f},    {-16.0f, 32.0f},
                            {40.0f, -24.0f}, {-32.0f, -40.0f}, {8.0f, -60.0f}};
    for (int i = 0; i < 6; i++) {
        place(&def, vec2_add(middle, offsets[i]),
              (vec2){(float)(i * 13 % 40) - 20.0f, (float)(i * 29 % 50) - 25.0f});
        def.placements[i].has_heading = true;
        def.placements[i].heading = (float)i;
    }
    return build(&def);
}

/* Flocks torn at the edge (flock-rs issue 1, ABMFrameworksComparison issue 72, p5.js issue 455), no fleeing
 * across it (Eco issue 1061): every behavior about other agents acts over the corner of a torus as in its
 * middle. */
static void test_a_torus_has_no_edge(void **state) {
    static const enum behavior_type types[] = {
        BEHAVIOR_SEEK,      BEHAVIOR_FLEE,       BEHAVIOR_ARRIVE,        BEHAVIOR_PURSUE,
        BEHAVIOR_EVADE,     BEHAVIOR_INTERPOSE,  BEHAVIOR_FORMATION,     BEHAVIOR_COHESION,
        BEHAVIOR_ALIGNMENT, BEHAVIOR_SEPARATION, BEHAVIOR_FLOCK,         BEHAVIOR_AVOID_AGENTS,
        BEHAVIOR_QUEUE,     BEHAVIOR_ORCA,       BEHAVIOR_FOLLOW_LEADER, BEHAVIOR_OFFSET_PURSUIT};
    const vec2 middle = {512.0f, 512.0f}, corner = {0.0f, 0.0f};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (int about = 0; about < 2; about++) {
            struct world *inside = bunch(types[t], about, middle), *over = bunch(types[t], about, corner);
            const struct bounds bounds = world_bounds(inside);
            /* Rounding differs with the coordinates, so not for long. */
            steps(inside, 30);
            steps(over, 30);
            for (int32_t row = 0; row < 6; row++) {
                const vec2 one = vec2_sub(world_agent(inside, row).position, middle);
                const vec2 other = world_agent(over, row).position;
                assert_true(vec2_length(bounds_difference(&bounds, one, other)) < 0.05f);
            }
            world_destroy(inside);
            world_destroy(over);
        }
    }
}

/* Frame-rate dependence (gdquest godot-platformer-2d issue 166, jyanar/Boids issue 2): the same way at 30, 60
 * and 240 ticks a second. */
static void test_same_way_at_any_tick_rate(void **state) {
    static const enum behavior_type types[] = {BEHAVIOR_SEEK, BEHAVIOR_ARRIVE, BEHAVIOR_PURSUE,
                                               BEHAVIOR_EVADE, BEHAVIOR_FLEE};
    const double rates[] = {30.0, 60.0, 240.0};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        vec2 at[3];
        for (int r = 0; r < 3; r++) {
            struct world_def def = def_about(types[t], false);
            def.tick_hz = rates[r];
            place(&def, (vec2){300.0f, 350.0f}, (vec2){0.0f, 60.0f});
            struct world *world = build(&def);
            steps(world, (int)(1.5 * rates[r]));
            at[r] = world_agent(world, 0).position;
            world_destroy(world);
        }
        assert_true(vec2_length(vec2_sub(at[0], at[2])) < 4.0f);
        assert_true(vec2_length(vec2_sub(at[1], at[2])) < 2.0f);
    }
}

/* Yuka and NetLogo update agents in place, so that the first has seen less than the last. Here two with
 * mirrored situations stay mirrored, whatever their order. */
static void test_no_agent_is_first(void **state) {
    static const enum behavior_type types[] = {BEHAVIOR_PURSUE, BEHAVIOR_EVADE,       BEHAVIOR_SEPARATION,
                                               BEHAVIOR_FLOCK,  BEHAVIOR_COHESION,    BEHAVIOR_ALIGNMENT,
                                               BEHAVIOR_ORCA,   BEHAVIOR_AVOID_AGENTS};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        struct world_def def = def_about(types[t], true);
        place(&def, (vec2){-20.0f, -6.0f}, (vec2){30.0f, 12.0f});
        place(&def, (vec2){20.0f, 6.0f}, (vec2){-30.0f, -12.0f});
        struct world *world = build(&def);
        for (int tick = 0; tick < 60; tick++) {
            world_step(world);
            const struct agent_view one = world_agent(world, 0), other = world_agent(world, 1);
            assert_true(vec2_length(vec2_add(one.position, other.position)) < 1e-3f);
            assert_true(vec2_length(vec2_add(one.velocity, other.velocity)) < 1e-3f);
        }
        world_destroy(world);
    }
}

/* The force on agent 0 by a neighbor at `x`, that much nearer in every step. */
static vec2 force_by(enum behavior_type type, float x) {
    struct world_def def = def_about(type, false);
    struct behavior_def *behavior = &def.kinds[0].states[0].behaviors[0];
    for (int z = 0; z < ZONE_COUNT; z++) {
        behavior->zones[z].radius = 60.0f;
        behavior->zones[z].field_of_view = 6.2831853f;
    }
    place(&def, (vec2){100.0f, 100.0f}, (vec2){0.0f, 0.0f});
    place(&def, (vec2){100.0f + x, 100.0f}, (vec2){-30.0f, 10.0f});
    struct world *world = build(&def);
    struct steering_view view;
    world_explain(world, 0, &view);
    const vec2 force = view.forces[0];
    world_destroy(world);
    return force;
}

/* Hard edges of the radius jolt (VivianMenard/boids issue 40), and so does switching to the nearest threat
 * (GDQuest issue 37): a neighbor that comes into view counts gradually. */
static void test_coming_into_view_is_no_jolt(void **state) {
    static const enum behavior_type types[] = {BEHAVIOR_SEPARATION, BEHAVIOR_ALIGNMENT, BEHAVIOR_COHESION,
                                               BEHAVIOR_FLOCK};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        assert_true(vec2_length(force_by(types[t], 60.5f)) <= 0.0f);
        vec2 before = force_by(types[t], 60.5f);
        float most = 0.0f;
        for (float x = 60.25f; x > 30.0f; x -= 0.25f) {
            const vec2 force = force_by(types[t], x);
            assert_true(vec2_length(vec2_sub(force, before)) < 8.0f); /* of 200, for a quarter of a px */
            most = fmaxf(most, vec2_length(force));
            before = force;
        }
        assert_true(most > 50.0f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hysteresis_of_stamina),
        cmocka_unit_test(test_the_quarry_is_kept),
        cmocka_unit_test(test_time_in_state),
        cmocka_unit_test(test_stamina_conditions),
        cmocka_unit_test(test_tiers),
        cmocka_unit_test(test_dithering),
        cmocka_unit_test(waits_and_sets_out_gently),
        cmocka_unit_test(a_request_stops_it_at_once),
        cmocka_unit_test(it_comes_by_everywhere),
        cmocka_unit_test(the_way_follows_from_the_seed),
        cmocka_unit_test(extremes_stay_in_range),
        cmocka_unit_test(test_nothing_is_undefined),
        cmocka_unit_test(test_pursuit_from_rest),
        cmocka_unit_test(test_evading_the_still_is_straight),
        cmocka_unit_test(test_resting_in_the_first_cell),
        cmocka_unit_test(test_removing_the_unknown),
        cmocka_unit_test(test_no_behavior_acts),
        cmocka_unit_test(test_a_torus_has_no_edge),
        cmocka_unit_test(test_same_way_at_any_tick_rate),
        cmocka_unit_test(test_no_agent_is_first),
        cmocka_unit_test(test_coming_into_view_is_no_jolt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
