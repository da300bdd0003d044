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
#include "common/protocol/line_reader.h"
#include "server/net/peer_socket.h"
#include "server/net/web_framing.h"

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
void send_queue_clear_key(struct send_queue *queue);
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

/* Cuts the bytes of a stream into messages, whatever the protocol below them. A message is a line
 * (common/protocol/line_reader.h), or a text message of a WebSocket (web_framing.h); the owner sees messages.
 *
 * 1. Messages come in order and whole, however the bytes arrive. A message longer than the limit is reported
 * once and skipped; the next one is read as if nothing had happened.
 * On a WebSocket a message that is too long ends the connection instead (framing_end_code).
 * 2. No message is handed out before the first bytes show that the peer speaks our protocol, or the peer's end
 * that there are no more.
 * 3. Memory: one message of the limit and one read. More than FRAMING_KEPT_BYTES is given back once no message is left.
 *
 * Pure: knows no socket.
 */

/* Recognizes a protocol that does not belong on this port: TLS and HTTP (a browser, a WebSocket upgrade, a health
 * check) by their first bytes, and HTTP with a method that is not known here by its lines. Such a peer gets one answer
 * in HTTP and is closed before any of its lines could be taken for a request: a web page must not be able to control a
 * server on the same machine. Pure.
 */

enum protocol_sniff {
    PROTOCOL_SNIFF_OURS,   /* ours, or at least neither of the others */
    PROTOCOL_SNIFF_UNSURE, /* too few bytes so far */
    PROTOCOL_SNIFF_HTTP,
    PROTOCOL_SNIFF_TLS,
};

/** bytes: the first ones of a connection, as many as have come. */
enum protocol_sniff protocol_sniff_look(const char *bytes, size_t length);
/** Whether a line, without its end, is one of a request in HTTP, whatever its method: it ends in " HTTP/1.1" (or another
 * version), or it is a field such as "Host: ...". No line of ours is: that ends in '}', and begins with '{'. */
bool protocol_sniff_is_http(const char *line, size_t length);
/** Appends the answer to such a peer: a whole HTTP/1.1 400 response. web_address: where the page for browsers is, NULL
 * when there is none. */
void protocol_sniff_answer(const char *web_address, struct buffer *out);

enum { FRAMING_KEPT_BYTES = 128 * 1024 };

enum framing_event {
    FRAMING_NEED_MORE, /* no whole message is left */
    FRAMING_MESSAGE,   /* *message and *length are set */
    FRAMING_TOO_LONG,  /* a message passed the limit; it is being skipped */
};

enum framing_kind { FRAMING_LINES, FRAMING_WEB };

struct framing {
    enum protocol_sniff protocol; /* as far as the bytes so far show */
    struct line_reader lines;
    struct web_framing *web; /* owned; NULL: messages are lines */
};

/** Allocates nothing yet. max_bytes: the longest message, without what delimits it. */
void framing_init(struct framing *framing, size_t max_bytes);
/** The same for a WebSocket, after its handshake. 0, or -1 when memory is short or the build has no WebSocket; the framing
 * is to be freed in any case. */
NODISCARD int framing_init_web(struct framing *framing, size_t max_bytes);
/** Another longest message, for those that begin from now on. */
void framing_set_limit(struct framing *framing, size_t max_bytes);
/** The longest message. */
size_t framing_limit(const struct framing *framing);
/** Frees the received bytes. */
void framing_fini(struct framing *framing);
/** Where the next bytes may be written: at least one byte, aiming at `wish`. Messages handed out before are
 * invalid afterwards. NULL when out of memory. */
NODISCARD char *framing_reserve(struct framing *framing, size_t wish, size_t *size);
/** So many bytes were written there. Returns what the peer speaks: HTTP or TLS is to be refused. */
enum protocol_sniff framing_commit(struct framing *framing, size_t count);
/** The peer sends no more: bytes after the last delimiter, if any, are a message as well. 0, or -1 when out of
 * memory (they are lost then). */
NODISCARD int framing_end(struct framing *framing);
/** The next message without its delimiter, NUL-terminated in place; owned by the framing and valid until the
 * next call of this or framing_reserve. Call until it returns FRAMING_NEED_MORE. */
enum framing_event framing_next(struct framing *framing, char **message, size_t *length);
/** Appends the bytes that answer the peer's pings, as they go to the wire. Nothing where messages are lines. */
void framing_take_replies(struct framing *framing, struct buffer *out);
/** The close code when the peer has closed its WebSocket (*by_peer) or broken a rule of it; no message comes after those
 * that are left then. 0 else, and where messages are lines. */
int framing_end_code(const struct framing *framing, bool *by_peer);
/** Whether every received byte was handed out or skipped. */
bool framing_is_empty(const struct framing *framing);
/** Discards what was received and gives its memory up: the owner is not interested any more. */
void framing_clear(struct framing *framing);

#endif
