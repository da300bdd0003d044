/* See page_panels_impl.h. The side panel: the selected agent, the overlays, the plots, the sliders. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/param_list.h"
#include "viewer/explain/texts.h"
#include "web/page_panels_impl.h"

static void write_row(struct json_writer *json, const char *name, const char *value) {
    json_object(json);
    json_key_string(json, "name", name);
    json_key_string(json, "value", value);
    json_key_string(json, "tip", tips_find(name));
    json_end(json);
}

void page_write_agent(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    (void)panels;
    json_object(json);
    json_key_string(json, "title", view->agent);
    json_key(json, "rows");
    json_array(json);
    for (int i = 0; i < view->agent_row_count; i++) {
        write_row(json, view->agent_rows[i].name, view->agent_rows[i].value);
    }
    json_end(json);
    json_key_string(json, "note", view->agent_note);
    json_end(json);
}

/* ---- overlays ---- */

/* What stands beside the check box of an overlay: a piece of what it draws. */
static const struct {
    size_t offset; /* of the overlay's member of the settings */
    const char *mark;
    enum theme_part fill;
} overlay_marks[] = {
    {offsetof(struct view_settings, shows_velocity), "vector", THEME_VELOCITY},
    {offsetof(struct view_settings, shows_desired), "vector", THEME_DESIRED},
    {offsetof(struct view_settings, shows_steering), "vector", THEME_STEERING},
    {offsetof(struct view_settings, shows_radii), "circle", THEME_RADIUS},
    {offsetof(struct view_settings, shows_neighbors), "tie", THEME_NEIGHBOR},
    {offsetof(struct view_settings, shows_places), "cross", THEME_TEXT_DIM},
};

static void write_mark(struct json_writer *json, const struct shortcut *row, enum palette palette) {
    const char *mark = "";
    enum theme_part fill = THEME_TEXT;
    for (size_t i = 0; i < sizeof overlay_marks / sizeof overlay_marks[0]; i++) {
        if (overlay_marks[i].offset == row->setting.offset) {
            mark = overlay_marks[i].mark;
            fill = overlay_marks[i].fill;
        }
    }
    json_key_string(json, "mark", mark);
    page_color(json, "mark_color", theme_color(palette, fill));
}

static void write_setting(struct json_writer *json, const struct shortcut *row, size_t index,
                          const struct view_settings *settings) {
    json_object(json);
    json_key_unsigned(json, "row", index);
    json_key_string(json, "key", row->name);
    json_key_string(json, "label", row->label);
    json_key_string(json, "tip", tips_find(row->setting.name));
    if (row->setting.type == FIELD_BOOL) {
        json_key_bool(json, "value", view_settings_get_bool(settings, &row->setting));
    } else {
        json_key_string(json, "value", view_settings_get_choice(settings, &row->setting));
        json_key(json, "choices");
        json_array(json);
        for (int i = 0; row->setting.choices[i] != NULL; i++) {
            json_string(json, row->setting.choices[i]);
        }
        json_end(json);
    }
    write_mark(json, row, view_settings_palette(settings));
    json_end(json);
}

void page_write_settings(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    size_t count = 0;
    const struct shortcut *table = shortcuts_table(&count);
    (void)panels;
    json_array(json);
    for (size_t i = 0; i < count; i++) {
        if (table[i].label != NULL && table[i].no_page == NULL) {
            write_setting(json, &table[i], i, view->settings);
        }
    }
    json_end(json);
}

/* ---- plots ---- */

/* A value of a sample, with four digits; null for one that was not known. */
static void write_value(struct json_writer *json, float value) {
    char text[24];
    if (isfinite(value)) {
        (void)snprintf(text, sizeof text, "%.4g", (double)value);
        json_raw(json, text);
    } else {
        json_raw(json, "null");
    }
}

static void write_series(struct json_writer *json, const struct panels_view *view,
                         const struct panels_plot *plot, int s) {
    json_object(json);
    json_key_string(json, "name",
                    plot->has_names ? view->samples->state_names[plot->series[s] - PLOTS_STATE] : "");
    page_color(json, "fill", plot->fill[s]);
    json_key(json, "values");
    json_array(json);
    for (int i = 0; i < view->samples->count; i++) {
        write_value(json, plots_value(view->samples, plot->series[s], i));
    }
    json_end(json);
    json_end(json);
}

