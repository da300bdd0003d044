/* A session: one client's connection as the server keeps it, with its requests and its subscription.
 *
 * A session is a stream (bytes, phases of the end) and a framing (messages), both in net/stream.h, with
 * what the protocol adds to them.
 *
 * 1. A session lives from session_open to its host's on_closed; only then may its memory be freed. A holder
 * of a session's number asks the session_set whether the session still exists.
 * 2. Lines are handed out in order, at most SESSION_LINES_PER_TURN a turn; then other sessions get theirs.
 * While SESSION_COMMANDS requests of it wait for the world (SESSION_LONG_ANSWERS of those with long answers; see has_seat),
 * while half of LIMIT_CONTROL_BYTES waits to be read by it, or after it said bye, its lines are left alone
 * (and the socket is not read: the sender is held back by TCP, not by an error). So a client that reads gets
 * every answer, and is closed only when no byte is accepted for LIMIT_STALL_SECONDS.
 * 3. A session takes requests and sends while its stream is open. Its end begins with bye, the last line that
 * is sent; the stream does the rest. A closed session sends nothing and has no subscription.
 * 4. Memory: one line (64 KiB; 1 MiB of an admin, while such a line arrives) + one read (4 KiB), LIMIT_CONTROL_BYTES of events; of replies half of that and
 * the answers to what waits for the world; references to at most two frames and two keys. SESSION_COMMANDS
 * requests of it may wait in the queue of the world, about 9 KiB each; with a seat SESSION_SEAT_COMMANDS may wait, there and
 * for its go.
 * 5. A session that sends faster than its rate limit is held back like one with too many requests waiting,
 * gets a `rate` error once a second, and is closed when that lasts LIMIT_RATE_SECONDS.
 * 6. Events that pass LIMIT_CONTROL_BYTES are left out and counted; from the first of them on the session
 * gets neither events nor frames, until it has caught up (session_is_behind, session_catch_up).
 * 7. A peer whose first bytes are HTTP or TLS, or one of whose lines is HTTP, gets an HTTP answer and is closed (net/stream.h).
 * 8. A WebSocket is the same session behind another framing (net/web_framing.h): each line is a text message. It is
 * pinged, ends when nothing is heard of it, and bye has a close frame after it. A peer that closes is gone: it gets no
 * answer any more but the close frame.
 */
#ifndef DROVER_SERVER_SESSIONS_SESSION_H
#define DROVER_SERVER_SESSIONS_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/json/json_writer.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "common/snapshot/snapshot.h"
#include "common/system/log.h"
#include "server/net/stream.h"

/* The rate limit of a session that does not wait for answers: a bucket of tokens. Pure: the time is an
 * argument.
 *
 * 1. The bucket holds at most two seconds' worth and fills at `rate` tokens a second; a request takes one, a part of
 * one, or several. While it holds less than one, the session is held back: its lines wait, nothing is lost.
 * 2. A session that was held back counts as held until the bucket is half full again, so one that floods all
 * the time is held all the time, however its bytes happen to arrive.
 * 3. Once forgiven, it is full, and nothing is taken for RATE_LIMIT_FREE_MS.
 */

enum { RATE_LIMIT_REPORT_MS = 1000, RATE_LIMIT_FREE_MS = 1000 };

struct rate_limit {
    double rate; /* tokens a second; 0: no limit */
    double tokens;
    uint64_t filled_ms;
    bool is_held, was_reported;
    uint64_t held_ms, reported_ms; /* since when it is held; when that was last reported */
    uint64_t free_until_ms;        /* nothing is taken before */
};

