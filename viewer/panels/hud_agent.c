/* See hud_internal.h. */
#include "viewer/panels/hud_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/param_list.h"
#include "viewer/explain/theme.h"
#include "viewer/model/radius_overlay.h"

/* ---- numbers ---- */

/* One decimal without printf's %f, whose point depends on the locale. */
void hud_format_tenths(double value, const char *unit, char *out, size_t size) {
    assert(size > 0);
    const double limited = value < 0.0 ? 0.0 : value > 1e12 ? 1e12 : value;
    const unsigned long long tenths = (unsigned long long)(limited * 10.0 + 0.5);
    (void)snprintf(out, size, "%llu.%llu%s", tenths / 10, tenths % 10, unit);
}

/* 12.34, 5, " of ", " px/s" -> "12.3 of 5.0 px/s". */
static void hud_format_pair(double a, double b, const char *between, const char *unit, char *out,
                            size_t size) {
    char first[24], second[24];
    hud_format_tenths(a, "", first, sizeof first);
    hud_format_tenths(b, unit, second, sizeof second);
    (void)snprintf(out, size, "%s%s%s%s", a < 0.0 ? "-" : "", first, between, second);
}

void hud_format_hundredths(double value, const char *unit, char *out, size_t size) {
    const unsigned long long hundredths = (unsigned long long)(fmin(fmax(value, 0.0), 1e9) * 100.0 + 0.5);
    (void)snprintf(out, size, "%llu.%02llu%s", hundredths / 100, hundredths % 100, unit);
}

void hud_add_row(struct panels_row *rows, int *count, const char *name, const char *value) {
    if (*count < PANELS_ROWS) {
        struct panels_row *row = &rows[(*count)++];
        (void)snprintf(row->name, sizeof row->name, "%s", name);
        (void)snprintf(row->value, sizeof row->value, "%.*s", (int)sizeof row->value - 1, value);
    }
}

/* ---- the selected agent ---- */

static float share_length(const struct snapshot_share *share) {
    return vec2_length(vec2_make((float)share->force.x * 0.01f, (float)share->force.y * 0.01f));
}

/* The forces that came with the answer to inspect. */
static void fill_inspected(const struct hud_input *input, struct panels_view *view) {
    const struct message_agent *agent = input->inspected;
    char text[64];
    const float stamina =
        radius_overlay_value(input->server->params, input->server->param_count, agent->kind, "max_stamina");
    if (stamina > 0.0f) {
        (void)snprintf(text, sizeof text, "%ld of %ld", lroundf(agent->stamina), lroundf(stamina));
        hud_add_row(view->agent_rows, &view->agent_row_count, "stamina", text);
    } else if (agent->stamina != 0.0f) {
        hud_format_tenths((double)agent->stamina, "", text, sizeof text);
        hud_add_row(view->agent_rows, &view->agent_row_count, "stamina", text);
    }
    hud_format_pair((double)vec2_length(agent->steering), (double)agent->max_force, " of ", "", text,
                    sizeof text);
    hud_add_row(view->agent_rows, &view->agent_row_count, "steering force", text);
}

/* The behavior with the strongest force on the agent; "" when no force is known. */
static const char *strongest(const struct hud_input *input, int32_t index) {
    const struct snapshot *names = input->frame->names;
    const int32_t row = input->frame->has_forces ? input->frame->row[index] : -1;
    const char *name = "";
    float most = 0.0f;
    for (int i = 0; input->inspected != NULL && i < input->inspected->share_count; i++) {
        const float length = vec2_length(input->inspected->shares[i].force);
        name = length > most ? input->inspected->shares[i].behavior : name;
        most = fmaxf(most, length);
    }
    for (int32_t i = row >= 0 ? names->share_begin[row] : 0;
         input->inspected == NULL && row >= 0 && i < names->share_begin[row + 1]; i++) {
        const float length = share_length(&names->shares[i]);
        name = length > most ? names->behavior_names.names[names->shares[i].behavior] : name;
        most = fmaxf(most, length);
    }
    return name;
}

/* What the rows tell of an agent, all of one tick: that of its equations, or the picture's without them. */
struct told {
    const char *kind, *state;
    vec2 position, velocity; /* px, px/s */
    float degrees;           /* of its heading */
};

