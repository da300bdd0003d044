/* What sessions may do and are told: tokens, rates, notices; the set of all sessions. */

#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/sessions/access.h"
#include "server/sessions/session.h"
#include "server/sessions/session_set.h"
#include "server/sessions/statistics.h"
#include "tests/support/request_decode.h"
#include "tests/unit/server/net/tcp_pair.h"

/* ==== The token file: valid lines, refusals that show no token, permissions ==== */

static char path[] = "/tmp/drover_access_XXXXXX";

static int set_up_access(void **state) {
    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    return 0;
}

static int tear_down_access(void **state) {
    return unlink(path);
}

static void write_file(const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void refused(const char *text, const char *words) {
    struct access access = access_open();
    struct failure failure = {0};
    write_file(text);
    assert_int_equal(access_load(path, &access, &failure), -1);
    if (strstr(failure.message, words) == NULL) {
        fail_msg("\"%s\" says nothing of \"%s\"", failure.message, words);
    }
    assert_null(strstr(failure.message, "hush"));
    assert_int_equal(access.count, 0);
}

static void reads_roles_and_names(void **state) {
    struct access access;
    struct failure failure;
    write_file("# who\n\nviewer hush-hush-1\n  operator\thush-hush-2 Ann\r\nadmin hush-hush-3 J\xc3\xb6rg");
    assert_int_equal(access_load(path, &access, &failure), 0);
    assert_true(access.needs_token);
    assert_int_equal(access.count, 3);
    assert_int_equal(access_find(&access, "hush-hush-1")->role, ROLE_VIEWER);
    assert_string_equal(access_find(&access, "hush-hush-1")->name, "");
    assert_int_equal(access_find(&access, "hush-hush-2")->role, ROLE_OPERATOR);
    assert_string_equal(access_find(&access, "hush-hush-2")->name, "Ann");
    assert_int_equal(access_find(&access, "hush-hush-3")->role, ROLE_ADMIN);
    assert_string_equal(access_find(&access, "hush-hush-3")->name, "J\xc3\xb6rg");
    static const char *const wrong[] = {"",           "hush-hush-", "hush-hush-11", "Hush-hush-1",
                                        "ush-hush-1", "hush-hush-4"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_null(access_find(&access, wrong[i]));
    }
    access_fini(&access);
    assert_false(access.needs_token);
}

static void refuses_what_is_no_line(void **state) {
    refused("", "it has no token");
    refused("# only\n", "it has no token");
    refused("viewer\n", ":1: expected ROLE TOKEN [NAME]");
    refused("viewer hush-hush-1 a b\n", ":1: expected ROLE TOKEN [NAME]");
    refused("\nroot hush-hush-1\n", ":2: unknown role");
    refused("none hush-hush-1\n", "unknown role");
    refused("viewer hush\n", "8 to 128");
    refused("viewer hush-hush-\xc3\xb6\n", "printable ASCII");
    refused("viewer hush-hush-1\nadmin hush-hush-1\n", ":2: duplicate token");
    refused("viewer hush-hush-1 \xff\n", "UTF-8");
    char line[700];
    memset(line, 'h', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    refused(line, "too long");
}

static void refuses_what_others_may_read(void **state) {
    struct access access;
    struct failure failure;
    write_file("viewer hush-hush-1\n");
    for (mode_t bit = 1; bit <= 040; bit <<= 1) {
        assert_int_equal(chmod(path, 0600 | bit), 0);
        assert_int_equal(access_load(path, &access, &failure), -1);
        assert_non_null(strstr(failure.message, "chmod 600"));
    }
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(access_load(path, &access, &failure), 0);
    access_fini(&access);
    assert_int_equal(access_load("/tmp", &access, &failure), -1);
    assert_int_equal(access_load("/nowhere/at/all", &access, &failure), -1);
}

static void refuses_a_fifo_without_waiting(void **state) {
    struct access access;
    struct failure failure;
    alarm(20);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(access_load(path, &access, &failure), -1);
    assert_non_null(strstr(failure.message, "a FIFO, not a regular file"));
    alarm(0);
}

/* ==== Wrong tokens: when they are answered, the address they count for, and when it is forgotten ==== */

static struct token_guard guard;

static int set_up_token_guard(void **state) {
    guard = (struct token_guard){0};
    return 0;
}

static void use_up(const char *address, uint64_t now_ms) {
    for (int i = 0; i < LIMIT_TOKEN_FREE; i++) {
        assert_int_equal(token_guard_wrong(&guard, address, now_ms), now_ms);
    }
}

static void one_a_second_after_the_first_ten(void **state) {
    use_up("192.0.2.1", 5000);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", 5000), 6000);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", 5010), 7000); /* of another session, say */
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", 5020), 8000);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", 9500), 10500);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.2", 5020), 5020); /* another address */
}

