/* libdrover without sockets and clocks: bytes of the server in, messages and frames out; bytes to send out. Pure.
 *
 * A line becomes a message or a frame (client_decoder.c). What the caller asks for waits in the book (request_book.c). The handle,
 * struct drover, is both over all connections of a session (handle.c); a carrier gives it bytes and time (socket_carrier.c, or the
 * caller).
 */
#ifndef DROVER_CLIENTS_C_HANDLE_H
#define DROVER_CLIENTS_C_HANDLE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/c/include/drover/drover.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_text.h"
#include "common/snapshot/snapshot.h"
#include "common/snapshot/snapshot_density.h"

/* ---- messages ---- */

/* struct drover_message: a line of the server as text, and its members by path. Each owns its memory. */

struct drover_message {
    char *text; /* NUL-terminated */
    size_t length;
    cJSON *json; /* an object */
    uint64_t ticket;
    uint32_t world;
    bool is_local; /* the library made it */
};

/** An error of the library's own. id: JSON text, "" for none. NULL when out of memory. drover_message_free
 * after use. */
NODISCARD struct drover_message *line_message_error(const char *id, const char *code, const char *text);
/** Whether op is this one. */
bool line_message_is(const struct drover_message *message, const char *op);
/** Whether it describes a world: a scenario, or a hello that keeps nothing back. */
bool line_message_begins_world(const struct drover_message *message);

/* What drover_next is to give out, in order: messages and changes of the connection. Owns the messages. */

struct event_item;

struct event_list {
    struct event_item *first, *last;
    size_t bytes;  /* of the lines */
    bool has_link; /* the last item is a DROVER_LINK */
};

void event_list_fini(struct event_list *list);
/** The message becomes the list's. -1 when out of memory: it is freed. */
NODISCARD int event_list_add(struct event_list *list, struct drover_message *message);
/** A change of the connection; two that follow each other are one. -1 when out of memory. */
NODISCARD int event_list_add_link(struct event_list *list);
/** The first one, out of the list. *message: the caller's. */
enum drover_event event_list_take(struct event_list *list, struct drover_message **message);

/* ---- from bytes to events ---- */

/* Decodes what a server sends. One decoder serves one connection after the other; calls on it come from one thread at a time.
 *
 *     char *space = client_decoder_reserve(decoder, wish, &size);   read into it
 *     client_decoder_commit(decoder, count);
 *     while (client_decoder_next(decoder, &event) != CLIENT_NEED_MORE) ...
 *
 * 1. The events do not depend on the pieces in which the bytes come.
 * 2. A frame belongs to the world that the newest hello or scenario message described. `epoch` counts those
 * worlds over all connections; every event carries it. Frames that come before the first world of a
 * connection are skipped.
 * 3. Whatever bytes come, a message or frame is whole or refused, and memory stays bounded by the longest
 * line, one piece and the arrays of one frame.
 */

enum { CLIENT_LINE_BYTES = 64 * 1024 * 1024 }; /* enough for a key of LIMIT_AGENTS_USUAL agents */

enum client_event_type {
    CLIENT_NEED_MORE, /* no complete line is left */
    CLIENT_MESSAGE,   /* event.message */
    CLIENT_FRAME,     /* event.snapshot, and event.density for a layout that takes a grid */
    CLIENT_MESSAGE_REFUSED, /* event.failure; the line is skipped. An answer that says whose it is: CLIENT_MESSAGE */
    CLIENT_FRAME_REFUSED, /* event.failure; the request `resync` brings a new key */
    CLIENT_LINE_TOO_LONG, /* a line of more than max_line_bytes; it is skipped */
    CLIENT_NO_MEMORY,     /* a line was skipped because memory ran out */
};

struct client_event {
    enum client_event_type type;
    uint32_t epoch; /* of the world that the message or frame belongs to; 0 before the first */
    struct drover_message *message; /* the caller's: drover_message_free */
    struct snapshot *snapshot;      /* the decoder's, until the next call; see client_frame_fill */
    struct density *density;        /* the same; NULL for a layout without a grid */
    struct failure failure;
};

