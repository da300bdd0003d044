/* See hud.h. */
#include "viewer/panels/hud.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/param_list.h"
#include "viewer/explain/theme.h"
#include "viewer/model/replay.h"
#include "viewer/panels/hud_internal.h"

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
    enum theme_part mark;
} states[] = {
    [RUN_CONNECTING] = {"connecting", THEME_WARN}, [RUN_RECONNECTING] = {"reconnecting", THEME_BAD},
    [RUN_REFUSED] = {"not let in", THEME_BAD},     [RUN_STALLED] = {"stalled", THEME_BAD},
    [RUN_PAUSED] = {"paused", THEME_WARN},         [RUN_RUNNING] = {"running", THEME_OK},
    [RUN_PAST] = {"the past", THEME_WARN},         [RUN_RESUMING] = {"resuming", THEME_WARN},
    [RUN_SEEKING] = {"seeking", THEME_WARN},       [RUN_PLAYING] = {"playing", THEME_ACCENT},
    [RUN_WARMING] = {"warming up", THEME_ACCENT},  [RUN_ENDED] = {"ended", THEME_BAD},
};

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
    return !input->has_own_server && input->link->state == LINK_READY &&
           (is_stalled(input) || (guessed > 3 && input->measures.behind_rate < 0.0));
}

/* Its figures are for those that ask for them, and for all when they explain what is wrong. */
static bool shows_network(const struct hud_input *input) {
    return !input->is_fixed && input->link->state == LINK_READY &&
           (input->settings->shows_network || is_network_bad(input));
}

static void fill_numbers(const struct hud_input *input, struct panels_view *view) {
    const struct snapshot *newest = input->frame->names;
    if (newest != NULL) {
        (void)units_format_whole(newest->tick, view->tick, sizeof view->tick);
        hud_format_tenths(newest->time_s, " s", view->time, sizeof view->time);
    }
    if (input->playhead->is_live &&
        (input->density != NULL || input->has_region)) { /* what is seen is not all there is */
        (void)units_format_whole((uint64_t)input->server->agent_total, view->agents, sizeof view->agents);
    }
    if (shows_network(input)) {
        if (input->link->ping_ms >= 0.0) {
            hud_format_tenths(input->link->ping_ms, " ms", view->ping, sizeof view->ping);
        }
        if (input->measures.snapshots_per_s >= 0.0) {
            hud_format_tenths(input->measures.snapshots_per_s, "/s", view->rate, sizeof view->rate);
        }
    }
}

struct hud_refusal hud_refusal(const struct link_status *link, bool is_page) {
    static const struct hud_refusal refusals[] = {
        {"This server wants a token",
         "Start the viewer with --token SECRET, or with DROVER_TOKEN=SECRET in the environment. The tokens "
         "are in the server's --token-file."},
        {"The token was refused",
         "Start the viewer with another one, --token SECRET or DROVER_TOKEN=SECRET in the environment. The "
         "tokens are in the server's --token-file."},
    };
    static const struct hud_refusal page_refusals[] = {
        {"This server wants a token",
         "Enter it here, or write #token=SECRET behind the page's address. The tokens are in the server's "
         "--token-file."},
        {"The token was refused",
         "Enter another one here, or write #token=SECRET behind the page's address. The tokens are in the "
         "server's --token-file."},
    };
    return (is_page ? page_refusals : refusals)[link->has_token ? 1 : 0];
}

/* Whether the server is the viewer's own, for a recording. */
static bool has_file(const struct hud_input *input) {
    return input->file != NULL && input->file[0] != '\0';
}

/* The viewer's own server is gone, and its port with it. */
static bool has_ended(const struct hud_input *input) {
    return input->ended != NULL && input->ended[0] != '\0';
}

