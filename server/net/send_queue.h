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
#ifndef DROVER_SERVER_NET_SEND_QUEUE_H
#define DROVER_SERVER_NET_SEND_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/shared_bytes.h"

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

#endif
