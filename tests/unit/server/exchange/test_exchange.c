/* Between the threads: requests to the simulation, snapshots back. */

#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "server/exchange/command_queue.h"
#include "server/exchange/snapshot_exchange.h"

/* ---- what they share ---- */

static struct command_queue shared_queue;

/* ==== command lanes ====
 * Commands that wait for the world: order within a session, which lane holds which, turns of queries, the end
 * of steps. */

static struct command_lanes *const lanes = &shared_queue.lanes;

static enum command_push push_lanes(uint32_t session, uint64_t line, enum request_op op) {
    const struct request request = request_default(op);
    return command_queue_push(&shared_queue, &(struct command_origin){.session = session, .line = line},
                              &request);
}

static struct request mouse_at(float x) {
    struct request request = request_default(REQUEST_MOUSE);
    request.body.mouse.x = x;
    return request;
}

/* Begins a pass and notes the commands it takes, as "session.line session.line ...". questions: how many at
 * most. */
static const char *pass_within(unsigned wanted, int questions) {
    static char text[8192];
    struct command *command = NULL;
    text[0] = '\0';
    command_queue_begin(&shared_queue, wanted);
    while ((command = command_queue_take(&shared_queue, questions > 0 ? wanted : COMMAND_CHANGE)) != NULL) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s%u.%u", used > 0 ? " " : "",
                       command->origin.session, (unsigned)command->origin.line);
        questions -= command_sort_of(&command->request) == COMMAND_QUERY ? 1 : 0;
        if (lanes->step != command) {
            sim_event_free(&command->event);
        }
    }
    return text;
}

static const char *pass(void) {
    return pass_within(COMMAND_ANY, 1000000);
}

static void end_step(void) {
    struct command *step = lanes->step;
    command_queue_end_step(&shared_queue);
    sim_event_free(&step->event);
}

/* The sorts of commands that the last pass left. */
static unsigned left(void) {
    shared_queue.news = 0;
    command_queue_end_pass(&shared_queue);
    return shared_queue.news;
}

static int set_up_lanes(void **state) {
    return command_queue_init(&shared_queue, 4096, NULL, NULL);
}

static int tear_down_lanes(void **state) {
    if (lanes->step != NULL) {
        end_step();
    }
    command_queue_fini(&shared_queue);
    return 0;
}

static void test_order_of_arrival(void **state) {
    assert_string_equal(pass(), "");
    for (int round = 0; round < 3; round++) {
        (void)push_lanes(3, 1, REQUEST_SPAWN);
        (void)push_lanes(1, 1, REQUEST_MOUSE);
        (void)push_lanes(3, 2, REQUEST_PAUSE);
        (void)push_lanes(1027, 1, REQUEST_REMOVE); /* of the bucket of 3 */
        (void)push_lanes(2, 1, REQUEST_LOAD);
        (void)push_lanes(1, 2, REQUEST_RESUME);
        assert_int_equal(lanes->count, 6);
        assert_string_equal(pass(), "3.1 1.1 3.2 1027.1 2.1 1.2");
        assert_int_equal(lanes->count, 0);
    }
}

static void test_bound(void **state) {
    for (uint32_t i = 0; i < 4096; i++) {
        assert_int_equal(push_lanes(i + 1, 1, REQUEST_PAUSE), COMMAND_QUEUED);
    }
    assert_int_equal(push_lanes(1, 2, REQUEST_PAUSE), COMMAND_REFUSED);
    assert_int_equal(push_lanes(5000, 1, REQUEST_PAUSE), COMMAND_REFUSED);
    struct command *command = command_queue_pop(&shared_queue);
    assert_non_null(command);
    sim_event_free(&command->event);
    assert_int_equal(push_lanes(5000, 1, REQUEST_PAUSE), COMMAND_QUEUED);
}

