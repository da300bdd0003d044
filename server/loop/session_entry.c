/* See loop_context.h. */
#include "server/loop/loop_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <uv.h>

#include "common/base/limits.h"
#include "common/system/log.h"
#include "common/system/process.h"

/* Sends the first line of a connection: the server, the session's number and role, and the world when the
 * role may read it. */
static void session_describe_send_hello(struct loop_context *loop, struct session *session) {
    struct message_hello *hello = calloc(1, sizeof *hello);
    if (hello == NULL) {
        session_close(session, "full", "out of memory");
        return;
    }
    hello->protocol = PROTOCOL_VERSION;
    hello->session = session->id;
    (void)snprintf(hello->role, sizeof hello->role, "%s", role_name(session->client.role));
    (void)snprintf(hello->server, sizeof hello->server, "drover-server %s", DROVER_VERSION);
    hello->has_world = session->client.role != ROLE_NONE;
    session->known_revision =
        hello->has_world ? simulation_revision(loop->simulation) : SESSION_KNOWS_NOTHING;
    simulation_describe(loop->simulation, hello);
    session->knows_passing = hello->has_world && hello->playback.is_resuming;
    struct buffer out;
    buffer_init(&out, LOOP_REPLY_BYTES);
    message_write_hello(hello, &out);
    session_send(session, &out);
    buffer_fini(&out);
    free(hello);
}

/* How the world is, for the caller to free, and the revision that this holds at least. NULL when memory is
 * short: the session is closed then. */
struct message_hello *session_describe_world(struct loop_context *loop, struct session *session,
                                             uint32_t *revision) {
    struct message_hello *now = calloc(1, sizeof *now);
    if (now == NULL) {
        session_close(session, "slow", "out of memory");
        return NULL;
    }
    *revision = simulation_revision(loop->simulation);
    simulation_describe(loop->simulation, now);
    return now;
}

/* Tells the session how the world is, as of this revision. */
void session_describe_send_scenario(struct session *session, uint32_t revision,
                                    const struct message_scenario *scenario) {
    struct buffer out;
    buffer_init(&out, LOOP_REPLY_BYTES);
    message_write_scenario(scenario, &out);
    session_send(session, &out);
    buffer_fini(&out);
    session->known_revision = revision;
}

void session_describe_send_arrival(struct loop_context *loop) {
    struct message_hello *now = NULL;
    uint32_t revision = 0;
    for (struct session *session = loop->sessions.first, *next = NULL; session != NULL; session = next) {
        next = session->next;
        if (!session->knows_passing) {
            continue;
        }
        now = now != NULL ? now : session_describe_world(loop, session, &revision);
        if (now == NULL || now->playback.is_resuming) {
            break; /* there is another such line when the world is there */
        }
        session->knows_passing = false;
        if (!session->subscription.is_active) {
            session_describe_send_scenario(session, revision, &now->scenario);
        }
    }
    free(now);
}

/* To this session alone. */
void session_describe_send_event(struct loop_context *loop, struct session *session,
                                 struct message_event *event) {
    event->tick = simulation_tick(loop->simulation);
    event->seq = loop->seq;
    event->has |= session->client.wants_seq ? EVENT_HAS_SEQ : 0u;
    struct buffer out;
    buffer_init(&out, LOOP_REPLY_BYTES);
    message_write_event(event, &out);
    session_send(session, &out);
    buffer_fini(&out);
}

/* Tells a session what it missed; when events are among it, how the world is now as well. */
void session_describe_send_lag(struct loop_context *loop, struct session *session,
                               struct message_event *lag) {
    session_describe_send_event(loop, session, lag);
    if ((lag->has & EVENT_HAS_LEFT_OUT) == 0) {
        return;
    }
    if (session->is_elsewhere) {
        return; /* its look does that */
    }
    uint32_t revision = 0;
    struct message_hello *now = session_describe_world(loop, session, &revision);
    if (now == NULL) {
        return;
    }
    session_describe_send_scenario(session, revision, &now->scenario);
    simulation_request_snapshot(loop->simulation);
    free(now);
}

/* ---- how many sessions there may be ---- */

enum { BYES = 64, SHARES = 4 }; /* byes and web get no more than one of so many shares each */

/* The soft limit, raised where that is allowed; UINT64_MAX: nothing is known. */
static uint64_t raise_limit(uint64_t wanted) {
    struct rlimit now = {0};
    if (getrlimit(RLIMIT_NOFILE, &now) != 0) {
        return UINT64_MAX;
    }
    if (now.rlim_cur < wanted) {
        const struct rlimit raised = {.rlim_cur = now.rlim_max < wanted ? now.rlim_max : (rlim_t)wanted,
                                      .rlim_max = now.rlim_max};
        now.rlim_cur = setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : now.rlim_cur;
    }
    return (uint64_t)now.rlim_cur;
}

static uint32_t at_most(uint32_t wanted, uint64_t share) {
    return share < wanted ? (uint32_t)share : wanted;
}

int descriptor_limit_divide(uint32_t clients, bool has_web, struct descriptor_room *room,
                            struct failure *failure) {
    const uint32_t web = has_web ? LIMIT_WEB_CONNECTIONS : 0;
    const uint64_t own = process_usage_read().open_files + DESCRIPTOR_LIMIT_OWN;
    const uint64_t limit = raise_limit(own + clients + BYES + web);
    const uint64_t least = own + 2 * SHARES;
    if (limit < least) {
        return failure_set(failure, FAILURE_BUSY, NULL,
                           "open files are limited to %llu (ulimit -Hn); the server needs at least %llu",
                           (unsigned long long)limit, (unsigned long long)least);
    }
    const uint64_t left = limit - own;
    *room =
        (struct descriptor_room){.byes = at_most(BYES, left / SHARES), .web = at_most(web, left / SHARES)};
    room->sessions = at_most(clients, left - room->byes - room->web);
    if (room->sessions < clients) {
        log_write(
            LOG_WARN, "server",
            "open files are limited to %llu (ulimit -Hn): at most %u clients, not the %u of --max-clients",
            (unsigned long long)limit, room->sessions, clients);
    }
    return 0;
}

const char *admission_why_full(struct admission_limits limits, const struct session_set *sessions,
                               const char *address, bool is_loopback) {
    if (sessions->numbered >= limits.clients) {
        return "too many sessions; try again later";
    }
    const bool is_limited = limits.per_address > 0 || !is_loopback;
    const int most = limits.per_address > 0 ? limits.per_address : LIMIT_ADDRESS_CLIENTS;
    if (is_limited && session_set_count_address(sessions, address) >= most) {
        return "too many sessions from your address; try again later";
    }
    return NULL;
}

/* ---- entry ---- */

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
    const char *full = peer->is_own ? NULL : why_full(loop, peer->address, peer->is_loopback);
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
    session->is_own = peer->is_own;
    (void)snprintf(session->address, sizeof session->address, "%s", peer->address);
    if (full != NULL) {
        session_close(session, "full", full);
        return NULL;
    }
    loop->statistics.sessions_ever++;
    session_set_role(session, peer->is_own ? ROLE_VIEWER : loop->access.needs_token ? ROLE_NONE : ROLE_ADMIN);
    const struct log_about about = session_about(session, NULL);
    log_write_about(LOG_INFO, "net", &about, "session %u connected from %s%s", session->id, peer->address,
                    peer->kind == FRAMING_WEB ? " (WebSocket)" : "");
    session_describe_send_hello(loop, session);
    return session;
}