static struct told told_of(const struct hud_input *input, const struct pose *pose) {
    const struct snapshot *names = input->frame->names;
    const struct message_agent *agent = input->inspected;
    if (agent != NULL) {
        return (struct told){agent->kind, agent->state, vec2_make(agent->x, agent->y), agent->velocity,
                             agent->heading};
    }
    return (struct told){names->kind_names.names[pose->kind], names->state_names.names[pose->state],
                         pose->position, pose->velocity, pose->heading * (180.0f / 3.14159265f)};
}

/* The agent's state; of a kind without states the strongest force of the moment. There is always a row: what is below
 * stays where it is under the pointer. */
static void add_state_row(const struct hud_input *input, const struct told *told, int32_t index,
                          struct panels_view *view) {
    const struct message_kind *kind = server_model_kind(input->server, told->kind);
    const char *words = state_colors_words(
        input->colors, kind != NULL ? (int)(kind - input->server->scenario.kinds) : -1, told->state);
    const char *force = words[0] == '\0' ? strongest(input, index) : "";
    if (words[0] != '\0') {
        hud_add_row(view->agent_rows, &view->agent_row_count, "state", words);
    } else {
        hud_add_row(view->agent_rows, &view->agent_row_count, "strongest force",
                    force[0] != '\0' ? force : "none");
    }
}

static void fill_agent_rows(const struct hud_input *input, const struct pose *pose, const struct told *told,
                            int32_t index, struct panels_view *view) {
    const struct message_kind *kind = server_model_kind(input->server, told->kind);
    char text[64];
    int *count = &view->agent_row_count;
    add_state_row(input, told, index, view);
    hud_format_pair((double)fabsf(told->position.x), (double)fabsf(told->position.y),
                    told->position.y < 0.0f ? ", -" : ", ", "", text + 1, sizeof text - 1);
    text[0] = '-';
    hud_add_row(view->agent_rows, count, "position", told->position.x < 0.0f ? text : text + 1);
    hud_format_pair((double)vec2_length(told->velocity), kind != NULL ? (double)kind->max_speed : 0.0, " of ",
                    " px/s", text, sizeof text);
    hud_add_row(view->agent_rows, count, "speed", text);
    if (input->server->scenario.meter > 0.0f) {
        const double meter = (double)input->server->scenario.meter;
        hud_format_hundredths((double)vec2_length(told->velocity) / meter, " m/s", text, sizeof text);
        hud_add_row(view->agent_rows, count, "in meters", text);
    }
    (void)snprintf(text, sizeof text, "%ld deg", (lroundf(told->degrees) + 360) % 360);
    hud_add_row(view->agent_rows, count, "heading", text);
    if (input->frame->has_forces && input->inspected == NULL) {
        hud_format_pair((double)vec2_length(pose->steering), kind != NULL ? (double)kind->max_force : 0.0,
                        " of ", "", text, sizeof text);
        hud_add_row(view->agent_rows, count, "steering force", text);
    }
}

void hud_fill_agent(const struct hud_input *input, struct panels_view *view) {
    const int32_t index = input->selection->has_agent && input->frame->names != NULL
                              ? frame_find(input->frame, input->selection->id)
                              : -1;
    if (index < 0) {
        if (input->selection->has_agent) {
            (void)snprintf(view->agent, sizeof view->agent, "Agent %u", input->selection->id);
            const bool is_elsewhere = input->density != NULL || input->has_region;
            (void)snprintf(view->agent_note, sizeof view->agent_note, "%s",
                           is_elsewhere ? "It is not among those that are shown one by one. L goes there."
                                        : "It is not in the world.");
        }
        return;
    }
    const struct pose pose = frame_pose(input->frame, index);
    const struct told told = told_of(input, &pose);
    (void)snprintf(view->agent, sizeof view->agent, "Agent %u (%s)%s", pose.id, told.kind,
                   input->selection->is_following ? ", followed" : "");
    view->agent_kind = told.kind;
    view->agent_state = told.state;
    fill_agent_rows(input, &pose, &told, index, view);
    if (input->inspected != NULL) {
        fill_inspected(input, view);
    } else if (!input->playhead->is_live) {
        (void)snprintf(view->agent_note, sizeof view->agent_note,
                       "Its forces are kept while it is selected; then it was not.");
    }
}

/* ---- plots ---- */

/* How opaque the curve of a twin is: it is pale, as the twins of the picture are. */
static const float twin_share = 0.45f;

