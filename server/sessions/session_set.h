/* All sessions of a server: their numbers, their turns, their time limits, their memory.
 *
 * 1. Owns every session from session_set_add until its close callback, and one idle and one timer handle of
 * the loop.
 * 2. Numbers count from 1 and are never used twice.
 * 3. Sessions with lines left take turns of SESSION_LINES_PER_TURN lines, one turn each loop iteration.
 */
#ifndef DROVER_SERVER_SESSIONS_SESSION_SET_H
#define DROVER_SERVER_SESSIONS_SESSION_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/vec2.h"
#include "server/sessions/session.h"
#include "server/simulation/simulation.h"

enum { SESSION_SET_BUCKETS = 256, SESSION_SET_CHECK_MS = 100 };

/** The callbacks of the set's owner, from the loop. */
struct session_set_handler {
    struct session_handler session; /* of each session */
    void *context;
    const char *web_address;        /* see session_host */
    double rate;                    /* the same */
    const uint64_t *seq;            /* the same */
    void (*on_beat)(void *context); /* after each round of checks, every SESSION_SET_CHECK_MS */
    /* A session is gone, already out of the set; its memory is freed afterwards. */
    void (*on_closed)(void *context, const struct session *session);
};

/** Traffic over the wire. */
struct session_traffic {
    uint64_t bytes_received, bytes_sent, frames_sent, frames_skipped;
    uint64_t lines, errors; /* requests; those that were answered with an error */
};

struct session_set {
    uv_loop_t *loop;
    struct session_set_handler handler;
    struct session_host host;
    uv_timer_t timer;
    uv_idle_t idle;
    uv_tcp_t first_stream; /* never connected; see session_set_init */
    struct session *first;
    struct session *buckets[SESSION_SET_BUCKETS];
    int count;    /* sessions in the list, numbered or not */
    int numbered; /* those with a number: what max clients counts */
    uint32_t last_id;
    bool is_idle_running;
    struct session_traffic gone; /* of closed sessions */
    struct refusal_log refusals;
};

/** 0, or a libuv error. */
NODISCARD int session_set_init(struct session_set *set, uv_loop_t *loop,
                               const struct session_set_handler *handler);
/** Starts closing the set's own handles; the sessions must be gone. The memory is free when the loop has run
 * out. */
void session_set_fini(struct session_set *set);
/** Loop time, ms. */
uint64_t session_set_now_ms(const struct session_set *set);
/** A session on a connected socket of this framing, with a number or (to say bye only) without. NULL when it cannot be
 * created: the socket is closed then. */
NODISCARD struct session *session_set_add(struct session_set *set, int socket, bool with_number,
                                          enum framing_kind kind);
/** The session of this number, or NULL when it is gone. */
struct session *session_set_find(const struct session_set *set, uint32_t id);
/** The traffic of all sessions so far. */
struct session_traffic session_set_traffic(const struct session_set *set);
/** How many numbered sessions come from this address, those that are closing included. */
int session_set_count_address(const struct session_set *set, const char *address);
/** Says bye to every session, and waits for none longer than STREAM_FLUSH_MS. */
void session_set_close_all(struct session_set *set, const char *reason, const char *text);

/* The cursors of the clients: shown to the subscribers that asked for them, and targets in the world.
 *
 * 1. A `cursors` line lists all cursors. It is sent LIMIT_CURSOR_HZ times a second at most, and only when
 * something changed. A session that is still being written to is left out and gets a later line instead, so no
 * send queue grows by it.
 * 2. A cursor is a target of the world once its session has sent a position while some behavior aims at
 * cursors. It leaves the world with its session; while the queue of commands is full, the departure is kept
 * and tried again.
 *
 * Lives on the loop; owns the list of departures.
 */

/** Zeroed it is empty. */
struct cursors {
    bool has_changed;   /* since the last line was written */
    bool is_line_due;   /* to some session */
    uint32_t *departed; /* closed sessions whose cursors are still in the world; owned */
    int departed_count;
};

/** Frees the list of departures. */
void cursors_fini(struct cursors *cursors);
/** The client points at a place of the world, px. */
void cursors_point(struct cursors *cursors, struct session *session, vec2 at);
/** The client points nowhere any more. */
void cursors_withdraw(struct cursors *cursors, struct session *session);
/** A session was closed, or its client has another name. */
void cursors_changed(struct cursors *cursors);
/** The session's subscription changed; one with cursors gets a line with the next cursors_send. */
void cursors_subscribe(struct cursors *cursors, struct session *session);
/** Sends the lines that are due. Call LIMIT_CURSOR_HZ times a second. */
void cursors_send(struct cursors *cursors, struct session_set *sessions);

/** Whether the world answers a `cursor` of this session: a behavior there aims at cursors, and the client may
 * move targets. */
bool cursors_reach_world(const struct simulation *simulation, const struct session *session);
/** The session is closed: its cursor leaves the world as soon as the queue of commands has room. */
void cursors_depart(struct cursors *cursors, struct simulation *simulation, const struct session *session);
/** A world was put in: the cursors in it whose sessions are gone leave it, as above. */
void cursors_settle(struct cursors *cursors, struct simulation *simulation,
                    const struct session_set *sessions);
/** Tries the kept departures again. Call a few times a second. */
void cursors_retry(struct cursors *cursors, struct simulation *simulation);

#endif
