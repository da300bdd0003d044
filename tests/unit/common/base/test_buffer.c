/* common/buffer: growth, the cap, the sticky failure, giving the bytes away. */
#include "common/base/buffer.h"

#include "tests/unit/common/test_support.h"

static void appends_and_terminates(void **state) {
    struct buffer buffer;
    buffer_init(&buffer, 100000);
    assert_null(buffer.data);
    for (int i = 0; i < 5000; i++) {
        buffer_append(&buffer, "abc", 3);
    }
    buffer_append_text(&buffer, "end");
    buffer_printf(&buffer, "%d-%s", 42, "x");
    assert_false(buffer.failed);
    assert_int_equal(buffer.length, 15007);
    assert_int_equal(strlen(buffer.data), buffer.length);
    assert_string_equal(buffer.data + 14997, "abcend42-x");
    buffer_fini(&buffer);
    assert_null(buffer.data);
}

static void refuses_beyond_the_cap_and_stays_failed(void **state) {
    struct buffer buffer;
    buffer_init(&buffer, 5);
    buffer_append_text(&buffer, "abcde");
    assert_false(buffer.failed);
    buffer_append_text(&buffer, "f");
    assert_true(buffer.failed);
    assert_string_equal(buffer.data, "abcde");
    buffer_append_text(&buffer, "");
    assert_true(buffer.failed);
    assert_null(buffer_take(&buffer, NULL));
    buffer_append_text(&buffer, "ok");
    assert_false(buffer.failed);
    buffer_printf(&buffer, "%s", "four");
    assert_true(buffer.failed);
    buffer_clear(&buffer);
    assert_false(buffer.failed);
    assert_int_equal(buffer.length, 0);
    buffer_fini(&buffer);
}

static void huge_reserve_does_not_wrap(void **state) {
    struct buffer buffer;
    buffer_init(&buffer, 1000);
    buffer_append_text(&buffer, "x");
    assert_null(buffer_reserve(&buffer, SIZE_MAX));
    assert_true(buffer.failed);
    assert_int_equal(buffer.length, 1);
    buffer_fini(&buffer);
}

static void reserve_and_commit(void **state) {
    struct buffer buffer;
    buffer_init(&buffer, 1000);
    char *room = buffer_reserve(&buffer, 600);
    assert_non_null(room);
    memset(room, 'y', 600);
    buffer_commit(&buffer, 10);
    assert_string_equal(buffer.data, "yyyyyyyyyy");
    buffer_fini(&buffer);
}

static void take_gives_the_bytes_away(void **state) {
    struct buffer buffer;
    buffer_init(&buffer, 10);
    assert_null(buffer_take(&buffer, NULL));
    buffer_append_text(&buffer, "hello");
    size_t length = 0;
    char *bytes = buffer_take(&buffer, &length);
    assert_int_equal(length, 5);
    assert_string_equal(bytes, "hello");
    assert_null(buffer.data);
    assert_int_equal(buffer.limit, 10);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_and_terminates),
        cmocka_unit_test(refuses_beyond_the_cap_and_stays_failed),
        cmocka_unit_test(huge_reserve_does_not_wrap),
        cmocka_unit_test(reserve_and_commit),
        cmocka_unit_test(take_gives_the_bytes_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
