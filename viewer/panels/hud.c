/* See hud.h. */
#include "viewer/panels/hud.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/draw/palette.h"
#include "viewer/panels/hud_agent.h"
#include "viewer/panels/hud_format.h"
#include "viewer/panels/hud_labels.h"
#include "viewer/panels/hud_legend.h"
#include "viewer/panels/hud_plots.h"

static const double slow_stall_ms = 5000.0;

enum run_state hud_run_state(const struct link_status *link, bool is_paused, bool is_stalled) {
    if (link->state == LINK_REFUSED) {
        return RUN_REFUSED;
    }
    if (link->state != LINK_READY) {
        return link->was_ready ? RUN_RECONNECTING : RUN_CONNECTING;
    }
    return is_paused ? RUN_PAUSED : is_stalled ? RUN_STALLED : RUN_RUNNING;
}

static const struct {
    const char *name;
    color mark;
} states[] = {
    [RUN_CONNECTING] = {"connecting", PALETTE_WARN}, [RUN_RECONNECTING] = {"reconnecting", PALETTE_BAD},
    [RUN_REFUSED] = {"not let in", PALETTE_BAD},     [RUN_STALLED] = {"stalled", PALETTE_BAD},
    [RUN_PAUSED] = {"paused", PALETTE_WARN},         [RUN_RUNNING] = {"running", PALETTE_OK},
    [RUN_PAST] = {"the past", PALETTE_WARN},
};

const char *run_state_name(enum run_state state) {
    return states[state].name;
}

static void fill_numbers(const struct hud_input *input, struct panels_view *view) {
    const struct snapshot *newest = input->frame->names;
    if (newest != NULL) {
        hud_format_count(newest->tick, view->tick, sizeof view->tick);
        hud_format_tenths(newest->time_s, " s", view->time, sizeof view->time);
    }
    if (input->playhead->is_live &&
        (input->density != NULL || input->has_region)) { /* what is seen is not all there is */
        hud_format_count((uint64_t)input->server->agent_total, view->agents, sizeof view->agents);
    }
    if (!input->is_fixed && input->link->state == LINK_READY) {
        if (input->link->ping_ms >= 0.0) {
            hud_format_tenths(input->link->ping_ms, " ms", view->ping, sizeof view->ping);
        }
        if (input->measures.snapshots_per_s >= 0.0) {
            hud_format_tenths(input->measures.snapshots_per_s, "/s", view->rate, sizeof view->rate);
        }
    }
}

struct hud_refusal hud_refusal(const struct link_status *link) {
    static const struct hud_refusal refusals[] = {
        {"This server wants a token",
         "Start the viewer with --token SECRET, or with DROVER_TOKEN=SECRET in the environment. The tokens "
         "are in the server's --token-file."},
        {"The token was refused",
         "Start the viewer with another one, --token SECRET or DROVER_TOKEN=SECRET in the environment. The "
         "tokens are in the server's --token-file."},
    };
    return refusals[link->has_token ? 1 : 0];
}

/* " --port 7800" unless it is the one a server takes by itself. */
static void add_start(const struct address *address, char *out, size_t size) {
    const bool is_here = strcmp(address->host, "127.0.0.1") == 0 || strcmp(address->host, "localhost") == 0 ||
                         strcmp(address->host, "::1") == 0;
    const bool is_usual = strcmp(address->port, "7717") == 0;
    const size_t used = strlen(out);
    if (is_here) {
        (void)snprintf(out + used, size - used,
                       ".\nNo server runs there. Start one:  drover-server flock%s%s",
                       is_usual ? "" : " --port ", is_usual ? "" : address->port);
    } else {
        (void)snprintf(out + used, size - used, ".\nNo server listens there.");
    }
}

static void fill_banner(const struct hud_input *input, struct panels_view *view) {
    const struct link_status *link = input->link;
    if (link->state == LINK_READY) {
        return;
    }
    if (link->state == LINK_REFUSED) {
        const struct hud_refusal refusal = hud_refusal(link);
        (void)snprintf(view->banner[0], sizeof view->banner[0], "%s", refusal.title);
        (void)snprintf(view->banner[1], sizeof view->banner[1], "%s: %s", view->address, refusal.words);
        return;
    }
    const bool waits = link->state == LINK_WAITING && link->retry_at_ns > input->now_ns;
    const char *verb = link->was_ready ? "Reconnecting" : "Connecting";
    if (waits) {
        const unsigned long long seconds = (link->retry_at_ns - input->now_ns + 999999999u) / 1000000000u;
        (void)snprintf(view->banner[0], sizeof view->banner[0], "%s in %llu s", verb, seconds);
    } else {
        (void)snprintf(view->banner[0], sizeof view->banner[0], "%s ...", verb);
    }
    if (link->reason[0] != '\0') {
        (void)snprintf(view->banner[1], sizeof view->banner[1], "%s: %s", view->address, link->reason);
        if (link->has_no_server) {
            add_start(input->address, view->banner[1], sizeof view->banner[1]);
        }
    } else {
        (void)snprintf(view->banner[1], sizeof view->banner[1], "%s", view->address);
    }
}

