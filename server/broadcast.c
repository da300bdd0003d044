/* See broadcast.h. */
#include "server/broadcast.h"

#include "common/log.h"
#include "common/request.h"
#include <math.h>

void broadcast_init(struct broadcast *broadcast) {
    *broadcast = (struct broadcast){0};
    frame_scratch_init(&broadcast->scratch);
}

void broadcast_fini(struct broadcast *broadcast) {
    for (int i = 0; i < broadcast->form_count; i++) {
        frame_form_destroy(broadcast->forms[i]);
    }
    frame_scratch_fini(&broadcast->scratch);
    *broadcast = (struct broadcast){.epoch = broadcast->epoch};
}

uint64_t broadcast_every(double tick_hz, double wished_hz) {
    /* A hair of tolerance: 60 Hz at a wished 19.999999999 is every third tick, not every fourth. */
    const double every = ceil(tick_hz / wished_hz - 1e-9);
    return every < 1.0 ? 1 : (uint64_t)every;
}

static bool has_frames(const struct subscription *subscription) {
    return subscription->is_active && subscription->view.layout != LAYOUT_EVENTS;
}

bool broadcast_is_due(const struct subscription *subscription, uint64_t tick, uint64_t pace,
                      enum audience audience, bool has_forces) {
    if (!has_frames(subscription) || (subscription->forces && !has_forces)) {
        return false;
    }
    if (!subscription->has_sent || audience == AUDIENCE_ALL) {
        return true;
    }
    if (audience == AUDIENCE_NEWER) {
        return tick > subscription->last_tick;
    }
    if (audience == AUDIENCE_PACE) {
        return pace / subscription->every > subscription->last_pace / subscription->every;
    }
    return tick / subscription->every > subscription->last_tick / subscription->every;
}

/* ---- forms ---- */

static struct frame_form *find_form(const struct broadcast *broadcast, const struct snapshot_view *view) {
    for (int i = 0; i < broadcast->form_count; i++) {
        if (snapshot_view_equals(&broadcast->forms[i]->view, view)) {
            return broadcast->forms[i];
        }
    }
    return NULL;
}

/* Drops the forms that nobody has any more, and with them their keys. */
static void sweep(struct broadcast *broadcast, const struct session_set *sessions) {
    for (int i = 0; i < broadcast->form_count; i++) {
        broadcast->forms[i]->is_used = false;
    }
    for (const struct session *session = sessions->first; session != NULL; session = session->next) {
        if (has_frames(&session->subscription)) {
            struct frame_form *form = find_form(broadcast, &session->subscription.view);
            if (form != NULL) {
                form->is_used = true;
            }
        }
    }
    int kept = 0;
    for (int i = 0; i < broadcast->form_count; i++) {
        if (broadcast->forms[i]->is_used) {
            broadcast->forms[kept++] = broadcast->forms[i];
        } else {
            frame_form_destroy(broadcast->forms[i]);
        }
    }
    broadcast->form_count = kept;
}

enum broadcast_join broadcast_join(struct broadcast *broadcast, const struct session_set *sessions,
                                   struct session *session, const struct subscription *subscription) {
    const struct subscription before = session->subscription;
    session->subscription.is_active = false; /* its own form makes room */
    sweep(broadcast, sessions);
    session->subscription = before;
    if (!has_frames(subscription) || find_form(broadcast, &subscription->view) != NULL) {
        session->subscription = *subscription;
        return BROADCAST_JOINED;
    }
    if (broadcast->form_count == LIMIT_FORMS) {
        return BROADCAST_FULL;
    }
    struct frame_form *form = frame_form_create(&subscription->view);
    if (form == NULL) {
        return BROADCAST_NO_MEMORY;
    }
    broadcast->forms[broadcast->form_count++] = form;
    session->subscription = *subscription;
    return BROADCAST_JOINED;
}

struct demand broadcast_demand(struct broadcast *broadcast, const struct session_set *sessions) {
    sweep(broadcast, sessions);
    struct demand demand = {0};
    for (const struct session *session = sessions->first; session != NULL; session = session->next) {
        if (has_frames(&session->subscription)) {
            demand.headings =
                demand.headings || (session->subscription.view.fields & (unsigned)SNAPSHOT_HEADING) != 0;
            demand_add(&demand, session->subscription.every, session->subscription.forces);
        }
    }
    return demand;
}

/* ---- frames ---- */

static void offer(struct broadcast *broadcast, const struct snapshot *snapshot, struct session *session) {
    struct subscription *subscription = &session->subscription;
    if (subscription->view.fields & ~snapshot->fields & (unsigned)SNAPSHOT_HEADING) {
        return; /* copied out before it subscribed: the next one has them */
    }
    struct frame_form *form = find_form(broadcast, &subscription->view);
    if (form == NULL || !frame_form_make(form, snapshot, &broadcast->scratch)) {
        return;
    }
    subscription->has_sent = true;
    subscription->last_tick = snapshot->tick;
    subscription->last_pace = snapshot->pace;
    if (form->key != NULL) {
        session_offer_keyed(session, form->key, form->packed.number, form->frame);
    } else {
        session_offer_frame(session, form->frame);
    }
}

void broadcast_frame(struct broadcast *broadcast, const struct snapshot_slot *slot,
                     struct session_set *sessions) {
    const struct snapshot *snapshot = slot->snapshot;
    if (snapshot->epoch < broadcast->epoch) {
        return;
    }
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        if (broadcast_is_due(&session->subscription, snapshot->tick, snapshot->pace, slot->audience,
                             snapshot->has_forces)) {
            offer(broadcast, snapshot, session);
        }
    }
    for (int i = 0; i < broadcast->form_count; i++) {
        frame_form_forget(broadcast->forms[i]);
    }
}

void broadcast_line(char *text, size_t length, struct session_set *sessions) {
    struct shared_bytes *line = shared_bytes_create(text, length);
    if (line == NULL) {
        log_write(LOG_ERROR, "broadcast", "short of memory: an event is lost");
        return;
    }
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        if (session->subscription.is_active) {
            session_tell(session, line);
        }
    }
    shared_bytes_release(line);
}

void broadcast_scenario(struct broadcast *broadcast, uint32_t epoch, double tick_hz, char *text,
                        size_t length, struct session_set *sessions) {
    broadcast->epoch = epoch;
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        struct subscription *subscription = &session->subscription;
        if (subscription->is_active) {
            session_drop_frame(session);
            subscription->has_sent = false;
            subscription->every = broadcast_every(tick_hz, subscription->hz);
        }
    }
    broadcast_line(text, length, sessions);
}
