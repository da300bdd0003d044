/* common/protocol/request_columns, request_extra: columns of requests, their two forms, refusals, the round trip, and
 * whose memory they are. */
#include "common/protocol/request_extra.h"

#include <math.h>
#include <stdio.h>

#include "common/text/base64.h"
#include "tests/unit/common/protocol/request_lines.h"

enum { TEXT_BYTES = 1 << 16 };

/* {"op":"set_target","agents":AGENTS,"x":X,"y":Y} */
static const char *line_of(const char *agents, const char *x, const char *y) {
    static char text[TEXT_BYTES];
    (void)snprintf(text, sizeof text, "{\"op\":\"set_target\",\"agents\":%s,\"x\":%s,\"y\":%s}", agents, x,
                   y);
    return text;
}

/* A JSON string with the base64 of numbers of four bytes. */
static const char *packed(const void *values, size_t count) {
    static char texts[4][TEXT_BYTES / 4];
    static int next;
    char *text = texts[next++ % 4];
    char *end = text;
    *end++ = '"';
    end = base64_encode_integers(values, count, 4, end);
    *end++ = '"';
    *end = '\0';
    return text;
}

static void reads_arrays(void **state) {
    struct request request = decoded(line_of("[3,1,3]", "[1.5,-0.0,1e6]", "[0,0.25,-7]"));
    const struct request_columns *columns = request_columns_of(&request);
    assert_non_null(columns);
    assert_int_equal(columns->count, 3);
    assert_int_equal(columns->agents[0], 3);
    assert_int_equal(columns->agents[2], 3);
    const float *x = columns->values[REQUEST_COLUMN_X], *y = columns->values[REQUEST_COLUMN_Y];
    assert_true(x[0] == 1.5f && x[1] == 0.0f && !signbit(x[1]) && x[2] == 1e6f);
    assert_true(y[0] == 0.0f && y[1] == 0.25f && y[2] == -7.0f);
    assert_null(columns->values[REQUEST_COLUMN_VX]);
    assert_true(request.body.set_target.has_agents && request.body.set_target.has_point);
    assert_true(request_extra_bytes(&request) >= 9 * 4);
    request_fini(&request);
    assert_null(request.extra);
}

static void reads_base64(void **state) {
    const uint32_t agents[3] = {7, 4294967295u, 1};
    const float x[3] = {0.1f, -0.0f, -1e-44f}, y[3] = {1e-14f, 2.0f, 3.0f};
    struct request request = decoded(line_of(packed(agents, 3), packed(x, 3), packed(y, 3)));
    const struct request_columns *columns = request_columns_of(&request);
    assert_int_equal(columns->count, 3);
    assert_memory_equal(columns->agents, agents, sizeof agents);
    assert_true(columns->values[REQUEST_COLUMN_X][0] == 0.1f);
    const float zeros[2] = {0.0f, 0.0f}; /* without a sign */
    assert_memory_equal(columns->values[REQUEST_COLUMN_X] + 1, zeros, sizeof zeros);
    assert_memory_equal(columns->values[REQUEST_COLUMN_Y], y, sizeof y);
    request_fini(&request);
    request = decoded(line_of("[5]", "\"AACAPw==\"", "[2]")); /* forms may be mixed; 1.0 is 00 00 80 3f */
    assert_true(request_columns_of(&request)->values[REQUEST_COLUMN_X][0] == 1.0f);
    request_fini(&request);
}

static void no_rows_are_columns_too(void **state) {
    static const char *const lines[] = {
        "{\"op\":\"set_target\",\"agents\":[],\"x\":[],\"y\":[]}",
        "{\"op\":\"set_target\",\"agents\":\"\",\"x\":\"\",\"y\":[]}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct request request = decoded(lines[i]);
        assert_non_null(request_columns_of(&request));
        assert_int_equal(request_columns_of(&request)->count, 0);
        request_fini(&request);
    }
    struct request plain = decoded("{\"op\":\"set_target\",\"agent\":1,\"x\":1,\"y\":2}");
    assert_null(plain.extra);
    assert_null(request_columns_of(&plain));
}