static void write_plot(struct json_writer *json, const struct panels_view *view,
                       const struct panels_plot *plot) {
    char top[32];
    units_format_number((double)(plot->top < 10.0f ? roundf(plot->top * 100.0f) / 100.0f : roundf(plot->top)),
                        top, sizeof top);
    json_object(json);
    json_key_string(json, "title", plot->title);
    json_key_string(json, "value", plot->value);
    json_key_string(json, "tip", tips_find(plot->title));
    json_key(json, "top");
    json_number(json, (double)plot->top);
    json_key_string(json, "top_words", top);
    json_key(json, "series");
    json_array(json);
    for (int s = 0; s < plot->series_count; s++) {
        write_series(json, view, plot, s);
    }
    json_end(json);
    json_end(json);
}

static void write_choice(struct json_writer *json, const struct plots *samples, const char *words,
                         const char *kind, const char *name) {
    json_object(json);
    json_key_string(json, "words", words);
    json_key_string(json, "kind", kind);
    json_key_string(json, "name", name);
    json_key_bool(json, "on", strcmp(samples->own_kind, kind) == 0 && strcmp(samples->own_name, name) == 0);
    json_end(json);
}

/* Any number of the kind that has the sliders, or the count of any state. */
static void write_choices(struct json_writer *json, const struct panels_view *view) {
    const struct plots *samples = view->samples;
    json_key(json, "choices");
    json_array(json);
    write_choice(json, samples, "nothing", "", "");
    for (int s = 0; s < samples->state_count; s++) {
        char words[64];
        (void)snprintf(words, sizeof words, "count of %s", samples->state_names[s]);
        write_choice(json, samples, words, "", samples->state_names[s]);
    }
    for (int i = 0; i < view->server->param_count; i++) {
        const struct message_param *param = &view->server->params[i];
        if (strcmp(param->kind, view->tuned_kind) == 0) {
            write_choice(json, samples, param->param, param->kind, param->param);
        }
    }
    json_end(json);
}

/* A sample comes each tenth of a second, and a picture up to 60 times a second. */
uint64_t page_stamp_plots(struct panels *panels, const struct panels_view *view) {
    const struct plots *samples = view->samples;
    uint64_t stamp = page_stamp_number(PAGE_STAMP, (double)view->plot_count);
    if (samples == NULL || samples->count == 0 || !page_has_side(panels, view)) {
        return stamp;
    }
    const double numbers[] = {samples->begin,
                              samples->count,
                              samples->state_count,
                              view->plot_mark,
                              plots_at(samples, 0)->time_s,
                              plots_at(samples, samples->count - 1)->time_s,
                              view->server->param_count,
                              view->server->epoch};
    stamp = page_stamp_bytes(stamp, numbers, sizeof numbers);
    stamp = page_stamp_text(page_stamp_text(stamp, samples->own_kind), samples->own_name);
    stamp = page_stamp_text(stamp, view->tuned_kind);
    for (int i = 0; i < view->plot_count; i++) {
        stamp = page_stamp_text(page_stamp_text(stamp, view->plots[i].title), view->plots[i].value);
        stamp = page_stamp_bytes(stamp, view->plots[i].fill, sizeof view->plots[i].fill);
    }
    return stamp;
}

void page_write_plots(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    if (view->samples == NULL || view->samples->count == 0 || view->plot_count == 0 ||
        !page_has_side(panels, view)) {
        json_raw(json, "null");
        return;
    }
    json_object(json);
    json_key(json, "plots");
    json_array(json);
    for (int i = 0; i < view->plot_count; i++) {
        if (view->plots[i].series_count > 0) {
            write_plot(json, view, &view->plots[i]);
        }
    }
    json_end(json);
    json_key(json, "times");
    json_array(json);
    for (int i = 0; i < view->samples->count; i++) {
        json_number(json, round(plots_at(view->samples, i)->time_s * 10.0) / 10.0);
    }
    json_end(json);
    json_key_unsigned(json, "most", PLOTS_SAMPLES);
    page_number(json, "mark", (double)view->plot_mark);
    json_key_string(json, "own", view->samples->own_name);
    write_choices(json, view);
    json_end(json);
}

