/* JSON that is read: the strict check, lifting a member's text, the place of a mistake. */

#include "tests/unit/common/test_support.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#include "common/base/limits.h"
#include "common/json/json_check.h"
#include "common/json/json_text.h"
#include "common/json/json_writer.h"

/* ==== json_check: refusals with place and reason; cJSON accepts every accepted text too ==== */

#define TEXT(literal) literal, sizeof(literal) - 1

static struct json_fault check(const char *text, size_t length) {
    const struct json_limits limits = json_limits_line();
    struct json_fault fault;
    char *copy = test_exact_copy(text, length);
    const enum json_fault_kind kind = json_check(copy, length, &limits, &fault);
    assert_int_equal(kind, fault.kind);
    free(copy);
    return fault;
}

static void assert_good(const char *text, size_t length) {
    const struct json_fault fault = check(text, length);
    if (fault.kind != JSON_FINE) {
        fail_msg("%.*s: %s", (int)length, text, fault.message);
    }
    cJSON *json = cJSON_ParseWithLength(text, length);
    assert_non_null(json);
    cJSON_Delete(json);
}

static void assert_bad(const char *text, size_t length, size_t offset, const char *message) {
    const struct json_fault fault = check(text, length);
    if (fault.kind != JSON_MALFORMED) {
        fail_msg("%.*s: accepted", (int)length, text);
    }
    assert_string_equal(fault.message, message);
    assert_int_equal(fault.offset, offset);
}

static void accepts_json(void **state) {
    static const char *const good[] = {
        "{}",
        "[]",
        "0",
        "-0",
        "1",
        "-1.5e+10",
        "0.5",
        "1E3",
        "1e-400",
        "true",
        "false",
        "null",
        "\"\"",
        " [ ] ",
        "\t{ \"a\" : [ 1 , 2 ] }\r\n",
        "{\"a\":{\"a\":{\"b\":1},\"b\":2}}",
        "[{\"a\":1},{\"a\":1}]",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\uD83D\\uDC11\"",
        "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x90\x91\"",
        "\"\x7F\"",
        "1.7976931348623157e308",
        "{\"\":0}",
        "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
        "1234567890123456789012345678901234567890123456789012345678901234",
        "[\"a\",\"a\"]",
        "{\"a\":1,\"A\":2,\"aa\":3,\"\\u0061a\\u0062\":4}",
        "0e0",
        "123456789012345678901234567890",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_good(good[i], strlen(good[i]));
    }
}

static void refuses_bad_structure(void **state) {
    assert_bad(TEXT(""), 0, "the text is empty");
    assert_bad(TEXT(" \n"), 2, "the text is empty");
    assert_bad(TEXT("{\"op\":\"mouse\",\"x\":1"), 19, "the text ends inside an object");
    assert_bad(TEXT("{\"op\":\"mouse\",\"x\":"), 18, "the text ends inside an object");
    assert_bad(TEXT("{\"op\""), 5, "the text ends inside an object");
    assert_bad(TEXT("[1,"), 3, "the text ends inside an array");
    assert_bad(TEXT("["), 1, "the text ends inside an array");
    assert_bad(TEXT("{"), 1, "the text ends inside an object");
    assert_bad(TEXT("{}x"), 2, "something follows the value");
    assert_bad(TEXT("[1]//c"), 3, "something follows the value");
    assert_bad(TEXT("1 2"), 2, "something follows the value");
    assert_bad(TEXT("[1,]"), 3, "unexpected ']'");
    assert_bad(TEXT("[,1]"), 1, "unexpected ','");
    assert_bad(TEXT("[1 2]"), 3, "unexpected '2'");
    assert_bad(TEXT("[1}"), 2, "unexpected '}'");
    assert_bad(TEXT("{\"a\":1,}"), 7, "unexpected '}'");
    assert_bad(TEXT("{\"a\":1]"), 6, "unexpected ']'");
    assert_bad(TEXT("{a:1}"), 1, "unexpected 'a'");
    assert_bad(TEXT("{1:1}"), 1, "unexpected '1'");
    assert_bad(TEXT("{\"a\" 1}"), 5, "unexpected '1'");
    assert_bad(TEXT("{\"a\":}"), 5, "unexpected '}'");
    assert_bad(TEXT("{,}"), 1, "unexpected ','");
    assert_bad(TEXT("]"), 0, "unexpected ']'");
    assert_bad(TEXT("tru"), 0, "unexpected 't'");
    assert_bad(TEXT("True"), 0, "unexpected 'T'");
    assert_bad(TEXT("nulll"), 4, "something follows the value");
    assert_bad(TEXT("NaN"), 0, "unexpected 'N'");
    assert_bad(TEXT("[Infinity]"), 1, "unexpected 'I'");
    assert_bad(TEXT("'a'"), 0, "unexpected '''");
    assert_bad(TEXT("\xEF\xBB\xBF{}"), 0, "unexpected byte 0xef");
    assert_bad(TEXT("[\f1]"), 1, "unexpected byte 0x0c");
    assert_bad(TEXT("123\0"), 3, "something follows the value");
    assert_bad(TEXT("\0"), 0, "unexpected byte 0x00");
    assert_bad(TEXT("GET / HTTP/1.1"), 0, "unexpected 'G'");
}

