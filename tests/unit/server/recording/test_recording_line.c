/* Lines of recordings, their sums, who writes them, and what each core changed. */

#include "tests/unit/server/cmocka_all.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request.h"
#include "server/commands/command_apply.h"
#include "server/recording/core_changes.h"
#include "server/recording/recording_line.h"
#include "tests/support/request_decode.h"
#include "tests/unit/common/protocol/request_same.h"
#include "tests/unit/server/recording/recorded_run.h"
#include "tests/unit/server/test_world.h"

/* ==== recording line ====
 * The lines of a recording: every op written and read back, what is skipped, what is refused; and that a request
 * which is written into a recording comes back to the same bits. */

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
    if (strcmp(field->name, "patch") == 0) { /* digits stay as they are */
        buffer_printf(out, "{\"kinds\":{\"%s\":{\"mass\":%u.50,\"radius\":null}},\"name\":\"\u00e9\"}",
                      names[random_bits() % 3], (unsigned)(random_bits() % 1000));
        return;
    }
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

/* ==== Sums of lines: the CRC-32 that everybody has, chained, and any single flipped bit is noticed ==== */

static const char lines[] = "{\"op\":\"drover\",\"format\":1,\"core\":1}\n"
                            "{\"op\":\"at\",\"tick\":96,\"seq\":3,\"paused\":true}\n"
                            "{\"op\":\"end\",\"tick\":96,\"seq\":3}\n";

static struct buffer seal(const char *text) {
    struct buffer out;
    uint32_t sum = 0;
    buffer_init(&out, 1 << 16);
    line_sum_append(&out, text, strlen(text), &sum);
    assert_false(out.failed);
    return out;
}

/* The number of the first line that is wrong, from 1; 0: none. */
static uint64_t find_wrong(const char *text, size_t length) {
    struct line_sum_check check = {0};
    const char *end = text + length;
    for (const char *line = text; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        newline = newline == NULL ? end : newline;
        if (line_sum_wrong(&check, line, (size_t)(newline - line)) != NULL) {
            return check.lines;
        }
        line = newline + 1;
    }
    return 0;
}

static void test_values(void **state) {
    static const char digits[] = "123456789";
    assert_int_equal(line_sum(0, digits, 9), 0xcbf43926);
    for (size_t i = 0; i <= 9; i++) { /* in two pieces */
        assert_int_equal(line_sum(line_sum(0, digits, i), digits + i, 9 - i), 0xcbf43926);
    }
    char long_text[1000];
    memset(long_text, 'a', sizeof long_text);
    assert_int_equal(line_sum(0, long_text, sizeof long_text), 0x9a38da03);
}

static void test_lines(void **state) {
    struct buffer out = seal(lines), again = seal(out.data);
    assert_int_equal(out.length, strlen(lines) + 3 * LINE_SUM_BYTES);
    assert_int_equal(again.length, out.length);
    assert_memory_equal(again.data, out.data, out.length);
    assert_int_equal(find_wrong(out.data, out.length), 0);
    assert_int_equal(find_wrong(lines, strlen(lines)), 0); /* without sums */
    buffer_fini(&out);
    buffer_fini(&again);
}

static void test_any_flipped_bit(void **state) {
    struct buffer out = seal(lines);
    uint64_t line = 1;
    for (size_t at = 0; at + 1 < out.length; at++) { /* but for the last newline */
        for (int bit = 0; bit < 8; bit++) {
            out.data[at] = (char)(out.data[at] ^ 1 << bit);
            const uint64_t wrong = find_wrong(out.data, out.length);
            out.data[at] = (char)(out.data[at] ^ 1 << bit);
            assert_true(wrong == line || (line == 1 && wrong == 2));
        }
        line += out.data[at] == '\n';
    }
    buffer_fini(&out);
}

static void test_lines_that_are_lost(void **state) {
    struct buffer out = seal(lines);
    const char *second = strchr(out.data, '\n') + 1, *third = strchr(second, '\n') + 1;
    const size_t removed = (size_t)(third - second), left = out.length - (size_t)(third - out.data);
    memmove(out.data + (second - out.data), third, left);
    assert_int_equal(find_wrong(out.data, out.length - removed), 2);
    buffer_fini(&out);
}

/* Ends of lines as some programs write them: every sum is there, and none where it was. */
static void test_carriage_returns(void **state) {
    struct buffer out = seal(lines), other;
    buffer_init(&other, 2 * out.length);
    for (size_t i = 0; i < out.length; i++) {
        buffer_append(&other, out.data[i] == '\n' ? "\r\n" : &out.data[i], out.data[i] == '\n' ? 2 : 1);
    }
    assert_int_equal(find_wrong(other.data, other.length), 1);
    buffer_fini(&out);
    buffer_fini(&other);
}