/** A full bucket. rate: tokens a second, 0 for no limit. */
void rate_limit_init(struct rate_limit *limit, double rate, uint64_t now_ms);
/** Adds the tokens of the time since the last call. */
void rate_limit_fill(struct rate_limit *limit, uint64_t now_ms);
/** Takes tokens; the bucket may go below zero, by as much as it holds when it is full. */
void rate_limit_take(struct rate_limit *limit, double tokens);
/** The client has shown that it waits for answers: the bucket is full again, see 3. */
void rate_limit_forgive(struct rate_limit *limit, uint64_t now_ms);
/** Whether a request may be handled now. */
bool rate_limit_allows(const struct rate_limit *limit);
/** A request waits because of the limit. */
void rate_limit_delay(struct rate_limit *limit, uint64_t now_ms);
/** Whether a report that the session is held back is due: at most one each RATE_LIMIT_REPORT_MS. */
bool rate_limit_report(struct rate_limit *limit, uint64_t now_ms);
/** How long it has been held without a pause, 0 when it is not. */
uint64_t rate_limit_held_for_ms(const struct rate_limit *limit, uint64_t now_ms);

enum {
    SESSION_LINES_PER_TURN = 64,
    SESSION_COMMANDS = 128,       /* requests of one session that may wait for the world */
    SESSION_LONG_ANSWERS = 8,     /* and of those whose answers may be long */
    SESSION_SEAT_COMMANDS = 1152, /* with a seat: more than may wait for its go, so that this is read */
    SESSION_ADDRESS_CHARS = 64
};

/** The subscription of a session: the frames and lines that it requested. */
struct subscription {
    bool is_active;
    struct snapshot_view view;
    double hz;          /* as asked; `every` follows from it and the scenario's tick_hz */
    uint64_t every;     /* ticks between frames, >= 1 */
    bool cursors;       /* wants the `cursors` lines */
    uint64_t events;    /* message_event_set: those that it wants */
    bool forces;        /* the view needs steering vectors */
    uint64_t explained; /* forces: the number of this subscription among those that need them, from 1 */
    bool is_told;       /* an error said that its frames would have too many agents (a world in stripes) */
    uint64_t line;      /* of the request for it */
    bool has_sent;      /* false: the current state is due at once */
    int turn;           /* the broadcast's: its place in the order of the next frame */
    uint64_t last_tick; /* of the last frame given to the send queue */
    uint64_t last_clock_tick; /* the same frame's time by the clock, in ticks (struct snapshot) */
};

/** The known_revision of a session that has not received the world yet. */
#define SESSION_KNOWS_NOTHING UINT32_MAX

/** The client at the other end: its name and its role (loop/loop_context.h: admission). */
struct client_info {
    enum role role;
    char name[LIMIT_PERSON_BYTES + 1]; /* "" when it has given none */
    bool has_greeted;                  /* its hello was accepted */
    bool wants_seq;                    /* its replies and events have the number of the change */
    bool wants_speed;                  /* the frames of its subscriptions say the speed */
    int wrong_tokens;
    uint64_t denial_ms;                     /* loop time: when the last wrong token is answered, */
    char denial_id[LIMIT_ID_CHARS * 6 + 3]; /* and the id of its request */
};

/** The client's cursor (session_set.h). */
struct client_cursor {
    bool is_set;
    vec2 at;          /* px, as sent */
    bool is_in_world; /* the world may have a target for it */
    bool is_line_due; /* the session's last `cursors` line was skipped */
};

/** The notices that the session has received, so that none is repeated. */
struct session_notices {
    uint64_t frames_skipped; /* as of its last `lag` event, */
    uint64_t lag_ms;         /* and when that was sent; loop time */
    uint64_t
        stepping_ms; /* since when it waits with its side closed, or its last `stepping` event; 0: does not */
    uint64_t unknown_ops; /* bit op: the session knows which members that op does not know */
    bool no_effect;       /* the session knows that its set_target had no effect */
};

struct session;

/** What is done with a session's lines, from the loop. */
struct session_handler {
    void *context;
    void (*on_line)(void *context, struct session *session, const char *line, size_t length);
    void (*on_too_long)(void *context, struct session *session);
    /** Called a few times a second while the session is open. */
    void (*on_check)(void *context, struct session *session, uint64_t now_ms);
};