static void refuses_bad_strings(void **state) {
    assert_bad(TEXT("\"abc"), 4, "the text ends inside a string");
    assert_bad(TEXT("\"abc\\"), 5, "the text ends inside a string");
    assert_bad(TEXT("\"\\x\""), 1, "unknown escape in a string");
    assert_bad(TEXT("\"\\\0\""), 1, "unknown escape in a string");
    assert_bad(TEXT("\"\\u12\""), 1, "\\u needs four hexadecimal digits");
    assert_bad(TEXT("\"\\u12"), 1, "\\u needs four hexadecimal digits");
    assert_bad(TEXT("\"\\uqqqq\""), 1, "\\u needs four hexadecimal digits");
    assert_bad(TEXT("\"a\\u0000b\""), 2, "NUL is not allowed, not even as \\u0000");
    assert_bad(TEXT("\"a\0b\""), 2, "NUL is not allowed");
    assert_bad(TEXT("\"a\nb\""), 2, "a control character in a string; escape it");
    assert_bad(TEXT("\"a\tb\""), 2, "a control character in a string; escape it");
    assert_bad(TEXT("\"\\uD800\""), 1, "a high surrogate without a low one");
    assert_bad(TEXT("\"\\uD800\\u0041\""), 1, "a high surrogate without a low one");
    assert_bad(TEXT("\"\\uD800\\"), 1, "a high surrogate without a low one");
    assert_bad(TEXT("\"\\uDC00\""), 1, "a low surrogate without a high one");
    assert_bad(TEXT("\"\xFF\""), 1, "not UTF-8");
    assert_bad(TEXT("\"\xC0\x80\""), 1, "not UTF-8");
    assert_bad(TEXT("\"\xE0\x80\xAF\""), 1, "not UTF-8");
    assert_bad(TEXT("\"\xED\xA0\x80\""), 1, "not UTF-8");
    assert_bad(TEXT("\"\xF4\x90\x80\x80\""), 1, "not UTF-8");
    assert_bad(TEXT("\"\xE2\x82\""), 1, "not UTF-8");
    assert_bad(TEXT("\"\xE2"), 1, "not UTF-8");
    assert_bad(TEXT("{\"\xFF\":1}"), 2, "not UTF-8");
}

static void refuses_bad_numbers(void **state) {
    assert_bad(TEXT("01"), 0, "a number must not begin with a zero");
    assert_bad(TEXT("-01"), 1, "a number must not begin with a zero");
    assert_bad(TEXT("-"), 1, "a digit must follow the minus sign");
    assert_bad(TEXT("-x"), 1, "a digit must follow the minus sign");
    assert_bad(TEXT("+1"), 0, "unexpected '+'");
    assert_bad(TEXT(".5"), 0, "unexpected '.'");
    assert_bad(TEXT("1."), 2, "a digit must follow the point of a number");
    assert_bad(TEXT("2.e3"), 2, "a digit must follow the point of a number");
    assert_bad(TEXT("1e"), 2, "a digit must follow the exponent sign of a number");
    assert_bad(TEXT("1e+"), 3, "a digit must follow the exponent sign of a number");
    assert_bad(TEXT("0x10"), 1, "something follows the value");
    assert_bad(TEXT("1-2"), 1, "something follows the value");
    assert_bad(TEXT("[1e999]"), 1, "a number is too large for a double");
    assert_bad(TEXT("[-1e999]"), 1, "a number is too large for a double");
    assert_bad(TEXT("1e99999999999999999999999999"), 0, "a number is too large for a double");
    assert_bad(TEXT("12345678901234567890123456789012345678901234567890123456789012345"), 0,
               "a number is too long: most characters allowed: 64");
}

