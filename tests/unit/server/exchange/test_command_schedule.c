/* Commands that wait for a tick: their order, their withdrawal, their number. */
#include "server/exchange/command_queue.h"

#include <stdlib.h>

#include "tests/unit/server/cmocka_all.h"

static struct command_queue queue;

static struct command *make(uint32_t session, uint64_t number, uint64_t at) {
    struct command *command = calloc(1, sizeof *command);
    assert_non_null(command);
    command->origin.session = session;
    command->number = number;
    command->request = request_default(REQUEST_SPAWN);
    command->request.has_at = true;
    command->request.at = at;
    return command;
}

static void add(uint32_t session, uint64_t number, uint64_t at) {
    assert_true(command_queue_schedule(&queue, make(session, number, at)));
}

/* The number of the next command at this tick; 0: there is none. */
static uint64_t take(uint64_t tick, bool is_withdrawn) {
    struct command *command = command_queue_take_due(&queue, tick);
    if (command == NULL) {
        return 0;
    }
    const uint64_t number = command->number;
    assert_int_equal(command->is_withdrawn, is_withdrawn);
    sim_event_free(&command->event);
    return number;
}

static int set_up(void **state) {
    return command_queue_init(&queue, 1, NULL, NULL);
}

/* Frees those that still wait: the sanitizer knows. */
static int tear_down(void **state) {
    command_queue_fini(&queue);
    return 0;
}

static void they_are_due_at_their_ticks_in_order_of_arrival(void **state) {
    assert_true(atomic_load(&queue.due) == COMMAND_NEVER_DUE);
    add(1, 5, 30);
    add(2, 6, 10);
    add(1, 7, 30);
    add(2, 4, 30);
    assert_int_equal(atomic_load(&queue.due), 10);
    assert_int_equal(take(9, false), 0);
    assert_int_equal(take(10, false), 6);
    assert_int_equal(take(29, false), 0);
    assert_int_equal(take(30, false), 4);
    assert_int_equal(take(30, false), 5);
    assert_int_equal(take(30, false), 7);
    assert_int_equal(take(UINT64_MAX, false), 0);
    assert_int_equal(queue.schedule.count, 0);
}

static void withdrawn_ones_are_due_at_once(void **state) {
    for (uint32_t session = 1; session <= 3; session++) {
        add(session, session, 100);
        add(session, 10 + session, 50);
    }
    command_queue_end_steps(&queue, 2);
    assert_int_equal(atomic_load(&queue.due), 0);
    assert_int_equal(take(0, true), 12);
    assert_int_equal(take(0, true), 2);
    assert_int_equal(take(0, false), 0);
    command_queue_withdraw(&queue);
    assert_int_equal(take(0, true), 11);
}

static void there_is_room_for_so_many(void **state) {
    for (int i = 0; i < COMMAND_SCHEDULE_CAPACITY; i++) {
        add(1, (uint64_t)i + 1, 7);
    }
    struct command *more = make(1, 9999, 7);
    assert_false(command_queue_schedule(&queue, more));
    assert_int_equal(take(7, false), 1);
    assert_true(command_queue_schedule(&queue, more));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(they_are_due_at_their_ticks_in_order_of_arrival, set_up, tear_down),
        cmocka_unit_test_setup_teardown(withdrawn_ones_are_due_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(there_is_room_for_so_many, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
