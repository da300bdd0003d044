/* See server_view.h. */
#include "viewer/server_view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void server_view_init(struct server_view *view) {
    memset(view, 0, sizeof *view);
}

static void forget_params(struct server_view *view) {
    free(view->params);
    view->params = NULL;
    view->param_count = 0;
}

void server_view_fini(struct server_view *view) {
    free(view->scenarios);
    forget_params(view);
    server_view_init(view);
}

static void copy_name(char *to, const char *from) {
    snprintf(to, LIMIT_NAME_CHARS + 1, "%s", from);
}

void server_view_set_notice(struct server_view *view, bool is_error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(view->notice, sizeof view->notice, format, arguments);
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
    note_mouse_target(view);
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
        forget_params(view);
        view->params = reply->params;
        view->param_count = reply->param_count;
        reply->params = NULL;
        reply->param_count = 0;
    }
}

static void apply_reply(struct server_view *view, struct message_reply *reply) {
    if (strcmp(reply->to, "list") == 0 && reply->scenario_count > 0 && view->pending_switch != 0) {
        const char *next = server_view_neighbor(reply->scenarios, reply->scenario_count, view->scenario.name,
                                                view->pending_switch);
        view->pending_switch = 0;
        if (next != NULL) {
            copy_name(view->wanted_scenario, next);
        }
    }
    take_lists(view, reply);
}

void server_view_apply(struct server_view *view, struct message *message, uint32_t epoch) {
    switch (message->op) {
    case MESSAGE_HELLO:
        apply_scenario(view, &message->body.hello.scenario, epoch);
        view->is_paused = message->body.hello.is_paused;
        view->pending_switch = 0;
        break;
    case MESSAGE_SCENARIO:
        apply_scenario(view, &message->body.scenario, epoch);
        server_view_set_notice(view, false, "%s", message->body.scenario.title);
        break;
    case MESSAGE_REPLY:
        apply_reply(view, &message->body.reply);
        break;
    case MESSAGE_EVENT:
        if (strcmp(message->body.event.event, "paused") == 0) {
            view->is_paused = true;
        } else if (strcmp(message->body.event.event, "resumed") == 0) {
            view->is_paused = false;
        }
        message_scenario_follow(&view->scenario, &message->body.event);
        note_mouse_target(view);
        break;
    case MESSAGE_ERROR:
        server_view_set_notice(view, true, "%s", message->body.error.failure.message);
        break;
    case MESSAGE_BYE:
        server_view_set_notice(view, true, "the server says goodbye: %s", message->body.bye.message);
        break;
    case MESSAGE_SNAPSHOT:
    case MESSAGE_UNKNOWN:
        break;
    }
}

static struct legend_row *legend_row(struct server_view *view, const char *state) {
    for (int i = 0; i < view->legend_count; i++) {
        if (strcmp(view->legend[i].state, state) == 0) {
            return &view->legend[i];
        }
    }
    if (view->legend_count == SERVER_VIEW_LEGEND_ROWS) {
        return NULL;
    }
    struct legend_row *row = &view->legend[view->legend_count++];
    copy_name(row->state, state);
    row->count = 0;
    return row;
}

void server_view_count_states(struct server_view *view, const struct snapshot *snapshot) {
    int32_t counts[NAME_TABLE_CAPACITY] = {0};
    for (int32_t i = 0; i < snapshot->count; i++) {
        counts[snapshot->state[i]]++;
    }
    for (int i = 0; snapshot->has_forces && i < snapshot->behavior_names.count; i++) {
        const char *name = snapshot->behavior_names.names[i];
        if (name_table_intern(&view->behaviors, name, strlen(name)) < 0) {
            break; /* full: the others share the first one's number */
        }
    }
    for (int i = 0; i < view->legend_count; i++) {
        view->legend[i].count = 0;
    }
    for (int i = 0; i < snapshot->state_names.count; i++) {
        /* a snapshot's table also has the names of those it was read over */
        struct legend_row *row = counts[i] > 0 ? legend_row(view, snapshot->state_names.names[i]) : NULL;
        if (row != NULL) {
            row->count = counts[i];
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