/* A command that arrives during a pass is for the next one. */
static void test_a_pass_ends(void **state) {
    (void)push_lanes(1, 1, REQUEST_SPAWN);
    (void)push_lanes(2, 1, REQUEST_SPAWN);
    command_queue_begin(&shared_queue, COMMAND_ANY);
    (void)push_lanes(1, 2, REQUEST_SPAWN);
    (void)push_lanes(3, 1, REQUEST_SPAWN);
    for (int i = 0; i < 2; i++) {
        struct command *command = command_queue_take(&shared_queue, COMMAND_ANY);
        assert_non_null(command);
        assert_int_equal(command->origin.line, 1);
        assert_int_equal(command->event.kind, SIM_EVENT_ANSWER);
        assert_int_equal(command->event.session, command->origin.session);
        sim_event_free(&command->event);
        (void)push_lanes(2, 2, REQUEST_SPAWN);
    }
    assert_null(command_queue_take(&shared_queue, COMMAND_ANY));
    assert_string_equal(pass(), "1.2 3.1 2.2 2.2");
}

static void test_a_mouse_replaces_itself(void **state) {
    struct request mouse = mouse_at(1.0f);
    assert_int_equal(
        command_queue_push(&shared_queue, &(struct command_origin){.session = 1, .line = 1}, &mouse),
        COMMAND_QUEUED);
    assert_int_equal(
        command_queue_push(&shared_queue, &(struct command_origin){.session = 2, .line = 1}, &mouse),
        COMMAND_QUEUED); /* another session's own */
    mouse = mouse_at(2.0f);
    assert_int_equal(
        command_queue_push(&shared_queue, &(struct command_origin){.session = 1, .line = 2}, &mouse),
        COMMAND_REPLACED);
    assert_int_equal(lanes->count, 2);
    assert_true(lanes->used->next->first->request.body.mouse.x == 2.0f);
    const struct request cursor = request_default(REQUEST_CURSOR);
    assert_int_equal(
        command_queue_push(&shared_queue, &(struct command_origin){.session = 1, .line = 3}, &cursor),
        COMMAND_QUEUED); /* not across another op */
    assert_int_equal(
        command_queue_push(&shared_queue, &(struct command_origin){.session = 1, .line = 4}, &mouse),
        COMMAND_QUEUED);
    memcpy(mouse.id, "7", 2);
    assert_int_equal(
        command_queue_push(&shared_queue, &(struct command_origin){.session = 1, .line = 5}, &mouse),
        COMMAND_QUEUED); /* one with an id has its own answer */
    mouse.id[0] = '\0';
    assert_int_equal(
        command_queue_push(&shared_queue, &(struct command_origin){.session = 1, .line = 6}, &mouse),
        COMMAND_QUEUED); /* and is not overwritten */
    assert_string_equal(pass(), "1.2 2.1 1.3 1.4 1.5 1.6");
}

/* So it does while it is held behind its session's own step, and when no more may wait. */
static void test_a_held_mouse_replaces_itself(void **state) {
    (void)push_lanes(1, 1, REQUEST_STEP);
    assert_string_equal(pass(), "1.1");
    for (uint64_t line = 2; line < 100; line++) {
        const struct request mouse = mouse_at((float)line);
        assert_int_equal(
            command_queue_push(&shared_queue, &(struct command_origin){.session = 1, .line = line}, &mouse),
            line == 2 ? COMMAND_QUEUED : COMMAND_REPLACED);
        assert_string_equal(pass(), "");
    }
    assert_int_equal(lanes->count, 1);
    for (uint32_t i = 2; i < 4097; i++) {
        (void)push_lanes(i, 1, REQUEST_STEP);
    }
    assert_int_equal(push_lanes(1, 100, REQUEST_MOUSE), COMMAND_REPLACED);
    assert_int_equal(push_lanes(5000, 1, REQUEST_MOUSE), COMMAND_REFUSED);
}

