/* The content of the panels, their input and the clicks in them: plain values. */
#ifndef DROVER_VIEWER_PANELS_PANELS_H
#define DROVER_VIEWER_PANELS_PANELS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/limits.h"
#include "common/base/vec2.h"
#include "viewer/draw/canvas.h"
#include "viewer/draw/raster.h"
#include "viewer/explain/legend.h"
#include "viewer/explain/texts.h"
#include "viewer/link/server_model.h"
#include "viewer/model/input.h"
#include "viewer/model/meters.h"
#include "viewer/model/replay.h"
#include "viewer/model/shortcuts.h"
#include "viewer/model/timeline.h"
#include "viewer/model/view_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PANELS_LABELS = 32,
    PANELS_BAR_PX = 32,
    PANELS_LEGEND_PX = 186,       /* left free for the legend in any case where */
    PANELS_LEGEND_ROOM_PX = 1200, /* the picture is as wide as this; and */
    PANELS_LEGEND_MOST_PX = 244,  /* in all this where it would cover some of the world: camera_beside */
    PANELS_CARD_PX = 470,
    PANELS_TIMELINE_PX = 38, /* without lanes: panels_timeline_px */
    PANELS_LANE_PX = 14,
    PANELS_TAG_LINES = 3,
    PANELS_TAG_PAD_PX = 9,
    PANELS_TAG_GAP_PX = 3, /* between its lines */
    PANELS_ROWS = 18,
    PANELS_PLOTS = 5,
    PANELS_LAG_BARS = 120,
    PANELS_RANKS = 64,
    PANELS_HITS = 320,
    PANELS_SAVES = 64, /* of them; no more are shown than of the newest */
};

/** A name in the picture. */
struct panels_label {
    float x, y; /* picture px: the top left corner of the words */
    color fill;
    char text[48];
};

/** The card beside the selected agent: what it does, why, how fast. */
struct panels_tag {
    vec2 low, high;                   /* picture px */
    char lines[PANELS_TAG_LINES][96]; /* the first one "": no card */
};

/** A name at the left, a value at the right. */
struct panels_row {
    char name[40], value[48];
};

struct panels_plot {
    char title[32], value[48];
    float top; /* of the scale, which begins at 0; > 0 */
    int series_count;
    int series[2 * PLOTS_STATES]; /* enum plots_series */
    color fill[2 * PLOTS_STATES];
};

/** A scenario or a saved world of the lists that fits what was typed. */
struct panels_hit {
    const char *name, *title, *description, *caption; /* "" for none */
    const char *group;                                /* "Tutorials", "Saved worlds" ... */
    bool is_save;
    bool begins_group; /* a heading stands before it: */
    int group_count;   /* the rows of the group */
};

/** A picture of a scenario; a card has it as its texture MESH_PREVIEW. */
struct panels_preview {
    const char *name; /* the scenario's; NULL for no picture */
    struct raster_image image;
};

/** What a world says of itself for a while, below the bar. */
struct panels_caption {
    char lines[3][400]; /* what it is, what to try, keys; "" for none */
    float alpha;        /* 0..1; 0: it is not shown */
    bool is_high;       /* below the bar: the selected agent is where it stands else, above the timeline */
};

/** The words of a saved world in the picker. */
struct panels_save {
    char title[80], description[120];
};

/** The last frames: 0 between two snapshots, above 0 how many ms a frame had to guess ahead. */
struct panels_lag {
    float late_ms[PANELS_LAG_BARS];
    int count;
};

/** A rank of a cluster: work and wait as parts of the longest tick of a rank. */
struct panels_rank {
    char name[12], value[32]; /* "3", "14.6 + 0.5 ms" */
    char tip[256];
    float work, wait; /* 0..1 */
    bool is_longest;  /* the others wait for it */
};

struct panels_ranks {
    struct panels_row rows[PANELS_ROWS];
    int row_count; /* 0: there is no cluster */
    struct panels_rank bars[PANELS_RANKS];
    int count;
};

