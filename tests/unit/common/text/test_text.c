/* Base64, decimals, tables of names, the nearest name, names of persons, lists. */

#include "tests/unit/common/test_support.h"

#include <stdio.h>

#include "common/text/base64.h"
#include "common/text/digits.h"
#include "common/text/names.h"

/* ==== common/base64: the vectors of RFC 4648, both ways with and without AVX2, and all refusals ==== */

static void the_vectors_of_the_rfc(void **state) {
    static const char *const texts[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    for (size_t length = 0; length <= 6; length++) {
        char text[16];
        assert_int_equal(base64_length(length), strlen(texts[length]));
        assert_ptr_equal(base64_encode("foobar", length, text), text + strlen(texts[length]));
        assert_memory_equal(text, texts[length], strlen(texts[length]));
        size_t bytes = 99;
        assert_true(base64_decoded_length(texts[length], strlen(texts[length]), &bytes));
        assert_int_equal(bytes, length);
        char back[8];
        assert_true(base64_decode(texts[length], strlen(texts[length]), back, length));
        assert_memory_equal(back, "foobar", length);
        assert_false(base64_decode(texts[length], strlen(texts[length]), back, length + 1));
    }
}

/* In exact-size memory, so that the address sanitizer sees a byte too many on either side. */
static void any_bytes_come_back(void **state) {
    uint64_t random = 1;
    for (size_t length = 0; length < 400; length++) {
        uint8_t *bytes = malloc(length + 1);
        char *text = malloc(base64_length(length) + 1);
        char *plain = malloc(base64_length(length) + 1);
        assert_true(bytes && text && plain);
        for (size_t i = 0; i < length; i++) {
            bytes[i] = (uint8_t)test_random(&random);
        }
        uint8_t *exact = (uint8_t *)test_exact_copy((const char *)bytes, length);
        assert_ptr_equal(base64_encode(exact, length, text), text + base64_length(length));
        assert_ptr_equal(base64_encode_plain(exact, length, plain), plain + base64_length(length));
        assert_memory_equal(text, plain, base64_length(length));
        char *exact_text = test_exact_copy(text, base64_length(length));
        memset(exact, 0, length);
        assert_true(base64_decode(exact_text, base64_length(length), exact, length));
        assert_memory_equal(exact, bytes, length);
        assert_true(base64_decode_plain(exact_text, base64_length(length), exact, length));
        assert_memory_equal(exact, bytes, length);
        free(exact);
        free(exact_text);
        free(bytes);
        free(text);
        free(plain);
    }
}

/* Every foreign character at every place of a text that is long enough for the vector loop. */
static void foreign_characters_are_refused(void **state) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { BYTES = 75, CHARS = 100 };
    uint8_t bytes[BYTES], back[BYTES];
    char text[CHARS];
    for (int i = 0; i < BYTES; i++) {
        bytes[i] = (uint8_t)(i * 37);
    }
    (void)base64_encode(bytes, BYTES, text);
    for (int at = 0; at < CHARS; at++) {
        const char kept = text[at];
        for (int c = 0; c < 256; c++) {
            text[at] = (char)c;
            const bool is_digit = c != 0 && strchr(alphabet, c) != NULL;
            assert_int_equal(base64_decode(text, CHARS, back, BYTES), is_digit);
            assert_int_equal(base64_decode_plain(text, CHARS, back, BYTES), is_digit);
        }
        text[at] = kept;
    }
}

static void other_spellings_are_refused(void **state) {
    static const struct {
        const char *text;
        size_t bytes;
    } wrong[] = {{"Zh==", 1}, {"Zm9=", 2}, {"Zg=", 1},  {"Zg", 1},   {"Z===", 1}, {"====", 1},
                 {"Zg=a", 1}, {"Zm8", 2},  {"=g==", 1}, {"Zm=v", 3}, {"Zg==", 2}, {"Zm9vZg==", 6}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char out[16];
        assert_false(base64_decode(wrong[i].text, strlen(wrong[i].text), out, wrong[i].bytes));
    }
    size_t bytes = 0;
    assert_false(base64_decoded_length("Zm9", 3, &bytes));
    assert_true(base64_decoded_length("====", 4, &bytes)); /* only its length is known */
    assert_int_equal(bytes, 1);
}

