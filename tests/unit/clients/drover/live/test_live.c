/* Live commands of the tool: words, views, tables. */

#include "tests/unit/common/test_support.h"

#include <stdio.h>

#include "clients/drover/live/live.h"
#include "common/base/utf8.h"

/* ==== completion: what is offered, and what is left to a server or the shell ==== */

enum { COMPLETION_MOST = 12 };

/* Splits at blanks; a blank at the end leaves an empty last word. */
static enum completion_source find(const char *line, struct buffer *out) {
    static char text[256];
    char *words[COMPLETION_MOST] = {NULL};
    int count = 0;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *at = text; at != NULL && count < COMPLETION_MOST; count++) {
        words[count] = at;
        at = strchr(at, ' ');
        if (at != NULL) {
            *at++ = '\0';
        }
    }
    buffer_clear(out);
    return completion_find(count, words, out);
}

static void expect(const char *line, enum completion_source source, const char *has, const char *has_not) {
    struct buffer out;
    buffer_init(&out, 1 << 20);
    assert_int_equal(find(line, &out), source);
    const char *found = out.data == NULL ? "" : out.data;
    if (has != NULL && strstr(found, has) == NULL) {
        fail_msg("\"%s\" does not offer %s: %s", line, has, found);
    }
    if (has_not != NULL && strstr(found, has_not) != NULL) {
        fail_msg("\"%s\" offers %s: %s", line, has_not, found);
    }
    buffer_fini(&out);
}

static void test_commands(void **state) {
    expect("", COMPLETION_NOTHING, "watch\tShows", "states\t");
    expect("wa", COMPLETION_NOTHING, "watch\t", "step\t");
    expect("no-such ", COMPLETION_NOTHING, NULL, "\t");
}

static void test_options_come_from_the_tables(void **state) {
    expect("watch --h", COMPLETION_NOTHING, "--hz\tFrames", "--kinds");
    expect("spawn --", COMPLETION_NOTHING, "--radius\t", "--seed");
    expect("load --n", COMPLETION_NOTHING, "--no-warmup\t", NULL);
    expect("verify --", COMPLETION_NOTHING, "--anyway\t", "--server");
    expect("verify --simd ", COMPLETION_NOTHING, "avx2\t", NULL);
    expect("step --hel", COMPLETION_NOTHING, "--help\t", NULL);
}

static void test_arguments(void **state) {
    expect("load ", COMPLETION_SCENARIOS, NULL, "\t");
    expect("load boids ", COMPLETION_NOTHING, NULL, "\t");
    expect("load --seed 3 ", COMPLETION_SCENARIOS, NULL, "\t");
    expect("load --save ", COMPLETION_SAVES, NULL, "\t");
    expect("spawn ", COMPLETION_KINDS, NULL, "\t");
    expect("set pre", COMPLETION_PARAMS, NULL, "\t");
    expect("target ", COMPLETION_TARGETS, NULL, "\t");
    expect("target --kind ", COMPLETION_KINDS, NULL, "\t");
    expect("watch --token-file ", COMPLETION_FILES, NULL, "\t");
    expect("info ", COMPLETION_FILES, NULL, "\t");
    expect("list k", COMPLETION_NOTHING, "kinds\t", "saves");
    expect("watch x h", COMPLETION_NOTHING, "heading\t", "state");
    expect("help sp", COMPLETION_NOTHING, "speed\t", "step");
    expect("ask set_target fo", COMPLETION_NOTHING, "follow=\t", "name=");
    expect("completion ", COMPLETION_NOTHING, "fish\t", NULL);
}

/* ==== live: replies, frames and stats as tables, whatever a server puts into them ==== */

struct views_fixture {
    struct drover *server; /* fed by the test */
    struct buffer out;
    struct text_style style;
};

static void feed(struct views_fixture *fixture, const char *lines) {
    assert_int_equal(drover_feed(fixture->server, lines, strlen(lines)), 0);
}