/** Questions over the picture. */
enum panels_question {
    PANELS_NO_QUESTION,
    PANELS_ASKS_NAME,      /* to save the world under */
    PANELS_ASKS_REPLACE,   /* a saved world, by this one */
    PANELS_ASKS_REMOVE,    /* a saved world */
    PANELS_ASKS_TAKE_OVER, /* from the recording that plays */
    PANELS_ASKS_REOPEN,    /* the recording, whose server has ended */
    PANELS_ASKS_BRANCH     /* the world is to go on where a branch was left */
};

/** A box with a question. Enter, or its button, agrees; Esc does not. */
struct panels_dialog {
    char title[80], words[320];
    char note[256];                      /* amber, below; "" for none */
    char agree[24];                      /* the button: "Save" */
    bool is_grave;                       /* agreeing loses something */
    bool has_line;                       /* something is typed: a name */
    char proposal[LIMIT_NAME_CHARS + 1]; /* has_line: what the line holds at first */
};

/** A recording that the server plays. */
struct panels_replay {
    struct replay_moment at; /* where the handle is */
    struct replay_line line;
    char time[48];   /* "1:23 / 6:00" */
    char worlds[32]; /* "world 2 of 3"; "" for a single one */
    bool has_diverged;
    struct replay_moment
        diverged;           /* has_diverged: the first one that is not the recorded one; the rest of its world
                                    * follows */
    bool is_other;          /* what is shown is in that part */
    char no_take_over[128]; /* why we may not; "" when we may */
};

/** Which part has the keyboard. */
enum panels_focus { PANELS_FOCUS_WORLD, PANELS_FOCUS_SIDE, PANELS_FOCUS_TIMELINE };

/** The parts that are open over the picture or in the side panel. */
struct panels_open {
    bool help, picker, card;
    int question; /* enum panels_question */
    bool params;  /* the sliders, at the bottom of the side panel */
    enum panels_focus focus;
};

/** The content of the panels. All text is UTF-8. */
struct panels_view {
    const struct view_settings *settings;
    const struct panels_open *open;
    bool is_kiosk;    /* an exhibition: the caption and the banner alone, large, */
    bool asks_legend; /* and the legend */
    const struct server_model *server;
    const struct message_agent *inspected; /* the selected agent's equations; NULL: not known */
    struct lit lit;                        /* what of it is pointed at in the picture */
    const char *tuned_kind;                /* whose parameters the sliders are; "" for none */
    const char *agent_kind, *agent_state;  /* of the selected agent; "" for none */
    char scenario[128];                    /* "" before the first hello */
    char address[288];                     /* "127.0.0.1:7717" */
    char state[48];                        /* "running", "running 0.09x" ... */
    color state_color, state_words;        /* of the dot, of the words beside it */
    const char *state_tip; /* what the state means, and what would help; "" where it says itself */
    char tick[48], time[48], ping[32], rate[32]; /* formatted; "" leaves it out */
    char agents[32];                             /* in the world, when not all are shown; else "" */
    char role[16];                               /* what we are, when that is not admin; else "" */
    char tool[96];                               /* what the mouse does now; "" for what is usual */
    char hint[96];                               /* what is to be done first; "" for nothing */
    bool is_denied[SHORTCUT_ACTION_COUNT];       /* what our role may not do */
    char no_time[128], no_tuning[128];           /* why we may not pause and step, tune; "" when we may */
    char no_restart[128];                        /* likewise, go back to the beginning */
    char no_speed[128];                          /* likewise, change the speed: */
    double speed;                                /* of the world's time; 0: as fast as it goes */
    bool has_force_data;                         /* desired and steering are there, not the velocity alone */
    char agent[64];                              /* the inspector's title; "" for none */
    char agent_note[160];
    struct panels_row agent_rows[PANELS_ROWS];
    int agent_row_count;
    const struct plots *samples; /* of the plots; NULL for none */
    struct panels_plot plots[PANELS_PLOTS];
    int plot_count, plot_mark; /* the sample of the moment shown; -1 when that is the newest */
    struct panels_row network[PANELS_ROWS];
    int network_count;
    bool is_network_bad; /* its figures are shown, whatever the settings say */
    struct panels_lag lag;
    struct panels_ranks ranks;
    struct timeline line;     /* the timeline of a live world */
    char no_go_on[160];       /* why it cannot go on from a moment of its past; "" when it can */
    double recorded_s, now_s; /* how far back the frames of this window reach; now */
    double behind_s;          /* how far the picture is behind its end */
    bool is_live;             /* the picture is at its end */
    bool has_twin;            /* a twin runs beside the world */
    bool is_beyond;     /* the handle is at a moment that this window has not seen: the picture is of now */
    bool shows_play;    /* the button lets the world, or the past, run; else it pauses */
    bool has_live;      /* there is something that is live */
    char past[32];      /* "2.2 s ago", or "now, not 2.2 s ago"; "" when it is live */
    char clip[64];      /* what is being recorded; "" for nothing */
    char recording[64]; /* the file that the server writes; "" for none */
    bool is_replay;     /* the timeline is that of a recording: */
    struct panels_replay replay;
    struct panels_dialog dialog; /* open->question */
    struct panels_save saves[PANELS_SAVES];
    struct panels_hit hits[PANELS_HITS];
    int hit_count;
    char hit_words[64]; /* how many there are */
    struct panels_preview preview;
    struct panels_caption caption;
    struct explain_card card; /* open->card */
    struct legend legend;
    struct panels_tag tag;
    struct panels_label labels[PANELS_LABELS];
    int label_count;
    char toast[640]; /* "" for none */
    bool is_toast_error, is_toast_warning;
    float toast_alpha;   /* 0..1 */
    char banner[2][576]; /* a large line and a small one; "" for none */
    bool asks_token;     /* the banner has a field for a token: of a page */
};

