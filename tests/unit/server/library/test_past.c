/* The past of the live world: which moments are found. Through a server: tests/e2e/test_rewind.py. */
#include "tests/unit/server/cmocka_all.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/library/past.h"

struct making {
    struct past *past;
    uint32_t number;
    const char *save; /* NULL: it cannot be made */
};

/* A checkpoint that takes a while. */
static void *make(void *context) {
    const struct making *making = context;
    const struct timespec while_it_is_made = {.tv_nsec = 50000000};
    (void)nanosleep(&while_it_is_made, NULL);
    past_put(making->past, making->number, making->save == NULL ? NULL : strdup(making->save),
             making->save == NULL ? 0 : strlen(making->save));
    return NULL;
}

/* Whether the first of ten ticks is found while its checkpoint is being made. */
static int find_first(const char *save, struct failure *failure) {
    const struct request_rewind to = {.has_tick = true, .tick = 0};
    struct making making = {.past = past_create(1000000), .save = save};
    struct past_route route;
    pthread_t thread;
    assert_non_null(making.past);
    past_begin(making.past, 0, 0, 60.0);
    making.number = past_add(making.past, 0, 100);
    assert_int_not_equal(making.number, 0);
    past_note_tick(making.past, 10);
    assert_int_equal(pthread_create(&thread, NULL, make, &making), 0);
    const int result = past_route_find(making.past, &to, NULL, &route, failure);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (result == 0) {
        assert_string_equal(route.save, save);
        past_route_fini(&route);
    }
    past_destroy(making.past);
    return result;
}

static void a_checkpoint_that_is_being_made_is_waited_for(void **state) {
    struct failure failure;
    (void)state;
    assert_int_equal(find_first("a world", &failure), 0);
    assert_int_equal(find_first(NULL, &failure), -1);
    assert_int_equal(failure.code, FAILURE_OUT_OF_RANGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_checkpoint_that_is_being_made_is_waited_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
