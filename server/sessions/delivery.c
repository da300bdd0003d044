/* See delivery.h. */
#include "server/sessions/delivery.h"

#include <stdlib.h>
#include <string.h>

#include "common/protocol/message.h"
#include "common/system/clock.h"

void delivery_update_demand(struct loop_context *loop) {
    const struct demand demand = broadcast_demand(&loop->broadcast, &loop->sessions);
    simulation_set_demand(loop->simulation, &demand);
}

/* Names the one who did it, and tells everybody. */
void delivery_send_event(struct loop_context *loop, struct message_event *event) {
    const struct session *session = session_set_find(&loop->sessions, event->by);
    if (session != NULL && session->guest.name[0] != '\0') {
        memcpy(event->name, session->guest.name, sizeof event->name);
        event->has |= EVENT_HAS_NAME;
    }
    struct buffer out;
    buffer_init(&out, LOOP_REPLY_BYTES);
    message_write_event(event, &out);
    size_t length = 0;
    char *text = buffer_take(&out, &length);
    if (text != NULL) {
        broadcast_line(text, length, &loop->sessions);
    }
}

/* Who is subscribed has been told of everything up to this revision. */
static void note_told(struct loop_context *loop, uint32_t revision) {
    for (struct session *session = loop->sessions.first; session != NULL; session = session->next) {
        if (session->subscription.is_active && session->guest.told < revision) {
            session->guest.told = revision;
        }
    }
}

/* The reply or error to a command; text is NULL when none is due. */
static void deliver_answer(struct session *session, const struct command *command, char *text,
                           size_t length) {
    if (command->request.op == REQUEST_STEP && message_is_reply(text, length)) {
        rate_limit_forgive(&session->limit, uv_now(session->tcp.loop));
    }
    if (command->outcome.is_notice && session->guest.unheeded_told) {
        free(text);
        text = NULL;
    }
    session->guest.unheeded_told = session->guest.unheeded_told || command->outcome.is_notice;
    if (text != NULL) {
        session_send_text(session, text, length);
    }
    session_answered(session, request_has_trait(command->request.op, REQUEST_TRAIT_LONG_ANSWER));
}

static void deliver(struct loop_context *loop, struct outcome *outcome) {
    if (outcome->kind == OUTCOME_EVENT) {
        delivery_send_event(loop, outcome->event);
        note_told(loop, outcome->revision);
        return;
    }
    char *text = outcome->text;
    const size_t length = outcome->length;
    outcome->text = NULL;
    if (outcome->kind == OUTCOME_SCENARIO) {
        broadcast_scenario(&loop->broadcast, outcome->epoch, outcome->tick_hz, text, length, &loop->sessions);
        note_told(loop, outcome->revision);
        delivery_update_demand(loop);
        return;
    }
    struct session *session = session_set_find(&loop->sessions, outcome->session);
    if (session == NULL) {
        free(text);
        return;
    }
    deliver_answer(session, (const struct command *)outcome, text, length);
}

void delivery_take(struct loop_context *loop) {
    /* The snapshot first: whatever it shows has its outcome in the outbox by then (simulation.h, 3). */
    const struct snapshot_slot *slot = simulation_take_snapshot(loop->simulation);
    struct outcome *outcome = simulation_take_outcomes(loop->simulation);
    while (outcome != NULL) {
        struct outcome *next = outcome->next;
        deliver(loop, outcome);
        outcome_free(outcome);
        outcome = next;
    }
    if (slot != NULL) {
        const uint64_t start_ns = clock_now_ns();
        broadcast_frame(&loop->broadcast, slot, &loop->sessions);
        tick_meter_add(&loop->statistics.broadcast_times, clock_now_ns() - start_ns);
    }
}
