/* common/shared_bytes: references (the address sanitizer sees a missing or a second free). */
#include "common/shared_bytes.h"

#include "test_support.h"

static void frees_with_the_last_reference(void **state) {
    (void)state;
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(frees_with_the_last_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
