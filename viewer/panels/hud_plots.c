/* See hud_plots.h. */
#include "viewer/panels/hud_plots.h"

#include <math.h>
#include <stdio.h>

#include "viewer/draw/palette.h"
#include "viewer/panels/hud_format.h"

static void plot_begin(struct panels_view *view, const char *title, const struct plots *plots) {
    struct panels_plot *plot = &view->plots[view->plot_count++];
    (void)snprintf(plot->title, sizeof plot->title, "%s", title);
    plot->count = plots->count;
    plot->top = 1e-6f;
}

void hud_fill_plots(const struct hud_input *input, struct panels_view *view) {
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
    hud_format_tenths((double)sample->mean_speed, " px/s", speed->value, sizeof speed->value);
    const long hundredths = lroundf(sample->order * 100.0f);
    (void)snprintf(order->value, sizeof order->value, "%ld.%02ld", hundredths / 100, hundredths % 100);
}
