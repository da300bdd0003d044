/* Growing buffers, failures, bytes with several owners, UTF-8. */

#include "tests/unit/common/test_support.h"

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/shared_bytes.h"
#include "common/base/utf8.h"

/* ==== buffer: growth, the cap, the sticky failure, giving the bytes away ==== */

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

/* ==== failure: formatting, cutting, sanitising, the table of codes ==== */

static void fills_and_returns_minus_one(void **state) {
    struct failure failure;
    assert_int_equal(failure_set(&failure, FAILURE_OUT_OF_RANGE, "count", "%d is out", 7), -1);
    assert_int_equal(failure.code, FAILURE_OUT_OF_RANGE);
    assert_string_equal(failure.field, "count");
    assert_string_equal(failure.message, "7 is out");
    assert_int_equal(failure_set(&failure, FAILURE_BUSY, NULL, "x"), -1);
    assert_string_equal(failure.field, "");
}

static void wraps_its_own_text(void **state) {
    struct failure failure;
    (void)failure_set(&failure, FAILURE_PARSE, "a.b", "inner");
    (void)failure_set(&failure, FAILURE_BAD_SCENARIO, failure.field, "file: %s", failure.message);
    assert_string_equal(failure.field, "a.b");
    assert_string_equal(failure.message, "file: inner");
}

static void is_always_valid_utf8(const char *text) {
    for (size_t left = strlen(text); left > 0;) {
        const size_t size = utf8_character(text, left);
        assert_true(size > 0);
        text += size;
        left -= size;
    }
}

static void cuts_at_a_character(void **state) {
    struct failure failure;
    char text[1000];
    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'a', sizeof text);
        for (size_t i = shift; i + 5 < sizeof text; i += 4) {
            memcpy(text + i, "\xF0\x9F\x90\x91", 4);
        }
        text[sizeof text - 1] = '\0';
        (void)failure_set(&failure, FAILURE_PARSE, text, "%s", text);
        is_always_valid_utf8(failure.message);
        is_always_valid_utf8(failure.field);
        assert_null(strchr(failure.message, '?'));
        assert_true(strlen(failure.message) > sizeof failure.message - 5);
        assert_true(strlen(failure.field) > sizeof failure.field - 5);
    }
}

static void replaces_what_is_not_utf8(void **state) {
    struct failure failure;
    (void)failure_set(&failure, FAILURE_PARSE, "\xFF", "a\xC0\x80z\xE2\x82");
    assert_string_equal(failure.field, "?");
    assert_string_equal(failure.message, "a??z??");
}

static void codes_round_trip(void **state) {
    for (int code = FAILURE_NONE + 1; code < FAILURE_CODE_COUNT; code++) {
        assert_int_equal(failure_code_from_name(failure_code_name((enum failure_code)code)), code);
    }
    assert_string_equal(failure_code_name(FAILURE_OUT_OF_RANGE), "out_of_range");
    assert_string_equal(failure_code_name(FAILURE_NONE), "none");
    assert_int_equal(failure_code_from_name("none"), FAILURE_NONE);
    assert_int_equal(failure_code_from_name("nonsense"), FAILURE_NONE);
}

