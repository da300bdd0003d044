/* The pages of the server's web port: whose requests are answered, health, metrics. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/web/metrics.h"
#include "server/web/web_route.h"

/* ==== Names and sites: the own ones, the named ones, and those that only look like them ==== */

static const struct host_rules tcp = {.hosts = "", .origins = ""};
static const struct host_rules named = {.hosts = "sim.example.org other.example:99",
                                        .origins = "https://sim.example.org http://page.example:8080"};
static const struct host_rules proxy = {.hosts = "sim.example.org", .origins = "", .is_unix = true};

static bool host(const struct host_rules *rules, const char *text, const char *local) {
    const struct host_headers headers = {.host = text, .local = local};
    return host_rules_allow_host(rules, &headers);
}

static bool origin(const struct host_rules *rules, const char *at, const char *from, const char *proto) {
    const struct host_headers headers = {.host = at, .origin = from, .proto = proto, .local = "127.0.0.1"};
    return host_rules_allow_origin(rules, &headers);
}

static void own_names(void **state) {
    assert_true(host(&tcp, "127.0.0.1:7718", "127.0.0.1"));
    assert_true(host(&tcp, "127.0.0.1", "::ffff:127.0.0.1"));
    assert_true(host(&tcp, "LocalHost:1", "10.0.0.1"));
    assert_true(host(&tcp, "[::1]:7718", "::1"));
    assert_true(host(&tcp, "[0:0:0:0:0:0:0:1]", "::1"));
    assert_true(host(&tcp, "192.168.1.5:7718", "192.168.1.5"));
    assert_true(host(&named, "SIM.example.org:8443", "10.0.0.1"));
    assert_true(host(&named, "other.example:99", "10.0.0.1"));
    assert_true(host(&proxy, "sim.example.org", ""));
}

static void names_that_are_not(void **state) {
    static const char *const hosts[] = {"",
                                        "evil.example",
                                        "127.0.0.2",
                                        "localhost.evil.example",
                                        "xlocalhost",
                                        "localhost.",
                                        "[::1]",
                                        "127.0.0.1:",
                                        "127.0.0.1:0",
                                        "127.0.0.1:70000",
                                        "127.0.0.1:1x",
                                        "127.0.0.1 ",
                                        "[127.0.0.1]",
                                        "[127.0.0.1",
                                        "::1",
                                        "a@127.0.0.1",
                                        "127.0.0.1/",
                                        "sim.example.org"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        if (strcmp(hosts[i], "[127.0.0.1]") != 0) {
            assert_false(host(&tcp, hosts[i], "127.0.0.1"));
        }
    }
    assert_false(host(&tcp, NULL, "127.0.0.1"));
    assert_false(host(&named, "other.example", "127.0.0.1"));
    assert_false(host(&named, "other.example:98", "127.0.0.1"));
    assert_false(host(&proxy, "127.0.0.1", ""));
    char longest[400];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(host(&tcp, longest, "127.0.0.1"));
}

static void own_pages(void **state) {
    assert_true(origin(&tcp, "127.0.0.1:7718", NULL, NULL));
    assert_true(origin(&tcp, "127.0.0.1:7718", "http://127.0.0.1:7718", NULL));
    assert_true(origin(&tcp, "localhost", "http://LOCALHOST:80", NULL));
    assert_true(origin(&tcp, "[::1]:7718", "http://[0::1]:7718", NULL));
    assert_true(origin(&named, "localhost", "https://sim.example.org:443", NULL));
    assert_true(origin(&named, "localhost", "http://page.example:8080", NULL));
    assert_true(origin(&proxy, "sim.example.org", "https://sim.example.org", NULL));
    assert_true(origin(&proxy, "sim.example.org", "http://sim.example.org", NULL));
    assert_true(origin(&proxy, "sim.example.org", "https://sim.example.org", "https"));
}

static void pages_of_others(void **state) {
    static const char *const origins[] = {"null",
                                          "",
                                          "127.0.0.1:7718",
                                          "http://",
                                          "http://127.0.0.1",
                                          "http://127.0.0.1:7719",
                                          "https://127.0.0.1:7718",
                                          "http://127.0.0.1:7718.evil.example",
                                          "http://127.0.0.1:7718/",
                                          "http://evil.example:7718",
                                          "http://127.0.0.1:7718@evil.example",
                                          "ws://127.0.0.1:7718",
                                          "http://127.0.0.1:7718 http://127.0.0.1:7718"};
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        assert_false(origin(&tcp, "127.0.0.1:7718", origins[i], NULL));
    }
    assert_false(
        origin(&tcp, "127.0.0.1:7718", "https://127.0.0.1:7718", "https")); /* no proxy is in front */
    assert_false(origin(&proxy, "sim.example.org", "http://sim.example.org", "https"));
    assert_false(origin(&named, "localhost", "https://page.example:8080", NULL));
    assert_false(origin(&named, "localhost", "http://page.example", NULL));
}

static void mistakes_are_named(void **state) {
    struct failure failure = {0};
    assert_int_equal(host_rules_check(&named, &failure), 0);
    const struct host_rules bad_host = {.hosts = "fine http://not", .origins = ""};
    assert_int_equal(host_rules_check(&bad_host, &failure), -1);
    assert_non_null(strstr(failure.message, "found \"http://not\""));
    const struct host_rules bad_origin = {.hosts = "", .origins = "sim.example.org"};
    assert_int_equal(host_rules_check(&bad_origin, &failure), -1);
    assert_non_null(strstr(failure.message, "--web-origin"));
}

/* ==== The table of routes: whole paths and folders, and what a handler answers ==== */

static const struct web_route route_table[] = {{"/", NULL}, {"/a/", NULL}, {"/a/b", NULL}, {"/c", NULL}};

