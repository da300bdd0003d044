/* When a session gets `lag` and `stepping`, and what they say. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/sessions/session.h"

/* A subscribed session without a connection. */
static struct session make_session(void) {
    struct session session;
    memset(&session, 0, sizeof session);
    send_queue_init(&session.stream.queue, LIMIT_CONTROL_BYTES);
    session.subscription.is_active = true;
    return session;
}

static void skipped_frames_are_reported_once_a_second(void **state) {
    struct session session = make_session();
    struct message_event event;
    assert_false(notices_lag(&session, 5000, &event));
    session.stream.queue.frames_skipped = 3;
    assert_true(notices_lag(&session, 5000, &event)); /* the first time at once */
    assert_string_equal(event.event, "lag");
    assert_int_equal(event.has, EVENT_HAS_SKIPPED);
    assert_int_equal(event.skipped, 3);
    session.stream.queue.frames_skipped = 7;
    assert_false(notices_lag(&session, 5000 + NOTICES_LAG_MS - 1, &event));
    assert_true(notices_lag(&session, 5000 + NOTICES_LAG_MS, &event));
    assert_int_equal(event.skipped, 4);
    assert_false(notices_lag(&session, 5000 + 9 * NOTICES_LAG_MS, &event));
}

static void left_out_events_are_reported_when_there_is_room(void **state) {
    struct session session = make_session();
    struct message_event event;
    session.left_out = 5;
    session.stream.queue.frames_skipped = 2;
    session.stream.queue.control_bytes = LIMIT_CONTROL_BYTES;
    session.subscription.has_sent = true;
    assert_false(notices_lag(&session, 5000, &event)); /* the client has not read enough yet */
    session.stream.queue.control_bytes = 0;
    assert_true(notices_lag(&session, 5000, &event));
    assert_int_equal(event.has, EVENT_HAS_SKIPPED | EVENT_HAS_LEFT_OUT);
    assert_int_equal(event.left_out, 5);
    assert_int_equal(event.skipped, 2);
    assert_int_equal(session.left_out, 0);
    assert_false(session.subscription.has_sent); /* the current state is due */
}

static void only_subscribers_get_lag(void **state) {
    struct session session = make_session();
    struct message_event event;
    session.subscription.is_active = false;
    session.stream.queue.frames_skipped = 3;
    assert_false(notices_lag(&session, 5000, &event));
}

static void a_half_closed_session_that_waits_gets_stepping(void **state) {
    struct session session = make_session();
    struct message_event event;
    session.stream.is_eof = true;
    assert_false(notices_stepping(&session, 5000, &event)); /* nothing is outstanding */
    session.outstanding = 1;
    assert_false(notices_stepping(&session, 5000, &event)); /* it begins to wait */
    assert_false(notices_stepping(&session, 5000 + NOTICES_STEPPING_MS - 1, &event));
    assert_true(notices_stepping(&session, 5000 + NOTICES_STEPPING_MS, &event));
    assert_string_equal(event.event, "stepping");
    assert_int_equal(event.has, 0);
    assert_false(notices_stepping(&session, 5001 + NOTICES_STEPPING_MS, &event));
    assert_true(notices_stepping(&session, 5000 + 2 * NOTICES_STEPPING_MS, &event));
    session.outstanding = 0;
    assert_false(notices_stepping(&session, 5000 + 3 * NOTICES_STEPPING_MS, &event));
    session.outstanding = 1;
    assert_false(notices_stepping(&session, 5000 + 4 * NOTICES_STEPPING_MS, &event)); /* a new wait */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipped_frames_are_reported_once_a_second),
        cmocka_unit_test(left_out_events_are_reported_when_there_is_room),
        cmocka_unit_test(only_subscribers_get_lag),
        cmocka_unit_test(a_half_closed_session_that_waits_gets_stepping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
