/* libdrover: a client of drover-server in C.
 *
 *     struct drover *world = drover_connect("127.0.0.1:7717", NULL);
 *     drover_send(world, "{\"op\":\"subscribe\",\"layout\":\"packed\",\"hz\":20}");
 *     while (drover_wait(world, -1) >= 0) {
 *         enum drover_event event;
 *         while ((event = drover_next(world)) != DROVER_NOTHING) {
 *             if (event == DROVER_FRAME) {
 *                 const struct drover_frame *frame = drover_this_frame(world);
 *                 use(frame->x, frame->y, frame->count);
 *             }
 *         }
 *     }
 *     fprintf(stderr, "%s\n", drover_reason(world));
 *     drover_close(world);
 *
 * Requests are lines of the protocol (protocol.md), and so are the messages that come back: the library knows how to
 * carry them, not which requests there are. It makes no thread, takes no signal, writes to no file and keeps no global
 * state. A handle is used by one thread at a time; different handles have nothing in common.
 *
 * docs/libdrover.md has examples, the rules of loops and threads, and the promise about later versions.
 */
#ifndef DROVER_DROVER_H
#define DROVER_DROVER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(DROVER_EXPORTS) /* while the library itself is built */
#define DROVER_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define DROVER_API __attribute__((visibility("default")))
#else
#define DROVER_API
#endif

/** The version of this header; drover_version has that of the library. */
#define DROVER_VERSION_MAJOR 0
#define DROVER_VERSION_MINOR 1
#define DROVER_VERSION_PATCH 0

/** The port of a server that was given none. */
#define DROVER_PORT 7717

/** The version of the protocol that the library speaks. */
#define DROVER_PROTOCOL 1

/** "0.1.0". */
DROVER_API const char *drover_version(void);

/* ---- connecting ---- */

/** A connection to a server, over all reconnects. */
struct drover;
/** A line that the server sent, or an error of the library in the same form. */
struct drover_message;

enum drover_state {
    DROVER_CONNECTING, /* the server has not said hello yet */
    DROVER_READY,      /* requests go out */
    DROVER_WAITING,    /* the connection is gone, or could not be made; the next try comes by itself */
    DROVER_ENDED,      /* the same, and no try will follow */
    DROVER_REFUSED /* the server wants a token, refused this one, or speaks another protocol; no try will follow */
};

enum drover_reconnect {
    DROVER_RECONNECT_ALWAYS, /* after 0.25 s, then 0.5, 1, 2, 4, 5, 5 ... s */
    DROVER_RECONNECT_NEVER,  /* one try */
    DROVER_RECONNECT_LATER   /* only after a connection that was ready once */
};

/** Start with `struct drover_options options = DROVER_OPTIONS;`. Texts are copied. */
struct drover_options {
    size_t size;       /* sizeof(struct drover_options): later versions have more members */
    const char *name;  /* the name to say hello with; NULL: none */
    const char *token; /* the token to show; NULL: none. Not encrypted on its way */
    const char *hello; /* further members of hello, "\"seq\":true,\"speed\":true"; NULL: none */
    int timeout_ms;    /* of requests; 0: 10000; negative: none */
    int silence_ms;    /* a server that is silent so long is gone; 0: 5000; negative: never, and no pings */
    int reconnect;     /* enum drover_reconnect */
    int renew; /* 0: a subscription is asked for again after a reconnect; negative: the caller does that */
    int fixed_hz; /* 0: on a slow link fewer frames are asked for (drover_paced_hz); else as many as the caller did */
    int raw_frames; /* 0: frames are decoded; else they are messages, every key and frame as the line that it is */
};
#define DROVER_OPTIONS                                                                                       \
    { sizeof(struct drover_options), NULL, NULL, NULL, 0, 0, DROVER_RECONNECT_ALWAYS, 0, 0, 0 }

