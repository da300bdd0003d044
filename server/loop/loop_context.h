/* Everything that the loop needs to serve its sessions. The server has one; no other thread uses it.
 */
#ifndef DROVER_SERVER_LOOP_LOOP_CONTEXT_H
#define DROVER_SERVER_LOOP_LOOP_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "common/system/duty.h"
#include "server/broadcast/broadcast.h"
#include "server/options.h"
#include "server/sessions/access.h"
#include "server/sessions/session_set.h"
#include "server/sessions/statistics.h"
#include "server/simulation/simulation.h"

/** A reply or an event on the loop fits into it: a hello with every kind and target has some 30 KB. */
enum { LOOP_REPLY_BYTES = 1024 * 1024 };

/* The admission of clients: how many sessions there may be, the role and the name of each, the ops that a role
 * allows, and when a session's time is up.
 *
 * Works on a session's own record (struct client_info, its rate limit) and sends nothing but bye.
 */

/** The options that bound the number of sessions. */
struct admission_limits {
    int clients;     /* sessions at once */
    int per_address; /* sessions of one address; 0: LIMIT_ADDRESS_CLIENTS, without a limit for loopback */
};

/** Why a peer cannot get a session, NULL when it can. Every numbered session counts, from the moment it is
 * accepted until its memory is freed. */
const char *admission_why_full(struct admission_limits limits, const struct session_set *sessions,
                               const char *address, bool is_loopback);
/** Gives the session its role and its name. After a wrong token session->client.denial_ms says when that may be
 * answered, loop time; it is now_ms after every other. 0, or -1 with *failure (invalid, version, bad_param,
 * denied): nothing has changed then, but wrong tokens are counted. */
NODISCARD int admission_greet(const struct access *access, struct token_guard *tokens,
                              struct session *session, const struct request_hello *hello, uint64_t now_ms,
                              struct failure *failure);
/** Whether the session's role allows the op. 0, or -1 with *failure, which says what role is needed. */
NODISCARD int admission_allow(const struct session *session, enum request_op op, struct failure *failure);
/** The same for a request with its members, and for each request of a batch: the failure names the first that is not allowed. */
NODISCARD int admission_allow_all(const struct session *session, const struct request *request,
                                  struct failure *failure);
/** Takes from the session's rate limit what the line being handled costs: nothing when its sender waits for
 * answers, for it cannot flood; an eighth for a moved mouse or cursor; else one, and one more for every
 * LIMIT_LINE_BYTES of a long line. A request that waits for a tick
 * always costs. The members of a batch count singly, all but the first whether or not the sender
 * waits. request: NULL for a line that was none. length: of the line. */
void admission_charge(struct session *session, const struct request *request, size_t length);
/** Closes the session when its time is up: no token, or idle. idle_s 0: never idle. Returns whether it did.
 */
bool admission_close_overdue(struct session *session, uint32_t idle_s, uint64_t now_ms);

/* The system's limit of open files, and what of it is left to clients: the server's own files come first. */

/** Open files that no client can take, beside those that were open at the start: of the loop, the log, the journal and its
 * checkpoints, recordings, saves, scenarios, and of a connection that is refused. */
enum { DESCRIPTOR_LIMIT_OWN = 40 };

/** How many descriptors each may have. */
struct descriptor_room {
    uint32_t sessions; /* --max-clients, or fewer */
    uint32_t
        byes; /* connections beyond these that wait until they have read the bye; others are refused at once */
    uint32_t web; /* connections of the door for browsers */
};

/** Raises the soft limit (ulimit -n), up to the hard one, to what so many clients need, and divides what there is. Logs
 * when not all of them fit. 0, or -1 with *failure (busy): not even the server's own files fit. */
NODISCARD int descriptor_limit_divide(uint32_t clients, bool has_web, struct descriptor_room *room,
                                      struct failure *failure);

/* What the loop has. */

/** What the simulation handed over and must not leave yet: an answer whose change is not on disk (--sync always), what
 * comes after it, and the frame that shows it. */
struct held_events {
    struct sim_event *first, *last;   /* owned; in order */
    uint64_t taken, delivered;        /* events so far */
    const struct snapshot_slot *slot; /* the frame, or NULL */
    uint64_t slot_after;              /* it comes after so many events */
};

/** Frames that another thread encodes; no snapshot is taken meanwhile. The thread is there from the start on: one that the
 * system refuses is no thread then, and not the end of a server that runs. */
struct loop_encoding {
    struct duty duty;
    bool is_under_way;
    atomic_bool is_done; /* by the thread, which has delivery_take called then */
    uint64_t begun_ns;
};

