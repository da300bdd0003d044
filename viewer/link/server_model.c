/* See server_model.h. */
#include "viewer/link/server_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/link/seconds.h"

void server_model_init(struct server_model *model) {
    memset(model, 0, sizeof *model);
}

static void drop_first_values(struct server_model *model) {
    free(model->first_values);
    model->first_values = NULL;
    model->first_count = 0;
    model->is_first_of_before = false;
}

static void clear_params(struct server_model *model) {
    free(model->params);
    model->params = NULL;
    model->param_count = 0;
}

static void drop_comparison(struct server_model *model) {
    free(model->comparison);
    model->comparison = NULL;
}

void server_model_fini(struct server_model *model) {
    free(model->scenarios);
    free(model->saves);
    free(model->cluster);
    drop_comparison(model);
    free(model->measure);
    clear_params(model);
    drop_first_values(model);
    server_model_init(model);
}

static void copy_name(char *to, const char *from) {
    (void)snprintf(to, LIMIT_NAME_CHARS + 1, "%s", from);
}

PRINTF_LIKE(4, 0)
static void set_notice(struct server_model *model, bool is_error, bool is_warning, const char *format,
                       va_list arguments) {
    (void)vsnprintf(model->notice, sizeof model->notice, format, arguments);
    model->is_notice_error = is_error;
    model->is_notice_warning = is_warning;
    model->notice_count++;
}

void server_model_set_notice(struct server_model *model, bool is_error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set_notice(model, is_error, false, format, arguments);
    va_end(arguments);
}

void server_model_set_warning(struct server_model *model, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set_notice(model, false, true, format, arguments);
    va_end(arguments);
}

static void note_mouse_target(struct server_model *model) {
    model->has_mouse_target = false;
    for (int i = 0; i < model->scenario.target_count; i++) {
        model->has_mouse_target = model->has_mouse_target || strcmp(model->scenario.targets[i], "mouse") == 0;
    }
}

bool server_model_is_moment(const struct server_model *model, const struct message_scenario *scenario) {
    return model->look != SERVER_MODEL_LIVE && model->has_scenario &&
           strcmp(model->scenario.name, scenario->name) == 0;
}

/* A scenario line that is not of a look: of a rewind, which the event after it says, what the parameters were at
 * first still holds. Of a world whose parameters never came, nothing is known. */
static void leave_params(struct server_model *model, bool is_same_name) {
    clear_params(model);
    if (!is_same_name || model->is_first_of_before) {
        drop_first_values(model);
    }
    model->is_first_of_before = model->first_values != NULL;
}

/* A look has no pace of its own; what its world's parameters were at first stays known. */
static void apply_scenario(struct server_model *model, const struct message_scenario *scenario,
                           uint32_t epoch) {
    const struct message_pace pace = model->scenario.pace;
    const bool is_moment = server_model_is_moment(model, scenario),
               is_same_name = model->has_scenario && strcmp(model->scenario.name, scenario->name) == 0;
    model->scenario = *scenario;
    model->has_scenario = true;
    model->epoch = epoch;
    model->legend_count = 0;
    memset(model->kind_states, 0, sizeof model->kind_states);
    model->names_count = 0;
    if (is_moment && model->look == SERVER_MODEL_LOOKS) {
        model->scenario.pace = pace;
    } else {
        model->has_heard_twin = model->has_heard_twin && !is_moment; /* meanwhile no event told of it */
        model->look = SERVER_MODEL_LIVE;
    }
    if (!is_moment) {
        leave_params(model, is_same_name);
    }
    model->has_agent = false;
    free(model->measure);
    model->measure = NULL;
    drop_comparison(model);
    model->cursors.count = 0;
    model->agent_total = 0.0;
    for (int i = 0; i < scenario->kind_count; i++) {
        model->agent_total += scenario->kinds[i].count;
    }
    note_mouse_target(model);
}

/* The first ones of a world say what "as it was" means. */
static void take_params(struct server_model *model, struct message_reply *reply) {
    if (model->first_count != reply->param_count || model->is_first_of_before) {
        drop_first_values(model);
    }
    if (model->first_values == NULL) {
        model->first_values = calloc((size_t)reply->param_count + 1, sizeof *model->first_values);
        model->first_count = model->first_values != NULL ? reply->param_count : 0;
        for (int i = 0; i < model->first_count; i++) {
            model->first_values[i] = reply->params[i].value;
        }
    }
    clear_params(model);
    model->params = reply->params;
    model->param_count = reply->param_count;
    reply->params = NULL;
    reply->param_count = 0;
}

