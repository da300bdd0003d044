/* clients/drover/live: replies, frames and stats as tables, whatever a server puts into them. */
#include <stdio.h>

#include "clients/drover/live/live.h"
#include "tests/unit/common/test_support.h"

struct fixture {
    struct drover *server; /* fed by the test */
    struct buffer out;
    struct text_style style;
};

static void feed(struct fixture *fixture, const char *lines) {
    assert_int_equal(drover_feed(fixture->server, lines, strlen(lines)), 0);
}

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    buffer_init(&fixture->out, 1 << 20);
    fixture->style.width = 60;
    fixture->server = drover_create(NULL);
    assert_non_null(fixture->server);
    assert_int_equal(drover_advance(fixture->server, 1.0), 0);
    drover_opened(fixture->server);
    feed(fixture, "{\"op\":\"hello\",\"protocol\":1,\"server\":\"x\",\"session\":1,\"tick\":0,\"time\":0,"
                  "\"paused\":true,\"role\":\"admin\","
                  "\"scenario\":{\"name\":\"s\",\"title\":\"S\",\"description\":\"\",\"size\":[10,10],"
                  "\"edge\":\"open\",\"seed\":1,\"tick_hz\":60,"
                  "\"kinds\":[{\"name\":\"prey\",\"radius\":1,\"max_speed\":1,\"max_force\":1,\"count\":2}],"
                  "\"targets\":[]}}\n");
    while (drover_next(fixture->server) != DROVER_NOTHING) {}
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    drover_close(fixture->server);
    buffer_fini(&fixture->out);
    free(fixture);
    return 0;
}

static const struct drover_message *message(struct fixture *fixture, const char *line) {
    feed(fixture, line);
    feed(fixture, "\n");
    enum drover_event event = drover_next(fixture->server);
    while (event != DROVER_MESSAGE && event != DROVER_NOTHING) {
        event = drover_next(fixture->server);
    }
    assert_int_equal(event, DROVER_MESSAGE);
    return drover_this_message(fixture->server);
}

static const char *shown(struct fixture *fixture, const char *line) {
    buffer_clear(&fixture->out);
    message_view(message(fixture, line), &fixture->style, &fixture->out);
    return fixture->out.data;
}

static void test_a_short_reply_is_a_line(void **state) {
    assert_string_equal(
        shown(*state, "{\"op\":\"reply\",\"to\":\"step\",\"id\":1,\"tick\":60,\"hash\":\"0a\"}"),
        "step: tick 60, hash 0a\n");
    assert_string_equal(shown(*state, "{\"op\":\"reply\",\"to\":\"unsubscribe\",\"id\":1}"),
                        "unsubscribe: done\n");
    assert_string_equal(
        shown(*state, "{\"op\":\"reply\",\"to\":\"remove\",\"tick\":1,\"missing\":[7,8],\"a\":{\"b\":true}}"),
        "remove: tick 1, missing [7,8], a.b true\n");
}

static void test_lists_are_tables(void **state) {
    assert_string_equal(
        shown(*state,
              "{\"op\":\"reply\",\"to\":\"list\",\"tick\":0,\"kinds\":[{\"name\":\"prey\",\"count\":20},"
              "{\"name\":\"hawk\",\"radius\":2.5,\"at\":[1,2]}]}"),
        "name  count  radius  at\nprey     20\nhawk            2.5  [1,2]\n");
    assert_string_equal(shown(*state, "{\"op\":\"reply\",\"to\":\"list\",\"scenarios\":[{\"title\":\"T\","
                                      "\"caption\":\"C\",\"name\":\"n\"}]}"),
                        "name  group  caption\nn            C\n");
}

static void test_rows_with_lists_stand_one_below_the_other(void **state) {
    assert_string_equal(shown(*state, "{\"op\":\"reply\",\"to\":\"inspect\",\"tick\":0,\"agents\":[{\"id\":3,"
                                      "\"x\":1,\"points\":[{\"x\":2}]}]}"),
                        "x 1\n\npoints:\nx\n2\n");
}

