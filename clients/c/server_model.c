/* See server_model.h. */
#include "clients/c/server_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void server_model_init(struct server_model *model) {
    memset(model, 0, sizeof *model);
}

static void forget_params(struct server_model *model) {
    free(model->params);
    free(model->first_values);
    model->params = NULL;
    model->first_values = NULL;
    model->param_count = 0;
}

void server_model_fini(struct server_model *model) {
    free(model->scenarios);
    forget_params(model);
    server_model_init(model);
}

static void copy_name(char *to, const char *from) {
    (void)snprintf(to, LIMIT_NAME_CHARS + 1, "%s", from);
}

void server_model_set_notice(struct server_model *model, bool is_error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(model->notice, sizeof model->notice, format, arguments);
    va_end(arguments);
    model->is_notice_error = is_error;
    model->notice_count++;
}

static void note_mouse_target(struct server_model *model) {
    model->has_mouse_target = false;
    for (int i = 0; i < model->scenario.target_count; i++) {
        model->has_mouse_target = model->has_mouse_target || strcmp(model->scenario.targets[i], "mouse") == 0;
    }
}

static void apply_scenario(struct server_model *model, const struct message_scenario *scenario,
                           uint32_t epoch) {
    model->scenario = *scenario;
    model->has_scenario = true;
    model->epoch = epoch;
    model->legend_count = 0;
    model->behaviors.count = 0;
    forget_params(model);
    model->has_agent = false;
    model->cursors.count = 0;
    model->agent_total = 0.0;
    for (int i = 0; i < scenario->kind_count; i++) {
        model->agent_total += scenario->kinds[i].count;
    }
    note_mouse_target(model);
}

/* The first ones of a world say what "as it was" means. */
static void take_params(struct server_model *model, struct message_reply *reply) {
    double *first = reply->param_count == model->param_count ? model->first_values : NULL;
    if (first != NULL) {
        model->first_values = NULL; /* kept */
    } else {
        first = calloc((size_t)reply->param_count + 1, sizeof *first);
        for (int i = 0; first != NULL && i < reply->param_count; i++) {
            first[i] = reply->params[i].value;
        }
    }
    forget_params(model);
    model->params = reply->params;
    model->param_count = reply->param_count;
    model->first_values = first;
    reply->params = NULL;
    reply->param_count = 0;
}

/* The message's memory becomes ours. */
static void take_lists(struct server_model *model, struct message_reply *reply) {
    if (strcmp(reply->to, "list") == 0 && reply->scenario_count > 0) {
        free(model->scenarios);
        model->scenarios = reply->scenarios;
        model->scenario_count = reply->scenario_count;
        reply->scenarios = NULL;
        reply->scenario_count = 0;
    } else if (strcmp(reply->to, "get_params") == 0) {
        take_params(model, reply);
    }
}

