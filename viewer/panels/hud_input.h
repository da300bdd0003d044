/* The input of the panels' texts: plain pointers and measurements. */
#ifndef DROVER_VIEWER_PANELS_HUD_INPUT_H
#define DROVER_VIEWER_PANELS_HUD_INPUT_H

#include <stdbool.h>

#include "clients/c/mailbox.h"
#include "clients/c/server_address.h"
#include "clients/c/server_model.h"
#include "viewer/model/camera.h"
#include "viewer/model/frame.h"
#include "viewer/model/playhead.h"
#include "viewer/model/selection.h"
#include "viewer/model/view_settings.h"
#include "viewer/panels/panels_view.h"

/** Measurements. */
struct hud_measures {
    double echo_ms;         /* from a motion of the mouse to the server's frame; < 0: unknown */
    double snapshots_per_s; /* < 0: not known yet */
    double bytes_per_s;     /* < 0: not known yet */
    double behind_rate; /* real_time_behind: how fast the world runs while it is behind its rate; < 0: it is
                               not behind */
    double delay_ms;    /* how far behind the newest snapshot the picture is */
    uint32_t skipped;   /* snapshots of the last seconds that came and were never drawn */
};

/** All pointers are the caller's. */
struct hud_input {
    const struct server_model *server;
    const struct frame *frame;
    const struct link_status *link;
    const struct address *address;
    const struct camera *camera;
    const struct view_settings *settings;
    const struct selection *selection;
    const struct panels_open *open;
    const struct playhead *playhead;
    const struct density *density;         /* shown instead of agents; NULL for none */
    const struct message_agent *inspected; /* what is known of the selected agent; NULL for nothing */
    const struct plots *plots;             /* NULL for none */
    const struct panels_lag *lag;          /* NULL for none */
    const char *tuned_kind;                /* whose parameters; "" for none */
    const char *clip;                      /* what is being recorded, "" for nothing */
    const char *wanted;                    /* what is typed in the picker */
    struct hud_measures measures;
    double recorded_s, now_s; /* the timeline: how far back it reaches from the newest moment */
    double behind_s;          /* how far the picture is behind it */
    uint64_t now_ns;
    float toast_alpha;
    bool has_region;  /* frames have the agents around what is visible alone */
    bool is_headless; /* there is no keyboard */
    bool is_fixed;    /* measured numbers are left out, so that pictures can be compared */
};

#endif
