/* See broadcast.h. */
#include "server/broadcast/broadcast.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/protocol/message.h"
#include "common/protocol/message_event.h"
#include "common/protocol/request.h"
#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/sessions/session.h"

enum { ERROR_BYTES = 4096 };

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
    assert(tick_hz > 0.0 && wished_hz > 0.0);
    const double every = ceil(tick_hz / wished_hz - 1e-9);
    return every < 1.0 ? 1 : (uint64_t)every;
}

static bool has_frames(const struct subscription *subscription) {
    return subscription->is_active && frame_layout_has_frames(frame_layout_row(subscription->view.layout));
}

bool broadcast_is_due(const struct subscription *subscription, uint64_t tick, uint64_t clock_tick,
                      enum frame_reason reason, bool has_forces) {
    if (!has_frames(subscription) || (subscription->forces && !has_forces)) {
        return false;
    }
    if (!subscription->has_sent || reason == FRAME_REASON_ALL) {
        return true;
    }
    assert(subscription->every > 0);
    if (reason == FRAME_REASON_NEWER) {
        return tick > subscription->last_tick;
    }
    if (reason == FRAME_REASON_CLOCK) {
        return clock_tick / subscription->every > subscription->last_clock_tick / subscription->every;
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

/* Frees the forms without a subscription, and with them their keys. */
static void drop_unused_forms(struct broadcast *broadcast, const struct session_set *sessions) {
    broadcast->has_unused = broadcast->slot != NULL;
    if (broadcast->has_unused) {
        return; /* they may be encoded now: later */
    }
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

/* A session whose end has begun gets no subscription. */
static void give(struct broadcast *broadcast, struct session *session,
                 const struct subscription *subscription) {
    session->subscription = *subscription;
    session->subscription.explained = subscription->forces ? ++broadcast->explained : 0;
    session->subscription.is_active = subscription->is_active && session_is_open(session);
}

/* Gives a session a subscription in place of its old one, which stays when there is no room for another
 * form. BROADCAST_TOO_LARGE: the memory of frames does not hold two frames of the estimate. */
static enum broadcast_result give_subscription(struct broadcast *broadcast,
                                               const struct session_set *sessions, struct session *session,
                                               const struct subscription *subscription,
                                               const struct frame_estimate *estimate) {
    const struct subscription before = session->subscription;
    session->subscription.is_active = false; /* its own form makes room */
    drop_unused_forms(broadcast, sessions);
    session->subscription = before;
    if (!has_frames(subscription) || find_form(broadcast, &subscription->view) != NULL) {
        give(broadcast, session, subscription);
        return BROADCAST_SUBSCRIBED;
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
    assert(broadcast->form_count < LIMIT_FORMS);
    broadcast->forms[broadcast->form_count++] = form;
    give(broadcast, session, subscription);
    return BROADCAST_SUBSCRIBED;
}

struct snapshot_schedule broadcast_schedule(struct broadcast *broadcast, const struct session_set *sessions) {
    drop_unused_forms(broadcast, sessions);
    struct snapshot_schedule schedule = {.explained = broadcast->explained};
    for (const struct session *session = sessions->first; session != NULL; session = session->next) {
        if (has_frames(&session->subscription) && !session->is_elsewhere) {
            schedule.headings =
                schedule.headings || (session->subscription.view.fields & (unsigned)SNAPSHOT_HEADING) != 0;
            schedule.parts =
                schedule.parts || (session->subscription.view.fields & (unsigned)SNAPSHOT_PARTS) != 0;
            schedule.twins =
                schedule.twins || (session->subscription.view.fields & (unsigned)SNAPSHOT_TWIN) != 0;
            snapshot_schedule_add(&schedule, session->subscription.every, session->subscription.forces);
        }
    }
    return schedule;
}

/* The failure of a view that shows so many agents of a world in stripes, more than are gathered. Returns -1. */
static int fail_agents(uint64_t shown, struct failure *failure) {
    bool is_limited = false;
    return failure_set(failure, FAILURE_UNSUPPORTED, NULL, "the view shows %" PRIu64 " agents; %s", shown,
                       request_stripes_refusal(REQUEST_SUBSCRIBE, &is_limited));
}

void broadcast_views(const struct broadcast *broadcast, struct snapshot_demand *views) {
    views->count = 0;
    for (int i = 0; i < broadcast->form_count; i++) {
        snapshot_demand_add(views, &broadcast->forms[i]->view);
    }
}

/* ---- memory ---- */

static bool has_room(const struct broadcast *broadcast, size_t bytes) {
    return frame_memory_room(&broadcast->scratch.memory) >= broadcast->asked_bytes + bytes;
}

static bool is_behind(const struct session *session) {
    return session->stream.queue.frame != NULL || session_behind_ms(session) > 0;
}

/* The session furthest behind of those with a waiting frame; NULL when there is none. */
static struct session *find_waiting(const struct session_set *sessions) {
    struct session *found = NULL;
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        if (session->stream.queue.frame != NULL &&
            (found == NULL || session_behind_ms(session) > session_behind_ms(found))) {
            found = session;
        }
    }
    return found;
}

/* How strongly a session is a candidate for being closed because of the memory that its frames hold: 0 is not at
 * all. A session that accepts nothing comes before one that accepts little. */
static uint64_t eviction_score(const struct session *session) {
    if (!session_is_open(session) || send_queue_writing_frame_bytes(&session->stream.queue) == 0) {
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
        if (eviction_score(session) > (found == NULL ? 0 : eviction_score(found))) {
            found = session;
        }
    }
    return found;
}

/* The bytes that closing sessions will free soon. */
static size_t leaving_bytes(const struct session_set *sessions) {
    size_t bytes = 0;
    for (const struct session *session = sessions->first; session != NULL; session = session->next) {
        bytes += !session_is_open(session) ? send_queue_writing_frame_bytes(&session->stream.queue) : 0;
    }
    return bytes;
}

static void leave_out(struct broadcast *broadcast, struct session *session) {
    session_skip_frame(session);
    session->subscription.has_sent = false;
    broadcast->has_left_out = true;
}

/* Frees keys of forms to which no session that keeps up is subscribed. */
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
        if (!broadcast->forms[i]->is_read && broadcast->forms[i]->packed.number != 0) {
            frame_form_drop_key(broadcast->forms[i], &broadcast->scratch);
        }
    }
}

/* Makes room at the expense of sessions that are behind. The memory of a session that is closed becomes free a
 * little later, so the frame may have to wait for the next snapshot. */
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
        leaving += send_queue_writing_frame_bytes(&session->stream.queue);
        session_close(session, "slow",
                      "the memory for frames is used up, and this session does not read its frames");
    }
    return has_room(broadcast, bytes);
}

