/* Delivers answers, events, scenarios and frames from the simulation to the sessions. On the loop.
 */
#ifndef DROVER_SERVER_LOOP_DELIVERY_H
#define DROVER_SERVER_LOOP_DELIVERY_H

#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "server/loop/loop_context.h"

/** Takes every event and the newest snapshot of the simulation and sends them, as far as the journal is on disk (--sync
 * always). Call it again when more of it is. */
void delivery_take(struct loop_context *loop);
/** Frees what is held and was not sent. */
void delivery_end(struct loop_context *loop);
/** Sends an event to every subscriber, with the name of the session that caused it (event->by); to those that asked for
 * it with event->seq, of which 0 stands for the last change's. is_detail: to these alone. */
void delivery_send_event(struct loop_context *loop, struct message_event *event, bool is_detail);
/** As how many long answers the answer to a request counts (session_expect_answer). */
int delivery_weight(const struct request *request);
/** Gives the simulation the schedule of the subscriptions, after one of them changed. */
void delivery_update_schedule(struct loop_context *loop);

#endif