static void test_nothing_of_a_server_is_a_control(void **state) {
    const char *said = shown(*state, "{\"op\":\"reply\",\"to\":\"a\\u001b[2J\",\"k\\u001b\":\"v\\u009b\","
                                     "\"l\":[{\"\\u001bn\":\"\\u202e\\n\"}]}");
    for (const char *at = said; *at != '\0'; at++) {
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
        assert_true((unsigned char)*at != 0xC2);
    }
    assert_null(strstr(said, "\xE2\x80\xAE"));
}

static const struct drover_frame *frame(struct fixture *fixture) {
    feed(fixture, "{\"op\":\"snapshot\",\"tick\":60,\"time\":1.000000,\"agents\":["
                  "{\"id\":1,\"kind\":\"prey\",\"state\":\"seek\",\"x\":-0.05,\"y\":5.00,\"vx\":-3.20,\"vy\":"
                  "0.00,\"heading\":180.00},"
                  "{\"id\":7,\"kind\":\"prey\",\"state\":\"flee\",\"x\":12.00,\"y\":5.00,\"vx\":0.00,\"vy\":"
                  "0.00,\"heading\":0.00}],"
                  "\"targets\":[{\"name\":\"mouse\",\"x\":400.00,\"y\":300.00}],\"clock\":88123.412}\n");
    enum drover_event event = drover_next(fixture->server);
    while (event != DROVER_FRAME && event != DROVER_NOTHING) {
        event = drover_next(fixture->server);
    }
    assert_int_equal(event, DROVER_FRAME);
    return drover_this_frame(fixture->server);
}

static void test_frames(void **state) {
    struct fixture *fixture = *state;
    struct frame_view view = {.field_count = 0};
    struct failure failure = {0};
    const struct drover_frame *now = frame(fixture);
    assert_int_equal(frame_view_read_fields(&view, "x,state", &failure), 0);
    frame_view_json(&view, now, &fixture->out);
    assert_string_equal(
        fixture->out.data,
        "{\"op\":\"snapshot\",\"tick\":60,\"time\":1,\"agents\":[{\"id\":1,\"x\":-0.05,\"state\":\"seek\"},"
        "{\"id\":7,\"x\":12.00,\"state\":\"flee\"}],\"targets\":[{\"name\":\"mouse\",\"x\":400.00,\"y\":300."
        "00}]}\n");
    buffer_clear(&fixture->out);
    assert_int_equal(frame_view_read_agents(&view, "9,7", &failure), 0);
    assert_int_equal(frame_view_count(&view, now), 1);
    frame_view_summary(&view, now, &fixture->out);
    buffer_append_text(&fixture->out, "\n");
    frame_view_table(&view, now, 0, -1, &fixture->style, &fixture->out);
    assert_string_equal(fixture->out.data,
                        "tick 60, 1.00 s, 1 agent: 1 prey\nid      x  state\n 7  12.00  flee\n");
    buffer_clear(&fixture->out);
    assert_int_equal(frame_view_read_agents(&view, "", &failure), 0);
    frame_view_table(&view, now, 1, 5, &fixture->style, &fixture->out);
    assert_string_equal(fixture->out.data, "id      x  state\n 7  12.00  flee\n");
}

static void test_fields_and_agents_are_read_strictly(void **state) {
    struct fixture *fixture = *state;
    struct frame_view view = {.field_count = 0};
    struct failure failure = {0};
    assert_int_equal(frame_view_read_fields(&view, "", &failure), 0);
    frame_view_write_wanted(&view, &fixture->out);
    assert_string_equal(fixture->out.data, "[\"kind\",\"state\",\"pos\",\"vel\",\"heading\"]");
    buffer_clear(&fixture->out);
    assert_int_equal(frame_view_read_fields(&view, "id", &failure), 0);
    frame_view_write_wanted(&view, &fixture->out);
    assert_string_equal(fixture->out.data, "[\"pos\"]");
    assert_int_equal(frame_view_read_fields(&view, "pos vel,x", &failure), 0);
    assert_int_equal(view.field_count, 4);
    assert_int_equal(frame_view_read_fields(&view, "headin", &failure), -1);
    assert_non_null(strstr(failure.message, "did you mean \"heading\""));
    static const char *const wrong[] = {"x", "1,,2", "0", "4294967296", "1;2", "-1", "1 2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(frame_view_read_agents(&view, wrong[i], &failure), -1);
    }
}

