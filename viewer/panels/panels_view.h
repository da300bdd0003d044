/* The content of the panels, their input and the clicks in them: plain values. */
#ifndef DROVER_VIEWER_PANELS_PANELS_VIEW_H
#define DROVER_VIEWER_PANELS_PANELS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/draw/palette.h"
#include "viewer/model/plots.h"
#include "viewer/model/pointer.h"
#include "viewer/model/shortcuts.h"
#include "viewer/model/view_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PANELS_LEGEND_ROWS = 14,
    PANELS_LABELS = 32,
    PANELS_BAR_PX = 32,
    PANELS_SIDE_PX = 264,
    PANELS_TIMELINE_PX = 38,
    PANELS_ROWS = 8,
    PANELS_SHARES = 12,
    PANELS_PLOTS = 3,
    PANELS_LAG_BARS = 120,
    PANELS_HITS = 64,
    PANELS_PARAMS = 96
};

struct panels_legend_row {
    char name[32];
    int32_t count;
    color fill;
    enum shape shape;
};

struct panels_label {
    float x, y; /* picture px */
    char text[32];
};

/** A name at the left, a value at the right. */
struct panels_row {
    char name[40], value[48];
};

/** A behavior's force: its share of the forces' sum as a bar. */
struct panels_share {
    char name[40], value[24];
    color fill;
    float share; /* 0..1 */
};

struct panels_plot {
    char title[32], value[48];
    float top; /* of the scale, > 0 */
    int series_count, count;
    color fill[PLOTS_STATES];
    float values[PLOTS_STATES][PLOTS_SAMPLES]; /* oldest first */
};

/** A scenario of the list that fits what was typed, best first. */
struct panels_hit {
    const char *name, *title, *description;
};

/** A number of the kind that can be tuned. */
struct panels_param {
    const char *name, *unit, *help;
    int index; /* for the result */
    double value, first, min, max;
};

/** The last frames: 0 between two snapshots, above 0 how many ms a frame had to guess ahead. */
struct panels_lag {
    float late_ms[PANELS_LAG_BARS];
    int count;
};

/** The parts that are open over the picture or in the side panel. */
struct panels_open {
    bool help, picker;
    bool params; /* sliders instead of the inspector */
};

/** The content of the panels. All text is UTF-8. */
struct panels_view {
    const struct view_settings *settings;
    const struct panels_open *open;
    char scenario[128];                          /* "" before the first hello */
    char address[288];                           /* "127.0.0.1:7717" */
    char state[32];                              /* "running", "running 0.09x" ... */
    color state_color, state_words;              /* of the dot, of the words beside it */
    char tick[48], time[48], ping[32], rate[32]; /* formatted; "" leaves it out */
    char agents[32];                             /* in the world, when not all are shown; else "" */
    char role[16];                               /* what we are, when that is not admin; else "" */
    char tool[96];                               /* what the mouse does now; "" for what is usual */
    char hint[96];                               /* what is to be done first; "" for nothing */
    bool is_denied[SHORTCUT_ACTION_COUNT];       /* what our role may not do */
    char no_time[128], no_tuning[128];           /* why we may not pause and step, tune; "" when we may */
    bool has_force_data;                         /* desired and steering are there, not the velocity alone */
    char agent[64];                              /* the inspector's title; "" for none */
    char agent_note[160];
    struct panels_row agent_rows[PANELS_ROWS];
    int agent_row_count;
    struct panels_share shares[PANELS_SHARES];
    int share_count;
    struct panels_plot plots[PANELS_PLOTS];
    int plot_count, plot_mark; /* the sample of the moment shown; -1 when that is the newest */
    struct panels_row network[PANELS_ROWS];
    int network_count;
    bool is_network_bad; /* its figures are shown, whatever the settings say */
    struct panels_lag lag;
    double recorded_s, now_s; /* the timeline: how far back it reaches, its end */
    double behind_s;          /* how far the picture is behind its end */
    bool is_live;             /* the picture is at its end */
    bool shows_play;          /* the button lets the world, or the past, run; else it pauses */
    bool has_live;            /* there is something that is live */
    char past[32];            /* "2.2 s ago"; "" when it is live */
    char clip[64];            /* what is being recorded; "" for nothing */
    char params_kind[40];
    struct panels_param params[PANELS_PARAMS];
    int param_count;
    struct panels_hit hits[PANELS_HITS];
    int hit_count;
    struct panels_legend_row legend[PANELS_LEGEND_ROWS];
    int legend_count;
    struct panels_label labels[PANELS_LABELS];
    int label_count;
    char toast[640]; /* "" for none */
    bool is_toast_error;
    float toast_alpha;   /* 0..1 */
    char banner[2][576]; /* a large line and a small one; "" for none */
};

/** The user's input since the last frame. */
struct panels_input {
    bool is_down, was_pressed; /* the left button; was_pressed: it may be up again */
    float wheel;
    char text[64]; /* typed, UTF-8 */
    bool is_up, is_down_key, is_return, is_backspace, is_escape;
    bool was_right_pressed, was_double; /* over a panel; the press was the second in a row */
};

/** The user's actions in the panels. */
struct panels_result {
    bool wants_mouse, wants_keys; /* the panels use it: it does not mean the world */
    const struct shortcut
        *shortcut; /* a button or check box was clicked: as if its key was pressed; else NULL */
    bool is_scrubbing;
    double scrub_to_s; /* is_scrubbing: the moment the timeline's handle is at, simulated time */
    bool picks;
    int hit;                /* picks: which of the view's hits */
    char wanted[64];        /* what is typed in the picker */
    bool tunes, is_sliding; /* a parameter is to have a value; the slider is still held */
    int param;              /* the index of the view's row */
    double value;
    bool next_kind;
    bool is_typing; /* a value: keys are for it */
};

#ifdef __cplusplus
}
#endif

#endif
