/* clients/drover/run/run_values, run_plan and run_design: the grid of values, and tables of runs. */
#include "clients/drover/run/run.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/common/test_support.h"

/* ---- lists of values ---- */

static void expect_values(int (*read)(struct run_values *, const char *, size_t, struct failure *),
                          const char *text, int count, const double *values) {
    struct run_values list = {0};
    struct failure failure = {0};
    if (read(&list, text, strlen(text), &failure) != 0) {
        fail_msg("%s: %s", text, failure.message);
    }
    assert_int_equal(list.count, count);
    assert_memory_equal(list.values, values, (size_t)count * sizeof *values);
    run_values_fini(&list);
}

static void expect_refusal(int (*read)(struct run_values *, const char *, size_t, struct failure *),
                           const char *text) {
    struct run_values list = {0};
    struct failure failure = {0};
    if (read(&list, text, strlen(text), &failure) == 0) {
        fail_msg("%s is not refused", text);
    }
    assert_non_null(strstr(failure.message, "allowed: "));
    run_values_fini(&list);
}

static void test_values_stand_with_commas_and_as_steps(void **state) {
    expect_values(run_values_read, "80,100,120", 3, (double[]){80, 100, 120});
    expect_values(run_values_read, "-1.5e1", 1, (double[]){-15});
    expect_values(run_values_read, "0.5:2:0.5", 4, (double[]){0.5, 1, 1.5, 2});
    expect_values(run_values_read, "7,0:0.3:0.1,9", 6, (double[]){7, 0, 0.1, 0.2, 0.3, 9});
    expect_values(run_values_read, "1:1:5", 1, (double[]){1});
    expect_values(run_values_read, "0:1:0.4", 3, (double[]){0, 0.4, 0.8});
}

static void test_values_that_are_none(void **state) {
    static const char *const texts[] = {"",      ",",      "1,",    "1,,2",      "a",         "1:2",
                                        "1:2:0", "1:2:-1", "2:1:1", "1:2:3:4",   "0x10",      "inf",
                                        "nan",   " 1",     "1 ",    "1e999",     "1:1e999:1", "0:1e9:0.001",
                                        "1..3",  "--1",    "1e",    "0:1:1e-320"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_refusal(run_values_read, texts[i]);
    }
}

static void test_seeds(void **state) {
    expect_values(run_seeds_read, "1..4", 4, (double[]){1, 2, 3, 4});
    expect_values(run_seeds_read, "9,1..2,7..7", 4, (double[]){9, 1, 2, 7});
    expect_values(run_seeds_read, "9007199254740991", 1, (double[]){9007199254740991.0});
    static const char *const texts[] = {
        "",           "-1", "1.5", "4..1", "1..", "..4", "1...4", "1..2..3", "1e3", "0x1", "9007199254740992",
        "0..1000000", "1,", "a"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_refusal(run_seeds_read, texts[i]);
    }
}

/* ---- plans ---- */

static void test_the_last_parameter_changes_before_the_first_and_seeds_before_all(void **state) {
    struct run_grid grid = {0};
    struct run_plan plan;
    struct failure failure = {0};
    assert_int_equal(run_grid_read_set(&grid, "a.x=1,2 b.y.z=5:6:1", &failure), 0);
    assert_int_equal(run_seeds_read(&grid.seeds, "3,8", 3, &failure), 0);
    assert_int_equal(run_plan_make(&grid, 99, &plan, &failure), 0);
    assert_int_equal(plan.count, 8);
    static const double rows[8][3] = {{1, 5, 3}, {1, 5, 8}, {1, 6, 3}, {1, 6, 8},
                                      {2, 5, 3}, {2, 5, 8}, {2, 6, 3}, {2, 6, 8}};
    for (uint32_t run = 0; run < plan.count; run++) {
        assert_memory_equal(run_plan_values(&plan, run), rows[run], 2 * sizeof(double));
        assert_int_equal(plan.seeds[run], (uint64_t)rows[run][2]);
    }
    assert_string_equal(run_parameter_own(&plan.parameters[1]), "y.z");
    run_plan_fini(&plan);
    run_grid_fini(&grid);
}

static void test_nothing_is_one_run(void **state) {
    struct run_grid grid = {0};
    struct run_plan plan;
    struct failure failure = {0};
    assert_int_equal(run_plan_make(&grid, 99, &plan, &failure), 0);
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan.seeds[0], 99);
    run_plan_fini(&plan);
    run_grid_fini(&grid);
}

static void test_sets_that_are_none(void **state) {
    static const char *const texts[] = {"a.x",  "a=1",   ".x=1",        "a.=1",  "=1",
                                        "a.x=", "a.x=b", "a.x=1 a.x=2", "a.x==1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct run_grid grid = {0};
        struct failure failure = {0};
        if (run_grid_read_set(&grid, texts[i], &failure) == 0) {
            fail_msg("%s is not refused", texts[i]);
        }
        assert_true(strncmp(failure.message, "--set", 5) == 0);
        run_grid_fini(&grid);
    }
}