/* ==== What a change of the core touches, by the words of its row ==== */

static uint64_t bit(enum request_op op) {
    return UINT64_C(1) << (unsigned)op;
}

/* Whether a change of core 2 that touches these words touches a recording of core 1. */
static bool touches(const char *words, const char *text, uint64_t request_ops) {
    const struct core_change changes[] = {{2, "Something is otherwise.", words}, {0, NULL, NULL}};
    char list[128];
    struct scenario scenario = scenario_of(text, "a");
    const bool is_touched = core_affects(changes, 1, 2, &scenario, request_ops, list, sizeof list);
    assert_true(is_touched == (list[0] != '\0'));
    scenario_fini(&scenario);
    return is_touched;
}

static void words_are_looked_up_in_the_scenario(void **state) {
    static const char *const pond[] = {
        "seek", "wander", "orca",     "alignment", "edge:wrap", "locomotion:steered", "jumps", "geometry",
        "sky",  "all",    "edge:sky", "hide seek", "x:y"};
    static const char *const lake[] = {"seek",     "orca",          "edge:wrap",   "locomotion:direct",
                                       "jumps",    "geometry",      "conditions",  "stamina",
                                       "dithered", "request:spawn", "hide pursue", "strolls"};
    for (size_t i = 0; i < sizeof pond / sizeof *pond; i++) {
        if (!touches(pond[i], run_pond, 0)) {
            fail_msg("%s is not found", pond[i]);
        }
    }
    for (size_t i = 0; i < sizeof lake / sizeof *lake; i++) {
        if (touches(lake[i], run_lake, 0)) {
            fail_msg("%s is found", lake[i]);
        }
    }
    assert_true(touches("edge:open", run_lake, 0));
}

static void strolls_are_found(void **state) {
    static const char text[] =
        "{\"name\":\"t\",\"world\":{\"size\":[9,9]},\"targets\":{\"mouse\":{\"at\":[1,2],"
        "\"strolls\":{}}}}";
    assert_true(touches("strolls", text, 0));
}

/* A velocity filter over forces in several tiers that share max_force. */
static void filtered_tiers_are_found(void **state) {
    static const struct {
        const char *body, *behaviors;
        bool is_found;
    } rows[] = {
        {"", "{\"avoid_obstacles\":{}},{\"wander\":{\"tier\":1}},{\"orca\":{}}", true},
        {"\"locomotion\":\"constant_speed\",",
         "{\"orca\":{}},{\"wander\":{\"tier\":1}},{\"avoid_obstacles\":{}}", true},
        {"", "{\"avoid_obstacles\":{}},{\"wander\":{}},{\"orca\":{\"tier\":1}}", false},
        {"", "{\"avoid_obstacles\":{}},{\"wander\":{\"tier\":1}}", false},
        {"\"locomotion\":\"direct\",", "{\"avoid_obstacles\":{}},{\"wander\":{\"tier\":1}},{\"orca\":{}}",
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "{\"name\":\"t\",\"world\":{\"size\":[9,9]},\"kinds\":{\"a\":{%s\"behaviors\":[%s]}}}",
                       rows[i].body, rows[i].behaviors);
        assert_true(touches("filtered_tiers", text, 0) == rows[i].is_found);
    }
    assert_false(touches("filtered_tiers", run_pond, 0) || touches("filtered_tiers", run_lake, 0));
}

static void requests_count(void **state) {
    assert_true(touches("request:spawn", run_lake, bit(REQUEST_SPAWN)));
    assert_false(touches("request:spawn", run_lake, bit(REQUEST_REMOVE)));
    assert_true(touches("geometry", run_lake, bit(REQUEST_ADD_OBSTACLE)));
}

static void states_conditions_and_stamina_are_found(void **state) {
    static const char text[] =
        "{\"name\":\"S\",\"world\":{\"size\":[500,500]},\"kinds\":{\"a\":{\"max_stamina\":5,\"states\":["
        "{\"name\":\"tired\",\"when\":{\"exhausted\":true},\"stamina_rate\":1,\"behaviors\":[]},"
        "{\"name\":\"go\",\"combine\":\"dithered\",\"behaviors\":[{\"wander\":{}}]}]}}}";
    assert_true(touches("conditions", text, 0));
    assert_true(touches("stamina", text, 0));
    assert_true(touches("dithered", text, 0));
}

