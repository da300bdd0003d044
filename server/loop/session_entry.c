/* See session_entry.h. */
#include "server/loop/session_entry.h"

#include <stdio.h>

#include <uv.h>

#include "common/system/log.h"
#include "server/loop/session_describe.h"
#include "server/sessions/admission.h"

static const char *why_full(const struct loop_context *loop, const char *address, bool is_loopback) {
    const struct admission_limits limits = {.clients = (int)loop->room.sessions,
                                            .per_address = (int)loop->options->max_per_address};
    return admission_why_full(limits, &loop->sessions, address, is_loopback);
}

static bool has_spare(const struct loop_context *loop) {
    return loop->sessions.count - loop->sessions.numbered < (int)loop->room.byes;
}

bool session_entry_has_room(const struct loop_context *loop, const char *address, bool is_loopback) {
    return !loop->is_stopping && (has_spare(loop) || why_full(loop, address, is_loopback) == NULL);
}

/* Of a peer that gets no session: it may not read its bye. */
static void log_refusal(struct loop_context *loop, const char *address, const char *full) {
    const struct log_about about = {.address = address, .code = refusal_name(REFUSAL_FULL)};
    if (refusal_log_take(&loop->sessions.refusals, REFUSAL_FULL, uv_now(loop->uv))) {
        log_write_about(LOG_INFO, "net", &about, "a peer from %s: bye %s (%s)", address, about.code, full);
    }
}

struct session *session_entry_admit(struct loop_context *loop, const struct session_peer *peer) {
    if (loop->is_stopping) {
        session_refuse(peer->socket, peer->kind, "shutdown", "the server stops");
        return NULL;
    }
    const char *full = why_full(loop, peer->address, peer->is_loopback);
    loop->statistics.refused += full != NULL ? 1 : 0;
    if (full != NULL && !has_spare(loop)) {
        log_refusal(loop, peer->address, full);
        session_refuse(peer->socket, peer->kind, "full", full);
        return NULL;
    }
    struct session *session = session_set_add(&loop->sessions, peer->socket, full == NULL, peer->kind);
    if (session == NULL) {
        return NULL;
    }
    (void)snprintf(session->address, sizeof session->address, "%s", peer->address);
    if (full != NULL) {
        session_close(session, "full", full);
        return NULL;
    }
    loop->statistics.sessions_ever++;
    session_set_role(session, loop->access.needs_token ? ROLE_NONE : ROLE_ADMIN);
    const struct log_about about = session_about(session, NULL);
    log_write_about(LOG_INFO, "net", &about, "session %u connected from %s%s", session->id, peer->address,
                    peer->kind == FRAMING_WEB ? " (WebSocket)" : "");
    session_describe_send_hello(loop, session);
    return session;
}
