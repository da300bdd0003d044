/* See client_session.h. */
#include "clients/c/client_session.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double resync_gap_ms = 1000.0;

void client_session_init(struct client_session *session, const struct client_session_def *def) {
    *session = (struct client_session){.def = *def, .resynced_ms = -resync_gap_ms};
}

void client_session_begin(struct client_session *session) {
    session->is_ready = false;
    session->ping_count = 0;
}

double client_session_ping_ms(const struct client_session *session) {
    const unsigned kept =
        session->ping_count < CLIENT_SESSION_PINGS ? session->ping_count : CLIENT_SESSION_PINGS;
    double least = kept > 0 ? session->pings_ms[0] : -1.0;
    for (unsigned i = 1; i < kept; i++) {
        least = fmin(least, session->pings_ms[i]);
    }
    return least;
}

/* ---- what messages call for ---- */

static void say_hello(const struct client_session_def *def, struct buffer *out) {
    struct request request = request_default(REQUEST_HELLO);
    struct request_hello *hello = &request.body.hello;
    if (def->name[0] != '\0' || def->token[0] != '\0') {
        hello->has_protocol = true;
        hello->protocol = PROTOCOL_VERSION;
        (void)snprintf(hello->name, sizeof hello->name, "%s", def->name);
        (void)snprintf(hello->token, sizeof hello->token, "%s", def->token);
        request_encode(&request, out);
    }
}

static void subscribe(const struct client_session *session, const struct message_scenario *scenario,
                      struct client_step *step, struct buffer *out) {
    step->has_stream = true;
    step->stream = stream_first(scenario, session->def.agents);
    const struct request request = stream_request(&step->stream, NULL);
    request_encode(&request, out);
}

static void fail(struct client_step *step, const char *reason) {
    step->verdict = CLIENT_IS_WRONG;
    (void)snprintf(step->reason, sizeof step->reason, "%s", reason);
}

static void take_hello(struct client_session *session, const struct message_hello *hello,
                       struct client_step *step, struct buffer *out) {
    if (hello->protocol != PROTOCOL_VERSION) {
        step->verdict = CLIENT_IS_WRONG;
        (void)snprintf(step->reason, sizeof step->reason, "the server speaks protocol %d, this viewer %d",
                       hello->protocol, PROTOCOL_VERSION);
        return;
    }
    session->is_ready = step->is_hello = true;
    session->said_bye = false;
    say_hello(&session->def, out);
    if (hello->has_world) {
        subscribe(session, &hello->scenario, step, out);
    } /* otherwise a scenario line comes once the token is accepted */
}

/* Whether the server wants a token and the session has none, or not the right one. */
static bool is_refusal(const struct client_session *session, const struct message *message) {
    switch (message->op) {
    case MESSAGE_HELLO:
        return session->def.token[0] == '\0' && strcmp(message->body.hello.role, role_name(ROLE_NONE)) == 0;
    case MESSAGE_ERROR:
        return message->body.error.failure.code == FAILURE_DENIED &&
               strcmp(message->body.error.failure.field, "token") == 0;
    case MESSAGE_BYE:
        return strcmp(message->body.bye.reason, "auth") == 0;
    default:
        return false;
    }
}

struct client_step client_session_take(struct client_session *session, const struct message *message,
                                       double now_ms, struct buffer *out) {
    struct client_step step = {.verdict = CLIENT_STAYS};
    if (is_refusal(session, message)) {
        step.verdict = CLIENT_IS_REFUSED;
    } else if (message->op == MESSAGE_HELLO) {
        take_hello(session, &message->body.hello, &step, out);
    } else if (message->op == MESSAGE_BYE) {
        session->said_bye = true;
        (void)snprintf(session->farewell, sizeof session->farewell, "%s", message->body.bye.message);
    } else if (!session->is_ready) {
        fail(&step, "this is not a drover server: it did not say hello");
    } else if (message->op == MESSAGE_SCENARIO) {
        subscribe(session, &message->body.scenario, &step, out);
    } else if (message->op == MESSAGE_REPLY && strcmp(message->body.reply.to, "ping") == 0) {
        session->pings_ms[session->ping_count++ % CLIENT_SESSION_PINGS] = now_ms - message->body.reply.t0;
        step.has_ping = true;
    }
    return step;
}

/* ---- by the clock ---- */

void client_session_ping(const struct client_session *session, double now_ms, struct buffer *out) {
    if (session->is_ready) {
        struct request request = request_default(REQUEST_PING);
        request.body.ping.has_t0 = true;
        request.body.ping.t0 = now_ms;
        request_encode(&request, out);
    }
}

void client_session_resync(struct client_session *session, double now_ms, struct buffer *out) {
    assert(session->is_ready);
    if (now_ms - session->resynced_ms > resync_gap_ms) {
        const struct request request = request_default(REQUEST_RESYNC);
        session->resynced_ms = now_ms;
        request_encode(&request, out);
    }
}