static void test_too_many_runs(void **state) {
    struct run_grid grid = {0};
    struct run_plan plan;
    struct failure failure = {0};
    assert_int_equal(run_grid_read_set(&grid, "a.x=1:2000:1 a.y=1:2000:1", &failure), 0);
    assert_int_equal(run_plan_make(&grid, 1, &plan, &failure), -1);
    assert_non_null(strstr(failure.message, "at most 1000000"));
    run_grid_fini(&grid);
}

/* ---- designs ---- */

static int read_design(struct run_grid *grid, const char *text, struct failure *failure) {
    *grid = (struct run_grid){0};
    return run_design_read(grid, "d.csv", text, strlen(text), failure);
}

static void test_a_design_has_a_row_for_each_run(void **state) {
    struct run_grid grid;
    struct run_plan plan;
    struct failure failure = {0};
    assert_int_equal(read_design(&grid,
                                 "\xEF\xBB\xBF"
                                 "a.x,seed,\"a.y\"\r\n1,7,2\r\n\r\n,,\"3\"\r\n4,8,",
                                 &failure),
                     0);
    assert_int_equal(run_plan_make(&grid, 99, &plan, &failure), 0);
    assert_int_equal(plan.count, 3);
    assert_int_equal(plan.seeds[0], 7);
    assert_int_equal(plan.seeds[1], 99);
    assert_int_equal(plan.seeds[2], 8);
    assert_true(run_plan_values(&plan, 0)[0] == 1 && run_plan_values(&plan, 0)[1] == 2);
    assert_true(isnan(run_plan_values(&plan, 1)[0]) && run_plan_values(&plan, 1)[1] == 3);
    assert_true(run_plan_values(&plan, 2)[0] == 4 && isnan(run_plan_values(&plan, 2)[1]));
    run_plan_fini(&plan);
    run_grid_fini(&grid);
}

static void test_a_design_is_crossed_with_sets_and_seeds(void **state) {
    struct run_grid grid;
    struct run_plan plan;
    struct failure failure = {0};
    assert_int_equal(read_design(&grid, "a.x\n1\n2\n", &failure), 0);
    assert_int_equal(run_grid_read_set(&grid, "a.y=5,6", &failure), 0);
    assert_int_equal(run_seeds_read(&grid.seeds, "3,4", 3, &failure), 0);
    assert_int_equal(run_plan_make(&grid, 99, &plan, &failure), 0);
    assert_int_equal(plan.count, 8);
    assert_memory_equal(run_plan_values(&plan, 6), ((double[]){2, 6}), 2 * sizeof(double));
    assert_int_equal(plan.seeds[6], 3);
    run_plan_fini(&plan);
    assert_int_equal(run_grid_read_set(&grid, "a.x=5", &failure), -1);
    run_grid_fini(&grid);
}

static void test_a_mistake_in_a_design_has_its_line_and_column(void **state) {
    static const struct {
        const char *text, *begins;
    } rows[] = {
        {"a.x,seed\n1,2\n1,b\n", "d.csv:3:3: "},
        {"a.x,seed\n1,2\n\"1\",\"-5\"\n", "d.csv:3:6: "},
        {"a.x,seed\n1,2,3\n", "d.csv:2:5: "},
        {"a.x,a.y\n1\n", "d.csv:2:1: "},
        {"a.x,ax\n1,2\n", "d.csv:1:5: "},
        {"a.x,a.x\n1,2\n", "d.csv:1:5: "},
        {"seed,seed\n1,2\n", "d.csv:1:6: "},
        {"a.x\n\"1\n", "d.csv:2:2: "},
        {"a.x\n\"1\"2\n", "d.csv:2:2: "},
        {"a.\xC3\xA4,b.x\n1,z\n", "d.csv:2:3: "},
        {"a.\xC3\xA4,b\n1,2\n", "d.csv:1:5: "},
        {"a.x\n", "d.csv: no rows"},
        {"", "d.csv: no rows"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run_grid grid;
        struct failure failure = {0};
        assert_int_equal(read_design(&grid, rows[i].text, &failure), -1);
        if (strncmp(failure.message, rows[i].begins, strlen(rows[i].begins)) != 0) {
            fail_msg("%s: %s", rows[i].text, failure.message);
        }
        run_grid_fini(&grid);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_stand_with_commas_and_as_steps),
        cmocka_unit_test(test_values_that_are_none),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_the_last_parameter_changes_before_the_first_and_seeds_before_all),
        cmocka_unit_test(test_nothing_is_one_run),
        cmocka_unit_test(test_sets_that_are_none),
        cmocka_unit_test(test_too_many_runs),
        cmocka_unit_test(test_a_design_has_a_row_for_each_run),
        cmocka_unit_test(test_a_design_is_crossed_with_sets_and_seeds),
        cmocka_unit_test(test_a_mistake_in_a_design_has_its_line_and_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
