/* The ranks of a cluster in /metrics. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/web/metrics.h"

static const char *written(const struct rank_table *table) {
    static char text[4096];
    struct buffer out;
    buffer_init(&out, sizeof text - 1);
    struct metrics_text metrics = metrics_text_begin(&out, METRICS_PROMETHEUS);
    rank_metrics_write(&metrics, table);
    assert_false(out.failed);
    memcpy(text, out.data == NULL ? "" : out.data, out.length + 1);
    buffer_fini(&out);
    return text;
}

static void one_process_has_none(void **state) {
    const struct rank_table table = {0};
    assert_string_equal(written(&table), "");
}

static void each_family_has_all_ranks(void **state) {
    const struct rank_report reports[] = {
        {.work = {2.0, 3.0}, .agents = 60, .ghosts = 5, .rank = 0},
        {.work = {1.0, 1.5},
         .wait = {1.0, 2.0},
         .agents = 40,
         .migrants = 1,
         .migrants_before = 2,
         .rank = 1},
    };
    struct rank_table table = {0};
    rank_table_fill(&table, EXCHANGE_STRIPES, reports, 2, 1);
    const char *text = written(&table);
    assert_non_null(strstr(text, "# TYPE drover_rank_work_seconds gauge\n"
                                 "drover_rank_work_seconds{rank=\"0\"} 0.002\n"
                                 "drover_rank_work_seconds{rank=\"1\"} 0.001\n# HELP "));
    assert_non_null(strstr(text, "drover_rank_wait_seconds{rank=\"0\"} 0\n"
                                 "drover_rank_wait_seconds{rank=\"1\"} 0.001\n# HELP "));
    assert_non_null(strstr(text, "drover_rank_agents{rank=\"1\"} 40\n# HELP "));
    assert_non_null(strstr(text, "drover_rank_ghosts{rank=\"0\"} 5\n"));
    assert_non_null(strstr(text, "# TYPE drover_rank_migrants_total counter\n"
                                 "drover_rank_migrants_total{rank=\"0\"} 0\n"
                                 "drover_rank_migrants_total{rank=\"1\"} 3\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_process_has_none),
        cmocka_unit_test(each_family_has_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
