/* See notices.h. */
#include "server/sessions/notices.h"

#include <assert.h>
#include <stdio.h>

bool notices_lag(struct session *session, uint64_t now_ms, struct message_event *event) {
    struct session_notices *notices = &session->notices;
    const uint64_t frames_skipped = session->stream.queue.frames_skipped;
    assert(frames_skipped >= notices->frames_skipped);
    const bool is_behind = session_is_behind(session);
    const uint64_t skipped = frames_skipped - notices->frames_skipped;
    const bool is_due = notices->frames_skipped == 0 || now_ms - notices->lag_ms >= NOTICES_LAG_MS;
    if (!is_behind && (skipped == 0 || !is_due || session->left_out > 0)) {
        return false;
    }
    notices->frames_skipped = frames_skipped;
    notices->lag_ms = now_ms;
    *event = (struct message_event){.has = EVENT_HAS_SKIPPED, .skipped = skipped};
    (void)snprintf(event->event, sizeof event->event, "lag");
    if (is_behind) {
        const uint64_t left_out = session_catch_up(session);
        event->has |= EVENT_HAS_LEFT_OUT;
        event->left_out = left_out < UINT32_MAX ? (uint32_t)left_out : UINT32_MAX;
    }
    return session->subscription.is_active;
}

bool notices_stepping(struct session *session, uint64_t now_ms, struct message_event *event) {
    struct session_notices *notices = &session->notices;
    if (session->outstanding == 0 || !session_is_half_closed(session)) {
        notices->stepping_ms = 0;
        return false;
    }
    if (notices->stepping_ms != 0 && now_ms - notices->stepping_ms < NOTICES_STEPPING_MS) {
        return false;
    }
    const bool is_due = notices->stepping_ms != 0;
    notices->stepping_ms = now_ms;
    *event = (struct message_event){0};
    (void)snprintf(event->event, sizeof event->event, "stepping");
    return is_due;
}
