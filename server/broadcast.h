/* Gives each new snapshot to the sessions whose turn it is: encoded at most once for each form somebody
 * needs, and shared.
 *
 * Lives on the loop. Remembers the epoch of the world its sessions were told of, so that no frame of an old
 * world follows the `scenario` line of a new one.
 */
#ifndef DROVER_SERVER_BROADCAST_H
#define DROVER_SERVER_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buffer.h"
#include "server/demand.h"
#include "server/net/session_set.h"
#include "server/snapshot_exchange.h"

struct broadcast {
    uint32_t epoch;
};

/** Ticks between frames for a wished rate: the smallest whole number that does not pass it. >= 1. */
uint64_t broadcast_every(double tick_hz, double wished_hz);
/** Whether a subscriber is owed the snapshot of this tick. has_forces: the snapshot has steering vectors. */
bool broadcast_is_due(const struct subscription *subscription, uint64_t tick, enum audience audience,
                      bool has_forces);
/** What all subscriptions add up to. */
struct demand broadcast_demand(const struct session_set *sessions);
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
