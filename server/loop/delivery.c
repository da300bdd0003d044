/* See loop_context.h. */
#include "server/loop/loop_context.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "common/protocol/message.h"
#include "common/system/clock.h"

void delivery_update_schedule(struct loop_context *loop) {
    const struct snapshot_schedule schedule = broadcast_schedule(&loop->broadcast, &loop->sessions);
    broadcast_views(&loop->broadcast, &loop->views);
    simulation_set_views(loop->simulation, &loop->views);
    simulation_set_schedule(loop->simulation, &schedule);
}

static bool is_wanted(const struct loop_context *loop, uint64_t event, bool has_seq) {
    for (const struct session *session = loop->sessions.first; session != NULL; session = session->next) {
        if (broadcast_wants(session, event, has_seq)) {
            return true;
        }
    }
    return false;
}

static void send_event(struct loop_context *loop, const struct message_event *event, bool has_seq) {
    const uint64_t bit = message_event_bit(event->event);
    if (!is_wanted(loop, bit, has_seq)) {
        return;
    }
    struct buffer out;
    buffer_init(&out, LOOP_REPLY_BYTES);
    message_write_event(event, &out);
    size_t length = 0;
    char *text = buffer_take(&out, &length);
    if (text != NULL) {
        broadcast_event(text, length, bit, has_seq, &loop->sessions);
    }
}

void delivery_send_event(struct loop_context *loop, struct message_event *event, bool is_detail) {
    const struct session *session = event->is_recorded ? NULL : session_set_find(&loop->sessions, event->by);
    if (session != NULL && session->client.name[0] != '\0') {
        memcpy(event->name, session->client.name, sizeof event->name);
        event->has |= EVENT_HAS_NAME;
    }
    if (!is_detail) {
        send_event(loop, event, false);
    }
    event->seq = event->seq != 0 ? event->seq : loop->seq;
    event->has |= EVENT_HAS_SEQ;
    send_event(loop, event, true);
}

/* Subscribers have all descriptions up to this revision, unless they leave out events. */
static void note_told(struct loop_context *loop, uint32_t revision) {
    for (struct session *session = loop->sessions.first; session != NULL; session = session->next) {
        if (session->subscription.is_active && session->subscription.events == UINT64_MAX &&
            session->known_revision < revision) {
            session->known_revision = revision;
        }
    }
}

int delivery_weight(const struct request *request) {
    return request_answers_with_frame(request) ? SESSION_LONG_ANSWERS
                                               : request_has_trait(request->op, REQUEST_TRAIT_LONG_ANSWER);
}

/* An answer with a frame counts as a frame, until it is sent. Where those have no room, an error goes instead. */
static void send_frame_answer(struct loop_context *loop, struct session *session,
                              const struct command *command, char *text, size_t length) {
    struct frame_memory *memory = &loop->broadcast.scratch.memory;
    if (frame_memory_room(memory) < length) {
        struct failure failure = {0};
        free(text);
        (void)failure_set(&failure, FAILURE_BUSY, NULL,
                          "%sthe frame of %zu bytes finds no room in the memory for frames (--frame-memory)",
                          command->request.op == REQUEST_STEP ? "the ticks are done, but " : "", length);
        struct buffer out;
        session->errors++;
        buffer_init(&out, LOOP_REPLY_BYTES);
        message_write_refusal(&command->request, command->origin.line, &failure, &out);
        session_send(session, &out);
        buffer_fini(&out);
        return;
    }
    struct shared_bytes *shared = shared_bytes_create_counted(text, length, &memory->held);
    if (shared == NULL) {
        session_close(session, "slow", "out of memory");
        return;
    }
    session_send_shared(session, shared);
    shared_bytes_release(shared);
}

/* The reply or error to a command; text: NULL for none. */
static void deliver_answer(struct loop_context *loop, struct session *session, const struct command *command,
                           char *text, size_t length) {
    const bool is_reply = text == NULL || message_is_reply(text, length);
    session->errors += is_reply || command->event.is_notice ? 0 : 1;
    if (command->request.op == REQUEST_STEP && text != NULL && is_reply) {
        rate_limit_forgive(&session->limit, session_now_ms(session));
    }
    if (command->event.is_notice && session->notices.no_effect) {
        free(text);
        text = NULL;
    }
    session->notices.no_effect = session->notices.no_effect || command->event.is_notice;
    if (text != NULL) {
        if (session->client.wants_seq) {
            text = message_add_seq(text, &length,
                                   command->event.seq != 0 ? command->event.seq : session_seq(session));
        }
        if (request_answers_with_frame(&command->request) && length > LIMIT_CONTROL_BYTES) {
            send_frame_answer(loop, session, command, text, length);
        } else {
            session_send_text(session, text, length);
        }
    }
    if (command->request.has_at) {
        session_tick_answered(session);
    } else {
        session_answered(session, delivery_weight(&command->request));
    }
}

