/* clients/drover/live/shown_text: nothing that a server sends reaches a terminal as a control. */
#include "clients/drover/live/live.h"

#include "common/base/utf8.h"
#include "tests/unit/common/test_support.h"

static const char *show(struct buffer *out, const char *text, size_t length) {
    buffer_clear(out);
    shown_text_append(out, text, length);
    return out->data == NULL ? "" : out->data;
}

static const char *show_json(struct buffer *out, const char *text) {
    buffer_clear(out);
    shown_json_append(out, text, strlen(text));
    return out->data == NULL ? "" : out->data;
}

static void test_plain_text_stays(void **state) {
    struct buffer out;
    buffer_init(&out, 1 << 16);
    assert_string_equal(show(&out, "Möwe 鳥 \xF0\x9F\x90\xA6", 14), "Möwe 鳥 \xF0\x9F\x90\xA6");
    assert_string_equal(show(&out, "", 0), "");
    buffer_fini(&out);
}

static void test_controls_are_escaped(void **state) {
    struct buffer out;
    buffer_init(&out, 1 << 16);
    assert_string_equal(show(&out, "a\033[2Jb\r\n\tc\x7F", 11), "a\\u001b[2Jb\\u000d\\u000a\\u0009c\\u007f");
    assert_string_equal(show(&out,
                             "\xC2\x9B"
                             "31m",
                             5),
                        "\\u009b31m");                                        /* C1: CSI */
    assert_string_equal(show(&out, "\xE2\x80\xAE", 3), "\\u202e");            /* right to left */
    assert_string_equal(show(&out, "\xF3\xA0\x81\x81", 4), "\\udb40\\udc41"); /* a tag */
    assert_string_equal(show(&out,
                             "\x9B"
                             "1m\xFF",
                             4),
                        "\\x9b1m\\xff"); /* no UTF-8 */
    assert_string_equal(show(&out, "a\0b", 3), "a\\u0000b");
    buffer_fini(&out);
}

static void test_json_keeps_its_values(void **state) {
    struct buffer out;
    buffer_init(&out, 1 << 16);
    assert_string_equal(show_json(&out, "{\"a\":\"x\\n\xC2\x9B\",\r\n\t\"b\":1}"),
                        "{\"a\":\"x\\n\\u009b\",   \"b\":1}");
    assert_string_equal(show_json(&out, "\"\xF3\xA0\x81\x81\x7F\""), "\"\\udb40\\udc41\\u007f\"");
    assert_string_equal(show_json(&out, "{\"name\":\"Möwe\"}"), "{\"name\":\"Möwe\"}");
    buffer_fini(&out);
}

static void test_no_byte_of_chance_is_a_control(void **state) {
    struct buffer out;
    uint64_t seed = 7;
    buffer_init(&out, 1 << 16);
    for (int round = 0; round < 2000; round++) {
        char bytes[24];
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (char)test_below(&seed, 256);
        }
        const char *shown = show(&out, bytes, sizeof bytes);
        for (size_t i = 0; i < out.length;) {
            const size_t size = utf8_character(shown + i, out.length - i);
            assert_true(size > 0);
            const uint32_t code_point = utf8_code_point(shown + i, size);
            assert_true(code_point >= 0x20 && (code_point < 0x7F || code_point > 0x9F));
            i += size;
        }
    }
    buffer_fini(&out);
}

static void test_width_counts_columns(void **state) {
    assert_int_equal(shown_text_width("abc", 3), 3);
    assert_int_equal(shown_text_width("鳥", 3), 2);
    assert_int_equal(shown_text_width("e\xCC\x81", 3), 1);
    assert_int_equal(shown_text_fit("a鳥b", 5, 2), 1);
    assert_int_equal(shown_text_fit("a鳥b", 5, 3), 4);
    assert_int_equal(shown_text_fit("abc", 3, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_text_stays),      cmocka_unit_test(test_controls_are_escaped),
        cmocka_unit_test(test_json_keeps_its_values), cmocka_unit_test(test_no_byte_of_chance_is_a_control),
        cmocka_unit_test(test_width_counts_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