static void log_shortage(struct broadcast *broadcast, uint64_t now_ms) {
    const struct frame_memory *memory = &broadcast->scratch.memory;
    if (broadcast->logged_ms == 0 || now_ms - broadcast->logged_ms >= BROADCAST_LOG_MS) {
        broadcast->logged_ms = now_ms;
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

/* Whether the snapshot has what the session's view shows; otherwise the next one has. */
static bool is_in(const struct broadcast *broadcast, const struct snapshot *snapshot,
                  const struct snapshot_view *view) {
    return (view->fields & ~snapshot->fields & (unsigned)(SNAPSHOT_HEADING | SNAPSHOT_PARTS)) == 0 &&
           snapshot_extract_shows(broadcast->scratch.extract, view);
}

/* Asks for the frame of the session's form, unless that is asked for or there is no room. */
static void ask(struct broadcast *broadcast, struct session_set *sessions, struct session *session) {
    const struct snapshot *snapshot = broadcast->slot->snapshot;
    struct frame_form *form = find_form(broadcast, &session->subscription.view);
    if (form != NULL && form->view.key_changes && session->stream.queue.last_key != form->packed.number) {
        form->wants_key = true;
    }
    if (form == NULL || form->is_asked || !is_in(broadcast, snapshot, &form->view)) {
        return;
    }
    const size_t bytes = frame_form_needs(form);
    const bool may_ever_fit = bytes <= broadcast->scratch.memory.limit;
    if (!has_room(broadcast, bytes) &&
        !(may_ever_fit && !is_behind(session) && make_room(broadcast, sessions, bytes)) &&
        snapshot->clock_ms - form->tried_ms < BROADCAST_TRY_MS) {
        log_shortage(broadcast, session_set_now_ms(sessions));
        return;
    }
    form->tried_ms = snapshot->clock_ms;
    form->is_asked = true;
    broadcast->asked[broadcast->asked_count++] = form;
    broadcast->asked_bytes += bytes;
}

/* Of a world in stripes: the session subscribed after the snapshot was asked for, or there are more agents in its view than
 * are gathered, of which it hears once. */
static void send_too_many(const struct snapshot_extract *extract, struct session *session) {
    struct subscription *subscription = &session->subscription;
    const struct extract_view *view = snapshot_extract_find(extract, &subscription->view);
    if (view != NULL && view->is_left_out && !subscription->is_told) {
        struct failure failure = {0};
        struct buffer out;
        subscription->is_told = true;
        session->errors++;
        (void)fail_agents(view->shown, &failure);
        buffer_init(&out, ERROR_BYTES);
        message_write_error("", subscription->line, &failure, &out);
        session_send(session, &out);
        buffer_fini(&out);
    }
}

static void offer(struct broadcast *broadcast, struct session_set *sessions, struct session *session) {
    const struct snapshot *snapshot = broadcast->slot->snapshot;
    struct subscription *subscription = &session->subscription;
    (void)sessions;
    if (!is_in(broadcast, snapshot, &subscription->view)) {
        send_too_many(broadcast->scratch.extract, session);
        return;
    }
    const struct frame_form *form = find_form(broadcast, &subscription->view);
    if (form == NULL || form->frame == NULL) {
        leave_out(broadcast, session);
        return;
    }
    const uint64_t key = form->packed.number, last_key = session->stream.queue.last_key;
    struct shared_bytes *line =
        form->change != NULL && form->change_from == last_key ? form->change : form->key;
    if (key != 0 && key != last_key && line == NULL) {
        leave_out(broadcast, session); /* it lost its key while the frame was made */
        return;
    }
    subscription->has_sent = true;
    subscription->last_tick = snapshot->tick;
    subscription->last_clock_tick = snapshot->clock_tick;
    if (key != 0) {
        session_offer_keyed(session, line, key, form->frame);
    } else {
        session_offer_frame(session, form->frame);
    }
}

/* The order in which sessions are offered a frame: of the sessions that keep up first those that were left out
 * last time, then those without a frame so far. */
enum { TURN_NONE, TURN_LEFT_OUT, TURN_NEW, TURN_READY, TURN_BEHIND };

static int turn_of(const struct session *session) {
    return is_behind(session)                       ? TURN_BEHIND
           : session->subscription.has_sent         ? TURN_READY
           : session->stream.queue.frames_sent == 0 ? TURN_NEW
                                                    : TURN_LEFT_OUT;
}

static void assign_turns(const struct snapshot_slot *slot, struct session_set *sessions) {
    const struct snapshot *snapshot = slot->snapshot;
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        const bool has_forces = snapshot->has_forces && slot->explained >= session->subscription.explained;
        const bool is_due =
            !session->is_elsewhere && broadcast_is_due(&session->subscription, snapshot->tick,
                                                       snapshot->clock_tick, slot->reason, has_forces);
        session->subscription.turn = is_due ? turn_of(session) : TURN_NONE;
    }
}

/* The sessions that are due the snapshot, in their order; none for one of a world that is over. */
static void take_turns(struct broadcast *broadcast, struct session_set *sessions,
                       void (*take)(struct broadcast *, struct session_set *, struct session *)) {
    const bool is_over = broadcast->slot->snapshot->epoch < broadcast->epoch;
    for (int turn = TURN_LEFT_OUT; turn <= TURN_BEHIND && !is_over; turn++) {
        for (struct session *session = sessions->first; session != NULL; session = session->next) {
            if (session->subscription.turn == turn && session->subscription.is_active &&
                !session->is_elsewhere) {
                take(broadcast, sessions, session);
            }
        }
    }
}

bool broadcast_begin(struct broadcast *broadcast, const struct snapshot_slot *slot,
                     struct session_set *sessions) {
    assert(broadcast->slot == NULL);
    assign_turns(slot, sessions);
    broadcast->slot = slot;
    broadcast->scratch.extract = slot->extract;
    broadcast->wanted_bytes = broadcast->asked_bytes = 0;
    broadcast->asked_count = 0;
    take_turns(broadcast, sessions, ask);
    return broadcast->asked_bytes >= BROADCAST_LONG_BYTES;
}

void broadcast_encode(struct broadcast *broadcast) {
    const uint64_t until_ns = clock_now_ns() + BROADCAST_MAKE_MS * UINT64_C(1000000);
    for (int i = 0; i < broadcast->asked_count && clock_now_ns() < until_ns; i++) {
        if (!frame_form_make(broadcast->asked[i], broadcast->slot->snapshot, &broadcast->scratch)) {
            continue; /* there was no room after all: its sessions are left out */
        }
    }
}

void broadcast_end(struct broadcast *broadcast, struct session_set *sessions) {
    broadcast->asked_bytes = 0;
    take_turns(broadcast, sessions, offer);
    for (int i = 0; i < broadcast->asked_count; i++) {
        frame_form_clear(broadcast->asked[i]);
        broadcast->asked[i]->is_asked = false;
    }
    broadcast->scratch.extract = NULL;
    broadcast->slot = NULL;
    if (broadcast->has_unused) {
        drop_unused_forms(broadcast, sessions);
    }
}

/* Sends a line (an event) to every subscriber. Takes the bytes: text is malloc'd. */
static void broadcast_line(char *text, size_t length, struct session_set *sessions) {
    struct shared_bytes *line = shared_bytes_create(text, length);
    if (line == NULL) {
        log_write(LOG_ERROR, "broadcast", "out of memory: an event is lost");
        return;
    }
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        if (session->subscription.is_active && !session->is_elsewhere) {
            session_send_event(session, line);
        }
    }
    shared_bytes_release(line);
}

