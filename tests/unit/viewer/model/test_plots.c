/* A series of one's own: a parameter from when it was chosen, or the count of a state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/model/meters.h"

static void a_parameter_is_plotted_from_its_choice_on(void **state) {
    static struct plots plots;
    const struct test_agent agents[] = {{.id = 1, .vx = 30, .state = "seek"},
                                        {.id = 2, .vx = 10, .state = "rest"}};
    struct snapshot *first = make_snapshot(1000, agents, 2), *second = make_snapshot(2000, agents, 2);
    plots_init(&plots);
    plots_add(&plots, first);
    plots_choose(&plots, "bird", "max_speed");
    plots.own_value = 240.0f;
    plots_add(&plots, second);
    assert_int_equal(plots.count, 2);
    assert_true(isnan(plots_value(&plots, PLOTS_OWN, 0)));
    assert_true(plots_value(&plots, PLOTS_OWN, 1) == 240.0f);
    assert_true(plots_value(&plots, PLOTS_SPEED, 1) == 20.0f);
    assert_true(plots_value(&plots, PLOTS_STATE, 1) == 1.0f);
    plots_clear(&plots);
    plots_choose(&plots, "", "seek");
    plots_add(&plots, first);
    assert_true(plots_value(&plots, PLOTS_OWN, 0) == 1.0f);
    snapshot_destroy(first);
    snapshot_destroy(second);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_parameter_is_plotted_from_its_choice_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
