/* See broadcast.h. */
#include "server/broadcast/broadcast.h"

#include <math.h>

#include <uv.h>

#include "common/protocol/request.h"
#include "common/system/clock.h"
#include "common/system/log.h"

void broadcast_init(struct broadcast *broadcast, size_t memory_limit) {
    *broadcast = (struct broadcast){0};
    frame_scratch_init(&broadcast->scratch, memory_limit);
}

void broadcast_fini(struct broadcast *broadcast) {
    for (int i = 0; i < broadcast->form_count; i++) {
        frame_form_destroy(broadcast->forms[i], &broadcast->scratch);
    }
    frame_scratch_fini(&broadcast->scratch);
    broadcast->form_count = 0;
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
            frame_form_destroy(broadcast->forms[i], &broadcast->scratch);
        }
    }
    broadcast->form_count = kept;
}

enum broadcast_join broadcast_join(struct broadcast *broadcast, const struct session_set *sessions,
                                   struct session *session, const struct subscription *subscription,
                                   const struct frame_estimate *estimate) {
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
    if (estimate->key + 2 * estimate->frame > broadcast->scratch.memory.limit) {
        return BROADCAST_TOO_LARGE;
    }
    struct frame_form *form = frame_form_create(&subscription->view, estimate);
    if (form == NULL) {
        return BROADCAST_NO_MEMORY;
    }
    broadcast->forms[broadcast->form_count++] = form;
    session->subscription = *subscription;
    return BROADCAST_JOINED;
}

struct snapshot_schedule broadcast_schedule(struct broadcast *broadcast, const struct session_set *sessions) {
    sweep(broadcast, sessions);
    struct snapshot_schedule schedule = {0};
    for (const struct session *session = sessions->first; session != NULL; session = session->next) {
        if (has_frames(&session->subscription)) {
            schedule.headings =
                schedule.headings || (session->subscription.view.fields & (unsigned)SNAPSHOT_HEADING) != 0;
            snapshot_schedule_add(&schedule, session->subscription.every, session->subscription.forces);
        }
    }
    return schedule;
}

/* ---- memory ---- */

static bool has_room(const struct broadcast *broadcast, size_t bytes) {
    return frame_memory_room(&broadcast->scratch.memory) >= bytes;
}

static bool is_behind(const struct session *session) {
    return session->queue.frame != NULL || session_behind_ms(session) > 0;
}

/* The one furthest behind of those for whom a frame waits; NULL when there is none. */
static struct session *find_waiting(const struct session_set *sessions) {
    struct session *found = NULL;
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        if (session->queue.frame != NULL &&
            (found == NULL || session_behind_ms(session) > session_behind_ms(found))) {
            found = session;
        }
    }
    return found;
}

/* How far a session deserves to be closed for the room that its frames take: not at all (0), or the more the
 * larger. Who takes nothing comes before who takes little. */
static uint64_t blame(const struct session *session) {
    if (session->phase != SESSION_OPEN || send_queue_writing_frame_bytes(&session->queue) == 0) {
        return 0;
    }
    const uint64_t stalled_ms = session_stalled_ms(session), behind_ms = session_behind_ms(session);
    return stalled_ms >= BROADCAST_STALLED_MS ? (UINT64_C(1) << 32) + stalled_ms
           : behind_ms >= BROADCAST_BEHIND_MS ? behind_ms
                                              : 0;
}

static struct session *find_stuck(const struct session_set *sessions) {
    struct session *found = NULL;
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        if (blame(session) > (found == NULL ? 0 : blame(found))) {
            found = session;
        }
    }
    return found;
}

/* What sessions that are closing will give back before long. */
static size_t leaving_bytes(const struct session_set *sessions) {
    size_t bytes = 0;
    for (const struct session *session = sessions->first; session != NULL; session = session->next) {
        bytes += session->phase != SESSION_OPEN ? send_queue_writing_frame_bytes(&session->queue) : 0;
    }
    return bytes;
}

static void leave_out(struct broadcast *broadcast, struct session *session) {
    session_skip_frame(session);
    session->subscription.has_sent = false;
    broadcast->has_left_out = true;
}

/* Keys of forms that nobody who keeps up looks at. */
static void drop_keys(struct broadcast *broadcast, const struct session_set *sessions, size_t bytes) {
    for (int i = 0; i < broadcast->form_count; i++) {
        broadcast->forms[i]->is_read = false;
    }
    for (const struct session *session = sessions->first; session != NULL; session = session->next) {
        struct frame_form *form = has_frames(&session->subscription) && !is_behind(session)
                                      ? find_form(broadcast, &session->subscription.view)
                                      : NULL;
        if (form != NULL) {
            form->is_read = true;
        }
    }
    for (int i = 0; i < broadcast->form_count && !has_room(broadcast, bytes); i++) {
        if (!broadcast->forms[i]->is_read && broadcast->forms[i]->key != NULL) {
            frame_form_drop_key(broadcast->forms[i], &broadcast->scratch);
        }
    }
}