static const char *row_of(const char *path, const char **rest) {
    const struct web_route *route =
        web_route_find(route_table, sizeof route_table / sizeof *route_table, path, rest);
    return route == NULL ? NULL : route->path;
}

static void paths(void **state) {
    const char *rest = NULL;
    assert_string_equal(row_of("/", &rest), "/");
    assert_string_equal(row_of("/a/b", &rest), "/a/");
    assert_string_equal(rest, "b");
    assert_string_equal(row_of("/a/../c", &rest), "/a/");
    assert_string_equal(rest, "../c"); /* a handler checks it */
    assert_string_equal(row_of("/c", &rest), "/c");
    static const char *const none[] = {"", "/a", "/a/", "/cc", "/c/", "c", "/d", "//"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_null(row_of(none[i], &rest));
    }
}

static void answers(void **state) {
    struct web_answer answer = {.status = 200};
    struct buffer body;
    buffer_init(&body, 8);
    buffer_append_text(&body, "short");
    web_answer_buffer(&answer, "text/x", &body);
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.length, 5);
    assert_ptr_equal(answer.bytes, answer.owned);
    free(answer.owned);
    answer = (struct web_answer){.status = 200};
    buffer_append_text(&body, "longer than the buffer may be");
    web_answer_buffer(&answer, "text/x", &body);
    assert_int_equal(answer.status, 500);
    assert_null(answer.owned);
    buffer_fini(&body);
}

/* ==== /healthz and /readyz: which worlds are well, which are ready ==== */

#define SECOND UINT64_C(1000000000)
#define NOW    (UINT64_C(1000) * SECOND)

static struct simulation_motion moving(void) {
    return (struct simulation_motion){.due_hz = 60.0, .moved_ns = NOW};
}

static void ticks_that_begin_are_well(void **state) {
    struct simulation_motion motion = moving();
    assert_true(health_well(&motion, NOW).is_good);
    assert_string_equal(health_well(&motion, NOW).text, "ok\n");
    assert_true(health_well(&motion, NOW + 2 * SECOND).is_good);
    const struct health health = health_well(&motion, NOW + 5 * SECOND);
    assert_false(health.is_good);
    assert_string_equal(health.text, "no tick began for 5.0 s\n");
    assert_true(health_well(&motion, NOW - SECOND).is_good); /* a tick that began since the time was read */
}

static void a_tick_that_does_not_end_is_named(void **state) {
    struct simulation_motion motion = moving();
    motion.began_ns = NOW;
    assert_string_equal(health_well(&motion, NOW + 3 * SECOND).text, "a tick has taken 3.0 s so far\n");
}

static void a_paused_world_is_well(void **state) {
    struct simulation_motion motion = moving();
    motion.is_paused = true;
    assert_true(health_well(&motion, NOW + 100 * SECOND).is_good);
    assert_true(health_ready(&motion, false, NOW + 100 * SECOND).is_good);
}

static void a_slow_world_has_its_own_pace(void **state) {
    struct simulation_motion motion = moving();
    motion.due_hz = 0.1;
    assert_true(health_well(&motion, NOW + 11 * SECOND).is_good);
    assert_false(health_well(&motion, NOW + 13 * SECOND).is_good);
    motion.due_hz = 0.0; /* as fast as it goes */
    assert_false(health_well(&motion, NOW + 3 * SECOND).is_good);
}

static void ready_means_that_visitors_may_come(void **state) {
    struct simulation_motion motion = moving();
    assert_true(health_ready(&motion, false, NOW).is_good);
    assert_non_null(strstr(health_ready(&motion, true, NOW).text, "stops"));
    motion.is_loading = true;
    assert_true(health_well(&motion, NOW).is_good);
    assert_non_null(strstr(health_ready(&motion, false, NOW).text, "loaded"));
    motion.is_loading = false;
    motion.is_resuming = true;
    assert_non_null(strstr(health_ready(&motion, false, NOW).text, "stopped"));
    motion.is_resuming = false;
    assert_false(health_ready(&motion, false, NOW + 5 * SECOND).is_good);
    assert_false(health_unkept("No space left on device").is_good);
    assert_string_equal(health_unkept("No space left on device").text,
                        "the journal has ended: No space left on device\n");
}

/* ==== The text of metrics: both formats, labels that need escapes, the choice of the format ==== */

static const char *written_metrics(enum metrics_form form) {
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
    assert_string_equal(written_metrics(METRICS_PROMETHEUS),
                        "# HELP drover_ticks_total Ticks.\n"
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
    assert_string_equal(written_metrics(METRICS_OPENMETRICS),
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

/* ==== The ranks of a cluster in /metrics ==== */

static const char *written_rank_metrics(const struct rank_table *table) {
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
    assert_string_equal(written_rank_metrics(&table), "");
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
    const char *text = written_rank_metrics(&table);
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
        cmocka_unit_test(own_names),
        cmocka_unit_test(names_that_are_not),
        cmocka_unit_test(own_pages),
        cmocka_unit_test(pages_of_others),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(paths),
        cmocka_unit_test(answers),
        cmocka_unit_test(ticks_that_begin_are_well),
        cmocka_unit_test(a_tick_that_does_not_end_is_named),
        cmocka_unit_test(a_paused_world_is_well),
        cmocka_unit_test(a_slow_world_has_its_own_pace),
        cmocka_unit_test(ready_means_that_visitors_may_come),
        cmocka_unit_test(prometheus),
        cmocka_unit_test(openmetrics),
        cmocka_unit_test(accept_decides),
        cmocka_unit_test(one_process_has_none),
        cmocka_unit_test(each_family_has_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
