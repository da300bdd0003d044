/* Everything that the loop needs to serve its sessions. The server has one; no other thread uses it.
 */
#ifndef DROVER_SERVER_LOOP_LOOP_CONTEXT_H
#define DROVER_SERVER_LOOP_LOOP_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "server/broadcast/broadcast.h"
#include "server/options.h"
#include "server/sessions/access.h"
#include "server/sessions/admission.h"
#include "server/sessions/session_set.h"
#include "server/sessions/statistics.h"
#include "server/simulation/simulation.h"

/** A reply or an event on the loop fits into it: a hello with every kind and target has some 30 KB. */
enum { LOOP_REPLY_BYTES = 1024 * 1024 };

/** What the simulation handed over and must not leave yet: an answer whose change is not on disk (--sync always), what
 * comes after it, and the frame that shows it. */
struct held_events {
    struct sim_event *first, *last;   /* owned; in order */
    uint64_t taken, delivered;        /* events so far */
    const struct snapshot_slot *slot; /* the frame, or NULL */
    uint64_t slot_after;              /* it comes after so many events */
};

/** Frames that another thread encodes; no snapshot is taken meanwhile. */
struct loop_encoding {
    bool is_under_way;
    uint64_t begun_ns;
};

struct loop_context {
    struct uv_loop_s *uv;                 /* not owned */
    const struct server_options *options; /* not owned */
    struct descriptor_room room;          /* of sessions and other connections */
    struct simulation *simulation;        /* not owned */
    struct session_set sessions;
    struct broadcast broadcast;
    struct snapshot_demand views; /* what all subscriptions show */
    struct held_events held;
    struct loop_encoding encoding;
    struct cursors cursors;
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
/** Handles a line: does its request, queues it, or answers with an error. line: without its newline. */
void session_requests_line(struct loop_context *loop, struct session *session, const char *line,
                           size_t length);
/** Answers a line that was longer than session_line_limit. */
void session_requests_too_long(struct session *session);
/** Sends the delayed answer to a wrong token when its time has come. now_ms: loop time. */
void session_requests_refuse_late(struct session *session, uint64_t now_ms);

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

/** Takes every event and the newest snapshot of the simulation and sends them, as far as the journal is on disk (--sync
 * always). Call it again when more of it is. */
void delivery_take(struct loop_context *loop);
/** Frees what is held and was not sent. */
void delivery_end(struct loop_context *loop);
/** Sends an event to every subscriber, with the name of the session that caused it (event->by); to those that asked for
 * it with event->seq, of which 0 stands for the last change's. is_detail: to these alone. */
void delivery_send_event(struct loop_context *loop, struct message_event *event, bool is_detail);
/** As how many long answers the answer to a request counts (session_expect_answer). */
int delivery_weight(const struct request *request);
/** Gives the simulation the schedule of the subscriptions, after one of them changed. */
void delivery_update_schedule(struct loop_context *loop);

#endif
