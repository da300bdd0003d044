/* Who may come in, with which name and role; requests of the loop. */

#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "server/loop/loop_context.h"
#include "tests/support/request_decode.h"

/* ==== Admission: seats, hello with and without tokens, roles, and the cost of a line ==== */

static struct access_entry entries[] = {{.role = ROLE_OPERATOR, .token = "hush-hush-1", .name = "Ada"},
                                        {.role = ROLE_VIEWER, .token = "hush-hush-2"}};

static struct access with_tokens(void) {
    return (struct access){.needs_token = true, .count = 2, .entries = entries};
}

static struct session make_session(const char *address) {
    struct session session;
    memset(&session, 0, sizeof session);
    session.id = 1;
    (void)snprintf(session.address, sizeof session.address, "%s", address);
    return session;
}

static struct request_hello hello_of(const char *name, const char *token) {
    struct request_hello hello = {0};
    (void)snprintf(hello.name, sizeof hello.name, "%s", name);
    (void)snprintf(hello.token, sizeof hello.token, "%s", token);
    return hello;
}

/* ---- seats ---- */

static void seats_have_two_limits(void **state) {
    struct session a = make_session("10.0.0.1"), b = make_session("10.0.0.1");
    b.id = 2;
    a.next = &b;
    struct session_set sessions = {.first = &a, .count = 2, .numbered = 2};
    struct admission_limits limits = {.clients = 2};
    assert_non_null(admission_why_full(limits, &sessions, "10.0.0.9", false));
    limits.clients = 3;
    assert_null(admission_why_full(limits, &sessions, "10.0.0.1", false));
    limits.per_address = 2;
    const char *full = admission_why_full(limits, &sessions, "10.0.0.1", false);
    assert_non_null(full);
    assert_non_null(strstr(full, "from your address"));
    assert_null(admission_why_full(limits, &sessions, "10.0.0.2", false));
    assert_non_null(admission_why_full(limits, &sessions, "10.0.0.1", true)); /* given: loopback as well */
}

static void loopback_has_no_limit_of_its_own(void **state) {
    struct session many[LIMIT_ADDRESS_CLIENTS];
    for (int i = 0; i < LIMIT_ADDRESS_CLIENTS; i++) {
        many[i] = make_session("127.0.0.1");
        many[i].next = i + 1 < LIMIT_ADDRESS_CLIENTS ? &many[i + 1] : NULL;
    }
    const struct session_set sessions = {.first = many, .numbered = LIMIT_ADDRESS_CLIENTS};
    const struct admission_limits limits = {.clients = 1000};
    assert_null(admission_why_full(limits, &sessions, "127.0.0.1", true));
    assert_non_null(admission_why_full(limits, &sessions, "127.0.0.1", false));
}

/* ---- hello ---- */

static int greet(const struct access *access, struct session *session, const char *name, const char *token,
                 enum failure_code *code) {
    struct token_guard tokens = {0};
    struct failure failure = {0};
    const struct request_hello hello = hello_of(name, token);
    const int result = admission_greet(access, &tokens, session, &hello, 5000, &failure);
    *code = failure.code;
    return result;
}

static void hello_without_tokens_gives_every_right(void **state) {
    const struct access access = access_open();
    struct session session = make_session("10.0.0.1");
    enum failure_code code;
    assert_int_equal(greet(&access, &session, "Grace", "", &code), 0);
    assert_int_equal(session.client.role, ROLE_ADMIN);
    assert_string_equal(session.client.name, "Grace");
    assert_int_equal(greet(&access, &session, "Again", "", &code), -1);
    assert_int_equal(code, FAILURE_INVALID);
    assert_string_equal(session.client.name, "Grace");
}

static void a_token_gives_its_role_and_name(void **state) {
    const struct access access = with_tokens();
    struct session session = make_session("10.0.0.1"), other = make_session("10.0.0.1");
    enum failure_code code;
    assert_int_equal(greet(&access, &session, "Grace", "hush-hush-1", &code), 0);
    assert_int_equal(session.client.role, ROLE_OPERATOR);
    assert_string_equal(session.client.name, "Ada"); /* the file's name counts */
    assert_int_equal(greet(&access, &other, "Grace", "hush-hush-2", &code), 0);
    assert_int_equal(other.client.role, ROLE_VIEWER);
    assert_string_equal(other.client.name, "Grace");
}