/* Those that a session gets of the live world while it looks at another time. */
static const char time_events[] = "paused resumed speed warmed_up stepped rewound loaded";

bool broadcast_wants(const struct session *session, uint64_t event, bool has_seq) {
    if (session->is_elsewhere && (message_event_set(time_events) & event) == 0) {
        return false;
    }
    return session->subscription.is_active && session->client.wants_seq == has_seq &&
           (event == 0 || (session->subscription.events & event) != 0);
}

void broadcast_event(char *text, size_t length, uint64_t event, bool has_seq, struct session_set *sessions) {
    struct shared_bytes *line = shared_bytes_create(text, length);
    if (line == NULL) {
        log_write(LOG_ERROR, "broadcast", "out of memory: an event is lost");
        return;
    }
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        if (broadcast_wants(session, event, has_seq)) {
            session_send_event(session, line);
        }
    }
    shared_bytes_release(line);
}

void broadcast_scenario(struct broadcast *broadcast, uint32_t epoch, double tick_hz, char *text,
                        size_t length, struct session_set *sessions) {
    broadcast->epoch = epoch;
    for (struct session *session = sessions->first; session != NULL; session = session->next) {
        struct subscription *subscription = &session->subscription;
        if (subscription->is_active && !session->is_elsewhere) {
            session_drop_frame(session);
            subscription->has_sent = false;
            subscription->every = broadcast_every(tick_hz, subscription->hz);
        }
    }
    broadcast_line(text, length, sessions);
}

