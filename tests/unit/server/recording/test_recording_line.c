/* The lines of a recording: every op written and read back, what is skipped, what is refused; and that a request
 * which is written into a recording comes back to the same bits. */
#include "tests/unit/server/cmocka_all.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request.h"
#include "server/recording/recording_line.h"
#include "tests/unit/common/protocol/request_same.h"

enum { ROOM = 8 * 1024 * 1024 };

static uint64_t random_state = 7;

/* xorshift64 */
static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static struct buffer written(const struct recording_line *line) {
    struct buffer out;
    buffer_init(&out, ROOM);
    recording_line_write(line, &out);
    assert_false(out.failed);
    assert_int_equal(out.data[out.length - 1], '\n');
    return out;
}

static struct recording_line read_back(const struct buffer *text) {
    struct recording_line line;
    struct failure failure = {0};
    if (recording_line_read(text->data, text->length - 1, &line, &failure) != 0) {
        fail_msg("%s: %s", text->data, failure.message);
    }
    return line;
}

static void assert_refused(const char *text, const char *field) {
    struct recording_line line;
    struct failure failure = {0};
    assert_int_equal(recording_line_read(text, strlen(text), &line, &failure), -1);
    assert_int_equal(failure.code, FAILURE_BAD_SAVE);
    assert_string_equal(failure.field, field);
    assert_true(failure.message[0] != '\0');
}

static struct recording_line read_text(const char *text) {
    struct recording_line line;
    struct failure failure = {0};
    if (recording_line_read(text, strlen(text), &line, &failure) != 0) {
        fail_msg("%s: %s", text, failure.message);
    }
    return line;
}

static void drover_line_comes_back(void **state) {
    const struct recording_line line = {.op = RECORDING_DROVER,
                                        .format = RECORDING_FORMAT,
                                        .core = 3,
                                        .server = "drover-server 0.1.0",
                                        .started = "2026-11-21T19:00:00Z",
                                        .build = "gcc \"12.2\", avx512"};
    struct buffer text = written(&line);
    const struct recording_line back = read_back(&text);
    assert_int_equal(back.op, RECORDING_DROVER);
    assert_int_equal(back.format, RECORDING_FORMAT);
    assert_int_equal(back.core, 3);
    assert_string_equal(back.server, line.server);
    assert_string_equal(back.started, line.started);
    assert_string_equal(back.build, line.build);
    buffer_fini(&text);
}

static void world_line_comes_back(void **state) {
    const char *scenario = "{\"name\":\"A \\u00e4 \\\\ \t\n\x01 \xE2\x82\xAC\"}";
    const struct recording_line line = {.op = RECORDING_WORLD,
                                        .world = 2,
                                        .tick = 0,
                                        .seq = UINT64_MAX,
                                        .by = UINT32_MAX,
                                        .name = "Ann",
                                        .scenario = "flock",
                                        .seed = UINT64_MAX,
                                        .tick_hz = 59.94000000000001,
                                        .hash = 0x0123456789abcdef,
                                        .from_tick = 99,
                                        .from_seq = 0,
                                        .text = scenario,
                                        .text_length = strlen(scenario)};
    struct buffer text = written(&line);
    const struct recording_line back = read_back(&text);
    assert_int_equal(back.op, RECORDING_WORLD);
    assert_int_equal(back.world, 2);
    assert_true(back.seq == UINT64_MAX);
    assert_true(back.by == UINT32_MAX);
    assert_string_equal(back.name, "Ann");
    assert_string_equal(back.scenario, "flock");
    assert_true(back.seed == line.seed);
    assert_true(back.tick_hz == line.tick_hz);
    assert_true(back.hash == line.hash);
    size_t length = 0;
    char *plain = recording_line_text(&back, &length);
    assert_non_null(plain);
    assert_int_equal(length, line.text_length);
    assert_memory_equal(plain, scenario, length + 1);
    free(plain);
    buffer_fini(&text);
}

static void world_line_says_where_its_file_begins(void **state) {
    struct recording_line line = {.op = RECORDING_WORLD, .world = 1, .seq = 4, .tick_hz = 60.0, .text = ""};
    for (uint64_t seq = 3; seq < 6; seq++) {
        line.from_seq = seq;
        line.from_tick = 77;
        struct buffer text = written(&line);
        const struct recording_line back = read_back(&text);
        assert_true(back.from_seq == (seq > 4 ? seq : 0));
        assert_true(back.from_tick == (seq > 4 ? 77 : 0));
        buffer_fini(&text);
    }
}

