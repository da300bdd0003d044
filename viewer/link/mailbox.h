/* The rule that decides which view a client subscribes to, so that the picture has the agents that it shows
 * and no more: all agents, those around the visible part, or a density. Pure.
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

enum {
    STREAM_REGION_FROM = 4000,   /* worlds with fewer agents are sent whole */
    STREAM_MOST_AGENTS = 30000,  /* of more than these around what is visible a sample is sent, */
    STREAM_SAMPLE_TIMES = 8,     /* and a density when the sample would have fewer than one in so many; */
    STREAM_MOST_SINGLE = 250000, /* when heat is switched off a sample of at most these, never a density */
};

/** A rectangle of the world, px. */
struct stream_box {
    vec2 low, high;
};

/** A subscription. */
struct stream_choice {
    enum layout layout;
    uint32_t most;   /* agents; of more a sample. 0: all */
    bool forces;     /* desired velocity and steering of every agent */
    bool parts;      /* the parts of the behaviors' forces as well */
    bool has_region; /* else everywhere */
    struct stream_box region;
    float cell;               /* px of the world; of a layout that takes a grid: */
    bool by_kind, mean_speed; /* counts of each kind and the mean speed as well */
};

struct stream_wish {
    vec2 world; /* px */
    bool is_open;
    bool wraps; /* a region goes on at the other side */
    struct stream_box visible;
    float cell;               /* px of the world that a cell of heat has in this picture */
    double total;             /* agents in the world */
    bool never_heat;          /* every agent by itself, however many */
    bool by_kind, mean_speed; /* what the colors of heat say */
    enum layout agents;       /* the layout to have agents one by one in */
    bool forces, shares;      /* of every agent; shares: each behavior's force, in parts where it has some */
};

/** For a world of which only its scenario is known. agents: the layout to have agents one by one in. */
struct stream_choice stream_first(const struct message_scenario *scenario, enum layout agents);
/** The visible part with a margin, inside the world unless it is open: agents must be known there. */
struct stream_box stream_surroundings(const struct stream_wish *wish);
/** The subscription for now. `around`: about how many agents are in the surroundings. It stays *now while that
 * has every agent the picture needs and costs little more than another one. */
struct stream_choice stream_plan(const struct stream_choice *now, const struct stream_wish *wish,
                                 double around);
bool stream_equals(const struct stream_choice *a, const struct stream_choice *b);
/** Agents in a box, judged by a density; `total` where the density does not reach. */
double stream_count(const struct density *density, const struct stream_box *box,
                    const struct stream_wish *wish);
/** How large a part of b's area a is; 1 when b has none. */
double stream_part(const struct stream_box *a, const struct stream_box *b);

/** How large a part of what is visible of the world lies in this box; 1 when nothing of it is visible. */
double stream_covered(const struct stream_box *box, const struct stream_wish *wish);
/** The part of the world that a density covers. */
struct stream_box stream_density_box(const struct density *density);

/** The request for it; a set_region when `before` differs by its region alone (NULL: nothing came before). */
struct request stream_request(const struct stream_choice *stream, const struct stream_choice *before);

/* The mailbox between the connection's thread and the drawing thread. Neither thread ever waits for the work
 * of the other.
 *
 * Snapshots: one slot, the newest wins (three exist: one being read, one in the slot, one going back to be
 * overwritten). Messages: a queue, in order. Requests: encoded bytes, with a cap. Status: a copy. Invariant:
 * a message that started an epoch is in the queue before the first snapshot of that epoch is in the slot; so
 * take the snapshot first, then the messages.
 */

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
    bool was_ready;       /* at least once */
    bool is_bye;          /* the server said goodbye before it went */
    bool has_no_server;   /* LINK_WAITING, LINK_ENDED: nothing listens there */
    bool has_token;       /* LINK_REFUSED: we showed one, and it was not taken */
    uint64_t retry_at_ns; /* LINK_WAITING, clock_now_ns */
    char reason[256];     /* why the last connection ended or could not be made; "" */
    double ping_ms;       /* least of the last round trips; < 0 before the first */
    double behind_ms;     /* of static seconds: how far they are behind the world; < 0: not known, or none */
    uint64_t first_second, second,
        last_second;         /* of them: kept, shown, and at which the timeline ends; 0: none is shown */
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