static void refuses_depth_and_tokens(void **state) {
    assert_bad(TEXT("[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]"), 16, "nested too deep: at most 16");
    char *text = malloc(100000);
    assert_non_null(text);
    memset(text, '[', 100000);
    assert_bad(text, 100000, 16, "nested too deep: at most 16");
    size_t length = 0;
    text[length++] = '[';
    for (int i = 1; i < LIMIT_JSON_TOKENS; i++) { /* the array itself is a value */
        text[length++] = '0';
        text[length++] = ',';
    }
    text[length - 1] = ']';
    assert_good(text, length);
    text[length - 1] = ',';
    text[length++] = '0';
    text[length++] = ']';
    assert_bad(text, length, length - 2, "too many keys and values: at most 4096");
    free(text);
}

static void assert_duplicate(const char *text, size_t length, size_t offset, const char *message) {
    const struct json_fault fault = check(text, length);
    assert_int_equal(fault.kind, JSON_DUPLICATE_KEY);
    assert_string_equal(fault.message, message);
    assert_int_equal(fault.offset, offset);
}

static void finds_duplicate_keys(void **state) {
    assert_duplicate(TEXT("{\"op\":1,\"op\":2}"), 8, "duplicate key \"op\"");
    assert_duplicate(TEXT("{\"op\":1,\"\\u006fp\":2}"), 8, "duplicate key \"\\u006fp\"");
    assert_duplicate(TEXT("{\"\":1,\"\":2}"), 6, "duplicate key \"\"");
    assert_duplicate(TEXT("{\"\\n\":1,\"\\u000A\":2}"), 8, "duplicate key \"\\u000A\"");
    assert_duplicate(TEXT("{\"\\/\":1,\"/\":2}"), 8, "duplicate key \"/\"");
    assert_duplicate(TEXT("{\"\xF0\x9F\x90\x91\":1,\"\\ud83d\\uDC11\":2}"), 10,
                     "duplicate key \"\\ud83d\\uDC11\"");
    assert_duplicate(TEXT("{\"a\":{\"b\":[{\"c\":1}],\"d\":2},\"a\":2}"), 27, "duplicate key \"a\"");
    assert_duplicate(TEXT("[{\"a\":1},{\"a\":1,\"b\":2,\"a\":3}]"), 22, "duplicate key \"a\"");
}

/* 2 000 keys in one object, then one of them again. */
static void finds_a_duplicate_among_many(void **state) {
    char *text = malloc(LIMIT_LINE_BYTES);
    assert_non_null(text);
    size_t length = 0;
    text[length++] = '{';
    for (int i = 0; i < 2000; i++) {
        length += (size_t)snprintf(text + length, LIMIT_LINE_BYTES - length, "\"key%d\":%d,", i, i);
    }
    const size_t end = length;
    length += (size_t)snprintf(text + length, LIMIT_LINE_BYTES - length, "\"keyx\":0}");
    assert_good(text, length);
    length = end + (size_t)snprintf(text + end, LIMIT_LINE_BYTES - end, "\"key1234\":0}");
    assert_duplicate(text, length, end, "duplicate key \"key1234\"");
    free(text);
}

/* Beyond the keys that fit on the stack. */
static void checks_a_file_with_many_keys(void **state) {
    enum { BYTES = 1000000, KEYS = 40000 };
    const struct json_limits limits = json_limits_file();
    struct json_fault fault;
    char *text = malloc(BYTES);
    assert_non_null(text);
    size_t length = 0;
    text[length++] = '{';
    for (int i = 0; i < KEYS; i++) {
        length += (size_t)snprintf(text + length, BYTES - length, "\n\"k%d\":0,", i);
    }
    text[length - 1] = '}';
    assert_int_equal(json_check(text, length, &limits, &fault), JSON_FINE);
    length--;
    length += (size_t)snprintf(text + length, BYTES - length, ",\n  \"k77\":1}");
    assert_int_equal(json_check(text, length, &limits, &fault), JSON_DUPLICATE_KEY);
    assert_int_equal(fault.line, KEYS + 2);
    assert_int_equal(fault.column, 3);
    free(text);
}