static void a_debt_ends(void **state) {
    use_up("192.0.2.1", 5000);
    uint64_t answer_ms = 0;
    for (int i = 0; i < 5000; i++) {
        answer_ms = token_guard_wrong(&guard, "192.0.2.1", 5000);
    }
    assert_int_equal(answer_ms, 5000 + TOKEN_GUARD_MOST_MS);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", 15000), 16000);
}

static void an_address_is_a_house(void **state) {
    use_up("2001:db8:1:2::1", 5000);
    assert_int_equal(token_guard_wrong(&guard, "2001:db8:1:2:ffff::77", 5000), 6000);
    assert_int_equal(token_guard_wrong(&guard, "2001:db8:1:3::1", 5000), 5000);
    use_up("192.0.2.1", 5000);
    assert_int_equal(token_guard_wrong(&guard, "::ffff:192.0.2.1", 5000), 6000);
    assert_int_equal(token_guard_wrong(&guard, "::ffff:192.0.2.3", 5000), 5000);
    use_up("::1", 5000);
    assert_int_equal(token_guard_wrong(&guard, "::1", 5000), 6000);
}

static void addresses_are_forgotten(void **state) {
    use_up("192.0.2.1", 5000);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", 5000), 6000);
    const uint64_t later_ms = 5000 + TOKEN_GUARD_FORGET_MS;
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", later_ms - 1), later_ms + 999);
    assert_int_equal(token_guard_wrong(&guard, "192.0.2.1", later_ms + TOKEN_GUARD_FORGET_MS),
                     later_ms + TOKEN_GUARD_FORGET_MS);
    /* Many addresses: the table keeps its size and knows the most recent ones. */
    char address[32];
    for (unsigned i = 0; i < 4 * TOKEN_GUARD_ROWS; i++) {
        (void)snprintf(address, sizeof address, "10.0.%u.%u", i / 256, i % 256);
        use_up(address, 10000000 + i);
    }
    assert_int_equal(token_guard_wrong(&guard, address, 10002000), 10003000);
    assert_int_equal(token_guard_wrong(&guard, "10.0.0.0", 10002000), 10002000);
}

static void so_many_may_wait(void **state) {
    use_up("192.0.2.1", 5000);
    int waiting = 0;
    while (!token_guard_is_full(&guard, "192.0.2.1", 5000)) {
        assert_true(token_guard_wrong(&guard, "192.0.2.1", 5000) < 5000 + TOKEN_GUARD_MOST_MS);
        waiting++;
    }
    assert_int_equal(waiting, TOKEN_GUARD_MOST_MS / TOKEN_GUARD_EACH_MS - 1);
    assert_false(token_guard_is_full(&guard, "192.0.2.2", 5000));
    assert_false(token_guard_is_full(&guard, "192.0.2.1", 5000 + TOKEN_GUARD_EACH_MS));
}

