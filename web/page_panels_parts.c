/* See page_panels_impl.h. The sections around the picture: colors, actions, bar, caption, legend, notices, names. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "viewer/draw/sprites.h"
#include "viewer/explain/param_list.h"
#include "viewer/explain/texts.h"
#include "web/page_panels_impl.h"

/* ---- colors ---- */

/* Custom properties of the page's style, by the parts of the theme that the panels use. */
static const struct {
    enum theme_part part;
    const char *name;
} parts[] = {
    {THEME_GROUND, "ground"},
    {THEME_TEXT, "text"},
    {THEME_TEXT_DIM, "text-dim"},
    {THEME_FAINT, "faint"},
    {THEME_ACCENT, "accent"},
    {THEME_OK, "ok"},
    {THEME_WARN, "warn"},
    {THEME_BAD, "bad"},
    {THEME_PANEL, "panel"},
    {THEME_PANEL_EDGE, "panel-edge"},
    {THEME_LEGEND, "legend"},
    {THEME_CAPTION, "caption"},
    {THEME_POP, "pop"},
    {THEME_POP_EDGE, "pop-edge"},
    {THEME_WELL, "well"},
    {THEME_SHADE, "shade"},
    {THEME_GLOW, "glow"},
    {THEME_BUTTON, "button"},
    {THEME_BUTTON_OVER, "button-over"},
    {THEME_BUTTON_DOWN, "button-down"},
    {THEME_FRAME, "frame"},
    {THEME_FRAME_OVER, "frame-over"},
    {THEME_FRAME_DOWN, "frame-down"},
    {THEME_FRAME_EDGE, "frame-edge"},
    {THEME_GRIP, "grip"},
    {THEME_GRIP_OVER, "grip-over"},
    {THEME_KNOB, "knob"},
    {THEME_PLAYED, "played"},
    {THEME_ROW, "row"},
    {THEME_ROW_OVER, "row-over"},
    {THEME_ROW_DOWN, "row-down"},
    {THEME_SECTION, "section"},
    {THEME_LIT, "lit"},
    {THEME_MARKED, "marked"},
    {THEME_TOOL, "tool"},
    {THEME_HINT, "hint"},
    {THEME_AGREE, "agree"},
    {THEME_CAUTION, "caution"},
    {THEME_GRAVE, "grave"},
    {THEME_ON_BUTTON, "on-button"},
    {THEME_ON_WARN, "on-warn"},
};

uint64_t page_stamp_theme(struct panels *panels, const struct panels_view *view) {
    (void)panels;
    return page_stamp_number(PAGE_STAMP, (double)view_settings_palette(view->settings));
}

void page_write_theme(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    (void)panels;
    const enum palette palette = view_settings_palette(view->settings);
    json_key_bool(json, "light", theme_is_light(palette));
    json_key(json, "colors");
    json_object(json);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        page_color(json, parts[i].name, theme_color(palette, parts[i].part));
    }
    json_end(json);
}

/* ---- actions ---- */

static const struct {
    enum shortcut_action action;
    const char *name;
} actions[] = {
    {SHORTCUT_PAUSE, "pause"},
    {SHORTCUT_STEP, "step"},
    {SHORTCUT_RESTART, "restart"},
    {SHORTCUT_LIVE, "live"},
    {SHORTCUT_MARK, "mark"},
    {SHORTCUT_WHAT_IF, "what_if"},
    {SHORTCUT_PANEL, "panel"},
    {SHORTCUT_LEGEND, "legend"},
    {SHORTCUT_PARAMS, "params"},
    {SHORTCUT_PICKER, "picker"},
    {SHORTCUT_CARD, "card"},
    {SHORTCUT_HELP, "help"},
    {SHORTCUT_CLOSE, "close"},
    {SHORTCUT_TAKE_OVER, "take_over"},
    {SHORTCUT_EXPORT, "export"},
    {SHORTCUT_BACK, "back"},
    {SHORTCUT_FORWARD, "forward"},
    {SHORTCUT_ADD, "add"},
    {SHORTCUT_REMOVE, "remove"},
    {SHORTCUT_FOLLOW, "follow"},
    {SHORTCUT_NEXT_AGENT, "next_agent"},
    {SHORTCUT_FIT, "fit"},
    {SHORTCUT_UNDO, "undo"},
    {SHORTCUT_REDO, "redo"},
    {SHORTCUT_LEAVE_OUT, "leave_out"},
    {SHORTCUT_SAVE, "save"},
    {SHORTCUT_FORCES, "forces"},
    {SHORTCUT_FULL_SCREEN, "full_screen"},
    {SHORTCUT_SCREENSHOT, "screenshot"},
};