/* ---- subscriptions ---- */

enum {
    DEFAULT_COLUMNS = 32,
    DEFAULT_ROWS = 18,
};

/* ---- replies ---- */

static void write_fields(unsigned fields, struct json_writer *json) {
    unsigned field = 0;
    json_key(json, "fields");
    json_array(json);
    for (int i = 0; request_field_name(i, &field) != NULL; i++) {
        if (fields & field) {
            json_string(json, request_field_name(i, &field));
        }
    }
    json_end(json);
}

static void write_region(const struct snapshot_view *view, struct json_writer *json) {
    if (!view->has_region) {
        return;
    }
    json_key(json, "region");
    json_array(json);
    for (int i = 0; i < 4; i++) {
        json_float(json, view->region[i]);
    }
    json_end(json);
}

static void write_kinds(const struct snapshot_view *view, struct json_writer *json) {
    if (view->kinds[0] == '\0') {
        return;
    }
    json_key(json, "kinds");
    json_array(json);
    for (const char *at = view->kinds; *at != '\0';) {
        char name[LIMIT_NAME_CHARS + 1] = "";
        const size_t length = strcspn(at, " ");
        memcpy(name, at, length < sizeof name ? length : sizeof name - 1);
        json_string(json, name);
        at += length + (at[length] == ' ');
    }
    json_end(json);
}

static void write_events(uint64_t events, struct json_writer *json) {
    if (events == message_event_set("")) {
        return;
    }
    json_key(json, "events");
    json_array(json);
    for (int i = 0; message_event_names[i] != NULL; i++) {
        if ((events & message_event_bit(message_event_names[i])) != 0) {
            json_string(json, message_event_names[i]);
        }
    }
    json_end(json);
}

