/* Snapshots in order, 64 of them, one world. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/model/interpolate.h"

static struct snapshot *empty_at(double clock_ms) {
    return make_snapshot(clock_ms, NULL, 0);
}

static void push(struct snapshot_buffer *buffer, struct snapshot *snapshot) {
    snapshot_destroy(snapshot_buffer_push(buffer, snapshot));
}

static void keeps_the_last_64(void **state) {
    struct snapshot_buffer buffer;
    snapshot_buffer_init(&buffer);
    for (int i = 0; i < 100; i++) {
        struct snapshot *back = snapshot_buffer_push(&buffer, empty_at(1000.0 + i));
        assert_true((back != NULL) ==
                    (i >= SNAPSHOT_BUFFER_CAPACITY)); /* memory comes back once it is full */
        snapshot_destroy(back);
    }
    assert_int_equal(buffer.count, SNAPSHOT_BUFFER_CAPACITY);
    assert_true(snapshot_buffer_at(&buffer, 0)->clock_ms == 1036.0);
    assert_true(snapshot_buffer_newest(&buffer)->clock_ms == 1099.0);
    assert_null(snapshot_buffer_at(&buffer, 64));
    assert_null(snapshot_buffer_at(&buffer, -1));
    snapshot_buffer_fini(&buffer);
}

static void finds_neighbors(void **state) {
    struct snapshot_buffer buffer;
    const struct snapshot *before, *after;
    snapshot_buffer_init(&buffer);
    snapshot_buffer_around(&buffer, 5.0, &before, &after);
    assert_null(before);
    assert_null(after);
    for (int i = 0; i < 70; i++) { /* so that the ring has turned */
        push(&buffer, empty_at(i * 10.0));
    }
    snapshot_buffer_around(&buffer, 105.0, &before, &after);
    assert_true(before->clock_ms == 100.0 && after->clock_ms == 110.0);
    snapshot_buffer_around(&buffer, 110.0, &before, &after);
    assert_true(before->clock_ms == 110.0 && after->clock_ms == 120.0);
    snapshot_buffer_around(&buffer, 9999.0, &before, &after);
    assert_true(before->clock_ms == 690.0);
    assert_null(after);
    snapshot_buffer_around(&buffer, 1.0, &before, &after);
    assert_null(before);
    assert_true(after->clock_ms == 60.0);
    snapshot_buffer_fini(&buffer);
}

static void refuses_the_old_and_replaces_the_same_moment(void **state) {
    struct snapshot_buffer buffer;
    snapshot_buffer_init(&buffer);
    struct snapshot *first = empty_at(1000.0), *old = empty_at(990.0), *same = empty_at(1000.0);
    assert_null(snapshot_buffer_push(&buffer, first));
    assert_ptr_equal(snapshot_buffer_push(&buffer, old), old);
    assert_int_equal(buffer.count, 1);
    assert_ptr_equal(snapshot_buffer_push(&buffer, same), first);
    assert_int_equal(buffer.count, 1);
    assert_ptr_equal(snapshot_buffer_newest(&buffer), same);
    snapshot_destroy(first);
    snapshot_destroy(old);
    snapshot_buffer_fini(&buffer);
}

static void another_world_starts_afresh(void **state) {
    struct snapshot_buffer buffer;
    snapshot_buffer_init(&buffer);
    push(&buffer, empty_at(1000.0));
    push(&buffer, empty_at(1010.0));
    struct snapshot *loaded = empty_at(1020.0);
    loaded->epoch = 1;
    push(&buffer, loaded);
    assert_int_equal(buffer.count, 1);
    struct snapshot *restarted = empty_at(5.0); /* a server whose clock began again */
    restarted->epoch = 1;
    push(&buffer, restarted);
    assert_int_equal(buffer.count, 1);
    assert_true(snapshot_buffer_newest(&buffer)->clock_ms == 5.0);
    snapshot_buffer_fini(&buffer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_last_64),
        cmocka_unit_test(finds_neighbors),
        cmocka_unit_test(refuses_the_old_and_replaces_the_same_moment),
        cmocka_unit_test(another_world_starts_afresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