/** Whether the bottom of the window has a timeline: a recording always has one, a live world beside the side panel. */
static inline bool panels_have_timeline(const struct view_settings *settings, bool is_replay) {
    return is_replay || view_settings_have_panel(settings);
}

/** How tall the timeline is where it is shown, px before scaling. */
static inline float panels_timeline_px(const struct panels_view *view) {
    return (float)(PANELS_TIMELINE_PX + (view->is_replay ? 0 : PANELS_LANE_PX * view->line.lane_count));
}

/** Keys that the panels use themselves: to write, and to go from control to control. */
enum panels_key {
    PANELS_KEY_TAB,
    PANELS_KEY_LEFT,
    PANELS_KEY_RIGHT,
    PANELS_KEY_UP,
    PANELS_KEY_DOWN,
    PANELS_KEY_PAGE_UP,
    PANELS_KEY_PAGE_DOWN,
    PANELS_KEY_HOME,
    PANELS_KEY_END,
    PANELS_KEY_DELETE,
    PANELS_KEY_BACKSPACE,
    PANELS_KEY_SPACE,
    PANELS_KEY_RETURN,
    PANELS_KEY_ESCAPE,
    PANELS_KEY_A,
    PANELS_KEY_C,
    PANELS_KEY_V,
    PANELS_KEY_X,
    PANELS_KEY_Y,
    PANELS_KEY_Z,
    PANELS_KEYS
};

/** The left button went down or up. */
struct panels_click {
    vec2 at; /* picture px */
    bool is_down, is_double;
};

/** The pressing of a key. */
struct panels_press {
    enum panels_key key;
    bool has_control; /* Ctrl was held */
};

/** The user's input since the last frame. At most one click and one press: what happens after one that the panels have not
 * taken yet waits for the next frame, in its order. */
struct panels_input {
    bool is_down;              /* the left button, wherever it went down */
    bool was_pressed_in_world; /* it went down beside the panels, and may be up again */
    bool has_click, has_press; /* for the panels: */
    struct panels_click click; /* kept until result.takes_click, */
    struct panels_press press; /* and result.takes_press */
    bool is_key_down[PANELS_KEYS], was_key_pressed[PANELS_KEYS]; /* was_key_pressed: it may be up again */
    bool has_control, has_shift, has_alt;
    float wheel;
    char text[64]; /* typed, UTF-8 */
    bool is_up, is_down_key, is_return, is_backspace, is_delete, is_escape;
    bool was_right_pressed; /* over a panel */
};