static void refuses_other_lengths_and_types(void **state) {
    refused_line(line_of("[1,2]", "[1]", "[1,2]"), FAILURE_BAD_PARAM, "x",
                 "has 1 numbers, agents has 2; columns have the same length");
    refused_line(line_of("[1,2]", "[1,2]", "\"AACAPw==\""), FAILURE_BAD_PARAM, "y",
                 "has 1 numbers, agents has 2; columns have the same length");
    refused_line(line_of("[1]", "1", "[1]"), FAILURE_BAD_PARAM, "x",
                 "expected a number for each of agents: an array or base64 of float32");
    refused_line(line_of("7", "[1]", "[1]"), FAILURE_BAD_PARAM, "agents",
                 "expected an array, or base64 of 4 bytes each");
    refused_line("{\"op\":\"set_target\",\"agent\":1,\"x\":[1],\"y\":[1]}", FAILURE_BAD_PARAM, "agents",
                 "missing; x has a number for each of agents");
    refused_line("{\"op\":\"set_target\",\"kind\":\"a\",\"x\":1,\"y\":\"AACAPw==\"}", FAILURE_BAD_PARAM,
                 "agents", "missing; y has a number for each of agents");
    refused_line("{\"op\":\"set_target\",\"kind\":\"a\",\"x\":\"5\",\"y\":1}", FAILURE_BAD_PARAM, "x",
                 "expected a number, found a string");
    refused_line("{\"op\":\"set_target\",\"agents\":[1]}", FAILURE_BAD_PARAM, "x",
                 "agents go with x and y, which are columns");
    refused_line("{\"op\":\"set_target\",\"agents\":[1],\"clear\":true}", FAILURE_BAD_PARAM, "clear",
                 "agents go with x and y, which are columns");
    refused_line("{\"op\":\"set_target\",\"agents\":[1],\"x\":[1]}", FAILURE_BAD_PARAM, "y",
                 "x and y go together");
    refused_line("{\"op\":\"mouse\",\"x\":[1],\"y\":[1]}", FAILURE_BAD_PARAM, "x",
                 "expected a number, found an array");
}

static void place_takes_any_of_its_columns(void **state) {
    struct request request = decoded(
        "{\"op\":\"place\",\"agents\":[1,2],\"heading\":[-360,90],\"vx\":[1,2],\"vy\":\"AACAPwAAgD8=\"}");
    const struct request_columns *columns = request_columns_of(&request);
    assert_true(columns->values[REQUEST_COLUMN_HEADING][0] == -360.0f);
    assert_true(columns->values[REQUEST_COLUMN_VY][1] == 1.0f);
    assert_null(columns->values[REQUEST_COLUMN_X]);
    assert_true(request_columns_radians(90.0f) == 1.57079632679f);
    request_fini(&request);
    refused_line("{\"op\":\"place\",\"agents\":[1],\"heading\":[361]}", FAILURE_OUT_OF_RANGE, "heading[0]",
                 "361 is out of range: -360 to 360 deg");
    refused_line("{\"op\":\"place\",\"agents\":[1],\"stamina\":[-1]}", FAILURE_OUT_OF_RANGE, "stamina[0]",
                 "-1 is out of range: 0 to 1000000");
    refused_line("{\"op\":\"place\",\"agents\":[1]}", FAILURE_BAD_PARAM, "x",
                 "missing; give x and y, vx and vy, heading or stamina");
    refused_line("{\"op\":\"place\",\"agent\":1,\"vx\":3}", FAILURE_BAD_PARAM, "vy", "vx and vy go together");
    refused_line("{\"op\":\"place\",\"agent\":1,\"stamina\":[3]}", FAILURE_BAD_PARAM, "agents",
                 "missing; stamina has a number for each of agents");
    refused_line("{\"op\":\"place\",\"x\":1,\"y\":3}", FAILURE_BAD_PARAM, "agent",
                 "missing; give exactly one of agent, agents");
}

static void refuses_elements_by_their_index(void **state) {
    refused_line(line_of("[1,0]", "[1,1]", "[1,1]"), FAILURE_OUT_OF_RANGE, "agents[1]",
                 "0 is out of range: 1 to 4294967295");
    refused_line(line_of("[1,1.5]", "[1,1]", "[1,1]"), FAILURE_BAD_PARAM, "agents[1]",
                 "expected an integer, found 1.5");
    refused_line(line_of("[1,true]", "[1,1]", "[1,1]"), FAILURE_BAD_PARAM, "agents[1]",
                 "expected an integer, found a bool");
    refused_line(line_of("[1]", "[null]", "[1]"), FAILURE_BAD_PARAM, "x[0]", "expected a number, found null");
    refused_line(line_of("[1,2,3]", "[1,2,1000001]", "[1,2,3]"), FAILURE_OUT_OF_RANGE, "x[2]",
                 "1000001 is out of range: -1000000 to 1000000 px");
    const uint32_t zero[2] = {1, 0};
    refused_line(line_of(packed(zero, 2), "[1,1]", "[1,1]"), FAILURE_OUT_OF_RANGE, "agents[1]",
                 "agents 0 is out of range: 1 to 4294967295");
    const float odd[][2] = {{0.0f, NAN}, {0.0f, INFINITY}, {0.0f, -INFINITY}};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        refused_line(line_of("[1,2]", "[1,1]", packed(odd[i], 2)), FAILURE_OUT_OF_RANGE, "y[1]",
                     "y a number that is not finite is out of range: -1000000 to 1000000 px");
    }
    const float far[2] = {1000000.0f, 1000000.0625f};
    refused_line(line_of("[1,2]", packed(far, 2), "[1,1]"), FAILURE_OUT_OF_RANGE, "x[1]",
                 "x 1000000.0625 is out of range: -1000000 to 1000000 px");
}

