/* See subscribe.h. Owns nothing. */
#include "server/broadcast/subscribe.h"

#include <string.h>

#include "server/sessions/answer.h"

enum {
    REPLY_BYTES = 65536, /* the names of all kinds have 2 KB */
    KNOWN_BYTES = 160,
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

static void send_granted(const struct subscribe_context *context, struct session *session,
                         const struct request *request) {
    const struct subscription *subscription = &session->subscription;
    const struct snapshot_view *view = &subscription->view;
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    struct json_writer json = message_begin_answer(request, &out);
    json_key_string(&json, "layout", request_layout_name(view->layout));
    if (view->layout != LAYOUT_EVENTS) {
        json_key_number(&json, "hz", context->scenario->tick_hz / (double)subscription->every);
        json_key_unsigned(&json, "every", subscription->every);
    }
    if (view->layout == LAYOUT_OBJECTS || view->layout == LAYOUT_PACKED) {
        json_key_bool(&json, "forces", request->body.subscribe.forces);
        write_fields(view->fields, &json);
    }
    write_region(view, &json);
    write_kinds(view, &json);
    if (view->layout == LAYOUT_DENSITY) {
        write_grid(view, context->scenario, &json);
    }
    if (subscription->cursors) {
        json_key_bool(&json, "cursors", true);
    }
    message_end_reply(&json, &out);
    session_send(session, &out);
    buffer_fini(&out);
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

static struct subscription make_subscription(const struct request_subscribe *body, double tick_hz) {
    const bool has_fields = body->layout == LAYOUT_OBJECTS || body->layout == LAYOUT_PACKED;
    struct subscription subscription = {.is_active = true, .hz = body->hz};
    struct snapshot_view *view = &subscription.view;
    subscription.every = broadcast_every(tick_hz, body->hz);
    subscription.cursors = body->cursors;
    view->layout = body->layout;
    view->fields = has_fields ? request_snapshot_fields(body) : 0u;
    view->has_region = body->has_region;
    memcpy(view->region, body->region, sizeof view->region);
    memcpy(view->kinds, body->kinds, sizeof view->kinds);
    memcpy(view->grid, body->grid, sizeof view->grid);
    view->cell = body->cell;
    if (body->layout == LAYOUT_DENSITY && body->cell <= 0.0f && body->grid[0] <= 0.0f) {
        view->grid[0] = DEFAULT_COLUMNS;
        view->grid[1] = DEFAULT_ROWS;
    }
    subscription.forces = (view->fields & (unsigned)SNAPSHOT_FORCES) != 0;
    return subscription;
}

/* Takes the subscription over, or says why not. */
static bool join(const struct subscribe_context *context, struct session *session,
                 const struct request *request, const struct subscription *subscription) {
    struct failure failure = {0};
    const struct frame_estimate estimate = frame_form_estimate(&subscription->view, context->scenario);
    switch (broadcast_join(context->broadcast, context->sessions, session, subscription, &estimate)) {
    case BROADCAST_JOINED:
        session_forget_key(session);
        return true;
    case BROADCAST_FULL:
        (void)failure_set(&failure, FAILURE_FULL, NULL,
                          "there are %d different forms of frames already; ask for one that others have",
                          LIMIT_FORMS);
        break;
    case BROADCAST_TOO_LARGE:
        (void)failure_set(
            &failure, FAILURE_FULL, NULL,
            "two such frames take about %zu bytes, and frames may take %zu (--frame-memory); ask "
            "for a region, fewer fields, the layout packed or density",
            estimate.key + 2 * estimate.frame, context->broadcast->scratch.memory.limit);
        break;
    case BROADCAST_NO_MEMORY:
        (void)failure_set(&failure, FAILURE_BUSY, NULL, "out of memory");
        break;
    }
    answer_refusal(session, request, &failure);
    return false;
}

static bool do_subscribe(const struct subscribe_context *context, struct session *session,
                         const struct request *request) {
    const struct request_subscribe *body = &request->body.subscribe;
    struct failure failure = {0};
    if (check_kinds(context->scenario, body->kinds, &failure) != 0) {
        answer_refusal(session, request, &failure);
        return false;
    }
    const struct subscription subscription = make_subscription(body, context->scenario->tick_hz);
    if (!join(context, session, request, &subscription)) {
        return false;
    }
    send_granted(context, session, request);
    return true;
}

/* ---- the others ---- */

static bool do_unsubscribe(struct session *session, const struct request *request) {
    session->subscription.is_active = false;
    session->subscription.cursors = false;
    session_forget_key(session);
    answer_done(session, request);
    return true;
}

static bool check_subscribed(struct session *session, const struct request *request) {
    const struct subscription *subscription = &session->subscription;
    if (subscription->is_active && subscription->view.layout != LAYOUT_EVENTS) {
        return true;
    }
    struct failure failure = {0};
    (void)failure_set(&failure, FAILURE_NOT_SUBSCRIBED, NULL, "no frames come here; send subscribe first");
    answer_refusal(session, request, &failure);
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
    if (!join(context, session, request, &subscription)) {
        return false;
    }
    if (request->id[0] != '\0') {
        answer_done(session, request);
    }
    return true;
}

static bool do_resync(struct session *session, const struct request *request) {
    if (!check_subscribed(session, request)) {
        return false;
    }
    session_forget_key(session);
    session->subscription.has_sent = false;
    answer_done(session, request);
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