/* The bytes of the text are those of protocol.md on every machine; columns longer than a block too. */
static void integers_are_little_endian(void **state) {
    static const uint16_t two[] = {0x0102, 0xfffe};
    static const int32_t four[] = {1, -2};
    const uint64_t eight = UINT64_C(0x0102030405060708);
    char text[64];
    *base64_encode_integers("ab", 2, 1, text) = '\0';
    assert_string_equal(text, "YWI=");
    *base64_encode_integers(two, 2, 2, text) = '\0';
    assert_string_equal(text, "AgH+/w==");
    *base64_encode_integers(four, 2, 4, text) = '\0';
    assert_string_equal(text, "AQAAAP7///8=");
    *base64_encode_integers(&eight, 1, 8, text) = '\0';
    assert_string_equal(text, "CAcGBQQDAgE=");
    int32_t back[2];
    assert_true(base64_decode_integers("AQAAAP7///8=", 12, back, 2, 4));
    assert_memory_equal(back, four, sizeof four);
    assert_false(base64_decode_integers("AQAAAP7///8=", 12, back, 1, 4));

    enum { MANY = 2000 };
    int32_t *many = malloc(MANY * sizeof *many), *again = calloc(MANY, sizeof *again);
    char *long_text = malloc(base64_length(MANY * sizeof *many));
    assert_true(many && again && long_text);
    for (int i = 0; i < MANY; i++) {
        many[i] = i * 1000003;
    }
    const char *end = base64_encode_integers(many, MANY, sizeof *many, long_text);
    assert_int_equal(end - long_text, base64_length(MANY * sizeof *many));
    assert_true(base64_decode_integers(long_text, (size_t)(end - long_text), again, MANY, sizeof *again));
    assert_memory_equal(again, many, MANY * sizeof *many);
    free(many);
    free(again);
    free(long_text);
}

/* ==== decimal: finite or not, by the digits, at and around the bound of a double ==== */

static bool is_finite(const char *mantissa, int64_t exponent) {
    return decimal_is_finite(mantissa, strlen(mantissa), exponent);
}

static void knows_the_bound(void **state) {
    assert_true(is_finite("1.7976931348623157", 308));
    assert_true(is_finite("1.797693134862315807", 308));
    assert_true(is_finite("1.7976931348623158079372897140530341507993413271003782", 308));
    assert_false(is_finite("1.7976931348623158079372897140530341507993413271003783", 308));
    assert_false(is_finite("1.7976931348623159", 308));
    assert_false(is_finite("17976931348623159", 292));
    assert_false(is_finite("2", 308));
    assert_true(is_finite("1", 308));
    assert_false(is_finite("1", 309));
    assert_false(is_finite("1", 999));
    assert_true(is_finite("0.0001", 312));
    assert_false(is_finite("0.0001", 313));
    assert_true(is_finite("0.000", 999999));
    assert_true(is_finite("0", 999999));
    assert_true(is_finite("123456789", -1000000000));
}

static void agrees_with_strtod(void **state) {
    uint64_t random = 7;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        const uint64_t digits = test_random(&random) % UINT64_C(10000000000000000);
        const int exponent = 285 + (int)test_below(&random, 30);
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)digits);
        const size_t length = strlen(text);
        (void)snprintf(text + length, sizeof text - length, "e%d", exponent);
        const bool expected = strtod(text, NULL) <= 1.7976931348623157e308;
        assert_int_equal(decimal_is_finite(text, length, exponent), expected);
    }
}

static void reads_exponents_without_overflow(void **state) {
    assert_int_equal(decimal_exponent("308", 3, false), 308);
    assert_int_equal(decimal_exponent("0012", 4, true), -12);
    assert_true(decimal_exponent("99999999999999999999999999999999", 32, false) >= 1000000000);
}

static void plain_numbers_have_their_value(void **state) {
    const char *end = NULL;
    assert_true(decimal_read("12.25x", &end) == 12.25 && *end == 'x');
    assert_true(decimal_read("1.5.5", &end) == 1.5 && *end == '.');
    assert_true(decimal_read("x", &end) == 0.0 && *end == 'x');
    assert_true(decimal_read("999999999999999999999999", &end) < 1e10 && *end == '\0');
    assert_true(decimal_read("96", NULL) == 96.0);
}

/* ==== name_table: interning, finding, limits, valid names ==== */

static void interns_and_finds(void **state) {
    struct name_table *table = calloc(1, sizeof *table);
    assert_non_null(table);
    assert_int_equal(name_table_intern(table, "prey", 4), 0);
    assert_int_equal(name_table_intern(table, "preyXX", 4), 0);
    assert_int_equal(name_table_intern(table, "pre", 3), 1);
    assert_int_equal(name_table_intern(table, "prey2", 5), 2);
    assert_int_equal(name_table_find(table, "pre"), 1);
    assert_int_equal(name_table_find(table, "pr"), -1);
    assert_int_equal(name_table_intern(table, "0123456789012345678901234567890", 31), 3);
    assert_int_equal(name_table_intern(table, "01234567890123456789012345678901", 32), -1);
    assert_string_equal(table->names[3], "0123456789012345678901234567890");
    assert_int_equal(table->count, 4);
    free(table);
}

