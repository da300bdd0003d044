/* What ranks tell of their ticks, and the table of all of them. */
#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "server/simulation/rank_report.h"

#define SECOND UINT64_C(1000000000)

static bool is_near(double value, double wanted) {
    return fabs(value - wanted) < 1e-4;
}

static struct rank_report report_of(int32_t rank, double work_ms) {
    struct rank_report report = {.work = {work_ms, 2.0 * work_ms},
                                 .agents = 100,
                                 .ghosts = 10,
                                 .migrants = 1,
                                 .rank = rank,
                                 .row = 8 * rank,
                                 .row_end = 8 * rank + 8};
    memcpy(report.host, "node", sizeof "node");
    return report;
}

static void a_meter_tells_of_a_second(void **state) {
    static struct rank_meter meter;
    struct rank_report report = {0};
    for (uint64_t i = 100; i >= 1; i--) {
        rank_meter_add(&meter, i * 1000000, 500000);
    }
    rank_meter_report(&meter, &report);
    assert_true(is_near(report.work.mean_ms, 50.5));
    assert_true(is_near(report.work.p99_ms, 99.0));
    assert_true(is_near(report.wait.mean_ms, 0.5));
    rank_meter_add(&meter, 2000000, 0);
    rank_meter_report(&meter, &report);
    assert_true(is_near(report.work.mean_ms, 2.0));
    assert_true(is_near(report.wait.p99_ms, 0.0));
}

/* Of few ticks 99 of 100 are all of them: one that was slow is not left out, though the mean has it. */
static void few_ticks_have_their_slowest(void **state) {
    static struct rank_meter meter;
    struct rank_report report = {0};
    for (uint64_t i = 0; i < 4; i++) {
        rank_meter_add(&meter, i == 2 ? 90000000 : 8000000, i == 1 ? 9000000 : 1000000);
    }
    rank_meter_report(&meter, &report);
    assert_true(is_near(report.work.mean_ms, 28.5));
    assert_true(is_near(report.work.p99_ms, 90.0));
    assert_true(is_near(report.wait.mean_ms, 3.0));
    assert_true(is_near(report.wait.p99_ms, 9.0));
}

static void a_pause_keeps_the_figures(void **state) {
    static struct rank_meter meter;
    struct rank_report report = {0};
    rank_meter_report(&meter, &report);
    assert_true(is_near(report.work.mean_ms, 0.0));
    rank_meter_add(&meter, 3000000, 1000000);
    rank_meter_report(&meter, &report);
    rank_meter_report(&meter, &report);
    assert_true(is_near(report.work.mean_ms, 3.0));
    assert_true(is_near(report.wait.mean_ms, 1.0));
}

static void a_meter_keeps_the_newest(void **state) {
    static struct rank_meter meter;
    struct rank_report report = {0};
    for (int i = 0; i < RANK_METER_TICKS; i++) {
        rank_meter_add(&meter, 9000000, 0);
    }
    for (int i = 0; i < RANK_METER_TICKS; i++) {
        rank_meter_add(&meter, 1000000, 0);
    }
    rank_meter_report(&meter, &report);
    assert_true(is_near(report.work.p99_ms, 1.0));
}

static void sums_and_the_longest(void **state) {
    struct rank_report reports[3] = {report_of(0, 2.0), report_of(1, 6.0), report_of(2, 4.0)};
    struct rank_table table = {0};
    rank_table_fill(&table, EXCHANGE_STRIPES, reports, 3, SECOND);
    assert_int_equal(table.ranks, 3);
    assert_int_equal(table.row_count, 3);
    assert_int_equal(table.agents, 300);
    assert_int_equal(table.ghosts, 30);
    assert_int_equal(table.migrants, 3);
    assert_int_equal(table.longest, 1);
    assert_int_equal(table.rows[1].rank, 1);
    assert_true(is_near(table.balance, 4.0 / 6.0));
    assert_true(is_near(table.migrants_hz, 0.0)); /* the first reports */
}

static void migrants_of_all_worlds_add_up(void **state) {
    static const struct {
        uint64_t migrants;
        bool is_new;
        uint64_t ever;
    } reports[] = {{5, true, 5}, {8, false, 8}, {2, true, 10}, {9, true, 19}, {4, false, 23}, {4, false, 23}};
    struct rank_report own = {0};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        rank_report_set_migrants(&own, reports[i].migrants, reports[i].is_new);
        assert_int_equal(own.migrants, reports[i].migrants);
        assert_int_equal(own.migrants_before + own.migrants, reports[i].ever);
    }
}

static void migrants_a_second(void **state) {
    struct rank_report reports[2] = {report_of(0, 1.0), report_of(1, 1.0)};
    struct rank_table table = {0};
    rank_table_fill(&table, EXCHANGE_STRIPES, reports, 2, SECOND);
    reports[1].migrants = 101;
    rank_table_fill(&table, EXCHANGE_STRIPES, reports, 2, 3 * SECOND);
    assert_true(is_near(table.migrants_hz, 50.0));
    reports[1].migrants = 0; /* of another world */
    rank_table_fill(&table, EXCHANGE_STRIPES, reports, 2, 4 * SECOND);
    assert_true(is_near(table.migrants_hz, 0.0));
    assert_int_equal(table.migrants, 1);
}

static void the_longest_has_a_row(void **state) {
    enum { RANKS = RANK_TABLE_ROWS + 6 };
    static struct rank_report reports[RANKS];
    struct rank_table table = {0};
    for (int32_t i = 0; i < RANKS; i++) {
        reports[i] = report_of(i, i == RANKS - 2 ? 5.0 : 1.0);
    }
    rank_table_fill(&table, EXCHANGE_COPY, reports, RANKS, SECOND);
    assert_int_equal(table.ranks, RANKS);
    assert_int_equal(table.row_count, RANK_TABLE_ROWS);
    assert_int_equal(table.agents, 100 * RANKS);
    assert_int_equal(table.longest, RANKS - 2);
    assert_int_equal(table.rows[RANK_TABLE_ROWS - 2].rank, RANK_TABLE_ROWS - 2);
    assert_int_equal(table.rows[RANK_TABLE_ROWS - 1].rank, RANKS - 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_meter_tells_of_a_second),     cmocka_unit_test(few_ticks_have_their_slowest),
        cmocka_unit_test(a_pause_keeps_the_figures),     cmocka_unit_test(a_meter_keeps_the_newest),
        cmocka_unit_test(sums_and_the_longest),          cmocka_unit_test(migrants_a_second),
        cmocka_unit_test(migrants_of_all_worlds_add_up), cmocka_unit_test(the_longest_has_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