static void the_log_is_told_once_a_second(void **state) {
    assert_int_equal(token_guard_report(&guard, 5000), 0);
    use_up("192.0.2.1", 5000);
    assert_int_equal(token_guard_report(&guard, 5000), LIMIT_TOKEN_FREE);
    (void)token_guard_wrong(&guard, "192.0.2.1", 5001);
    (void)token_guard_wrong(&guard, "192.0.2.2", 5002);
    assert_int_equal(token_guard_report(&guard, 5999), 0);
    assert_int_equal(token_guard_report(&guard, 6000), 2);
    assert_int_equal(token_guard_report(&guard, 7000), 0);
}

/* ==== The token bucket: burst, refill, which requests are held and for how long ==== */

static struct rate_limit limit;

static int take_all(void) {
    int count = 0;
    while (rate_limit_allows(&limit) && count < 100000) {
        rate_limit_take(&limit, 1.0);
        count++;
    }
    return count;
}

static void burst_then_rate(void **state) {
    rate_limit_init(&limit, 200, 5000);
    assert_int_equal(take_all(), 400);
    rate_limit_fill(&limit, 5100);
    assert_int_equal(take_all(), 20);
    rate_limit_fill(&limit, 5100);
    assert_int_equal(take_all(), 0);
    rate_limit_fill(&limit, 100000);
    assert_int_equal(take_all(), 400);
}

static void parts_of_a_token(void **state) {
    rate_limit_init(&limit, 1, 0);
    int count = 0;
    for (; rate_limit_allows(&limit); count++) {
        rate_limit_take(&limit, 0.125);
    }
    assert_int_equal(count, 9); /* two tokens, down to less than one */
}

static void several_tokens(void **state) {
    rate_limit_init(&limit, 200, 0);
    (void)take_all();
    rate_limit_fill(&limit, 5);
    rate_limit_take(&limit, 256.0);
    rate_limit_fill(&limit, 1279);
    assert_false(rate_limit_allows(&limit));
    rate_limit_fill(&limit, 1290);
    assert_true(rate_limit_allows(&limit));
    rate_limit_init(&limit, 1, 0);
    rate_limit_take(&limit, 256.0); /* owes no more than it can hold */
    rate_limit_fill(&limit, 3000);
    assert_true(rate_limit_allows(&limit));
}

static void no_limit(void **state) {
    rate_limit_init(&limit, 0, 0);
    assert_int_equal(take_all(), 100000);
    rate_limit_fill(&limit, 1000);
    assert_true(rate_limit_allows(&limit));
}

static void held_until_half_full(void **state) {
    rate_limit_init(&limit, 200, 0);
    assert_false(rate_limit_report(&limit, 0));
    (void)take_all();
    rate_limit_delay(&limit, 10);
    assert_true(rate_limit_report(&limit, 20));
    assert_false(rate_limit_report(&limit, 1019));
    assert_true(rate_limit_report(&limit, 1020));
    for (uint64_t now = 100; now <= 9000; now += 100) {
        rate_limit_fill(&limit, now);
        assert_int_equal(take_all(), 20);
        rate_limit_delay(&limit, now); /* held all the while: the first time counts */
    }
    assert_int_equal(rate_limit_held_for_ms(&limit, 9010), 9000);
    rate_limit_fill(&limit, 9999);
    assert_true(rate_limit_held_for_ms(&limit, 9999) > 0);
    rate_limit_fill(&limit, 10001);
    assert_int_equal(rate_limit_held_for_ms(&limit, 10001), 0);
    assert_false(rate_limit_report(&limit, 20000));
}