static void write_grid(const struct snapshot_view *view, const struct message_scenario *scenario,
                       struct json_writer *json) {
    const double width = (double)(view->has_region ? view->region[2] : scenario->size.x);
    const double height = (double)(view->has_region ? view->region[3] : scenario->size.y);
    int32_t columns = 0, rows = 0;
    density_grid(view, width, height, &columns, &rows);
    json_key(json, "grid");
    json_array(json);
    json_signed(json, columns);
    json_signed(json, rows);
    json_end(json);
    json_key(json, "cell");
    json_array(json);
    json_float(json, (float)(width / columns));
    json_float(json, (float)(height / rows));
    json_end(json);
}

static void send_subscribed(const struct subscribe_context *context, struct session *session,
                            const struct request *request) {
    const struct subscription *subscription = &session->subscription;
    const struct snapshot_view *view = &subscription->view;
    const struct frame_layout *layout = frame_layout_row(view->layout);
    struct reply reply;
    struct json_writer *json = reply_begin(&reply, request);
    json_key_string(json, "layout", request_layout_name(view->layout));
    if (frame_layout_has_frames(layout)) {
        json_key_number(json, "hz", context->scenario->tick_hz / (double)subscription->every);
        json_key_unsigned(json, "every", subscription->every);
    }
    if (layout->fields != 0) {
        json_key_bool(json, "forces", request->body.subscribe.forces);
        if ((view->fields & (unsigned)SNAPSHOT_PARTS) != 0) {
            json_key_bool(json, "parts", true);
        }
        if ((view->fields & (unsigned)SNAPSHOT_TWIN) != 0) {
            json_key_bool(json, "twins", true);
        }
        write_fields(view->fields, json);
    }
    write_region(view, json);
    write_kinds(view, json);
    if (layout->takes_grid) {
        write_grid(view, context->scenario, json);
    }
    if (view->by_kind) {
        json_key_bool(json, "by_kind", true);
    }
    if (view->mean_speed) {
        json_key_bool(json, "mean_speed", true);
    }
    if (view->most > 0) {
        json_key_unsigned(json, "most", view->most);
    }
    if (view->key_changes) {
        json_key_bool(json, "key_changes", true);
    }
    if (subscription->cursors) {
        json_key_bool(json, "cursors", true);
    }
    write_events(subscription->events, json);
    reply_send(&reply, session);
}

/* ---- subscribe ---- */

