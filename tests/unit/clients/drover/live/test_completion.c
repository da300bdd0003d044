/* clients/drover/live/completion: what is offered, and what is left to a server or the shell. */
#include "clients/drover/live/live.h"

#include <stdio.h>

#include "tests/unit/common/test_support.h"

enum { MOST = 12 };

/* Splits at blanks; a blank at the end leaves an empty last word. */
static enum completion_source find(const char *line, struct buffer *out) {
    static char text[256];
    char *words[MOST] = {NULL};
    int count = 0;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *at = text; at != NULL && count < MOST; count++) {
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_options_come_from_the_tables),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