static void take_agent(struct server_model *model, const struct message_reply *reply) {
    model->has_agent = reply->agent_count > 0;
    if (model->has_agent) {
        model->agent = reply->agents[0];
        for (int i = 0; i < model->agent.share_count; i++) {
            const char *name = model->agent.shares[i].behavior;
            if (name_table_intern(&model->behaviors, name, strlen(name)) < 0) {
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

bool server_model_may(const struct server_model *model, enum request_op op) {
    return !model->has_scenario || model->role >= request_role(op);
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

void server_model_denial(const struct server_model *model, enum request_op op, char *out) {
    const char *needed = role_name(request_role(op));
    out[0] = '\0';
    if (!server_model_may(model, op)) {
        const bool is_guest = model->role == ROLE_NONE;
        (void)snprintf(out, SERVER_MODEL_DENIAL, "%s needs the role %s%s%s: start with the --token of an %s",
                       deed(op), needed, is_guest ? "" : "; you are ", is_guest ? "" : role_name(model->role),
                       needed);
    }
}

void server_model_ask_paused(struct server_model *model, bool is_paused) {
    model->pauses_asked++;
    model->asked_paused = is_paused;
}

bool server_model_will_be_paused(const struct server_model *model) {
    return model->pauses_asked > 0 ? model->asked_paused : model->is_paused;
}

void server_model_set_param(struct server_model *model, const char *kind, const char *param, double value) {
    for (int i = 0; i < model->param_count; i++) {
        struct message_param *row = &model->params[i];
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

static void tell(struct server_model *model, const struct message_event *event) {
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
        server_model_set_notice(model, false, "%s set %s of %s to %s", who, event->param, whose, value);
    } else if ((event->has & EVENT_HAS_COUNT) != 0) {
        server_model_set_notice(model, false, "%s %s %u %s", who, event->event, event->count,
                                strcmp(whose, "agents") != 0 || event->count != 1 ? whose : "agent");
    } else if ((event->has & EVENT_HAS_OBSTACLE) != 0) {
        server_model_set_notice(model, false, "%s %s obstacle %u", who, verb_of(event->event),
                                event->obstacle.id);
    } else if ((event->has & EVENT_HAS_TARGET) != 0) {
        if (strcmp(event->target, "mouse") != 0) { /* that one follows a cursor with a name on it */
            server_model_set_notice(model, false, "%s %s the target %s", who, verb_of(event->event),
                                    event->target);
        }
    } else {
        server_model_set_notice(model, false, "%s %s the world", who, event->event);
    }
}

static void apply_event(struct server_model *model, const struct message_event *event) {
    const bool is_known = (event->has & EVENT_HAS_SKIPPED) == 0; /* lag is for the network figures */
    if (strcmp(event->event, "paused") == 0) {
        model->is_paused = true;
    } else if (strcmp(event->event, "resumed") == 0) {
        model->is_paused = false;
    } else if (strcmp(event->event, "spawned") == 0) {
        model->agent_total += event->count;
    } else if (strcmp(event->event, "removed") == 0) {
        model->agent_total = fmax(model->agent_total - event->count, 0.0);
    } else if ((event->has & EVENT_HAS_PARAM) != 0 && (event->has & EVENT_HAS_KIND) != 0) {
        server_model_set_param(model, event->kind, event->param, event->value);
    }
    if ((event->has & EVENT_HAS_CANDIDATES) != 0) {
        server_model_set_notice(
            model, true, "overload: %u agents close to each other, mostly %s, near %.0f, %.0f",
            event->candidates, event->kind, (double)event->x * 1e-2, (double)event->y * 1e-2);
    }
    if (is_known && event->by != 0 && event->by != model->session) {
        tell(model, event);
    }
}

void server_model_ask_switch(struct server_model *model, int steps) {
    model->pending_switch += steps;
}

/* The scenario to load, or NULL. */
static const char *switch_by(struct server_model *model, const struct message_reply *reply) {
    const int steps = model->pending_switch;
    if (strcmp(reply->to, "list") != 0 || reply->scenario_count == 0 || steps == 0) {
        return NULL;
    }
    model->pending_switch = 0;
    return server_model_neighbor(reply->scenarios, reply->scenario_count, model->scenario.name, steps);
}

static void apply_reply(struct server_model *model, struct message_reply *reply,
                        struct server_model_wish *wish) {
    wish->load = switch_by(model, reply);
    if (strcmp(reply->id, SERVER_MODEL_PAUSE_ID) == 0 && model->pauses_asked > 0) {
        model->pauses_asked--;
        model->is_paused = strcmp(reply->to, "pause") == 0;
    } else if (reply->has_paused) {
        model->is_paused = reply->is_paused;
    }
    if (strcmp(reply->to, "hello") == 0) {
        model->role = role_of(reply->role);
    } else if (strcmp(reply->to, "inspect") == 0) {
        take_agent(model, reply);
    }
    take_lists(model, reply);
}

static void apply_error(struct server_model *model, const struct message_error *error) {
    if (strcmp(error->id, SERVER_MODEL_PAUSE_ID) == 0 && model->pauses_asked > 0) {
        model->pauses_asked--;
    }
    server_model_set_notice(model, true, "%s", error->failure.message);
}

struct server_model_wish server_model_apply(struct server_model *model, struct message *message,
                                            uint32_t epoch) {
    struct server_model_wish wish = {.load = NULL};
    switch (message->op) {
    case MESSAGE_HELLO:
        model->has_scenario = false; /* of an earlier connection, when this server wants a token first */
        if (message->body.hello.has_world) {
            apply_scenario(model, &message->body.hello.scenario, epoch);
            model->is_paused = message->body.hello.is_paused;
        }
        model->session = message->body.hello.session;
        model->role = role_of(message->body.hello.role);
        model->pending_switch = model->pauses_asked = 0;
        break;
    case MESSAGE_SCENARIO:
        apply_scenario(model, &message->body.scenario, epoch);
        server_model_set_notice(model, false, "%s", message->body.scenario.title);
        break;
    case MESSAGE_REPLY:
        apply_reply(model, &message->body.reply, &wish);
        break;
    case MESSAGE_EVENT:
        apply_event(model, &message->body.event);
        message_scenario_follow(&model->scenario, &message->body.event);
        note_mouse_target(model);
        break;
    case MESSAGE_ERROR:
        apply_error(model, &message->body.error);
        wish.params = strcmp(message->body.error.id, SERVER_MODEL_TUNE_ID) == 0;
        break;
    case MESSAGE_BYE:
        server_model_set_notice(model, true, "the server says goodbye: %s", message->body.bye.message);
        break;
    case MESSAGE_CURSORS:
        model->cursors = message->body.cursors;
        break;
    case MESSAGE_SNAPSHOT:
    case MESSAGE_UNKNOWN:
        break;
    }
    return wish;
}

static void note_state(struct server_model *model, const char *state) {
    for (int i = 0; i < model->legend_count; i++) {
        if (strcmp(model->legend[i].state, state) == 0) {
            return;
        }
    }
    if (model->legend_count < SERVER_MODEL_LEGEND_ROWS) {
        copy_name(model->legend[model->legend_count++].state, state);
    }
}

void server_model_note_names(struct server_model *model, const struct snapshot *snapshot) {
    bool is_seen[NAME_TABLE_CAPACITY] = {false};
    for (int32_t i = 0; i < snapshot->count; i++) {
        is_seen[snapshot->state[i]] = true;
    }
    for (int i = 0; snapshot->has_forces && i < snapshot->behavior_names.count; i++) {
        const char *name = snapshot->behavior_names.names[i];
        if (name_table_intern(&model->behaviors, name, strlen(name)) < 0) {
            break; /* full: the others share the first one's number */
        }
    }
    for (int i = 0; i < snapshot->state_names.count; i++) {
        if (is_seen[i]) { /* a snapshot's table also has the names of those it was read over */
            note_state(model, snapshot->state_names.names[i]);
        }
    }
}

const struct message_kind *server_model_kind(const struct server_model *model, const char *name) {
    for (int i = 0; i < model->scenario.kind_count; i++) {
        if (strcmp(model->scenario.kinds[i].name, name) == 0) {
            return &model->scenario.kinds[i];
        }
    }
    return NULL;
}

int server_model_behavior(const struct server_model *model, const char *name) {
    const int number = name_table_find(&model->behaviors, name);
    return number >= 0 ? number : 0;
}

bool server_model_wraps(const struct server_model *model) {
    return strcmp(model->scenario.edge, "wrap") == 0;
}

static float clamp_to(float value, float low, float high) {
    return fminf(fmaxf(value, low), high);
}

vec2 server_model_clamp_point(const struct server_model *model, vec2 point) {
    if (strcmp(model->scenario.edge, "open") == 0) {
        const float limit = (float)LIMIT_COORDINATE;
        return vec2_make(clamp_to(point.x, -limit, limit), clamp_to(point.y, -limit, limit));
    }
    /* a wrapping world ends just before its size: the size itself is 0 again */
    const float inset = server_model_wraps(model) ? 0.01f : 0.0f;
    const vec2 size = model->scenario.size;
    return vec2_make(clamp_to(point.x, 0.0f, size.x - inset), clamp_to(point.y, 0.0f, size.y - inset));
}

const char *server_model_neighbor(const struct message_scenario_row *rows, int count, const char *current,
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