/* A step holds the commands behind it, and of other sessions steps and pauses only. */
static void test_a_step_holds_its_own_session(void **state) {
    (void)push_lanes(1, 1, REQUEST_STEP);
    (void)push_lanes(1, 2, REQUEST_SPAWN);
    (void)push_lanes(2, 1, REQUEST_SPAWN);
    (void)push_lanes(3, 1, REQUEST_STEP);
    (void)push_lanes(4, 1, REQUEST_RESUME);
    (void)push_lanes(5, 1, REQUEST_PAUSE);
    (void)push_lanes(3, 2, REQUEST_SPAWN);
    (void)push_lanes(6, 1, REQUEST_LIST);
    (void)push_lanes(7, 1, REQUEST_LOAD);
    assert_string_equal(pass(), "1.1 2.1 4.1 7.1 6.1");
    assert_string_equal(pass(), "");
    end_step();
    assert_string_equal(pass(), "1.2 3.1");
    end_step();
    assert_string_equal(pass(), "5.1 3.2");
}

static bool is_no_load(void *context, struct command *command) {
    return *(bool *)context || command->request.op != REQUEST_LOAD;
}

static void test_what_is_not_ready_holds_its_own_session(void **state) {
    bool is_built = false;
    lanes->is_ready = is_no_load;
    lanes->context = &is_built;
    (void)push_lanes(1, 1, REQUEST_SPAWN);
    (void)push_lanes(1, 2, REQUEST_LOAD);
    (void)push_lanes(1, 3, REQUEST_SPAWN);
    (void)push_lanes(2, 1, REQUEST_SPAWN);
    assert_string_equal(pass(), "1.1 2.1");
    assert_string_equal(pass(), "");
    is_built = true;
    assert_string_equal(pass(), "1.2 1.3");
}

/* For loads, which are never ready, it notes the questions. */
static bool note_asked(void *context, struct command *command) {
    char *text = context;
    if (command->request.op == REQUEST_LOAD) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, 64 - used, "%u.%u ", command->origin.session,
                       (unsigned)command->origin.line);
    }
    return command->request.op != REQUEST_LOAD;
}

/* A load is begun when all earlier commands of its session are done, and no sooner: a load that fails at once
 * must not be answered before them. */
static void test_who_is_asked_when(void **state) {
    char asked[64] = "";
    lanes->is_ready = note_asked;
    lanes->context = asked;
    (void)push_lanes(1, 1, REQUEST_LOAD); /* nothing before it */
    assert_string_equal(asked, "1.1 ");
    asked[0] = '\0';
    (void)push_lanes(2, 1, REQUEST_SPAWN);
    (void)push_lanes(2, 2, REQUEST_LOAD);
    (void)push_lanes(3, 1, REQUEST_STEP);
    assert_string_equal(asked, "");
    command_queue_begin(&shared_queue, COMMAND_CHANGE);
    struct command *spawn = command_queue_take(&shared_queue, COMMAND_CHANGE);
    assert_true(spawn != NULL && spawn->request.op == REQUEST_SPAWN);
    (void)push_lanes(2, 3, REQUEST_SPAWN);
    (void)push_lanes(4, 1, REQUEST_LOAD); /* while something is being dealt with */
    assert_string_equal(asked, "1.1 ");
    struct command *step = command_queue_take(&shared_queue, COMMAND_CHANGE); /* so 2.1 is dealt with */
    assert_true(step != NULL && step == lanes->step);
    assert_string_equal(asked, "1.1 2.2 ");
    asked[0] = '\0';
    (void)push_lanes(3, 2, REQUEST_LOAD); /* behind its own step */
    command_queue_settle(&shared_queue);
    assert_non_null(strstr(asked, "4.1 "));
    assert_null(strstr(asked, "3.2 "));
    asked[0] = '\0';
    (void)push_lanes(5, 1, REQUEST_LOAD);
    assert_string_equal(asked, "5.1 ");
    end_step();
    assert_null(command_queue_take(&shared_queue, COMMAND_CHANGE));
    assert_non_null(strstr(asked, "3.2 "));
    sim_event_free(&spawn->event);
}