static bool is_kind(const struct message_scenario *scenario, const char *name, size_t length) {
    for (int k = 0; k < scenario->kind_count; k++) {
        if (strlen(scenario->kinds[k].name) == length && memcmp(scenario->kinds[k].name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static int check_kinds(const struct message_scenario *scenario, const char *kinds, struct failure *failure) {
    for (const char *at = kinds; *at != '\0';) {
        const size_t length = strcspn(at, " ");
        if (!is_kind(scenario, at, length)) {
            return failure_set(failure, FAILURE_NO_KIND, "kinds",
                               "no kind \"%.*s\"; `list` with \"what\":\"kinds\" names them", (int)length,
                               at);
        }
        at += length + (at[length] == ' ');
    }
    return 0;
}

static struct subscription make_subscription(const struct client_info *client,
                                             const struct request_subscribe *body, double tick_hz) {
    struct subscription subscription = {.is_active = true, .hz = body->hz};
    struct snapshot_view *view = &subscription.view;
    subscription.every = broadcast_every(tick_hz, body->hz);
    subscription.cursors = body->cursors;
    subscription.events = message_event_set(body->events);
    view->layout = body->layout;
    view->fields = request_snapshot_fields(body);
    view->has_region = body->has_region;
    memcpy(view->region, body->region, sizeof view->region);
    memcpy(view->kinds, body->kinds, sizeof view->kinds);
    memcpy(view->grid, body->grid, sizeof view->grid);
    view->cell = body->cell;
    view->by_kind = body->by_kind;
    view->mean_speed = body->mean_speed;
    view->has_speed = client->wants_speed;
    view->key_changes = body->key_changes;
    view->most = body->most;
    if (frame_layout_row(body->layout)->takes_grid && body->cell <= 0.0f && body->grid[0] <= 0.0f) {
        view->grid[0] = DEFAULT_COLUMNS;
        view->grid[1] = DEFAULT_ROWS;
    }
    subscription.forces = (view->fields & (unsigned)SNAPSHOT_FORCES) != 0;
    return subscription;
}

/* The agents of whole frames of a world in stripes are known at once; those of a region when it is looked at. Of more than
 * are gathered there is a sample, unless `most` asks for more of them. */
static int check_agents(const struct subscribe_context *context, const struct snapshot_view *view,
                        struct failure *failure) {
    uint64_t shown = 0;
    if (!context->has_stripes || view->has_region || view->most <= LIMIT_STRIPES_AGENTS ||
        frame_layout_row(view->layout)->fields == 0) {
        return 0;
    }
    for (int k = 0; k < context->scenario->kind_count; k++) {
        const struct message_kind *kind = &context->scenario->kinds[k];
        shown += snapshot_view_has_kind(view, kind->name) ? kind->count : 0;
    }
    return shown <= LIMIT_STRIPES_AGENTS ? 0 : fail_agents(shown, failure);
}

/* Gives the session the subscription, or refuses the request. */
static bool subscribe(const struct subscribe_context *context, struct session *session,
                      const struct request *request, const struct subscription *subscription) {
    struct failure failure = {0};
    if (check_agents(context, &subscription->view, &failure) != 0) {
        reply_refusal(session, request, &failure);
        return false;
    }
    const struct frame_estimate estimate = frame_form_estimate(&subscription->view, context->scenario);
    switch (give_subscription(context->broadcast, context->sessions, session, subscription, &estimate)) {
    case BROADCAST_SUBSCRIBED:
        session_clear_key(session);
        return true;
    case BROADCAST_FULL:
        (void)failure_set(
            &failure, FAILURE_FULL, NULL,
            "the limit of %d different views is reached; subscribe to a view that another client uses",
            LIMIT_FORMS);
        break;
    case BROADCAST_TOO_LARGE:
        (void)failure_set(
            &failure, FAILURE_FULL, NULL,
            "two such frames take about %zu bytes; all frames together may take %zu (--frame-memory). Ask "
            "for a region, fewer fields, or the layout packed or density",
            estimate.key + 2 * estimate.frame, context->broadcast->scratch.memory.limit);
        break;
    case BROADCAST_NO_MEMORY:
        (void)failure_set(&failure, FAILURE_BUSY, NULL, "out of memory");
        break;
    }
    reply_refusal(session, request, &failure);
    return false;
}

static bool do_subscribe(const struct subscribe_context *context, struct session *session,
                         const struct request *request) {
    const struct request_subscribe *body = &request->body.subscribe;
    struct failure failure = {0};
    if (check_kinds(context->scenario, body->kinds, &failure) != 0) {
        reply_refusal(session, request, &failure);
        return false;
    }
    struct subscription subscription = make_subscription(&session->client, body, context->scenario->tick_hz);
    subscription.line = session->line;
    if (!subscribe(context, session, request, &subscription)) {
        return false;
    }
    send_subscribed(context, session, request);
    return true;
}

/* ---- unsubscribe, set_region, resync ---- */

static bool do_unsubscribe(struct session *session, const struct request *request) {
    session->subscription.is_active = false;
    session->subscription.cursors = false;
    session_clear_key(session);
    reply_done(session, request);
    return true;
}

static bool check_subscribed(struct session *session, const struct request *request) {
    const struct subscription *subscription = &session->subscription;
    if (subscription->is_active && frame_layout_has_frames(frame_layout_row(subscription->view.layout))) {
        return true;
    }
    struct failure failure = {0};
    (void)failure_set(&failure, FAILURE_NOT_SUBSCRIBED, NULL, "not subscribed; send subscribe first");
    reply_refusal(session, request, &failure);
    return false;
}

static bool do_set_region(const struct subscribe_context *context, struct session *session,
                          const struct request *request) {
    if (!check_subscribed(session, request)) {
        return false;
    }
    struct subscription subscription = session->subscription;
    subscription.view.has_region = request->body.set_region.has_region;
    memcpy(subscription.view.region, request->body.set_region.region, sizeof subscription.view.region);
    subscription.has_sent = false;
    subscription.is_told = false;
    subscription.line = session->line;
    if (!subscribe(context, session, request, &subscription)) {
        return false;
    }
    if (request->id[0] != '\0') {
        reply_done(session, request);
    }
    return true;
}

static bool do_resync(struct session *session, const struct request *request) {
    if (!check_subscribed(session, request)) {
        return false;
    }
    session_clear_key(session);
    session->subscription.has_sent = false;
    reply_done(session, request);
    return true;
}

bool subscribe_answer(const struct subscribe_context *context, struct session *session,
                      const struct request *request) {
    switch (request->op) {
    case REQUEST_SUBSCRIBE:
        return do_subscribe(context, session, request);
    case REQUEST_SET_REGION:
        return do_set_region(context, session, request);
    case REQUEST_RESYNC:
        return do_resync(session, request);
    default:
        return do_unsubscribe(session, request);
    }
}
