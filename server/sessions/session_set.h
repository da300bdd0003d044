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

#include "server/sessions/refusal_log.h"
#include "server/sessions/session.h"

enum { SESSION_SET_BUCKETS = 256, SESSION_SET_CHECK_MS = 100 };

/** The callbacks of the set's owner, from the loop. */
struct session_set_handler {
    void *context;
    const char *web_address; /* see session_host */
    double rate;             /* the same */
    const uint64_t *seq;     /* the same */
    void (*on_line)(void *context, struct session *session, const char *line, size_t length);
    void (*on_too_long)(void *context, struct session *session);
    void (*on_check)(void *context, struct session *session, uint64_t now_ms); /* see session_host */
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
/** Logs how many sessions were refused without a line of their own, at most a line a second for each cause. */
void session_set_report(struct session_set *set);
/** Says bye to every session, and waits for none longer than STREAM_FLUSH_MS. */
void session_set_close_all(struct session_set *set, const char *reason, const char *text);

#endif
