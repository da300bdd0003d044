/* The text of metrics: both formats, labels that need escapes, the choice of the format. */
#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "server/web/metrics.h"

static const char *written(enum metrics_form form) {
    static char text[4096];
    struct buffer out;
    buffer_init(&out, sizeof text - 1);
    struct metrics_text metrics = metrics_text_begin(&out, form);
    metrics_family(&metrics, METRIC_COUNTER, "drover_ticks", "Ticks.");
    metrics_sample(&metrics, NULL, 7.0);
    const struct metric_label labels[] = {{"a", "x\"\\\ny"}, {"b", ""}, {NULL, NULL}};
    metrics_family(&metrics, METRIC_INFO, "drover_build", "The program.");
    metrics_sample(&metrics, labels, 1.0);
    metrics_family(&metrics, METRIC_GAUGE, "drover_hz", "Rate.");
    metrics_sample(&metrics, labels + 2, (double)NAN);
    const struct metric_bucket buckets[] = {{0.0001, 1}, {2.0, 3}};
    metrics_family(&metrics, METRIC_HISTOGRAM, "drover_seconds", "Times.");
    metrics_histogram(&metrics, labels + 1, buckets, 2, 4, 5.5);
    metrics_histogram(&metrics, NULL, buckets, 1, 1, 0.0);
    metrics_text_end(&metrics);
    assert_false(out.failed);
    memcpy(text, out.data, out.length + 1);
    buffer_fini(&out);
    return text;
}

#define HISTOGRAM                                                                                            \
    "drover_seconds_bucket{b=\"\",le=\"0.0001\"} 1\n"                                                        \
    "drover_seconds_bucket{b=\"\",le=\"2.0\"} 3\n"                                                           \
    "drover_seconds_bucket{b=\"\",le=\"+Inf\"} 4\n"                                                          \
    "drover_seconds_count{b=\"\"} 4\n"                                                                       \
    "drover_seconds_sum{b=\"\"} 5.5\n"                                                                       \
    "drover_seconds_bucket{le=\"0.0001\"} 1\n"                                                               \
    "drover_seconds_bucket{le=\"+Inf\"} 1\n"                                                                 \
    "drover_seconds_count 1\n"                                                                               \
    "drover_seconds_sum 0\n"

static void prometheus(void **state) {
    assert_string_equal(written(METRICS_PROMETHEUS), "# HELP drover_ticks_total Ticks.\n"
                                                     "# TYPE drover_ticks_total counter\n"
                                                     "drover_ticks_total 7\n"
                                                     "# HELP drover_build_info The program.\n"
                                                     "# TYPE drover_build_info gauge\n"
                                                     "drover_build_info{a=\"x\\\"\\\\\\ny\",b=\"\"} 1\n"
                                                     "# HELP drover_hz Rate.\n"
                                                     "# TYPE drover_hz gauge\n"
                                                     "drover_hz 0\n"
                                                     "# HELP drover_seconds Times.\n"
                                                     "# TYPE drover_seconds histogram\n" HISTOGRAM);
}

static void openmetrics(void **state) {
    assert_string_equal(written(METRICS_OPENMETRICS),
                        "# HELP drover_ticks Ticks.\n"
                        "# TYPE drover_ticks counter\n"
                        "drover_ticks_total 7\n"
                        "# HELP drover_build The program.\n"
                        "# TYPE drover_build info\n"
                        "drover_build_info{a=\"x\\\"\\\\\\ny\",b=\"\"} 1\n"
                        "# HELP drover_hz Rate.\n"
                        "# TYPE drover_hz gauge\n"
                        "drover_hz 0\n"
                        "# HELP drover_seconds Times.\n"
                        "# TYPE drover_seconds histogram\n" HISTOGRAM "# EOF\n");
}

static void accept_decides(void **state) {
    assert_int_equal(metrics_form_of(NULL), METRICS_PROMETHEUS);
    assert_int_equal(metrics_form_of(""), METRICS_PROMETHEUS);
    assert_int_equal(metrics_form_of("*/*"), METRICS_PROMETHEUS);
    assert_int_equal(metrics_form_of("text/plain;version=0.0.4"), METRICS_PROMETHEUS);
    assert_int_equal(metrics_form_of("application/openmetrics-textual"), METRICS_PROMETHEUS);
    assert_int_equal(metrics_form_of("application/openmetrics-text"), METRICS_OPENMETRICS);
    assert_int_equal(metrics_form_of("text/plain;q=0.5, Application/OpenMetrics-Text;version=1.0.0;q=1"),
                     METRICS_OPENMETRICS);
    assert_int_equal(metrics_form_of(",,,"), METRICS_PROMETHEUS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prometheus),
        cmocka_unit_test(openmetrics),
        cmocka_unit_test(accept_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