void page_write_actions(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    size_t count = 0;
    const struct shortcut *table = shortcuts_table(&count);
    (void)panels;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        const struct shortcut *row = shortcuts_row(actions[i].action);
        const char *why = panel_why_not(view, actions[i].action);
        json_key(json, actions[i].name);
        json_object(json);
        json_key_unsigned(json, "row", (uint64_t)(row - table));
        json_key_string(json, "key", row->name);
        json_key_string(json, "words", shortcuts_help(row, view->is_replay));
        if (why[0] != '\0') {
            json_key_string(json, "why", why);
        }
        json_end(json);
    }
}

void page_write_open(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    (void)panels;
    json_key_bool(json, "kiosk", view->is_kiosk);
    json_key_bool(json, "legend",
                  view->is_kiosk ? view->asks_legend : view_settings_have_legend(view->settings));
    json_key_bool(json, "panel", !view->is_kiosk && view_settings_have_panel(view->settings));
    page_number(json, "panel_px", fmax(view->settings->panel_width, VIEW_PANEL_LEAST));
    json_key_bool(json, "timeline", !view->is_kiosk && panels_have_timeline(view->settings, view->is_replay));
    json_key_bool(json, "replay", view->is_replay);
    json_key_bool(json, "help", view->open->help);
    json_key_bool(json, "picker", view->open->picker);
    json_key_bool(json, "card", view->open->card);
    json_key_unsigned(json, "question", (uint64_t)view->open->question);
    json_key_bool(json, "params", view->open->params);
}

/* ---- words around the picture ---- */

void page_write_bar(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    (void)panels;
    json_key_string(json, "scenario", view->scenario);
    json_key_string(json, "state", view->state);
    page_color(json, "state_color", view->state_color);
    page_color(json, "state_words", view->state_words);
    json_key_string(json, "state_tip", view->state_tip);
    json_key_string(json, "tick", view->tick);
    json_key_string(json, "time", view->time);
    json_key_string(json, "agents", view->agents);
    json_key_string(json, "role", view->role);
    json_key_string(json, "ping", view->ping);
    json_key_string(json, "rate", view->rate);
    json_key_string(json, "clip", view->clip);
    json_key_string(json, "recording", view->recording);
    json_key_string(json, "address", view->address);
}

void page_write_words(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    (void)panels;
    json_key_string(json, "tool", view->tool);
    json_key_string(json, "hint", view->hint);
}

/* In steps that a screen tells apart, so that words that fade are not sent with every frame. */
static double alpha_step(float alpha) {
    return (double)ceilf(alpha * 16.0f) / 16.0;
}

void page_write_caption(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    (void)panels;
    json_key(json, "lines");
    json_array(json);
    for (int i = 0; i < 3; i++) {
        json_string(json, view->caption.alpha > 0.0f ? view->caption.lines[i] : "");
    }
    json_end(json);
    page_number(json, "alpha", alpha_step(view->caption.alpha));
    json_key_bool(json, "high", view->caption.is_high);
}

void page_write_toast(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    (void)panels;
    json_key_string(json, "words", view->toast);
    json_key_string(json, "kind", view->is_toast_error ? "error" : view->is_toast_warning ? "warning" : "");
    page_number(json, "alpha", alpha_step(view->toast_alpha));
}

void page_write_banner(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    (void)panels;
    json_key_string(json, "title", view->banner[0]);
    json_key_string(json, "words", view->banner[1]);
    json_key_bool(json, "token", view->asks_token);
}