/** Begins to connect; does not wait for the server (drover_wait_ready does).
 *
 * address  HOST, HOST:PORT, [IPV6]:PORT or unix:PATH; the port is 7717 when it is left out. A host that is a name is
 *          looked up with getaddrinfo, which may block. mqtt://[USER[:PASSWORD]@]HOST[:PORT]/NAME is a world at a broker
 *          (docs/deploy.md); its port is 1883 when it is left out, its password options.token
 * options  NULL: the defaults
 * returns  NULL when out of memory. An address that cannot be read is DROVER_ENDED with its reason. drover_close after
 *          use */
DROVER_API struct drover *drover_connect(const char *address, const struct drover_options *options);
/** Closes the connection and frees everything, frames and messages of the handle too. What was not sent yet is lost
 * (drover_flush). NULL is fine. */
DROVER_API void drover_close(struct drover *world);
/** Waits until the connection is ready, at most timeout_ms (negative: without end). 0, or -1 when it is not:
 * drover_state and drover_reason say why. */
DROVER_API int drover_wait_ready(struct drover *world, int timeout_ms);

/** How the connection stands now. DROVER_LINK, an event, says that it has changed. */
DROVER_API enum drover_state drover_state(const struct drover *world);
/** In one sentence without a full stop: why the last connection ended or could not be made, or why a call returned -1,
 * whichever came last. "" for nothing. The handle's, until the next call. */
DROVER_API const char *drover_reason(const struct drover *world);
/** The errno with which the last try to connect failed, or the last connection ended: ECONNREFUSED when nothing listens there. 0
 * when it had none. */
DROVER_API int drover_errno(const struct drover *world);
/** The shortest of the last round trips, ms; negative before the first. */
DROVER_API double drover_ping_ms(const struct drover *world);
/** Frames a second that the library asks for now in place of the subscription's hz, because the link is slow and frames would come late
 * (docs/libdrover.md); negative: as many as the caller asked for. */
DROVER_API double drover_paced_hz(const struct drover *world);
/** Connections that were ready so far: more than 1 after a reconnect. */
DROVER_API unsigned drover_connections(const struct drover *world);
/** Bytes received over all connections. */
DROVER_API uint64_t drover_bytes(const struct drover *world);

/* ---- requests ---- */

/** Sends a request: one JSON object, as text. Line breaks between its members are fine. It waits while there is no
 * connection, until its timeout.
 *
 * A request without an id is not given one (of those that concern the subscription: it is): the server then answers as
 * protocol.md says, changes only when they fail.
 * Returns 0, or -1 when the text is no request or too much waits to be sent (drover_reason). */
DROVER_API int drover_send(struct drover *world, const char *request);
/** The same for a request that gets exactly one answer, reply or error, from the server or the library: an id is put in
 * when it has none. Returns the ticket that drover_message_ticket of the answer gives, never 0; 0 when the text is no
 * request or too much waits to be sent. */
DROVER_API uint64_t drover_request(struct drover *world, const char *request);
/** The same, and waits for the answer. Frames and messages that come meanwhile are kept for drover_next.
 *
 * returns  the answer, the caller's: drover_message_free. It may be an error (drover_message_code); those of the library
 *          are "invalid", "full", "lost", "unsent", "unreadable", "timeout" (docs/libdrover.md). NULL when out of memory */
DROVER_API struct drover_message *drover_ask(struct drover *world, const char *request);
/** The timeout of requests from now on, ms; negative: none. A step of many ticks takes its time. */
DROVER_API void drover_set_timeout(struct drover *world, int timeout_ms);
/** Waits until every request has gone out, at most timeout_ms (negative: without end). 0, or -1 when some have not. */
DROVER_API int drover_flush(struct drover *world, int timeout_ms);

/** Writes a text as a JSON string, with its quotes, and a NUL. Bytes that are not UTF-8 become U+FFFD. Returns the length
 * without the NUL; when that is not below size, the result was cut, and is no JSON string. */
