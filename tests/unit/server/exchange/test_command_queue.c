/* The command queue: what ends a wait and what does not, when a step has to end. The order of commands is
 * tested in test_command_lanes.c. */
#include "tests/unit/server/cmocka_all.h"

#include "common/system/clock.h"
#include "server/exchange/command_queue.h"

static enum command_push push(struct command_queue *queue, uint32_t session, uint64_t line,
                              enum request_op op) {
    const struct request request = request_default(op);
    return command_queue_push(queue, &(struct command_origin){.session = session, .line = line}, &request);
}

/* Takes all commands and frees them. */
static size_t take_all(struct command_queue *queue, unsigned wanted) {
    struct command *command = NULL;
    size_t count = 0;
    command_queue_begin(queue, wanted);
    while ((command = command_queue_take(queue, wanted)) != NULL) {
        sim_event_free(&command->event);
        count++;
    }
    return count;
}

static void *push_later(void *argument) {
    struct command_queue *queue = argument;
    assert_int_equal(push(queue, 1, 1, REQUEST_PAUSE), COMMAND_QUEUED);
    return NULL;
}

/* Whether a wait comes back at once; it would take a minute otherwise. */
static void expect_no_wait(struct command_queue *queue, unsigned wanted) {
    const uint64_t far = clock_now_ns() + UINT64_C(60000000000);
    command_queue_wait(queue, &far, wanted);
    assert_true(clock_now_ns() < far);
}

static void expect_wait(struct command_queue *queue, unsigned wanted) {
    const uint64_t deadline = clock_now_ns() + 20000000;
    command_queue_wait(queue, &deadline, wanted);
    assert_true(clock_now_ns() >= deadline);
}

static void test_waiting(void **state) {
    struct command_queue queue;
    assert_int_equal(command_queue_init(&queue, 8, NULL, NULL), 0);
    expect_wait(&queue, COMMAND_ANY);
    command_queue_wake(&queue); /* a wake before the wait counts */
    expect_no_wait(&queue, 0);

    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, push_later, &queue), 0);
    expect_no_wait(&queue, COMMAND_ANY);
    assert_int_equal(command_queue_count(&queue), 1);
    pthread_join(thread, NULL);

    expect_wait(&queue, COMMAND_QUERY); /* a running world ignores changes between ticks */
    assert_int_equal(push(&queue, 2, 1, REQUEST_LIST), COMMAND_QUEUED);
    expect_no_wait(&queue, COMMAND_QUERY);
    assert_int_equal(take_all(&queue, COMMAND_QUERY), 1);
    expect_wait(&queue, COMMAND_QUERY);
    expect_no_wait(&queue, COMMAND_CHANGE);
    command_queue_fini(&queue);
}

/* Commands that a pass had to leave do not end a wait, until they can be taken. */
static void test_what_is_held_is_waited_for(void **state) {
    struct command_queue queue;
    assert_int_equal(command_queue_init(&queue, 8, NULL, NULL), 0);
    assert_int_equal(push(&queue, 1, 1, REQUEST_STEP), COMMAND_QUEUED);
    assert_int_equal(push(&queue, 1, 2, REQUEST_SPAWN), COMMAND_QUEUED);
    command_queue_begin(&queue, COMMAND_ANY);
    struct command *step = command_queue_take(&queue, COMMAND_ANY);
    assert_non_null(step);
    assert_null(command_queue_take(&queue, COMMAND_ANY));
    expect_wait(&queue, COMMAND_ANY);
    command_queue_end_step(&queue);
    sim_event_free(&step->event);
    expect_no_wait(&queue, COMMAND_ANY);
    assert_int_equal(take_all(&queue, COMMAND_ANY), 1);
    assert_int_equal(push(&queue, 1, 3, REQUEST_LIST), COMMAND_QUEUED);
    assert_int_equal(push(&queue, 2, 1, REQUEST_LIST), COMMAND_QUEUED);
    command_queue_begin(&queue, COMMAND_ANY);
    struct command *list = command_queue_take(&queue, COMMAND_ANY);
    assert_non_null(list);
    assert_null(command_queue_take(&queue, COMMAND_CHANGE)); /* the time for queries is over */
    command_queue_end_pass(&queue);
    expect_no_wait(&queue, COMMAND_ANY); /* but there is one */
    sim_event_free(&list->event);
    command_queue_fini(&queue);
}

