/* Names that other clients see: cut ones and refused ones. */
#include "tests/unit/common/test_support.h"

#include "common/text/names.h"

static char name[LIMIT_PERSON_BYTES + 1];
static struct failure failure;

static void kept_as(const char *text, const char *expected) {
    if (person_name_read(text, "name", name, &failure) != 0) {
        fail_msg("\"%s\": %s", text, failure.message);
    }
    assert_string_equal(name, expected);
}

static void refused(const char *text, const char *words) {
    assert_int_equal(person_name_read(text, "name", name, &failure), -1);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_names),
        cmocka_unit_test(refuses_what_misleads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