static void changes_between_the_cores_count(void **state) {
    static const struct core_change changes[] = {{2, "Orca weighs walls otherwise.", "orca"},
                                                 {3, "Edges.", "edge:wrap edge:bounce"},
                                                 {4, "Paths.", "follow_path"},
                                                 {5, "Seek.", "seek"},
                                                 {0, NULL, NULL}};
    char list[64], small[16];
    struct scenario pond = scenario_of(run_pond, "pond");
    assert_true(core_affects(changes, 1, 5, &pond, 0, list, sizeof list));
    assert_string_equal(list, "orca (2), edge:wrap (3), seek (5)");
    assert_true(core_affects(changes, 2, 4, &pond, 0, list, sizeof list));
    assert_string_equal(list, "edge:wrap (3)");
    assert_false(core_affects(changes, 3, 4, &pond, 0, list, sizeof list));
    assert_false(core_affects(changes, 5, 5, &pond, 0, list, sizeof list));
    assert_true(core_affects(changes, 6, 5, &pond, 0, list, sizeof list));
    assert_string_equal(list, "a newer core");
    assert_true(core_affects(changes, 1, 5, &pond, 0, small, sizeof small));
    scenario_fini(&pond);
}

static void every_core_since_the_first_has_a_row(void **state) {
    uint32_t last = 1;
    for (const struct core_change *change = core_changes; change->core != 0; change++) {
        assert_true(change->core >= last && change->what[0] != '\0' && change->touches[0] != '\0');
        last = change->core;
    }
    assert_int_equal(last, CORE_NUMBER);
}

/* ==== recorder ====
 * The lines that a simulation gives its recordings: what a line has, and that further lines allocate nothing. */

static const char *const recorder_pond =
    "{\"name\":\"Pond\",\"seed\":3,\"world\":{\"size\":[800,600],\"edge\":\"wrap\"},"
    "\"targets\":{\"mouse\":[10,20]},"
    "\"kinds\":{\"prey\":{\"behaviors\":[{\"seek\":{\"target\":\"mouse\"}}]}},"
    "\"agents\":[{\"kind\":\"prey\",\"at\":[1,2],\"count\":3}]}";

static struct simulation_state simulation;
static struct recorder recorder;
static const struct recorder_session server = {.name = ""}, ann = {.by = 3, .name = "Ann"};

static int set_up(void **unused) {
    simulation_state_init(&simulation);
    put_world(&simulation, recorder_pond, "pond");
    assert_int_equal(recorder_init(&recorder), 0);
    return 0;
}

static int tear_down(void **unused) {
    recorder_fini(&recorder);
    simulation_state_fini(&simulation);
    return 0;
}

/* The only line of the recorder, which is empty afterwards. */
static struct recording_line take(void) {
    static char kept[65536]; /* spans point into it */
    struct recording_line line;
    struct failure failure = {0};
    assert_false(recorder.out.failed);
    assert_true(recorder.out.length > 1 && recorder.out.length < sizeof kept);
    assert_int_equal(recorder.out.data[recorder.out.length - 1], '\n');
    assert_ptr_equal(memchr(recorder.out.data, '\n', recorder.out.length),
                     recorder.out.data + recorder.out.length - 1);
    memcpy(kept, recorder.out.data, recorder.out.length);
    assert_int_equal(recording_line_read(kept, recorder.out.length - 1, &line, &failure), 0);
    buffer_clear(&recorder.out);
    return line;
}

static void test_a_file_begins_with_header_and_world(void **unused) {
    const uint64_t hash = world_hash(simulation.world);
    simulation.seq = 5;
    recorder_write_header(&recorder, "2026-11-21T19:00:00Z", "gcc 12");
    const struct recording_line header = take();
    assert_int_equal(header.op, RECORDING_DROVER);
    assert_int_equal(header.format, RECORDING_FORMAT);
    assert_string_equal(header.started, "2026-11-21T19:00:00Z");
    recorder_set_world(&recorder, &simulation, hash, ann);
    simulation_state_step(&simulation);
    for (int file = 0; file < 2; file++) { /* a further file begins with the same line */
        recorder_write_world(&recorder, &simulation);
        const struct recording_line world = take();
        assert_int_equal(world.op, RECORDING_WORLD);
        assert_int_equal(world.world, 1);
        assert_int_equal(world.tick, 0);
        assert_int_equal(world.seq, 5);
        assert_int_equal(world.by, 3);
        assert_string_equal(world.name, "Ann");
        assert_string_equal(world.scenario, "pond");
        assert_int_equal(world.seed, 3);
        assert_int_equal(world.hash, hash);
    }
    recorder_set_world(&recorder, &simulation, 1, server);
    recorder_write_world(&recorder, &simulation);
    assert_int_equal(take().world, 2);
}

