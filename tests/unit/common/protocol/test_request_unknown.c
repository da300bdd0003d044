/* Members that an op does not know: which are noted, how they are sanitized, and the hints. */
#include "common/protocol/request.h"

#include <stdio.h>

#include "common/json/field_json.h"
#include "common/json/json_check.h"
#include "common/protocol/message.h"
#include "tests/unit/common/test_support.h"

/* The part of the reply about unknown members, with braces. */
static const char *remark(const char *line) {
    static char text[4096];
    struct request *request = malloc(sizeof *request);
    struct failure failure;
    struct buffer out;
    assert_non_null(request);
    buffer_init(&out, sizeof text - 1);
    const int result = request_decode(line, strlen(line), request, &failure);
    assert_true(result == 0 || result == -1); /* either way it says what was unknown */
    struct json_writer json = json_writer_begin(&out);
    json_object(&json);
    request_unknown_write(request, &json);
    json_end(&json);
    assert_false(out.failed);
    memcpy(text, out.data, out.length + 1);
    const struct json_limits limits = json_limits_line();
    struct json_fault fault;
    assert_int_equal(json_check(text, strlen(text), &limits, &fault), JSON_FINE);
    buffer_fini(&out);
    if (result == 0) {
        request_fini(request);
    }
    free(request);
    return text;
}

static void says_what_was_meant(void **state) {
    static const char *const cases[][2] = {
        {"{\"op\":\"spawn\",\"kind\":\"a\",\"cuont\":5}",
         "{\"unknown\":[\"cuont\"],\"hint\":\"\\\"cuont\\\": did you mean \\\"count\\\"?\"}"},
        {"{\"op\":\"subscribe\",\"rate\":5,\"Region\":[0,0,1,1],\"ID\":3}",
         "{\"unknown\":[\"rate\",\"Region\",\"ID\"],\"hint\":\"\\\"rate\\\": did you mean \\\"hz\\\"? "
         "\\\"Region\\\": did you mean \\\"region\\\"? \\\"ID\\\": did you mean \\\"id\\\"?\"}"},
        {"{\"op\":\"step\",\"agent\":5}",
         "{\"unknown\":[\"agent\"],\"hint\":\"\\\"agent\\\" is a member of "
         "set_target, remove, set_param, inspect and others; "
         "step takes count, return, fields, region, kinds, nearest, until\"}"},
        {"{\"op\":\"pause\",\"wibble\":5}",
         "{\"unknown\":[\"wibble\"],\"hint\":\"pause takes nothing but an id\"}"},
        {"{\"op\":\"spawn\",\"type\":\"a\",\"wibble\":5}", /* refused: kind is missing */
         "{\"unknown\":[\"type\",\"wibble\"],\"hint\":\"\\\"type\\\": did you mean \\\"kind\\\"? spawn takes "
         "kind, "
         "count, x, y, radius, vx, vy, heading\"}"},
        {"{\"op\":\"spawn\",\"kind\":7,\"wibble\":5}", /* refused before the end was seen */
         "{\"unknown\":[\"wibble\"],\"hint\":\"spawn takes kind, count, x, y, radius, vx, vy, heading\"}"},
        {"{\"op\":\"ping\",\"\":1,\"a\\u0007\\nb\\\"\":1}",
         "{\"unknown\":[\"\",\"a??b\\\"\"],\"hint\":\"ping takes t0\"}"},
        {"{\"op\":\"inspect\",\"ids\":[1],\"X\":1}",
         "{\"unknown\":[\"ids\",\"X\"],\"hint\":\"\\\"ids\\\": did you mean \\\"agents\\\"? inspect takes "
         "agent, agents\"}"},
        {"{\"op\":\"mouse\",\"X\":1,\"pos\":2,\"y\":3}",
         "{\"unknown\":[\"X\",\"pos\"],\"hint\":\"\\\"X\\\": did you mean \\\"x\\\"? \\\"pos\\\": did you "
         "mean \\\"x\\\"?\"}"},
        {"{\"op\":\"fly\",\"wibble\":5}", "{}"}, /* no op, nothing to compare with */
        {"{\"op\":\"ping\",\"wibble\":", "{}"},
        {"{\"op\":\"ping\",\"id\":-1,\"wibble\":1}", "{}"},
        {"{\"op\":\"add_obstacle\",\"circle\":[1,2,3]}", "{}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(remark(cases[i][0]), cases[i][1]);
    }
}

/* Every field of every op is known to it, alone and with an id. */
static void what_an_op_takes_is_known(void **state) {
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        for (const struct field *field = request_fields((enum request_op)op); field->type != FIELD_END;
             field++) {
            char line[256];
            (void)snprintf(line, sizeof line, "{\"%s\":null,\"id\":1,\"op\":\"%s\"}", field->name,
                           request_op_name((enum request_op)op));
            assert_string_equal(remark(line), "{}");
        }
    }
}

