/* Delivers answers, events, scenarios and frames from the simulation to the sessions. On the loop.
 */
#ifndef DROVER_SERVER_LOOP_DELIVERY_H
#define DROVER_SERVER_LOOP_DELIVERY_H

#include "common/protocol/message.h"
#include "server/loop/loop_context.h"

/** Takes every event and the newest snapshot of the simulation and sends them. */
void delivery_take(struct loop_context *loop);
/** Sends an event to every subscriber, with the name of the session that caused it (event->by). */
void delivery_send_event(struct loop_context *loop, struct message_event *event);
/** Gives the simulation the schedule of the subscriptions, after one of them changed. */
void delivery_update_schedule(struct loop_context *loop);

#endif