static void is_bounded(void **state) {
    struct name_table *table = calloc(1, sizeof *table);
    assert_non_null(table);
    for (int i = 0; i < NAME_TABLE_CAPACITY; i++) {
        char name[16];
        const int length = snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(name_table_intern(table, name, (size_t)length), i);
    }
    assert_int_equal(name_table_intern(table, "more", 4), -1);
    assert_int_equal(name_table_intern(table, "n1023", 5), 1023);
    free(table);
}

static void knows_names(void **state) {
    assert_true(name_is_valid("aZ09_-", 6));
    assert_true(name_is_valid("0123456789012345678901234567890", 31));
    assert_false(name_is_valid("01234567890123456789012345678901", 32));
    assert_false(name_is_valid("", 0));
    assert_false(name_is_valid("a b", 3));
    assert_false(name_is_valid("a\"b", 3));
    assert_false(name_is_valid("a\0b", 3));
    assert_false(name_is_valid("\xC3\xA4", 2));
    assert_false(name_is_valid("a.b", 3));
}

/* ==== Suggestions: near names and others ==== */

static const char *hint_for(const char *typed, const char *const *names) {
    static char hint[NEAREST_HINT_BYTES];
    struct nearest_name nearest = nearest_name_begin(typed);
    for (; *names != NULL; names++) {
        nearest_name_offer(&nearest, *names);
    }
    nearest_name_hint(&nearest, hint);
    return hint;
}

static void counts_changes(void **state) {
    assert_int_equal(nearest_name_distance("", ""), 0);
    assert_int_equal(nearest_name_distance("pause", "pause"), 0);
    assert_int_equal(nearest_name_distance("PAUSE", "pause"), 0);
    assert_int_equal(nearest_name_distance("pase", "pause"), 1);
    assert_int_equal(nearest_name_distance("pauuse", "pause"), 1);
    assert_int_equal(nearest_name_distance("pouse", "pause"), 1);
    assert_int_equal(nearest_name_distance("puase", "pause"), 1);
    assert_int_equal(nearest_name_distance("", "pause"), 5);
    assert_int_equal(nearest_name_distance("kitten", "sitting"), 3);
    char longer[NEAREST_NAME_CHARS + 2];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(nearest_name_distance(longer, "a"), NEAREST_NAME_CHARS + 1);
    longer[NEAREST_NAME_CHARS] = '\0';
    assert_int_equal(nearest_name_distance(longer, "a"), NEAREST_NAME_CHARS - 1);
}

static void suggests_the_nearest_or_nothing(void **state) {
    static const char *const names[] = {"spawn", "step", "subscribe", "unsubscribe", "x", NULL};
    assert_string_equal(hint_for("spwan", names), " (did you mean \"spawn\"?)");
    assert_string_equal(hint_for("Subscribe", names), " (did you mean \"subscribe\"?)");
    assert_string_equal(hint_for("unsubscrib", names), " (did you mean \"unsubscribe\"?)");
    assert_string_equal(hint_for("stpe", names), " (did you mean \"step\"?)");
    assert_string_equal(hint_for("fly", names), "");
    assert_string_equal(hint_for("subscr", names), " (did you mean \"subscribe\"?)"); /* the rest left off */
    assert_string_equal(hint_for("unsub", names), "");
    assert_string_equal(hint_for("spawn", names), ""); /* the typed name itself is not a suggestion */
    assert_string_equal(hint_for("Spawn", names), " (did you mean \"spawn\"?)");
    assert_string_equal(hint_for("y", names), "");
    assert_string_equal(hint_for("", names), "");
    assert_string_equal(hint_for("spawn", (const char *const[]){NULL}), "");
}

/* ==== Names that other clients see: cut ones and refused ones ==== */

static char shown_name[LIMIT_PERSON_BYTES + 1];
static struct failure failure;

static void kept_as(const char *text, const char *expected) {
    if (person_name_read(text, "name", shown_name, &failure) != 0) {
        fail_msg("\"%s\": %s", text, failure.message);
    }
    assert_string_equal(shown_name, expected);
}

static void refused(const char *text, const char *words) {
    assert_int_equal(person_name_read(text, "name", shown_name, &failure), -1);
    assert_int_equal(failure.code, FAILURE_BAD_PARAM);
    assert_string_equal(failure.field, "name");
    if (strstr(failure.message, words) == NULL ||
        strstr(failure.message, "; a name has 1 to 31 bytes of UTF-8 that can be seen") == NULL) {
        fail_msg("\"%s\" says nothing of \"%s\"", failure.message, words);
    }
}

