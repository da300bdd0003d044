/* common/shared_bytes: references (the address sanitizer sees a missing or a second free). */
#include "common/base/shared_bytes.h"

#include "tests/unit/common/test_support.h"

static void frees_with_the_last_reference(void **state) {
    char *data = malloc(3);
    assert_non_null(data);
    memcpy(data, "abc", 3);
    struct shared_bytes *bytes = shared_bytes_create(data, 3);
    assert_non_null(bytes);
    assert_int_equal(bytes->references, 1);
    assert_ptr_equal(shared_bytes_hold(bytes), bytes);
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
    shared_bytes_release(shared_bytes_hold(first));
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frees_with_the_last_reference),
        cmocka_unit_test(counts_what_is_held),
        cmocka_unit_test(a_slice_holds_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