static void text_of_four_megabytes_fits(void **state) {
    char *scenario = malloc(LIMIT_SCENARIO_BYTES + 1);
    assert_non_null(scenario);
    memset(scenario, '"', LIMIT_SCENARIO_BYTES); /* each is two bytes in the line */
    scenario[LIMIT_SCENARIO_BYTES] = '\0';
    struct recording_line line = {.op = RECORDING_WORLD, .world = 1, .tick_hz = 60.0};
    line.text = scenario;
    line.text_length = LIMIT_SCENARIO_BYTES;
    struct buffer text;
    buffer_init(&text, 3 * (size_t)LIMIT_SCENARIO_BYTES);
    recording_line_write(&line, &text);
    assert_false(text.failed);
    const struct recording_line back = read_back(&text);
    size_t length = 0;
    char *plain = recording_line_text(&back, &length);
    assert_int_equal(length, LIMIT_SCENARIO_BYTES);
    assert_memory_equal(plain, scenario, length);
    free(plain);
    free(scenario);
    buffer_fini(&text);
}

static void other_lines_come_back(void **state) {
    const char *request = "{\"op\":\"mouse\",\"x\":0.1,\"y\":-2}\n";
    struct recording_line line = {.op = RECORDING_DO, .tick = 75, .seq = 4, .by = 3, .name = "B\xC3\xB6"};
    line.request = request;
    line.request_length = strlen(request);
    struct buffer text = written(&line);
    assert_string_equal(text.data, "{\"op\":\"do\",\"tick\":75,\"seq\":4,\"by\":3,\"name\":\"B\xC3\xB6\","
                                   "\"request\":{\"op\":\"mouse\",\"x\":0.1,\"y\":-2}}\n");
    struct recording_line back = read_back(&text);
    assert_int_equal(back.request_length, strlen(request) - 1);
    assert_memory_equal(back.request, request, back.request_length);
    assert_string_equal(back.name, line.name);
    buffer_fini(&text);

    line = (struct recording_line){.op = RECORDING_AT, .tick = 96, .seq = 9, .is_paused = true};
    text = written(&line);
    assert_string_equal(text.data, "{\"op\":\"at\",\"tick\":96,\"seq\":9,\"paused\":true}\n");
    back = read_back(&text);
    assert_true(back.is_paused && back.tick == 96 && back.seq == 9 && back.by == 0);
    buffer_fini(&text);

    line = (struct recording_line){.op = RECORDING_HASH, .tick = 120, .seq = 9, .hash = 0xfedcba9876543210};
    text = written(&line);
    assert_string_equal(text.data,
                        "{\"op\":\"hash\",\"tick\":120,\"seq\":9,\"hash\":\"fedcba9876543210\"}\n");
    assert_true(read_back(&text).hash == line.hash);
    buffer_fini(&text);

    line = (struct recording_line){.op = RECORDING_END, .tick = 7200, .seq = 9, .reason = "disk full"};
    text = written(&line);
    back = read_back(&text);
    assert_string_equal(back.reason, "disk full");
    buffer_fini(&text);
}

static void head_of_a_checkpoint_is_read(void **state) {
    const struct recording_line line =
        read_text("{\"op\":\"checkpoint\",\"tick\":3600,\"seq\":9,\"hash\":\"00000000000000ff\",\"format\":1,"
                  "\"columns\":{\"a\":\"QUJD\",\"b\":[1,{\"c\":\"]\\\"}\"}]}}");
    assert_int_equal(line.op, RECORDING_CHECKPOINT);
    assert_true(line.tick == 3600 && line.seq == 9 && line.hash == 255);
    assert_refused("{\"op\":\"checkpoint\",\"tick\":3600,\"seq\":9,\"hash\":\"00000000000000ff\",\"a\":\"QUJ",
                   "");
    assert_refused("{\"op\":\"checkpoint\",\"tick\":3600,\"seq\":9}", "hash");
}

static void what_is_not_known_is_skipped(void **state) {
    assert_int_equal(
        read_text("{\"op\":\"key\",\"tick\":\"x\",\"deep\":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}").op,
        RECORDING_OTHER);
    const struct recording_line line = read_text(" { \"more\" : [1,{\"tick\":3}], \"tick\" : 5 , "
                                                 "\"op\":\"at\", \"seq\":0,\"paused\":false,\"x\":null } ");
    assert_true(line.op == RECORDING_AT && line.tick == 5 && !line.is_paused);
    const struct recording_line drover =
        read_text("{\"op\":\"drover\",\"format\":9,\"core\":1,\"server\":\"\\u00e4\"}");
    assert_int_equal(drover.format, 9);
    assert_string_equal(drover.server, "\xC3\xA4");
}

