/* What a client says to a server of its own accord, and which servers it leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/client_session.h"

struct fixture {
    struct client_session session;
    struct message message;
    struct buffer out;
};

static int setup(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    client_session_init(&f->session, &(struct client_session_def){.agents = LAYOUT_PACKED, .name = "Ada"});
    client_session_begin(&f->session);
    buffer_init(&f->out, 4096);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    buffer_fini(&f->out);
    free(f);
    return 0;
}

static struct client_step take(struct fixture *f, enum message_op op, double now_ms) {
    f->message.op = op;
    buffer_clear(&f->out);
    const struct client_step step = client_session_take(&f->session, &f->message, now_ms, &f->out);
    assert_false(f->out.failed);
    return step;
}

static struct client_step take_hello(struct fixture *f) {
    f->message.body.hello.protocol = PROTOCOL_VERSION;
    f->message.body.hello.has_world = true;
    (void)snprintf(f->message.body.hello.role, sizeof f->message.body.hello.role, "admin");
    return take(f, MESSAGE_HELLO, 0.0);
}

static bool says(const struct fixture *f, const char *text) {
    return f->out.data != NULL && strstr(f->out.data, text) != NULL;
}

static void a_hello_is_answered(void **state) {
    struct fixture *f = *state;
    const struct client_step step = take_hello(f);
    assert_int_equal(step.verdict, CLIENT_STAYS);
    assert_true(step.is_hello && step.has_stream && f->session.is_ready);
    assert_int_equal(step.stream.layout, LAYOUT_PACKED);
    assert_true(says(f, "{\"op\":\"hello\",\"protocol\":1,\"name\":\"Ada\"}\n{\"op\":\"subscribe\","));
    const struct client_step next = take(f, MESSAGE_SCENARIO, 0.0);
    assert_true(next.has_stream && !next.is_hello && says(f, "subscribe") && !says(f, "hello"));
}

static void a_hello_without_a_world_subscribes_to_nothing(void **state) {
    struct fixture *f = *state;
    (void)snprintf(f->session.def.token, sizeof f->session.def.token, "secret");
    (void)snprintf(f->message.body.hello.role, sizeof f->message.body.hello.role, "none");
    f->message.body.hello.protocol = PROTOCOL_VERSION;
    const struct client_step step = take(f, MESSAGE_HELLO, 0.0);
    assert_true(step.verdict == CLIENT_STAYS && step.is_hello && !step.has_stream);
    assert_true(says(f, "\"token\":\"secret\"") && !says(f, "subscribe"));
}

static void tokens_are_asked_for_and_refused(void **state) {
    struct fixture *f = *state;
    (void)snprintf(f->message.body.hello.role, sizeof f->message.body.hello.role, "none");
    f->message.body.hello.protocol = PROTOCOL_VERSION;
    assert_int_equal(take(f, MESSAGE_HELLO, 0.0).verdict, CLIENT_IS_REFUSED);
    memset(&f->message, 0, sizeof f->message);
    f->message.body.error.failure.code = FAILURE_DENIED;
    assert_int_equal(take_hello(f).verdict, CLIENT_STAYS);
    memset(&f->message, 0, sizeof f->message);
    f->message.body.error.failure.code = FAILURE_DENIED;
    assert_int_equal(take(f, MESSAGE_ERROR, 0.0).verdict, CLIENT_STAYS); /* of something else */
    (void)snprintf(f->message.body.error.failure.field, sizeof f->message.body.error.failure.field, "token");
    assert_int_equal(take(f, MESSAGE_ERROR, 0.0).verdict, CLIENT_IS_REFUSED);
}

static void other_servers_are_left(void **state) {
    struct fixture *f = *state;
    const struct client_step early = take(f, MESSAGE_REPLY, 0.0);
    assert_int_equal(early.verdict, CLIENT_IS_WRONG);
    assert_non_null(strstr(early.reason, "did not say hello"));
    f->message.body.hello.protocol = 7;
    const struct client_step later = take(f, MESSAGE_HELLO, 0.0);
    assert_int_equal(later.verdict, CLIENT_IS_WRONG);
    assert_non_null(strstr(later.reason, "protocol 7"));
    assert_false(f->session.is_ready);
}

static void the_shortest_round_trip_counts(void **state) {
    struct fixture *f = *state;
    buffer_clear(&f->out);
    client_session_ping(&f->session, 1.0, &f->out);
    assert_int_equal(f->out.length, 0); /* not before hello */
    (void)take_hello(f);
    assert_true(client_session_ping_ms(&f->session) < 0.0);
    buffer_clear(&f->out);
    client_session_ping(&f->session, 1.0, &f->out);
    assert_true(says(f, "{\"op\":\"ping\",\"t0\":1}\n"));
    memset(&f->message, 0, sizeof f->message);
    (void)snprintf(f->message.body.reply.to, sizeof f->message.body.reply.to, "ping");
    for (int i = 0; i < 12; i++) {
        f->message.body.reply.t0 = 100.0 * i;
        assert_true(take(f, MESSAGE_REPLY, 100.0 * i + 5.0 + i).has_ping);
    }
    assert_true(client_session_ping_ms(&f->session) == 9.0); /* of the last eight */
    client_session_begin(&f->session);
    assert_true(client_session_ping_ms(&f->session) < 0.0 && !f->session.is_ready);
}

static void a_key_is_asked_for_once_a_second(void **state) {
    struct fixture *f = *state;
    (void)take_hello(f);
    const double times[] = {10.0, 500.0, 1010.5, 1500.0};
    for (int i = 0; i < 4; i++) {
        buffer_clear(&f->out);
        client_session_resync(&f->session, times[i], &f->out);
        assert_int_equal(f->out.length != 0, i % 2 == 0);
    }
}

static void a_farewell_is_kept_until_the_next_hello(void **state) {
    struct fixture *f = *state;
    (void)take_hello(f);
    memset(&f->message, 0, sizeof f->message);
    (void)snprintf(f->message.body.bye.message, sizeof f->message.body.bye.message, "see you");
    assert_int_equal(take(f, MESSAGE_BYE, 0.0).verdict, CLIENT_STAYS);
    client_session_begin(&f->session);
    assert_true(f->session.said_bye);
    assert_string_equal(f->session.farewell, "see you");
    memset(&f->message, 0, sizeof f->message);
    (void)take_hello(f);
    assert_false(f->session.said_bye);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_hello_is_answered, setup, teardown),
        cmocka_unit_test_setup_teardown(a_hello_without_a_world_subscribes_to_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(tokens_are_asked_for_and_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(other_servers_are_left, setup, teardown),
        cmocka_unit_test_setup_teardown(the_shortest_round_trip_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(a_key_is_asked_for_once_a_second, setup, teardown),
        cmocka_unit_test_setup_teardown(a_farewell_is_kept_until_the_next_hello, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
