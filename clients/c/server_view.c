/* See server_view.h. */
#include "clients/c/server_view.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void server_view_init(struct server_view *view) {
    memset(view, 0, sizeof *view);
}

static void forget_params(struct server_view *view) {
    free(view->params);
    free(view->first_values);
    view->params = NULL;
    view->first_values = NULL;
    view->param_count = 0;
}

void server_view_fini(struct server_view *view) {
    free(view->scenarios);
    forget_params(view);
    server_view_init(view);
}

static void copy_name(char *to, const char *from) {
    (void)snprintf(to, LIMIT_NAME_CHARS + 1, "%s", from);
}

void server_view_set_notice(struct server_view *view, bool is_error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(view->notice, sizeof view->notice, format, arguments);
    va_end(arguments);
    view->is_notice_error = is_error;
    view->notice_count++;
}

static void note_mouse_target(struct server_view *view) {
    view->has_mouse_target = false;
    for (int i = 0; i < view->scenario.target_count; i++) {
        view->has_mouse_target = view->has_mouse_target || strcmp(view->scenario.targets[i], "mouse") == 0;
    }
}

static void apply_scenario(struct server_view *view, const struct message_scenario *scenario,
                           uint32_t epoch) {
    view->scenario = *scenario;
    view->has_scenario = true;
    view->epoch = epoch;
    view->legend_count = 0;
    view->behaviors.count = 0;
    forget_params(view);
    view->has_agent = false;
    view->cursors.count = 0;
    view->agent_total = 0.0;
    for (int i = 0; i < scenario->kind_count; i++) {
        view->agent_total += scenario->kinds[i].count;
    }
    note_mouse_target(view);
}

/* The first ones of a world say what "as it was" means. */
static void take_params(struct server_view *view, struct message_reply *reply) {
    double *first = reply->param_count == view->param_count ? view->first_values : NULL;
    if (first != NULL) {
        view->first_values = NULL; /* kept */
    } else {
        first = calloc((size_t)reply->param_count + 1, sizeof *first);
        for (int i = 0; first != NULL && i < reply->param_count; i++) {
            first[i] = reply->params[i].value;
        }
    }
    forget_params(view);
    view->params = reply->params;
    view->param_count = reply->param_count;
    view->first_values = first;
    reply->params = NULL;
    reply->param_count = 0;
}

/* The message's memory becomes ours. */
static void take_lists(struct server_view *view, struct message_reply *reply) {
    if (strcmp(reply->to, "list") == 0 && reply->scenario_count > 0) {
        free(view->scenarios);
        view->scenarios = reply->scenarios;
        view->scenario_count = reply->scenario_count;
        reply->scenarios = NULL;
        reply->scenario_count = 0;
    } else if (strcmp(reply->to, "get_params") == 0) {
        take_params(view, reply);
    }
}

static void take_agent(struct server_view *view, const struct message_reply *reply) {
    view->has_agent = reply->agent_count > 0;
    if (view->has_agent) {
        view->agent = reply->agents[0];
        for (int i = 0; i < view->agent.share_count; i++) {
            const char *name = view->agent.shares[i].behavior;
            if (name_table_intern(&view->behaviors, name, strlen(name)) < 0) {
                break; /* full: the others share the first one's number */
            }
        }
    }
}

/* An older server names no role, and allows everything. */
static enum role role_of(const char *name) {
    if (strcmp(name, role_name(ROLE_NONE)) == 0) {
        return ROLE_NONE;
    }
    const enum role role = role_from_name(name);
    return role != ROLE_COUNT ? role : ROLE_ADMIN;
}

/* ---- what we may do ---- */

bool server_view_may(const struct server_view *view, enum request_op op) {
    return !view->has_scenario || view->role >= request_role(op);
}