static void hides_folders(void **state) {
    static const char *const rows[][2] = {
        {"/a/b: c/x.drover: Input/output error", "x.drover: Input/output error"},
        {"folder: No such file or directory", "folder: No such file or directory"},
        {"no path at all", "no path at all"},
        {"1/2 of it", "1/2 of it"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct failure failure;
        (void)failure_set(&failure, FAILURE_IO, NULL, "%s", rows[i][0]);
        failure_hide_folder(&failure);
        assert_string_equal(failure.message, rows[i][1]);
    }
}

/* ==== shared_bytes: references (the address sanitizer sees a missing or a second free) ==== */

static void frees_with_the_last_reference(void **state) {
    char *data = malloc(3);
    assert_non_null(data);
    memcpy(data, "abc", 3);
    struct shared_bytes *bytes = shared_bytes_create(data, 3);
    assert_non_null(bytes);
    assert_int_equal(bytes->references, 1);
    assert_ptr_equal(shared_bytes_keep(bytes), bytes);
    assert_int_equal(bytes->references, 2);
    shared_bytes_release(bytes);
    assert_int_equal(bytes->references, 1);
    assert_memory_equal(bytes->data, "abc", 3);
    shared_bytes_release(bytes);
    shared_bytes_release(NULL);
}

static void counts_what_is_held(void **state) {
    struct byte_meter meter = {0};
    struct shared_bytes *first = shared_bytes_create_counted(malloc(300), 300, &meter);
    struct shared_bytes *second = shared_bytes_create_counted(malloc(50), 50, &meter);
    assert_true(first != NULL && second != NULL);
    assert_int_equal(meter.now, 350);
    shared_bytes_release(shared_bytes_keep(first));
    assert_int_equal(meter.now, 350);
    shared_bytes_release(first);
    assert_int_equal(meter.now, 50);
    shared_bytes_release(second);
    assert_int_equal(meter.now, 0);
    assert_int_equal(meter.most, 350);
}

static void a_slice_holds_the_whole(void **state) {
    struct byte_meter meter = {0};
    struct shared_bytes *whole = shared_bytes_create_counted(malloc(300), 300, &meter);
    assert_non_null(whole);
    struct shared_bytes *slice = shared_bytes_slice(whole, 100, 50);
    assert_non_null(slice);
    assert_ptr_equal(slice->data, whole->data + 100);
    shared_bytes_release(whole);
    assert_int_equal(meter.now, 300);
    shared_bytes_release(slice);
    assert_int_equal(meter.now, 0);
}

/* ==== common/utf8: every two-byte start, the edges of the ranges, cutting, encoding ==== */

static void encodes_what_it_accepts(void **state) {
    for (uint32_t code_point = 0; code_point <= 0x10FFFF; code_point++) {
        char text[4];
        const size_t size = utf8_encode(text, code_point);
        const int is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
        assert_int_equal(utf8_character(text, size), is_surrogate ? 0 : size);
        assert_int_equal(utf8_character(text, size - 1), 0);
        assert_int_equal(utf8_code_point(text, size), code_point);
    }
}

static void refuses_ill_formed(void **state) {
    static const char *const bad[] = {"\x80",
                                      "\xBF",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xC2",
                                      "\xC2\x20",
                                      "\xE0\x80\x80",
                                      "\xE0\x9F\xBF",
                                      "\xED\xA0\x80",
                                      "\xED\xBF\xBF",
                                      "\xE2\x82",
                                      "\xF0\x80\x80\x80",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xFE",
                                      "\xFF",
                                      "\xF0\x9F\x90"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(utf8_character(bad[i], strlen(bad[i])), 0);
    }
}

static void cuts_and_counts(void **state) {
    const char text[] = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x90\x91"; /* 1 + 2 + 3 + 4 bytes */
    assert_int_equal(utf8_count(text, 10), 4);
    static const size_t ends[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (size_t limit = 0; limit < sizeof ends / sizeof ends[0]; limit++) {
        assert_int_equal(utf8_cut(text, 10, limit), ends[limit]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_and_terminates),
        cmocka_unit_test(refuses_beyond_the_cap_and_stays_failed),
        cmocka_unit_test(huge_reserve_does_not_wrap),
        cmocka_unit_test(reserve_and_commit),
        cmocka_unit_test(take_gives_the_bytes_away),
        cmocka_unit_test(fills_and_returns_minus_one),
        cmocka_unit_test(wraps_its_own_text),
        cmocka_unit_test(cuts_at_a_character),
        cmocka_unit_test(replaces_what_is_not_utf8),
        cmocka_unit_test(hides_folders),
        cmocka_unit_test(codes_round_trip),
        cmocka_unit_test(frees_with_the_last_reference),
        cmocka_unit_test(counts_what_is_held),
        cmocka_unit_test(a_slice_holds_the_whole),
        cmocka_unit_test(encodes_what_it_accepts),
        cmocka_unit_test(refuses_ill_formed),
        cmocka_unit_test(cuts_and_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
