/* From the simulation to the sessions: answers, events, scenarios and frames. On the loop.
 */
#ifndef DROVER_SERVER_LOOP_DELIVERY_H
#define DROVER_SERVER_LOOP_DELIVERY_H

#include "common/protocol/message.h"
#include "server/loop/loop_context.h"

/** Takes all that the simulation has ready and sends it. */
void delivery_take(struct loop_context *loop);
/** Sends an event to every subscriber, with the name of the session that caused it (event->by). */
void delivery_send_event(struct loop_context *loop, struct message_event *event);
/** Passes on which frames the subscriptions need; after a change of them. */
void delivery_update_schedule(struct loop_context *loop);

#endif