/* As a person says it. */
static const char *deed(enum request_op op) {
    switch (op) {
    case REQUEST_PAUSE:
    case REQUEST_RESUME:
        return "Pausing";
    case REQUEST_STEP:
        return "Stepping";
    case REQUEST_LOAD:
        return "Choosing a scenario";
    case REQUEST_SPAWN:
        return "Adding agents";
    case REQUEST_REMOVE:
        return "Removing agents";
    case REQUEST_SET_PARAM:
        return "Tuning";
    case REQUEST_MOUSE:
    case REQUEST_SET_TARGET:
        return "Moving targets";
    case REQUEST_MOVE_OBSTACLE:
        return "Moving obstacles";
    default:
        return request_op_name(op);
    }
}

void server_view_denial(const struct server_view *view, enum request_op op, char *out) {
    const char *needed = role_name(request_role(op));
    out[0] = '\0';
    if (!server_view_may(view, op)) {
        const bool is_guest = view->role == ROLE_NONE;
        (void)snprintf(out, SERVER_VIEW_DENIAL, "%s needs the role %s%s%s: start with the --token of an %s",
                       deed(op), needed, is_guest ? "" : "; you are ", is_guest ? "" : role_name(view->role),
                       needed);
    }
}

void server_view_ask_paused(struct server_view *view, bool is_paused) {
    view->pauses_asked++;
    view->asked_paused = is_paused;
}

bool server_view_will_be_paused(const struct server_view *view) {
    return view->pauses_asked > 0 ? view->asked_paused : view->is_paused;
}

void server_view_set_param(struct server_view *view, const char *kind, const char *param, double value) {
    for (int i = 0; i < view->param_count; i++) {
        struct message_param *row = &view->params[i];
        if (strcmp(row->kind, kind) == 0 && strcmp(row->param, param) == 0) {
            row->value = value;
        }
    }
}

/* ---- what others do ---- */

/* Without printf's %g, whose point depends on the locale. */
static void format_value(double value, char *out, size_t size) {
    const double size_of = fmin(fabs(value), 1e15);
    const unsigned long long thousandths = (unsigned long long)(size_of * 1000.0 + 0.5);
    char rest[8];
    (void)snprintf(rest, sizeof rest, ".%03llu", thousandths % 1000);
    for (size_t last = 3; last > 0 && rest[last] == '0'; last--) {
        rest[last] = '\0';
    }
    (void)snprintf(out, size, "%s%llu%s", value < 0.0 ? "-" : "", thousandths / 1000,
                   rest[1] != '\0' ? rest : "");
}

/* "obstacle_added" -> "adds". */
static const char *verb_of(const char *event) {
    const char *end = strchr(event, '_');
    return end != NULL && strcmp(end, "_added") == 0     ? "adds"
           : end != NULL && strcmp(end, "_removed") == 0 ? "removes"
                                                         : "moves";
}

static void tell(struct server_view *view, const struct message_event *event) {
    char who[64], value[40], whose[48];
    if ((event->has & EVENT_HAS_NAME) != 0) {
        (void)snprintf(who, sizeof who, "%s", event->name);
    } else {
        (void)snprintf(who, sizeof who, "session %u", event->by);
    }
    if ((event->has & EVENT_HAS_AGENT) != 0) {
        (void)snprintf(whose, sizeof whose, "agent %u", event->agent);
    } else {
        (void)snprintf(whose, sizeof whose, "%s",
                       (event->has & EVENT_HAS_KIND) != 0 ? event->kind : "agents");
    }
    if ((event->has & EVENT_HAS_PARAM) != 0) {
        format_value(event->value, value, sizeof value);
        server_view_set_notice(view, false, "%s set %s of %s to %s", who, event->param, whose, value);
    } else if ((event->has & EVENT_HAS_COUNT) != 0) {
        server_view_set_notice(view, false, "%s %s %u %s", who, event->event, event->count,
                               strcmp(whose, "agents") != 0 || event->count != 1 ? whose : "agent");
    } else if ((event->has & EVENT_HAS_OBSTACLE) != 0) {
        server_view_set_notice(view, false, "%s %s obstacle %u", who, verb_of(event->event),
                               event->obstacle.id);
    } else if ((event->has & EVENT_HAS_TARGET) != 0) {
        if (strcmp(event->target, "mouse") != 0) { /* that one follows a cursor with a name on it */
            server_view_set_notice(view, false, "%s %s the target %s", who, verb_of(event->event),
                                   event->target);
        }
    } else {
        server_view_set_notice(view, false, "%s %s the world", who, event->event);
    }
}

