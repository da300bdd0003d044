/* common/base64: the vectors of RFC 4648, both ways with and without AVX2, and all refusals.
 */
#include "common/text/base64.h"

#include "tests/unit/common/test_support.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_the_rfc),         cmocka_unit_test(any_bytes_come_back),
        cmocka_unit_test(foreign_characters_are_refused), cmocka_unit_test(other_spellings_are_refused),
        cmocka_unit_test(integers_are_little_endian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