/* In place of the answer to a change that took effect and will never be on disk. */
static void write_loss(struct sim_event *event, const struct failure *why) {
    const struct command *command = (const struct command *)event;
    struct failure failure = {0};
    struct buffer out;
    (void)failure_set(&failure, FAILURE_IO, NULL, "the request took effect, but is not on disk: %s",
                      why->message);
    buffer_init(&out, LOOP_REPLY_BYTES);
    message_write_refusal(&command->request, command->origin.line, &failure, &out);
    free(event->text);
    event->text = buffer_take(&out, &event->length);
}

/* Whether the event may leave. */
static bool is_free(struct loop_context *loop, struct sim_event *event) {
    struct failure failure = {0};
    if (simulation_is_safe(loop->simulation, event->position)) {
        return true;
    }
    if (simulation_has_lost(loop->simulation, event->position, &failure)) {
        write_loss(event, &failure);
        return true;
    }
    return false;
}

static void deliver(struct loop_context *loop, struct sim_event *event) {
    if (event->seq > loop->seq || event->kind == SIM_EVENT_SCENARIO) {
        loop->seq = event->seq; /* a replay that goes back has lower numbers again */
    }
    if (event->kind == SIM_EVENT_MESSAGE) {
        delivery_send_event(loop, event->message, event->is_detail);
        note_told(loop, event->revision);
        return;
    }
    char *text = event->text;
    const size_t length = event->length;
    event->text = NULL;
    if (event->kind == SIM_EVENT_SCENARIO) {
        broadcast_scenario(&loop->broadcast, event->epoch, event->tick_hz, text, length, &loop->sessions);
        note_told(loop, event->revision);
        session_describe_send_arrival(loop);
        cursors_settle(&loop->cursors, loop->simulation, &loop->sessions);
        delivery_update_schedule(loop);
        return;
    }
    struct session *session = session_set_find(&loop->sessions, event->session);
    if (session == NULL) {
        free(text);
        return;
    }
    deliver_answer(loop, session, (const struct command *)event, text, length);
}

static void take_events(struct loop_context *loop) {
    struct held_events *held = &loop->held;
    struct sim_event *event = simulation_take_events(loop->simulation);
    if (event == NULL) {
        return;
    }
    if (held->first == NULL) {
        held->first = event;
    } else {
        held->last->next = event;
    }
    for (; event != NULL; event = event->next) {
        held->last = event;
        held->taken++;
    }
}

static void deliver_held(struct loop_context *loop) {
    struct held_events *held = &loop->held;
    while (held->first != NULL && is_free(loop, held->first)) {
        struct sim_event *event = held->first;
        held->first = event->next;
        held->delivered++;
        deliver(loop, event);
        sim_event_free(event);
    }
}

/* ---- frames ---- */

static void encode_frames(uv_work_t *work) {
    struct loop_context *loop = work->data;
    broadcast_encode(&loop->broadcast);
}

static void send_frames(struct loop_context *loop) {
    broadcast_end(&loop->broadcast, &loop->sessions);
    tick_meter_add(&loop->statistics.broadcast_times, clock_now_ns() - loop->encoding.begun_ns);
}

static void on_encoded(uv_work_t *work, int status) {
    struct loop_context *loop = work->data;
    (void)status;
    free(work);
    loop->encoding.is_under_way = false;
    send_frames(loop);
    delivery_take(loop); /* what came meanwhile */
}

/* -1 when there is no thread for it. */
static int encode_elsewhere(struct loop_context *loop) {
    uv_work_t *work = malloc(sizeof *work);
    if (work == NULL) {
        return -1;
    }
    work->data = loop;
    if (uv_queue_work(loop->uv, work, encode_frames, on_encoded) != 0) {
        free(work);
        return -1;
    }
    loop->encoding.is_under_way = true;
    return 0;
}

/* Returns whether they left. Otherwise another thread encodes them. */
static bool make_frames(struct loop_context *loop, const struct snapshot_slot *slot) {
    loop->encoding.begun_ns = clock_now_ns();
    if (broadcast_begin(&loop->broadcast, slot, &loop->sessions) && encode_elsewhere(loop) == 0) {
        return false;
    }
    broadcast_encode(&loop->broadcast);
    send_frames(loop);
    return true;
}

/* Returns whether a frame left: another one may wait behind it. */
static bool take_once(struct loop_context *loop) {
    struct held_events *held = &loop->held;
    /* The snapshot first: the events of all that it shows are in the queue by then (simulation.h, 3). */
    const bool takes_snapshot = held->slot == NULL && !loop->encoding.is_under_way;
    const struct snapshot_slot *slot = takes_snapshot ? simulation_take_snapshot(loop->simulation) : NULL;
    take_events(loop);
    if (slot != NULL) {
        held->slot = slot;
        held->slot_after = held->taken;
    }
    deliver_held(loop);
    if (held->slot == NULL || held->delivered < held->slot_after) {
        return false;
    }
    slot = held->slot;
    held->slot = NULL;
    return make_frames(loop, slot);
}

void delivery_take(struct loop_context *loop) {
    while (take_once(loop)) {}
}

void delivery_end(struct loop_context *loop) {
    struct sim_event *event = NULL;
    while ((event = loop->held.first) != NULL) {
        loop->held.first = event->next;
        sim_event_free(event);
    }
    loop->held = (struct held_events){0};
}
