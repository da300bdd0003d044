/* Deciding and combining: states, conditions, stamina, quarry, tiers, dithering. */
#include <math.h>

#include "tests/unit/server/sim/sim_fixture.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hysteresis_of_stamina),
        cmocka_unit_test(test_the_quarry_is_kept),
        cmocka_unit_test(test_time_in_state),
        cmocka_unit_test(test_stamina_conditions),
        cmocka_unit_test(test_tiers),
        cmocka_unit_test(test_dithering),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