static void apply_event(struct server_view *view, const struct message_event *event) {
    const bool is_known = (event->has & EVENT_HAS_SKIPPED) == 0; /* lag is for the network figures */
    if (strcmp(event->event, "paused") == 0) {
        view->is_paused = true;
    } else if (strcmp(event->event, "resumed") == 0) {
        view->is_paused = false;
    } else if (strcmp(event->event, "spawned") == 0) {
        view->agent_total += event->count;
    } else if (strcmp(event->event, "removed") == 0) {
        view->agent_total = fmax(view->agent_total - event->count, 0.0);
    } else if ((event->has & EVENT_HAS_PARAM) != 0 && (event->has & EVENT_HAS_KIND) != 0) {
        server_view_set_param(view, event->kind, event->param, event->value);
    }
    if ((event->has & EVENT_HAS_CANDIDATES) != 0) {
        server_view_set_notice(
            view, true, "overload: %u agents close to each other, mostly %s, near %.0f, %.0f",
            event->candidates, event->kind, (double)event->x * 1e-2, (double)event->y * 1e-2);
    }
    if (is_known && event->by != 0 && event->by != view->session) {
        tell(view, event);
    }
}

void server_view_ask_switch(struct server_view *view, int steps) {
    view->pending_switch += steps;
}

/* The scenario to load, or NULL. */
static const char *switch_by(struct server_view *view, const struct message_reply *reply) {
    const int steps = view->pending_switch;
    if (strcmp(reply->to, "list") != 0 || reply->scenario_count == 0 || steps == 0) {
        return NULL;
    }
    view->pending_switch = 0;
    return server_view_neighbor(reply->scenarios, reply->scenario_count, view->scenario.name, steps);
}

static void apply_reply(struct server_view *view, struct message_reply *reply,
                        struct server_view_wish *wish) {
    wish->load = switch_by(view, reply);
    if (strcmp(reply->id, SERVER_VIEW_PAUSE_ID) == 0 && view->pauses_asked > 0) {
        view->pauses_asked--;
        view->is_paused = strcmp(reply->to, "pause") == 0;
    } else if (reply->has_paused) {
        view->is_paused = reply->is_paused;
    }
    if (strcmp(reply->to, "hello") == 0) {
        view->role = role_of(reply->role);
    } else if (strcmp(reply->to, "inspect") == 0) {
        take_agent(view, reply);
    }
    take_lists(view, reply);
}

static void apply_error(struct server_view *view, const struct message_error *error) {
    if (strcmp(error->id, SERVER_VIEW_PAUSE_ID) == 0 && view->pauses_asked > 0) {
        view->pauses_asked--;
    }
    server_view_set_notice(view, true, "%s", error->failure.message);
}

