/* The input of the panels' texts: plain pointers and measurements. */
#ifndef DROVER_VIEWER_PANELS_HUD_H
#define DROVER_VIEWER_PANELS_HUD_H

#include <stdbool.h>

#include "common/text/server_address.h"
#include "viewer/draw/heat.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/label_places.h"
#include "viewer/explain/theme.h"
#include "viewer/link/mailbox.h"
#include "viewer/link/server_model.h"
#include "viewer/model/camera.h"
#include "viewer/model/frame.h"
#include "viewer/model/history.h"
#include "viewer/model/input.h"
#include "viewer/model/view_settings.h"
#include "viewer/panels/panels.h"

/** The parts of a picture: the agents at its moment; the world; panels and words; handing it to the screen. */
enum hud_picture_part {
    HUD_PICTURE_MOMENT,
    HUD_PICTURE_WORLD,
    HUD_PICTURE_PANELS,
    HUD_PICTURE_SHOW,
    HUD_PICTURE_PARTS
};

/** Measurements. */
struct hud_measures {
    double echo_ms;         /* from a motion of the mouse to the server's frame; < 0: unknown */
    double snapshots_per_s; /* < 0: not known yet */
    double bytes_per_s;     /* < 0: not known yet */
    double behind_rate;  /* real_time_behind: how fast the world runs while it is behind its rate; < 0: it is
                               not behind */
    double pace;         /* real_time_pace; < 0: not known yet */
    double frames_per_s; /* pictures that are drawn; < 0: not known yet */
    double picture_ms[HUD_PICTURE_PARTS]; /* what the parts of a picture take the drawing thread */
    double delay_ms;                      /* how far behind the newest snapshot the picture is */
};

enum { HUD_COVERS = 8 };

/** The picture that names are placed in. */
struct hud_picture {
    vec2 size, middle;                                      /* px; the middle of what panels leave of it */
    float pixel_scale;                                      /* picture px per window px */
    float line_px;                                          /* the height of a line of words */
    float (*words_px)(const void *font, const char *words); /* the width of words; NULL: a guess will do */
    const void *font;                                       /* for words_px */
    const struct label_box *covers;                         /* what panels cover */
    int cover_count;
    bool leads_mouse; /* the target named mouse is at the pointer: a word there would follow the hand */
};

/** What the card beside the selected agent said and where it was in the frame before. Zeroed memory: nothing. */
struct hud_tag_memory {
    uint32_t agent;
    char behavior[LIMIT_NAME_CHARS + 1]; /* the reason that is shown, at least */
    uint64_t until_ns;                   /* until then */
    struct label_places side;
};

/** All pointers are the caller's. */
struct hud_input {
    bool is_page;  /* in a browser: no command lines in words */
    bool is_kiosk; /* words for an exhibition */
    const struct server_model *server;
    const struct frame *frame;
    const struct link_status *link;
    const struct address *address;
    const struct camera *camera;
    const struct view_settings *settings;
    const struct selection *selection;
    const struct state_colors *colors;
    const struct color_scale *scale; /* of the colors; NULL for none */
    const struct heat *heat;         /* what the crowd is drawn as; NULL: agents one by one */
    const struct panels_open *open;
    const struct playhead *playhead;
    const struct density *density;         /* shown instead of agents; NULL for none */
    const struct message_agent *inspected; /* what is known of the selected agent; NULL for nothing */
    const struct plots *plots;             /* NULL for none */
    const struct panels_lag *lag;          /* NULL for none */
    const char *tuned_kind;                /* whose parameters; "" for none */
    const char *clip;                      /* what is being recorded, "" for nothing */
    const char *wanted;                    /* what is typed in the picker */
    const char *file;                      /* the recording that the viewer opened; "" for none */
    const char *ended; /* the last words of the server that played it; NULL or "": it runs */
    const struct message_save_row *asked; /* the saved world that the question is about, or NULL */
    const char *proposal, *entered;       /* the question for a name: its first answer, what is typed now */
    const struct replay_moment *wish;     /* where the replay is going, or NULL */
    struct hud_picture picture;
    struct label_places *places; /* the names of the frame before, changed; NULL: names lie to the right */
    struct hud_tag_memory *tag;  /* changed; NULL: the card is as new in every frame */
    int64_t wall_s;              /* seconds since 1970 */
    struct hud_measures measures;
    uint64_t now_tick;        /* of the newest moment, whatever is shown */
    double recorded_s, now_s; /* the timeline: how far back it reaches from the newest moment */
    double behind_s;          /* how far the picture is behind it */
    const struct timeline *line;
    const char *branch; /* that the question is about */
    bool is_in_past;    /* the handle is not at now */
    uint64_t now_ns;
    float toast_alpha, caption_alpha; /* 0..1 */
    bool was_caption_high;            /* in the picture before */
    bool has_region;                  /* frames have the agents around what is visible alone */
    bool has_own_server;              /* it runs in the same page: there is no network */
    bool is_headless;                 /* there is no keyboard */
    bool is_fixed;                    /* measured numbers are left out, so that pictures can be compared */
};

/* Turns what is known into what the panels say. Pure: formats numbers, decides words and colors.
 */

enum run_state {
    RUN_CONNECTING,
    RUN_RECONNECTING,
    RUN_REFUSED,
    RUN_STALLED,
    RUN_PAUSED,
    RUN_RUNNING,
    RUN_PAST,
    RUN_RESUMING, /* the server continues a world that it had before */
    RUN_SEEKING,  /* the server goes to another moment of a recording */
    RUN_PLAYING,  /* the server plays a recording */
    RUN_WARMING,  /* a fresh world hurries through its warm-up */
    RUN_ENDED     /* the server that played it has ended */
};

/** Agents whose forces are asked for: with more of them the snapshots would be too large. */
enum { HUD_FORCES_MOST = 5000 };

/** The state of server and connection; the most important one wins. */
enum run_state hud_run_state(const struct link_status *link, bool is_paused, bool is_stalled);

/** The notice about a refused token: a title, and a sentence that says what helps. */
struct hud_refusal {
    const char *title, *words;
};
/** For a link in state LINK_REFUSED. is_page: in a browser, which has an address instead of a command line. Static storage. */
struct hud_refusal hud_refusal(const struct link_status *link, bool is_page);

/** Fills the whole of *view; its pointers are those of the input. */
void hud_fill(const struct hud_input *input, struct panels_view *view);

#endif
