/* Commands that wait for the world: order within a session, which lane holds which, turns of queries, the end
 * of steps. */
#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "server/exchange/command_queue.h"

static struct command_queue queue;
static struct command_lanes *const lanes = &queue.lanes;

static enum command_push push(uint32_t session, uint64_t line, enum request_op op) {
    const struct request request = request_default(op);
    return command_queue_push(&queue, &(struct command_origin){.session = session, .line = line}, &request);
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
    command_queue_begin(&queue, wanted);
    while ((command = command_queue_take(&queue, questions > 0 ? wanted : COMMAND_CHANGE)) != NULL) {
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
    command_queue_end_step(&queue);
    sim_event_free(&step->event);
}

/* The sorts of commands that the last pass left. */
static unsigned left(void) {
    queue.news = 0;
    command_queue_end_pass(&queue);
    return queue.news;
}

static int set_up(void **state) {
    return command_queue_init(&queue, 4096, NULL, NULL);
}

static int tear_down(void **state) {
    if (lanes->step != NULL) {
        end_step();
    }
    command_queue_fini(&queue);
    return 0;
}

static void test_order_of_arrival(void **state) {
    assert_string_equal(pass(), "");
    for (int round = 0; round < 3; round++) {
        (void)push(3, 1, REQUEST_SPAWN);
        (void)push(1, 1, REQUEST_MOUSE);
        (void)push(3, 2, REQUEST_PAUSE);
        (void)push(1027, 1, REQUEST_REMOVE); /* of the bucket of 3 */
        (void)push(2, 1, REQUEST_LOAD);
        (void)push(1, 2, REQUEST_RESUME);
        assert_int_equal(lanes->count, 6);
        assert_string_equal(pass(), "3.1 1.1 3.2 1027.1 2.1 1.2");
        assert_int_equal(lanes->count, 0);
    }
}

static void test_bound(void **state) {
    for (uint32_t i = 0; i < 4096; i++) {
        assert_int_equal(push(i + 1, 1, REQUEST_PAUSE), COMMAND_QUEUED);
    }
    assert_int_equal(push(1, 2, REQUEST_PAUSE), COMMAND_REFUSED);
    assert_int_equal(push(5000, 1, REQUEST_PAUSE), COMMAND_REFUSED);
    struct command *command = command_queue_pop(&queue);
    assert_non_null(command);
    sim_event_free(&command->event);
    assert_int_equal(push(5000, 1, REQUEST_PAUSE), COMMAND_QUEUED);
}

/* A command that arrives during a pass is for the next one. */
static void test_a_pass_ends(void **state) {
    (void)push(1, 1, REQUEST_SPAWN);
    (void)push(2, 1, REQUEST_SPAWN);
    command_queue_begin(&queue, COMMAND_ANY);
    (void)push(1, 2, REQUEST_SPAWN);
    (void)push(3, 1, REQUEST_SPAWN);
    for (int i = 0; i < 2; i++) {
        struct command *command = command_queue_take(&queue, COMMAND_ANY);
        assert_non_null(command);
        assert_int_equal(command->origin.line, 1);
        assert_int_equal(command->event.kind, SIM_EVENT_ANSWER);
        assert_int_equal(command->event.session, command->origin.session);
        sim_event_free(&command->event);
        (void)push(2, 2, REQUEST_SPAWN);
    }
    assert_null(command_queue_take(&queue, COMMAND_ANY));
    assert_string_equal(pass(), "1.2 3.1 2.2 2.2");
}

static void test_a_mouse_replaces_itself(void **state) {
    struct request mouse = mouse_at(1.0f);
    assert_int_equal(command_queue_push(&queue, &(struct command_origin){.session = 1, .line = 1}, &mouse),
                     COMMAND_QUEUED);
    assert_int_equal(command_queue_push(&queue, &(struct command_origin){.session = 2, .line = 1}, &mouse),
                     COMMAND_QUEUED); /* another session's own */
    mouse = mouse_at(2.0f);
    assert_int_equal(command_queue_push(&queue, &(struct command_origin){.session = 1, .line = 2}, &mouse),
                     COMMAND_REPLACED);
    assert_int_equal(lanes->count, 2);
    assert_true(lanes->used->next->first->request.body.mouse.x == 2.0f);
    const struct request cursor = request_default(REQUEST_CURSOR);
    assert_int_equal(command_queue_push(&queue, &(struct command_origin){.session = 1, .line = 3}, &cursor),
                     COMMAND_QUEUED); /* not across another op */
    assert_int_equal(command_queue_push(&queue, &(struct command_origin){.session = 1, .line = 4}, &mouse),
                     COMMAND_QUEUED);
    memcpy(mouse.id, "7", 2);
    assert_int_equal(command_queue_push(&queue, &(struct command_origin){.session = 1, .line = 5}, &mouse),
                     COMMAND_QUEUED); /* one with an id has its own answer */
    mouse.id[0] = '\0';
    assert_int_equal(command_queue_push(&queue, &(struct command_origin){.session = 1, .line = 6}, &mouse),
                     COMMAND_QUEUED); /* and is not overwritten */
    assert_string_equal(pass(), "1.2 2.1 1.3 1.4 1.5 1.6");
}

/* So it does while it is held behind its session's own step, and when no more may wait. */
static void test_a_held_mouse_replaces_itself(void **state) {
    (void)push(1, 1, REQUEST_STEP);
    assert_string_equal(pass(), "1.1");
    for (uint64_t line = 2; line < 100; line++) {
        const struct request mouse = mouse_at((float)line);
        assert_int_equal(
            command_queue_push(&queue, &(struct command_origin){.session = 1, .line = line}, &mouse),
            line == 2 ? COMMAND_QUEUED : COMMAND_REPLACED);
        assert_string_equal(pass(), "");
    }
    assert_int_equal(lanes->count, 1);
    for (uint32_t i = 2; i < 4097; i++) {
        (void)push(i, 1, REQUEST_STEP);
    }
    assert_int_equal(push(1, 100, REQUEST_MOUSE), COMMAND_REPLACED);
    assert_int_equal(push(5000, 1, REQUEST_MOUSE), COMMAND_REFUSED);
}

/* A step holds the commands behind it, and of other sessions steps and pauses only. */
static void test_a_step_holds_its_own_session(void **state) {
    (void)push(1, 1, REQUEST_STEP);
    (void)push(1, 2, REQUEST_SPAWN);
    (void)push(2, 1, REQUEST_SPAWN);
    (void)push(3, 1, REQUEST_STEP);
    (void)push(4, 1, REQUEST_RESUME);
    (void)push(5, 1, REQUEST_PAUSE);
    (void)push(3, 2, REQUEST_SPAWN);
    (void)push(6, 1, REQUEST_LIST);
    (void)push(7, 1, REQUEST_LOAD);
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
    (void)push(1, 1, REQUEST_SPAWN);
    (void)push(1, 2, REQUEST_LOAD);
    (void)push(1, 3, REQUEST_SPAWN);
    (void)push(2, 1, REQUEST_SPAWN);
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
    (void)push(1, 1, REQUEST_LOAD); /* nothing before it */
    assert_string_equal(asked, "1.1 ");
    asked[0] = '\0';
    (void)push(2, 1, REQUEST_SPAWN);
    (void)push(2, 2, REQUEST_LOAD);
    (void)push(3, 1, REQUEST_STEP);
    assert_string_equal(asked, "");
    command_queue_begin(&queue, COMMAND_CHANGE);
    struct command *spawn = command_queue_take(&queue, COMMAND_CHANGE);
    assert_true(spawn != NULL && spawn->request.op == REQUEST_SPAWN);
    (void)push(2, 3, REQUEST_SPAWN);
    (void)push(4, 1, REQUEST_LOAD); /* while something is being dealt with */
    assert_string_equal(asked, "1.1 ");
    struct command *step = command_queue_take(&queue, COMMAND_CHANGE); /* so 2.1 is dealt with */
    assert_true(step != NULL && step == lanes->step);
    assert_string_equal(asked, "1.1 2.2 ");
    asked[0] = '\0';
    (void)push(3, 2, REQUEST_LOAD); /* behind its own step */
    command_queue_settle(&queue);
    assert_non_null(strstr(asked, "4.1 "));
    assert_null(strstr(asked, "3.2 "));
    asked[0] = '\0';
    (void)push(5, 1, REQUEST_LOAD);
    assert_string_equal(asked, "5.1 ");
    end_step();
    assert_null(command_queue_take(&queue, COMMAND_CHANGE));
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
        (void)push(session, 1, session < 3 ? REQUEST_LOAD : REQUEST_SPAWN);
    }
    for (uint32_t session = 1; session <= 4; session++) {
        (void)push(session, 2, REQUEST_SPAWN);
    }
    command_queue_begin(&queue, COMMAND_CHANGE);
    struct command *load = command_queue_take_first(&queue, 1);
    assert_true(load != NULL && load->origin.session == 1 && load->request.op == REQUEST_LOAD);
    assert_null(command_queue_take_first(&queue, 9));
    struct command *answered = NULL;
    for (struct command_lane *lane = lanes->used; lane != NULL; lane = lane->next) {
        answered = lane->session == 2 ? lane->first : answered;
    }
    command_queue_answer(&queue, answered, &text, &events);
    for (uint32_t session = 3; session <= 4; session++) {
        struct command *command = command_queue_take(&queue, COMMAND_CHANGE);
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
    (void)push(1, 1, REQUEST_LIST);
    (void)push(1, 2, REQUEST_SPAWN);
    (void)push(2, 1, REQUEST_SPAWN);
    (void)push(2, 2, REQUEST_INSPECT);
    (void)push(3, 1, REQUEST_SPAWN);
    assert_string_equal(pass_within(COMMAND_QUERY, 9), "1.1"); /* the others wait for the tick */
    assert_int_equal(left(), COMMAND_CHANGE);
    (void)push(4, 1, REQUEST_GET_PARAMS);
    (void)push(4, 2, REQUEST_SPAWN);
    assert_string_equal(pass_within(COMMAND_ANY, 1), "1.2 2.1 3.1 2.2");
    assert_int_equal(left(), COMMAND_QUERY);
    assert_string_equal(pass(), "4.1 4.2");
}

/* Queries behind a change that a pass has left are left, too. */
/* A pause, then a query behind it that the pass had no time for: the paused world has to serve it later. */
static void test_what_a_pass_did_not_want_is_left(void **state) {
    (void)push(1, 1, REQUEST_PAUSE);
    (void)push(1, 2, REQUEST_LIST);
    assert_string_equal(pass_within(COMMAND_CHANGE, 9), "1.1");
    assert_int_equal(left(), COMMAND_QUERY);
    assert_string_equal(pass(), "1.2");
    assert_int_equal(left(), 0);
}

static void test_what_is_left_is_told(void **state) {
    (void)push(1, 1, REQUEST_LIST);
    (void)push(1, 2, REQUEST_SPAWN);
    (void)push(1, 3, REQUEST_LIST);
    assert_string_equal(pass_within(COMMAND_ANY, 1), "1.1 1.2");
    assert_int_equal(left(), COMMAND_QUERY);
    assert_string_equal(pass(), "1.3");
    assert_int_equal(left(), 0);
}

static void test_questions_take_turns(void **state) {
    for (uint64_t line = 1; line <= 4; line++) {
        (void)push(1, line, REQUEST_LIST);
    }
    (void)push(2, 1, REQUEST_LIST);
    (void)push(2, 2, REQUEST_LIST);
    (void)push(3, 1, REQUEST_LIST);
    assert_string_equal(pass_within(COMMAND_ANY, 2),
                        "1.1 2.1"); /* the next pass goes on where this stopped */
    assert_string_equal(pass_within(COMMAND_ANY, 2), "3.1 1.2");
    (void)push(4, 1, REQUEST_LIST);
    assert_string_equal(pass_within(COMMAND_ANY, 3), "2.2 1.3 4.1");
    assert_string_equal(pass(), "1.4");
}

/* Sessions that send a query as soon as the last is answered do not delay one that sent many at once, nor the
 * other way round. */
static void test_no_session_starves(void **state) {
    enum { OTHERS = 30, ROUNDS = 40 };
    int many = 0, others = 0;
    for (uint64_t line = 1; line <= 128; line++) {
        (void)push(99, line, REQUEST_LIST);
    }
    for (uint32_t session = 1; session <= OTHERS; session++) {
        (void)push(session, 1, REQUEST_LIST);
    }
    for (int i = 0; i < ROUNDS * (OTHERS + 1); i++) {
        command_queue_begin(&queue, COMMAND_QUERY);
        struct command *command = command_queue_take(&queue, COMMAND_QUERY);
        assert_non_null(command);
        if (command->origin.session == 99) {
            many++;
        } else {
            others++;
            (void)push(command->origin.session, 1, REQUEST_LIST);
        }
        sim_event_free(&command->event);
        assert_in_range(others + OTHERS, many * OTHERS, (many + 2) * OTHERS);
    }
    assert_in_range(many, ROUNDS - 1, ROUNDS + 1);
}

/* A lane that was held for long does not catch up at the expense of others. */
static void test_turns_do_not_go_back(void **state) {
    (void)push(1, 1, REQUEST_STEP);
    (void)push(1, 2, REQUEST_LIST);
    assert_string_equal(pass(), "1.1");
    for (int i = 0; i < 100; i++) {
        (void)push(2, 1, REQUEST_LIST);
        assert_string_equal(pass(), "2.1");
    }
    end_step();
    (void)push(2, 2, REQUEST_LIST);
    (void)push(2, 3, REQUEST_LIST);
    assert_string_equal(pass_within(COMMAND_ANY, 1), "1.2");
    (void)push(3, 1, REQUEST_LIST);
    (void)push(1, 3, REQUEST_LIST);
    (void)push(1, 4, REQUEST_LIST);
    assert_string_equal(pass(), "2.2 3.1 1.3 2.3 1.4");
}

/* ---- the end of steps ---- */

static void tick_until(uint64_t ticking_ns) {
    command_queue_spend(&queue, ticking_ns - command_queue_ticking_ns(&queue));
}

static void end_steps_at(uint32_t session, uint64_t ticking_ns) {
    tick_until(ticking_ns);
    command_queue_end_steps(&queue, session);
}

static void pause_at(uint32_t session, uint64_t line, uint64_t ticking_ns) {
    tick_until(ticking_ns);
    const struct request pause = request_default(REQUEST_PAUSE);
    assert_int_equal(
        command_queue_push(&queue, &(struct command_origin){.session = session, .line = line}, &pause),
        COMMAND_QUEUED);
}

static void test_a_pause_ends_the_steps_before_it(void **state) {
    (void)push(1, 1, REQUEST_STEP);
    (void)push(2, 1, REQUEST_STEP);
    assert_true(atomic_load(&queue.step_end_ns) == UINT64_MAX);
    assert_string_equal(pass(), "1.1");
    assert_true(atomic_load(&queue.step_end_ns) == UINT64_MAX);
    pause_at(3, 1, 1000);
    (void)push(3, 2, REQUEST_STEP);
    assert_true(atomic_load(&queue.step_end_ns) == 1000 + COMMAND_GRACE_NS);
    pause_at(4, 1, 5000); /* does not put it off */
    assert_true(atomic_load(&queue.step_end_ns) == 1000 + COMMAND_GRACE_NS);
    assert_string_equal(pass(), "");
    end_step();
    assert_string_equal(pass(), "2.1"); /* waited when the pause came */
    assert_true(atomic_load(&queue.step_end_ns) == 1000 + COMMAND_GRACE_NS);
    end_step();
    assert_string_equal(pass(), "3.1 3.2");
    assert_true(atomic_load(&queue.step_end_ns) == 1000 + COMMAND_GRACE_NS); /* before that of 4 */
    end_step();
    assert_string_equal(pass(), "4.1");
    (void)push(1, 2, REQUEST_STEP);
    assert_string_equal(pass(), "1.2"); /* after them all */
    assert_true(atomic_load(&queue.step_end_ns) == UINT64_MAX);
    pause_at(1, 3, 9000); /* one's own pause, too */
    assert_true(atomic_load(&queue.step_end_ns) == 9000 + COMMAND_GRACE_NS);
}

static void test_who_leaves_ends_their_steps(void **state) {
    (void)push(1, 1, REQUEST_STEP);
    (void)push(1, 2, REQUEST_STEP);
    (void)push(2, 1, REQUEST_STEP);
    end_steps_at(7, 10); /* has none */
    end_steps_at(2, 20);
    assert_string_equal(pass(), "1.1");
    assert_true(atomic_load(&queue.step_end_ns) == UINT64_MAX);
    end_steps_at(1, 30);
    end_steps_at(1, 40); /* said bye, then closed */
    assert_true(atomic_load(&queue.step_end_ns) == 30 + COMMAND_GRACE_NS);
    end_step();
    assert_string_equal(pass(), "1.2");
    assert_true(atomic_load(&queue.step_end_ns) == 30 + COMMAND_GRACE_NS);
    end_step();
    assert_string_equal(pass(), "2.1");
    assert_true(atomic_load(&queue.step_end_ns) == 20 + COMMAND_GRACE_NS);
    end_step();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order_of_arrival, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_pass_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_mouse_replaces_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_held_mouse_replaces_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_step_holds_its_own_session, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_not_ready_holds_its_own_session, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_who_is_asked_when, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_aside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_changes_go_before_questions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_left_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_a_pass_did_not_want_is_left, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_questions_take_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_session_starves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_turns_do_not_go_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_pause_ends_the_steps_before_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_who_leaves_ends_their_steps, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