struct loop_context {
    struct uv_loop_s *uv;        /* not owned */
    void (*wake)(void *context); /* has delivery_take called; any thread */
    void *wake_context;
    const struct server_options *options; /* not owned */
    struct descriptor_room room;          /* of sessions and other connections */
    struct simulation *simulation;        /* not owned */
    struct session_set sessions;
    struct broadcast broadcast;
    struct snapshot_demand views; /* what all subscriptions show */
    struct held_events held;
    struct loop_encoding encoding;
    struct cursors cursors;
    struct looks *looks; /* owned; NULL: none are kept */
    struct loop_statistics statistics;
    struct access access;
    struct token_guard tokens;
    bool is_stopping; /* the server says goodbye */
    uint64_t seq;     /* of the last change whose answer or event was taken from the simulation */
};

/* The loop's half of the rows of request_table.c: it decodes the lines of a session, answers the requests of
 * the loop and queues the others for the world.
 */

/** Checks at the start that every op has the handlers that its row promises, on the loop and in the world. 0,
 * or -1 with *failure (internal). */
NODISCARD int session_requests_check(struct failure *failure);
/** What is done with the lines of sessions: a request is done, queued, or answered with an error; with one that is too long; and a
 * few times a second what is due: an answer that waited, an event for the session alone, its end. */
struct session_handler session_requests_handler(struct loop_context *loop);

/* Describes the world to one session: the first line, the `scenario` line, the session's own events. On the
 * loop.
 */

/** The world as it is, for the caller to free, and a revision that the description contains at least. NULL
 * when memory is short: the session is closed then. */
NODISCARD struct message_hello *session_describe_world(struct loop_context *loop, struct session *session,
                                                       uint32_t *revision);
/** Sends the `scenario` line, which contains this revision. */
void session_describe_send_scenario(struct session *session, uint32_t revision,
                                    const struct message_scenario *scenario);
/** A `scenario` line has come from the world: when it is not on its way any more, sends the same to the sessions whose hello was of a
 * moment on the way, as far as they are not subscribed. */
void session_describe_send_arrival(struct loop_context *loop);
/** Sends an event to this session alone. Sets event->tick. */
void session_describe_send_event(struct loop_context *loop, struct session *session,
                                 struct message_event *event);
/** Sends the `lag` event; when the session missed events, the `scenario` line as well. */
void session_describe_send_lag(struct loop_context *loop, struct session *session, struct message_event *lag);

/* Delivers answers, events, scenarios and frames from the simulation to the sessions. On the loop.
 */

/** Starts the thread that encodes large frames. 0, or -1 with *failure; then there is nothing to close. */
NODISCARD int delivery_begin(struct loop_context *loop, struct failure *failure);
/** Takes every event and the newest snapshot of the simulation and sends them, as far as the journal is on disk (--sync
 * always). Call it again when more of it is. */
void delivery_take(struct loop_context *loop);
/** After the last session was closed, and while `wake` may be called: ends the thread. */
void delivery_close(struct loop_context *loop);
/** Frees what is held and was not sent. */
void delivery_end(struct loop_context *loop);
/** Sends an event to every subscriber, with the name of the session that caused it (event->by); to those that asked for
 * it with event->seq, of which 0 stands for the last change's. is_detail: to these alone. */
void delivery_send_event(struct loop_context *loop, struct message_event *event, bool is_detail);
/** Gives the simulation the schedule of the subscriptions, after one of them changed. */
void delivery_update_schedule(struct loop_context *loop);

/* Sessions that look at another time (server/simulation/looks.h). On the loop.
 */

/** Answers the request look, or gives it to the session's look. */
void looks_request(struct loop_context *loop, struct session *session, const struct request *request);
/** Whether a request of a session that looks was taken care of: a query is answered of its moment, a change of the world is refused. */
bool looks_take_request(struct loop_context *loop, struct session *session, const struct request *request);
/** The session's subscription is another one, or it needs a whole frame again; is_untold: also the world's definition. */
void looks_refresh(struct loop_context *loop, const struct session *session, bool is_untold);
/** The session is gone. */
void looks_depart(struct loop_context *loop, const struct session *session);
/** The look of the session has ended: its client is told why, and how the live world is. Its frames come with the next snapshot,
 * once the schedule has it again. */
void looks_return(struct loop_context *loop, struct session *session, const char *reason);

/* Peers become sessions: the limits of their number, the number of each, its first hello. The same for every door.
 */

/** The peer of a connected socket, which becomes the function's. */
struct session_peer {
    int socket;
    const char *address; /* without its port */
    bool is_loopback;    /* it is a program on this machine */
    enum framing_kind kind;
    bool is_own; /* a part of the server itself: there is always room, and it is a viewer */
};

/** Whether a peer may come in, or at least stay until it has read why not: false when so many wait for that already that
 * further ones are refused at once, and while the server stops. */
bool session_entry_has_room(const struct loop_context *loop, const char *address, bool is_loopback);
/** Makes a session of the peer and sends its hello; without room for one the peer gets bye. Returns the session, or NULL
 * when there is none to talk to. */
struct session *session_entry_admit(struct loop_context *loop, const struct session_peer *peer);

#endif