/* A script in lock-step, three lines and one answer at a time, 1000 rounds a second: never held. */
static void forgiven(void **state) {
    rate_limit_init(&limit, 200, 0);
    for (uint64_t now = 0; now < 20000; now++) {
        rate_limit_fill(&limit, now);
        for (int line = 0; line < 3; line++) {
            assert_true(rate_limit_allows(&limit));
            rate_limit_take(&limit, 1.0);
        }
        rate_limit_forgive(&limit, now);
    }
    rate_limit_fill(&limit, 20998); /* free for a second after the last answer */
    for (int line = 0; line < 5000; line++) {
        rate_limit_take(&limit, 1.0);
    }
    rate_limit_fill(&limit, 20999); /* and then it counts again, from a full bucket */
    assert_int_equal(take_all(), 400);
    rate_limit_delay(&limit, 20999);
    rate_limit_forgive(&limit, 21500);
    assert_true(rate_limit_allows(&limit));
    assert_int_equal(rate_limit_held_for_ms(&limit, 30000), 0);
}

/* ==== Refused sessions: what is counted, and which of them have a line in the log ==== */

static void names_are_reasons(void **state) {
    for (int i = 0; i < REFUSAL_COUNT; i++) {
        enum refusal_cause cause = REFUSAL_COUNT;
        assert_true(refusal_find(refusal_name((enum refusal_cause)i), &cause));
        assert_int_equal(cause, i);
    }
    enum refusal_cause cause;
    assert_false(refusal_find("shutdown", &cause));
    assert_false(refusal_find("idle", &cause));
}

static void a_flood_has_a_line_a_second(void **state) {
    struct refusal_log log = {0};
    uint64_t lines = 0, reported = 0;
    for (uint64_t ms = 0; ms < 10000; ms++) {
        lines += refusal_log_take(&log, REFUSAL_FULL, ms) ? 1 : 0;
        if (ms % 100 == 0) {
            const uint64_t more = refusal_log_report(&log, REFUSAL_FULL, ms);
            lines += more > 0 ? 1 : 0;
            reported += more;
        }
    }
    assert_int_equal(lines, 10);
    assert_int_equal(refusal_log_count(&log, REFUSAL_FULL), 10000);
    assert_int_equal(refusal_log_report(&log, REFUSAL_FULL, 20000), 10000 - 1 - reported);
    assert_int_equal(refusal_log_report(&log, REFUSAL_FULL, 30000), 0);
    assert_true(refusal_log_take(&log, REFUSAL_FULL, 30000));
}

static void causes_do_not_hide_each_other(void **state) {
    struct refusal_log log = {0};
    assert_true(refusal_log_take(&log, REFUSAL_FULL, 5));
    assert_true(refusal_log_take(&log, REFUSAL_AUTH, 5));
    assert_false(refusal_log_take(&log, REFUSAL_AUTH, 6));
    assert_int_equal(refusal_log_report(&log, REFUSAL_FULL, 2000), 0);
    assert_int_equal(refusal_log_report(&log, REFUSAL_AUTH, 2000), 1);
}

static void without_a_log_all_have_a_line(void **state) {
    assert_true(refusal_log_take(NULL, REFUSAL_RATE, 0));
    assert_true(refusal_log_take(NULL, REFUSAL_RATE, 0));
}

/* ==== When a session gets `lag` and `stepping`, and what they say ==== */

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

/* ==== The ranks of a cluster in the reply to `stats` ==== */

static const char *written(const struct rank_table *table) {
    static char text[4096];
    struct buffer out;
    buffer_init(&out, sizeof text - 1);
    struct json_writer json = json_writer_begin(&out);
    json_object(&json);
    rank_statistics_write(table, 1500000001, &json);
    json_end(&json);
    assert_false(out.failed);
    memcpy(text, out.data, out.length + 1);
    buffer_fini(&out);
    return text;
}

static const struct rank_report reports[] = {
    {.work = {2.00049, 3.0},
     .agents = 60,
     .ghosts = 5,
     .sorts = 8,
     .host = "a",
     .rank = 0,
     .row = 0,
     .row_end = 7},
    {.work = {1.0, 1.5},
     .wait = {1.0, 2.0},
     .agents = 40,
     .ghosts = 6,
     .migrants = 3,
     .host = "b\"",
     .rank = 1,
     .row = 7,
     .row_end = 9},
};