DROVER_API size_t drover_quote(const char *text, char *out, size_t size);
/** Writes bytes as base64 with padding, and a NUL: columns of requests. Returns the length without the NUL,
 * (length + 2) / 3 * 4; when that is not below size, nothing was written. */
DROVER_API size_t drover_base64(const void *bytes, size_t length, char *out, size_t size);

/* ---- what comes back ---- */

enum drover_event {
    DROVER_NOTHING, /* nothing is there; drover_wait */
    DROVER_FRAME,   /* drover_this_frame: the newest frame */
    DROVER_MESSAGE, /* drover_this_message: any other line, or an error of the library */
    DROVER_LINK     /* drover_state has changed */
};

/** What came, the oldest first; frames after the messages that are there. Of frames only the newest is kept;
 * drover_frame.missed counts the others. */
DROVER_API enum drover_event drover_next(struct drover *world);
/** Waits until drover_next has something, at most timeout_ms (negative: without end). Returns 1 then, 0 after the time,
 * -1 when nothing is left and no connection will come any more. */
DROVER_API int drover_wait(struct drover *world, int timeout_ms);

/** After DROVER_FRAME: the frame; the handle's, until the next drover_next. NULL otherwise. */
DROVER_API const struct drover_frame *drover_this_frame(const struct drover *world);
/** After DROVER_MESSAGE: the message; the handle's, until the next drover_next. NULL otherwise. */
DROVER_API const struct drover_message *drover_this_message(const struct drover *world);
/** The same, and the message is the caller's: drover_message_free. */
DROVER_API struct drover_message *drover_take_message(struct drover *world);

/* ---- messages ---- */

/** The line as it came, without its newline, NUL-terminated. length may be NULL. */
DROVER_API const char *drover_message_text(const struct drover_message *message, size_t *length);
/** "hello", "scenario", "reply", "event", "error", "bye", or what a later server says; "" when it has none. */
DROVER_API const char *drover_message_op(const struct drover_message *message);
/** The ticket of the request that it answers (drover_request, drover_ask); 0 for none. */
DROVER_API uint64_t drover_message_ticket(const struct drover_message *message);
/** The world that it belongs to, counted from 1 over all connections; 0 before the first (drover_frame.world). */
DROVER_API uint32_t drover_message_world(const struct drover_message *message);
/** Of an error: its code. NULL when the message is no error. */
DROVER_API const char *drover_message_code(const struct drover_message *message);
/** Whether the library made it: the server did not say so. */
DROVER_API int drover_message_is_local(const struct drover_message *message);

/* Members are named by a path: "tick", "scenario.size[0]", "scenario.kinds[2].name". "" is the whole message. */

enum drover_type {
    DROVER_ABSENT,
    DROVER_NULL,
    DROVER_BOOLEAN,
    DROVER_NUMBER,
    DROVER_STRING,
    DROVER_ARRAY,
    DROVER_OBJECT
};

/** The sort of value that stands there. */
DROVER_API enum drover_type drover_message_type(const struct drover_message *message, const char *path);
/** A string, the message's; NULL when there is none. */
DROVER_API const char *drover_message_string(const struct drover_message *message, const char *path);
/** A number; fallback when there is none. Whole numbers are exact up to 2^53. */
DROVER_API double drover_message_number(const struct drover_message *message, const char *path,
                                        double fallback);
/** true: 1, false: 0; fallback when there is neither. */
DROVER_API int drover_message_flag(const struct drover_message *message, const char *path, int fallback);
/** Elements of an array, members of an object; 0 for anything else. */
DROVER_API int drover_message_count(const struct drover_message *message, const char *path);
/** The name of a member of an object, by its number from 0; NULL when there is none. The message's. */
DROVER_API const char *drover_message_key(const struct drover_message *message, const char *path, int index);
/** Frees a message of drover_ask or drover_take_message. NULL is fine. */
DROVER_API void drover_message_free(struct drover_message *message);

/* ---- frames ---- */