static void test_a_request_is_a_line(void **unused) {
    struct request request = request_default(REQUEST_SET_TARGET);
    memcpy(request.id, "17", 3);
    request.body.set_target.has_name = request.body.set_target.has_point = true;
    memcpy(request.body.set_target.name, "mouse", 6);
    request.body.set_target.x = 12.5f;
    simulation_state_step(&simulation);
    simulation.seq = 9;
    recorder_write_do(&recorder, &simulation, &request, ann);
    const struct recording_line line = take();
    assert_int_equal(line.op, RECORDING_DO);
    assert_int_equal(line.tick, 1);
    assert_int_equal(line.seq, 9);
    assert_int_equal(line.by, 3);
    assert_string_equal(line.name, "Ann");
    struct request read;
    struct failure failure = {0};
    assert_int_equal(request_decode(line.request, line.request_length, &read, &failure), 0);
    assert_int_equal(read.op, REQUEST_SET_TARGET);
    assert_string_equal(read.id, "");
    assert_true(read.body.set_target.x == 12.5f);
}

static void test_time_hashes_and_the_end_are_lines(void **unused) {
    simulation.is_paused = true;
    recorder_write_at(&recorder, &simulation, ann);
    struct recording_line line = take();
    assert_int_equal(line.op, RECORDING_AT);
    assert_true(line.is_paused);
    assert_string_equal(line.name, "Ann");
    recorder_write_hash(&recorder, 60, 2, UINT64_C(0x0123456789abcdef));
    line = take();
    assert_int_equal(line.op, RECORDING_HASH);
    assert_int_equal(line.tick, 60);
    assert_true(line.hash == UINT64_C(0x0123456789abcdef));
    recorder_write_end(&recorder, &simulation, "disk full");
    line = take();
    assert_int_equal(line.op, RECORDING_END);
    assert_string_equal(line.reason, "disk full");
}

static void test_time_and_worlds_are_no_do_lines(void **unused) {
    assert_true(recorder_is_do(REQUEST_SPAWN));
    assert_true(recorder_is_do(REQUEST_CURSOR));
    assert_false(recorder_is_do(REQUEST_PAUSE));
    assert_false(recorder_is_do(REQUEST_RESUME));
    assert_false(recorder_is_do(REQUEST_STEP));
    assert_false(recorder_is_do(REQUEST_LOAD));
    assert_false(recorder_is_do(REQUEST_INSPECT));
}

/* Lines between ticks use the memory that the recorder has from its start. */
static void test_lines_use_the_same_memory(void **unused) {
    struct request request = request_default(REQUEST_REMOVE);
    request.body.remove.agent_count = LIMIT_REMOVE_IDS;
    for (int i = 0; i < LIMIT_REMOVE_IDS; i++) {
        request.body.remove.agents[i] = UINT32_MAX - (uint32_t)i;
    }
    const char *out = recorder.out.data, *scratch = recorder.request.data;
    for (int i = 0; i < 10; i++) {
        recorder_write_do(&recorder, &simulation, &request, ann);
        recorder_write_at(&recorder, &simulation, server);
        recorder_write_hash(&recorder, 1, 1, 1);
        assert_false(recorder.out.failed);
        buffer_clear(&recorder.out);
    }
    assert_ptr_equal(recorder.out.data, out);
    assert_ptr_equal(recorder.request.data, scratch);
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
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_any_flipped_bit),
        cmocka_unit_test(test_lines_that_are_lost),
        cmocka_unit_test(test_carriage_returns),
        cmocka_unit_test(words_are_looked_up_in_the_scenario),
        cmocka_unit_test(filtered_tiers_are_found),
        cmocka_unit_test(requests_count),
        cmocka_unit_test(strolls_are_found),
        cmocka_unit_test(states_conditions_and_stamina_are_found),
        cmocka_unit_test(changes_between_the_cores_count),
        cmocka_unit_test(every_core_since_the_first_has_a_row),
        cmocka_unit_test_setup_teardown(test_a_file_begins_with_header_and_world, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_request_is_a_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_time_hashes_and_the_end_are_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_time_and_worlds_are_no_do_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lines_use_the_same_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