struct client_decoder;

/** max_line_bytes: the longest line that is read; CLIENT_LINE_BYTES for every frame there can be. NULL when
 * out of memory. */
NODISCARD struct client_decoder *client_decoder_create(size_t max_line_bytes);
/** Frames and keys become messages as well. */
void client_decoder_keep_lines(struct client_decoder *decoder);
/** NULL is fine. */
void client_decoder_destroy(struct client_decoder *decoder);
/** Another connection begins: forgets a half line, the key and that a world was described. The epoch stays. */
void client_decoder_reset(struct client_decoder *decoder);

/** Where the next bytes may be written: at least 1 byte, about `wish`. Valid until the next call on the
 * decoder. NULL when out of memory. */
NODISCARD char *client_decoder_reserve(struct client_decoder *decoder, size_t wish, size_t *size);
/** So many bytes were written there. */
void client_decoder_commit(struct client_decoder *decoder, size_t count);

/** The next event; its type is also *event's. Call until it is CLIENT_NEED_MORE. */
enum client_event_type client_decoder_next(struct client_decoder *decoder, struct client_event *event);

/* ---- frames ---- */

/* struct drover_frame: a view of a decoded snapshot, and of a grid. Owns both. */

struct client_frame {
    struct drover_frame shown; /* the first member: a pointer to it is one to the whole */
    struct snapshot *snapshot; /* owned; NULL in one that was never filled */
    struct density *density;   /* owned; NULL as well */
};

/** Takes the event's frame (CLIENT_FRAME) out of the decoder, which gets the former memory of *frame for it. arrival_ms and missed: as
 * in struct drover_frame. */
void client_frame_fill(struct client_frame *frame, struct client_decoder *decoder,
                       const struct client_event *event, double arrival_ms, uint32_t missed);

/* ---- requests ---- */

/* The requests of a connection from the moment they are given to their answers, over all reconnects.
 *
 * 1. A request is held until a connection takes it, then its bytes lie in `output` until they are sent.
 * 2. A request of which no byte was sent is held again when the connection goes. Any other may have taken effect: it
 * is never sent a second time.
 * 3. A request with an id is answered once: by the server, or by who empties the book.
 */

enum {
    REQUEST_BOOK_BYTES = 16 * 1024 * 1024, /* of all requests that wait, for the server or for their answer */
    REQUEST_BOOK_AHEAD = 256 * 1024 /* no further request goes into `output` while it has more than this */
};

/** What a request is to the session itself: what stays in force with the next connection. */
enum request_concern { CONCERN_NONE, CONCERN_HELLO, CONCERN_SUBSCRIBE, CONCERN_REGION, CONCERN_UNSUBSCRIBE };

struct request_entry {
    struct request_entry *next;
    uint64_t ticket; /* its number */
    bool has_ticket; /* the caller knows it */
    char *text;      /* the line with its newline; owned */
    size_t length;
    char id[ID_TEXT_BYTES]; /* "" for none */
    enum request_concern concern;
    bool is_asked;      /* drover_ask waits for the answer */
    bool is_out;        /* its bytes were put into output: */
    uint64_t begin;     /* the first of them, counted over the connection */
    double deadline_ms; /* HUGE_VAL: none */
};

struct request_book {
    struct request_entry *first, *last; /* in the order in which they were given */
    uint64_t tickets;                   /* given so far */
    size_t bytes;                       /* of all entries */
    struct buffer output;               /* bytes of this connection that are not sent yet */
    uint64_t sent;                      /* bytes of this connection that are */
};

void request_book_init(struct request_book *book);
void request_book_fini(struct request_book *book);
/** Adds a request. with_id: it gets an id when it has none. NULL with *failure: FAILURE_INVALID, FAILURE_PARSE or FAILURE_FULL. The
 * book's. */
NODISCARD struct request_entry *request_book_add(struct request_book *book, const char *text, bool with_id,
                                                 struct failure *failure);
