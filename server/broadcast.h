/* Gives each new snapshot to the sessions whose turn it is: encoded at most once for each form somebody
 * needs, and shared.
 *
 * Lives on the loop. Owns the forms, at most LIMIT_FORMS, each while somebody has it. Remembers the epoch of
 * the world its sessions were told of, so that no frame of an old world follows the `scenario` line of a new
 * one.
 */
#ifndef DROVER_SERVER_BROADCAST_H
#define DROVER_SERVER_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buffer.h"
#include "server/demand.h"
#include "server/frame_form.h"
#include "server/net/session_set.h"
#include "server/snapshot_exchange.h"

struct broadcast {
    uint32_t epoch;
    struct frame_form *forms[LIMIT_FORMS];
    int form_count;
    struct frame_scratch scratch;
};

enum broadcast_join { BROADCAST_JOINED, BROADCAST_FULL, BROADCAST_NO_MEMORY };

void broadcast_init(struct broadcast *broadcast);
void broadcast_fini(struct broadcast *broadcast);

/** Ticks between frames for a wished rate: the smallest whole number that does not pass it. >= 1. */
uint64_t broadcast_every(double tick_hz, double wished_hz);
/** Whether a subscriber is owed the snapshot of this tick. pace: see struct snapshot. has_forces: the
 * snapshot has steering vectors. */
bool broadcast_is_due(const struct subscription *subscription, uint64_t tick, uint64_t pace,
                      enum audience audience, bool has_forces);
/** Gives a session a subscription in place of its old one, which stays when there is no room for another
 * form.
 */
NODISCARD enum broadcast_join broadcast_join(struct broadcast *broadcast, const struct session_set *sessions,
                                             struct session *session,
                                             const struct subscription *subscription);
/** What all subscriptions add up to. Gives up what belongs to those that ended. */
struct demand broadcast_demand(struct broadcast *broadcast, const struct session_set *sessions);
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
