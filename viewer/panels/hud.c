/* See hud.h. */
#include "viewer/panels/hud.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/draw/inspect_overlay.h"
#include "viewer/draw/palette.h"
#include "viewer/model/fuzzy.h"

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

void hud_format_count(uint64_t value, char *out, size_t size) {
    char digits[24];
    const int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    size_t used = 0;
    for (int i = 0; i < count && used + 2 < size; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            out[used++] = ' ';
        }
        out[used++] = digits[i];
    }
    out[used] = '\0';
}

/* One decimal without printf's %f, whose point depends on the locale. */
static void format_tenths(double value, const char *unit, char *out, size_t size) {
    const double limited = value < 0.0 ? 0.0 : value > 1e12 ? 1e12 : value;
    const unsigned long long tenths = (unsigned long long)(limited * 10.0 + 0.5);
    snprintf(out, size, "%llu.%llu%s", tenths / 10, tenths % 10, unit);
}

static void fill_numbers(const struct hud_input *input, struct panels_view *view) {
    const struct snapshot *newest = input->frame->names;
    if (newest != NULL) {
        hud_format_count(newest->tick, view->tick, sizeof view->tick);
        format_tenths(newest->time_s, " s", view->time, sizeof view->time);
    }
    if (input->playhead->is_live &&
        (input->density != NULL || input->has_region)) { /* what is seen is not all there is */
        hud_format_count((uint64_t)input->server->agent_total, view->agents, sizeof view->agents);
    }
    if (!input->is_fixed && input->link->state == LINK_READY) {
        if (input->link->ping_ms >= 0.0) {
            format_tenths(input->link->ping_ms, " ms", view->ping, sizeof view->ping);
        }
        if (input->measures.snapshots_per_s >= 0.0) {
            format_tenths(input->measures.snapshots_per_s, "/s", view->rate, sizeof view->rate);
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
        snprintf(out + used, size - used, ".\nNo server runs there. Start one:  drover-server flock%s%s",
                 is_usual ? "" : " --port ", is_usual ? "" : address->port);
    } else {
        snprintf(out + used, size - used, ".\nNo server listens there.");
    }
}

static void fill_banner(const struct hud_input *input, struct panels_view *view) {
    const struct link_status *link = input->link;
    if (link->state == LINK_READY) {
        return;
    }
    if (link->state == LINK_REFUSED) {
        const struct hud_refusal refusal = hud_refusal(link);
        snprintf(view->banner[0], sizeof view->banner[0], "%s", refusal.title);
        snprintf(view->banner[1], sizeof view->banner[1], "%s: %s", view->address, refusal.words);
        return;
    }
    const bool waits = link->state == LINK_WAITING && link->retry_at_ns > input->now_ns;
    const char *verb = link->was_ready ? "Reconnecting" : "Connecting";
    if (waits) {
        const unsigned long long seconds = (link->retry_at_ns - input->now_ns + 999999999u) / 1000000000u;
        snprintf(view->banner[0], sizeof view->banner[0], "%s in %llu s", verb, seconds);
    } else {
        snprintf(view->banner[0], sizeof view->banner[0], "%s ...", verb);
    }
    if (link->reason[0] != '\0') {
        snprintf(view->banner[1], sizeof view->banner[1], "%s: %s", view->address, link->reason);
        if (link->has_no_server) {
            add_start(input->address, view->banner[1], sizeof view->banner[1]);
        }
    } else {
        snprintf(view->banner[1], sizeof view->banner[1], "%s", view->address);
    }
}

/* ---- the legend ---- */

static int kind_number(const struct server_view *server, const char *name) {
    const struct message_kind *kind = server_view_kind(server, name);
    return kind != NULL ? (int)(kind - server->scenario.kinds) : 0;
}

/* By kind: every kind has its shape and colour. */
static void fill_kinds(const struct hud_input *input, struct panels_view *view) {
    const struct message_scenario *scenario = &input->server->scenario;
    int32_t counts[LIMIT_KINDS] = {0};
    const struct snapshot *names = input->frame->names;
    for (int32_t i = 0; names != NULL && i < names->count; i++) {
        counts[kind_number(input->server, names->kind_names.names[names->kind[i]])]++;
    }
    for (int i = 0; i < scenario->kind_count && i < PANELS_LEGEND_ROWS; i++) {
        struct panels_legend_row *row = &view->legend[view->legend_count++];
        snprintf(row->name, sizeof row->name, "%s", scenario->kinds[i].name);
        row->count = counts[i];
        row->fill = palette_series(i);
        row->shape = palette_shape(i);
    }
}

/* By state; the shape is that of the kind most agents in it have: rows tell apart what the world tells apart.
 */
static void fill_states(const struct hud_input *input, struct panels_view *view) {
    _Static_assert((int)PANELS_LEGEND_ROWS == (int)SERVER_VIEW_LEGEND_ROWS,
                   "the legend has room for every row");
    const struct server_view *server = input->server;
    int kinds[NAME_TABLE_CAPACITY] = {0};
    const struct snapshot *names = input->frame->names;
    int32_t counts[NAME_TABLE_CAPACITY] = {0}; /* of the snapshot that is shown */
    for (int32_t i = names != NULL ? names->count : 0; i > 0; i--) {
        kinds[names->state[i - 1]] = names->kind[i - 1] + 1;
        counts[names->state[i - 1]]++;
    }
    for (int i = 0; i < server->legend_count && input->density == NULL; i++) {
        struct panels_legend_row *row = &view->legend[view->legend_count++];
        snprintf(row->name, sizeof row->name, "%s", server->legend[i].state);
        row->fill = palette_state((enum palette)input->settings->palette, server->legend[i].state);
        const int state = names != NULL ? name_table_find(&names->state_names, row->name) : -1;
        row->count = state >= 0 ? counts[state] : 0;
        const int kind = state >= 0 ? kinds[state] : 0;
        row->shape = palette_shape(kind > 0 ? kind_number(server, names->kind_names.names[kind - 1]) : 0);
    }
}

/* ---- the inspector ---- */

static void add_row(struct panels_row *rows, int *count, const char *name, const char *value) {
    if (*count < PANELS_ROWS) {
        struct panels_row *row = &rows[(*count)++];
        snprintf(row->name, sizeof row->name, "%s", name);
        snprintf(row->value, sizeof row->value, "%s", value);
    }
}

static void format_pair(double a, double b, const char *between, const char *unit, char *out, size_t size) {
    char first[24], second[24];
    format_tenths(a, "", first, sizeof first);
    format_tenths(b, unit, second, sizeof second);
    snprintf(out, size, "%s%s%s%s", a < 0.0 ? "-" : "", first, between, second);
}

static float share_length(const struct snapshot_share *share) {
    return vec2_length(vec2_make((float)share->force.x * 0.01f, (float)share->force.y * 0.01f));
}

static void fill_shares(const struct server_view *server, const struct snapshot *snapshot, int32_t row,
                        struct panels_view *view) {
    float sum = 0.0f;
    for (int32_t i = snapshot->share_begin[row]; i < snapshot->share_begin[row + 1]; i++) {
        sum += share_length(&snapshot->shares[i]);
    }
    for (int32_t i = snapshot->share_begin[row];
         i < snapshot->share_begin[row + 1] && view->share_count < PANELS_SHARES; i++) {
        const struct snapshot_share *from = &snapshot->shares[i];
        struct panels_share *share = &view->shares[view->share_count++];
        const float length = share_length(from);
        snprintf(share->name, sizeof share->name, "%s", snapshot->behavior_names.names[from->behavior]);
        format_tenths((double)length, "", share->value, sizeof share->value);
        share->fill = palette_series(server_view_behavior(server, share->name));
        share->share = sum > 0.0f ? length / sum : 0.0f;
    }
}

/* The forces that came with the answer to inspect. */
static void fill_inspected(const struct hud_input *input, struct panels_view *view) {
    const struct message_agent *agent = input->inspected;
    char text[64];
    float sum = 0.0f;
    if (agent->stamina != 0.0f) {
        format_tenths((double)agent->stamina, "", text, sizeof text);
        add_row(view->agent_rows, &view->agent_row_count, "stamina", text);
    }
    format_pair((double)vec2_length(agent->steering), (double)agent->max_force, " of ", "", text,
                sizeof text);
    add_row(view->agent_rows, &view->agent_row_count, "steering force", text);
    for (int i = 0; i < agent->share_count; i++) {
        sum += vec2_length(agent->shares[i].force);
    }
    for (int i = 0; i < agent->share_count && view->share_count < PANELS_SHARES; i++) {
        struct panels_share *share = &view->shares[view->share_count++];
        const float length = vec2_length(agent->shares[i].force);
        snprintf(share->name, sizeof share->name, "%s", agent->shares[i].behavior);
        format_tenths((double)length, "", share->value, sizeof share->value);
        share->fill = palette_series(server_view_behavior(input->server, share->name));
        share->share = sum > 0.0f ? length / sum : 0.0f;
    }
}

static void fill_agent_rows(const struct hud_input *input, const struct pose *pose,
                            struct panels_view *view) {
    const struct snapshot *names = input->frame->names;
    const struct message_kind *kind = server_view_kind(input->server, names->kind_names.names[pose->kind]);
    char text[64];
    int *count = &view->agent_row_count;
    add_row(view->agent_rows, count, "state", names->state_names.names[pose->state]);
    const float degrees = pose->heading * (180.0f / 3.14159265f);
    format_pair((double)fabsf(pose->position.x), (double)fabsf(pose->position.y),
                pose->position.y < 0.0f ? ", -" : ", ", "", text + 1, sizeof text - 1);
    text[0] = '-';
    add_row(view->agent_rows, count, "position", pose->position.x < 0.0f ? text : text + 1);
    format_pair((double)vec2_length(pose->velocity), kind != NULL ? (double)kind->max_speed : 0.0, " of ",
                " px/s", text, sizeof text);
    add_row(view->agent_rows, count, "speed", text);
    snprintf(text, sizeof text, "%ld deg", (lroundf(degrees) + 360) % 360);
    add_row(view->agent_rows, count, "heading", text);
    if (input->frame->has_forces && input->inspected == NULL) {
        format_pair((double)vec2_length(pose->steering), kind != NULL ? (double)kind->max_force : 0.0, " of ",
                    "", text, sizeof text);
        add_row(view->agent_rows, count, "steering force", text);
    }
}

static void fill_agent(const struct hud_input *input, struct panels_view *view) {
    const int32_t index = input->selection->has_agent && input->frame->names != NULL
                              ? frame_find(input->frame, input->selection->id)
                              : -1;
    if (index < 0) {
        if (input->selection->has_agent) {
            snprintf(view->agent, sizeof view->agent, "Agent %u", input->selection->id);
            const bool is_elsewhere = input->density != NULL || input->has_region;
            snprintf(view->agent_note, sizeof view->agent_note, "%s",
                     is_elsewhere ? "It is not among those that are shown one by one. L goes there."
                                  : "It is not in the world.");
        }
        return;
    }
    const struct pose pose = frame_pose(input->frame, index);
    const struct snapshot *names = input->frame->names;
    snprintf(view->agent, sizeof view->agent, "Agent %u (%s)%s", pose.id, names->kind_names.names[pose.kind],
             input->selection->is_following ? ", followed" : "");
    fill_agent_rows(input, &pose, view);
    if (input->inspected != NULL) {
        fill_inspected(input, view);
    } else if (input->frame->has_forces && input->frame->row[index] >= 0) {
        fill_shares(input->server, names, input->frame->row[index], view);
    } else if (!input->playhead->is_live) {
        snprintf(view->agent_note, sizeof view->agent_note, "Forces are not kept for looking back.");
    }
}

/* ---- plots, network ---- */

static void plot_begin(struct panels_view *view, const char *title, const struct plots *plots) {
    struct panels_plot *plot = &view->plots[view->plot_count++];
    snprintf(plot->title, sizeof plot->title, "%s", title);
    plot->count = plots->count;
    plot->top = 1e-6f;
}

static void fill_plots(const struct hud_input *input, struct panels_view *view) {
    const struct plots *plots = input->plots;
    if (plots == NULL || plots->count < 2) {
        return;
    }
    plot_begin(view, "mean speed", plots);
    plot_begin(view, "order", plots);
    plot_begin(view, "states", plots);
    struct panels_plot *speed = &view->plots[0], *order = &view->plots[1], *crowd = &view->plots[2];
    speed->series_count = order->series_count = 1;
    speed->fill[0] = PALETTE_ACCENT;
    order->fill[0] = palette_series(1);
    order->top = 1.0f;
    crowd->series_count = plots->state_count;
    for (int s = 0; s < plots->state_count; s++) {
        crowd->fill[s] = palette_state((enum palette)input->settings->palette, plots->state_names[s]);
    }
    for (int i = 0; i < plots->count; i++) {
        const struct plots_sample *sample = plots_at(plots, i);
        speed->values[0][i] = sample->mean_speed;
        speed->top = fmaxf(speed->top, 1.1f * sample->mean_speed);
        order->values[0][i] = sample->order;
        for (int s = 0; s < plots->state_count; s++) {
            crowd->values[s][i] = sample->states[s];
            crowd->top = fmaxf(crowd->top, 1.05f * sample->states[s]);
        }
    }
    const int shown = input->playhead->is_live ? plots->count - 1 : plots_find(plots, input->frame->time_s);
    view->plot_mark = input->playhead->is_live ? -1 : shown;
    if (shown < 0) {
        return; /* a moment that is held for longer than the plots reach */
    }
    const struct plots_sample *sample = plots_at(plots, shown);
    format_tenths((double)sample->mean_speed, " px/s", speed->value, sizeof speed->value);
    const long hundredths = lroundf(sample->order * 100.0f);
    snprintf(order->value, sizeof order->value, "%ld.%02ld", hundredths / 100, hundredths % 100);
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

static void fill_network(const struct hud_input *input, struct panels_view *view) {
    char text[48];
    if (input->is_fixed || input->link->state != LINK_READY) {
        return;
    }
    int *count = &view->network_count;
    format_tenths(fmax(input->link->ping_ms, 0.0), " ms", text, sizeof text);
    add_row(view->network, count, "ping", input->link->ping_ms >= 0.0 ? text : "...");
    format_tenths(fmax(input->measures.snapshots_per_s, 0.0), "/s", text, sizeof text);
    add_row(view->network, count, "snapshots", input->measures.snapshots_per_s >= 0.0 ? text : "...");
    format_tenths(fmax(input->measures.bytes_per_s, 0.0) / 1000.0, " KB/s", text, sizeof text);
    add_row(view->network, count, "received", input->measures.bytes_per_s >= 0.0 ? text : "...");
    format_tenths(input->measures.delay_ms, " ms", text, sizeof text);
    add_row(view->network, count, "interpolation delay", text);
    format_tenths(fmax(input->measures.echo_ms, 0.0), " ms", text, sizeof text);
    add_row(view->network, count, "mouse to echo", input->measures.echo_ms >= 0.0 ? text : "...");
    snprintf(text, sizeof text, "%u", input->measures.skipped);
    add_row(view->network, count, "skipped snapshots", text);
    view->is_network_bad = is_network_bad(input);
    if (input->lag != NULL) {
        view->lag = *input->lag;
    }
}

/* ---- the picker ---- */

static int score_of(const char *wanted, const struct message_scenario_row *row) {
    const int name = 3 * fuzzy_score(wanted, row->name), title = 2 * fuzzy_score(wanted, row->title);
    return name > title ? name : title;
}

/* Best first; those that fit alike stay in the server's order. */
static void fill_hits(const struct hud_input *input, struct panels_view *view) {
    int scores[PANELS_HITS] = {0};
    for (int i = 0; i < input->server->scenario_count; i++) {
        const struct message_scenario_row *row = &input->server->scenarios[i];
        const int score = score_of(input->wanted, row);
        int at = view->hit_count;
        while (at > 0 && scores[at - 1] < score) {
            at--;
        }
        if (score == 0 || at == PANELS_HITS) {
            continue;
        }
        const int last = view->hit_count < PANELS_HITS ? view->hit_count++ : PANELS_HITS - 1;
        for (int k = last; k > at; k--) {
            scores[k] = scores[k - 1];
            view->hits[k] = view->hits[k - 1];
        }
        scores[at] = score;
        view->hits[at] = (struct panels_hit){row->name, row->title, row->description};
    }
}

static void fill_labels(const struct hud_input *input, struct panels_view *view) {
    const struct frame *frame = input->frame;
    if (frame->names == NULL) {
        return; /* nothing has come yet */
    }
    for (int32_t i = 0; i < frame->target_count && view->label_count < PANELS_LABELS; i++) {
        const char *name = frame->names->target_names.names[frame->targets[i].name];
        if (strcmp(name, "mouse") == 0) {
            continue; /* its marker is known, and a word would follow the hand */
        }
        const vec2 at = camera_to_window(input->camera, frame->targets[i].position);
        struct panels_label *label = &view->labels[view->label_count++];
        label->x = at.x;
        label->y = at.y;
        snprintf(label->text, sizeof label->text, "%s", name);
    }
}

/* "path_point" -> "path point", at the place; one that lies on a word that is there already is left out. */
static void add_place(struct panels_view *view, const char *what, vec2 at) {
    for (int i = 0; i < view->label_count; i++) {
        if (fabsf(view->labels[i].x - at.x) < 60.0f && fabsf(view->labels[i].y - at.y) < 12.0f) {
            return;
        }
    }
    struct panels_label *label = &view->labels[view->label_count++];
    label->x = at.x;
    label->y = at.y;
    snprintf(label->text, sizeof label->text, "%s", what);
    for (char *c = strchr(label->text, '_'); c != NULL; c = strchr(c, '_')) {
        *c = ' ';
    }
}

/* What the selected agent's behaviours aim at; the circle is known by itself. */
static void fill_places(const struct hud_input *input, struct panels_view *view) {
    const struct message_agent *agent = input->inspected;
    const vec2 none = {0.0f, 0.0f};
    const vec2 wrap_size = server_view_wraps(input->server) ? input->server->scenario.size : none;
    const int32_t index =
        agent != NULL && input->frame->names != NULL ? frame_find(input->frame, agent->id) : -1;
    if (index < 0 || !input->settings->shows_places) {
        return;
    }
    const vec2 position = {input->frame->x[index], input->frame->y[index]};
    for (int i = 0; i < agent->point_count && view->label_count < PANELS_LABELS; i++) {
        const struct message_agent_point *point = &agent->points[i];
        if (!(point->radius > 0.0f)) {
            add_place(
                view, point->what,
                camera_to_window(input->camera, inspect_overlay_place(agent, point, position, wrap_size)));
        }
    }
}

static void fill_cursors(const struct hud_input *input, struct panels_view *view) {
    for (int i = 0; i < input->server->cursors.count && view->label_count < PANELS_LABELS; i++) {
        const struct message_cursor *cursor = &input->server->cursors.rows[i];
        if (cursor->session == input->server->session) {
            continue;
        }
        const vec2 at = camera_to_window(input->camera, vec2_make(cursor->x, cursor->y));
        struct panels_label *label = &view->labels[view->label_count++];
        label->x = at.x;
        label->y = at.y;
        if (cursor->name[0] != '\0') {
            snprintf(label->text, sizeof label->text, "%s", cursor->name);
        } else {
            snprintf(label->text, sizeof label->text, "session %u", cursor->session);
        }
    }
}

static void fill_params(const struct hud_input *input, struct panels_view *view) {
    const struct server_view *server = input->server;
    snprintf(view->params_kind, sizeof view->params_kind, "%s", input->tuned_kind);
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

/* A paused server stays paused when another scenario comes: nothing moves, and the person must know why. */
static void fill_hint(const struct hud_input *input, struct panels_view *view) {
    const struct snapshot *newest = input->frame->names;
    if (!input->is_headless && input->playhead->is_live && input->link->state == LINK_READY &&
        input->server->is_paused && newest != NULL && newest->tick == 0) {
        snprintf(view->hint, sizeof view->hint, "%s",
                 server_view_may(input->server, REQUEST_RESUME) ? "Paused: Space resumes"
                                                                : "Paused, until an admin resumes");
    }
}

static void fill_role(const struct server_view *server, struct panels_view *view) {
    _Static_assert(sizeof view->no_time >= SERVER_VIEW_DENIAL && sizeof view->no_tuning >= SERVER_VIEW_DENIAL,
                   "the reasons fit");
    for (int action = 0; action < SHORTCUT_ACTION_COUNT; action++) {
        view->is_denied[action] = !server_view_may(server, shortcuts_request((enum shortcut_action)action));
    }
    server_view_denial(server, REQUEST_PAUSE, view->no_time);
    server_view_denial(server, REQUEST_SET_PARAM, view->no_tuning);
    if (server->has_scenario && server->role != ROLE_ADMIN && server->role != ROLE_NONE) {
        snprintf(view->role, sizeof view->role, "%s", role_name(server->role));
    }
}

void hud_fill(const struct hud_input *input, struct panels_view *view) {
    memset(view, 0, sizeof *view);
    view->settings = input->settings;
    view->open = input->open;
    const struct address *address = input->address;
    const bool is_v6 = strchr(address->host, ':') != NULL;
    if (!input->is_fixed || input->link->state != LINK_READY) { /* the port differs from run to run */
        snprintf(view->address, sizeof view->address, is_v6 ? "[%s]:%s" : "%s:%s", address->host,
                 address->port);
    }
    if (input->server->has_scenario) {
        const struct message_scenario *scenario = &input->server->scenario;
        snprintf(view->scenario, sizeof view->scenario, "%s",
                 scenario->title[0] != '\0' ? scenario->title : scenario->name);
    }
    const bool is_guest = input->link->state == LINK_READY && input->server->role == ROLE_NONE;
    const bool is_past = !input->playhead->is_live && input->link->state == LINK_READY;
    const enum run_state state =
        is_guest  ? RUN_CONNECTING
        : is_past ? RUN_PAST
                  : hud_run_state(input->link, input->server->is_paused, is_stalled(input));
    snprintf(view->state, sizeof view->state, "%s", states[state].name);
    view->state_color = states[state].mark;
    view->state_words = PALETTE_TEXT;
    if (state == RUN_RUNNING && input->measures.behind_rate >= 0.0 && !input->is_fixed) {
        const unsigned hundredths =
            (unsigned)(input->measures.behind_rate * 100.0); /* never up: 0.949 is not 0.95 */
        snprintf(view->state, sizeof view->state, "%s %u.%02ux", states[state].name, hundredths / 100,
                 hundredths % 100);
        view->state_color = view->state_words = PALETTE_WARN;
    }
    view->has_force_data =
        input->frame->names != NULL && (input->frame->has_forces || input->inspected != NULL);
    view->recorded_s = input->is_fixed ? 0.0 : input->recorded_s;
    view->now_s = input->now_s;
    view->behind_s = input->behind_s;
    view->is_live = input->playhead->is_live;
    view->shows_play = input->playhead->is_live ? input->server->is_paused : !input->playhead->is_playing;
    if (!input->playhead->is_live) {
        format_tenths(input->behind_s, " s ago", view->past, sizeof view->past);
    }
    view->has_live = input->link->state == LINK_READY && input->frame->names != NULL;
    snprintf(view->clip, sizeof view->clip, "%s", input->clip != NULL ? input->clip : "");
    view->toast_alpha = input->toast_alpha;
    if (input->toast_alpha > 0.0f) {
        snprintf(view->toast, sizeof view->toast, "%s", input->server->notice);
        view->is_toast_error = input->server->is_notice_error;
    }
    fill_numbers(input, view);
    if (input->settings->colors_by_kind) {
        fill_kinds(input, view);
    } else {
        fill_states(input, view);
    }
    fill_agent(input, view);
    fill_plots(input, view);
    fill_network(input, view);
    if (input->open->picker) {
        fill_hits(input, view);
    }
    fill_labels(input, view);
    fill_cursors(input, view);
    fill_places(input, view);
    fill_params(input, view);
    fill_banner(input, view);
    fill_role(input->server, view);
    if (!input->playhead->is_live) { /* playing the past is everybody's */
        view->no_time[0] = '\0';
        snprintf(view->no_tuning, sizeof view->no_tuning, "This is the past. End goes back to now.");
    }
    fill_hint(input, view);
}