/* " --port 7800" unless it is the one a server takes by itself. */
static void add_start(const struct address *address, char *out, size_t size) {
    const bool is_here = strcmp(address->host, "127.0.0.1") == 0 || strcmp(address->host, "localhost") == 0 ||
                         strcmp(address->host, "::1") == 0;
    const bool is_usual = strcmp(address->port, "7717") == 0;
    const size_t used = strlen(out);
    if (is_here) {
        (void)snprintf(out + used, size - used,
                       ".\nNo server runs there. Start one:  drover-server flock%s%s\n"
                       "Or open a recording:  drover-viewer FILE.drover",
                       is_usual ? "" : " --port ", is_usual ? "" : address->port);
    } else {
        (void)snprintf(out + used, size - used, ".\nNo server listens there.");
    }
}

/* Visitors can do nothing about it: neither addresses nor reasons, which the log has. */
static void fill_kiosk_banner(const struct link_status *link, struct panels_view *view) {
    (void)snprintf(view->banner[0], sizeof view->banner[0], "One moment, please");
    (void)snprintf(view->banner[1], sizeof view->banner[1], "%s",
                   link->state == LINK_REFUSED ? "This screen is being set up."
                   : link->was_ready           ? "The world comes back by itself."
                                               : "The world is about to begin.");
}

/* Whether the scenario's view asks for the legend, alone or with the panels. */
static bool asks_legend(const struct message_view *view) {
    bool is_asked = (view->has & MESSAGE_VIEW_PANEL) != 0 && view->panel;
    for (int i = 0; (view->has & MESSAGE_VIEW_OVERLAYS) != 0 && i < view->overlay_count; i++) {
        is_asked = is_asked || strcmp(view->overlays[i], "legend") == 0;
    }
    return is_asked;
}

static void fill_banner(const struct hud_input *input, struct panels_view *view) {
    const struct link_status *link = input->link;
    if (link->state == LINK_READY) {
        return;
    }
    if (input->is_kiosk) {
        fill_kiosk_banner(link, view);
        return;
    }
    if (has_ended(input)) {
        if (input->open->question == PANELS_NO_QUESTION) {
            (void)snprintf(view->banner[0], sizeof view->banner[0], "The recording's server has ended");
            (void)snprintf(view->banner[1], sizeof view->banner[1],
                           "%s\nCtrl+O opens %s again. Ctrl+Q quits.", input->ended, input->file);
        }
        return;
    }
    if (link->state == LINK_REFUSED) {
        const struct hud_refusal refusal = hud_refusal(link, input->is_page);
        (void)snprintf(view->banner[0], sizeof view->banner[0], "%s", refusal.title);
        (void)snprintf(view->banner[1], sizeof view->banner[1], "%s: %s", view->address, refusal.words);
        view->asks_token = input->is_page;
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
        if (link->has_no_server && !has_file(input) && !input->is_page) {
            add_start(input->address, view->banner[1], sizeof view->banner[1]);
        }
    } else {
        (void)snprintf(view->banner[1], sizeof view->banner[1], "%s", view->address);
    }
}

