/* Lines with requests: reading them, batches, columns, unknown members. */

#include "tests/unit/common/test_support.h"

#include <math.h>
#include <stdio.h>

#include "common/base/buffer.h"
#include "common/json/field_json.h"
#include "common/json/json_check.h"
#include "common/protocol/line_reader.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "common/protocol/request_batch.h"
#include "common/protocol/request_extra.h"
#include "common/text/base64.h"
#include "tests/support/request_decode.h"
#include "tests/unit/common/protocol/request_lines.h"

/* ==== line_reader: the same lines for any pieces of the stream; too-long lines are reported once ==== */

enum { MAX_LINE = 16, TRACE_BYTES = 4096 };

/* Feeds text in pieces and writes the events: "<line>" or "!". */
static void trace_lines(const char *text, size_t length, size_t (*piece)(uint64_t *), uint64_t seed,
                        char *trace) {
    struct line_reader reader;
    line_reader_init(&reader, MAX_LINE);
    size_t used = 0;
    trace[0] = '\0';
    for (size_t at = 0; at < length;) {
        size_t room = 0;
        char *space = line_reader_reserve(&reader, piece(&seed), &room);
        assert_non_null(space);
        assert_true(room > 0);
        size_t count = piece(&seed);
        count = count > room ? room : count;
        count = count > length - at ? length - at : count;
        memcpy(space, text + at, count);
        line_reader_commit(&reader, count);
        at += count;
        char *line = NULL;
        size_t line_length = 0;
        enum line_event event;
        while ((event = line_reader_next(&reader, &line, &line_length)) != LINE_NEED_MORE) {
            if (event == LINE_TOO_LONG) {
                used += (size_t)snprintf(trace + used, TRACE_BYTES - used, "!");
            } else {
                assert_int_equal(line[line_length], '\0');
                used += (size_t)snprintf(trace + used, TRACE_BYTES - used, "<%s>", line);
            }
            assert_true(used < TRACE_BYTES);
        }
        assert_true(reader.end - reader.begin <= MAX_LINE + 1);
    }
    line_reader_fini(&reader);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): one of a table of functions */
static size_t one_byte(uint64_t *seed) {
    (void)seed;
    return 1;
}
/* NOLINTNEXTLINE(readability-non-const-parameter) */
static size_t all_at_once(uint64_t *seed) {
    (void)seed;
    return 4096;
}
static size_t random_piece(uint64_t *seed) {
    return 1 + test_below(seed, 40);
}

static const char mixed[] =
    "one\ntwo\r\n\n\r\n0123456789abcdef\n0123456789abcdef\r\n0123456789abcdefg\nafter\n"
    "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz\nx\n"
    "0123456789abcde\r\r\n0123456789abcdef\r\r\nlast\nhalf";
static const char expected[] =
    "<one><two><><><0123456789abcdef><0123456789abcdef>!<after>!<x><0123456789abcde\r>!<last>";

static void cuts_the_same_lines_however_they_come(void **state) {
    char trace[TRACE_BYTES];
    trace_lines(mixed, sizeof mixed - 1, all_at_once, 0, trace);
    assert_string_equal(trace, expected);
    trace_lines(mixed, sizeof mixed - 1, one_byte, 0, trace);
    assert_string_equal(trace, expected);
    for (uint64_t seed = 1; seed < 300; seed++) {
        trace_lines(mixed, sizeof mixed - 1, random_piece, seed, trace);
        assert_string_equal(trace, expected);
    }
}

static void an_endless_line_costs_bounded_memory(void **state) {
    struct line_reader reader;
    line_reader_init(&reader, MAX_LINE);
    int reports = 0;
    for (int i = 0; i < 10000; i++) {
        size_t room = 0;
        char *space = line_reader_reserve(&reader, 64, &room);
        assert_non_null(space);
        memset(space, 'z', 64);
        line_reader_commit(&reader, 64);
        char *line = NULL;
        size_t length = 0;
        enum line_event event;
        while ((event = line_reader_next(&reader, &line, &length)) != LINE_NEED_MORE) {
            assert_int_equal(event, LINE_TOO_LONG);
            reports++;
        }
    }
    assert_int_equal(reports, 1);
    assert_true(reader.capacity < 512);
    line_reader_fini(&reader);
}

static void keeps_nul_bytes_in_a_line(void **state) {
    struct line_reader reader;
    line_reader_init(&reader, MAX_LINE);
    size_t room = 0;
    char *space = line_reader_reserve(&reader, 4, &room);
    assert_non_null(space);
    memcpy(space, "a\0b\n", 4);
    line_reader_commit(&reader, 4);
    char *line = NULL;
    size_t length = 0;
    assert_int_equal(line_reader_next(&reader, &line, &length), LINE_READY);
    assert_int_equal(length, 3);
    assert_memory_equal(line, "a\0b", 4);
    assert_int_equal(line_reader_next(&reader, &line, &length), LINE_NEED_MORE);
    line_reader_fini(&reader);
}