/* Commands that are taken, or answered elsewhere, in the middle of a pass. */
static void test_aside(void **state) {
    struct event_queue events;
    struct buffer text;
    buffer_init(&text, 16);
    assert_int_equal(event_queue_init(&events), 0);
    bool is_built = false;
    lanes->is_ready = is_no_load;
    lanes->context = &is_built;
    for (uint32_t session = 1; session <= 4; session++) {
        (void)push_lanes(session, 1, session < 3 ? REQUEST_LOAD : REQUEST_SPAWN);
    }
    for (uint32_t session = 1; session <= 4; session++) {
        (void)push_lanes(session, 2, REQUEST_SPAWN);
    }
    command_queue_begin(&shared_queue, COMMAND_CHANGE);
    struct command *load = command_queue_take_first(&shared_queue, 1);
    assert_true(load != NULL && load->origin.session == 1 && load->request.op == REQUEST_LOAD);
    assert_null(command_queue_take_first(&shared_queue, 9));
    struct command *answered = NULL;
    for (struct command_lane *lane = lanes->used; lane != NULL; lane = lane->next) {
        answered = lane->session == 2 ? lane->first : answered;
    }
    command_queue_answer(&shared_queue, answered, &text, &events);
    for (uint32_t session = 3; session <= 4; session++) {
        struct command *command = command_queue_take(&shared_queue, COMMAND_CHANGE);
        assert_true(command != NULL && command->origin.session == session);
        sim_event_free(&command->event);
    }
    assert_int_equal(lanes->count, 4);
    assert_string_equal(pass(), "1.2 2.2 3.2 4.2");
    sim_event_free(&load->event);
    event_queue_fini(&events);
}

/* ---- questions ---- */

static void test_changes_go_before_questions(void **state) {
    (void)push_lanes(1, 1, REQUEST_LIST);
    (void)push_lanes(1, 2, REQUEST_SPAWN);
    (void)push_lanes(2, 1, REQUEST_SPAWN);
    (void)push_lanes(2, 2, REQUEST_INSPECT);
    (void)push_lanes(3, 1, REQUEST_SPAWN);
    assert_string_equal(pass_within(COMMAND_QUERY, 9), "1.1"); /* the others wait for the tick */
    assert_int_equal(left(), COMMAND_CHANGE);
    (void)push_lanes(4, 1, REQUEST_GET_PARAMS);
    (void)push_lanes(4, 2, REQUEST_SPAWN);
    assert_string_equal(pass_within(COMMAND_ANY, 1), "1.2 2.1 3.1 2.2");
    assert_int_equal(left(), COMMAND_QUERY);
    assert_string_equal(pass(), "4.1 4.2");
}

/* Queries behind a change that a pass has left are left, too. */
/* A pause, then a query behind it that the pass had no time for: the paused world has to serve it later. */
static void test_what_a_pass_did_not_want_is_left(void **state) {
    (void)push_lanes(1, 1, REQUEST_PAUSE);
    (void)push_lanes(1, 2, REQUEST_LIST);
    assert_string_equal(pass_within(COMMAND_CHANGE, 9), "1.1");
    assert_int_equal(left(), COMMAND_QUERY);
    assert_string_equal(pass(), "1.2");
    assert_int_equal(left(), 0);
}

static void test_what_is_left_is_told(void **state) {
    (void)push_lanes(1, 1, REQUEST_LIST);
    (void)push_lanes(1, 2, REQUEST_SPAWN);
    (void)push_lanes(1, 3, REQUEST_LIST);
    assert_string_equal(pass_within(COMMAND_ANY, 1), "1.1 1.2");
    assert_int_equal(left(), COMMAND_QUERY);
    assert_string_equal(pass(), "1.3");
    assert_int_equal(left(), 0);
}

static void test_questions_take_turns(void **state) {
    for (uint64_t line = 1; line <= 4; line++) {
        (void)push_lanes(1, line, REQUEST_LIST);
    }
    (void)push_lanes(2, 1, REQUEST_LIST);
    (void)push_lanes(2, 2, REQUEST_LIST);
    (void)push_lanes(3, 1, REQUEST_LIST);
    assert_string_equal(pass_within(COMMAND_ANY, 2),
                        "1.1 2.1"); /* the next pass goes on where this stopped */
    assert_string_equal(pass_within(COMMAND_ANY, 2), "3.1 1.2");
    (void)push_lanes(4, 1, REQUEST_LIST);
    assert_string_equal(pass_within(COMMAND_ANY, 3), "2.2 1.3 4.1");
    assert_string_equal(pass(), "1.4");
}