static void wrong_tokens_are_counted_and_change_nothing(void **state) {
    const struct access access = with_tokens();
    struct session session = make_session("10.0.0.1");
    enum failure_code code;
    assert_int_equal(greet(&access, &session, "Grace", "", &code), -1);
    assert_int_equal(code, FAILURE_DENIED);
    assert_int_equal(session.client.wrong_tokens, 0); /* no token is not a wrong one */
    assert_int_equal(greet(&access, &session, "Grace", "hush-hush-9", &code), -1);
    assert_int_equal(code, FAILURE_DENIED);
    assert_int_equal(session.client.wrong_tokens, 1);
    assert_int_equal(session.client.denial_ms, 5000); /* the first ones are answered at once */
    assert_int_equal(session.client.role, ROLE_NONE);
    assert_false(session.client.has_greeted);
    assert_string_equal(session.client.name, "");
}

/* ---- roles and rates ---- */

static void a_role_allows_its_ops(void **state) {
    struct session session = make_session("10.0.0.1");
    struct failure failure = {0};
    for (int role = 0; role < ROLE_COUNT; role++) {
        session.client.role = (enum role)role;
        for (int op = 0; op < REQUEST_OP_COUNT; op++) {
            const bool is_allowed = admission_allow(&session, (enum request_op)op, &failure) == 0;
            assert_int_equal(is_allowed, role >= (int)request_role((enum request_op)op));
        }
    }
}

static void lines_cost_by_what_they_are(void **state) {
    struct session session = make_session("10.0.0.1");
    rate_limit_init(&session.limit, 10.0, 5000);
    const double full = session.limit.tokens;
    struct request request = request_default(REQUEST_CURSOR);
    admission_charge(&session, &request, 50);
    assert_true(session.limit.tokens == full - 0.125);
    request.id[0] = '1';
    admission_charge(&session, &request, 50); /* one that wants an answer is no mere movement */
    assert_true(session.limit.tokens == full - 1.125);
    admission_charge(&session, NULL, 50);
    assert_true(session.limit.tokens == full - 2.125);
    session.is_waiting = true;
    admission_charge(&session, &request, 50);
    assert_true(session.limit.tokens == full - 2.125);
}

static void a_batch_costs_its_members(void **state) {
    static const char text[] = "{\"op\":\"batch\",\"requests\":[{\"op\":\"remove\",\"agent\":1},"
                               "{\"op\":\"remove\",\"agent\":2},{\"op\":\"remove\",\"agent\":3}]}";
    struct session session = make_session("10.0.0.1");
    struct failure failure = {0};
    struct request request;
    rate_limit_init(&session.limit, 10.0, 5000);
    const double full = session.limit.tokens;
    assert_int_equal(request_decode(text, sizeof text - 1, &request, &failure), 0);
    admission_charge(&session, &request, 50);
    assert_true(session.limit.tokens == full - 3.0);
    session.is_waiting = true;
    admission_charge(&session, &request, 50);
    assert_true(session.limit.tokens == full - 5.0);
    session.client.role = ROLE_VIEWER;
    assert_int_equal(admission_allow_all(&session, &request, &failure), -1);
    assert_false(failure.has_index);
    session.client.role = ROLE_OPERATOR;
    assert_int_equal(admission_allow_all(&session, &request, &failure), 0);
    request_fini(&request);
}

static void a_session_in_use_is_not_overdue(void **state) {
    struct session session = make_session("10.0.0.1");
    session.client.role = ROLE_VIEWER;
    session.last_line_ms = 5000;
    assert_false(admission_close_overdue(&session, 1, 5999));
    assert_false(admission_close_overdue(&session, 0, 999999)); /* 0: never idle */
    session.outstanding = 1;
    assert_false(admission_close_overdue(&session, 1, 999999));
    session.outstanding = 0;
    session.subscription.is_active = true;
    assert_false(admission_close_overdue(&session, 1, 999999));
}

/* ==== Every op has the handlers that its row promises: what the server checks when it starts ==== */

static void test_every_op_has_its_handlers(void **state) {
    struct failure failure = {0};
    if (session_requests_check(&failure) != 0) {
        fail_msg("%s", failure.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seats_have_two_limits),
        cmocka_unit_test(loopback_has_no_limit_of_its_own),
        cmocka_unit_test(hello_without_tokens_gives_every_right),
        cmocka_unit_test(a_token_gives_its_role_and_name),
        cmocka_unit_test(wrong_tokens_are_counted_and_change_nothing),
        cmocka_unit_test(a_role_allows_its_ops),
        cmocka_unit_test(lines_cost_by_what_they_are),
        cmocka_unit_test(a_batch_costs_its_members),
        cmocka_unit_test(a_session_in_use_is_not_overdue),
        cmocka_unit_test(test_every_op_has_its_handlers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