/** Puts held requests into output, in order. */
void request_book_pump(struct request_book *book);
/** So many bytes of output were sent. Requests without an id that have gone out leave the book. */
void request_book_sent(struct request_book *book, size_t length);
/** Removes the request with this id and returns it: request_entry_free. NULL when there is none. */
NODISCARD struct request_entry *request_book_answer(struct request_book *book, const char *id);
/** Removes the first request whose time has come, likewise. */
NODISCARD struct request_entry *request_book_expire(struct request_book *book, double now_ms);
/** The time of the next one to expire; HUGE_VAL when there is none. */
double request_book_deadline(const struct request_book *book);
/** The connection is gone. Removes the first request that may have taken effect, likewise; when there is none left,
 * holds the others and empties output. */
NODISCARD struct request_entry *request_book_lose(struct request_book *book);
/** Removes the first request, whatever it is. */
NODISCARD struct request_entry *request_book_take(struct request_book *book);
/** Whether one waits, for the server or for its answer, that changes the subscription. */
bool request_book_changes_stream(const struct request_book *book);
/** Whether every request has gone out. */
bool request_book_is_sent(const struct request_book *book);
void request_entry_free(struct request_entry *entry);

/* What a session has asked for that stays in force, and is asked for again with the next connection: who it is, and what
 * it subscribes to. Owns the texts. */

/* The ids of the lines that the library sends of its own accord. The reply to hello is shown, since it says what the session may do; that
 * to the other is not. */
#define STANDING_HELLO_ID "\"~hello\""
#define STANDING_RENEW_ID "\"~renew\""

struct standing {
    char *hello, *subscribe, *region; /* lines with the ids above; NULL: none */
    double hz;                        /* that the subscription asks for; 0: there is none */
};

/** Begins with the hello of the options: a name, a token, further members; each may be NULL. -1 with *failure when out of memory, or when the
 * members are no JSON. */
NODISCARD int standing_init(struct standing *standing, const char *name, const char *token,
                            const char *members, struct failure *failure);
void standing_fini(struct standing *standing);
/** This request is in force now. -1 when out of memory: the former stays. */
NODISCARD int standing_take(struct standing *standing, const struct request_entry *entry);
/** Appends the lines of a new connection: hello, and with_subscription the rest. */
void standing_write(const struct standing *standing, bool with_subscription, struct buffer *out);
/** Appends the lines that subscribe to the same with this hz. */
void standing_write_paced(const struct standing *standing, double hz, struct buffer *out);
/** Whether a token is shown. */
bool standing_has_token(const struct standing *standing);

/* ---- the pace of frames ---- */

/* The rule of a slow link: frames get sparse before they get old.
 *
 * A ping waits behind the frames that lie on the way, in the buffers of routers and proxies, where no server sees them: its trip
 * tells how old they come.  lag = trip - shortest trip of this connection.
 *
 * 1. lag > 300 ms: late. As good as no frames are asked for, until a ping has a lag below 150 ms: the way is empty again.
 * 2. Meanwhile the link was full, so what came is what it carries. 0.7 of that is asked for from then on, PACE_LEAST_HZ at least; as much as before
 *    when no frame came, which says nothing.
 * 3. As long as every lag is below 150 ms, a quarter more is asked for: after 3 s, or after 30 s where that is nearly what the
 *    link carried when frames were late. Up to what the caller wishes.
 *
 * Where the link needs long for a single frame, half of that comes on top of the first limit, and all of it on top of the second.
 * The Python client has the same rule, clients/python/drover/pace.py.
 */

#define PACE_LATE_HZ  0.1 /* while frames are late */
#define PACE_LEAST_HZ 0.5
enum { PACE_LATE_MS = 300, PACE_CALM_MS = 150, PACE_RISE_MS = 3000, PACE_DARE_MS = 30000 };