/* Feeds the text, ends the stream and returns the lines behind the last newline, as trace_lines writes them.
 */
static void expect_last(const char *text, const char *last) {
    struct line_reader reader;
    line_reader_init(&reader, MAX_LINE);
    size_t room = 0, length = strlen(text), line_length = 0;
    char *line = NULL, trace[64] = "";
    char *space = line_reader_reserve(&reader, length, &room);
    assert_non_null(space);
    memcpy(space, text, length);
    line_reader_commit(&reader, length);
    while (line_reader_next(&reader, &line, &line_length) != LINE_NEED_MORE) {}
    assert_int_equal(line_reader_end(&reader), 0);
    assert_int_equal(line_reader_end(&reader), 0); /* ends only once */
    enum line_event event;
    while ((event = line_reader_next(&reader, &line, &line_length)) != LINE_NEED_MORE) {
        const size_t used = strlen(trace);
        (void)snprintf(trace + used, sizeof trace - used, event == LINE_READY ? "<%s>" : "!", line);
    }
    assert_string_equal(trace, last);
    line_reader_fini(&reader);
}

static void the_end_of_the_stream_ends_a_line(void **state) {
    expect_last("", "");
    expect_last("one\n", "");
    expect_last("one\ntwo", "<two>");
    expect_last("two\r", "<two>");
    expect_last("0123456789abcdef", "<0123456789abcdef>");
    expect_last("0123456789abcdefg", ""); /* was reported as too long already */
    expect_last("0123456789abcdefghij", "");
}

/* ==== request_batch: members are decoded as requests that come alone, and refused with their place ==== */

static void members_are_requests(void **state) {
    static const char text[] = "{\"op\":\"batch\",\"id\":\"all\",\"requests\":["
                               "{\"op\":\"spawn\",\"id\":7,\"kind\":\"prey\",\"count\":3},"
                               "{\"op\":\"set_target\",\"agents\":[1,2],\"x\":[1,2.5],\"y\":[3,4]},"
                               "{\"op\":\"remove\",\"agent\":5,\"agnet\":6}]}";
    struct request request;
    struct request copy;
    struct failure failure;
    assert_int_equal(request_decode(text, sizeof text - 1, &request, &failure), 0);
    assert_int_equal(request.op, REQUEST_BATCH);
    assert_int_equal(request_member_count(&request), 3);
    assert_int_equal(request_member(&request, 0)->body.spawn.count, 3);
    assert_string_equal(request_member(&request, 0)->id, "7");
    assert_non_null(request_member(&request, 1)->extra);
    assert_string_equal(request_member(&request, 2)->unknown, "agnet\n");
    assert_true(request_extra_bytes(&request) >=
                3 * sizeof request + request_extra_bytes(request_member(&request, 1)));
    request_copy(&copy, &request);
    request_fini(&request);
    assert_int_equal(request_member_count(&copy), 3);
    request_fini(&copy);
}

static void members_round_trip(void **state) {
    static const char text[] = "{\"op\":\"batch\",\"id\":\"all\",\"requests\":["
                               "{\"op\":\"set_target\",\"agents\":[1,2],\"x\":[1,2.5],\"y\":[3,4]},"
                               "{\"op\":\"remove\",\"id\":1,\"agent\":5},"
                               "{\"op\":\"add_obstacle\",\"circle\":[1,2,3]}]}\n";
    struct request request;
    struct failure failure;
    struct buffer out;
    buffer_init(&out, 4096);
    assert_int_equal(request_decode(text, sizeof text - 2, &request, &failure), 0);
    request_encode(&request, &out);
    assert_string_equal(out.data, text);
    request_fini(&request);
    buffer_fini(&out);
}

static void refused(const char *requests, enum failure_code code, const char *field, const char *message) {
    struct request request;
    struct failure failure;
    char text[512];
    (void)snprintf(text, sizeof text, "{\"op\":\"batch\",\"id\":1%s}", requests);
    assert_int_equal(request_decode(text, strlen(text), &request, &failure), -1);
    assert_string_equal(failure.field, field);
    assert_int_equal(failure.code, code);
    assert_int_equal(failure.has_index, strchr(field, '[') != NULL);
    assert_non_null(strstr(failure.message, message));
    assert_string_equal(request.id, "1");
    assert_null(request.extra);
}