/* Makes room at the expense of those who are behind. What a session that is closed holds comes free a little
 * later: the frame that it is for may have to wait for the next snapshot. */
static bool make_room(struct broadcast *broadcast, struct session_set *sessions, size_t bytes) {
    struct session *session = NULL;
    while (!has_room(broadcast, bytes) && (session = find_waiting(sessions)) != NULL) {
        leave_out(broadcast, session);
    }
    if (!has_room(broadcast, bytes)) {
        drop_keys(broadcast, sessions, bytes);
    }
    broadcast->wanted_bytes += bytes;
    size_t leaving = leaving_bytes(sessions);
    while (!has_room(broadcast, broadcast->wanted_bytes > leaving ? broadcast->wanted_bytes - leaving : 0) &&
           (session = find_stuck(sessions)) != NULL) {
        leaving += send_queue_writing_frame_bytes(&session->queue);
        session_close(session, "slow", "the memory for frames is used up, and others take theirs");
    }
    return has_room(broadcast, bytes);
}

static void say_short(struct broadcast *broadcast, uint64_t now_ms) {
    const struct frame_memory *memory = &broadcast->scratch.memory;
    if (broadcast->said_ms == 0 || now_ms - broadcast->said_ms >= BROADCAST_SAY_MS) {
        broadcast->said_ms = now_ms;
        log_write(LOG_WARN, "broadcast", "frames are left out: %zu of %zu bytes for them are taken",
                  memory->held.now, memory->limit);
    }
}

bool broadcast_wants_snapshot(struct broadcast *broadcast, uint64_t now_ms) {
    if (!broadcast->has_left_out || now_ms - broadcast->asked_ms < BROADCAST_ASK_MS) {
        return false;
    }
    broadcast->has_left_out = false;
    broadcast->asked_ms = now_ms;
    return true;
}

/* ---- frames ---- */

/* The form with its frame, made now if need be; NULL when there is no room, or no time. */
static struct frame_form *make_frame(struct broadcast *broadcast, const struct snapshot *snapshot,
                                     struct session_set *sessions, const struct session *session) {
    struct frame_form *form = find_form(broadcast, &session->subscription.view);
    if (form == NULL || form->frame != NULL) {
        return form;
    }
    if (broadcast->made_ns >= BROADCAST_MAKE_MS * UINT64_C(1000000)) {
        return NULL;
    }
    const size_t bytes = frame_form_needs(form);
    const bool may_ever_fit = bytes <= broadcast->scratch.memory.limit;
    if (!has_room(broadcast, bytes) &&
        !(may_ever_fit && !is_behind(session) && make_room(broadcast, sessions, bytes)) &&
        snapshot->clock_ms - form->tried_ms < BROADCAST_TRY_MS) {
        say_short(broadcast, uv_now(sessions->loop));
        return NULL;
    }
    form->tried_ms = snapshot->clock_ms;
    const uint64_t begun_ns = clock_now_ns();
    const bool is_made = frame_form_make(form, snapshot, &broadcast->scratch);
    broadcast->made_ns += clock_now_ns() - begun_ns;
    return is_made ? form : NULL;
}

static void offer(struct broadcast *broadcast, const struct snapshot *snapshot, struct session_set *sessions,
                  struct session *session) {
    struct subscription *subscription = &session->subscription;
    if (subscription->view.fields & ~snapshot->fields & (unsigned)SNAPSHOT_HEADING) {
        return; /* copied out before it subscribed: the next one has them */
    }
    const struct frame_form *form = make_frame(broadcast, snapshot, sessions, session);
    if (form == NULL) {
        leave_out(broadcast, session);
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

/* Who is served first: of those who keep up the ones that had nothing last time, and of these the ones that
 * have read something before. */
enum { TURN_NONE, TURN_OWED, TURN_NEW, TURN_READY, TURN_BEHIND };

static int turn_of(const struct session *session) {
    return is_behind(session)                ? TURN_BEHIND
           : session->subscription.has_sent  ? TURN_READY
           : session->queue.frames_sent == 0 ? TURN_NEW
                                             : TURN_OWED;
}

static void take_turns(const struct snapshot_slot *slot, struct session_set *sessions) {
    const struct snapshot *snapshot = slot->snapshot;
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        const bool is_due = broadcast_is_due(&session->subscription, snapshot->tick, snapshot->pace,
                                             slot->audience, snapshot->has_forces);
        session->subscription.turn = is_due ? turn_of(session) : TURN_NONE;
    }
}

void broadcast_frame(struct broadcast *broadcast, const struct snapshot_slot *slot,
                     struct session_set *sessions) {
    if (slot->snapshot->epoch < broadcast->epoch) {
        return;
    }
    take_turns(slot, sessions);
    broadcast->wanted_bytes = 0;
    broadcast->made_ns = 0;
    for (int turn = TURN_OWED; turn <= TURN_BEHIND; turn++) {
        for (struct session *session = sessions->first; session != NULL; session = session->next) {
            if (session->subscription.turn == turn && session->subscription.is_active) {
                offer(broadcast, slot->snapshot, sessions, session);
            }
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