/** The callbacks of a session's owner, from the loop. */
struct session_host {
    struct session_handler handler;
    void *context;
    const uint64_t *seq;          /* NULL, or the number of the last change whose answer the loop has */
    struct refusal_log *refusals; /* NULL: they are not counted */
    const char *
        web_address; /* where the page is, for a peer that speaks HTTP to the wrong port; NULL: there is none */
    double rate;     /* requests a second of a session that does not wait for answers; 0: no limit */
    /** Lines wait and may be handled: call session_run from the loop, not from inside this. */
    void (*on_runnable)(void *context, struct session *session);
    void (*on_closed)(void *context, struct session *session); /* the session is the host's to free */
};

struct session {
    struct stream stream;
    struct framing framing;
    const struct session_host *host;
    uint32_t id;                         /* 0 for one that only learns that the server is full */
    char address[SESSION_ADDRESS_CHARS]; /* of the peer, without its port */
    struct subscription subscription;
    struct client_info client;
    struct client_cursor cursor;
    struct session_notices notices;
    uint32_t look;           /* the number of its look (server/simulation/looks.h); 0: none */
    bool is_elsewhere;       /* it sees the moment of its look, and not the live world */
    uint32_t known_revision; /* the simulation_revision that its client knows; SESSION_KNOWS_NOTHING */
    bool
        knows_passing; /* its hello was of a world that is brought back: it is told of the one that it becomes */
    bool is_own;       /* a part of the server: each subscribe is followed by the scenario as it is now */
    struct rate_limit limit;
    uint64_t opened_ms;    /* loop time */
    uint64_t heard_ms;     /* of a WebSocket: loop time of its last byte, */
    uint64_t pinged_ms;    /* and of our last ping */
    uint64_t last_line_ms; /* loop time */
    uint64_t line;         /* of the connection, 1-based: the one being handled */
    uint64_t errors;       /* lines that were answered with an error */
    int bad_lines;         /* unreadable ones in a row */
    int outstanding;       /* requests that wait for the world */
    int outstanding_long;  /* and of those that may have long answers, besides */
    int outstanding_ticks; /* those of a tick that may: with a seat they wait for its go, and hold nothing back */
    bool has_seat;         /* as far as the answers that have come say */
    int scheduled;         /* requests that wait for a tick; they are not outstanding */
    uint64_t left_out;     /* events and such lines that were too many to keep, since it last caught up */
    bool has_backlog;      /* lines may be left to handle */
    bool is_leaving;       /* it asked to leave; `farewell` is sent when its requests are answered */
    bool is_held;          /* session_keep: no line is taken and nothing is read */
    bool is_waiting; /* the line being handled came alone and nothing was outstanding: its sender waits */
    struct buffer farewell;                           /* the reply to its bye request */
    struct session *next, *previous, *next_in_bucket; /* the session_set's */
};

/** Takes over a connected socket: sets its options and starts reading. kind: how its bytes are cut into messages; a
 * WebSocket has its handshake behind it. The session is zeroed memory of the caller; host outlives it. 0, or a libuv
 * error: the socket is closed then, and on_closed comes if and only if 0 was returned. */
NODISCARD int session_open(struct session *session, uv_loop_t *loop, const struct session_host *host,
                           uint32_t id, int socket, enum framing_kind kind);
/** Bytes that were read before the session had its socket; call it once, after session_open. */
void session_take_early(struct session *session, const char *bytes, size_t length);
/** What the client may do from now on; an admin may send longer lines. */
void session_set_role(struct session *session, enum role role);
/** The longest line that the client may send, bytes. */
size_t session_line_limit(const struct session *session);
/** Whether the session takes requests and sends: its end has not begun. */
bool session_is_open(const struct session *session);
/** What the log says of the session besides a message. code: NULL, or a literal. */
struct log_about session_about(const struct session *session, const char *code);
/** Loop time, ms. */
uint64_t session_now_ms(const struct session *session);

/* ---- requests ---- */

