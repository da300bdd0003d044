/* Gives each new snapshot to the sessions whose turn it is: encoded at most once for each form somebody
 * needs, and shared.
 *
 * All frames together take no more memory than is allowed. When there is no room for a frame, those who keep
 * up go before those who are behind: frames that wait for the furthest behind are skipped first, then keys
 * that nobody who keeps up needs are given up, and at last sessions are closed whose frame has been under way
 * without a byte accepted for a second, or for ten seconds. Who is left out is served first next time. So is
 * whoever's form is not made when making those of one snapshot has taken BROADCAST_MAKE_MS: the loop has
 * others to look after.
 *
 * Lives on the loop. Owns the forms, at most LIMIT_FORMS, each while somebody has it. Remembers the epoch of
 * the world its sessions were told of, so that no frame of an old world follows the `scenario` line of a new
 * one.
 */
#ifndef DROVER_SERVER_BROADCAST_BROADCAST_H
#define DROVER_SERVER_BROADCAST_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "server/broadcast/snapshot_exchange.h"
#include "server/frames/frame_form.h"
#include "server/frames/snapshot_schedule.h"
#include "server/net/session_set.h"

struct broadcast {
    uint32_t epoch;
    struct frame_form *forms[LIMIT_FORMS];
    int form_count;
    struct frame_scratch scratch;
    size_t wanted_bytes;        /* by those who keep up, for the snapshot at hand, more than there was room */
    uint64_t made_ns;           /* what making frames of the snapshot at hand took */
    bool has_left_out;          /* somebody, who is due a frame that no snapshot may bring */
    uint64_t said_ms, asked_ms; /* when that was logged, and a snapshot asked for */
};

enum broadcast_join { BROADCAST_JOINED, BROADCAST_FULL, BROADCAST_NO_MEMORY, BROADCAST_TOO_LARGE };

enum {
    BROADCAST_STALLED_MS = 1000, /* without a byte accepted, */
    BROADCAST_BEHIND_MS = 10000, /* or with one frame: closed when the memory of frames is short */
    BROADCAST_ASK_MS = 1000,
    BROADCAST_MAKE_MS = 250,
    BROADCAST_TRY_MS = 1000, /* what did not fit is looked at again: it may have become less */
    BROADCAST_SAY_MS = 60000,
};

/** memory_limit: bytes that frames may take together. */
void broadcast_init(struct broadcast *broadcast, size_t memory_limit);
void broadcast_fini(struct broadcast *broadcast);

/** Ticks between frames for a wished rate: the smallest whole number that does not pass it. >= 1. */
uint64_t broadcast_every(double tick_hz, double wished_hz);
/** Whether a subscriber is owed the snapshot of this tick. pace: see struct snapshot. has_forces: the
 * snapshot has steering vectors. */
bool broadcast_is_due(const struct subscription *subscription, uint64_t tick, uint64_t pace,
                      enum audience audience, bool has_forces);
/** Gives a session a subscription in place of its old one, which stays when there is no room for another
 * form. BROADCAST_TOO_LARGE: the memory of frames does not hold two frames of the estimate. */
NODISCARD enum broadcast_join broadcast_join(struct broadcast *broadcast, const struct session_set *sessions,
                                             struct session *session, const struct subscription *subscription,
                                             const struct frame_estimate *estimate);
/** Whether a snapshot ought to be asked for, for the sake of those who were left out. Call now and then. */
bool broadcast_wants_snapshot(struct broadcast *broadcast, uint64_t now_ms);
/** What all subscriptions add up to. Gives up what belongs to those that ended. */
struct snapshot_schedule broadcast_schedule(struct broadcast *broadcast, const struct session_set *sessions);
/** Offers the snapshot to those who are due; one of an earlier epoch is thrown away. */
void broadcast_frame(struct broadcast *broadcast, const struct snapshot_slot *slot,
                     struct session_set *sessions);
/** A line (event) to every subscriber. Takes the bytes: text is malloc'd. */
void broadcast_line(char *text, size_t length, struct session_set *sessions);
/** A new world: drops frames of the old one, tells every subscriber, starts their turns afresh at its tick
 * rate. */
void broadcast_scenario(struct broadcast *broadcast, uint32_t epoch, double tick_hz, char *text,
                        size_t length, struct session_set *sessions);

#endif