/* A reply has one half of the past. */
static void take_past(struct server_model *model, const struct message_past *past) {
    struct message_past *own = &model->past;
    if (past->has_branches) {
        own->has_branches = true;
        own->branch_count = past->branch_count;
        own->mark_count = past->mark_count;
        memcpy(own->branches, past->branches, sizeof own->branches);
        memcpy(own->marks, past->marks, sizeof own->marks);
    } else {
        own->has_changes = true;
        own->change_count = past->change_count;
        memcpy(own->changes, past->changes, sizeof own->changes);
    }
    model->past_count++;
}

/* Of another world. */
static void clear_past(struct server_model *model) {
    model->past.has_branches = model->past.has_changes = model->has_no_past = false;
    model->past.branch_count = model->past.mark_count = model->past.change_count = 0;
    model->past_count++;
}

/* The message's memory becomes ours. */
static void take_lists(struct server_model *model, struct message_reply *reply) {
    if (strcmp(reply->to, "list") == 0 && reply->has_saves) {
        free(model->saves);
        model->saves = reply->saves;
        model->save_count = reply->save_count;
        reply->saves = NULL;
        reply->save_count = 0;
    } else if (strcmp(reply->to, "list") == 0 && reply->scenario_count > 0) {
        free(model->scenarios);
        model->scenarios = reply->scenarios;
        model->scenario_count = reply->scenario_count;
        reply->scenarios = NULL;
        reply->scenario_count = 0;
    } else if (strcmp(reply->to, "get_params") == 0) {
        take_params(model, reply);
    }
    if (reply->past != NULL) {
        take_past(model, reply->past);
    }
}

/* Padding that differs is one change more. */
static void take_cluster(struct server_model *model, struct message_reply *reply) {
    const struct message_cluster *before = model->cluster, *now = reply->cluster;
    const bool is_same =
        before == now || (before != NULL && now != NULL &&
                          memcmp((const char *)before, (const char *)now, sizeof *before) == 0);
    model->cluster_count += is_same ? 0 : 1;
    free(model->cluster);
    model->cluster = reply->cluster;
    reply->cluster = NULL;
}