/* A world that is behind its rate has rare snapshots: no stall, and the network is not to blame. */
static bool is_stalled(const struct hud_input *input) {
    return input->frame->is_stalled &&
           (input->measures.behind_rate < 0.0 || input->frame->late_ms > slow_stall_ms);
}

/* Wrong is: frames that had to guess for long, a stall, snapshots that were made for nothing. */
static bool is_network_bad(const struct hud_input *input) {
    int guessed = 0;
    for (int i = 0; input->lag != NULL && i < input->lag->count; i++) {
        guessed += input->lag->late_ms[i] > 40.0f ? 1 : 0;
    }
    return input->link->state == LINK_READY &&
           (is_stalled(input) || (guessed > 3 && input->measures.behind_rate < 0.0));
}

static void fill_params(const struct hud_input *input, struct panels_view *view) {
    const struct server_model *server = input->server;
    (void)snprintf(view->params_kind, sizeof view->params_kind, "%s", input->tuned_kind);
    for (int i = 0; input->open->params && i < server->param_count && view->param_count < PANELS_PARAMS;
         i++) {
        const struct message_param *from = &server->params[i];
        if (strcmp(from->kind, input->tuned_kind) == 0) {
            view->params[view->param_count++] = (struct panels_param){
                from->param, from->unit,
                from->help,  i,
                from->value, server->first_values != NULL ? server->first_values[i] : from->value,
                from->min,   from->max};
        }
    }
}

static void fill_network(const struct hud_input *input, struct panels_view *view) {
    char text[48];
    if (input->is_fixed || input->link->state != LINK_READY) {
        return;
    }
    int *count = &view->network_count;
    hud_format_tenths(fmax(input->link->ping_ms, 0.0), " ms", text, sizeof text);
    hud_add_row(view->network, count, "ping", input->link->ping_ms >= 0.0 ? text : "...");
    hud_format_tenths(fmax(input->measures.snapshots_per_s, 0.0), "/s", text, sizeof text);
    hud_add_row(view->network, count, "snapshots", input->measures.snapshots_per_s >= 0.0 ? text : "...");
    hud_format_tenths(fmax(input->measures.bytes_per_s, 0.0) / 1000.0, " KB/s", text, sizeof text);
    hud_add_row(view->network, count, "received", input->measures.bytes_per_s >= 0.0 ? text : "...");
    hud_format_tenths(input->measures.delay_ms, " ms", text, sizeof text);
    hud_add_row(view->network, count, "interpolation delay", text);
    hud_format_tenths(fmax(input->measures.echo_ms, 0.0), " ms", text, sizeof text);
    hud_add_row(view->network, count, "mouse to echo", input->measures.echo_ms >= 0.0 ? text : "...");
    (void)snprintf(text, sizeof text, "%u", input->measures.skipped);
    hud_add_row(view->network, count, "skipped snapshots", text);
    view->is_network_bad = is_network_bad(input);
    if (input->lag != NULL) {
        view->lag = *input->lag;
    }
}

/* ---- the rest ---- */

/* A paused server stays paused when another scenario comes: nothing moves, and the person must know why. */
static void fill_hint(const struct hud_input *input, struct panels_view *view) {
    const struct snapshot *newest = input->frame->names;
    if (!input->is_headless && input->playhead->is_live && input->link->state == LINK_READY &&
        input->server->is_paused && newest != NULL && newest->tick == 0) {
        (void)snprintf(view->hint, sizeof view->hint, "%s",
                       server_model_may(input->server, REQUEST_RESUME) ? "Paused: Space resumes"
                                                                       : "Paused, until an admin resumes");
    }
}