static void a_wrong_member_is_named(void **state) {
    refused("", FAILURE_BAD_PARAM, "requests", "missing; expected");
    refused(",\"requests\":[]", FAILURE_BAD_PARAM, "requests", "an empty array");
    refused(",\"requests\":{}", FAILURE_BAD_PARAM, "requests", "not an array");
    refused(",\"requests\":[{\"op\":\"remove\",\"agent\":1},5]", FAILURE_INVALID, "requests[1]",
            "a request is");
    refused(",\"requests\":[[]]", FAILURE_INVALID, "requests[0]", "a request is");
    refused(",\"requests\":[{}]", FAILURE_INVALID, "requests[0].op", "missing");
    refused(",\"requests\":[{\"op\":5}]", FAILURE_INVALID, "requests[0].op", "expected a string");
    refused(",\"requests\":[{\"op\":\"fly\"}]", FAILURE_UNKNOWN_OP, "requests[0].op", "unknown op");
    refused(",\"requests\":[{\"op\":\"remove\",\"id\":-1}]", FAILURE_INVALID, "requests[0].id", "expected");
    refused(",\"requests\":[{\"op\":\"set_target\",\"agents\":[1,2],\"x\":[1],\"y\":[3,4]}]",
            FAILURE_BAD_PARAM, "requests[0].x", "");
    refused(",\"requests\":[{\"op\":\"remove\",\"agent\":1},{\"op\":\"spawn\",\"kind\":\"a\",\"count\":0}]",
            FAILURE_OUT_OF_RANGE, "requests[1].count", "");
}

static void only_what_can_be_undone_is_a_member(void **state) {
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        char text[128];
        (void)snprintf(text, sizeof text, ",\"requests\":[{\"op\":\"%s\",\"requests\":[]}]",
                       request_op_name((enum request_op)op));
        if (!request_has_trait((enum request_op)op, REQUEST_TRAIT_BATCH)) {
            refused(text, FAILURE_BAD_PARAM, "requests[0].op",
                    "cannot stand in a batch; these can: set_target");
        } else {
            assert_true(request_has_trait((enum request_op)op, REQUEST_TRAIT_CHANGES));
            assert_true(request_has_trait((enum request_op)op, REQUEST_TRAIT_WORLD));
            assert_false(request_has_trait((enum request_op)op, REQUEST_TRAIT_LOOP));
        }
    }
}

static void most_members(void **state) {
    struct request request;
    struct failure failure;
    struct buffer text;
    for (int count = LIMIT_BATCH; count <= LIMIT_BATCH + 1; count++) {
        buffer_init(&text, (size_t)1 << 16);
        buffer_append_text(&text, "{\"op\":\"batch\",\"requests\":[{\"op\":\"remove\",\"agent\":1}");
        for (int i = 1; i < count; i++) {
            buffer_append_text(&text, ",{\"op\":\"remove\",\"agent\":1}");
        }
        buffer_append_text(&text, "]}");
        const int result = request_decode(text.data, text.length, &request, &failure);
        assert_int_equal(result, count > LIMIT_BATCH ? -1 : 0);
        assert_int_equal(request_member_count(&request), result == 0 ? LIMIT_BATCH : 0);
        request_fini(&request);
        buffer_fini(&text);
    }
}

/* ==== request columns ====
 * common/protocol/request_columns, request_extra: columns of requests, their two forms, refusals, the round trip, and
 * whose memory they are. */

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

/* ==== Members that an op does not know: which are noted, how they are sanitized, and the hints ==== */

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
         "step takes count, return, fields, region, kinds, nearest, rays, until\"}"},
        {"{\"op\":\"pause\",\"wibble\":5}",
         "{\"unknown\":[\"wibble\"],\"hint\":\"pause takes nothing but an id\"}"},
        {"{\"op\":\"spawn\",\"type\":\"a\",\"wibble\":5}", /* refused: kind is missing */
         "{\"unknown\":[\"type\",\"wibble\"],\"hint\":\"\\\"type\\\": did you mean \\\"kind\\\"? spawn takes "
         "kind, "
         "count, x, y, radius, spacing, vx, vy, heading\"}"},
        {"{\"op\":\"spawn\",\"kind\":7,\"wibble\":5}", /* refused before the end was seen */
         "{\"unknown\":[\"wibble\"],\"hint\":\"spawn takes kind, count, x, y, radius, spacing, vx, vy, "
         "heading\"}"},
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
    "\"unknown\":[\"ticking\"],\"hint\":\"step takes count, return, fields, region, kinds, nearest, rays, "  \
    "until\""
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
        cmocka_unit_test(cuts_the_same_lines_however_they_come),
        cmocka_unit_test(an_endless_line_costs_bounded_memory),
        cmocka_unit_test(the_end_of_the_stream_ends_a_line),
        cmocka_unit_test(keeps_nul_bytes_in_a_line),
        cmocka_unit_test(members_are_requests),
        cmocka_unit_test(members_round_trip),
        cmocka_unit_test(a_wrong_member_is_named),
        cmocka_unit_test(only_what_can_be_undone_is_a_member),
        cmocka_unit_test(most_members),
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
        cmocka_unit_test(says_what_was_meant),
        cmocka_unit_test(what_an_op_takes_is_known),
        cmocka_unit_test(it_is_bounded),
        cmocka_unit_test(answers_carry_it),
        cmocka_unit_test(suggestions_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
