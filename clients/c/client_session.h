/* The requests that a client sends of its own accord: hello, a subscription for each world, pings, resync;
 * and whether the server accepts the client. Pure: messages and times come in, requests and decisions go out.
 *
 * A session lasts from one connection to the next (client_session_begin). It owns nothing.
 */
#ifndef DROVER_CLIENTS_C_CLIENT_SESSION_H
#define DROVER_CLIENTS_C_CLIENT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "clients/c/stream_plan.h"
#include "common/base/buffer.h"
#include "common/protocol/message.h"

enum { CLIENT_SESSION_PINGS = 8, CLIENT_SESSION_REASON = 96 };

struct client_session_def {
    enum layout agents;                /* the layout to have agents one by one in */
    char name[LIMIT_PERSON_BYTES + 1]; /* to say hello with; "" for none */
    char token[LIMIT_TOKEN_CHARS + 1]; /* a secret; "" for none */
};

struct client_session {
    struct client_session_def def;
    bool is_ready; /* the server said hello */
    bool said_bye; /* the server did; it stays set until the next hello */
    char farewell[MESSAGE_TEXT];
    double pings_ms[CLIENT_SESSION_PINGS]; /* a ring: round trips */
    unsigned ping_count;
    double resynced_ms; /* when a lost key was last asked for */
};

enum client_verdict {
    CLIENT_STAYS,
    CLIENT_IS_REFUSED, /* the server wants a token, or another one */
    CLIENT_IS_WRONG,   /* no Drover server of our version: `reason` */
};

/** The meaning of a message for the connection. */
struct client_step {
    enum client_verdict verdict;
    char reason[CLIENT_SESSION_REASON]; /* CLIENT_IS_WRONG */
    bool is_hello;                      /* the connection is ready now */
    bool has_stream;                    /* a new world: this was subscribed to, of which only */
    struct stream_choice stream;        /* the scenario is known */
    bool has_ping;                      /* client_session_ping_ms has changed */
};

void client_session_init(struct client_session *session, const struct client_session_def *def);
/** A new connection: the server has not said hello yet, and no round trip is known. */
void client_session_begin(struct client_session *session);
/** Takes a message in. Appends the requests that it calls for to *out, which may fail (out->failed).
 * now_ms: the client's clock, as in client_session_ping. */
struct client_step client_session_take(struct client_session *session, const struct message *message,
                                       double now_ms, struct buffer *out);
/** Appends a ping once the server has said hello. */
void client_session_ping(const struct client_session *session, double now_ms, struct buffer *out);
/** A frame was refused: appends a request for a new key, once a second at most. */
void client_session_resync(struct client_session *session, double now_ms, struct buffer *out);
/** The shortest of the last round trips; < 0 before the first. */
double client_session_ping_ms(const struct client_session *session);

#endif
