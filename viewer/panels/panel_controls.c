/* See panel_controls.h. */
#include "viewer/panels/panel_controls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/param_list.h"

/* ---- the side panel ---- */

#define AT(member) offsetof(struct panels_view, member)

const struct panel_section panel_sections[PANEL_SECTIONS] = {
    [PANEL_AGENT] = {"agent", "Agent", SHORTCUT_NONE, 0, AT(agent_rows), AT(agent_row_count)},
    [PANEL_SETTINGS] = {"settings", "Overlays", SHORTCUT_NONE, 0, 0, 0},
    [PANEL_PLOTS] = {"plots", "The last minute", SHORTCUT_EXPORT, AT(plot_count), 0, 0},
    [PANEL_RANKS] = {"ranks", "Ranks", SHORTCUT_NONE, AT(ranks.row_count), AT(ranks.rows),
                     AT(ranks.row_count)},
    [PANEL_NETWORK] = {"network", "Network", SHORTCUT_NONE, AT(network_count), AT(network),
                       AT(network_count)},
    [PANEL_PARAMS] = {"params", "Sliders", SHORTCUT_PARAMS, 0, 0, 0},
};

static int count_at(const struct panels_view *view, size_t offset, int none) {
    return offset != 0 ? *(const int *)(const void *)((const char *)view + offset) : none;
}

struct panel_section_view panel_section_of(const struct panels_view *view, enum panel_section_id section) {
    const struct panel_section *row = &panel_sections[section];
    return (struct panel_section_view){
        .title = section == PANEL_AGENT && view->agent[0] != '\0' ? view->agent : row->title,
        .key = row->action != SHORTCUT_NONE ? shortcuts_row(row->action)->name : "",
        .is_shown = count_at(view, row->needs, 1) > 0,
        .rows = (const struct panels_row *)(const void *)((const char *)view + row->rows),
        .row_count = count_at(view, row->row_count, 0),
    };
}

static const struct {
    size_t offset; /* of the overlay's member of the settings */
    struct panel_mark mark;
} marks[] = {
    {offsetof(struct view_settings, shows_velocity), {LEGEND_VECTOR, THEME_VELOCITY}},
    {offsetof(struct view_settings, shows_desired), {LEGEND_VECTOR, THEME_DESIRED}},
    {offsetof(struct view_settings, shows_steering), {LEGEND_VECTOR, THEME_STEERING}},
    {offsetof(struct view_settings, shows_radii), {LEGEND_CIRCLE, THEME_RADIUS}},
    {offsetof(struct view_settings, shows_neighbors), {LEGEND_TIE, THEME_NEIGHBOR}},
    {offsetof(struct view_settings, shows_places), {LEGEND_CROSS, THEME_TEXT_DIM}},
};

struct panel_mark panel_mark_of(const struct shortcut *row) {
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (marks[i].offset == row->setting.offset) {
            return marks[i].mark;
        }
    }
    return (struct panel_mark){LEGEND_MARK_COUNT, THEME_TEXT};
}

bool panel_next_plot_choice(const struct panels_view *view, int *at, struct panel_plot_choice *choice) {
    const struct plots *samples = view->samples;
    const struct message_param *params = view->server->params;
    const int first = 2 + samples->state_count, end = first + view->server->param_count;
    while (*at >= first && *at < end && strcmp(params[*at - first].kind, view->tuned_kind) != 0) {
        (*at)++;
    }
    const int index = (*at)++;
    *choice = (struct panel_plot_choice){.words = "nothing", .kind = "", .name = ""};
    if (index >= first && index < end) {
        choice->kind = params[index - first].kind;
        choice->name = params[index - first].param;
        (void)snprintf(choice->words, sizeof choice->words, "%s", choice->name);
    } else if (index == 1) {
        choice->kind = PLOTS_ALL;
        choice->name = PLOTS_OVERLAPS;
        (void)snprintf(choice->words, sizeof choice->words, "pairs of bodies that overlap");
    } else if (index > 1 && index < first) {
        choice->name = samples->state_names[index - 2];
        (void)snprintf(choice->words, sizeof choice->words, "count of %s", choice->name);
    }
    choice->is_it =
        strcmp(samples->own_kind, choice->kind) == 0 && strcmp(samples->own_name, choice->name) == 0;
    return index < end;
}

double panel_first_value(const struct panels_view *view, int param) {
    return view->server->first_values != NULL ? view->server->first_values[param]
                                              : view->server->params[param].value;
}

void panel_group_text(const struct message_param *param, char out[PANEL_GROUP_TEXT]) {
    const struct param_name name = param_name_of(param->param);
    (void)snprintf(out, PANEL_GROUP_TEXT, "%s%s%s", name.state, name.state[0] != '\0' ? ": " : "",
                   name.behavior[0] != '\0' ? name.behavior : "body");
}

const char *panel_params_note(const struct panels_view *view, const char *filter, int count,
                              const char *usual) {
    return view->server->param_count == 0    ? "The server has not listed its parameters yet."
           : view->no_tuning[0] != '\0'      ? view->no_tuning
           : count == 0 && filter[0] != '\0' ? "No number has such a name."
                                             : usual;
}

/* ---- time, actions ---- */