#define STATS(uptime, sent, ticks)                                                                           \
    "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":60,\"uptime\":" uptime                                      \
    ",\"tick_hz\":60,\"paused\":false,\"speed\":1,"                                                          \
    "\"agents\":8,\"ticks\":" ticks                                                                          \
    ",\"lateness_ms\":{\"p50\":0.1},\"phases_ms\":{\"step\":{\"p50\":0.2,\"p99\":1,\"max\":2}},"             \
    "\"bytes_sent\":" sent ",\"sessions\":{\"now\":2,\"admin\":1}}"

static void test_rates_are_of_the_same_run(void **state) {
    struct fixture *fixture = *state;
    fixture->style.width = 0;
    const struct stats_counts before = stats_counts_of(message(fixture, STATS("10", "1000", "600")));
    stats_view(message(fixture, STATS("12", "5000", "720")), &before, "here", &fixture->style, &fixture->out);
    assert_non_null(strstr(fixture->out.data, "here  up 0:00:12  tick 60 at 60 Hz, running, 8 agents"));
    assert_non_null(strstr(fixture->out.data, "step       0.200  1.000  2.000\n"));
    assert_non_null(strstr(fixture->out.data, "ticks           720              60.0\n"));
    assert_non_null(strstr(fixture->out.data, "sent            5.0 kB           2.0 kB\n"));
    buffer_clear(&fixture->out);
    stats_view(message(fixture, STATS("3", "400", "180")), &before, "here", &fixture->style, &fixture->out);
    assert_non_null(
        strstr(fixture->out.data, "ticks           180\n")); /* the server started again: no rates */
}

static void test_ranks_of_a_cluster(void **state) {
    struct fixture *fixture = *state;
    const struct stats_counts none = {.is_there = false};
    fixture->style.width = 0;
    stats_view(message(fixture, STATS("10", "1000", "600")), &none, "here", &fixture->style, &fixture->out);
    assert_null(strstr(fixture->out.data, "cluster"));
    buffer_clear(&fixture->out);
    stats_view(
        message(
            fixture,
            "{\"op\":\"reply\",\"to\":\"stats\",\"tick\":60,\"cluster\":{\"mode\":\"stripes\",\"count\":2,"
            "\"longest\":1,\"balance\":0.985,\"agents\":100,\"ghosts\":11,\"migrants\":3,"
            "\"migrants_per_second\":1.5,\"ranks\":["
            "{\"rank\":0,\"host\":\"a\",\"work_ms\":{\"mean\":14.62,\"p99\":24.1},"
            "\"wait_ms\":{\"mean\":0.5,\"p99\":1.9},\"agents\":60,\"ghosts\":5,\"migrants\":0,\"rows\":[0,7]}"
            ","
            "{\"rank\":1,\"host\":\"b\\u001b\",\"work_ms\":{\"mean\":15,\"p99\":24},"
            "\"wait_ms\":{\"mean\":0,\"p99\":0},\"agents\":40,\"ghosts\":6,\"migrants\":3,\"rows\":[7,9]}]}"
            "}"),
        &none, "here", &fixture->style, &fixture->out);
    assert_non_null(
        strstr(fixture->out.data, "cluster of 2 ranks, stripes, balance 0.98, 1.5 migrants a second\n"));
    assert_non_null(
        strstr(fixture->out.data,
               "rank  work, ms     p99  wait, ms  agents  ghosts  migrants  rows  host\n"
               "   0    14.620  24.100     0.500      60       5         0  0..7  a\n"
               "   1    15.000  24.000     0.000      40       6         3  7..9  b\\u001b (longest)\n"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_a_short_reply_is_a_line),
        TEST(test_lists_are_tables),
        TEST(test_rows_with_lists_stand_one_below_the_other),
        TEST(test_nothing_of_a_server_is_a_control),
        TEST(test_frames),
        TEST(test_fields_and_agents_are_read_strictly),
        TEST(test_rates_are_of_the_same_run),
        TEST(test_ranks_of_a_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