static void long_values_are_cut(void **state) {
    char text[1024], reason[400];
    memset(reason, 'r', sizeof reason);
    reason[sizeof reason - 1] = '\0';
    (void)snprintf(text, sizeof text, "{\"op\":\"end\",\"tick\":1,\"seq\":0,\"reason\":\"%s\\n\"}", reason);
    assert_int_equal(strlen(read_text(text).reason), RECORDING_VALUE_BYTES - 1);
}

static void wrong_lines_are_refused(void **state) {
    static const char *const wrong[][2] = {
        {"", ""},
        {"{", ""},
        {"[]", "op"},
        {"7", "op"},
        {"{}", "op"},
        {"{\"op\":7}", "op"},
        {"{\"op\":\"at\",\"tick\":1,\"seq\":1,\"paused\":true}x", ""},
        {"{\"op\":\"at\",\"tick\":1,\"tick\":2,\"seq\":1,\"paused\":true}", ""},
        {"{\"op\":\"at\",\"tick\":1,\"seq\":1,\"paused\":true,}", ""},
        {"{\"op\":\"at\",\"seq\":1,\"paused\":true}", "tick"},
        {"{\"op\":\"at\",\"tick\":-1,\"seq\":1,\"paused\":true}", "tick"},
        {"{\"op\":\"at\",\"tick\":1.5,\"seq\":1,\"paused\":true}", "tick"},
        {"{\"op\":\"at\",\"tick\":1e3,\"seq\":1,\"paused\":true}", "tick"},
        {"{\"op\":\"at\",\"tick\":\"1\",\"seq\":1,\"paused\":true}", "tick"},
        {"{\"op\":\"at\",\"tick\":18446744073709551616,\"seq\":1,\"paused\":true}", "tick"},
        {"{\"op\":\"at\",\"tick\":1,\"seq\":1}", "paused"},
        {"{\"op\":\"at\",\"tick\":1,\"seq\":1,\"paused\":1}", "paused"},
        {"{\"op\":\"at\",\"tick\":1,\"seq\":1,\"paused\":true,\"by\":4294967296}", "by"},
        {"{\"op\":\"at\",\"tick\":1,\"seq\":1,\"paused\":true,\"name\":\"a\\u202eb\"}", "name"},
        {"{\"op\":\"at\",\"tick\":1,\"seq\":1,\"paused\":true,\"name\":7}", "name"},
        {"{\"op\":\"at\",\"tick\":1,\"seq\":1,\"paused\":true,\"name\":\"01234567890123456789012345678901\"}",
         "name"},
        {"{\"op\":\"do\",\"tick\":1,\"seq\":1,\"by\":1}", "request"},
        {"{\"op\":\"do\",\"tick\":1,\"seq\":1,\"by\":1,\"request\":\"{}\"}", "request"},
        {"{\"op\":\"hash\",\"tick\":1,\"seq\":1,\"hash\":\"00000000000000FF\"}", "hash"},
        {"{\"op\":\"hash\",\"tick\":1,\"seq\":1,\"hash\":\"000000000000000\"}", "hash"},
        {"{\"op\":\"hash\",\"tick\":1,\"seq\":1,\"hash\":1}", "hash"},
        {"{\"op\":\"drover\",\"format\":0,\"core\":1}", "format"},
        {"{\"op\":\"drover\",\"format\":1}", "core"},
        {"{\"op\":\"world\",\"tick\":0,\"seq\":0,\"world\":0}", "world"},
        {"{\"op\":\"world\",\"tick\":0,\"seq\":0,\"world\":1,\"scenario\":\"../a\"}", "scenario"},
        {"{\"op\":\"world\",\"tick\":0,\"seq\":0,\"world\":1,\"scenario\":\"a\",\"seed\":"
         "18446744073709551616}",
         "seed"},
        {"{\"op\":\"world\",\"tick\":0,\"seq\":0,\"world\":1,\"scenario\":\"a\",\"seed\":1,\"tick_hz\":0.5}",
         "tick_hz"},
        {"{\"op\":\"world\",\"tick\":0,\"seq\":0,\"world\":1,\"scenario\":\"a\",\"seed\":1,\"tick_hz\":60,"
         "\"hash\":\"0000000000000000\",\"text\":{}}",
         "text"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_refused(wrong[i][0], wrong[i][1]);
    }
}

/* A line that is cut anywhere is refused, and reads nothing behind its end (the copy is exactly as long). */
static void cut_lines_are_refused(void **state) {
    static const char world[] = "{\"op\":\"world\",\"world\":1,\"tick\":0,\"seq\":0,\"by\":0,\"scenario\":"
                                "\"a\",\"seed\":7,\"tick_hz\":60,"
                                "\"hash\":\"0123456789abcdef\",\"text\":\"{\\\"a\\\":1}\"}";
    static const char request[] =
        "{\"op\":\"do\",\"tick\":1,\"seq\":1,\"by\":1,\"name\":\"\\u00e4\",\"request\":{\"op\":\"pause\"}}";
    static const char checkpoint[] =
        "{\"op\":\"checkpoint\",\"tick\":1,\"seq\":1,\"hash\":\"0123456789abcdef\","
        "\"a\":[\"QQ==\",{\"b\":-1.5e3}]}";
    const char *const whole[] = {world, request, checkpoint};
    for (size_t w = 0; w < sizeof whole / sizeof *whole; w++) {
        (void)read_text(whole[w]);
        for (size_t length = 0; length < strlen(whole[w]); length++) {
            char *cut = malloc(length + 1);
            memcpy(cut, whole[w], length);
            cut = realloc(cut, length > 0 ? length : 1);
            struct recording_line line;
            struct failure failure;
            assert_int_equal(recording_line_read(cut, length, &line, &failure), -1);
            free(cut);
        }
    }
}

/* ---- requests: the text in a recording comes back to the same bits ---- */

static void assert_same_bits(const struct request *request) {
    struct buffer text;
    buffer_init(&text, ROOM);
    request_encode(request, &text);
    assert_false(text.failed);
    struct recording_line line = {.op = RECORDING_DO, .tick = 1, .seq = 2, .by = 3};
    line.request = text.data;
    line.request_length = text.length;
    struct buffer in_line = written(&line);
    const struct recording_line back = read_back(&in_line);
    struct request again;
    struct failure failure = {0};
    if (request_decode(back.request, back.request_length, &again, &failure) != 0) {
        fail_msg("%s %s: %s", text.data, failure.field, failure.message);
    }
    assert_int_equal(request->op, again.op);
    const char *difference = request_difference(request, &again);
    if (difference != NULL) {
        fail_msg("other bits of %s: %s", difference, text.data);
    }
    struct buffer text_again; /* what is in the extra: columns, the members of a batch */
    buffer_init(&text_again, ROOM);
    request_encode(&again, &text_again);
    assert_string_equal(text.data, text_again.data);
    buffer_fini(&text_again);
    request_fini(&again);
    buffer_fini(&text);
    buffer_fini(&in_line);
}

/* A line of members by the tables of fields, random values of their ranges; the rules between fields may refuse it. */
static double random_number(const struct field *field) {
    const double share = (double)(random_bits() >> 11) * 0x1p-53;
    const double low = field->min < -1e300 ? -1e300 : field->min,
                 high = field->max > 1e300 ? 1e300 : field->max;
    switch (random_bits() % 6) {
    case 0:
        return field->min;
    case 1:
        return field->max;
    case 2:
        return ldexp(share, -(int)(random_bits() % 160)) * (field->min < 0.0 ? -1.0 : 1.0);
    case 3:
        return rint(low + share * (high * 0.5 - low * 0.5) * 2.0);
    default:
        return low * (1.0 - share) + high * share;
    }
}

static void append_request(enum request_op op, struct buffer *out);

/* One to three requests that may stand in a batch. */
static void append_members(struct buffer *out) {
    for (uint64_t left = 1 + random_bits() % 3; left > 0;) {
        const enum request_op op = (enum request_op)(random_bits() % REQUEST_OP_COUNT);
        if (request_has_trait(op, REQUEST_TRAIT_BATCH)) {
            append_request(op, out);
            left--;
            buffer_append_text(out, left > 0 ? "," : "");
        }
    }
}

static void append_value(const struct field *field, struct buffer *out) {
    static const char *const names[] = {"prey", "a", "cursor-1", "0123456789012345678901234567890", "_-"};
    switch (field->type) {
    case FIELD_BOOL:
        buffer_append_text(out, random_bits() % 2 ? "true" : "false");
        return;
    case FIELD_CHOICE: {
        size_t count = 0;
        while (field->choices[count] != NULL) {
            count++;
        }
        assert(count > 0);
        buffer_printf(out, "\"%s\"", field->choices[random_bits() % count]);
        return;
    }
    case FIELD_NAME:
    case FIELD_TEXT:
        buffer_printf(out, "\"%s\"", names[random_bits() % 5]);
        return;
    case FIELD_UINT32:
    case FIELD_UINT64:
        buffer_printf(out, "%.0f", fmin(fmax(rint(random_number(field)), field->min), field->max));
        return;
    case FIELD_SHAPED: {
        const bool is_batch = strcmp(field->name, "requests") == 0;
        const uint64_t count = is_batch ? 0 : 1 + random_bits() % 5;
        buffer_append_text(out, "[");
        if (is_batch) {
            append_members(out);
        }
        for (uint64_t i = 0; i < count; i++) {
            if (strcmp(field->name, "polygon") == 0) {
                buffer_printf(out, "%s[%.9g,%.9g]", i > 0 ? "," : "", cos((double)i) * 90.1,
                              sin((double)i) * 77.7);
            } else {
                buffer_printf(out, "%s%u", i > 0 ? "," : "", (unsigned)(random_bits() % 4000000) + 1);
            }
        }
        buffer_append_text(out, "]");
        return;
    }
    default:
        buffer_printf(out, "%.17g", random_number(field));
    }
}

static void append_request(enum request_op op, struct buffer *out) {
    buffer_printf(out, "{\"op\":\"%s\"", request_op_name(op));
    for (const struct field *field = request_fields(op); field->type != FIELD_END; field++) {
        if (random_bits() % 2 == 0 || (field->flags & FIELD_REQUIRED)) {
            buffer_printf(out, ",\"%s\":", field->name);
            append_value(field, out);
        }
    }
    buffer_append_text(out, "}");
}

static void every_request_comes_back_to_the_same_bits(void **state) {
    int accepted[REQUEST_OP_COUNT] = {0};
    for (int round = 0; round < 60000; round++) {
        const enum request_op op = (enum request_op)(random_bits() % REQUEST_OP_COUNT);
        struct buffer line;
        buffer_init(&line, ROOM);
        append_request(op, &line);
        struct request request;
        struct failure failure;
        if (request_has_trait(op, REQUEST_TRAIT_CHANGES) &&
            request_decode(line.data, line.length, &request, &failure) == 0) {
            accepted[op]++;
            assert_same_bits(&request);
            request_fini(&request);
        }
        buffer_fini(&line);
    }
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        if (request_has_trait((enum request_op)op, REQUEST_TRAIT_CHANGES) && accepted[op] < 5) {
            fail_msg("only %d requests %s were tried", accepted[op], request_op_name((enum request_op)op));
        }
    }
}