/* ---- sliders ---- */

static double first_value(const struct panels_view *view, int param) {
    return view->server->first_values != NULL ? view->server->first_values[param]
                                              : view->server->params[param].value;
}

static void write_param(struct json_writer *json, const struct panels *panels, const struct panels_view *view,
                        const struct param_row *row) {
    const struct message_param *param = &view->server->params[row->index];
    const struct param_name name = param_name_of(param->param);
    const double first = first_value(view, row->index),
                 value = panels->held_param == row->index ? panels->held_value : param->value;
    char group[2 * LIMIT_NAME_CHARS + 8], words[UNITS_TEXT], range[PARAM_RANGE_TEXT];
    (void)snprintf(group, sizeof group, "%s%s%s", name.state, name.state[0] != '\0' ? ": " : "",
                   name.behavior[0] != '\0' ? name.behavior : "body");
    units_format_param(param, value, words);
    param_range_text(param, first, range);
    json_object(json);
    page_number(json, "index", (double)row->index);
    json_key_string(json, "group", group);
    json_key_bool(json, "first_of", row->is_first);
    json_key_bool(json, "now", row->is_now || panels->first_state[0] == '\0');
    json_key_string(json, "name", name.name);
    json_key_number(json, "value", value);
    json_key_string(json, "words", words);
    json_key_number(json, "first", first);
    json_key_number(json, "least", param->min);
    json_key_number(json, "most", param_track_end(param, first));
    json_key_string(json, "help", param->help);
    json_key_string(json, "range", range);
    json_end(json);
}

/* The state whose sliders come first: no slider runs away from the hand that holds one. */
static void follow_state(struct panels *panels, const struct panels_view *view) {
    const bool is_of_kind = strcmp(view->agent_kind, view->tuned_kind) == 0;
    if (panels->held_param < 0) {
        (void)snprintf(panels->first_state, sizeof panels->first_state, "%s",
                       is_of_kind ? view->agent_state : "");
    }
}

static const char *params_note(const struct panels *panels, const struct panels_view *view, int count) {
    return view->server->param_count == 0 ? "The server has not listed its parameters yet."
           : view->no_tuning[0] != '\0'   ? view->no_tuning
           : count == 0 && panels->filter[0] != '\0'
               ? "No number has such a name."
               : "Double click a number to type it; right click: as it was.";
}

uint64_t page_stamp_params(struct panels *panels, const struct panels_view *view) {
    const struct server_model *server = view->server;
    uint64_t stamp = page_stamp_number(PAGE_STAMP, (double)view->open->params);
    if (!view->open->params) {
        panels->held_param = -1;
        return stamp;
    }
    follow_state(panels, view);
    const double numbers[] = {server->epoch, server->param_count, panels->held_param, panels->held_value,
                              server->scenario.kind_count};
    stamp = page_stamp_bytes(stamp, numbers, sizeof numbers);
    stamp = page_stamp_text(page_stamp_text(stamp, view->tuned_kind), panels->filter);
    stamp = page_stamp_text(page_stamp_text(stamp, panels->first_state), view->no_tuning);
    for (int i = 0; i < server->param_count; i++) {
        stamp = page_stamp_number(page_stamp_number(stamp, server->params[i].value), first_value(view, i));
    }
    return stamp;
}

void page_write_params(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    if (!view->open->params) {
        json_raw(json, "null");
        return;
    }
    struct param_list rows;
    param_list_fill(view->server->params, view->server->param_count, view->tuned_kind, panels->first_state,
                    panels->filter, &rows);
    json_object(json);
    json_key_string(json, "kind", view->tuned_kind);
    json_key(json, "kinds");
    json_array(json);
    for (int i = 0; i < view->server->scenario.kind_count; i++) {
        json_string(json, view->server->scenario.kinds[i].name);
    }
    json_end(json);
    json_key(json, "rows");
    json_array(json);
    for (int i = 0; i < rows.count; i++) {
        write_param(json, panels, view, &rows.rows[i]);
    }
    json_end(json);
    json_key_string(json, "note", params_note(panels, view, rows.count));
    json_key_string(json, "no_tuning", view->no_tuning);
    json_end(json);
}