/* Sessions that send a query as soon as the last is answered do not delay one that sent many at once, nor the
 * other way round. */
static void test_no_session_starves(void **state) {
    enum { OTHERS = 30, ROUNDS = 40 };
    int many = 0, others = 0;
    for (uint64_t line = 1; line <= 128; line++) {
        (void)push_lanes(99, line, REQUEST_LIST);
    }
    for (uint32_t session = 1; session <= OTHERS; session++) {
        (void)push_lanes(session, 1, REQUEST_LIST);
    }
    for (int i = 0; i < ROUNDS * (OTHERS + 1); i++) {
        command_queue_begin(&shared_queue, COMMAND_QUERY);
        struct command *command = command_queue_take(&shared_queue, COMMAND_QUERY);
        assert_non_null(command);
        if (command->origin.session == 99) {
            many++;
        } else {
            others++;
            (void)push_lanes(command->origin.session, 1, REQUEST_LIST);
        }
        sim_event_free(&command->event);
        assert_in_range(others + OTHERS, many * OTHERS, (many + 2) * OTHERS);
    }
    assert_in_range(many, ROUNDS - 1, ROUNDS + 1);
}

/* A lane that was held for long does not catch up at the expense of others. */
static void test_turns_do_not_go_back(void **state) {
    (void)push_lanes(1, 1, REQUEST_STEP);
    (void)push_lanes(1, 2, REQUEST_LIST);
    assert_string_equal(pass(), "1.1");
    for (int i = 0; i < 100; i++) {
        (void)push_lanes(2, 1, REQUEST_LIST);
        assert_string_equal(pass(), "2.1");
    }
    end_step();
    (void)push_lanes(2, 2, REQUEST_LIST);
    (void)push_lanes(2, 3, REQUEST_LIST);
    assert_string_equal(pass_within(COMMAND_ANY, 1), "1.2");
    (void)push_lanes(3, 1, REQUEST_LIST);
    (void)push_lanes(1, 3, REQUEST_LIST);
    (void)push_lanes(1, 4, REQUEST_LIST);
    assert_string_equal(pass(), "2.2 3.1 1.3 2.3 1.4");
}

/* ---- the end of steps ---- */

static void tick_until(uint64_t ticking_ns) {
    command_queue_spend(&shared_queue, ticking_ns - command_queue_ticking_ns(&shared_queue));
}

static void end_steps_at(uint32_t session, uint64_t ticking_ns) {
    tick_until(ticking_ns);
    command_queue_end_steps(&shared_queue, session);
}

static void pause_at(uint32_t session, uint64_t line, uint64_t ticking_ns) {
    tick_until(ticking_ns);
    const struct request pause = request_default(REQUEST_PAUSE);
    assert_int_equal(
        command_queue_push(&shared_queue, &(struct command_origin){.session = session, .line = line}, &pause),
        COMMAND_QUEUED);
}

static void test_a_pause_ends_the_steps_before_it(void **state) {
    (void)push_lanes(1, 1, REQUEST_STEP);
    (void)push_lanes(2, 1, REQUEST_STEP);
    assert_true(atomic_load(&shared_queue.step_end_ns) == UINT64_MAX);
    assert_string_equal(pass(), "1.1");
    assert_true(atomic_load(&shared_queue.step_end_ns) == UINT64_MAX);
    pause_at(3, 1, 1000);
    (void)push_lanes(3, 2, REQUEST_STEP);
    assert_true(atomic_load(&shared_queue.step_end_ns) == 1000 + COMMAND_GRACE_NS);
    pause_at(4, 1, 5000); /* does not put it off */
    assert_true(atomic_load(&shared_queue.step_end_ns) == 1000 + COMMAND_GRACE_NS);
    assert_string_equal(pass(), "");
    end_step();
    assert_string_equal(pass(), "2.1"); /* waited when the pause came */
    assert_true(atomic_load(&shared_queue.step_end_ns) == 1000 + COMMAND_GRACE_NS);
    end_step();
    assert_string_equal(pass(), "3.1 3.2");
    assert_true(atomic_load(&shared_queue.step_end_ns) == 1000 + COMMAND_GRACE_NS); /* before that of 4 */
    end_step();
    assert_string_equal(pass(), "4.1");
    (void)push_lanes(1, 2, REQUEST_STEP);
    assert_string_equal(pass(), "1.2"); /* after them all */
    assert_true(atomic_load(&shared_queue.step_end_ns) == UINT64_MAX);
    pause_at(1, 3, 9000); /* one's own pause, too */
    assert_true(atomic_load(&shared_queue.step_end_ns) == 9000 + COMMAND_GRACE_NS);
}

