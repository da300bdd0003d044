/* The ranks of a cluster in the reply to `stats`. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/sessions/statistics.h"

static const char *written(const struct rank_table *table) {
    static char text[4096];
    struct buffer out;
    buffer_init(&out, sizeof text - 1);
    struct json_writer json = json_writer_begin(&out);
    json_object(&json);
    rank_statistics_write(table, 1500000001, &json);
    json_end(&json);
    assert_false(out.failed);
    memcpy(text, out.data, out.length + 1);
    buffer_fini(&out);
    return text;
}

static const struct rank_report reports[] = {
    {.work = {2.00049, 3.0},
     .agents = 60,
     .ghosts = 5,
     .sorts = 8,
     .host = "a",
     .rank = 0,
     .row = 0,
     .row_end = 7},
    {.work = {1.0, 1.5},
     .wait = {1.0, 2.0},
     .agents = 40,
     .ghosts = 6,
     .migrants = 3,
     .host = "b\"",
     .rank = 1,
     .row = 7,
     .row_end = 9},
};

static void one_process_has_none(void **state) {
    const struct rank_table table = {0};
    assert_string_equal(written(&table), "{}");
}

static void stripes(void **state) {
    struct rank_table table = {0};
    rank_table_fill(&table, EXCHANGE_STRIPES, reports, 2, 1);
    assert_string_equal(
        written(&table),
        "{\"cluster\":{\"mode\":\"stripes\",\"count\":2,\"age\":1.5,\"longest\":0,\"balance\":0.75,"
        "\"agents\":100,"
        "\"ghosts\":11,\"migrants\":3,\"migrants_per_second\":0,\"sorts\":8,\"ranks\":["
        "{\"rank\":0,\"host\":\"a\",\"work_ms\":{\"mean\":2,\"p99\":3},\"wait_ms\":{\"mean\":0,\"p99\":0},"
        "\"agents\":60,\"ghosts\":5,\"migrants\":0,\"rows\":[0,7]},"
        "{\"rank\":1,\"host\":\"b\\\"\",\"work_ms\":{\"mean\":1,\"p99\":1.5},\"wait_ms\":{\"mean\":1,\"p99\":"
        "2},"
        "\"agents\":40,\"ghosts\":6,\"migrants\":3,\"rows\":[7,9]}]}}");
}

static void copies_have_no_rows(void **state) {
    struct rank_table table = {0};
    rank_table_fill(&table, EXCHANGE_COPY, reports, 1, 1);
    assert_non_null(strstr(written(&table), "\"mode\":\"copy\",\"count\":1,"));
    assert_null(strstr(written(&table), "rows"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_process_has_none),
        cmocka_unit_test(stripes),
        cmocka_unit_test(copies_have_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