static void one_process_has_none(void **state) {
    const struct rank_table table = {0};
    assert_string_equal(written(&table), "{}");
}

static void stripes(void **state) {
    struct rank_table table = {0};
    rank_table_fill(&table, EXCHANGE_STRIPES, reports, 2, 1);
    assert_string_equal(
        written(&table),
        "{\"cluster\":{\"mode\":\"stripes\",\"count\":2,\"age\":1.5,\"longest\":0,\"balance\":0.75,"
        "\"agents\":100,"
        "\"ghosts\":11,\"migrants\":3,\"migrants_per_second\":0,\"sorts\":8,\"ranks\":["
        "{\"rank\":0,\"host\":\"a\",\"work_ms\":{\"mean\":2,\"p99\":3},\"wait_ms\":{\"mean\":0,\"p99\":0},"
        "\"agents\":60,\"ghosts\":5,\"migrants\":0,\"rows\":[0,7]},"
        "{\"rank\":1,\"host\":\"b\\\"\",\"work_ms\":{\"mean\":1,\"p99\":1.5},\"wait_ms\":{\"mean\":1,\"p99\":"
        "2},"
        "\"agents\":40,\"ghosts\":6,\"migrants\":3,\"rows\":[7,9]}]}}");
}

static void copies_have_no_rows(void **state) {
    struct rank_table table = {0};
    rank_table_fill(&table, EXCHANGE_COPY, reports, 1, 1);
    assert_non_null(strstr(written(&table), "\"mode\":\"copy\",\"count\":1,"));
    assert_null(strstr(written(&table), "rows"));
}

/* ==== Many sessions: their numbers, their turns, and their common end ==== */

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

static int set_up_session_set(void **state) {
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

static int tear_down_session_set(void **state) {
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

#define SET_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_session_set, tear_down_session_set)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_roles_and_names, set_up_access, tear_down_access),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_line, set_up_access, tear_down_access),
        cmocka_unit_test_setup_teardown(refuses_what_others_may_read, set_up_access, tear_down_access),
        cmocka_unit_test_setup_teardown(refuses_a_fifo_without_waiting, set_up_access, tear_down_access),
        cmocka_unit_test_setup(one_a_second_after_the_first_ten, set_up_token_guard),
        cmocka_unit_test_setup(a_debt_ends, set_up_token_guard),
        cmocka_unit_test_setup(an_address_is_a_house, set_up_token_guard),
        cmocka_unit_test_setup(addresses_are_forgotten, set_up_token_guard),
        cmocka_unit_test_setup(so_many_may_wait, set_up_token_guard),
        cmocka_unit_test_setup(the_log_is_told_once_a_second, set_up_token_guard),
        cmocka_unit_test(burst_then_rate),
        cmocka_unit_test(parts_of_a_token),
        cmocka_unit_test(no_limit),
        cmocka_unit_test(held_until_half_full),
        cmocka_unit_test(forgiven),
        cmocka_unit_test(several_tokens),
        cmocka_unit_test(names_are_reasons),
        cmocka_unit_test(a_flood_has_a_line_a_second),
        cmocka_unit_test(causes_do_not_hide_each_other),
        cmocka_unit_test(without_a_log_all_have_a_line),
        cmocka_unit_test(skipped_frames_are_reported_once_a_second),
        cmocka_unit_test(left_out_events_are_reported_when_there_is_room),
        cmocka_unit_test(only_subscribers_get_lag),
        cmocka_unit_test(a_half_closed_session_that_waits_gets_stepping),
        cmocka_unit_test(one_process_has_none),
        cmocka_unit_test(stripes),
        cmocka_unit_test(copies_have_no_rows),
        SET_TEST(numbers_find_sessions),
        SET_TEST(a_closed_session_leaves_the_set),
        SET_TEST(sessions_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
