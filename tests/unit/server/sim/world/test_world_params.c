/* server/sim/world/world.h: live parameters. */
#include <math.h>

#include "tests/unit/server/sim/sim_fixture.h"

static struct world *arriving_world(void) {
    struct world_def def = one_kind_def(BEHAVIOR_ARRIVE, (vec2){400.0f, 300.0f});
    def.kinds[0].body.max_speed = (struct field_range){50.0f, 150.0f};
    def.kinds[0].states[0].behavior_count = 2;
    def.kinds[0].states[0].behaviors[1] = def.kinds[0].states[0].behaviors[0];
    for (int i = 0; i < 10; i++) {
        place(&def, (vec2){10.0f * (float)i, 0.0f}, (vec2){0, 0});
    }
    return build(&def);
}

static void test_listing(void **state) {
    struct world *world = arriving_world();
    const char *expected[] = {"mass",
                              "radius",
                              "max_speed",
                              "max_force",
                              "max_turn_rate",
                              "max_stamina",
                              "arrive.weight",
                              "arrive.slowing_distance",
                              "arrive.within",
                              "arrive2.weight",
                              "arrive2.slowing_distance",
                              "arrive2.within"};
    enum { COUNT = sizeof expected / sizeof *expected };
    struct param_ref ref;
    char name[64];
    for (int i = 0; i < COUNT; i++) {
        assert_true(world_param_at(world, 0, i, &ref, name));
        assert_string_equal(name, expected[i]);
        struct param_ref found;
        assert_true(world_find_param(world, 0, name, &found));
        assert_ptr_equal(found.field, ref.field);
        assert_int_equal(found.behavior, ref.behavior);
    }
    assert_false(world_param_at(world, 0, COUNT, &ref, name));
    assert_false(world_find_param(world, 0, "arrive3.weight", &ref));
    assert_false(world_find_param(world, 0, "locomotion", &ref)); /* no number */
    world_destroy(world);
}

static void test_every_parameter_reads_back(void **state) {
    struct world *world = arriving_world();
    struct param_ref ref;
    char name[64];
    for (int i = 0; world_param_at(world, 0, i, &ref, name); i++) {
        const uint64_t before = world_hash(world);
        const double value = ref.field->min + 0.25 * (ref.field->max - ref.field->min);
        world_set_param(world, &ref, value);
        assert_true(fabs(world_get_param(world, &ref) - value) <= 1e-6 * fabs(value));
        assert_true(world_hash(world) != before);
    }
    world_destroy(world);
}

/* A limit of neighbors is a whole number, and acts at once: of three neighbors the two nearest are on one
 * side.
 */
static void test_whole_numbers(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_COHESION, (vec2){400.0f, 300.0f});
    def.kinds[0].states[0].behaviors[0].target.target[0] = '\0';
    def.kinds[0].states[0].behaviors[0].falloff = FALLOFF_NONE;
    const float places[] = {400.0f, 410.0f, 420.0f, 300.0f};
    for (int i = 0; i < 4; i++) {
        place(&def, (vec2){places[i], 300.0f}, (vec2){0, 0});
    }
    struct world *world = build(&def);
    struct param_ref ref;
    struct steering_view view;
    assert_true(world_find_param(world, 0, "cohesion.max_neighbors", &ref));
    assert_true(world_get_param(world, &ref) == 0.0);
    world_explain(world, 0, &view);
    assert_true(view.forces[0].x < 0.0f);
    world_set_param(world, &ref, 2.0);
    assert_true(world_get_param(world, &ref) == 2.0);
    world_explain(world, 0, &view);
    assert_true(view.forces[0].x > 0.0f);
    world_destroy(world);
}

/* Two worlds that differ in a parameter of any behavior have different hashes. */
static void test_every_parameter_is_in_the_hash(void **state) {
    for (int type = 0; type < BEHAVIOR_TYPE_COUNT; type++) {
        struct world_def def = one_kind_def((enum behavior_type)type, (vec2){400.0f, 300.0f});
        struct behavior_def *behavior = &def.kinds[0].states[0].behaviors[0];
        if (behavior_target_count((enum behavior_type)type) == 0) {
            behavior->target.target[0] = '\0';
        }
        copy_text(behavior->second.target, "mouse");
        struct path_def *path = geometry_def_add_path(&def.geometry);
        struct flow_def *flow = geometry_def_add_flow(&def.geometry);
        assert_non_null(path);
        assert_non_null(flow);
        copy_text(path->name, "p");
        path->point_count = 2;
        path->points[1] = (vec2){100.0f, 100.0f};
        copy_text(flow->name, "f");
        copy_text(behavior->path, "p");
        copy_text(behavior->flow_field, "f");
        struct world *world = build(&def);
        struct param_ref ref;
        char name[64];
        for (int i = 0; world_param_at(world, 0, i, &ref, name); i++) {
            const uint64_t before = world_hash(world);
            const double value = world_get_param(world, &ref);
            world_set_param(world, &ref, value < ref.field->max ? ref.field->max : ref.field->min);
            if (world_hash(world) == before) {
                fail_msg("%s is not in the hash", name);
            }
        }
        world_destroy(world);
    }
}

static void test_drawn_values_and_setting_them(void **state) {
    struct world *world = arriving_world();
    int different = 0;
    for (int32_t row = 0; row < 10; row++) {
        const float speed = world_agent(world, row).max_speed;
        assert_true(speed >= 50.0f && speed <= 150.0f);
        different += speed != world_agent(world, 0).max_speed;
    }
    assert_true(different >= 8);
    struct param_ref ref;
    assert_true(world_find_param(world, 0, "max_speed", &ref));
    const float mass = world_agent(world, 4).mass;
    world_set_param(world, &ref, 70.0);
    for (int32_t row = 0; row < 10; row++) {
        assert_true(world_agent(world, row).max_speed == 70.0f && world_agent(world, row).mass == mass);
    }
    assert_int_equal(world_set_agent_param(world, 3, ref.field, 20.0), WORLD_OK);
    assert_int_equal(world_set_agent_param(world, 99, ref.field, 20.0), WORLD_NO_AGENT);
    assert_true(world_agent(world, 2).max_speed == 20.0f && world_agent(world, 3).max_speed == 70.0f);
    world_destroy(world);
}

static void test_a_changed_parameter_acts(void **state) {
    struct world *world = arriving_world();
    struct param_ref ref;
    assert_true(world_find_param(world, 0, "max_turn_rate", &ref));
    world_set_param(world, &ref, 0.0);
    const vec2 heading = world_agent(world, 0).heading;
    steps(world, 100);
    const vec2 later = world_agent(world, 0).heading;
    assert_memory_equal(&later, &heading, sizeof later);
    assert_true(vec2_length(world_agent(world, 0).velocity) > 1.0f);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listing),
        cmocka_unit_test(test_every_parameter_reads_back),
        cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_every_parameter_is_in_the_hash),
        cmocka_unit_test(test_drawn_values_and_setting_them),
        cmocka_unit_test(test_a_changed_parameter_acts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