struct server_view_wish server_view_apply(struct server_view *view, struct message *message, uint32_t epoch) {
    struct server_view_wish wish = {.load = NULL};
    switch (message->op) {
    case MESSAGE_HELLO:
        view->has_scenario = false; /* of an earlier connection, when this server wants a token first */
        if (message->body.hello.has_world) {
            apply_scenario(view, &message->body.hello.scenario, epoch);
            view->is_paused = message->body.hello.is_paused;
        }
        view->session = message->body.hello.session;
        view->role = role_of(message->body.hello.role);
        view->pending_switch = view->pauses_asked = 0;
        break;
    case MESSAGE_SCENARIO:
        apply_scenario(view, &message->body.scenario, epoch);
        server_view_set_notice(view, false, "%s", message->body.scenario.title);
        break;
    case MESSAGE_REPLY:
        apply_reply(view, &message->body.reply, &wish);
        break;
    case MESSAGE_EVENT:
        apply_event(view, &message->body.event);
        message_scenario_follow(&view->scenario, &message->body.event);
        note_mouse_target(view);
        break;
    case MESSAGE_ERROR:
        apply_error(view, &message->body.error);
        wish.params = strcmp(message->body.error.id, SERVER_VIEW_TUNE_ID) == 0;
        break;
    case MESSAGE_BYE:
        server_view_set_notice(view, true, "the server says goodbye: %s", message->body.bye.message);
        break;
    case MESSAGE_CURSORS:
        view->cursors = message->body.cursors;
        break;
    case MESSAGE_SNAPSHOT:
    case MESSAGE_UNKNOWN:
        break;
    }
    return wish;
}

static void note_state(struct server_view *view, const char *state) {
    for (int i = 0; i < view->legend_count; i++) {
        if (strcmp(view->legend[i].state, state) == 0) {
            return;
        }
    }
    if (view->legend_count < SERVER_VIEW_LEGEND_ROWS) {
        copy_name(view->legend[view->legend_count++].state, state);
    }
}

void server_view_note_names(struct server_view *view, const struct snapshot *snapshot) {
    bool is_seen[NAME_TABLE_CAPACITY] = {false};
    for (int32_t i = 0; i < snapshot->count; i++) {
        is_seen[snapshot->state[i]] = true;
    }
    for (int i = 0; snapshot->has_forces && i < snapshot->behavior_names.count; i++) {
        const char *name = snapshot->behavior_names.names[i];
        if (name_table_intern(&view->behaviors, name, strlen(name)) < 0) {
            break; /* full: the others share the first one's number */
        }
    }
    for (int i = 0; i < snapshot->state_names.count; i++) {
        if (is_seen[i]) { /* a snapshot's table also has the names of those it was read over */
            note_state(view, snapshot->state_names.names[i]);
        }
    }
}

const struct message_kind *server_view_kind(const struct server_view *view, const char *name) {
    for (int i = 0; i < view->scenario.kind_count; i++) {
        if (strcmp(view->scenario.kinds[i].name, name) == 0) {
            return &view->scenario.kinds[i];
        }
    }
    return NULL;
}

int server_view_behavior(const struct server_view *view, const char *name) {
    const int number = name_table_find(&view->behaviors, name);
    return number >= 0 ? number : 0;
}

bool server_view_wraps(const struct server_view *view) {
    return strcmp(view->scenario.edge, "wrap") == 0;
}

static float clamp_to(float value, float low, float high) {
    return fminf(fmaxf(value, low), high);
}

vec2 server_view_clamp_point(const struct server_view *view, vec2 point) {
    if (strcmp(view->scenario.edge, "open") == 0) {
        const float limit = (float)LIMIT_COORDINATE;
        return vec2_make(clamp_to(point.x, -limit, limit), clamp_to(point.y, -limit, limit));
    }
    /* a wrapping world ends just before its size: the size itself is 0 again */
    const float inset = server_view_wraps(view) ? 0.01f : 0.0f;
    const vec2 size = view->scenario.size;
    return vec2_make(clamp_to(point.x, 0.0f, size.x - inset), clamp_to(point.y, 0.0f, size.y - inset));
}

const char *server_view_neighbor(const struct message_scenario_row *rows, int count, const char *current,
                                 int steps) {
    if (count <= 0) {
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(rows[i].name, current) == 0) {
            const int moved = (i + steps) % count;
            return rows[moved < 0 ? moved + count : moved].name;
        }
    }
    return rows[0].name;
}