static void fill_role(const struct server_model *server, struct panels_view *view) {
    _Static_assert(sizeof view->no_time >= SERVER_MODEL_DENIAL &&
                       sizeof view->no_tuning >= SERVER_MODEL_DENIAL,
                   "the reasons fit");
    for (int action = 0; action < SHORTCUT_ACTION_COUNT; action++) {
        view->is_denied[action] = !server_model_may(server, shortcuts_request((enum shortcut_action)action));
    }
    server_model_denial(server, REQUEST_PAUSE, view->no_time);
    server_model_denial(server, REQUEST_SET_PARAM, view->no_tuning);
    if (server->has_scenario && server->role != ROLE_ADMIN && server->role != ROLE_NONE) {
        (void)snprintf(view->role, sizeof view->role, "%s", role_name(server->role));
    }
}

/* Which server and which scenario. */
static void fill_title(const struct hud_input *input, struct panels_view *view) {
    const struct address *address = input->address;
    const bool is_v6 = strchr(address->host, ':') != NULL;
    if (!input->is_fixed || input->link->state != LINK_READY) { /* the port differs from run to run */
        (void)snprintf(view->address, sizeof view->address, is_v6 ? "[%s]:%s" : "%s:%s", address->host,
                       address->port);
    }
    if (input->server->has_scenario) {
        const struct message_scenario *scenario = &input->server->scenario;
        (void)snprintf(view->scenario, sizeof view->scenario, "%s",
                       scenario->title[0] != '\0' ? scenario->title : scenario->name);
    }
}

static enum run_state state_of(const struct hud_input *input) {
    const bool is_ready = input->link->state == LINK_READY;
    if (is_ready && input->server->role == ROLE_NONE) {
        return RUN_CONNECTING;
    }
    return is_ready && !input->playhead->is_live
               ? RUN_PAST
               : hud_run_state(input->link, input->server->is_paused, is_stalled(input));
}

static void fill_state(const struct hud_input *input, struct panels_view *view) {
    const enum run_state state = state_of(input);
    (void)snprintf(view->state, sizeof view->state, "%s", states[state].name);
    view->state_color = states[state].mark;
    view->state_words = PALETTE_TEXT;
    if (state == RUN_RUNNING && input->measures.behind_rate >= 0.0 && !input->is_fixed) {
        /* never up: 0.949 is not 0.95 */
        const unsigned hundredths = (unsigned)(input->measures.behind_rate * 100.0);
        (void)snprintf(view->state, sizeof view->state, "%s %u.%02ux", states[state].name, hundredths / 100,
                       hundredths % 100);
        view->state_color = view->state_words = PALETTE_WARN;
    }
}

static void fill_timeline(const struct hud_input *input, struct panels_view *view) {
    const struct playhead *head = input->playhead;
    view->recorded_s = input->is_fixed ? 0.0 : input->recorded_s;
    view->now_s = input->now_s;
    view->behind_s = input->behind_s;
    view->is_live = head->is_live;
    view->shows_play = head->is_live ? input->server->is_paused : !head->is_playing;
    view->has_live = input->link->state == LINK_READY && input->frame->names != NULL;
    if (!head->is_live) { /* playing the past needs no role */
        hud_format_tenths(input->behind_s, " s ago", view->past, sizeof view->past);
        view->no_time[0] = '\0';
        (void)snprintf(view->no_tuning, sizeof view->no_tuning, "This is the past. End goes back to now.");
    }
}

static void fill_toast(const struct hud_input *input, struct panels_view *view) {
    view->toast_alpha = input->toast_alpha;
    if (input->toast_alpha > 0.0f) {
        (void)snprintf(view->toast, sizeof view->toast, "%s", input->server->notice);
        view->is_toast_error = input->server->is_notice_error;
    }
}

void hud_fill(const struct hud_input *input, struct panels_view *view) {
    assert(input->settings != NULL && input->selection != NULL && input->open != NULL &&
           input->playhead != NULL);
    memset(view, 0, sizeof *view);
    view->settings = input->settings;
    view->open = input->open;
    view->has_force_data =
        input->frame->names != NULL && (input->frame->has_forces || input->inspected != NULL);
    (void)snprintf(view->clip, sizeof view->clip, "%s", input->clip != NULL ? input->clip : "");
    fill_title(input, view);
    fill_state(input, view);
    fill_toast(input, view);
    fill_numbers(input, view);
    if (input->settings->colors_by_kind) {
        hud_fill_kinds(input, view);
    } else {
        hud_fill_states(input, view);
    }
    hud_fill_agent(input, view);
    hud_fill_plots(input, view);
    fill_network(input, view);
    if (input->open->picker) {
        hud_fill_hits(input, view);
    }
    hud_fill_targets(input, view);
    hud_fill_cursors(input, view);
    hud_fill_places(input, view);
    fill_params(input, view);
    fill_banner(input, view);
    fill_role(input->server, view);
    fill_timeline(input, view);
    fill_hint(input, view);
}