/* Any bytes: no crash, and cJSON parses every accepted text completely. */
static void survives_mutations(void **state) {
    static const char seed_text[] =
        "{\"op\":\"set_target\",\"id\":\"\\u00e4\\ud83d\\udc11\",\"x\":-12.5e1,\"l\":[1,{\"a\":"
        "null,\"b\":[true,false]}],\"\xC3\xA4\":\"\\n\"}";
    uint64_t random = 11;
    int accepted = 0;
    for (int i = 0; i < 60000; i++) {
        char text[sizeof seed_text];
        size_t length = sizeof seed_text - 1;
        memcpy(text, seed_text, sizeof seed_text);
        const uint32_t mutations = 1 + test_below(&random, 3);
        for (uint32_t m = 0; m < mutations; m++) {
            static const char interesting[] = "{}[]\",:\\u0-e.+dD8\xC3\n ";
            text[test_below(&random, (uint32_t)length)] =
                test_below(&random, 2) ? (char)test_random(&random)
                                       : interesting[test_below(&random, sizeof interesting)];
        }
        if (test_below(&random, 4) == 0) {
            length = test_below(&random, (uint32_t)length);
        }
        if (check(text, length).kind == JSON_FINE) {
            const char *end = NULL;
            cJSON *json = cJSON_ParseWithLengthOpts(text, length, &end, 0);
            assert_non_null(json);
            cJSON_Delete(json);
            accepted++;
        }
    }
    assert_true(accepted > 1000);
}

/* ==== json_lift: kept, replaced and refused strings; the pieces put together give the line ==== */

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

/* ==== json_place: lines and columns of what a path names ==== */

static const char placed_text[] = "{\n"
                                  "  \"a\": [1, \"]},\\\"\", {\"b\": true,\n"
                                  "  \"a.b\" :{\"c\":[ [] ,{}, -1e3]}}],\n"
                                  "  \"d\": { }, \"ab\": null\n"
                                  "}";

