/* See hud_plots.h. */
#include "viewer/panels/hud_plots.h"

#include <math.h>
#include <stdio.h>

#include "viewer/explain/param_list.h"
#include "viewer/explain/theme.h"
#include "viewer/panels/hud_format.h"

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
    add_series(plot, PLOTS_OWN, theme_color(view_settings_palette(input->settings), THEME_WARN));
    fit(plot, plots);
    const float value = shown >= 0 ? plots_value(plots, PLOTS_OWN, shown) : NAN;
    if (!isnan(value)) {
        units_format_number((double)value, plot->value, sizeof plot->value);
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
    add_series(order, PLOTS_ORDER, theme_color(view_settings_palette(input->settings), THEME_CURVE));
    order->top = 1.0f;
    crowd->has_names = true;
    for (int s = 0; s < plots->state_count; s++) {
        add_series(crowd, PLOTS_STATE + s,
                   state_colors_fill(input->colors, input->server, view_settings_palette(input->settings), -1,
                                     plots->state_names[s]));
    }
    fit(crowd, plots);
    const int shown = input->playhead->is_live ? plots->count - 1 : plots_find(plots, input->frame->time_s);
    view->plot_mark = input->playhead->is_live ? -1 : shown;
    fill_own(input, view, shown);
    if (shown < 0) {
        return; /* a moment that is held for longer than the plots reach */
    }
    const struct plots_sample *sample = plots_at(plots, shown);
    const char *part = plots_is_part(sample) ? ", in view" : "";
    (void)snprintf(crowd->value, sizeof crowd->value, "%s", part[0] != '\0' ? "in view" : "");
    hud_format_tenths((double)sample->mean_speed, part[0] != '\0' ? " px/s, in view" : " px/s", speed->value,
                      sizeof speed->value);
    const long hundredths = lroundf(sample->order * 100.0f);
    (void)snprintf(order->value, sizeof order->value, "%ld.%02ld%s", hundredths / 100, hundredths % 100,
                   part);
}