/** The user's actions in the panels. */
struct panels_result {
    bool wants_mouse, wants_keys; /* the panels use it: it does not mean the world */
    bool wants_text;              /* something is typed */
    bool has_focus; /* a control has the keyboard: arrows, Tab, Space and Return are for the panels */
    const struct shortcut
        *shortcut; /* a button or check box was clicked: as if its key was pressed; else NULL */
    bool is_scrubbing;
    double scrub_to_s;              /* is_scrubbing: the moment the timeline's handle is at, simulated time */
    bool sets_speed, is_speed_held; /* the world is to have a speed; its slider is still held */
    double speed;                   /* 0: as fast as it goes */
    char branch[LIMIT_NAME_CHARS + 1];  /* the world is to go on where this branch was left; "" for none */
    bool is_seeking;                    /* the handle of a recording's timeline is held: */
    struct replay_moment seek_to;       /* its moment */
    bool removes;                       /* the hit is to be removed */
    bool agrees;                        /* with the question */
    char entered[LIMIT_NAME_CHARS + 1]; /* what the question's line holds */
    bool picks;
    int hit;                /* the chosen one of the view's hits; -1 without the picker */
    char wanted[64];        /* what is typed in the picker */
    bool tunes, is_sliding; /* a parameter is to have a value; the slider is still held */
    int param;              /* the index of the server's parameter */
    double value;
    int lights;                        /* the legend's row that is pointed at; -1: none */
    bool keeps_light;                  /* it was clicked */
    double panel_width;                /* the side panel is to be so wide, px before scaling; 0: as it is */
    float legend_right, legend_bottom; /* where the legend ends, picture px; 0 without one */
    bool picks_kind;                   /* the sliders are to be those of another kind: */
    int kind;                          /* its number */
    const struct shortcut *chooses;    /* its setting, a choice, is to be */
    int choice;                        /* this one; else NULL */
    bool plots_own;                    /* another series is to be plotted: */
    const char *own_kind, *own_name;   /* plots_choose */
    bool mutes;                        /* the weight `param` is to be 0, or what it was before */
    bool copies;                       /* the equations are to be on the clipboard */
    struct lit lit;                    /* what is pointed at in the equations */
    bool takes_escape;                 /* a value is typed, a list is open: Esc ends that alone */
    bool holds_toast;                  /* there is no room for it beside the question or the list */
    bool takes_click, takes_press;     /* of the input */
    bool has_more;                     /* of the input, for the next frame: a release, a click, a press */
};

/* Everything with words on it: the bar at the top, the legend, the side panel, the timeline, the scenario
 * picker, the help, the toast, the banner, names of targets.
 *
 * Behind this C header stands the viewer's only C++: it lays the panels out with Dear ImGui; the triangles
 * that come out go to the canvas like everything else. Owns the ImGui context and the fonts. One at a time.
 */

struct panels;

/** scale: picture px per window px. is_kiosk: captions are large. NULL when out of memory. */
NODISCARD struct panels *panels_create(float scale, bool is_kiosk);
/** NULL is fine. */
void panels_destroy(struct panels *panels);
/** Draws over the picture and answers the input; the result is valid until the next call. */
const struct panels_result *panels_draw(struct panels *panels, const struct panels_view *view,
                                        const struct pointer *pointer, const struct panels_input *input,
                                        struct canvas *canvas);
/** The width of words as names in the picture are drawn, px. panels: a struct panels */
float panels_words_px(const void *panels, const char *words);
/** The height of a line of such words, px. */
float panels_line_px(const struct panels *panels);
/** The font's texels, 0xAArrggbb, for a card's texture MESH_FONT. NULL when out of memory; freed by the
 * caller. */
NODISCARD uint32_t *panels_font_texels(const struct panels *panels, int32_t *width, int32_t *height);

#ifdef __cplusplus
}
#endif

#endif
