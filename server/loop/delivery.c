/* See delivery.h. */
#include "server/loop/delivery.h"

#include <stdlib.h>
#include <string.h>

#include "common/protocol/message.h"
#include "common/system/clock.h"

void delivery_update_schedule(struct loop_context *loop) {
    const struct snapshot_schedule schedule = broadcast_schedule(&loop->broadcast, &loop->sessions);
    simulation_set_schedule(loop->simulation, &schedule);
}

void delivery_send_event(struct loop_context *loop, struct message_event *event) {
    const struct session *session = session_set_find(&loop->sessions, event->by);
    if (session != NULL && session->client.name[0] != '\0') {
        memcpy(event->name, session->client.name, sizeof event->name);
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

/* Subscribers have all descriptions up to this revision. */
static void note_told(struct loop_context *loop, uint32_t revision) {
    for (struct session *session = loop->sessions.first; session != NULL; session = session->next) {
        if (session->subscription.is_active && session->known_revision < revision) {
            session->known_revision = revision;
        }
    }
}

/* The reply or error to a command; text: NULL for none. */
static void deliver_answer(struct session *session, const struct command *command, char *text,
                           size_t length) {
    if (command->request.op == REQUEST_STEP && message_is_reply(text, length)) {
        rate_limit_forgive(&session->limit, session_now_ms(session));
    }
    if (command->event.is_notice && session->notices.no_effect) {
        free(text);
        text = NULL;
    }
    session->notices.no_effect = session->notices.no_effect || command->event.is_notice;
    if (text != NULL) {
        session_send_text(session, text, length);
    }
    session_answered(session, request_has_trait(command->request.op, REQUEST_TRAIT_LONG_ANSWER));
}

static void deliver(struct loop_context *loop, struct sim_event *event) {
    if (event->kind == SIM_EVENT_MESSAGE) {
        delivery_send_event(loop, event->message);
        note_told(loop, event->revision);
        return;
    }
    char *text = event->text;
    const size_t length = event->length;
    event->text = NULL;
    if (event->kind == SIM_EVENT_SCENARIO) {
        broadcast_scenario(&loop->broadcast, event->epoch, event->tick_hz, text, length, &loop->sessions);
        note_told(loop, event->revision);
        delivery_update_schedule(loop);
        return;
    }
    struct session *session = session_set_find(&loop->sessions, event->session);
    if (session == NULL) {
        free(text);
        return;
    }
    deliver_answer(session, (const struct command *)event, text, length);
}

void delivery_take(struct loop_context *loop) {
    /* The snapshot first: the events of all that it shows are in the queue by then (simulation.h, 3). */
    const struct snapshot_slot *slot = simulation_take_snapshot(loop->simulation);
    struct sim_event *event = simulation_take_events(loop->simulation);
    while (event != NULL) {
        struct sim_event *next = event->next;
        deliver(loop, event);
        sim_event_free(event);
        event = next;
    }
    if (slot != NULL) {
        const uint64_t start_ns = clock_now_ns();
        broadcast_frame(&loop->broadcast, slot, &loop->sessions);
        tick_meter_add(&loop->statistics.broadcast_times, clock_now_ns() - start_ns);
    }
}