static void test_who_leaves_ends_their_steps(void **state) {
    (void)push_lanes(1, 1, REQUEST_STEP);
    (void)push_lanes(1, 2, REQUEST_STEP);
    (void)push_lanes(2, 1, REQUEST_STEP);
    end_steps_at(7, 10); /* has none */
    end_steps_at(2, 20);
    assert_string_equal(pass(), "1.1");
    assert_true(atomic_load(&shared_queue.step_end_ns) == UINT64_MAX);
    end_steps_at(1, 30);
    end_steps_at(1, 40); /* said bye, then closed */
    assert_true(atomic_load(&shared_queue.step_end_ns) == 30 + COMMAND_GRACE_NS);
    end_step();
    assert_string_equal(pass(), "1.2");
    assert_true(atomic_load(&shared_queue.step_end_ns) == 30 + COMMAND_GRACE_NS);
    end_step();
    assert_string_equal(pass(), "2.1");
    assert_true(atomic_load(&shared_queue.step_end_ns) == 20 + COMMAND_GRACE_NS);
    end_step();
}

/* ==== command queue ====
 * The command queue: what ends a wait and what does not, when a step has to end. The order of commands is
 * tested above. */

static enum command_push push_queue(struct command_queue *queue, uint32_t session, uint64_t line,
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
    assert_int_equal(push_queue(queue, 1, 1, REQUEST_PAUSE), COMMAND_QUEUED);
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
    assert_int_equal(push_queue(&queue, 2, 1, REQUEST_LIST), COMMAND_QUEUED);
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
    assert_int_equal(push_queue(&queue, 1, 1, REQUEST_STEP), COMMAND_QUEUED);
    assert_int_equal(push_queue(&queue, 1, 2, REQUEST_SPAWN), COMMAND_QUEUED);
    command_queue_begin(&queue, COMMAND_ANY);
    struct command *step = command_queue_take(&queue, COMMAND_ANY);
    assert_non_null(step);
    assert_null(command_queue_take(&queue, COMMAND_ANY));
    expect_wait(&queue, COMMAND_ANY);
    command_queue_end_step(&queue);
    sim_event_free(&step->event);
    expect_no_wait(&queue, COMMAND_ANY);
    assert_int_equal(take_all(&queue, COMMAND_ANY), 1);
    assert_int_equal(push_queue(&queue, 1, 3, REQUEST_LIST), COMMAND_QUEUED);
    assert_int_equal(push_queue(&queue, 2, 1, REQUEST_LIST), COMMAND_QUEUED);
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
    assert_int_equal(push_queue(&queue, 1, 1, REQUEST_STEP), COMMAND_QUEUED);
    command_queue_begin(&queue, COMMAND_ANY);
    struct command *step = command_queue_take(&queue, COMMAND_ANY);
    command_queue_spend(&queue, 5 * COMMAND_GRACE_NS);
    assert_false(command_queue_must_end_step(&queue));
    assert_int_equal(push_queue(&queue, 2, 1, REQUEST_PAUSE), COMMAND_QUEUED);
    command_queue_spend(&queue, COMMAND_GRACE_NS - 1);
    assert_false(command_queue_must_end_step(&queue));
    command_queue_spend(&queue, 1);
    assert_true(command_queue_must_end_step(&queue));
    assert_true(command_queue_ticking_ns(&queue) == 6 * COMMAND_GRACE_NS);
    command_queue_end_step(&queue);
    sim_event_free(&step->event);
    assert_false(command_queue_must_end_step(&queue));

    assert_int_equal(push_queue(&queue, 1, 2, REQUEST_STEP), COMMAND_QUEUED);
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

/* ==== Commands that wait for a tick: their order, their withdrawal, their number ==== */

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
    assert_true(command_queue_schedule(&shared_queue, make(session, number, at)));
}

