/* common/options: values, refusals that name the flag, --help with the defaults. */
#include "common/system/options.h"

#include <stdio.h>

#include "tests/unit/common/test_support.h"

struct settings {
    char listen[64];
    uint32_t port;
    double scale;
    uint64_t seed;
    int log;
    bool paused;
};

static const char *const levels[] = {"error", "warn", "info", NULL};

static const struct field table[] = {
    OPTION_TEXT(struct settings, listen, "listen", "ADDR", "Address to listen on."),
    OPTION_NUMBER(struct settings, port, "port", 0, 65535, 7717, "N", "Port; 0 takes a free one."),
    OPTION_NUMBER(struct settings, scale, "scale", 0.1, 10, 1, "X", "Scale."),
    OPTION_NUMBER(struct settings, seed, "seed", 0, 9007199254740991.0, 1, "N", "Seed."),
    {.name = "log",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct settings, log),
     .initial = 2,
     .choices = levels,
     .unit = "LEVEL",
     .help = "How much is logged."},
    OPTION_FLAG(struct settings, paused, "paused", "Starts paused."),
    OPTIONS_END,
};

static const struct options_def def = {
    .program = "drover-test",
    .summary = "Tests options.",
    .positional = "[SCENARIO]",
    .positional_help = "What to run.",
    .table = table,
    .epilog = "The end.",
};

enum { MOST_ARGUMENTS = 12 };

/* Splits at spaces: the first word is the program. */
static enum options_result parse(const char *line, struct settings *settings, const char **positional,
                                 struct failure *failure) {
    static char text[512];
    char *arguments[MOST_ARGUMENTS + 1] = {NULL};
    int count = 0;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *at = text; at != NULL; count++) {
        assert_true(count < MOST_ARGUMENTS);
        arguments[count] = at;
        at = strchr(at, ' ');
        if (at != NULL) {
            *at++ = '\0';
        }
    }
    *settings = (struct settings){.listen = "127.0.0.1", .port = 7717, .scale = 1, .seed = 1, .log = 2};
    return options_parse(&def, count, arguments, settings, positional, failure);
}

static void reads_values(void **state) {
    struct settings settings;
    struct failure failure;
    const char *positional = "x";
    assert_int_equal(parse("p", &settings, &positional, &failure), OPTIONS_RUN);
    assert_null(positional);
    assert_int_equal(settings.port, 7717);
    assert_int_equal(
        parse("p --port 0 seek --listen=::1 --scale 0.25 --seed=9007199254740991 --log error --paused",
              &settings, &positional, &failure),
        OPTIONS_RUN);
    assert_string_equal(positional, "seek");
    assert_string_equal(settings.listen, "::1");
    assert_int_equal(settings.port, 0);
    assert_true(settings.scale == 0.25);
    assert_true(settings.seed == UINT64_C(9007199254740991));
    assert_int_equal(settings.log, 0);
    assert_true(settings.paused);
    assert_int_equal(parse("p --port 1 --port 2 -- --port", &settings, &positional, &failure), OPTIONS_RUN);
    assert_int_equal(settings.port, 2);
    assert_string_equal(positional, "--port");
}

static void refused(const char *line, const char *message) {
    struct settings settings;
    struct failure failure;
    const char *positional = NULL;
    assert_int_equal(parse(line, &settings, &positional, &failure), OPTIONS_BAD);
    assert_string_equal(failure.message, message);
}

static void names_the_flag_and_what_is_allowed(void **state) {
    refused("p --port 65536", "--port: 65536 is out of range: 0 to 65535");
    refused("p --port=-1", "--port: -1 is out of range: 0 to 65535");
    refused("p --port 1.5", "--port: expected an integer, found 1.5");
    refused("p --port abc", "--port: expected a number, found \"abc\"");
    refused("p --port 12x", "--port: expected a number, found \"12x\"");
    refused("p --port=", "--port: expected a number, found \"\"");
    refused("p --scale 1e999", "--scale: expected a number, found \"1e999\"");
    refused("p --port", "--port: needs a value: N");
    refused("p --log loud", "--log: \"loud\" is not one of \"error\", \"warn\", \"info\"");
    refused("p --paused=1", "--paused: takes no value");
    refused("p --fast", "--fast: unknown option; --help lists them");
    refused("p --por 1", "--por: unknown option; --help lists them");
    refused("p -p", "-p: unknown option; --help lists them");
    refused("p one two", "unexpected argument \"two\"; --help shows the usage");
    refused("p --listen 0123456789012345678901234567890123456789012345678901234567890123",
            "--listen: a text of 64 bytes is too long: at most 63");
}

static void help_and_version_end_it(void **state) {
    struct settings settings;
    struct failure failure;
    const char *positional = NULL;
    assert_int_equal(parse("p --port x --help", &settings, &positional, &failure), OPTIONS_EXIT);
    assert_int_equal(parse("p --version", &settings, &positional, &failure), OPTIONS_EXIT);
}

static void help_shows_ranges_and_defaults(void **state) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    options_print_help(&def, out);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "Usage: drover-test [OPTIONS] [SCENARIO]\nTests options.\n"));
    assert_non_null(
        strstr(text, "\n  --port N                Port; 0 takes a free one. (0 to 65535; default 7717)\n"));
    assert_non_null(
        strstr(text, "\n  --log LEVEL             How much is logged. (error, warn, info; default info)\n"));
    assert_non_null(strstr(text, "\n  --paused                Starts paused.\n"));
    assert_non_null(strstr(text, "\n  --help "));
    assert_non_null(strstr(text, "\nThe end.\n"));
    free(text);
}

static void test_a_negative_number_is_no_flag_where_several_arguments_are_taken(void **state) {
    struct options_def several = def;
    struct settings settings = {.port = 1};
    struct failure failure = {0};
    const char *first = NULL;
    char program[] = "p", a[] = "mouse", b[] = "-5", flag[] = "--port", port[] = "3", c[] = "-0.5",
         d[] = "-x";
    char *arguments[] = {program, a, b, flag, port, c, NULL};
    char *wrong[] = {program, d, NULL};
    several.takes_several = true;
    assert_int_equal(options_parse(&several, 6, arguments, &settings, &first, &failure), OPTIONS_RUN);
    assert_string_equal(arguments[1], "mouse");
    assert_string_equal(arguments[2], "-5");
    assert_string_equal(arguments[3], "-0.5");
    assert_null(arguments[4]);
    assert_int_equal(settings.port, 3);
    assert_int_equal(options_parse(&several, 2, wrong, &settings, &first, &failure), OPTIONS_BAD);
    char *single[] = {program, b, NULL};
    assert_int_equal(options_parse(&def, 2, single, &settings, &first, &failure), OPTIONS_BAD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_values),
        cmocka_unit_test(names_the_flag_and_what_is_allowed),
        cmocka_unit_test(help_and_version_end_it),
        cmocka_unit_test(help_shows_ranges_and_defaults),
        cmocka_unit_test(test_a_negative_number_is_no_flag_where_several_arguments_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