/* Headings are floats in radians, and degrees in the text: a sample over all floats that are kept. */
static void every_heading_comes_back_to_the_same_bits(void **state) {
    const struct field *heading = request_fields(REQUEST_SPAWN);
    while (strcmp(heading->name, "heading") != 0) {
        heading++;
    }
    struct request request = request_default(REQUEST_SPAWN);
    (void)snprintf(request.body.spawn.kind, sizeof request.body.spawn.kind, "prey");
    request.body.spawn.has_heading = true;
    const float most = (float)(360.0 / 57.295779513082320876798154814105), least = (float)LIMIT_SMALLEST;
    uint32_t first = 0, last = 0;
    memcpy(&first, &least, sizeof first);
    memcpy(&last, &most, sizeof last);
    for (uint32_t bits = 0; bits <= last;) {
        float value = 0.0f;
        memcpy(&value, &bits, sizeof value);
        for (int sign = 0; sign < 2 && (sign == 0 || bits != 0); sign++) { /* -0 is never stored */
            request.body.spawn.heading = sign == 0 ? value : -value;
            assert_same_bits(&request);
        }
        const uint32_t step = 1 + (uint32_t)(random_bits() % 60000);
        bits = bits == 0 ? first : bits == last ? last + 1 : bits + step < last ? bits + step : last;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drover_line_comes_back),
        cmocka_unit_test(world_line_comes_back),
        cmocka_unit_test(world_line_says_where_its_file_begins),
        cmocka_unit_test(text_of_four_megabytes_fits),
        cmocka_unit_test(other_lines_come_back),
        cmocka_unit_test(head_of_a_checkpoint_is_read),
        cmocka_unit_test(what_is_not_known_is_skipped),
        cmocka_unit_test(long_values_are_cut),
        cmocka_unit_test(wrong_lines_are_refused),
        cmocka_unit_test(cut_lines_are_refused),
        cmocka_unit_test(every_request_comes_back_to_the_same_bits),
        cmocka_unit_test(every_heading_comes_back_to_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
