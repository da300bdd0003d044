/* The rule of a slow link: frames get sparse before they get old. Pure: the time comes in as a number.
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
#ifndef DROVER_CLIENTS_C_HANDLE_H
#define DROVER_CLIENTS_C_HANDLE_H

#include <stdbool.h>

#include "clients/c/client_decoder.h"
#include "clients/c/client_frame.h"
#include "clients/c/include/drover/drover.h"
#include "clients/c/line_message.h"
#include "clients/c/request_book.h"

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

/* struct drover: a session with a server over all its connections. Everything but sockets and clocks (socket.h). */

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