static void it_is_bounded(void **state) {
    char line[65536] = "{\"op\":\"ping\"";
    size_t used = strlen(line);
    for (int i = 0; i < 200; i++) {
        used += (size_t)snprintf(
            line + used, sizeof line - used, ",\"%d%s\":0", i,
            "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"
            "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"
            "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"
            "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9");
    }
    line[used++] = '}';
    line[used] = '\0';
    assert_true(strlen(remark(line)) < 400);
    (void)snprintf(line, sizeof line,
                   "{\"op\":\"ping\",\"1\":0,\"2\":0,\"3\":0,\"4\":0,\"5\":0,\"6\":0,\"7\":0,\"8\":0,"
                   "\"9\":0}");
    assert_string_equal(remark(line), "{\"unknown\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\"],"
                                      "\"hint\":\"ping takes t0\"}");
}

static void answers_carry_it(void **state) {
    struct request *request = malloc(sizeof *request);
    struct failure failure = {0};
    struct buffer out;
    assert_non_null(request);
    buffer_init(&out, 4096);
    const char *line = "{\"op\":\"step\",\"id\":\"a\",\"ticking\":3}";
    assert_int_equal(request_decode(line, strlen(line), request, &failure), 0);
    struct json_writer json = message_begin_answer(request, &out);
    message_end_reply(&json, &out);
    message_write_unknown(request, 7, &out);
    (void)failure_set(&failure, FAILURE_BUSY, NULL, "no");
    message_write_refusal(request, 2, &failure, &out);
#define REMARK                                                                                               \
    "\"unknown\":[\"ticking\"],\"hint\":\"step takes count, return, fields, region, kinds, nearest, until\""
    assert_string_equal(
        out.data,
        "{\"op\":\"reply\",\"to\":\"step\",\"id\":\"a\"," REMARK "}\n"
        "{\"op\":\"event\",\"event\":\"unknown\",\"tick\":7,\"by\":0,\"to\":\"step\"," REMARK "}\n"
        "{\"op\":\"error\",\"id\":\"a\",\"line\":2,\"code\":\"busy\",\"message\":\"no\"," REMARK "}\n");
    buffer_fini(&out);
    free(request);
}

/* Each synonym leads to a field that some op has, and does not hide a field of that op. */
static void suggestions_exist(void **state) {
    static const char *const typed[] = {"rate",    "fps",     "target", "amount",    "ticks", "type",
                                        "ids",     "rect",    "world",  "key",       "user",  "password",
                                        "version", "command", "points", "properties"};
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++) {
        int found = 0;
        for (int op = 0; op < REQUEST_OP_COUNT; op++) {
            char line[256];
            (void)snprintf(line, sizeof line, "{\"op\":\"%s\",\"%s\":1}",
                           request_op_name((enum request_op)op), typed[i]);
            found += strstr(remark(line), "did you mean") != NULL;
        }
        assert_true(found > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_was_meant), cmocka_unit_test(what_an_op_takes_is_known),
        cmocka_unit_test(it_is_bounded),       cmocka_unit_test(answers_carry_it),
        cmocka_unit_test(suggestions_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