static void the_place_is_that_of_the_path(void **state) {
    static const struct {
        const char *path;
        int line, column;
        const char *value; /* how it begins; NULL: there is none */
    } rows[] = {
        {"", 1, 1, "{\n"},
        {"a", 2, 3, "[1"},
        {"ab", 4, 13, "null"},
        {"a[0]", 2, 9, "1,"},
        {"a[1]", 2, 12, "\"]}"},
        {"a[2]", 2, 21, "{\"b"},
        {"a[2].b", 2, 22, "true"},
        {"a[2].a.b.c[0]", 3, 17, "[] "},
        {"a[2].a.b.c[1]", 3, 21, "{},"},
        {"a[2].a.b.c[2]", 3, 25, "-1e3"},
        /* what goes on to where nothing is: the innermost that is there */
        {"a[3]", 2, 3, NULL},
        {"a[2", 2, 3, NULL},
        {"a[2].x.y", 2, 21, NULL},
        {"d.e", 4, 3, NULL},
        {"ab.e", 4, 13, NULL},
        {"abc", 1, 1, NULL},
        {"d[0]", 4, 3, NULL},
        {"a[]", 2, 3, NULL},
        {"[0]", 1, 1, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *copy = test_exact_copy(placed_text, sizeof placed_text);
        const struct json_place place = json_place_find(copy, rows[i].path);
        const char *value = json_value_find(copy, rows[i].path);
        assert_true(rows[i].value == NULL ? value == NULL
                                          : strncmp(value, rows[i].value, strlen(rows[i].value)) == 0);
        free(copy);
        if (place.line != rows[i].line || place.column != rows[i].column) {
            fail_msg("%s: %d:%d", rows[i].path, place.line, place.column);
        }
    }
    const struct json_place scalar = json_place_find(" 7", "a");
    assert_int_equal(scalar.column, 2);
}

/* ==== compact and layout: white space goes and comes, tokens stay ==== */

static const char *compacted(const char *text) {
    static char out[4096];
    out[json_compact(text, strlen(text), out)] = '\0';
    return out;
}

static void white_space_goes(void **state) {
    assert_string_equal(
        compacted(placed_text),
        "{\"a\":[1,\"]},\\\"\",{\"b\":true,\"a.b\":{\"c\":[[],{},-1e3]}}],\"d\":{},\"ab\":null}");
    assert_string_equal(compacted(" \t7\r\n"), "7");
    assert_string_equal(compacted("\" a \\\\\" "), "\" a \\\\\"");
    char in_place[] = "[ 1 , 2 ]";
    in_place[json_compact(in_place, sizeof in_place - 1, in_place)] = '\0';
    assert_string_equal(in_place, "[1,2]");
}

static void members_by_their_number(void **state) {
    static const char text[] = " { \"a\" : 1 ,\"}\":[ {\"x\":[]},2] ,\"c\":\",\"\n}";
    static const char *const values[] = {"1 ", "[ {\"x\":[]},2] ", "\",\"\n"};
    for (int i = 0; i < 3; i++) {
        size_t length = 0;
        char *copy = test_exact_copy(text, sizeof text - 1);
        const char *value = json_member_value(copy, i, &length);
        assert_int_equal(length, strlen(values[i]));
        assert_memory_equal(value, values[i], length);
        free(copy);
    }
}

static void lays_out_as_people_do(void **state) {
    static const struct {
        const char *text, *laid_out;
    } rows[] = {
        {"{}", "{}\n"},
        {"7,", "7\n"},
        {"{\"a\":[1,2],\"b\":{\"c\":\"x, y: z\"}}", "{\"a\": [1, 2], \"b\": {\"c\": \"x, y: z\"}}\n"},
        {"{\"name\":\"a text that is long enough that all of this does not fit into the one hundred and "
         "twenty "
         "columns of a line\",\"size\":[8,6],\"none\":[]}",
         "{\n  \"name\": \"a text that is long enough that all of this does not fit into the one hundred and "
         "twenty "
         "columns of a line\",\n  \"size\": [8, 6],\n  \"none\": []\n}\n"},
        {"[{\"kind\":\"one of forty characters, or nearly so\"},{\"kind\":\"another of forty characters, "
         "nearly\"},"
         "{\"kind\":\"a third of forty characters, nearly\"}]",
         "[\n  {\"kind\": \"one of forty characters, or nearly so\"}, {\"kind\": \"another of forty "
         "characters, "
         "nearly\"},\n  {\"kind\": \"a third of forty characters, nearly\"}\n]\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buffer out;
        buffer_init(&out, 4096);
        json_layout(rows[i].text, &out);
        assert_string_equal(out.data, rows[i].laid_out);
        buffer_fini(&out);
    }
}

static void random_value(uint64_t *random, int depth, struct buffer *out) {
    const uint32_t what = test_below(random, depth < 6 ? 7 : 4);
    const uint32_t count = test_below(random, 9);
    if (what < 2) {
        buffer_append_text(out, what == 0 ? "-1.50e3" : "true");
    } else if (what < 4) {
        buffer_append_text(out, "\"");
        for (uint32_t i = 0; i < count * count * 2; i++) {
            static const char *const parts[] = {"\\\"", "\\\\", ",", "]", "{", ":", " ", "a"};
            buffer_append_text(out, parts[test_below(random, 8)]);
        }
        buffer_append_text(out, "\"");
    } else {
        buffer_append_text(out, what == 4 ? "{" : "[");
        for (uint32_t i = 0; i < count; i++) {
            buffer_append_text(out, i > 0 ? "," : "");
            if (what == 4) {
                buffer_printf(out, "\"key %u\":", (unsigned)i);
            }
            random_value(random, depth + 1, out);
        }
        buffer_append_text(out, what == 4 ? "}" : "]");
    }
}

/* What was laid out is the same text once its white space is gone, and lines are short where tokens are. */
static void layout_changes_white_space_alone(void **state) {
    uint64_t random = 8;
    const struct json_limits limits = json_limits_file();
    for (int i = 0; i < 3000; i++) {
        struct buffer text, out;
        struct json_fault fault;
        buffer_init(&text, 1 << 22);
        buffer_init(&out, 1 << 24);
        random_value(&random, 0, &text);
        json_layout(text.data, &out);
        assert_false(text.failed || out.failed);
        assert_int_equal(json_check(out.data, out.length, &limits, &fault), JSON_FINE);
        for (const char *line = out.data; *line != '\0';) {
            const size_t length = strcspn(line, "\n");
            assert_true(length <= JSON_LAYOUT_COLUMNS || memchr(line, '"', length) != NULL);
            assert_true(length == 0 || line[length - 1] != ' ');
            line += length + (line[length] == '\n');
        }
        out.data[json_compact(out.data, out.length, out.data)] = '\0';
        assert_string_equal(out.data, text.data);
        buffer_fini(&text);
        buffer_fini(&out);
    }
}

/* ==== merge patch ==== */

/* The table of RFC 7396, appendix A; and that members keep their places. */
static void a_merge_patch(void **state) {
    static const char *const rows[][3] = {
        {"{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
        {"{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}"},
        {"{\"a\":\"b\"}", "{\"a\":null}", "{}"},
        {"{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}"},
        {"{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
        {"{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}"},
        {"{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}"},
        {"{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}"},
        {"[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]"},
        {"{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]"},
        {"{\"a\":\"foo\"}", "null", "null"},
        {"{\"a\":\"foo\"}", "\"bar\"", "\"bar\""},
        {"{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}"},
        {"[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}"},
        {"{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}"},
        {"{\"a\":1,\"b\":{\"c\":2,\"d\":3},\"e\":4}", "{\"b\":{\"c\":9},\"A\":5}",
         "{\"a\":1,\"b\":{\"c\":9,\"d\":3},\"e\":4,\"A\":5}"},
        {"{\"a\":-0,\"b\":\"\\u0007\\\"\"}", "{\"c\":[{\"d\":null}],\"e\":1e300}",
         "{\"a\":-0,\"b\":\"\\u0007\\\"\",\"c\":[{\"d\":null}],\"e\":1e300}"},
        {"{\"a\":1.50,\"\\u0062\":[1E2]}",
         "{\"b\":{\"x\":[\"}\",{\"y\":null}],\"z\":null},\"\\u0061\":4.0e2}",
         "{\"a\":4.0e2,\"\\u0062\":{\"x\":[\"}\",{\"y\":null}]}}"},
    };
    struct buffer text;
    (void)state;
    buffer_init(&text, 40000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        buffer_clear(&text);
        assert_true(json_merge(rows[i][0], rows[i][1], &text));
        assert_string_equal(text.data, rows[i][2]);
    }
    buffer_clear(&text);
    assert_true(json_merge(NULL, "{\"a\":1}", &text));
    assert_string_equal(text.data, "{\"a\":1}");
    char many[32 * JSON_MERGE_MEMBERS] = "{";
    for (int i = 0; i <= JSON_MERGE_MEMBERS; i++) {
        const size_t length = strlen(many);
        buffer_clear(&text);
        (void)snprintf(many + length, sizeof many - length, "%s\"%d\":0}", i > 0 ? "," : "", i);
        assert_true(json_merge("{}", many, &text) == (i < JSON_MERGE_MEMBERS));
        many[strlen(many) - 1] = '\0';
    }
    buffer_fini(&text);
}

/* A tree that is written comes back with the same bits. */
static void a_tree_is_written(void **state) {
    static const char whole[] = "{\"a\":[-0,0.1,1e+300,null,true,[]],\"b\\\"\":\"\\u0007\",\"c\":{}}";
    cJSON *tree = cJSON_Parse(whole);
    struct buffer text;
    (void)state;
    buffer_init(&text, 1000);
    struct json_writer json = json_writer_begin(&text);
    json_tree_write(&json, tree);
    assert_string_equal(text.data, whole);
    buffer_fini(&text);
    cJSON_Delete(tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_json),
        cmocka_unit_test(white_space_goes),
        cmocka_unit_test(members_by_their_number),
        cmocka_unit_test(lays_out_as_people_do),
        cmocka_unit_test(layout_changes_white_space_alone),
        cmocka_unit_test(refuses_bad_structure),
        cmocka_unit_test(refuses_bad_strings),
        cmocka_unit_test(refuses_bad_numbers),
        cmocka_unit_test(refuses_depth_and_tokens),
        cmocka_unit_test(finds_duplicate_keys),
        cmocka_unit_test(finds_a_duplicate_among_many),
        cmocka_unit_test(checks_a_file_with_many_keys),
        cmocka_unit_test(survives_mutations),
        cmocka_unit_test(long_strings_are_lifted),
        cmocka_unit_test(a_sharp_of_its_own_is_refused),
        cmocka_unit_test(anything_can_be_put_back),
        cmocka_unit_test(more_than_there_is_room_for),
        cmocka_unit_test(the_place_is_that_of_the_path),
        cmocka_unit_test(a_merge_patch),
        cmocka_unit_test(a_tree_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
