/* See broadcast.h. Owns nothing. */
#include "server/broadcast/broadcast.h"

#include <string.h>

#include "common/protocol/message_event.h"
#include "server/sessions/reply.h"

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
    if (events == UINT64_MAX) {
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
    if (frame_layout_row(body->layout)->takes_grid && body->cell <= 0.0f && body->grid[0] <= 0.0f) {
        view->grid[0] = DEFAULT_COLUMNS;
        view->grid[1] = DEFAULT_ROWS;
    }
    subscription.forces = (view->fields & (unsigned)SNAPSHOT_FORCES) != 0;
    return subscription;
}

/* The agents of whole frames of a world in stripes are known at once; those of a region when it is looked at. */
static int check_agents(const struct subscribe_context *context, const struct snapshot_view *view,
                        struct failure *failure) {
    uint64_t shown = 0;
    if (!context->has_stripes || view->has_region || frame_layout_row(view->layout)->fields == 0) {
        return 0;
    }
    for (int k = 0; k < context->scenario->kind_count; k++) {
        const struct message_kind *kind = &context->scenario->kinds[k];
        shown += snapshot_view_has_kind(view, kind->name) ? kind->count : 0;
    }
    return shown <= LIMIT_STRIPES_AGENTS ? 0 : broadcast_fail_agents(shown, failure);
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
    switch (broadcast_subscribe(context->broadcast, context->sessions, session, subscription, &estimate)) {
    case BROADCAST_SUBSCRIBED:
        session_forget_key(session);
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
    session_forget_key(session);
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
    session_forget_key(session);
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