void panel_back_text(const struct panels_view *view, char out[PANEL_TIME_TEXT]) {
    const double kept_s =
        view->line.past != NULL ? (view->line.now - timeline_kept(&view->line)) / view->line.hz : 0.0;
    const int reach_s = (int)fmax(view->recorded_s, kept_s), tenths = (int)(view->behind_s * 10.0 + 0.5);
    if (!view->is_live) {
        (void)snprintf(out, PANEL_TIME_TEXT, "-%d.%d s", tenths / 10, tenths % 10);
    } else if (reach_s < 1000) {
        (void)snprintf(out, PANEL_TIME_TEXT, "-%d s", reach_s);
    } else {
        (void)snprintf(out, PANEL_TIME_TEXT, reach_s < 6000 ? "-%d min" : "-%d h",
                       reach_s < 6000 ? reach_s / 60 : reach_s / 3600);
    }
}

void panel_branch_text(const struct panels_view *view, char out[PANEL_TIME_TEXT]) {
    const struct message_past *past = view->line.past;
    const char *name = "";
    for (int i = 0; past != NULL && i < past->branch_count; i++) {
        name = past->branches[i].is_current ? past->branches[i].name : name;
    }
    if (view->line.left_out > 0) {
        (void)snprintf(out, PANEL_TIME_TEXT, "branch %s, %d older ones", name, view->line.left_out);
    } else {
        (void)snprintf(out, PANEL_TIME_TEXT, "branch %s", name);
    }
}

void panel_moment_text(const struct panels_replay *replay, const struct replay_moment *moment,
                       char out[PANEL_TIME_TEXT]) {
    char time[32], world[24] = "";
    replay_line_time(&replay->line, replay_line_offset(&replay->line, moment), time, sizeof time);
    if (replay->line.count > 1) {
        (void)snprintf(world, sizeof world, "world %u, ", moment->world);
    }
    (void)snprintf(out, PANEL_TIME_TEXT, "%s   %stick %llu", time, world, (unsigned long long)moment->tick);
}

void panel_diverged_text(const struct panels_replay *replay, char out[PANEL_TIME_TEXT]) {
    (void)snprintf(out, PANEL_TIME_TEXT,
                   replay->line.count > 1
                       ? "From tick %llu to the end of world %u this is not what was recorded."
                       : "From tick %llu on this is not what was recorded.",
                   (unsigned long long)replay->diverged.tick, replay->diverged.world);
}

const char *panel_why_not(const struct panels_view *view, enum shortcut_action action) {
    switch (action) {
    case SHORTCUT_PAUSE:
    case SHORTCUT_STEP:
        return view->no_time;
    case SHORTCUT_RESTART:
        return view->no_restart;
    case SHORTCUT_WHAT_IF:
        return view->is_denied[action] ? "Your role does not allow this."
               : view->is_live         ? ""
                                       : "This is the past. End goes back to now.";
    case SHORTCUT_TAKE_OVER:
        return view->is_replay ? view->replay.no_take_over : view->no_go_on;
    default:
        return view->is_denied[action] ? "Your role does not allow this." : "";
    }
}

/* ---- the controls ---- */

static const struct panel_control table[] = {
    {.member = "wanted",
     .name = "line of the picker",
     .help = "finds scenarios and saved worlds by what is typed"},
    {.member = "picks", .name = "row of the picker", .help = "loads the scenario or the saved world"},
    {.member = "removes",
     .name = "Delete in the picker",
     .help = "removes the saved world, after a question"},
    {.member = "entered", .name = "line of a question", .help = "takes the name of a saved world"},
    {.member = "agrees", .name = "button of a question", .help = "agrees with it"},
    {.member = "lit",
     .name = "equation of the selected agent",
     .help = "lights up in the picture what a word of it stands for"},
    {.member = "copies", .name = "copy", .help = "puts the equations on the clipboard"},
    {.member = "chooses",
     .name = "lists of colors, palette, ground, sizes, heat",
     .help = "shows the world so"},
    {.member = "lights", .name = "row of the legend", .help = "lights its agents while it is pointed at"},
    {.member = "keeps_light", .name = "click on it", .help = "keeps them lit; another lets go"},
    {.member = "panel_width", .name = "edge of the side panel", .help = "makes it wider or narrower"},
    {.member = "plots_own", .name = "list of plots", .help = "plots another figure"},
    {.member = "picks_kind", .name = "tabs of kinds", .help = "shows the sliders of another kind"},
    {.member = "tunes", .name = "sliders of parameters", .help = "give a parameter another value"},
    {.member = "mutes", .name = "switch of a behavior", .help = "takes its weight away, or gives it back"},
    {.member = "is_scrubbing", .name = "timeline of a live world", .help = "looks at a moment of its past"},
    {.member = "branch",
     .name = "branch below the timeline",
     .help = "goes on where it was left; asks first while the world runs"},
    {.member = "is_seeking", .name = "timeline of a recording", .help = "goes to a moment of it"},
    {.member = "sets_speed", .name = "slider of the speed", .help = "lets the world run slower or faster"},
};

const struct panel_control *panel_controls(size_t *count) {
    *count = sizeof table / sizeof table[0];
    return table;
}
