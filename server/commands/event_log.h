/* The events of ticks, for subscribers: targets that were reached, quarries that were caught. At most
 * EVENT_LOG_RATE in a second of simulated time and EVENT_LOG_MAX at once; the next event says how many were
 * left out. Pure.
 */
#ifndef DROVER_SERVER_COMMANDS_EVENT_LOG_H
#define DROVER_SERVER_COMMANDS_EVENT_LOG_H

#include <stdint.h>

#include "common/protocol/message.h"
#include "server/sim/world/world.h"

enum { EVENT_LOG_RATE = 20, EVENT_LOG_MAX = 20 };

struct event_log {
    uint64_t second_ticks, second; /* ticks in a second; which second of the world it is */
    int taken;                     /* events in this second */
    int count;
    uint32_t left_out; /* since the last event that said so */
    struct message_event events[EVENT_LOG_MAX];
};

/** Empty, for a world of this rate. */
void event_log_init(struct event_log *log, double tick_hz);
/** Takes the events of the world's last tick. */
void event_log_take(struct event_log *log, const struct world *world);

#endif