static struct panels_plot *add_plot(struct panels_view *view, const char *title) {
    struct panels_plot *plot = &view->plots[view->plot_count++];
    (void)snprintf(plot->title, sizeof plot->title, "%s", title);
    plot->top = 1e-6f;
    return plot;
}

static void add_series(struct panels_plot *plot, int series, color fill) {
    plot->series[plot->series_count] = series;
    plot->fill[plot->series_count++] = fill;
}

/* The scale reaches a little above the highest value. */
static void fit(struct panels_plot *plot, const struct plots *plots) {
    for (int i = 0; i < plots->count; i++) {
        for (int s = 0; s < plot->series_count; s++) {
            plot->top = fmaxf(plot->top, 1.05f * plots_value(plots, plot->series[s], i));
        }
    }
}

/* The series that was chosen: what it is, and its value at a sample. */
static void fill_own(const struct hud_input *input, struct panels_view *view, int shown) {
    const struct plots *plots = input->plots;
    struct panels_plot *plot = add_plot(view, "");
    if (plots->own_name[0] == '\0') {
        return;
    }
    (void)snprintf(plot->title, sizeof plot->title, "%.*s", (int)sizeof plot->title - 1, plots->own_name);
    const color fill = theme_color(view_settings_palette(input->settings), THEME_WARN);
    if (plots_have_twins(plots) && strcmp(plots->own_kind, PLOTS_ALL) == 0) {
        add_series(plot, PLOTS_TWIN_OWN, color_fade(fill, twin_share));
    }
    add_series(plot, PLOTS_OWN, fill);
    fit(plot, plots);
    const float value = shown >= 0 ? plots_value(plots, PLOTS_OWN, shown) : NAN;
    if (!isnan(value)) {
        units_format_number((double)value, plot->value, sizeof plot->value);
    }
}

/* How far the agents are from their twins, once there were some: the mean of those in view. */
static void fill_twins(const struct hud_input *input, struct panels_view *view, int shown) {
    struct panels_plot *plot = add_plot(view, "mean distance to twin");
    add_series(plot, PLOTS_APART, theme_color(view_settings_palette(input->settings), THEME_BAD));
    fit(plot, input->plots);
    const float value = shown >= 0 ? plots_value(input->plots, PLOTS_APART, shown) : NAN;
    if (!isnan(value)) {
        hud_format_tenths((double)value, " px", plot->value, sizeof plot->value);
    }
}

void hud_fill_plots(const struct hud_input *input, struct panels_view *view) {
    const struct plots *plots = input->plots;
    if (plots == NULL || plots->count < 2) {
        return;
    }
    view->samples = plots;
    struct panels_plot *speed = add_plot(view, "mean speed"), *order = add_plot(view, "order"),
                       *crowd = add_plot(view, "states");
    add_series(speed, PLOTS_SPEED, theme_color(view_settings_palette(input->settings), THEME_ACCENT));
    fit(speed, plots);
    const bool has_twins = plots_have_twins(plots);
    const color curve = theme_color(view_settings_palette(input->settings), THEME_CURVE);
    if (has_twins) {
        add_series(order, PLOTS_TWIN_ORDER, color_fade(curve, twin_share));
    }
    add_series(order, PLOTS_ORDER, curve);
    order->top = 1.0f;
    for (int s = 0; s < plots->state_count; s++) {
        const color fill = state_colors_fill(
            input->colors, input->server, view_settings_palette(input->settings), -1, plots->state_names[s]);
        if (has_twins) {
            add_series(crowd, PLOTS_TWIN_STATE + s, color_fade(fill, twin_share));
        }
        add_series(crowd, PLOTS_STATE + s, fill);
    }
    fit(crowd, plots);
    const int shown = input->playhead->is_live ? plots->count - 1 : plots_find(plots, input->frame->time_s);
    view->plot_mark = input->playhead->is_live ? -1 : shown;
    if (has_twins) {
        fill_twins(input, view, shown);
    }
    fill_own(input, view, shown);
    if (shown < 0) {
        return; /* a moment that is held for longer than the plots reach */
    }
    const struct plots_sample *sample = plots_at(plots, shown);
    const char *part = plots_is_part(sample) ? ", in view" : "";
    (void)snprintf(crowd->value, sizeof crowd->value, "%s", part[0] != '\0' ? "in view" : "");
    const double meter = (double)input->server->scenario.meter;
    char in_meters[32] = "";
    if (meter > 0.0) {
        hud_format_hundredths((double)sample->mean_speed / meter, " m/s", in_meters, sizeof in_meters);
    }
    hud_format_tenths((double)sample->mean_speed, " px/s", speed->value, sizeof speed->value);
    const size_t used = strlen(speed->value);
    (void)snprintf(speed->value + used, sizeof speed->value - used, "%s%s%s", meter > 0.0 ? ", " : "",
                   in_meters, part);
    const long hundredths = lroundf(sample->order * 100.0f);
    (void)snprintf(order->value, sizeof order->value, "%ld.%02ld%s", hundredths / 100, hundredths % 100,
                   part);
}

