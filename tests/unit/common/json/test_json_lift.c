/* common/json_lift: kept, replaced and refused strings; the pieces put together give the line. */
#include "common/json/json_text.h"

#include "tests/unit/common/test_support.h"

#define LONG "0123456789012345678901234567890123456789012345678901234567890123456789"

static void expect(struct json_lift *lift, const char *line, const char *wanted) {
    char *copy = test_exact_copy(line, strlen(line));
    assert_int_equal(json_lift_read(lift, copy, strlen(line)), 0);
    assert_string_equal(lift->line.data == NULL ? "" : lift->line.data, wanted);
    free(copy);
}

static void long_strings_are_lifted(void **state) {
    struct json_lift lift;
    json_lift_init(&lift);
    expect(&lift, "", "");
    expect(&lift, "{\"a\":\"b\",\"c\":[1,\"\"]}", "{\"a\":\"b\",\"c\":[1,\"\"]}");
    static const char line[] = "{\"a\":\"" LONG "\",\"b\":\"" LONG "x\",\"c\":\"\\\"" LONG "\",\"d\":1}";
    assert_int_equal(json_lift_read(&lift, line, sizeof line - 1), 0);
    assert_string_equal(lift.line.data, "{\"a\":\"#0\",\"b\":\"#1\",\"c\":\"\\\"" LONG "\",\"d\":1}");
    size_t length = 0;
    const char *text = json_lift_text(&lift, "#1", &length);
    assert_int_equal(length, 71);
    assert_memory_equal(text, LONG "x", 71);
    assert_string_equal(json_lift_text(&lift, "plain", &length), "plain");
    assert_int_equal(length, 5);
    assert_string_equal(json_lift_text(&lift, "#2", &length), "#2"); /* nothing there */
    assert_string_equal(json_lift_text(&lift, "#99999999999", &length), "#99999999999");
    json_lift_fini(&lift);
}

static void a_sharp_of_its_own_is_refused(void **state) {
    struct json_lift lift;
    json_lift_init(&lift);
    static const char *const lines[] = {"{\"a\":\"#0\"}", "{\"#\":1}", "[\"" LONG "\",\"#0\"]", "\"#"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_int_equal(json_lift_read(&lift, lines[i], strlen(lines[i])), -1);
    }
    json_lift_fini(&lift);
}

/* Lines that end anywhere, and any bytes at all: no byte outside is read, none is lost. */
static void anything_can_be_put_back(void **state) {
    static const char alphabet[] = "\"\"\\ab{}:,";
    uint64_t random = 17;
    struct json_lift lift;
    json_lift_init(&lift);
    for (int round = 0; round < 3000; round++) {
        const size_t length = test_below(&random, 900);
        char *line = malloc(length + 1);
        assert_non_null(line);
        for (size_t i = 0; i < length; i++) {
            line[i] = test_below(&random, 40) == 0 ? alphabet[test_below(&random, 9)] : 'x';
        }
        char *exact = test_exact_copy(line, length);
        assert_int_equal(json_lift_read(&lift, exact, length), 0);
        size_t lifted = 0;
        for (int i = 0; i < lift.count; i++) {
            assert_true(lift.lengths[i] > JSON_LIFT_BYTES);
            lifted += lift.lengths[i] - (i < 10 ? 2 : 3);
        }
        assert_int_equal(lift.line.length + lifted, length);
        free(exact);
        free(line);
    }
    json_lift_fini(&lift);
}

static void more_than_there_is_room_for(void **state) {
    struct json_lift lift;
    struct buffer line;
    json_lift_init(&lift);
    buffer_init(&line, 1 << 20);
    for (int i = 0; i < JSON_LIFT_MOST + 5; i++) {
        buffer_append_text(&line, "\"" LONG "\",");
    }
    assert_int_equal(json_lift_read(&lift, line.data, line.length), 0);
    assert_int_equal(lift.count, JSON_LIFT_MOST);
    assert_true(lift.line.length > 5 * 70);
    buffer_fini(&line);
    json_lift_fini(&lift);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_strings_are_lifted),
        cmocka_unit_test(a_sharp_of_its_own_is_refused),
        cmocka_unit_test(anything_can_be_put_back),
        cmocka_unit_test(more_than_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
