/* The bytes of one connection (TCP, or a Unix socket): reading, writing in batches, and an end that loses nothing. A stream knows
 * bytes and time limits; it does not know where a message ends or what it means.
 *
 * 1. A stream lives from stream_open to on_closed, which comes from libuv's close callback; only then may its
 * memory be freed.
 * 2. Phases go one way: open; flushing (the last bytes are queued; the queue is written as long as
 * STREAM_FLUSH_MS never pass without a byte accepted); lingering (our side is shut, the stream waits briefly
 * for the peer to close, so that a reset does not destroy the last bytes); closed. A stream in a hurry, because
 * the server stops, has STREAM_FLUSH_MS in all.
 * 3. Only an open stream takes bytes to send and hands out received bytes. What a closing stream still receives
 * is discarded.
 * 4. While its owner does not read, the socket is not read: TCP holds the sender back. A stream that is not
 * read for STREAM_UNREAD_MS is polled for a reset instead.
 * 5. One batch of the send queue is being written at a time (send_queue.h). A waiting frame is held back while
 * a slow peer has not read the earlier ones (peer_window.h).
 * 6. Before queued bytes a framing may have a head of its own (stream_host.head), one for each peer; the bytes
 * are shared nevertheless.
 * 7. Memory: one read of STREAM_READ_BYTES and the send queue.
 */
#ifndef DROVER_SERVER_NET_STREAM_H
#define DROVER_SERVER_NET_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "common/base/buffer.h"
#include "common/base/nodiscard.h"
#include "server/net/peer_window.h"
#include "server/net/send_queue.h"

enum {
    STREAM_FLUSH_MS = 1000,        /* to write what is queued when the stream ends */
    STREAM_LINGER_MS = 250,        /* to see the peer close */
    STREAM_HURRIED_LINGER_MS = 50, /* the same when the server stops */
    STREAM_UNREAD_MS = 1000,       /* not read for so long: the socket is polled for a reset */
    STREAM_READ_BYTES = 4096       /* wish per read */
};

enum { STREAM_HEAD_BYTES = 10 };

enum stream_phase { STREAM_OPEN, STREAM_FLUSHING, STREAM_LINGERING, STREAM_CLOSED };

struct stream;

/** The callbacks of a stream's owner; all come from the loop. Every callback may end the stream. */
struct stream_host {
    /** Where the next bytes are read to: at least one byte, aiming at `wish`. NULL: out of memory, the
     * connection is closed. When the stream is not open, the bytes are discarded afterwards. */
    char *(*reserve)(struct stream *stream, size_t wish, size_t *size);
    /** So many bytes were read to the place that `reserve` gave. The stream is open. */
    void (*on_bytes)(struct stream *stream, size_t count);
    /** The peer closed its side; the stream may still send. */
    void (*on_end)(struct stream *stream);
    /** A batch was written: the send queue has room again. The stream is open or flushing. */
    void (*on_room)(struct stream *stream);
    /** The stream leaves its open phase. Called once; must not call the stream. */
    void (*on_ending)(struct stream *stream);
    /** The stream is closed and its memory is the owner's again. */
    void (*on_closed)(struct stream *stream);
    /** Writes what goes to the wire before these queued bytes, and says how many of the bytes follow (*length). NULL:
     * the bytes go as they are. */
    size_t (*head)(const struct shared_bytes *bytes, char head[STREAM_HEAD_BYTES], size_t *length);
};

struct stream {
    uv_tcp_t tcp;
    uv_write_t write;
    uv_shutdown_t shutdown;
    const struct stream_host *host;
    void *owner;
    uint32_t id; /* number of the session, for the log */
    struct send_queue queue;
    struct peer_window window;
    enum stream_phase phase;
    uint64_t phase_deadline_ms; /* loop time; flushing and lingering */
    bool is_hurried;            /* the deadline stands, whatever the peer reads */
    bool is_reading;
    bool is_eof;         /* the peer closed its side */
    uint64_t stopped_ms; /* when reading was stopped; loop time */
    uint64_t bytes_received, bytes_sent;
    char heads[SEND_QUEUE_BATCH][STREAM_HEAD_BYTES]; /* of the batch being written */
    size_t write_total;                              /* bytes of the batch being written */
    size_t write_left;                               /* bytes of it left at the last check, */
    uint64_t write_began_ms, write_progress_ms;      /* and when that last changed */
};

/** Takes over a connected socket: sets its options and starts reading. The stream is zeroed memory of the
 * caller; host outlives it. 0, or a libuv error: the socket is closed then, and on_closed comes if and only if
 * 0 was returned. */
NODISCARD int stream_open(struct stream *stream, uv_loop_t *loop, const struct stream_host *host, void *owner,
                          uint32_t id, int socket);
/** Loop time, ms. */
uint64_t stream_now_ms(const struct stream *stream);

/** Reads on. Does nothing when the stream is reading already, after the peer's end, or when it is closed. */
void stream_read(struct stream *stream);
/** Leaves what the peer sends in the kernel until stream_read. */
void stream_stop_reading(struct stream *stream);
/** Whether the peer closed its side, even when bytes that it sent before are unread. */
bool stream_is_half_closed(const struct stream *stream);

/** Queues bytes of an open stream and writes as far as the socket accepts; takes its own reference. 0, or -1
 * when memory is short (nothing is queued then). */
NODISCARD int stream_send(struct stream *stream, struct shared_bytes *bytes);
/** Offers the newest frame to an open stream, in place of a waiting one. */
void stream_offer_frame(struct stream *stream, struct shared_bytes *frame);
/** The same for a frame that can be read only after this key (send_queue_offer_keyed). */
void stream_offer_keyed(struct stream *stream, struct shared_bytes *key, uint64_t key_number,
                        struct shared_bytes *frame);
/** For how long the current batch has been under way, ms; 0 when nothing is being written. */
uint64_t stream_behind_ms(const struct stream *stream);
/** For how long no byte of the current batch was accepted, ms; 0 when nothing is being written. */
uint64_t stream_stalled_ms(const struct stream *stream);

/** Ends an open stream: drops a waiting frame, queues these last bytes, without a head, writes all, shuts our side
 * and closes. Takes the buffer's bytes; without memory for them the stream is closed at once. */
void stream_finish(struct stream *stream, struct buffer *last);
/** Gives a stream that is ending, or ends next, STREAM_FLUSH_MS and no more: the server stops. */
void stream_hurry(struct stream *stream);
/** Checks the time limits; call a few times a second. Returns whether the stream is open and stalled for
 * LIMIT_STALL_SECONDS: the owner ends it then. */
NODISCARD bool stream_check(struct stream *stream, uint64_t now_ms);

#endif