static void test_a_step_ends_by_what_it_spent(void **state) {
    struct command_queue queue;
    assert_int_equal(command_queue_init(&queue, 8, NULL, NULL), 0);
    assert_int_equal(push(&queue, 1, 1, REQUEST_STEP), COMMAND_QUEUED);
    command_queue_begin(&queue, COMMAND_ANY);
    struct command *step = command_queue_take(&queue, COMMAND_ANY);
    command_queue_spend(&queue, 5 * COMMAND_GRACE_NS);
    assert_false(command_queue_must_end_step(&queue));
    assert_int_equal(push(&queue, 2, 1, REQUEST_PAUSE), COMMAND_QUEUED);
    command_queue_spend(&queue, COMMAND_GRACE_NS - 1);
    assert_false(command_queue_must_end_step(&queue));
    command_queue_spend(&queue, 1);
    assert_true(command_queue_must_end_step(&queue));
    assert_true(command_queue_ticking_ns(&queue) == 6 * COMMAND_GRACE_NS);
    command_queue_end_step(&queue);
    sim_event_free(&step->event);
    assert_false(command_queue_must_end_step(&queue));

    assert_int_equal(push(&queue, 1, 2, REQUEST_STEP), COMMAND_QUEUED);
    command_queue_end_steps(&queue, 1);
    command_queue_spend(&queue, COMMAND_GRACE_NS); /* by now another one's */
    command_queue_begin(&queue, COMMAND_CHANGE);
    struct command *pause = command_queue_take(&queue, COMMAND_CHANGE);
    assert_int_equal(pause->request.op, REQUEST_PAUSE);
    sim_event_free(&pause->event);
    step = command_queue_take(&queue, COMMAND_CHANGE);
    assert_true(command_queue_must_end_step(&queue));
    command_queue_end_step(&queue);
    sim_event_free(&step->event);
    command_queue_fini(&queue);
}

static struct command *push_and_take(struct command_queue *queue, uint32_t session, uint64_t at) {
    struct request request = request_default(REQUEST_SPAWN);
    request.has_at = true;
    request.at = at;
    const struct command_origin origin = {.session = session};
    assert_int_equal(command_queue_push(queue, &origin, &request), COMMAND_QUEUED);
    command_queue_begin(queue, COMMAND_ANY);
    struct command *command = command_queue_take(queue, COMMAND_ANY);
    assert_non_null(command);
    return command;
}

/* Whether the next command that is due at this tick is this one, and withdrawn. */
static void expect_due(struct command_queue *queue, uint64_t tick, struct command *command,
                       bool is_withdrawn) {
    assert_ptr_equal(command_queue_take_due(queue, tick), command);
    if (command != NULL) {
        assert_int_equal(command->is_withdrawn, is_withdrawn);
        sim_event_free(&command->event);
    }
}

static void test_commands_with_a_tick(void **state) {
    struct command_queue queue;
    assert_int_equal(command_queue_init(&queue, 8, NULL, NULL), 0);
    struct command *first = push_and_take(&queue, 1, 5);
    assert_true(command_queue_schedule(&queue, first));
    expect_due(&queue, 4, NULL, false);
    expect_due(&queue, 5, first, false);

    first = push_and_take(&queue, 1, 5); /* its session leaves while it waits, */
    assert_true(command_queue_schedule(&queue, first));
    command_queue_end_steps(&queue, 1);
    expect_no_wait(&queue, 0);
    expect_due(&queue, 0, first, true);
    first = push_and_take(&queue, 2, 5); /* while it is in the hands of the thread that took it, */
    command_queue_end_steps(&queue, 2);
    assert_true(command_queue_schedule(&queue, first));
    expect_due(&queue, 0, first, true);
    struct request request = request_default(REQUEST_SPAWN); /* and while it is in its lane */
    request.has_at = true;
    request.at = 5;
    assert_int_equal(command_queue_push(&queue, &(struct command_origin){.session = 3}, &request),
                     COMMAND_QUEUED);
    command_queue_end_steps(&queue, 3);
    command_queue_begin(&queue, COMMAND_ANY);
    first = command_queue_take(&queue, COMMAND_ANY);
    assert_true(first->is_withdrawn);
    assert_true(command_queue_schedule(&queue, first));
    expect_due(&queue, 0, first, true);

    first = push_and_take(&queue, 4, 5);
    assert_true(command_queue_schedule(&queue, first));
    command_queue_withdraw(&queue);
    expect_due(&queue, 0, first, true);
    first = push_and_take(&queue, 4, 5);
    assert_true(command_queue_schedule(&queue, first));
    assert_ptr_equal(command_queue_pop(&queue), first);
    assert_null(command_queue_pop(&queue));
    assert_true(command_queue_schedule(&queue, first));
    command_queue_fini(&queue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_what_is_held_is_waited_for),
        cmocka_unit_test(test_a_step_ends_by_what_it_spent),
        cmocka_unit_test(test_commands_with_a_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