/** What a frame has of its agents; the columns of the rest hold zeros. The names of `fields` in a subscription. */
enum drover_column {
    DROVER_POS = 1,
    DROVER_VEL = 2,
    DROVER_HEADING = 4,
    DROVER_STATE = 8,
    DROVER_KIND = 16,
    DROVER_STAMINA = 32,
    DROVER_FORCE = 64,
    DROVER_DESIRED = 128,
    DROVER_SHARES = 256,
    DROVER_PARTS = 512,
    DROVER_TWIN = 1024
};

/** The world after a tick. Columns have `count` entries, in ascending order of id. Lengths are hundredths of px,
 * velocities of px/s, forces of mass*px/s^2, whatever the layout on the wire is: x / 100.0 is px. Only the library makes
 * frames; later versions add members at the end. */
struct drover_frame {
    uint64_t tick;
    double time;  /* s of simulated time */
    double clock; /* ms of the server's monotonic clock when the tick ended */
    double speed; /* of the world's time; negative when the frame does not say it (hello with "speed":true) */
    double arrival; /* ms of the client's monotonic clock (drover_advance) when it came */
    uint32_t world; /* counts the worlds over all connections, from 1: a load or a reconnect begins another */
    uint32_t missed;  /* frames that came since the one before and were replaced by a newer one */
    uint32_t columns; /* enum drover_column */
    int32_t count;    /* agents */
    const uint32_t *id;
    const uint16_t *kind, *state;       /* numbers of this frame: drover_frame_kind, drover_frame_state */
    const int32_t *x, *y;               /* 1/100 px; y points down */
    const int32_t *vx, *vy;             /* 1/100 px/s */
    const int32_t *heading;             /* 1/100 degree, 0..35999, from +x towards +y */
    const int32_t *stamina;             /* 1/100 */
    const int32_t *desired;             /* pairs: x and y of the desired velocity, 1/100 px/s; NULL without */
    const int32_t *steering;            /* pairs: the steering force, 1/100 mass*px/s^2; NULL without */
    int32_t target_count;               /* named targets */
    const int32_t *target_x, *target_y; /* 1/100 px; drover_frame_target has the names */
    int32_t grid_columns, grid_rows;    /* of the layout density; 0 for the others */
    const uint32_t *grid_count;         /* agents of each cell, row by row; NULL without a grid */
    const int32_t *grid_vx, *grid_vy;   /* their mean velocity, 1/100 px/s; 0 in empty cells */
    int64_t grid_x, grid_y, grid_width, grid_height; /* where the grid lies, 1/100 px */
    uint32_t grid_inside, grid_outside; /* agents in the grid; others that the subscription names */
    const uint32_t
        *grid_mean_speed; /* of each cell's agents, 1/100 px/s; NULL unless subscribed with "mean_speed" */
    int32_t grid_kinds;   /* those of grid_by_kind; 0 unless subscribed with "by_kind" */
    const uint32_t
        *grid_by_kind; /* grid_count of one kind after the other; drover_frame_kind has the names */
    uint32_t
        one_in; /* of so many agents of the view the frame has one: 1, 2, 4 ...; 0 unless it says so ("most") */
    uint32_t of; /* agents that the view has in all, with one_in */
    const int32_t
        *twin; /* pairs: where the agent's twin is, 1/100 px, INT32_MIN for none; NULL without DROVER_TWIN */
};

/** One behavior's share of an agent's steering force, or a part of that share. */
struct drover_share {
    const char *behavior; /* "seek", "flock"; the frame's */
    const char *part;     /* "separation" ...; "" for the whole share */
    double x, y;          /* mass*px/s^2 */
};

/** The name of a kind, a state (numbers of the frame's columns, or a kind's of its grid) or a target (0 .. target_count - 1). "" when the frame
 * has none of that number. The frame's. */
