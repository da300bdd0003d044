/* See session_describe.h. */
#include "server/loop/session_describe.h"

#include <stdio.h>
#include <stdlib.h>

void session_describe_send_hello(struct loop_context *loop, struct session *session) {
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
    uint32_t revision = 0;
    struct message_hello *now = session_describe_world(loop, session, &revision);
    if (now == NULL) {
        return;
    }
    session_describe_send_scenario(session, revision, &now->scenario);
    simulation_request_snapshot(loop->simulation);
    free(now);
}
