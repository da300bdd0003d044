/* The order of the sliders, their folds, their filter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "viewer/explain/param_list.h"

static const struct message_param params[] = {
    {.kind = "bird", .param = "mass"},
    {.kind = "bird", .param = "flee/flee.weight"},
    {.kind = "bird", .param = "flee/flock.weight"},
    {.kind = "bird", .param = "rest/flock.weight"},
    {.kind = "bird", .param = "rest/flock.cohesion_weight"},
    {.kind = "stone", .param = "seek.weight"},
};
enum { COUNT = sizeof params / sizeof params[0] };

static void names_are_taken_apart(void **state) {
    const struct param_name name = param_name_of("flee/flock2.weight");
    assert_string_equal(name.state, "flee");
    assert_string_equal(name.behavior, "flock2");
    assert_string_equal(name.name, "weight");
    const struct param_name body = param_name_of("max_speed");
    assert_string_equal(body.state, "");
    assert_string_equal(body.behavior, "");
    assert_string_equal(body.name, "max_speed");
}

static void the_state_comes_after_the_body(void **state) {
    struct param_list list;
    param_list_fill(params, COUNT, "bird", "rest", "", &list);
    const int order[] = {0, 3, 4, 1, 2};
    const bool is_first[] = {true, true, false, true, true}, is_now[] = {true, true, true, false, false};
    assert_int_equal(list.count, 5);
    for (int i = 0; i < list.count; i++) {
        assert_int_equal(list.rows[i].index, order[i]);
        assert_int_equal(list.rows[i].is_first, is_first[i]);
        assert_int_equal(list.rows[i].is_now, is_now[i]);
    }
}

static void a_filter_keeps_what_holds_all_its_words(void **state) {
    struct param_list list;
    param_list_fill(params, COUNT, "bird", "", "FLOCK coh", &list);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.rows[0].index, 4);
    param_list_fill(params, COUNT, "bird", "", "nothing", &list);
    assert_int_equal(list.count, 0);
}

static void a_weight_is_found_by_state_and_behavior(void **state) {
    assert_int_equal(param_list_weight(params, COUNT, "bird", "rest", "flock"), 3);
    assert_int_equal(param_list_weight(params, COUNT, "bird", "flee", "flock"), 2);
    assert_int_equal(param_list_weight(params, COUNT, "stone", "whatever", "seek"), 5);
    assert_int_equal(param_list_weight(params, COUNT, "bird", "rest", "flee"), -1);
}

static void a_track_ends_at_four_times_the_first_value_and_within_what_is_allowed(void **state) {
    struct message_param param = {.param = "max_speed", .value = 50, .min = 0, .max = 1000, .unit = "px/s"};
    assert_float_equal(param_track_end(&param, 100), 400, 0);
    param.value = 700; /* typed: the track reaches as far */
    assert_float_equal(param_track_end(&param, 100), 700, 0);
    assert_float_equal(param_track_end(&param, 900), 1000, 0);
    param.value = 0;
    assert_float_equal(param_track_end(&param, 0), 100, 0);
    assert_float_equal(param_rounded(237.4183, 400), 237, 1e-9);
    assert_float_equal(param_rounded(0.37418, 1.2), 0.37, 1e-9);
    char range[PARAM_RANGE_TEXT];
    param_range_text(&param, 100, range);
    assert_string_equal(range, "0 to 1 000 px/s; it was 100 px/s");
}

static void a_weight_of_0_without_a_term_is_muted(void **state) {
    static struct message_agent agent = {.kind = "bird", .state = "calm"};
    struct message_param param = {.kind = "bird", .param = "calm/flee.weight", .value = 0};
    assert_true(param_list_is_muted(&param, &agent));
    param.value = 1;
    assert_false(param_list_is_muted(&param, &agent));
    param = (struct message_param){.kind = "bird", .param = "afraid/flee.weight"};
    assert_false(param_list_is_muted(&param, &agent));
    param = (struct message_param){.kind = "bird", .param = "flee.weight"};
    assert_true(param_list_is_muted(&param, &agent));
    agent.term_count = 1;
    memcpy(agent.terms[0].behavior, "flee", sizeof "flee");
    assert_false(param_list_is_muted(&param, &agent));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_taken_apart),
        cmocka_unit_test(the_state_comes_after_the_body),
        cmocka_unit_test(a_filter_keeps_what_holds_all_its_words),
        cmocka_unit_test(a_weight_is_found_by_state_and_behavior),
        cmocka_unit_test(a_track_ends_at_four_times_the_first_value_and_within_what_is_allowed),
        cmocka_unit_test(a_weight_of_0_without_a_term_is_muted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
