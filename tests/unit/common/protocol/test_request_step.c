/* common/protocol/request_step, and the views of get and step: what is read, refused, and written again. */
#include "common/protocol/request_extra.h"

#include "tests/unit/common/protocol/request_lines.h"

/* Decoded and encoded, the line is this one. */
static struct request comes_back(const char *text, const char *as) {
    const struct request request = decoded(text);
    struct buffer out;
    buffer_init(&out, 4096);
    request_encode(&request, &out);
    out.data[out.length - 1] = '\0';
    assert_string_equal(out.data, as);
    buffer_fini(&out);
    return request;
}

static void steps_come_back(void **state) {
    static const char *const lines[] = {
        "{\"op\":\"step\"}",
        "{\"op\":\"step\",\"count\":7}",
        "{\"op\":\"step\",\"return\":\"objects\"}",
        "{\"op\":\"step\",\"region\":[0,1,2,3.5],\"count\":7,\"return\":\"packed\",\"fields\":[\"pos\"],"
        "\"kinds\":[\"a\",\"b\"]}",
        "{\"op\":\"step\",\"until\":{\"reached\":true},\"count\":5}",
        "{\"op\":\"step\",\"until\":{\"caught\":3},\"count\":100000}",
        "{\"op\":\"step\",\"until\":{\"tick\":9007199254740991},\"count\":5}",
        "{\"op\":\"step\",\"until\":{\"state\":{\"kind\":\"prey\",\"name\":\"flee\",\"count\":3}},\"count\":"
        "5}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        (void)comes_back(lines[i], lines[i]);
    }
    const struct request whole =
        comes_back("{\"op\":\"step\",\"until\":{\"state\":{\"kind\":\"a\",\"name\":\"b\"}}}",
                   "{\"op\":\"step\",\"until\":{\"state\":{\"kind\":\"a\",\"name\":\"b\","
                   "\"count\":1}},\"count\":100000}");
    assert_false(request_answers_with_frame(&whole));
}

static void refuses_bad_steps(void **state) {
    refused_line("{\"op\":\"step\",\"count\":0}", FAILURE_OUT_OF_RANGE, "count",
                 "0 is out of range: 1 to 100000");
    refused_line("{\"op\":\"step\",\"kinds\":[\"a\"]}", FAILURE_BAD_PARAM, "kinds",
                 "allowed only with return");
    refused_line("{\"op\":\"step\",\"until\":{\"caught\":0}}", FAILURE_OUT_OF_RANGE, "until.caught",
                 "0 is out of range: 1 to 100000000");
    refused_line("{\"op\":\"step\",\"until\":{\"never\":1}}", FAILURE_BAD_PARAM, "until.never",
                 "unknown key \"never\"; allowed: reached, caught, tick, state");
    refused_line("{\"op\":\"step\",\"until\":{\"state\":{\"kind\":\"a\"}}}", FAILURE_BAD_PARAM,
                 "until.state.name", "missing; expected a string");
    refused_line("{\"op\":\"step\",\"until\":{\"state\":3}}", FAILURE_BAD_PARAM, "until.state",
                 "expected an object, found a number");
    refused_line("{\"op\":\"step\",\"until\":{\"tick\":3,\"reached\":true}}", FAILURE_BAD_PARAM, "until",
                 "give exactly one of reached, caught, state, tick");
}

static void gets_come_back(void **state) {
    (void)comes_back("{\"op\":\"get\"}", "{\"op\":\"get\"}");
    struct request request =
        comes_back("{\"op\":\"get\",\"agents\":[3,1],\"region\":[0,0,1,1],\"layout\":\"packed\"}",
                   "{\"op\":\"get\",\"region\":[0,0,1,1],\"agents\":[3,1],\"layout\":\"packed\"}");
    assert_int_equal(request_columns_of(&request)->count, 2);
    assert_true(request_answers_with_frame(&request));
    request_fini(&request);
    refused_line("{\"op\":\"get\",\"layout\":\"density\"}", FAILURE_BAD_PARAM, "layout",
                 "\"density\" is not one of \"objects\", \"packed\"");
    refused_line("{\"op\":\"get\",\"fields\":[\"speed\"]}", FAILURE_BAD_PARAM, "fields",
                 "no field \"speed\"; allowed: pos, vel, heading, state, kind, stamina, force, desired");
    refused_line("{\"op\":\"get\",\"region\":[1]}", FAILURE_BAD_PARAM, "region",
                 "expected [x, y, width, height]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_come_back),
        cmocka_unit_test(refuses_bad_steps),
        cmocka_unit_test(gets_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