/** Whether lines wait and may be handled now. */
bool session_is_runnable(const struct session *session);
/** Handles waiting lines, one turn's worth. */
void session_run(struct session *session);
/** A request of this session was handed to the world. longs: as how many long answers its answer counts,
 * SESSION_LONG_ANSWERS for one with a frame: no further line is taken before it. is_of_tick: whether it waits for the go
 * of its session's seat, if there is one (command_is_of_tick). */
void session_expect_answer(struct session *session, int longs, bool is_of_tick);
/** That request is answered; the others as before. Lines may be handled again, or the session may end. */
void session_answered(struct session *session, int longs, bool is_of_tick);
/** A request of this session that waits for a tick was handed to the world. */
void session_expect_tick(struct session *session);
/** That request is answered. */
void session_tick_answered(struct session *session);
/** The line being handled is answered later: until session_release no further line is taken and the socket is
 * not read, so that the session stays even when its peer has hung up. */
void session_keep(struct session *session);
/** The held line is answered. */
void session_release(struct session *session);
/** Whether the peer closed its side, even when lines that it sent before are unread. */
bool session_is_half_closed(const struct session *session);

/* ---- what is sent (session.c) ---- */

/** The number of the last change that the session's client may know of. */
uint64_t session_seq(const struct session *session);
/** Queues a reply (or several lines) and takes the buffer's bytes; the buffer is empty afterwards. Nothing is
 * sent when the buffer is empty or the session is closing. A buffer that failed ends the session ("slow"). */
void session_send(struct session *session, struct buffer *lines);
/** The same for malloc'd bytes, which become the session's. */
void session_send_text(struct session *session, char *text, size_t length);
/** The same for bytes that several sessions share; takes its own reference. */
void session_send_shared(struct session *session, struct shared_bytes *lines);
/** Queues an unrequested line (an event, a scenario), unless too much waits: then it is left out. */
void session_send_event(struct session *session, struct shared_bytes *lines);
/** Whether lines were left out and may be made up for now: the client has read half of what waited. */
bool session_is_behind(const struct session *session);
/** Lets lines and frames come again; returns how many lines were left out. */
uint64_t session_catch_up(struct session *session);
/** Offers the newest frame, in place of a waiting one. */
void session_offer_frame(struct session *session, struct shared_bytes *frame);
/** The same for a frame that can be read only after this key line (send_queue_offer_keyed). */
void session_offer_keyed(struct session *session, struct shared_bytes *key, uint64_t key_number,
                         struct shared_bytes *frame);
/** Skips a waiting frame, and has the next keyed frame bring its key. */
void session_clear_key(struct session *session);
/** Skips a waiting frame. */
void session_drop_frame(struct session *session);
/** The session's next frame cannot be made: the waiting one is skipped, or else one is counted. */
void session_skip_frame(struct session *session);
/** For how long the batch being written has been under way, ms; 0 when nothing is being written. */
uint64_t session_behind_ms(const struct session *session);
/** For how long no byte of that batch was accepted, ms; 0 when nothing is being written. */
uint64_t session_stalled_ms(const struct session *session);

/** Says bye on a connected socket that becomes no session, as far as the kernel takes it at once (which on a
 * new connection is all), and closes it. kind: what the peer reads; a WebSocket is one after its handshake. reason: as for
 * session_close. */
void session_refuse(int socket, enum framing_kind kind, const char *reason, const char *text);
/** Says bye and closes once everything queued is written. Does nothing when the end has begun. reason:
 * "client", "shutdown", "slow", "full", "protocol", "rate", "idle", "auth". */
void session_close(struct session *session, const char *reason, const char *text);

/* ---- its end ---- */

/** Ends the session at its client's request, after the client's earlier requests are answered. farewell: the
 * reply to this one; takes the buffer's bytes. Call it while the line is being handled, once. */
void session_leave(struct session *session, struct buffer *farewell);
/** Gives a session that is closing, or is closed next, STREAM_FLUSH_MS and no more: the server stops. */
void session_hurry(struct session *session);
/** Checks the time limits: those of the stream, of the host, of the rate. Call a few times a second. */
void session_check(struct session *session, uint64_t now_ms);