/* A narrow page has the words in its sheet. */
void page_write_tag(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    const struct panels_tag *tag = &view->tag;
    page_number(json, "x", (double)roundf(tag->low.x / panels->scale));
    page_number(json, "y", (double)roundf(tag->low.y / panels->scale));
    page_number(json, "wide", (double)roundf((tag->high.x - tag->low.x) / panels->scale));
    json_key(json, "lines");
    json_array(json);
    for (int i = 0; i < PANELS_TAG_LINES; i++) {
        json_string(json, panels->is_narrow ? "" : tag->lines[i]);
    }
    json_end(json);
}

void page_write_labels(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    for (int i = 0; i < view->label_count; i++) {
        const struct panels_label *label = &view->labels[i];
        json_object(json);
        page_number(json, "x", (double)roundf(label->x / panels->scale));
        page_number(json, "y", (double)roundf(label->y / panels->scale));
        page_color(json, "fill", label->fill);
        json_key_string(json, "text", label->text);
        json_end(json);
    }
}

/* ---- the legend ---- */

static const char *const marks[] = {
    [LEGEND_AGENT] = "agent",   [LEGEND_COLOR] = "color",   [LEGEND_VECTOR] = "vector",
    [LEGEND_CIRCLE] = "circle", [LEGEND_CROSS] = "cross",   [LEGEND_TIE] = "tie",
    [LEGEND_DASHES] = "dashes", [LEGEND_TRAIL] = "trail",   [LEGEND_ONION] = "onion",
    [LEGEND_WALL] = "wall",     [LEGEND_TARGET] = "target", [LEGEND_PATH] = "path",
    [LEGEND_FLOW] = "flow",     [LEGEND_REGION] = "region", [LEGEND_FLAG] = "flag",
    [LEGEND_MARK_COUNT] = "",
};

/* The corners of a kind's shape around 0, 0, pointing right, 7 px from its middle: "8,0 -6,5 ..." */
static void shape_text(int kind, char out[160]) {
    int count = 0;
    const vec2 *points = shapes_points(palette_shape(kind), &count);
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < count && used < 140; i++) {
        used += (size_t)snprintf(out + used, 160 - used, "%s%.1f,%.1f", i > 0 ? " " : "",
                                 7.0 * (double)points[i].x, 7.0 * (double)points[i].y);
    }
}

static void write_scale(struct json_writer *json, const struct color_scale *scale) {
    const char *const numbers[] = {scale->low, scale->first_quarter, scale->middle, scale->last_quarter,
                                   scale->high};
    json_object(json);
    json_key_string(json, "title", scale->title);
    json_key(json, "numbers");
    json_array(json);
    for (int i = 0; i < 5; i++) {
        json_string(json, numbers[i]);
    }
    json_end(json);
    json_key(json, "steps");
    json_array(json);
    for (int i = 0; i < COLOR_SCALE_STEPS; i++) {
        page_color_item(json, scale->steps[i]);
    }
    json_end(json);
    json_end(json);
}

void page_write_legend(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    const struct legend *legend = &view->legend;
    (void)panels;
    json_key_unsigned(json, "agents", (uint64_t)legend->agent_count);
    json_key(json, "rows");
    json_array(json);
    for (int i = 0; i < legend->count; i++) {
        const struct legend_row *row = &legend->rows[i];
        char shape[160] = "";
        if (row->mark == LEGEND_AGENT) {
            shape_text(row->kind, shape);
        }
        json_object(json);
        json_key_string(json, "words", row->words);
        json_key_string(json, "mark", marks[row->mark]);
        json_key_string(json, "shape", shape);
        page_number(json, "count", (double)row->count);
        page_color(json, "fill", row->fill);
        if (row->lights.is_on) {
            json_key_bool(json, "lit", legend->lit == i);
        }
        json_end(json);
    }
    json_end(json);
    if (legend->scale.title[0] != '\0') {
        json_key(json, "scale");
        write_scale(json, &legend->scale);
    }
}

/* ---- the side panel ---- */

