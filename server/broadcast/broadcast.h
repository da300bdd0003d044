/* Offers each new snapshot to the sessions that are due: encoded at most once for each form in use, and
 * shared.
 *
 * All frames together take no more memory than is allowed. When there is no room for a frame, sessions that
 * keep up go before sessions that are behind: frames that wait for the session furthest behind are skipped
 * first, then keys that no session that keeps up needs are freed, and at last sessions are closed whose frame
 * has been under way without a byte accepted for a second, or for ten seconds in all. A session that is left
 * out comes first next time. So does a session whose form is not encoded because the forms of one snapshot
 * have taken BROADCAST_MAKE_MS.
 *
 * Frames that are long are encoded on another thread (broadcast_encode): the loop serves its sessions meanwhile.
 *
 * Lives on the loop. Owns the forms, at most LIMIT_FORMS, each while a session is subscribed to it. Remembers
 * the epoch of the last `scenario` line, so that no frame of an old world follows the line of a new one.
 */
#ifndef DROVER_SERVER_BROADCAST_BROADCAST_H
#define DROVER_SERVER_BROADCAST_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "server/exchange/snapshot_exchange.h"
#include "server/frames/frame_form.h"
#include "server/frames/snapshot_gather.h"
#include "server/sessions/session_set.h"

struct broadcast {
    uint32_t epoch;
    struct frame_form *forms[LIMIT_FORMS];
    int form_count;
    struct frame_scratch scratch;
    size_t wanted_bytes;                   /* frames of the current snapshot for which there was no room */
    uint64_t explained;                    /* subscriptions that need forces, so far */
    const struct snapshot_slot *slot;      /* between broadcast_begin and _end: the snapshot, */
    struct frame_form *asked[LIMIT_FORMS]; /* what is encoded of it, in this order, */
    int asked_count;
    size_t asked_bytes; /* and what that may take */
    bool has_unused;    /* forms without a subscription may be left from while frames were encoded */
    bool has_left_out;  /* a session that is due a frame, while no snapshot may come */
    uint64_t logged_ms, asked_ms; /* when the shortage was logged, and a snapshot requested */
};

enum broadcast_result { BROADCAST_SUBSCRIBED, BROADCAST_FULL, BROADCAST_NO_MEMORY, BROADCAST_TOO_LARGE };

enum {
    BROADCAST_STALLED_MS = 1000, /* without a byte accepted, */
    BROADCAST_BEHIND_MS = 10000, /* or with one frame: closed when the memory of frames is short */
    BROADCAST_ASK_MS = 1000,
    BROADCAST_MAKE_MS = 250,
    BROADCAST_LONG_BYTES = 512 * 1024, /* take a few ms */
    BROADCAST_TRY_MS = 1000,           /* a form that did not fit is tried again: it may have shrunk */
    BROADCAST_LOG_MS = 60000,
};

/** memory_limit: bytes that frames may take together. */
void broadcast_init(struct broadcast *broadcast, size_t memory_limit);
/** Frees the forms. */
void broadcast_fini(struct broadcast *broadcast);

/** Ticks between frames for a requested rate: the smallest whole number that does not pass it. >= 1. */
uint64_t broadcast_every(double tick_hz, double wished_hz);
/** Whether a subscriber is due the snapshot of this tick. clock_tick: see struct snapshot. has_forces: the
 * snapshot has the steering vectors that it shows. */
bool broadcast_is_due(const struct subscription *subscription, uint64_t tick, uint64_t clock_tick,
                      enum frame_reason reason, bool has_forces);
/** Whether a snapshot is to be requested for sessions that were left out. Call a few times a second. */
bool broadcast_wants_snapshot(struct broadcast *broadcast, uint64_t now_ms);
/** The sum of all subscriptions. Frees the forms of subscriptions that ended. */
struct snapshot_schedule broadcast_schedule(struct broadcast *broadcast, const struct session_set *sessions);
/** What all subscriptions show; after broadcast_schedule. */
void broadcast_views(const struct broadcast *broadcast, struct snapshot_demand *views);
/** Finds the sessions that are due the snapshot, and the frames that are to be encoded for them. The slot is used until
 * broadcast_end. Returns whether to encode them takes long. */
bool broadcast_begin(struct broadcast *broadcast, const struct snapshot_slot *slot,
                     struct session_set *sessions);
/** Encodes them. The one function that another thread may run, while the loop uses the others but begin, end and fini. */
void broadcast_encode(struct broadcast *broadcast);
/** Offers the frames to these sessions; one of an epoch that is over by now is discarded. */
void broadcast_end(struct broadcast *broadcast, struct session_set *sessions);
/** Whether a session gets an event of this bit (message_event_bit): it is subscribed to it, and its wants_seq is has_seq. */
bool broadcast_wants(const struct session *session, uint64_t event, bool has_seq);
/** The same to those of these subscribers that want the event. */
void broadcast_event(char *text, size_t length, uint64_t event, bool has_seq, struct session_set *sessions);
/** A new world: drops frames of the old one, sends every subscriber this `scenario` line, and restarts their
 * intervals at its tick rate. */
void broadcast_scenario(struct broadcast *broadcast, uint32_t epoch, double tick_hz, char *text,
                        size_t length, struct session_set *sessions);

/* Answers the requests about a session's own frames: subscribe, unsubscribe, set_region, resync. On the loop.
 */

/** The context that a subscription depends on. */
struct subscribe_context {
    struct broadcast *broadcast;
    struct session_set *sessions;
    const struct message_scenario *scenario; /* as it is now */
    bool has_stripes;                        /* ranks share the world in stripes */
};

/** Answers one of these requests. Returns whether the subscription changed or the current state is due at
 * once: the caller then updates the snapshot schedule and requests a snapshot. */
bool subscribe_answer(const struct subscribe_context *context, struct session *session,
                      const struct request *request);

#endif