static void take_agent(struct server_model *model, const struct message_reply *reply) {
    model->has_agent = reply->agent_count > 0;
    if (model->has_agent) {
        model->agent = reply->agents[0];
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

/* ---- saved worlds, recordings ---- */

void server_model_ask_save(struct server_model *model, const char *name) {
    copy_name(model->asked_save, name);
}

void server_model_ask_record(struct server_model *model, enum server_model_record what) {
    model->asked_record = what;
}

void server_model_ask_load(struct server_model *model, const char *save) {
    copy_name(model->loaded_save, save);
}

void server_model_ask_seek(struct server_model *model) {
    model->seeks_asked++;
}

const struct message_save_row *server_model_save(const struct server_model *model, const char *name) {
    for (int i = 0; i < model->save_count; i++) {
        if (strcmp(model->saves[i].name, name) == 0) {
            return &model->saves[i];
        }
    }
    return NULL;
}

bool server_model_is_replay(const struct server_model *model) {
    return model->playback.has_replay;
}

/* What is new in it and should not be missed becomes a notice. */
static void take_playback(struct server_model *model, const struct message_playback *playback) {
    const struct message_playback before = model->playback;
    const struct message_replay *replay = &playback->replay;
    model->playback = *playback;
    if (model->speeds_asked > 0 && before.has_replay) {
        model->playback.replay.speed = before.replay.speed;
    }
    if (playback->has_replay && replay->has_diverged && !(before.has_replay && before.replay.has_diverged)) {
        char world[32] = "";
        if (replay->worlds > 1) {
            (void)snprintf(world, sizeof world, " of world %u", replay->diverged_world);
        }
        server_model_set_warning(model, "From tick %llu%s on this is not what was recorded",
                                 (unsigned long long)replay->diverged_tick, world);
    }
    if (playback->has_left_out && !before.has_left_out && playback->left_out_ticks == 0 &&
        playback->left_out_requests == 0) {
        server_model_set_warning(model,
                                 "Files of the server's journal are missing: what they had is left out");
    } else if (playback->has_left_out && !before.has_left_out) {
        server_model_set_warning(model,
                                 "The server could not continue from the end of its journal: %llu ticks and "
                                 "%llu requests are left out",
                                 (unsigned long long)playback->left_out_ticks,
                                 (unsigned long long)playback->left_out_requests);
    }
    /* Whoever comes later has missed nothing. */
    const bool is_known = before.has_restarted && before.restarted_tick == playback->restarted_tick;
    if (playback->has_restarted && !is_known && model->session != 0) {
        server_model_set_warning(model, "The world went on from tick %llu after a restart: %s",
                                 (unsigned long long)playback->restarted_tick, playback->lost);
    }
}

void server_model_format_bytes(uint64_t bytes, char *out, size_t size) {
    static const char *const units[] = {"bytes", "KB", "MB", "GB"};
    int unit = 0;
    uint64_t tenths = bytes * 10;
    while (tenths >= 10000 && unit < 3) {
        tenths = (tenths + 500) / 1000;
        unit++;
    }
    if (unit > 0 && tenths < 100) {
        (void)snprintf(out, size, "%llu.%llu %s", (unsigned long long)(tenths / 10),
                       (unsigned long long)(tenths % 10), units[unit]);
    } else {
        (void)snprintf(out, size, "%llu %s", (unsigned long long)(tenths / 10), units[unit]);
    }
}

/* The file that is written now. One that was written before the connection broke off has ended with its server when
 * another one, or none, is written now. */
static void take_recording(struct server_model *model, const char *file) {
    if (model->lost_recording[0] != '\0' && strcmp(model->lost_recording, file) != 0) {
        server_model_set_warning(model, "The recording %s has ended: the server was started again",
                                 model->lost_recording);
    }
    model->lost_recording[0] = '\0';
    (void)snprintf(model->recording, sizeof model->recording, "%s", file);
}

static void notice_record(struct server_model *model, const struct message_reply *reply) {
    if (model->asked_record == SERVER_MODEL_STOPS) {
        server_model_set_notice(model, false, "The recording %s.drover is complete", reply->file);
    } else if (model->asked_record == SERVER_MODEL_RECORDS) {
        server_model_set_notice(model, false, "The server records to %s.drover", reply->file);
    } else if (model->asked_record == SERVER_MODEL_KEEPS) {
        server_model_set_notice(model, false, "Kept as %s.drover, from tick %llu on", reply->file,
                                (unsigned long long)reply->from);
    }
}

static void notice_save(struct server_model *model, const struct message_reply *reply) {
    char size[24];
    server_model_format_bytes(reply->bytes, size, sizeof size);
    server_model_set_notice(
        model, false, "Saved %s at tick %llu (%s), %s", model->asked_save, (unsigned long long)reply->tick,
        size, strcmp(reply->kept, "memory") == 0 ? "in memory: it is gone when the server ends" : "on disk");
}

/* ---- what we may do ---- */

/* Whether the world of a recording keeps a request from changing it. */
static bool is_fixed(const struct server_model *model, enum request_op op) {
    const bool is_time = op == REQUEST_PAUSE || op == REQUEST_RESUME || op == REQUEST_STEP;
    const bool changes = request_has_trait(op, REQUEST_TRAIT_CHANGES) && !is_time;
    return server_model_is_replay(model) && (changes || op == REQUEST_RECORD);
}

bool server_model_may(const struct server_model *model, enum request_op op) {
    return !model->has_scenario || (model->role >= request_role(op) && !is_fixed(model, op));
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
    case REQUEST_SET_OBSTACLE:
        return "Closing doors";
    case REQUEST_SAVE:
        return "Saving";
    case REQUEST_REMOVE_SAVE:
        return "Removing a saved world";
    case REQUEST_RECORD:
        return "Recording";
    case REQUEST_SEEK:
        return "Going to another moment";
    case REQUEST_SPEED:
        return "Changing the speed";
    case REQUEST_REWIND:
        return "Going back";
    case REQUEST_MARK:
        return "Setting a mark";
    default:
        return request_op_name(op);
    }
}

void server_model_denial(const struct server_model *model, enum request_op op, char *out) {
    const char *needed = role_name(request_role(op));
    out[0] = '\0';
    if (model->is_static && !server_model_may(model, op)) {
        (void)snprintf(out, SERVER_MODEL_DENIAL,
                       "%s takes a connection to the server; these are its static seconds", deed(op));
    } else if (model->role >= request_role(op) && is_fixed(model, op) && op == REQUEST_RECORD) {
        (void)snprintf(out, SERVER_MODEL_DENIAL,
                       "The server plays a recording, which is a file already; take it over first");
    } else if (model->role >= request_role(op) && is_fixed(model, op)) {
        (void)snprintf(out, SERVER_MODEL_DENIAL,
                       "The server plays a recording, which nothing can change; take it over first");
    } else if (!server_model_may(model, op)) {
        const bool is_guest = model->role == ROLE_NONE;
        (void)snprintf(out, SERVER_MODEL_DENIAL, "%s needs the role %s%s%s: connect with the token of an %s",
                       deed(op), needed, is_guest ? "" : "; you are ", is_guest ? "" : role_name(model->role),
                       needed);
    }
}

void server_model_ask_paused(struct server_model *model, bool is_paused) {
    model->pauses_asked++;
    model->asked_paused = is_paused;
}

void server_model_ask_speed(struct server_model *model, double speed) {
    model->speeds_asked++;
    model->asked_speed = speed;
    model->playback.replay.speed = speed;
}

void server_model_ask_twin(struct server_model *model, bool wants_twin) {
    model->twins_asked++;
    model->asked_twin = wants_twin;
}

bool server_model_will_have_twin(const struct server_model *model, bool is_shown) {
    return model->twins_asked > 0 ? model->asked_twin : model->has_heard_twin ? model->has_twin : is_shown;
}

double server_model_speed(const struct server_model *model) {
    return model->speeds_asked > 0 ? model->asked_speed : message_pace_speed(&model->scenario.pace);
}

bool server_model_is_warming(const struct server_model *model) {
    return model->has_scenario && model->scenario.pace.is_warming;
}

double server_model_pace(const struct server_model *model) {
    return server_model_is_warming(model) ? 0.0 : server_model_speed(model);
}

/* A reply or an error to a request that is waited for. */
static void take_answer(struct server_model *model, const char *id) {
    if (strcmp(id, SERVER_MODEL_PAUSE_ID) == 0 && model->pauses_asked > 0) {
        model->pauses_asked--;
    } else if (strcmp(id, SERVER_MODEL_SPEED_ID) == 0 && model->speeds_asked > 0) {
        model->speeds_asked--;
    } else if (strcmp(id, SERVER_MODEL_TWIN_ID) == 0 && model->twins_asked > 0) {
        model->twins_asked--;
    }
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

struct message_moment server_model_moment(const struct server_model *model, double time_s) {
    const vec2 none = {0.0f, 0.0f};
    const double hz = model->scenario.tick_hz;
    return (struct message_moment){server_model_wraps(model) ? model->scenario.size : none, hz, time_s * hz};
}

/* "obstacle_added" -> "adds". */
static const char *verb_of(const char *event) {
    const char *end = strchr(event, '_');
    return end != NULL && strcmp(end, "_added") == 0     ? "adds"
           : end != NULL && strcmp(end, "_removed") == 0 ? "removes"
           : end != NULL && strcmp(end, "_set") == 0     ? "sets"
                                                         : "moves";
}

/* "Ann", or "session 4". */
static void format_who(const struct message_event *event, char *out, size_t size) {
    if ((event->has & EVENT_HAS_NAME) != 0) {
        (void)snprintf(out, size, "%s", event->name);
    } else {
        (void)snprintf(out, size, "session %u", event->by);
    }
}

/* Of the events that name none of the world's things. Nothing is said of those of later versions and of cursors, which
 * have names in the picture. */
static void notice_of_world(struct server_model *model, const struct message_event *event, const char *who) {
    if (strcmp(event->event, "loaded") == 0) {
        const bool is_save = (event->has & EVENT_HAS_SAVE) != 0;
        server_model_set_notice(model, false, is_save ? "%s loads the saved world %s" : "%s loads %s", who,
                                is_save ? event->save : event->scenario);
    } else if (strcmp(event->event, "paused") == 0 || strcmp(event->event, "resumed") == 0) {
        server_model_set_notice(model, false, "%s %s the world", who, event->event);
    } else if ((event->has & EVENT_HAS_SPEED) != 0 && event->speed > 0.0) {
        server_model_set_notice(model, false, "%s sets the speed to %gx", who, event->speed);
    } else if ((event->has & EVENT_HAS_SPEED) != 0) {
        server_model_set_notice(model, false, "%s lets the world run as fast as it can", who);
    } else if (strcmp(event->event, "rewound") == 0) {
        server_model_set_notice(model, false, "%s takes the world back to tick %llu, branch %s", who,
                                (unsigned long long)event->tick, event->branch);
    }
}

static void tell(struct server_model *model, const struct message_event *event) {
    char who[64], value[40], whose[48];
    format_who(event, who, sizeof who);
    if ((event->has & EVENT_HAS_AGENT) != 0) {
        (void)snprintf(whose, sizeof whose, "agent %u", event->agent);
    } else {
        (void)snprintf(whose, sizeof whose, "%s",
                       (event->has & EVENT_HAS_KIND) != 0 ? event->kind : "agents");
    }
    if (strcmp(event->event, "aim") == 0) {
        server_model_set_notice(model, false,
                                (event->has & EVENT_HAS_CLEAR) != 0 ? "%s takes the target of %s away"
                                                                    : "%s sets the target of %s",
                                who, whose);
    } else if (strcmp(event->event, "placed") == 0 && (event->has & EVENT_HAS_AGENT) != 0) {
        server_model_set_notice(model, false, "%s placed %s", who, whose);
    } else if ((event->has & EVENT_HAS_PARAM) != 0) {
        format_value(event->value, value, sizeof value);
        server_model_set_notice(model, false, "%s set %s of %s to %s", who, event->param, whose, value);
    } else if (strcmp(event->event, "stepped") == 0) {
        server_model_set_notice(model, false, "%s steps the world by %u tick%s", who, event->count,
                                event->count == 1 ? "" : "s");
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
        notice_of_world(model, event, who);
    }
}

/* The reply tells of our own requests. */
static void notice_recording(struct server_model *model, const struct message_event *event) {
    const bool is_end = strcmp(event->event, "recording_ended") == 0;
    char who[64];
    format_who(event, who, sizeof who);
    if ((event->has & EVENT_HAS_REASON) != 0) {
        server_model_set_warning(model, "%s is not written any more: %s. The world runs on.", event->file,
                                 event->reason);
    } else if (event->by != 0 && event->by != model->session) {
        server_model_set_notice(model, false, is_end ? "%s ends the recording %s" : "%s records to %s", who,
                                event->file);
    }
}

static void notice_of_save(struct server_model *model, const struct message_event *event) {
    char who[64];
    format_who(event, who, sizeof who);
    if (event->by != 0 && event->by != model->session) {
        server_model_set_notice(model, false,
                                strcmp(event->event, "saved") == 0 ? "%s saves the world as %s"
                                                                   : "%s removes the saved world %s",
                                who, event->save);
    }
}

/* Events about saved worlds and recordings. Whether it was one. */
static bool apply_keeping(struct server_model *model, const struct message_event *event,
                          struct server_model_wish *wish) {
    static const char *const about_stats[] = {"recording_started", "recording_ended", "diverged",
                                              "resumed_from", "restarted"};
    for (size_t i = 0; i < sizeof about_stats / sizeof about_stats[0]; i++) {
        if (strcmp(event->event, about_stats[i]) == 0) {
            wish->stats = true; /* it says the rest */
            if (i < 2) {
                notice_recording(model, event);
            }
            return true;
        }
    }
    if (strcmp(event->event, "saved") == 0 || strcmp(event->event, "save_removed") == 0) {
        wish->saves = true;
        notice_of_save(model, event);
        return true;
    }
    wish->stats = server_model_is_replay(model) && strcmp(event->event, "resumed") == 0; /* taken over? */
    return false;
}

/* What there is to say of a twin beside the world. */
static void tell_comparison(struct server_model *model, const struct message_event *event) {
    if (strcmp(event->event, "compare_begun") == 0) {
        model->has_twin = model->has_heard_twin = true;
        drop_comparison(model);
        server_model_set_notice(model, false, "a twin runs beside the world from tick %llu on",
                                (unsigned long long)event->tick);
    } else if (strcmp(event->event, "differs") == 0) {
        server_model_set_notice(model, false, "agent %u is the first to differ from its twin, at tick %llu",
                                (unsigned)event->agent, (unsigned long long)event->tick);
    } else if (strcmp(event->event, "compare_ended") == 0) {
        model->has_twin = false;
        model->has_heard_twin = true;
        server_model_set_notice(model, false, "no twin runs any more: %s", event->reason);
    }
}

static void end_look(struct server_model *model, const struct message_event *event) {
    if (strcmp(event->event, "look_ended") != 0) {
        return;
    }
    model->look = strcmp(event->reason, "loaded") == 0 ? SERVER_MODEL_LIVE : SERVER_MODEL_RETURNS;
    if (strcmp(event->reason, "gone") == 0) {
        server_model_set_warning(model, "The server does not keep tick %llu any more: this is now",
                                 (unsigned long long)model->look_tick);
    } else if (strcmp(event->reason, "failed") == 0) {
        server_model_set_warning(model, "The server could not compute the moment: this is now");
    }
}

static const struct message_branch *branch_of(const struct message_past *past, const char *name) {
    for (int i = 0; i < past->branch_count; i++) {
        if (name == NULL ? past->branches[i].is_current : strcmp(past->branches[i].name, name) == 0) {
            return &past->branches[i];
        }
    }
    return NULL;
}

bool server_model_is_in_effect(const struct server_model *model, const char *branch, uint64_t tick) {
    const struct message_past *past = &model->past;
    const struct message_branch *at = branch_of(past, NULL);
    uint64_t until = UINT64_MAX;
    for (int i = 0; at != NULL && i < past->branch_count; i++) {
        if (strcmp(at->name, branch) == 0) {
            return tick <= until;
        }
        until = at->at < until ? at->at : until;
        at = branch_of(past, at->from);
    }
    return past->branch_count == 0;
}

/* The line of branches that leads to the present is known at once, before the next list. */
static void follow_rewind(struct message_past *past, const struct message_event *event) {
    const struct message_branch *known = branch_of(past, event->branch);
    const int index = known != NULL ? (int)(known - past->branches) : past->branch_count;
    if (!past->has_branches || index == MESSAGE_BRANCHES) {
        return;
    }
    struct message_branch *row = &past->branches[index];
    if (strcmp(event->branch, event->from) != 0) { /* a further one, or one that was moved */
        *row = (struct message_branch){.at = event->tick, .last = event->tick};
        copy_name(row->name, event->branch);
        copy_name(row->from, event->from);
        past->branch_count += known == NULL ? 1 : 0;
    }
    for (int i = 0; i < past->branch_count; i++) {
        past->branches[i].is_current = i == index;
    }
}

static void apply_event(struct server_model *model, const struct message_event *event,
                        struct server_model_wish *wish) {
    const bool is_known = (event->has & EVENT_HAS_SKIPPED) == 0; /* lag is for the network figures */
    if (apply_keeping(model, event, wish)) {
        return;
    }
    wish->branches = strcmp(event->event, "rewound") == 0;
    if (wish->branches) {
        model->is_first_of_before = false; /* it is the same world */
        wish->is_back =
            model->past.has_branches && server_model_is_in_effect(model, event->from, event->tick);
        follow_rewind(&model->past, event);
    }
    wish->changes = is_known && event->by != 0;
    if (strcmp(event->event, "paused") == 0) {
        model->is_paused = true;
    } else if (strcmp(event->event, "resumed") == 0) {
        model->is_paused = false;
    } else if ((event->has & EVENT_HAS_SPEED) != 0) {
        model->scenario.pace = message_pace_make(event->speed);
        model->playback.replay.speed = model->speeds_asked > 0 ? model->asked_speed : event->speed;
    } else if (strcmp(event->event, "warmed_up") == 0) {
        model->scenario.pace.is_warming = false;
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
    if (strcmp(event->event, "not_reloaded") == 0) {
        server_model_set_notice(model, true, "%s", event->reason);
    }
    tell_comparison(model, event);
    end_look(model, event);
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

/* Where a seek has led to; the stats that follow say the rest. */
static void take_place(struct message_replay *replay, const struct message_reply *reply) {
    replay->world = reply->world;
    replay->tick = reply->tick;
    if (reply->world >= 1 && reply->world <= (uint32_t)replay->span_count) {
        replay->first = replay->spans[reply->world - 1].first;
        replay->last = replay->spans[reply->world - 1].last;
    }
}

static void apply_reply(struct server_model *model, struct message_reply *reply,
                        struct server_model_wish *wish) {
    wish->load = switch_by(model, reply);
    if (strcmp(reply->id, SERVER_MODEL_PAUSE_ID) == 0 && model->pauses_asked > 0) {
        model->is_paused = strcmp(reply->to, "pause") == 0;
    } else if (reply->has_paused) {
        model->is_paused = reply->is_paused;
    }
    if (strcmp(reply->id, SERVER_MODEL_SPEED_ID) == 0 && model->speeds_asked == 1) {
        model->scenario.pace = message_pace_make(model->asked_speed); /* the speed ends a warm-up */
    }
    if (strcmp(reply->id, SERVER_MODEL_TWIN_ID) == 0 && model->twins_asked == 1) {
        model->has_twin = model->asked_twin; /* the event about it may be on its way */
        model->has_heard_twin = true;
    }
    take_answer(model, reply->id);
    if (strcmp(reply->to, "hello") == 0) {
        model->role = role_of(reply->role);
    } else if (strcmp(reply->to, "inspect") == 0) {
        take_agent(model, reply);
    } else if (reply->measure != NULL) {
        free(model->measure);
        model->measure = reply->measure;
        reply->measure = NULL;
    } else if (strcmp(reply->to, "stats") == 0) {
        model->phases = reply->phases;
        take_cluster(model, reply);
        drop_comparison(model);
        model->comparison = reply->comparison;
        reply->comparison = NULL;
    } else if (strcmp(reply->to, "look") == 0 && reply->branch[0] != '\0') {
        model->look = SERVER_MODEL_LOOKS;
        model->look_tick = reply->tick;
    }
    if (reply->has_paused) {
        model->scenario.pace = reply->pace;
        take_playback(model, &reply->playback);
        take_recording(model, reply->recording);
    } else if (strcmp(reply->id, SERVER_MODEL_SAVE_ID) == 0) {
        notice_save(model, reply);
        wish->saves = true;
    } else if (strcmp(reply->id, SERVER_MODEL_TAKE_OVER_ID) == 0) {
        server_model_set_notice(model, false, "The recording is taken over: the world goes on by itself");
    } else if (strcmp(reply->to, "record") == 0) {
        notice_record(model, reply);
    } else if (strcmp(reply->to, "mark") == 0) {
        server_model_set_notice(model, false, "Mark %s at tick %llu", reply->mark,
                                (unsigned long long)reply->tick);
    } else if (strcmp(reply->to, "rewind") == 0 && strcmp(reply->id, SERVER_MODEL_WITHOUT_ID) != 0) {
        server_model_set_notice(model, false, "The world goes on from tick %llu, in branch %s; Space resumes",
                                (unsigned long long)reply->tick, reply->branch);
    }
    wish->branches = strcmp(reply->to, "mark") == 0 || strcmp(reply->to, "rewind") == 0;
    wish->rewound = strcmp(reply->id, SERVER_MODEL_REWIND_ID) == 0;
    wish->saves = wish->saves || strcmp(reply->to, "remove_save") == 0;
    wish->sought = wish->reached = strcmp(reply->id, SERVER_MODEL_SEEK_ID) == 0;
    if (wish->reached) {
        model->seeks_asked -= model->seeks_asked > 0 ? 1 : 0;
        take_place(&model->playback.replay, reply);
    }
    wish->stats = strcmp(reply->to, "seek") == 0 || strcmp(reply->to, "speed") == 0 ||
                  strcmp(reply->to, "record") == 0 || strcmp(reply->id, SERVER_MODEL_TAKE_OVER_ID) == 0;
    take_lists(model, reply);
}

static void apply_error(struct server_model *model, const struct message_error *error,
                        struct server_model_wish *wish) {
    wish->sought = strcmp(error->id, SERVER_MODEL_SEEK_ID) == 0;
    wish->params = strcmp(error->id, SERVER_MODEL_TUNE_ID) == 0;
    if (strcmp(error->id, SERVER_MODEL_LOAD_ID) == 0) {
        model->loaded_save[0] = '\0';
    }
    wish->replaces = strcmp(error->id, SERVER_MODEL_SAVE_ID) == 0 && error->failure.code == FAILURE_EXISTS;
    wish->rewound = strcmp(error->id, SERVER_MODEL_REWIND_ID) == 0;
    if (strcmp(error->id, SERVER_MODEL_PAST_ID) == 0) {
        clear_past(model);
        model->has_no_past = true;
        return;
    }
    if (strcmp(error->id, SERVER_MODEL_LOOK_ID) == 0) {
        if (error->failure.code != FAILURE_WITHDRAWN) {
            server_model_set_notice(model, false, "That moment is not shown: %s", error->failure.message);
        }
        return;
    }
    if (wish->replaces || strcmp(error->id, SERVER_MODEL_SAVES_ID) == 0) {
        return; /* a question follows; a list that an older server does not have is empty */
    }
    take_answer(model, error->id);
    wish->stats = strcmp(error->id, SERVER_MODEL_SPEED_ID) == 0;
    if (wish->sought) {
        model->seeks_asked -= model->seeks_asked > 0 ? 1 : 0;
        if (error->failure.code == FAILURE_BUSY && model->seeks_asked > 0) {
            return; /* given up for our further one */
        }
    }
    const bool is_given_up = wish->sought && error->failure.code == FAILURE_BUSY;
    server_model_set_notice(model, !is_given_up, "%s", error->failure.message);
}

/* Of a world that was loaded; the line of a seek brings the same world at another moment. */
static void notice_scenario(struct server_model *model, const struct message_scenario *scenario) {
    if (model->loaded_save[0] != '\0') {
        server_model_set_notice(model, false, "%s, the saved world %s", scenario->title, model->loaded_save);
    } else if (scenario->about.caption[0] == '\0' && /* else the caption comes */
               !server_model_is_moment(model, scenario) &&
               (!server_model_is_replay(model) || strcmp(model->scenario.name, scenario->name) != 0)) {
        server_model_set_notice(model, false, "%s", scenario->title);
    }
    model->loaded_save[0] = '\0';
}

static void apply_hello(struct server_model *model, const struct message_hello *hello, uint32_t epoch) {
    model->pending_switch = model->pauses_asked = model->seeks_asked = model->speeds_asked = 0;
    model->twins_asked = 0;
    model->loaded_save[0] = '\0';
    model->has_twin = model->has_heard_twin = false;
    model->has_scenario = false; /* of an earlier connection, when this server wants a token first */
    if (hello->has_world) {
        apply_scenario(model, &hello->scenario, epoch);
        model->is_paused = hello->is_paused;
        take_playback(model, &hello->playback);
    }
    model->session = hello->session;
    model->look = SERVER_MODEL_LIVE;
    model->role = role_of(hello->role);
    model->is_static = strcmp(hello->server, SECONDS_SERVER) == 0;
    if (model->recording[0] != '\0') {
        (void)snprintf(model->lost_recording, sizeof model->lost_recording, "%s", model->recording);
        model->recording[0] = '\0';
    }
}

struct server_model_wish server_model_apply(struct server_model *model, struct message *message,
                                            uint32_t epoch) {
    struct server_model_wish wish = {.load = NULL};
    switch (message->op) {
    case MESSAGE_HELLO:
        apply_hello(model, &message->body.hello, epoch);
        break;
    case MESSAGE_SCENARIO:
        notice_scenario(model, &message->body.scenario);
        apply_scenario(model, &message->body.scenario, epoch);
        break;
    case MESSAGE_REPLY:
        apply_reply(model, &message->body.reply, &wish);
        break;
    case MESSAGE_EVENT:
        apply_event(model, &message->body.event, &wish);
        message_scenario_follow(&model->scenario, &message->body.event);
        note_mouse_target(model);
        break;
    case MESSAGE_ERROR:
        apply_error(model, &message->body.error, &wish);
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

bool server_model_shows(const struct server_model *model, const struct snapshot *snapshot) {
    const bool is_of_look = snapshot->tick == model->look_tick;
    return snapshot->epoch == model->epoch &&
           (model->look == SERVER_MODEL_LIVE || (model->look == SERVER_MODEL_LOOKS) == is_of_look);
}

static void note_state(struct server_model *model, const char *state) {
    for (int i = 0; i < model->legend_count; i++) {
        if (strcmp(model->legend[i].state, state) == 0) {
            return;
        }
    }
    if (model->legend_count < SERVER_MODEL_LEGEND_ROWS) {
        copy_name(model->legend[model->legend_count++].state, state);
        model->names_count++;
    }
}

static void note_kind(struct server_model *model, const char *name, const char *state) {
    const struct message_kind *kind = server_model_kind(model, name);
    char *noted = kind != NULL ? model->kind_states[kind - model->scenario.kinds] : NULL;
    if (noted != NULL && noted[0] == '\0') {
        copy_name(noted, state);
        model->names_count++;
    }
}

/* A snapshot's tables also have the names of those it was read over: what counts is what its agents have. */
void server_model_note_names(struct server_model *model, const struct snapshot *snapshot) {
    bool is_seen[NAME_TABLE_CAPACITY] = {false};
    int state_of_kind[NAME_TABLE_CAPACITY] = {0}; /* + 1 */
    for (int32_t i = snapshot->count; i > 0; i--) {
        is_seen[snapshot->state[i - 1]] = true;
        state_of_kind[snapshot->kind[i - 1]] = snapshot->state[i - 1] + 1;
    }
    for (int i = 0; i < snapshot->state_names.count; i++) {
        if (is_seen[i]) {
            note_state(model, snapshot->state_names.names[i]);
        }
    }
    for (int i = 0; i < snapshot->kind_names.count; i++) {
        if (state_of_kind[i] > 0) {
            note_kind(model, snapshot->kind_names.names[i],
                      snapshot->state_names.names[state_of_kind[i] - 1]);
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

float server_model_top_speed(const struct server_model *model) {
    float top = 0.0f;
    for (int i = 0; i < model->scenario.kind_count; i++) {
        top = fmaxf(top, model->scenario.kinds[i].max_speed);
    }
    return top;
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