/* Its sections, with their names and values; what else they show has sections of its own. */
void page_write_side(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    (void)panels;
    for (int i = 0; i < PANEL_SECTIONS; i++) {
        const struct panel_section_view section = panel_section_of(view, (enum panel_section_id)i);
        json_object(json);
        json_key_string(json, "name", panel_sections[i].name);
        json_key_string(json, "title", section.title);
        json_key_string(json, "key", section.key);
        json_key_bool(json, "shown", section.is_shown);
        json_key(json, "rows");
        json_array(json);
        for (int r = 0; r < section.row_count; r++) {
            json_object(json);
            json_key_string(json, "name", section.rows[r].name);
            json_key_string(json, "value", section.rows[r].value);
            json_key_string(json, "tip", tips_find(section.rows[r].name));
            json_end(json);
        }
        json_end(json);
        json_end(json);
    }
}

void page_write_agent(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    (void)panels;
    json_key_string(json, "title", view->agent);
    json_key_string(json, "note", view->agent_note);
}

void page_write_network(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    (void)panels;
    json_key_bool(json, "bad", view->is_network_bad);
    json_key(json, "late_ms");
    json_array(json);
    for (int i = 0; view->network_count > 0 && i < view->lag.count; i++) {
        json_number(json, (double)roundf(view->lag.late_ms[i]));
    }
    json_end(json);
}

/* The ranks of a cluster. */
void page_write_ranks(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    const struct panels_ranks *ranks = &view->ranks;
    (void)panels;
    for (int i = 0; i < ranks->count; i++) {
        const struct panels_rank *rank = &ranks->bars[i];
        json_object(json);
        json_key_string(json, "name", rank->name);
        json_key_string(json, "value", rank->value);
        json_key_string(json, "tip", rank->tip);
        page_number(json, "work", 100.0 * (double)rank->work);
        page_number(json, "wait", 100.0 * (double)rank->wait);
        json_key_bool(json, "longest", rank->is_longest);
        json_end(json);
    }
}

/* ---- overlays ---- */

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
    const struct panel_mark mark = panel_mark_of(row);
    json_key_string(json, "mark", marks[mark.mark]);
    page_color(json, "mark_color", theme_color(view_settings_palette(settings), mark.fill));
    json_end(json);
}

void page_write_settings(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    size_t count = 0;
    const struct shortcut *table = shortcuts_table(&count);
    (void)panels;
    for (size_t i = 0; i < count; i++) {
        if (table[i].label != NULL && table[i].no_page == NULL) {
            write_setting(json, &table[i], i, view->settings);
        }
    }
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
    char name[PLOTS_SERIES_NAME];
    plots_series_name(view->samples, plot->series[s], name);
    json_key_string(json, "name", name);
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

static void write_choices(struct json_writer *json, const struct panels_view *view) {
    struct panel_plot_choice choice;
    json_key(json, "choices");
    json_array(json);
    for (int at = 0; panel_next_plot_choice(view, &at, &choice);) {
        json_object(json);
        json_key_string(json, "words", choice.words);
        json_key_string(json, "kind", choice.kind);
        json_key_string(json, "name", choice.name);
        json_key_bool(json, "on", choice.is_it);
        json_end(json);
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
    write_choices(json, view);
    json_end(json);
}

/* ---- sliders ---- */

static void write_param(struct json_writer *json, const struct panels *panels, const struct panels_view *view,
                        const struct param_row *row) {
    const struct message_param *param = &view->server->params[row->index];
    const double first = panel_first_value(view, row->index),
                 value = panels->held_param == row->index ? panels->held_value : param->value;
    char group[PANEL_GROUP_TEXT], words[UNITS_TEXT], range[PARAM_RANGE_TEXT];
    panel_group_text(param, group);
    units_format_param(param, value, words);
    param_range_text(param, first, range);
    json_object(json);
    page_number(json, "index", (double)row->index);
    json_key_string(json, "group", group);
    json_key_bool(json, "first_of", row->is_first);
    json_key_bool(json, "now", row->is_now || panels->first_state[0] == '\0');
    json_key_string(json, "name", param_name_of(param->param).name);
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
        stamp =
            page_stamp_number(page_stamp_number(stamp, server->params[i].value), panel_first_value(view, i));
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
    json_key_string(json, "note",
                    panel_params_note(view, panels->filter, rows.count,
                                      "Double click a number to type it; right click: as it was."));
    json_key_string(json, "no_tuning", view->no_tuning);
    json_end(json);
}
