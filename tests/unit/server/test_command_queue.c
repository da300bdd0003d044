/* The command queue: order, bound, the mouse that replaces itself, waiting. */
#include "cmocka_all.h"

#include <string.h>

#include "common/clock.h"
#include "server/command_queue.h"

static struct request mouse_at(float x) {
    struct request request = request_default(REQUEST_MOUSE);
    request.body.mouse.x = x;
    return request;
}

static enum command_push push(struct command_queue *queue, uint32_t session, uint64_t line,
                              enum request_op op) {
    const struct request request = request_default(op);
    return command_queue_push(queue, session, line, &request);
}

static void expect_pop(struct command_queue *queue, uint32_t session, uint64_t line, enum request_op op) {
    struct command *command = command_queue_pop(queue);
    assert_non_null(command);
    assert_int_equal(command->session, session);
    assert_int_equal(command->sequence, line);
    assert_int_equal(command->request.op, op);
    assert_int_equal(command->outcome.kind, OUTCOME_ANSWER);
    assert_int_equal(command->outcome.session, session);
    outcome_free(&command->outcome);
}

static void test_order_and_bound(void **state) {
    (void)state;
    struct command_queue queue;
    assert_int_equal(command_queue_init(&queue, 3), 0);
    assert_null(command_queue_pop(&queue));
    for (uint64_t round = 0; round < 5; round++) { /* round and round the ring */
        assert_int_equal(push(&queue, 2, round, REQUEST_PAUSE), COMMAND_QUEUED);
        assert_int_equal(push(&queue, 1, round, REQUEST_STEP), COMMAND_QUEUED);
        assert_int_equal(push(&queue, 2, round + 1, REQUEST_RESUME), COMMAND_QUEUED);
        assert_int_equal(push(&queue, 3, 1, REQUEST_PAUSE), COMMAND_REFUSED);
        assert_int_equal(command_queue_count(&queue), 3);
        expect_pop(&queue, 2, round, REQUEST_PAUSE);
        assert_int_equal(push(&queue, 4, 9, REQUEST_LIST), COMMAND_QUEUED);
        expect_pop(&queue, 1, round, REQUEST_STEP);
        expect_pop(&queue, 2, round + 1, REQUEST_RESUME);
        expect_pop(&queue, 4, 9, REQUEST_LIST);
        assert_int_equal(command_queue_count(&queue), 0);
    }
    command_queue_fini(&queue);
}

static void test_mouse_replaces_itself(void **state) {
    (void)state;
    struct command_queue queue;
    assert_int_equal(command_queue_init(&queue, 8), 0);
    struct request mouse = mouse_at(1.0f);
    assert_int_equal(command_queue_push(&queue, 1, 1, &mouse), COMMAND_QUEUED);
    assert_int_equal(command_queue_push(&queue, 2, 1, &mouse), COMMAND_QUEUED); /* another session's own */
    mouse = mouse_at(2.0f);
    assert_int_equal(command_queue_push(&queue, 1, 2, &mouse), COMMAND_REPLACED);
    assert_int_equal(command_queue_count(&queue), 2);
    assert_int_equal(push(&queue, 1, 3, REQUEST_PAUSE), COMMAND_QUEUED);
    mouse = mouse_at(3.0f);
    assert_int_equal(command_queue_push(&queue, 1, 4, &mouse),
                     COMMAND_QUEUED); /* not across another command */
    memcpy(mouse.id, "7", 2);
    assert_int_equal(command_queue_push(&queue, 1, 5, &mouse), COMMAND_QUEUED); /* an id is owed an answer */
    mouse.id[0] = '\0';
    assert_int_equal(command_queue_push(&queue, 1, 6, &mouse), COMMAND_QUEUED); /* and is not overwritten */

    struct command *command = command_queue_pop(&queue);
    assert_int_equal(command->sequence, 2);
    assert_true(command->request.body.mouse.x == 2.0f);
    outcome_free(&command->outcome);
    expect_pop(&queue, 2, 1, REQUEST_MOUSE);
    expect_pop(&queue, 1, 3, REQUEST_PAUSE);
    expect_pop(&queue, 1, 4, REQUEST_MOUSE);
    expect_pop(&queue, 1, 5, REQUEST_MOUSE);
    expect_pop(&queue, 1, 6, REQUEST_MOUSE);
    command_queue_fini(&queue);
}

/* A full queue still takes the newer mouse in place of the older. */
static void test_mouse_when_full(void **state) {
    (void)state;
    struct command_queue queue;
    assert_int_equal(command_queue_init(&queue, 1), 0);
    struct request mouse = mouse_at(1.0f);
    assert_int_equal(command_queue_push(&queue, 1, 1, &mouse), COMMAND_QUEUED);
    assert_int_equal(command_queue_push(&queue, 1, 2, &mouse), COMMAND_REPLACED);
    assert_int_equal(command_queue_push(&queue, 2, 1, &mouse), COMMAND_REFUSED);
    command_queue_fini(&queue);
}

static void *push_later(void *argument) {
    struct command_queue *queue = argument;
    assert_int_equal(push(queue, 1, 1, REQUEST_PAUSE), COMMAND_QUEUED);
    return NULL;
}

static void test_waiting(void **state) {
    (void)state;
    struct command_queue queue;
    assert_int_equal(command_queue_init(&queue, 8), 0);
    const uint64_t start = clock_now_ns();
    const uint64_t deadline = start + 20000000;
    command_queue_wait(&queue, &deadline, true); /* nothing comes: until the deadline */
    assert_true(clock_now_ns() >= deadline);

    const uint64_t far = clock_now_ns() + UINT64_C(20000000000);
    command_queue_wake(&queue); /* a wake before the wait counts */
    command_queue_wait(&queue, &far, false);

    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, push_later, &queue), 0);
    command_queue_wait(&queue, &far, true);
    assert_true(clock_now_ns() < far);
    assert_int_equal(command_queue_count(&queue), 1);
    pthread_join(thread, NULL);

    const uint64_t soon = clock_now_ns() + 20000000;
    command_queue_wait(&queue, &soon, false); /* a running world does not care for commands */
    assert_true(clock_now_ns() >= soon);
    command_queue_fini(&queue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_bound),
        cmocka_unit_test(test_mouse_replaces_itself),
        cmocka_unit_test(test_mouse_when_full),
        cmocka_unit_test(test_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