/* The number of the next command at this tick; 0: there is none. */
static uint64_t take(uint64_t tick, bool is_withdrawn) {
    struct command *command = command_queue_take_due(&shared_queue, tick);
    if (command == NULL) {
        return 0;
    }
    const uint64_t number = command->number;
    assert_int_equal(command->is_withdrawn, is_withdrawn);
    sim_event_free(&command->event);
    return number;
}

static int set_up_schedule(void **state) {
    return command_queue_init(&shared_queue, 1, NULL, NULL);
}

/* Frees those that still wait: the sanitizer knows. */
static int tear_down_schedule(void **state) {
    command_queue_fini(&shared_queue);
    return 0;
}

static void they_are_due_at_their_ticks_in_order_of_arrival(void **state) {
    assert_true(atomic_load(&shared_queue.due) == COMMAND_NEVER_DUE);
    add(1, 5, 30);
    add(2, 6, 10);
    add(1, 7, 30);
    add(2, 4, 30);
    assert_int_equal(atomic_load(&shared_queue.due), 10);
    assert_int_equal(take(9, false), 0);
    assert_int_equal(take(10, false), 6);
    assert_int_equal(take(29, false), 0);
    assert_int_equal(take(30, false), 4);
    assert_int_equal(take(30, false), 5);
    assert_int_equal(take(30, false), 7);
    assert_int_equal(take(UINT64_MAX, false), 0);
    assert_int_equal(shared_queue.schedule.count, 0);
}

static void withdrawn_ones_are_due_at_once(void **state) {
    for (uint32_t session = 1; session <= 3; session++) {
        add(session, session, 100);
        add(session, 10 + session, 50);
    }
    command_queue_end_steps(&shared_queue, 2);
    assert_int_equal(atomic_load(&shared_queue.due), 0);
    assert_int_equal(take(0, true), 12);
    assert_int_equal(take(0, true), 2);
    assert_int_equal(take(0, false), 0);
    command_queue_withdraw(&shared_queue);
    assert_int_equal(take(0, true), 11);
}

static void there_is_room_for_so_many(void **state) {
    for (int i = 0; i < COMMAND_SCHEDULE_CAPACITY; i++) {
        add(1, (uint64_t)i + 1, 7);
    }
    struct command *more = make(1, 9999, 7);
    assert_false(command_queue_schedule(&shared_queue, more));
    assert_int_equal(take(7, false), 1);
    assert_true(command_queue_schedule(&shared_queue, more));
}

/* ==== Three slots, the newest wins, no thread waits; also with a real second thread ==== */

static void publish(struct snapshot_exchange *exchange, uint64_t tick, enum frame_reason reason) {
    snapshot_exchange_writing(exchange)->snapshot->tick = tick;
    snapshot_exchange_publish(exchange, reason);
}

static void test_newest_wins(void **state) {
    struct snapshot_exchange exchange;
    assert_int_equal(snapshot_exchange_init(&exchange), 0);
    assert_null(snapshot_exchange_take(&exchange));
    publish(&exchange, 1, FRAME_REASON_RATE);
    publish(&exchange, 2, FRAME_REASON_RATE);
    publish(&exchange, 3, FRAME_REASON_RATE);
    const struct snapshot_slot *slot = snapshot_exchange_take(&exchange);
    assert_non_null(slot);
    assert_int_equal(slot->snapshot->tick, 3);
    assert_null(snapshot_exchange_take(&exchange));
    for (uint64_t tick = 4; tick < 9; tick++) {
        publish(&exchange, tick, FRAME_REASON_RATE);
        assert_int_equal(slot->snapshot->tick, 3); /* the reader's own until it takes again */
    }
    slot = snapshot_exchange_take(&exchange);
    assert_int_equal(slot->snapshot->tick, 8);
    snapshot_exchange_fini(&exchange);
}