static int set_up_views(void **state) {
    struct views_fixture *fixture = calloc(1, sizeof *fixture);
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

static int tear_down_views(void **state) {
    struct views_fixture *fixture = *state;
    drover_close(fixture->server);
    buffer_fini(&fixture->out);
    free(fixture);
    return 0;
}

static const struct drover_message *message(struct views_fixture *fixture, const char *line) {
    feed(fixture, line);
    feed(fixture, "\n");
    enum drover_event event = drover_next(fixture->server);
    while (event != DROVER_MESSAGE && event != DROVER_NOTHING) {
        event = drover_next(fixture->server);
    }
    assert_int_equal(event, DROVER_MESSAGE);
    return drover_this_message(fixture->server);
}

static const char *shown(struct views_fixture *fixture, const char *line) {
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

static const struct drover_frame *frame(struct views_fixture *fixture) {
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
    struct views_fixture *fixture = *state;
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
    struct views_fixture *fixture = *state;
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
    struct views_fixture *fixture = *state;
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
    struct views_fixture *fixture = *state;
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

#define VIEWS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_views, tear_down_views)

/* ==== request_words: requests from a command line, and the options of the commands ==== */

enum { WORDS_MOST = 16 };

struct words_fixture {
    struct request_words words;
    struct request_options options;
    struct buffer out;
    struct failure failure;
    char text[512];
};

static int set_up_words(void **state) {
    struct words_fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    buffer_init(&fixture->out, 1 << 20);
    *state = fixture;
    return 0;
}

static int tear_down_words(void **state) {
    struct words_fixture *fixture = *state;
    buffer_fini(&fixture->out);
    free(fixture);
    return 0;
}

/* Splits a line at blanks, reads its options, and writes the request: its JSON, or the message of the failure. */
static const char *request(struct words_fixture *fixture, const char *line) {
    char *arguments[WORDS_MOST + 1] = {NULL};
    const char *first = NULL;
    int count = 0;
    (void)snprintf(fixture->text, sizeof fixture->text, "%s", line);
    char *at = fixture->text;
    do {
        arguments[count++] = at;
        at = strchr(at, ' ');
        if (at != NULL) {
            *at++ = '\0';
        }
    } while (at != NULL && count < WORDS_MOST);
    const struct request_command *command = request_command_find(arguments[0]);
    assert_non_null(command);
    memset(&fixture->words, 0, sizeof fixture->words);
    buffer_clear(&fixture->out);
    request_options_make(command, &fixture->options);
    if (options_parse(&fixture->options.def, count, arguments, &fixture->words, &first, &fixture->failure) !=
        OPTIONS_RUN) {
        return fixture->failure.message;
    }
    int positional = 0;
    while (first != NULL && positional + 1 < count && arguments[1 + positional] != NULL) {
        positional++;
    }
    return request_words_write(command, &fixture->words, positional, arguments + 1, &fixture->out,
                               &fixture->failure) == 0
               ? fixture->out.data
               : fixture->failure.message;
}

struct words_row {
    const char *line, *json;
};

static void test_lines_become_requests(void **state) {
    static const struct words_row rows[] = {
        {"set prey.max_speed 120",
         "{\"op\":\"set_param\",\"kind\":\"prey\",\"param\":\"max_speed\",\"value\":120,\"id\":1}"},
        {"set prey.seek.weight 0.5",
         "{\"op\":\"set_param\",\"kind\":\"prey\",\"param\":\"seek.weight\",\"value\":0.5,\"id\":1}"},
        {"set 3.mass 2", "{\"op\":\"set_param\",\"agent\":3,\"param\":\"mass\",\"value\":2,\"id\":1}"},
        {"target mouse -100 50.5",
         "{\"op\":\"set_target\",\"name\":\"mouse\",\"x\":-100,\"y\":50.5,\"id\":1}"},
        {"target 3 1 2", "{\"op\":\"set_target\",\"agent\":3,\"x\":1,\"y\":2,\"id\":1}"},
        {"target --kind prey 1 2", "{\"op\":\"set_target\",\"x\":1,\"y\":2,\"kind\":\"prey\",\"id\":1}"},
        {"target 3 --clear", "{\"op\":\"set_target\",\"agent\":3,\"clear\":true,\"id\":1}"},
        {"target --name 3 1 2", "{\"op\":\"set_target\",\"x\":1,\"y\":2,\"name\":\"3\",\"id\":1}"},
        {"spawn prey", "{\"op\":\"spawn\",\"kind\":\"prey\",\"id\":1}"},
        {"spawn prey 3 --radius 5 10 -20 --vx=-1", "{\"op\":\"spawn\",\"kind\":\"prey\",\"count\":3,\"x\":10,"
                                                   "\"y\":-20,\"radius\":5,\"vx\":-1,\"id\":1}"},
        {"place 3 -10 20 --vx 5", "{\"op\":\"place\",\"agent\":3,\"x\":-10,\"y\":20,\"vx\":5,\"id\":1}"},
        {"place --agents 1,2 --heading 90,-90",
         "{\"op\":\"place\",\"agents\":[1,2],\"heading\":[90,-90],\"id\":1}"},
        {"remove 1 2 3", "{\"op\":\"remove\",\"agents\":[1,2,3],\"id\":1}"},
        {"remove --kind prey", "{\"op\":\"remove\",\"kind\":\"prey\",\"id\":1}"},
        {"step", "{\"op\":\"step\",\"id\":1}"},
        {"step 60", "{\"op\":\"step\",\"count\":60,\"id\":1}"},
        {"load 123", "{\"op\":\"load\",\"scenario\":\"123\",\"id\":1}"},
        {"load boids --seed 7 --no-warmup",
         "{\"op\":\"load\",\"scenario\":\"boids\",\"seed\":7,\"warmup\":false,\"id\":1}"},
        {"load --save before", "{\"op\":\"load\",\"save\":\"before\",\"id\":1}"},
        {"record", "{\"op\":\"record\",\"on\":true,\"id\":1}"},
        {"record first", "{\"op\":\"record\",\"name\":\"first\",\"on\":true,\"id\":1}"},
        {"record --stop", "{\"op\":\"record\",\"on\":false,\"id\":1}"},
        {"record first --last 60", "{\"op\":\"record\",\"name\":\"first\",\"last\":60,\"id\":1}"},
        {"speed --max", "{\"op\":\"speed\",\"max\":true,\"id\":1}"},
        {"pause", "{\"op\":\"pause\",\"id\":1}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(request(*state, rows[i].line), rows[i].json);
    }
}

static void test_mistakes_name_what_is_wrong(void **state) {
    static const struct words_row rows[] = {
        {"set max_speed 120", "KIND.PARAMETER"}, {"set a.b.c", "expected"},
        {"step many", "expected a number"},      {"step 1 2", "expected [COUNT]"},
        {"step 0x10", "expected a number"},      {"pause now", "unexpected argument"},
        {"target mouse 1 2 3", "expected"},      {"target mouse 1 2 --x 3", "given twice"},
        {"remove one", "expected a number"},     {"spawn prey --radius wide", "--radius"},
        {"load boids --seeed 3", "--seeed"},     {"speed 1e999", "expected a number"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *said = request(*state, rows[i].line);
        if (strstr(said, rows[i].json) == NULL) {
            fail_msg("%s: \"%s\" does not say %s", rows[i].line, said, rows[i].json);
        }
    }
}

static void test_each_command_has_options_of_its_request(void **state) {
    struct words_fixture *fixture = *state;
    for (const struct command *command = command_table; command->name != NULL; command++) {
        const struct request_command *row = request_command_find(command->name);
        assert_int_equal(command->options == NULL, row != NULL);
        if (row == NULL) {
            continue;
        }
        request_options_make(row, &fixture->options);
        for (const struct field *field = fixture->options.rows; field->type != FIELD_END; field++) {
            assert_non_null(field->help);
            assert_true(field->help[0] != '\0');
            assert_null(strchr(field->name, '_'));
        }
    }
}

static const char *ask(struct words_fixture *fixture, const char *op, const char *first, const char *second) {
    char a[64], b[64];
    (void)snprintf(a, sizeof a, "%s", first == NULL ? "" : first);
    (void)snprintf(b, sizeof b, "%s", second == NULL ? "" : second);
    char *words[] = {a, b};
    buffer_clear(&fixture->out);
    return request_words_ask(op, (first != NULL) + (second != NULL), words, &fixture->out,
                             &fixture->failure) == 0
               ? fixture->out.data
               : fixture->failure.message;
}

static void test_any_request_can_be_asked(void **state) {
    assert_string_equal(ask(*state, "stats", NULL, NULL), "{\"op\":\"stats\",\"id\":1}");
    assert_string_equal(ask(*state, "fly", "high=true", "to=[1,2]"),
                        "{\"op\":\"fly\",\"high\":true,\"to\":[1,2],\"id\":1}");
    assert_string_equal(ask(*state, "load", "scenario=12", "seed=3"),
                        "{\"op\":\"load\",\"scenario\":\"12\",\"seed\":3,\"id\":1}");
    assert_string_equal(ask(*state, "fly", "name=a \"b\"", "id=7"),
                        "{\"op\":\"fly\",\"name\":\"a \\\"b\\\"\",\"id\":7}");
    assert_string_equal(ask(*state, "fly", "name=", NULL), "{\"op\":\"fly\",\"name\":\"\",\"id\":1}");
    assert_non_null(strstr(ask(*state, "fly", "name", NULL), "MEMBER=VALUE"));
    assert_non_null(strstr(ask(*state, "fly", "=3", NULL), "MEMBER=VALUE"));
    assert_non_null(strstr(ask(*state, "fly", "a=\xFF", NULL), "UTF-8"));
}

#define WORDS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_words, tear_down_words)

/* ==== shown_text: nothing that a server sends reaches a terminal as a control ==== */

static const char *show(struct buffer *out, const char *text, size_t length) {
    buffer_clear(out);
    shown_text_append(out, text, length);
    return out->data == NULL ? "" : out->data;
}

static const char *show_json(struct buffer *out, const char *text) {
    buffer_clear(out);
    shown_json_append(out, text, strlen(text));
    return out->data == NULL ? "" : out->data;
}

static void test_plain_text_stays(void **state) {
    struct buffer out;
    buffer_init(&out, 1 << 16);
    assert_string_equal(show(&out, "Möwe 鳥 \xF0\x9F\x90\xA6", 14), "Möwe 鳥 \xF0\x9F\x90\xA6");
    assert_string_equal(show(&out, "", 0), "");
    buffer_fini(&out);
}

static void test_controls_are_escaped(void **state) {
    struct buffer out;
    buffer_init(&out, 1 << 16);
    assert_string_equal(show(&out, "a\033[2Jb\r\n\tc\x7F", 11), "a\\u001b[2Jb\\u000d\\u000a\\u0009c\\u007f");
    assert_string_equal(show(&out,
                             "\xC2\x9B"
                             "31m",
                             5),
                        "\\u009b31m");                                        /* C1: CSI */
    assert_string_equal(show(&out, "\xE2\x80\xAE", 3), "\\u202e");            /* right to left */
    assert_string_equal(show(&out, "\xF3\xA0\x81\x81", 4), "\\udb40\\udc41"); /* a tag */
    assert_string_equal(show(&out,
                             "\x9B"
                             "1m\xFF",
                             4),
                        "\\x9b1m\\xff"); /* no UTF-8 */
    assert_string_equal(show(&out, "a\0b", 3), "a\\u0000b");
    buffer_fini(&out);
}

static void test_json_keeps_its_values(void **state) {
    struct buffer out;
    buffer_init(&out, 1 << 16);
    assert_string_equal(show_json(&out, "{\"a\":\"x\\n\xC2\x9B\",\r\n\t\"b\":1}"),
                        "{\"a\":\"x\\n\\u009b\",   \"b\":1}");
    assert_string_equal(show_json(&out, "\"\xF3\xA0\x81\x81\x7F\""), "\"\\udb40\\udc41\\u007f\"");
    assert_string_equal(show_json(&out, "{\"name\":\"Möwe\"}"), "{\"name\":\"Möwe\"}");
    buffer_fini(&out);
}

static void test_no_byte_of_chance_is_a_control(void **state) {
    struct buffer out;
    uint64_t seed = 7;
    buffer_init(&out, 1 << 16);
    for (int round = 0; round < 2000; round++) {
        char bytes[24];
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (char)test_below(&seed, 256);
        }
        const char *shown = show(&out, bytes, sizeof bytes);
        for (size_t i = 0; i < out.length;) {
            const size_t size = utf8_character(shown + i, out.length - i);
            assert_true(size > 0);
            const uint32_t code_point = utf8_code_point(shown + i, size);
            assert_true(code_point >= 0x20 && (code_point < 0x7F || code_point > 0x9F));
            i += size;
        }
    }
    buffer_fini(&out);
}

static void test_width_counts_columns(void **state) {
    assert_int_equal(shown_text_width("abc", 3), 3);
    assert_int_equal(shown_text_width("鳥", 3), 2);
    assert_int_equal(shown_text_width("e\xCC\x81", 3), 1);
    assert_int_equal(shown_text_fit("a鳥b", 5, 2), 1);
    assert_int_equal(shown_text_fit("a鳥b", 5, 3), 4);
    assert_int_equal(shown_text_fit("abc", 3, 0), 0);
}

/* ==== text_table: columns, breaking, cutting ==== */

struct table_fixture {
    struct text_table table;
    struct buffer out;
};

static int set_up_table(void **state) {
    struct table_fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    text_table_init(&fixture->table);
    buffer_init(&fixture->out, 1 << 20);
    *state = fixture;
    return 0;
}

static int tear_down_table(void **state) {
    struct table_fixture *fixture = *state;
    text_table_fini(&fixture->table);
    buffer_fini(&fixture->out);
    free(fixture);
    return 0;
}

static void row_table(struct table_fixture *fixture, const char *name, const char *count, const char *help) {
    text_table_put(&fixture->table, text_table_column(&fixture->table, "name"), name);
    text_table_put(&fixture->table, text_table_column(&fixture->table, "count"), count);
    text_table_put(&fixture->table, text_table_column(&fixture->table, "help"), help);
    text_table_end_row(&fixture->table);
}

static const char *written(struct table_fixture *fixture, int width, bool has_color) {
    const struct text_style style = {.width = width, .has_color = has_color};
    buffer_clear(&fixture->out);
    text_table_write(&fixture->table, &style, &fixture->out);
    assert_false(fixture->out.failed);
    return fixture->out.data == NULL ? "" : fixture->out.data;
}

static void test_numbers_stand_at_the_right(void **state) {
    struct table_fixture *fixture = *state;
    row_table(fixture, "prey", "200", "");
    row_table(fixture, "鳥", "-7.5", "flies");
    row_table(fixture, "", "", "");
    assert_string_equal(written(fixture, 0, false), "name  count  help\n"
                                                    "prey    200\n"
                                                    "鳥     -7.5  flies\n"
                                                    "\n");
}

static void test_a_long_last_column_is_broken(void **state) {
    struct table_fixture *fixture = *state;
    row_table(fixture, "prey", "1", "one two three four five six seven eight");
    assert_string_equal(written(fixture, 40, false), "name  count  help\n"
                                                     "prey      1  one two three four five six\n"
                                                     "             seven eight\n");
    assert_string_equal(written(fixture, 20, false), "name  count  help\n"
                                                     "prey      1  one two\n");
}

static void test_a_word_longer_than_the_column_is_broken_too(void **state) {
    struct table_fixture *fixture = *state;
    text_table_put(&fixture->table, text_table_column(&fixture->table, "x"),
                   "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd");
    text_table_end_row(&fixture->table);
    assert_string_equal(written(fixture, 30, false), "x\naaaaaaaaaabbbbbbbbbbcccccccccc\ndddddddddd\n");
}

static void test_the_head_is_bold_in_color(void **state) {
    struct table_fixture *fixture = *state;
    row_table(fixture, "a", "1", "b");
    assert_string_equal(written(fixture, 0, true), "\033[1mname  count  help\033[0m\na         1  b\n");
}

static void test_cells_of_a_server_have_no_controls(void **state) {
    struct table_fixture *fixture = *state;
    row_table(fixture, "a\033[2Jb", "1", "\x9B");
    text_table_put(&fixture->table, text_table_column(&fixture->table, "c\033c"), "x");
    text_table_end_row(&fixture->table);
    assert_null(strchr(written(fixture, 0, false), '\033'));
    assert_null(strchr(written(fixture, 30, false), '\x9B'));
}

static void test_no_more_columns_than_there_is_room_for(void **state) {
    struct table_fixture *fixture = *state;
    char name[16];
    for (int i = 0; i < TEXT_TABLE_COLUMNS + 5; i++) {
        (void)snprintf(name, sizeof name, "c%d", i);
        text_table_put(&fixture->table, text_table_column(&fixture->table, name), "1");
    }
    text_table_end_row(&fixture->table);
    assert_int_equal(fixture->table.column_count, TEXT_TABLE_COLUMNS);
    assert_int_equal(text_table_column(&fixture->table, "c3"), 3);
    text_table_fini(&fixture->table);
    text_table_init(&fixture->table);
    assert_string_equal(written(fixture, 0, false), "");
}

#define TABLE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_table, tear_down_table)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_options_come_from_the_tables),
        cmocka_unit_test(test_arguments),
        VIEWS_TEST(test_a_short_reply_is_a_line),
        VIEWS_TEST(test_lists_are_tables),
        VIEWS_TEST(test_rows_with_lists_stand_one_below_the_other),
        VIEWS_TEST(test_nothing_of_a_server_is_a_control),
        VIEWS_TEST(test_frames),
        VIEWS_TEST(test_fields_and_agents_are_read_strictly),
        VIEWS_TEST(test_rates_are_of_the_same_run),
        VIEWS_TEST(test_ranks_of_a_cluster),
        WORDS_TEST(test_lines_become_requests),
        WORDS_TEST(test_mistakes_name_what_is_wrong),
        WORDS_TEST(test_each_command_has_options_of_its_request),
        WORDS_TEST(test_any_request_can_be_asked),
        cmocka_unit_test(test_plain_text_stays),
        cmocka_unit_test(test_controls_are_escaped),
        cmocka_unit_test(test_json_keeps_its_values),
        cmocka_unit_test(test_no_byte_of_chance_is_a_control),
        cmocka_unit_test(test_width_counts_columns),
        TABLE_TEST(test_numbers_stand_at_the_right),
        TABLE_TEST(test_a_long_last_column_is_broken),
        TABLE_TEST(test_a_word_longer_than_the_column_is_broken_too),
        TABLE_TEST(test_the_head_is_bold_in_color),
        TABLE_TEST(test_cells_of_a_server_have_no_controls),
        TABLE_TEST(test_no_more_columns_than_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