static void fill_network(const struct hud_input *input, struct panels_view *view) {
    char text[48];
    if (!shows_network(input)) {
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
    /* two that come between two pictures: the newer one is drawn */
    const uint64_t came = input->link->snapshot_count, skipped = input->link->skipped_count;
    (void)snprintf(text, sizeof text, "%u %%",
                   (unsigned)(came > 0 && came > skipped ? 100 * (came - skipped) / came : 0));
    hud_add_row(view->network, count, "snapshots drawn", came > 0 ? text : "...");
    view->is_network_bad = is_network_bad(input);
    if (input->lag != NULL) {
        view->lag = *input->lag;
    }
}

static void add_ms(struct panels_view *view, const char *name, double ms) {
    char text[48];
    hud_format_hundredths(ms, " ms", text, sizeof text);
    hud_add_row(view->network, &view->network_count, name, text);
}

/* What a picture of the viewer and a tick of the server take, and their parts. */
static void fill_profile(const struct hud_input *input, struct panels_view *view) {
    static const char *const parts[HUD_PICTURE_PARTS] = {"- its moment", "- world", "- panels", "- show"};
    const struct message_phases *phases = &input->server->phases;
    if (!shows_network(input) || !input->settings->shows_network) {
        return;
    }
    char text[48];
    hud_format_tenths(fmax(input->measures.frames_per_s, 0.0), "/s", text, sizeof text);
    hud_add_row(view->network, &view->network_count, "pictures",
                input->measures.frames_per_s >= 0.0 ? text : "...");
    double all_ms = 0.0;
    for (int i = 0; i < HUD_PICTURE_PARTS; i++) {
        all_ms += input->measures.picture_ms[i];
    }
    add_ms(view, "a picture takes", all_ms);
    for (int i = 0; i < HUD_PICTURE_PARTS; i++) {
        add_ms(view, parts[i], input->measures.picture_ms[i]);
    }
    if (phases->is_known) {
        add_ms(view, "a tick takes",
               phases->commands_ms + phases->step_ms + phases->copy_ms + phases->broadcast_ms);
        add_ms(view, "- commands", phases->commands_ms);
        add_ms(view, "- step", phases->step_ms);
        add_ms(view, "- copy", phases->copy_ms);
        add_ms(view, "- broadcast", phases->broadcast_ms);
    }
}

/* ---- the rest ---- */

/* A paused server stays paused when another scenario comes: nothing moves, and the person must know why. */
static void fill_hint(const struct hud_input *input, struct panels_view *view) {
    const struct snapshot *newest = input->frame->names;
    if (!input->is_headless && input->playhead->is_live && input->link->state == LINK_READY &&
        input->server->is_paused && newest != NULL && newest->tick == 0) {
        const bool is_empty = view->is_replay && replay_line_ticks(&view->replay.line) == 0;
        (void)snprintf(view->hint, sizeof view->hint, "%s",
                       is_empty                                           ? "The recording has no ticks"
                       : !server_model_may(input->server, REQUEST_RESUME) ? "Paused, until an admin resumes"
                       : view->is_replay                                  ? "Paused: Space plays"
                                                                          : "Paused: Space resumes");
    }
}

static void fill_role(const struct server_model *server, struct panels_view *view) {
    _Static_assert(sizeof view->no_time >= SERVER_MODEL_DENIAL &&
                       sizeof view->no_tuning >= SERVER_MODEL_DENIAL &&
                       sizeof view->no_speed >= SERVER_MODEL_DENIAL,
                   "the reasons fit");
    for (int action = 0; action < SHORTCUT_ACTION_COUNT; action++) {
        view->is_denied[action] = !server_model_may(server, shortcuts_request((enum shortcut_action)action));
    }
    view->is_denied[SHORTCUT_TAKE_OVER] =
        server_model_is_replay(server)
            ? !server_model_may(server, REQUEST_SEEK)
            : !server->past.has_branches || !server_model_may(server, REQUEST_REWIND);
    server_model_denial(server, REQUEST_REWIND, view->no_go_on);
    if (server_model_is_replay(server)) { /* their keys change the speed then */
        view->is_denied[SHORTCUT_PREVIOUS_SCENARIO] = view->is_denied[SHORTCUT_NEXT_SCENARIO] =
            !server_model_may(server, REQUEST_SPEED);
        view->is_denied[SHORTCUT_RESTART] = view->is_denied[SHORTCUT_RESTART_CHANGED] =
            !server_model_may(server, REQUEST_SEEK);
    }
    server_model_denial(server, REQUEST_PAUSE, view->no_time);
    server_model_denial(server, REQUEST_SET_PARAM, view->no_tuning);
    server_model_denial(server, REQUEST_SPEED, view->no_speed);
    server_model_denial(server, server_model_is_replay(server) ? REQUEST_SEEK : REQUEST_LOAD,
                        view->no_restart);
    view->speed = server_model_speed(server);
    if (server->has_scenario && server->role != ROLE_ADMIN && server->role != ROLE_NONE) {
        (void)snprintf(view->role, sizeof view->role, "%s", role_name(server->role));
    }
}

/* Which server and which scenario. */
static void fill_title(const struct hud_input *input, struct panels_view *view) {
    if (has_file(input)) { /* the server is the viewer's own: its port says nothing */
        (void)snprintf(view->address, sizeof view->address, "%s", input->file);
    } else if (!input->is_fixed || input->link->state != LINK_READY) { /* the port differs from run to run */
        address_show(input->address, view->address, sizeof view->address);
    }
    if (input->server->has_scenario) {
        const struct message_scenario *scenario = &input->server->scenario;
        (void)snprintf(view->scenario, sizeof view->scenario, "%s",
                       scenario->title[0] != '\0' ? scenario->title : scenario->name);
    }
}

static enum run_state state_of(const struct hud_input *input) {
    const bool is_ready = input->link->state == LINK_READY;
    if (!is_ready && has_ended(input)) {
        return RUN_ENDED;
    }
    if (is_ready && input->server->role == ROLE_NONE) {
        return RUN_CONNECTING;
    }
    const struct message_playback *playback = &input->server->playback;
    if (is_ready && playback->is_resuming) {
        return RUN_RESUMING;
    }
    if (is_ready && playback->has_replay) {
        return playback->replay.is_seeking ? RUN_SEEKING
               : input->server->is_paused  ? RUN_PAUSED
                                           : RUN_PLAYING;
    }
    if (is_ready && input->playhead->is_live && !input->server->is_paused &&
        server_model_is_warming(input->server)) {
        return RUN_WARMING;
    }
    return is_ready && !input->playhead->is_live
               ? RUN_PAST
               : hud_run_state(input->link, input->server->is_paused, is_stalled(input));
}

/* "running 0.5x", "max 37x"; amber when the world is behind: "running 0.09x", at another speed than its own
 * "running 4x (55 %)". */
static void fill_speed(const struct hud_input *input, const char *name, struct panels_view *view) {
    const double speed = server_model_speed(input->server), behind = input->measures.behind_rate;
    char words[SPEEDS_TEXT];
    if (speed <= 0.0) {
        const bool is_known = input->measures.pace >= 0.0 && !input->is_fixed;
        speeds_format(input->measures.pace, words, sizeof words);
        (void)snprintf(view->state, sizeof view->state,
                       server_model_is_replay(input->server) ? "playing max %s" : "max %s",
                       is_known ? words : "speed");
        return;
    }
    speeds_format(speed, words, sizeof words);
    if (behind >= 0.0 && !input->is_fixed) {
        const unsigned hundredths = (unsigned)(behind * 100.0); /* never up: 0.949 is not 0.95 */
        view->state_color = view->state_words =
            theme_color(view_settings_palette(input->settings), THEME_WARN);
        if (speed == 1.0) {
            (void)snprintf(view->state, sizeof view->state, "%s %u.%02ux", name, hundredths / 100,
                           hundredths % 100);
        } else {
            (void)snprintf(view->state, sizeof view->state, "%s %s (%u %%)", name, words, hundredths);
        }
    } else if (speed != 1.0) {
        (void)snprintf(view->state, sizeof view->state, "%s %s", name, words);
    }
}

/* What helps a world that is slower than its clock, or long in its warm-up. */
#define WHAT_HELPS                                                                                           \
    "What helps: fewer agents, or more threads of the server (drover-server --threads), up to its cores."

static bool is_paced(const struct hud_input *input, enum run_state state) {
    return input->link->paced_hz > 0.0 &&
           (state == RUN_RUNNING || state == RUN_PLAYING || state == RUN_STALLED);
}

/* "slow link: 8 frames a second"; while the way gets empty, as good as none is asked for */
static void fill_paced(double hz, struct panels_view *view) {
    if (hz >= 1.5) {
        (void)snprintf(view->state, sizeof view->state, "slow link: %.0f frames a second", hz);
    } else {
        (void)snprintf(view->state, sizeof view->state, "slow link: %s",
                       hz >= 0.5 ? "few frames" : "catching up");
    }
}

static const char *state_tip(const struct hud_input *input, enum run_state state) {
    if (input->server->is_static && state == RUN_RUNNING) {
        return "These are seconds that the server wrote for a web server: the picture is so far behind the "
               "world.";
    }
    if (is_paced(input, state)) {
        return "More frames would come late, so fewer are asked for. It is as many as usual again when the "
               "link is "
               "faster.";
    }
    if (state == RUN_WARMING) {
        return "A fresh world does its first ticks as fast as they can be done, so that it begins where its "
               "agents have found "
               "together. " WHAT_HELPS;
    }
    const bool is_behind = (state == RUN_RUNNING || state == RUN_PLAYING) &&
                           input->measures.behind_rate >= 0.0 && !input->is_fixed &&
                           server_model_speed(input->server) > 0.0;
    return is_behind ? "A tick takes the server longer than there is time for it, so the time of the world "
                       "goes slower than "
                       "it should. " WHAT_HELPS
                     : "";
}

static void fill_state(const struct hud_input *input, struct panels_view *view) {
    const enum run_state state = state_of(input);
    view->state_tip = state_tip(input, state);
    const enum palette palette = view_settings_palette(input->settings);
    (void)snprintf(view->state, sizeof view->state, "%s", states[state].name);
    view->state_color = theme_color(palette, states[state].mark);
    view->state_words = theme_color(palette, THEME_TEXT);
    const bool has_share = state == RUN_RESUMING || state == RUN_SEEKING || state == RUN_WARMING;
    if (has_share && !(state == RUN_WARMING && input->is_fixed)) {
        const struct message_playback *playback = &input->server->playback;
        const double share = state == RUN_RESUMING  ? playback->resumed
                             : state == RUN_SEEKING ? playback->replay.sought
                                                    : input->server->scenario.pace.warmed;
        (void)snprintf(view->state, sizeof view->state, "%s %u %%", states[state].name,
                       (unsigned)(share * 100.0));
    }
    if (state == RUN_RUNNING || state == RUN_PLAYING) {
        fill_speed(input, states[state].name, view);
    }
    if (state == RUN_RUNNING && input->link->behind_ms >= 0.0 && !input->is_fixed) { /* static seconds */
        const size_t used = strlen(view->state);
        (void)snprintf(view->state + used, sizeof view->state - used, ", %.1f s behind",
                       input->link->behind_ms / 1000.0);
    }
    if (is_paced(input, state)) {
        view->state_color = theme_color(palette, THEME_WARN);
        fill_paced(input->link->paced_hz, view);
    }
}

static void fill_timeline(const struct hud_input *input, struct panels_view *view) {
    const struct playhead *head = input->playhead;
    char ago[sizeof view->past - sizeof "now, not "];
    view->recorded_s = input->is_fixed ? 0.0 : input->recorded_s;
    view->now_s = input->now_s;
    view->behind_s = input->behind_s;
    view->is_live = head->is_live && !input->is_in_past && input->link->second == input->link->last_second;
    view->is_beyond = head->is_live && input->is_in_past && !view->is_replay;
    view->has_twin = server_model_will_have_twin(input->server, input->frame->names != NULL &&
                                                                    snapshot_has_twins(input->frame->names));
    view->line = input->line != NULL ? *input->line : timeline_make(NULL, 0.0, 60.0);
    view->shows_play = head->is_live ? input->server->is_paused : !head->is_playing;
    view->has_live = input->link->state == LINK_READY && input->frame->names != NULL;
    if (input->link->state == LINK_REFUSED) { /* nothing here is of a world that is seen */
        const char *const why = "The server has not let this viewer in.";
        view->shows_play = true;
        (void)snprintf(view->no_time, sizeof view->no_time, "%s", why);
        (void)snprintf(view->no_tuning, sizeof view->no_tuning, "%s", why);
        (void)snprintf(view->no_speed, sizeof view->no_speed, "%s", why);
        (void)snprintf(view->no_restart, sizeof view->no_restart, "%s", why);
        view->recorded_s = 0.0;
    } else if (view->is_replay) { /* its moments are not the past of a world that runs on */
        view->is_live = true;
        view->shows_play = input->server->is_paused;
    } else if (!head->is_live) { /* playing the past needs no role */
        hud_format_tenths(fmax(input->now_s - head->at_s, 0.0), " s ago", view->past, sizeof view->past);
        view->no_time[0] = '\0';
        (void)snprintf(view->no_tuning, sizeof view->no_tuning, "This is the past. End goes back to now.");
    } else if (view->is_beyond) {
        hud_format_tenths(input->behind_s, " s ago", ago, sizeof ago);
        (void)snprintf(view->past, sizeof view->past, "now, not %s", ago);
    } else if (!view->is_live) { /* static seconds that were sent back */
        hud_format_tenths(input->behind_s, " s ago", view->past, sizeof view->past);
    }
}

static void fill_toast(const struct hud_input *input, struct panels_view *view) {
    view->toast_alpha = input->toast_alpha;
    if (input->toast_alpha > 0.0f) {
        (void)snprintf(view->toast, sizeof view->toast, "%s", input->server->notice);
        view->is_toast_error = input->server->is_notice_error;
        view->is_toast_warning = input->server->is_notice_warning;
    }
}

static void fill_legend(const struct hud_input *input, struct panels_view *view) {
    const int32_t agent = input->selection->has_agent && input->frame->names != NULL
                              ? frame_find(input->frame, input->selection->id)
                              : -1;
    const struct heat *drawn = input->heat;
    const struct legend_heat heat = {input->density, drawn != NULL && drawn->is_tinted,
                                     drawn != NULL ? drawn->top : 0.0f,
                                     drawn != NULL ? drawn->cell_px : 0.0f};
    const struct legend_input legend = {
        .server = input->server,
        .frame = input->frame,
        .settings = input->settings,
        .colors = input->colors,
        .scale = drawn != NULL && !drawn->is_tinted ? &drawn->scale : input->scale,
        .heat = drawn != NULL ? &heat : NULL,
        .inspected = input->inspected,
        .has_agent = agent >= 0,
        .agent = agent,
        .is_part = input->has_region && input->frame->names != NULL &&
                   (double)input->frame->names->count < input->server->agent_total};
    legend_collect(&legend, &view->legend);
}

void hud_fill(const struct hud_input *input, struct panels_view *view) {
    assert(input->settings != NULL && input->selection != NULL && input->open != NULL &&
           input->playhead != NULL);
    memset(view, 0, sizeof *view);
    view->settings = input->settings;
    view->open = input->open;
    view->is_kiosk = input->is_kiosk;
    view->asks_legend = input->server->has_scenario && asks_legend(&input->server->scenario.view);
    view->server = input->server;
    view->inspected = input->inspected;
    view->lit = input->selection->lit;
    view->tuned_kind = input->tuned_kind != NULL ? input->tuned_kind : "";
    view->agent_kind = view->agent_state = "";
    view->has_force_data =
        input->frame->names != NULL && (input->frame->has_forces || input->inspected != NULL);
    if (input->link->state == LINK_READY) { /* else it is not known whether it is still written */
        (void)snprintf(view->recording, sizeof view->recording, "%.60s", input->server->recording);
    }
    (void)snprintf(view->clip, sizeof view->clip, "%s", input->clip != NULL ? input->clip : "");
    fill_title(input, view);
    fill_state(input, view);
    fill_toast(input, view);
    fill_numbers(input, view);
    fill_legend(input, view);
    hud_fill_agent(input, view);
    hud_fill_plots(input, view);
    fill_network(input, view);
    fill_profile(input, view);
    hud_fill_ranks(input, view);
    if (input->open->picker) {
        hud_fill_hits(input, view);
    }
    if (input->open->card) {
        explain_fill_card(&input->server->scenario, server_model_is_replay(input->server), &view->card);
    }
    hud_fill_caption(input, view);
    hud_fill_tag(input, view);
    hud_fill_labels(input, view);
    fill_banner(input, view);
    fill_role(input->server, view);
    hud_fill_replay(input, view);
    hud_fill_question(input, view);
    fill_timeline(input, view);
    fill_hint(input, view);
}