static void keeps_names(void **state) {
    kept_as("", "");
    kept_as("Ann", "Ann");
    kept_as("  Ann  Lee ", "Ann  Lee");
    kept_as("\xc2\xa0J\xc3\xb6rg\xe3\x80\x80", "J\xc3\xb6rg");
    kept_as("\xe5\xb1\xb1\xe7\x94\xb0", "\xe5\xb1\xb1\xe7\x94\xb0");
    kept_as("\xd7\x93\xd7\xa0\xd7\x99", "\xd7\x93\xd7\xa0\xd7\x99"); /* Hebrew needs no controls */
    kept_as("\xf0\x9f\x90\x91", "\xf0\x9f\x90\x91");
    kept_as("\xe2\x9d\xa4\xef\xb8\x8f Ann", "\xe2\x9d\xa4\xef\xb8\x8f Ann"); /* a red heart */
    kept_as("0123456789012345678901234567890", "0123456789012345678901234567890");
}

static void refuses_what_misleads(void **state) {
    refused(" ", "nothing but blanks");
    refused("\xe2\x80\x83\xc2\xa0", "nothing but blanks");
    refused("a\tb", "U+0009");
    refused("a\x1b[31m", "U+001B");
    refused("\x7f", "U+007F");
    refused("\xc2\x85", "U+0085");
    refused("\xe2\x80\xaelive", "U+202E");
    refused("a\xe2\x80\x8b", "U+200B");
    refused("a\xe2\x80\x8f", "U+200F");
    refused("a\xe2\x81\xa6", "U+2066");
    refused("a\xe2\x81\xa9", "U+2069");
    refused("\xef\xbb\xbf"
            "a",
            "U+FEFF");
    refused("\xe3\x85\xa4", "U+3164");
    refused("A\xc2\xadnn", "U+00AD");
    refused("Ann\xf3\xa0\x81\x81", "U+E0041");
    refused("\xe2\xa0\x80\xef\xb8\x8f", "nothing but blanks");
    refused("a\xff", "byte 2 is not UTF-8");
    refused("01234567890123456789012345678901", "32 bytes");
}

/* ==== text_list: with any items and any room, the list stays inside its buffer and ends cleanly ==== */

static void lists_names(void **state) {
    char list[64] = "";
    text_list_add(list, sizeof list, "seek", true);
    text_list_add(list, sizeof list, "flee", true);
    assert_string_equal(list, "\"seek\", \"flee\"");
    char plain[64] = "";
    text_list_add(plain, sizeof plain, "seek", false);
    text_list_add(plain, sizeof plain, "flee", false);
    assert_string_equal(plain, "seek, flee");
}

/* Every size up to more than enough, in memory of exactly that size, with names long and short. */
static void never_overflows(void **state) {
    static const char *const names[] = {"remove_obstacle", "a", "set_target", "b", "", "add_obstacle"};
    for (size_t size = 1; size < 100; size++) {
        char *list = test_exact_copy("", 0);
        list = realloc(list, size);
        assert_non_null(list);
        list[0] = '\0';
        for (int round = 0; round < 4; round++) {
            for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
                text_list_add(list, size, names[i], i % 2 == 0);
            }
        }
        const size_t length = strlen(list);
        assert_true(length < size);
        if (size > 4) {
            assert_string_equal(list + length - 4, " ..."); /* 24 names do not fit into 100 bytes */
        }
        free(list);
    }
}

/* A later item that would still fit is not added: the list would look complete. */
static void an_end_is_an_end(void **state) {
    char list[16] = "";
    text_list_add(list, sizeof list, "pause", false);
    text_list_add(list, sizeof list, "remove_target", false);
    text_list_add(list, sizeof list, "a", false);
    assert_string_equal(list, "pause ...");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_the_rfc),
        cmocka_unit_test(any_bytes_come_back),
        cmocka_unit_test(foreign_characters_are_refused),
        cmocka_unit_test(other_spellings_are_refused),
        cmocka_unit_test(integers_are_little_endian),
        cmocka_unit_test(knows_the_bound),
        cmocka_unit_test(agrees_with_strtod),
        cmocka_unit_test(reads_exponents_without_overflow),
        cmocka_unit_test(plain_numbers_have_their_value),
        cmocka_unit_test(interns_and_finds),
        cmocka_unit_test(is_bounded),
        cmocka_unit_test(knows_names),
        cmocka_unit_test(counts_changes),
        cmocka_unit_test(suggests_the_nearest_or_nothing),
        cmocka_unit_test(keeps_names),
        cmocka_unit_test(refuses_what_misleads),
        cmocka_unit_test(lists_names),
        cmocka_unit_test(never_overflows),
        cmocka_unit_test(an_end_is_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