static void test_reason_is_not_lost(void **state) {
    struct snapshot_exchange exchange;
    assert_int_equal(snapshot_exchange_init(&exchange), 0);
    publish(&exchange, 1, FRAME_REASON_ALL);
    publish(&exchange, 2, FRAME_REASON_RATE);
    assert_int_equal(snapshot_exchange_take(&exchange)->reason, FRAME_REASON_ALL);
    publish(&exchange, 3, FRAME_REASON_RATE);
    assert_int_equal(snapshot_exchange_take(&exchange)->reason, FRAME_REASON_RATE);
    publish(&exchange, 4, FRAME_REASON_CLOCK);
    assert_int_equal(snapshot_exchange_take(&exchange)->reason, FRAME_REASON_CLOCK);
    publish(&exchange, 4, FRAME_REASON_NEWER);
    publish(&exchange, 5, FRAME_REASON_ALL);
    assert_int_equal(snapshot_exchange_take(&exchange)->reason, FRAME_REASON_ALL);
    snapshot_exchange_fini(&exchange);
}

enum { LAST_TICK = 20000 };

static void *write_ticks(void *argument) {
    struct snapshot_exchange *exchange = argument;
    for (uint64_t tick = 1; tick <= LAST_TICK; tick++) {
        struct snapshot *snapshot = snapshot_exchange_writing(exchange)->snapshot;
        snapshot->tick = tick;
        snapshot->time_s = (double)tick;
        snapshot_exchange_publish(exchange, FRAME_REASON_RATE);
    }
    return NULL;
}

static void test_two_threads(void **state) {
    struct snapshot_exchange exchange;
    assert_int_equal(snapshot_exchange_init(&exchange), 0);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_ticks, &exchange), 0);
    uint64_t last = 0;
    while (last < LAST_TICK) {
        const struct snapshot_slot *slot = snapshot_exchange_take(&exchange);
        if (slot != NULL) {
            assert_true(slot->snapshot->tick > last);
            assert_true(slot->snapshot->time_s == (double)slot->snapshot->tick); /* never half-written */
            last = slot->snapshot->tick;
        }
    }
    pthread_join(writer, NULL);
    snapshot_exchange_fini(&exchange);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order_of_arrival, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_bound, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_a_pass_ends, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_a_mouse_replaces_itself, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_a_held_mouse_replaces_itself, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_a_step_holds_its_own_session, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_what_is_not_ready_holds_its_own_session, set_up_lanes,
                                        tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_who_is_asked_when, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_aside, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_changes_go_before_questions, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_what_is_left_is_told, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_what_a_pass_did_not_want_is_left, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_questions_take_turns, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_no_session_starves, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_turns_do_not_go_back, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_a_pause_ends_the_steps_before_it, set_up_lanes, tear_down_lanes),
        cmocka_unit_test_setup_teardown(test_who_leaves_ends_their_steps, set_up_lanes, tear_down_lanes),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_what_is_held_is_waited_for),
        cmocka_unit_test(test_a_step_ends_by_what_it_spent),
        cmocka_unit_test(test_commands_with_a_tick),
        cmocka_unit_test_setup_teardown(they_are_due_at_their_ticks_in_order_of_arrival, set_up_schedule,
                                        tear_down_schedule),
        cmocka_unit_test_setup_teardown(withdrawn_ones_are_due_at_once, set_up_schedule, tear_down_schedule),
        cmocka_unit_test_setup_teardown(there_is_room_for_so_many, set_up_schedule, tear_down_schedule),
        cmocka_unit_test(test_newest_wins),
        cmocka_unit_test(test_reason_is_not_lost),
        cmocka_unit_test(test_two_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
