/* Many sessions: their numbers, their turns, and their common end. */
#include "tests/unit/server/cmocka_all.h"

#include "server/sessions/session_set.h"
#include "tests/unit/server/net/tcp_pair.h"

enum { SESSIONS = 3 };

struct fixture {
    uv_loop_t loop;
    struct session_set set;
    int clients[SESSIONS];
    struct session *sessions[SESSIONS];
    int lines[SESSIONS + 1]; /* by number */
    int most_ahead;          /* the largest difference of lines between sessions 1 and 2 */
    int beats, closed;
    bool is_empty;
};

static void on_line(void *context, struct session *session, const char *line, size_t length) {
    struct fixture *fixture = context;
    (void)line;
    (void)length;
    fixture->lines[session->id]++;
    const int ahead = abs(fixture->lines[1] - fixture->lines[2]);
    fixture->most_ahead = ahead > fixture->most_ahead ? ahead : fixture->most_ahead;
}

static void on_too_long(void *context, struct session *session) {
    (void)context;
    (void)session;
}

static void on_check(void *context, struct session *session, uint64_t now_ms) {
    (void)context;
    (void)session;
    (void)now_ms;
}

static void on_beat(void *context) {
    struct fixture *fixture = context;
    fixture->beats++;
}

static void on_closed(void *context, const struct session *session) {
    struct fixture *fixture = context;
    assert_null(session_set_find(&fixture->set, session->id));
    fixture->closed++;
    fixture->is_empty = fixture->set.count == 0;
}

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    const struct session_set_handler handler = {
        .session = {.context = fixture, .on_line = on_line, .on_too_long = on_too_long, .on_check = on_check},
        .context = fixture,
        .on_beat = on_beat,
        .on_closed = on_closed};
    assert_int_equal(uv_loop_init(&fixture->loop), 0);
    assert_int_equal(session_set_init(&fixture->set, &fixture->loop, &handler), 0);
    for (int i = 0; i < SESSIONS; i++) {
        const struct tcp_pair pair = tcp_pair_open();
        fixture->clients[i] = pair.client;
        fixture->sessions[i] = session_set_add(&fixture->set, pair.server, i < 2, FRAMING_LINES);
        assert_non_null(fixture->sessions[i]);
        memcpy(fixture->sessions[i]->address, "127.0.0.1", sizeof "127.0.0.1");
    }
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    session_set_close_all(&fixture->set, "shutdown", "x");
    loop_until(&fixture->loop, &fixture->is_empty); /* the set's timer ends the lingering */
    for (int i = 0; i < SESSIONS; i++) {
        close(fixture->clients[i]);
    }
    session_set_fini(&fixture->set);
    (void)uv_run(&fixture->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
    free(fixture);
    return 0;
}

static void numbers_find_sessions(void **state) {
    struct fixture *fixture = *state;
    assert_int_equal(fixture->set.count, 3);
    assert_int_equal(fixture->set.numbered, 2);
    assert_ptr_equal(session_set_find(&fixture->set, 1), fixture->sessions[0]);
    assert_ptr_equal(session_set_find(&fixture->set, 2), fixture->sessions[1]);
    assert_int_equal(fixture->sessions[2]->id, 0);
    assert_null(session_set_find(&fixture->set, 3));
    assert_int_equal(session_set_count_address(&fixture->set, "127.0.0.1"), 2);
    assert_int_equal(session_set_count_address(&fixture->set, "127.0.0.2"), 0);
}

static void a_closed_session_leaves_the_set(void **state) {
    struct fixture *fixture = *state;
    struct shared_bytes *frame = shared_bytes_create(strdup("frame\n"), 6);
    assert_non_null(frame);
    session_offer_frame(fixture->sessions[0], frame);
    shared_bytes_release(frame);
    session_skip_frame(fixture->sessions[0]);
    client_send(fixture->clients[0], "12345\n");
    for (int i = 0; i < 1000 && fixture->lines[1] == 0; i++) {
        loop_turn(&fixture->loop);
    }
    client_reset(fixture->clients[0]);
    fixture->clients[0] = -1;
    for (int i = 0; i < 1000 && fixture->closed == 0; i++) {
        loop_turn(&fixture->loop);
    }
    assert_int_equal(fixture->closed, 1);
    assert_int_equal(fixture->set.count, 2);
    assert_int_equal(fixture->set.numbered, 1);
    assert_null(session_set_find(&fixture->set, 1));
    const struct session_traffic traffic = session_set_traffic(&fixture->set); /* is still counted */
    assert_int_equal(traffic.bytes_received, 6);
    assert_int_equal(traffic.bytes_sent, 6);
    assert_int_equal(traffic.frames_sent, 1);
    assert_int_equal(traffic.frames_skipped, 1);
    const struct tcp_pair pair = tcp_pair_open();
    const struct session *next = session_set_add(&fixture->set, pair.server, true, FRAMING_LINES);
    assert_non_null(next);
    assert_int_equal(next->id, 3); /* numbers are not used twice */
    close(pair.client);
}

/* While one session sends much, another one gets its turns. */
static void sessions_take_turns(void **state) {
    enum { LINES = 10 * SESSION_LINES_PER_TURN };
    struct fixture *fixture = *state;
    for (int i = 0; i < LINES; i++) {
        client_send(fixture->clients[0], "x\n");
        client_send(fixture->clients[1], "x\n");
    }
    for (int i = 0; i < 5000 && fixture->lines[1] + fixture->lines[2] < 2 * LINES; i++) {
        loop_turn(&fixture->loop);
    }
    assert_int_equal(fixture->lines[1], LINES);
    assert_int_equal(fixture->lines[2], LINES);
    assert_in_range(fixture->most_ahead, 1, 2 * SESSION_LINES_PER_TURN);
    for (int i = 0; i < 5000 && fixture->beats == 0; i++) {
        loop_turn(&fixture->loop);
    }
    assert_true(fixture->beats > 0);
}

#define SET_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        SET_TEST(numbers_find_sessions),
        SET_TEST(a_closed_session_leaves_the_set),
        SET_TEST(sessions_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