static void refuses_what_is_no_base64(void **state) {
    static const char *const bad[] = {"\"AAAA\"", "\"A\"", "\"AACAPw\"", "\"not base64\"",
                                      "\"AACAPw==AACAPw==\""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        refused_line(line_of("[1]", bad[i], "[1]"), FAILURE_BAD_PARAM, "x",
                     "not base64 with padding of 4 bytes each, in little-endian order");
    }
    refused_line(line_of("[1]", "\"AAC!Pw==\"", "[1]"), FAILURE_BAD_PARAM, "x",
                 "not base64 (RFC 4648 with padding, one text for one sequence of bytes)");
    refused_line(line_of("[1]", "\"AACAPx==\"", "[1]"), FAILURE_BAD_PARAM, "x",
                 "not base64 (RFC 4648 with padding, one text for one sequence of bytes)");
}

/* As arrays and as base64, and for lengths around the change between them. */
static void encoding_gives_the_same_bits(void **state) {
    uint64_t random = 17;
    struct buffer out;
    buffer_init(&out, TEXT_BYTES);
    for (size_t count = 0; count < 140; count++) {
        uint32_t agents[140];
        float x[140], y[140];
        for (size_t i = 0; i < count; i++) {
            agents[i] = 1 + test_below(&random, 4000000000u);
            x[i] = (float)test_below(&random, 2000000000u) / 1000.0f - 1e6f;
            y[i] = (float)test_below(&random, 1000u) / 7.0f;
        }
        struct request request = decoded(line_of(packed(agents, count), packed(x, count), packed(y, count)));
        buffer_clear(&out);
        request_encode(&request, &out);
        assert_false(out.failed);
        assert_int_equal(strstr(out.data, "[") != NULL, count <= 64);
        out.data[out.length - 1] = '\0';
        struct request again = decoded(out.data);
        const struct request_columns *one = request_columns_of(&request), *other = request_columns_of(&again);
        assert_int_equal(one->count, count);
        assert_int_equal(other->count, count);
        assert_memory_equal(other->agents, agents, count * 4);
        assert_memory_equal(other->values[REQUEST_COLUMN_X], one->values[REQUEST_COLUMN_X], count * 4);
        assert_memory_equal(other->values[REQUEST_COLUMN_Y], one->values[REQUEST_COLUMN_Y], count * 4);
        request_fini(&request);
        request_fini(&again);
    }
    buffer_fini(&out);
}

static void copies_share_the_columns(void **state) {
    struct request request = decoded(line_of("[3]", "[1]", "[2]")), copy, third;
    request_copy(&copy, &request);
    request_copy(&third, &copy);
    request_fini(&request);
    request_fini(&copy);
    assert_int_equal(request_columns_of(&third)->agents[0], 3);
    request_fini(&third);
    request_fini(&third); /* it has none any more */
}

/* The requests of a batch end with it, whatever they hold. */
static void members_go_with_their_batch(void **state) {
    struct request batch = request_default(REQUEST_PING);
    batch.extra = request_extra_create(2 * sizeof(struct request));
    assert_non_null(batch.extra);
    batch.extra->members = request_extra_tail(batch.extra);
    batch.extra->members[0] = decoded(line_of("[3]", "[1]", "[2]"));
    batch.extra->members[1] = decoded("{\"op\":\"pause\"}");
    batch.extra->member_count = 2;
    assert_null(request_columns_of(&batch));
    request_fini(&batch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_arrays),
        cmocka_unit_test(reads_base64),
        cmocka_unit_test(no_rows_are_columns_too),
        cmocka_unit_test(refuses_other_lengths_and_types),
        cmocka_unit_test(place_takes_any_of_its_columns),
        cmocka_unit_test(refuses_elements_by_their_index),
        cmocka_unit_test(refuses_what_is_no_base64),
        cmocka_unit_test(encoding_gives_the_same_bits),
        cmocka_unit_test(copies_share_the_columns),
        cmocka_unit_test(members_go_with_their_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
