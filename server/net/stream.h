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
 * 5. One batch of the send queue is being written at a time. A waiting frame is held back while
 * a slow peer has not read the earlier ones (peer_socket.h).
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
#include "common/base/shared_bytes.h"
#include "server/net/peer_socket.h"

/* The send queue of one stream: control lines (replies, events) and the newest frame that wait to be written.
 *
 * Pure: knows no socket. The stream takes a batch, writes it, and reports when it is written; one batch is
 * being written at a time, and a batch once taken is always written to its end, so a line is never cut.
 *
 * 1. Control lines leave in the order they were pushed, and before a frame that waits.
 * 2. At most one frame is in the batch being written and one waits: the newest. A frame that is replaced or
 * dropped before its turn is counted in frames_skipped. A frame that can be read only after a key line has
 * that line before it, in the same batch, unless it is the key that was written last.
 * 3. control_bytes counts control lines waiting or being written. A line once accepted is written. A reply is
 * always accepted: the session stops handing out requests in time (send_queue_has_room). Of other lines
 * (events) one that would pass control_limit is refused, unless none waits.
 */

enum { SEND_QUEUE_BATCH = 32 };

struct send_queue {
    struct shared_bytes **control; /* a ring; owns one reference each */
    size_t head, count, capacity;  /* capacity is 0 or a power of two */
    size_t control_bytes, control_limit;
    struct shared_bytes *frame;    /* the newest, waiting; NULL when none */
    struct shared_bytes *key;      /* to be written before it; NULL when it needs none or was written */
    uint64_t key_number, last_key; /* of that key, and of the one that was written last; 0: none */
    struct shared_bytes *writing[SEND_QUEUE_BATCH];
    int writing_count;
    size_t writing_control_bytes;
    bool is_writing_frame;
    uint64_t frames_sent, frames_skipped;
};

/** control_limit: bytes of control lines (see 3). Allocates nothing yet. */
void send_queue_init(struct send_queue *queue, size_t control_limit);
/** Releases every reference, those of the batch being written as well. The counts of frames stay. */
void send_queue_fini(struct send_queue *queue);
/** Queues a reply; takes its own reference. 0, or -1 when out of memory (nothing is kept then). */
NODISCARD int send_queue_push(struct send_queue *queue, struct shared_bytes *line);
/** Whether an event of this length may be pushed. */
bool send_queue_accepts(const struct send_queue *queue, size_t length);
/** Whether less than half of control_limit waits, so that further requests may be answered. */
bool send_queue_has_room(const struct send_queue *queue);
/** The newest frame; takes its own reference. One that still waits is skipped. */
void send_queue_offer_frame(struct send_queue *queue, struct shared_bytes *frame);
/** The same for a frame that can be read only after the key of this number (not 0). */
void send_queue_offer_keyed(struct send_queue *queue, struct shared_bytes *key, uint64_t key_number,
                            struct shared_bytes *frame);
/** The next keyed frame has its key before it: the reader lost its key. */
void send_queue_forget_key(struct send_queue *queue);
/** The next frame cannot be made: skips the waiting one, which is old by now, or else counts one. */
void send_queue_skip_frame(struct send_queue *queue);
/** Bytes of frames and keys that are being written, each divided by how many hold it. */
size_t send_queue_writing_frame_bytes(const struct send_queue *queue);
/** Skips the frame that waits, if any (unsubscribed, scenario changed). */
void send_queue_drop_frame(struct send_queue *queue);
/** Takes the next batch; without_frame: control lines only, a frame goes on waiting. Returns how many entries
 * of batch[] are to be written in this order, 0 when there is nothing or the last batch is still being
 * written. The references stay the queue's until send_queue_end_write. */
NODISCARD int send_queue_begin_write(struct send_queue *queue, bool without_frame,
                                     struct shared_bytes *batch[SEND_QUEUE_BATCH]);
/** The batch is written (or never will be). */
void send_queue_end_write(struct send_queue *queue);
/** Whether a batch was taken and is not written yet. */
bool send_queue_is_writing(const struct send_queue *queue);
/** Nothing waits and nothing is being written. */
bool send_queue_is_empty(const struct send_queue *queue);

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
