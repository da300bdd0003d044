/* What a change of the core touches, by the words of its row. */
#include "tests/unit/server/recording/recorded_run.h"

#include "server/recording/core_changes.h"

static struct scenario read(const char *text) {
    struct scenario scenario;
    struct failure failure = {0};
    if (scenario_read(text, strlen(text), &scenario, &failure) != 0) {
        fail_msg("%s: %s", failure.field, failure.message);
    }
    return scenario;
}

static uint64_t bit(enum request_op op) {
    return UINT64_C(1) << (unsigned)op;
}

/* Whether a change of core 2 that touches these words touches a recording of core 1. */
static bool touches(const char *words, const char *text, uint64_t request_ops) {
    const struct core_change changes[] = {{2, "Something is otherwise.", words}, {0, NULL, NULL}};
    char list[128];
    struct scenario scenario = read(text);
    const bool is_touched = core_affects(changes, 1, 2, &scenario, request_ops, list, sizeof list);
    assert_true(is_touched == (list[0] != '\0'));
    scenario_fini(&scenario);
    return is_touched;
}

static void words_are_looked_up_in_the_scenario(void **state) {
    static const char *const pond[] = {
        "seek", "wander", "orca",     "alignment", "edge:wrap", "locomotion:steered", "jumps", "geometry",
        "sky",  "all",    "edge:sky", "hide seek", "x:y"};
    static const char *const lake[] = {"seek",     "orca",          "edge:wrap",   "locomotion:direct",
                                       "jumps",    "geometry",      "conditions",  "stamina",
                                       "dithered", "request:spawn", "hide pursue", "strolls"};
    for (size_t i = 0; i < sizeof pond / sizeof *pond; i++) {
        if (!touches(pond[i], run_pond, 0)) {
            fail_msg("%s is not found", pond[i]);
        }
    }
    for (size_t i = 0; i < sizeof lake / sizeof *lake; i++) {
        if (touches(lake[i], run_lake, 0)) {
            fail_msg("%s is found", lake[i]);
        }
    }
    assert_true(touches("edge:open", run_lake, 0));
}

static void strolls_are_found(void **state) {
    static const char text[] =
        "{\"name\":\"t\",\"world\":{\"size\":[9,9]},\"targets\":{\"mouse\":{\"at\":[1,2],"
        "\"strolls\":{}}}}";
    assert_true(touches("strolls", text, 0));
}

/* A velocity filter over forces in several tiers that share max_force. */
static void filtered_tiers_are_found(void **state) {
    static const struct {
        const char *body, *behaviors;
        bool is_found;
    } rows[] = {
        {"", "{\"avoid_obstacles\":{}},{\"wander\":{\"tier\":1}},{\"orca\":{}}", true},
        {"\"locomotion\":\"constant_speed\",",
         "{\"orca\":{}},{\"wander\":{\"tier\":1}},{\"avoid_obstacles\":{}}", true},
        {"", "{\"avoid_obstacles\":{}},{\"wander\":{}},{\"orca\":{\"tier\":1}}", false},
        {"", "{\"avoid_obstacles\":{}},{\"wander\":{\"tier\":1}}", false},
        {"\"locomotion\":\"direct\",", "{\"avoid_obstacles\":{}},{\"wander\":{\"tier\":1}},{\"orca\":{}}",
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "{\"name\":\"t\",\"world\":{\"size\":[9,9]},\"kinds\":{\"a\":{%s\"behaviors\":[%s]}}}",
                       rows[i].body, rows[i].behaviors);
        assert_true(touches("filtered_tiers", text, 0) == rows[i].is_found);
    }
    assert_false(touches("filtered_tiers", run_pond, 0) || touches("filtered_tiers", run_lake, 0));
}

static void requests_count(void **state) {
    assert_true(touches("request:spawn", run_lake, bit(REQUEST_SPAWN)));
    assert_false(touches("request:spawn", run_lake, bit(REQUEST_REMOVE)));
    assert_true(touches("geometry", run_lake, bit(REQUEST_ADD_OBSTACLE)));
}

static void states_conditions_and_stamina_are_found(void **state) {
    static const char text[] =
        "{\"name\":\"S\",\"world\":{\"size\":[500,500]},\"kinds\":{\"a\":{\"max_stamina\":5,\"states\":["
        "{\"name\":\"tired\",\"when\":{\"exhausted\":true},\"stamina_rate\":1,\"behaviors\":[]},"
        "{\"name\":\"go\",\"combine\":\"dithered\",\"behaviors\":[{\"wander\":{}}]}]}}}";
    assert_true(touches("conditions", text, 0));
    assert_true(touches("stamina", text, 0));
    assert_true(touches("dithered", text, 0));
}

static void changes_between_the_cores_count(void **state) {
    static const struct core_change changes[] = {{2, "Orca weighs walls otherwise.", "orca"},
                                                 {3, "Edges.", "edge:wrap edge:bounce"},
                                                 {4, "Paths.", "follow_path"},
                                                 {5, "Seek.", "seek"},
                                                 {0, NULL, NULL}};
    char list[64], small[16];
    struct scenario pond = read(run_pond);
    assert_true(core_affects(changes, 1, 5, &pond, 0, list, sizeof list));
    assert_string_equal(list, "orca (2), edge:wrap (3), seek (5)");
    assert_true(core_affects(changes, 2, 4, &pond, 0, list, sizeof list));
    assert_string_equal(list, "edge:wrap (3)");
    assert_false(core_affects(changes, 3, 4, &pond, 0, list, sizeof list));
    assert_false(core_affects(changes, 5, 5, &pond, 0, list, sizeof list));
    assert_true(core_affects(changes, 6, 5, &pond, 0, list, sizeof list));
    assert_string_equal(list, "a newer core");
    assert_true(core_affects(changes, 1, 5, &pond, 0, small, sizeof small));
    scenario_fini(&pond);
}

static void every_core_since_the_first_has_a_row(void **state) {
    uint32_t last = 1;
    for (const struct core_change *change = core_changes; change->core != 0; change++) {
        assert_true(change->core >= last && change->what[0] != '\0' && change->touches[0] != '\0');
        last = change->core;
    }
    assert_int_equal(last, CORE_NUMBER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_looked_up_in_the_scenario),
        cmocka_unit_test(filtered_tiers_are_found),
        cmocka_unit_test(requests_count),
        cmocka_unit_test(strolls_are_found),
        cmocka_unit_test(states_conditions_and_stamina_are_found),
        cmocka_unit_test(changes_between_the_cores_count),
        cmocka_unit_test(every_core_since_the_first_has_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
