/* The heads of frames, and whole control frames. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/net/web_framing.h"

static void expect_head(size_t payload, const char *expected, size_t length) {
    char head[WEB_FRAME_HEAD_BYTES];
    assert_int_equal(web_frame_head(WEB_TEXT, payload, head), length);
    assert_memory_equal(head, expected, length);
}

static void lengths(void **state) {
    expect_head(0, "\x81\x00", 2);
    expect_head(125, "\x81\x7d", 2);
    expect_head(126, "\x81\x7e\x00\x7e", 4);
    expect_head(65535, "\x81\x7e\xff\xff", 4);
    expect_head(65536, "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10);
}

static void control_frames(void **state) {
    struct buffer out;
    char longest[300];
    buffer_init(&out, 4096);
    web_frame_append(&out, WEB_PING, "", 0);
    assert_int_equal(out.length, 2);
    assert_memory_equal(out.data, "\x89\x00", 2);
    buffer_clear(&out);
    web_frame_append_close(&out, WEB_CLOSE_TRY_LATER, "full");
    assert_int_equal(out.length, 8);
    assert_memory_equal(out.data,
                        "\x88\x06\x03\xf5"
                        "full",
                        8);
    buffer_clear(&out);
    memset(longest, 'x', sizeof longest);
    memcpy(longest + 122, "\xc3\xa9", 3);
    web_frame_append_close(&out, WEB_CLOSE_NORMAL, longest);
    assert_int_equal(out.length, 2 + 2 + 122); /* the character at the end is whole or not there */
    buffer_fini(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths),
        cmocka_unit_test(control_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
