/* The mailbox between the connection's thread and the drawing thread. Neither thread ever waits for the work
 * of the other.
 *
 * Snapshots: one slot, the newest wins (three exist: one being read, one in the slot, one going back to be
 * overwritten). Messages: a queue, in order. Requests: encoded bytes, with a cap. Status: a copy. Invariant:
 * a message that started an epoch is in the queue before the first snapshot of that epoch is in the slot; so
 * take the snapshot first, then the messages.
 */
#ifndef DROVER_VIEWER_LINK_MAILBOX_H
#define DROVER_VIEWER_LINK_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "common/snapshot/snapshot.h"
#include "common/snapshot/snapshot_density.h"
#include "common/system/lock.h"
#include "viewer/link/stream_plan.h"

enum { MAILBOX_OUTPUT_BYTES = 65536 };

enum link_state {
    LINK_CONNECTING, /* never yet connected, or trying */
    LINK_READY,      /* the server said hello */
    LINK_WAITING,    /* until the next try */
    LINK_ENDED,      /* no further try will be made */
    LINK_REFUSED,    /* the same: the server wants a token, or another one */
};

struct link_status {
    enum link_state state;
    bool was_ready;          /* at least once */
    bool is_bye;             /* the server said goodbye before it went */
    bool has_no_server;      /* LINK_WAITING, LINK_ENDED: nothing listens there */
    bool has_token;          /* LINK_REFUSED: we showed one, and it was not taken */
    uint64_t retry_at_ns;    /* LINK_WAITING, clock_now_ns */
    char reason[256];        /* why the last connection ended or could not be made; "" */
    double ping_ms;          /* least of the last round trips; < 0 before the first */
    double paced_hz;         /* frames a second that are asked for because the link is slow; 0: as usual */
    uint64_t snapshot_count; /* received since the start */
    uint64_t skipped_count;  /* of them, never taken: a newer one came first */
    uint64_t byte_count;     /* received since the start */
};

struct mail {
    struct message *message; /* owned by the holder of the mail */
    uint32_t epoch;
    struct mail *next;
};

struct mailbox {
    struct lock lock;
    struct snapshot *newest, *spare; /* either may be NULL */
    double newest_arrival_ms;
    struct density *density; /* the newest; NULL before the first */
    uint32_t density_epoch;
    bool has_density; /* it was not taken yet */
    struct mail *first, *last;
    struct buffer output;
    struct stream_choice stream; /* what is subscribed to, or will be */
    bool is_stopping;
    struct link_status status;
};

NODISCARD int mailbox_init(struct mailbox *mailbox);
void mailbox_fini(struct mailbox *mailbox);

/* The connection's side */

/** Puts the snapshot in the slot; returns one to read the next into (owned by the caller), NULL when out of
 * memory. */
NODISCARD struct snapshot *mailbox_put_snapshot(struct mailbox *mailbox, struct snapshot *snapshot,
                                                double arrival_ms);
/** Puts a density in its slot; returns the one to read the next into, which may be NULL. A snapshot without
 * agents of the same moment follows. */
NODISCARD struct density *mailbox_put_density(struct mailbox *mailbox, struct density *density,
                                              uint32_t epoch);
/** Queues the message, which the mailbox now owns. -1 when out of memory (the message is freed). */
NODISCARD int mailbox_put_message(struct mailbox *mailbox, struct message *message, uint32_t epoch);
/** The requests written since the last time; *out is empty before. */
void mailbox_take_output(struct mailbox *mailbox, struct buffer *out);
/** The number of bytes received since the start. */
void mailbox_count_bytes(struct mailbox *mailbox, uint64_t byte_count);
/** Whether mailbox_stop was called: the thread is to end. */
bool mailbox_is_stopping(struct mailbox *mailbox);
void mailbox_set_status(struct mailbox *mailbox, const struct link_status *status);

/* The drawing side */

/** The newest snapshot and when it came (client ms), or NULL. Owned by the caller until given back. */
NODISCARD struct snapshot *mailbox_take_snapshot(struct mailbox *mailbox, double *arrival_ms);
/** The newest density, if there is one that was not taken yet; *old becomes the mailbox's. Else *old as it
 * was. */
NODISCARD struct density *mailbox_take_density(struct mailbox *mailbox, struct density *old, uint32_t *epoch);
/** Gives back a snapshot that may be overwritten. NULL is fine. */
void mailbox_return_snapshot(struct mailbox *mailbox, struct snapshot *snapshot);
/** The next message, or NULL. mail_destroy after use. */
NODISCARD struct mail *mailbox_take_message(struct mailbox *mailbox);
void mail_destroy(struct mail *mail);
/** Queues a request. -1 when there is no connection or the server reads too slowly: it is lost. */
NODISCARD int mailbox_put_request(struct mailbox *mailbox, const struct request *request);
/** Asks the connection's thread to end; it must be woken. */
void mailbox_stop(struct mailbox *mailbox);
struct link_status mailbox_status(struct mailbox *mailbox);
/** Either side: what is subscribed to. */
struct stream_choice mailbox_stream(struct mailbox *mailbox);
void mailbox_set_stream(struct mailbox *mailbox, const struct stream_choice *stream);

#endif
