/* common/json_check: refusals with place and reason; cJSON accepts every accepted text too. */
#include "common/json/json_check.h"

#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/base/limits.h"
#include "tests/unit/common/test_support.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_json),
        cmocka_unit_test(refuses_bad_structure),
        cmocka_unit_test(refuses_bad_strings),
        cmocka_unit_test(refuses_bad_numbers),
        cmocka_unit_test(refuses_depth_and_tokens),
        cmocka_unit_test(finds_duplicate_keys),
        cmocka_unit_test(finds_a_duplicate_among_many),
        cmocka_unit_test(checks_a_file_with_many_keys),
        cmocka_unit_test(survives_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
