/* clients/drover/live/request_words: requests from a command line, and the options of the commands. */
#include "clients/drover/live/live.h"

#include <stdio.h>

#include "tests/unit/common/test_support.h"

enum { MOST = 16 };

struct fixture {
    struct request_words words;
    struct request_options options;
    struct buffer out;
    struct failure failure;
    char text[512];
};

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    buffer_init(&fixture->out, 1 << 20);
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    buffer_fini(&fixture->out);
    free(fixture);
    return 0;
}

/* Splits a line at blanks, reads its options, and writes the request: its JSON, or the message of the failure. */
static const char *request(struct fixture *fixture, const char *line) {
    char *arguments[MOST + 1] = {NULL};
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
    } while (at != NULL && count < MOST);
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

struct row {
    const char *line, *json;
};

static void test_lines_become_requests(void **state) {
    static const struct row rows[] = {
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
    static const struct row rows[] = {
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
    struct fixture *fixture = *state;
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

static const char *ask(struct fixture *fixture, const char *op, const char *first, const char *second) {
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

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_lines_become_requests),
        TEST(test_mistakes_name_what_is_wrong),
        TEST(test_each_command_has_options_of_its_request),
        TEST(test_any_request_can_be_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