/* Refused sessions: how many there were, by cause, and how often the log says so.
 *
 * A client that comes again and again must not fill the disk: the first refusal of a cause is logged in full, others
 * within REFUSAL_LOG_MS of it are counted, and one line says how many they were.
 *
 * Pure: the time is an argument.
 */

enum { REFUSAL_LOG_MS = 1000 };

/** Why the server ends a session that would stay. */
enum refusal_cause {
    REFUSAL_FULL,     /* too many sessions */
    REFUSAL_AUTH,     /* no token, or wrong ones */
    REFUSAL_PROTOCOL, /* unreadable lines, or another protocol */
    REFUSAL_RATE,     /* more requests than are allowed */
    REFUSAL_SLOW,     /* it reads nothing */
    REFUSAL_COUNT
};

/** Zeroed it is empty. */
struct refusal_log {
    struct {
        uint64_t count;     /* ever */
        uint64_t left_out;  /* not logged yet */
        uint64_t logged_ms; /* the last line; with count > 0 */
    } causes[REFUSAL_COUNT];
};

/** The word for a cause, as in bye: "full", "auth", "protocol", "rate", "slow". */
const char *refusal_name(enum refusal_cause cause);
/** Whether the reason of a bye is a refusal, and which. */
bool refusal_find(const char *reason, enum refusal_cause *cause);
/** Counts a refusal. Returns whether it is to be logged. log: NULL to log every one. */
bool refusal_log_take(struct refusal_log *log, enum refusal_cause cause, uint64_t now_ms);
/** How many of a cause were counted without a line, when a line about them is due; 0: none is. */
uint64_t refusal_log_report(struct refusal_log *log, enum refusal_cause cause, uint64_t now_ms);
/** Refusals of a cause so far. */
uint64_t refusal_log_count(const struct refusal_log *log, enum refusal_cause cause);

/* The reply to a request, sent at once, from the loop. There is one way to open a reply:
 *
 *     struct reply reply;
 *     struct json_writer *json = reply_begin(&reply, request);
 *     json_key_...(json, ...);
 *     reply_send(&reply, session);
 */

/** A reply being written. Not to be moved while it is open. */
struct reply {
    struct buffer out;
    struct json_writer json;
};

/** Opens the reply to a request; the members come next. End it with reply_send or reply_discard. */
struct json_writer *reply_begin(struct reply *reply, const struct request *request);
/** Closes the reply and queues it. A reply without memory ends the session. */
void reply_send(struct reply *reply, struct session *session);
/** Throws away a reply that was opened: an error is sent in its place. */
void reply_discard(struct reply *reply);

/** A reply without members: the request is done. */
void reply_done(struct session *session, const struct request *request);
/** An error about the line that the session is at. id: the request's, "" when there is none. */
void reply_failure(struct session *session, const char *id, const struct failure *failure);
/** The same about a request that was read: the error names the members that its op does not know. */
void reply_refusal(struct session *session, const struct request *request, const struct failure *failure);
/** Answers bye: the session ends with this reply, after its earlier requests are answered. */
void reply_leave(struct session *session, const struct request *request);

/* The events that concern one session only: `lag`, when it missed frames or events, and `stepping`, while a
 * half-closed client waits for an answer. These functions decide when an event is due and fill it; the caller
 * adds the tick and sends it.
 */

enum {
    NOTICES_LAG_MS = 1000,     /* between two `lag` events, at least */
    NOTICES_STEPPING_MS = 1000 /* between two `stepping` events */
};

/** Whether a `lag` event is due; fills *event but for its tick. When it counts events that were left out
 * (EVENT_HAS_LEFT_OUT), the session gets events and frames again from now on: send it the scenario as well. */
bool notices_lag(struct session *session, uint64_t now_ms, struct message_event *event);
/** Whether a `stepping` event is due: the client closed its side and waits for an answer. Its kernel answers
 * with a reset if the client is gone. Fills *event but for its tick. */
bool notices_stepping(struct session *session, uint64_t now_ms, struct message_event *event);

#endif