DROVER_API const char *drover_frame_kind(const struct drover_frame *frame, unsigned number);
DROVER_API const char *drover_frame_state(const struct drover_frame *frame, unsigned number);
DROVER_API const char *drover_frame_target(const struct drover_frame *frame, int32_t index);
/** The row of the agent with this id, or -1. Looks it up in log(count) steps. */
DROVER_API int32_t drover_frame_row(const struct drover_frame *frame, uint32_t id);
/** The shares of one agent's force, and the parts of each right after it. Writes at most `room`, returns how many there
 * are; 0 for a frame without DROVER_SHARES. */
DROVER_API int32_t drover_frame_shares(const struct drover_frame *frame, int32_t row,
                                       struct drover_share *out, int32_t room);

/** After DROVER_FRAME: the frame becomes the caller's (drover_frame_free), and `old`, which may be NULL, the handle's: its
 * memory is used for a later frame. NULL when there is no frame; `old` stays the caller's then. The frame may be read
 * and freed in another thread. */
DROVER_API struct drover_frame *drover_take_frame(struct drover *world, struct drover_frame *old);
/** NULL is fine. */
DROVER_API void drover_frame_free(struct drover_frame *frame);

/* ---- foreign loops ----
 *
 * Instead of drover_wait: poll drover_fd for drover_poll_events, at most drover_timeout ms, then call drover_turn, then
 * drover_next until DROVER_NOTHING. Ask for all three again each time: they change with the connection. */

/** The socket to poll, or -1 while there is none. */
DROVER_API int drover_fd(const struct drover *world);
/** POLLIN, POLLOUT, both or 0. */
DROVER_API int drover_poll_events(const struct drover *world);
/** ms until drover_turn is to be called though nothing happened on the socket; -1: never. */
DROVER_API int drover_timeout(const struct drover *world);
/** Reads, writes, connects and looks at the time; never waits (except to look up the name of a host). Returns 1 when
 * drover_next has something, 0 when not, -1 as drover_wait. */
DROVER_API int drover_turn(struct drover *world);

/* ---- a transport of one's own ----
 *
 * The library without sockets and clocks: bytes go in and come out, and the caller says what time it is.
 *
 *     world = drover_create(NULL);
 *     drover_advance(world, now_ms);
 *     drover_opening(world);                      you begin to connect
 *     drover_opened(world);                       a connection is there
 *     drover_feed(world, bytes, count);           in pieces of any size; then drover_next until DROVER_NOTHING
 *     bytes = drover_output(world, &count);       write them, all or some
 *     drover_sent(world, written);
 *     drover_lost(world, "closed");               the connection is gone; drover_timeout says when to open the next
 *
 * drover_connect's functions that wait or read a socket (drover_wait, drover_ask, drover_flush, drover_wait_ready,
 * drover_turn) do nothing on such a handle and return -1, or NULL. */

/** NULL when out of memory. drover_close after use. options.hello that is no JSON: DROVER_ENDED with its reason. */
DROVER_API struct drover *drover_create(const struct drover_options *options);
/** The time, ms of a clock that never falls; call it before the others, and when drover_timeout has passed. 0, or -1
 * when the connection is to be closed now: drover_lost, with drover_reason's words, was done already. */
DROVER_API int drover_advance(struct drover *world, double now_ms);
/** A try to connect begins; it ends with drover_opened or drover_lost. */
DROVER_API void drover_opening(struct drover *world);
/** A new connection begins: the server's first byte is the next one. */
DROVER_API void drover_opened(struct drover *world);
/** Bytes of the server. As drover_advance. */
DROVER_API int drover_feed(struct drover *world, const void *bytes, size_t length);
/** What is to be sent, the handle's until the next call; NULL and 0 when there is nothing. */
DROVER_API const char *drover_output(struct drover *world, size_t *length);
/** The first `length` bytes of it were sent, or may have been. */
DROVER_API void drover_sent(struct drover *world, size_t length);
/** The connection is gone, or could not be made. reason: in words. */
DROVER_API void drover_lost(struct drover *world, const char *reason);

#ifdef __cplusplus
}
#endif

#endif
