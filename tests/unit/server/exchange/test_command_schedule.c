/* Commands that wait for a tick: their order, their withdrawal, their number. */
#include "server/exchange/command_schedule.h"

#include <stdlib.h>

#include "tests/unit/server/cmocka_all.h"

static struct command_schedule schedule;

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
    assert_true(command_schedule_add(&schedule, make(session, number, at)));
}

/* The number of the next command at this tick; 0: there is none. */
static uint64_t take(uint64_t tick, bool is_withdrawn) {
    struct command *command = command_schedule_take(&schedule, tick);
    if (command == NULL) {
        return 0;
    }
    const uint64_t number = command->number;
    assert_int_equal(command->is_withdrawn, is_withdrawn);
    sim_event_free(&command->event);
    return number;
}

static void they_are_due_at_their_ticks_in_order_of_arrival(void **state) {
    (void)state;
    assert_true(command_schedule_due(&schedule) == COMMAND_NEVER_DUE);
    add(1, 5, 30);
    add(2, 6, 10);
    add(1, 7, 30);
    add(2, 4, 30);
    assert_int_equal(command_schedule_due(&schedule), 10);
    assert_int_equal(take(9, false), 0);
    assert_int_equal(take(10, false), 6);
    assert_int_equal(take(29, false), 0);
    assert_int_equal(take(30, false), 4);
    assert_int_equal(take(30, false), 5);
    assert_int_equal(take(30, false), 7);
    assert_int_equal(take(UINT64_MAX, false), 0);
    assert_int_equal(schedule.count, 0);
}

static void withdrawn_ones_are_due_at_once(void **state) {
    (void)state;
    for (uint32_t session = 1; session <= 3; session++) {
        add(session, session, 100);
        add(session, 10 + session, 50);
    }
    command_schedule_withdraw(&schedule, 2);
    assert_int_equal(command_schedule_due(&schedule), 0);
    assert_int_equal(take(0, true), 12);
    assert_int_equal(take(0, true), 2);
    assert_int_equal(take(0, false), 0);
    command_schedule_withdraw(&schedule, 0);
    assert_int_equal(take(0, true), 11);
    command_schedule_fini(&schedule);
    assert_int_equal(schedule.count, 0);
}

static void there_is_room_for_so_many(void **state) {
    (void)state;
    for (int i = 0; i < COMMAND_SCHEDULE_CAPACITY; i++) {
        add(1, (uint64_t)i + 1, 7);
    }
    struct command *more = make(1, 9999, 7);
    assert_false(command_schedule_add(&schedule, more));
    assert_int_equal(take(7, false), 1);
    assert_true(command_schedule_add(&schedule, more));
    command_schedule_fini(&schedule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_due_at_their_ticks_in_order_of_arrival),
        cmocka_unit_test(withdrawn_ones_are_due_at_once),
        cmocka_unit_test(there_is_room_for_so_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