/* ---- ranks ---- */

_Static_assert((int)PANELS_RANKS == (int)MESSAGE_RANKS, "every rank that is listed has a bar");

/* Work and wait of the rank with the most of both together, ms. */
static double longest_tick(const struct message_cluster *cluster) {
    double most = 0.0;
    for (int i = 0; i < cluster->rank_count; i++) {
        most = fmax(most, cluster->ranks[i].work_ms + cluster->ranks[i].wait_ms);
    }
    return most;
}

static const char *host_of(const struct message_cluster *cluster, uint32_t rank) {
    for (int i = 0; i < cluster->rank_count; i++) {
        if (cluster->ranks[i].rank == rank) {
            return cluster->ranks[i].host;
        }
    }
    return "";
}

static void fill_rows(const struct message_cluster *cluster, struct panels_ranks *ranks) {
    struct panels_row *rows = ranks->rows;
    int *count = &ranks->row_count;
    char text[48];
    (void)snprintf(text, sizeof text, "%u, %s", cluster->count, cluster->mode);
    hud_add_row(rows, count, "ranks", text);
    (void)snprintf(text, sizeof text, "%u on %.30s", cluster->longest, host_of(cluster, cluster->longest));
    hud_add_row(rows, count, "longest rank", text);
    (void)snprintf(text, sizeof text, "%.0f %%", 100.0 * cluster->balance);
    hud_add_row(rows, count, "balance", text);
    if (strcmp(cluster->mode, "stripes") == 0) { /* copies have neither */
        (void)units_format_whole(cluster->ghosts, text, sizeof text);
        hud_add_row(rows, count, "ghosts", text);
        hud_format_tenths(cluster->migrants_hz, "/s", text, sizeof text);
        hud_add_row(rows, count, "migrants", text);
    }
}

static void fill_tip(const struct message_rank *rank, char *out, size_t size) {
    char agents[32], ghosts[32], rows[64] = "";
    (void)units_format_whole(rank->agents, agents, sizeof agents);
    (void)units_format_whole(rank->ghosts, ghosts, sizeof ghosts);
    if (rank->has_rows) {
        (void)snprintf(rows, sizeof rows, ", %s ghosts, rows %u up to %u", ghosts, rank->row, rank->row_end);
    }
    const double work = rank->work_ms, wait = rank->wait_ms, late = rank->work_p99_ms;
    (void)snprintf(
        out, size,
        "Rank %u on %s: %s agents%s. Work %.2f ms a tick (1 %% take %.2f ms or more), wait %.2f ms.",
        rank->rank, rank->host, agents, rows, work, late, wait);
}

void hud_fill_ranks(const struct hud_input *input, struct panels_view *view) {
    const struct message_cluster *cluster = input->server->cluster;
    struct panels_ranks *ranks = &view->ranks;
    if (cluster == NULL || input->is_fixed || input->link->state != LINK_READY) {
        return;
    }
    const double most = fmax(longest_tick(cluster), 1e-9);
    fill_rows(cluster, ranks);
    ranks->count = cluster->rank_count;
    for (int i = 0; i < cluster->rank_count; i++) {
        const struct message_rank *rank = &cluster->ranks[i];
        struct panels_rank *bar = &ranks->bars[i];
        (void)snprintf(bar->name, sizeof bar->name, "%u", rank->rank);
        hud_format_pair(rank->work_ms, rank->wait_ms, " + ", " ms", bar->value, sizeof bar->value);
        bar->work = (float)(rank->work_ms / most);
        bar->wait = (float)(rank->wait_ms / most);
        bar->is_longest = rank->rank == cluster->longest;
        fill_tip(rank, bar->tip, sizeof bar->tip);
    }
}