struct pace {
    double limit_hz; /* HUGE_VAL: none */
    double least_ms; /* the shortest trip; HUGE_VAL before the first */
    double frame_ms; /* how long the link takes for one, as it was measured; 0: not yet */
    double late_hz;  /* what is too much, as far as is known; HUGE_VAL: nothing, since more was dared */
    double since_ms; /* late: since when; else since when it has been calm at this rate */
    unsigned frames; /* that came since then */
    bool is_late;
};

/** A connection begins. */
void pace_init(struct pace *pace);
/** A frame came. */
void pace_frame(struct pace *pace);
/** What a ping tells. wish_hz: of the subscription; trip_ms: how long it took, or has taken so far; is_back: it was answered. */
void pace_ping(struct pace *pace, double wish_hz, double now_ms, double trip_ms, bool is_back);
/** Frames a second to ask for. */
double pace_hz(const struct pace *pace, double wish_hz);

/* ---- the handle ---- */

/* struct drover: a session with a server over all its connections. */

enum {
    HANDLE_REASON_BYTES = 512,
    HANDLE_PINGS = 8,
    HANDLE_HELD_BYTES = 8 * 1024 * 1024, /* of messages that wait for drover_next: nothing more is read */
    HANDLE_MOST_BYTES = 64 * 1024 * 1024 /* of them: the connection is given up */
};

/** What carries the bytes. */
struct carrier {
    double (*now_ms)(void);
    void (*flush)(struct drover *world); /* writes what can be written now */
    void (*destroy)(struct carrier *carrier);
};

struct drover {
    struct drover_options options; /* its texts are not kept */
    struct client_decoder *decoder;
    struct standing standing;
    struct request_book book;
    struct event_list events;
    struct drover_message *message; /* what drover_next gave out */
    struct client_frame *ready, *current,
        *spare; /* the newest frame, the one given out, one to be filled; any may be NULL */
    bool has_current;
    uint32_t missed;
    struct drover_message *answer; /* to drover_ask */

    enum drover_state state;
    char reason[HANDLE_REASON_BYTES];
    char farewell[HANDLE_REASON_BYTES]; /* what the server's bye said; "" for none */
    int problem;                        /* drover_errno */
    double retry_s;                     /* that it asked to wait */
    bool is_open;                       /* there is a connection; before its hello as well */
    unsigned attempt, connections;
    uint64_t bytes;

    double now_ms;
    double advanced_ms; /* the last call of drover_advance */
    double retry_ms;    /* DROVER_WAITING: when to try again */
    double
        try_until_ms;   /* DROVER_CONNECTING without a connection: when the try has failed; HUGE_VAL: never */
    double quiet_ms;    /* since when the server owes a sign of life; HUGE_VAL: it does not */
    double ping_due_ms; /* the next ping */
    double ping_out_ms; /* when the ping that waits for its answer was sent; HUGE_VAL: none waits */
    struct pace pace;
    double asked_hz; /* of the subscription, as the server was asked last */
    double brisk_ms; /* until when pings go out often: the subscription is new */
    double away_ms;  /* until when the caller was away: pings from before tell about it, not about the link */
    double resynced_ms;
    double pings_ms[HANDLE_PINGS]; /* a ring: round trips */
    unsigned ping_count;

    struct carrier *carrier; /* the socket; NULL: the caller carries the bytes and says the time */
};

/** Fills the reason. */
void handle_say(struct drover *world, const char *format, ...) PRINTF_LIKE(2, 3);
/** No further try: requests that wait are answered "unsent". */
void handle_end(struct drover *world, enum drover_state state);
/** Where the server's next bytes may be written, and that so many were: as client_decoder_reserve; then
 * handle_read, which is drover_feed without bytes. */
NODISCARD char *handle_reserve(struct drover *world, size_t wish, size_t *size);
NODISCARD int handle_read(struct drover *world, size_t count);
/** Whether drover_next has something. */
bool handle_has_event(const struct drover *world);
/** Whether so much waits for drover_next that nothing more is to be read. */
bool handle_is_full(const struct drover *world);
/** Adds a request; NULL with the reason. */
NODISCARD struct request_entry *handle_add(struct drover *world, const char *text, bool with_id,
                                           struct failure *failure);

#endif
