/* The state of the viewer, as values of one subject each, for the files of the app alone.
 *
 * Owns every part of the viewer. The drawing thread alone uses it. The files, from the bottom
 * up: app_queries.c (what follows from the state), app_requests.c (requests to the server), app_output.c
 * (files), app_stream.c (the frames that are subscribed to), app_past.c (looking back), app_drag.c and
 * app_tools.c (what the mouse does to the world), app_actions.c (what keys and panels do), app_input.c
 * (events), app_mail.c (what the server sends), app_draw.c (the picture), app.c (life and loop).
 */
#ifndef DROVER_VIEWER_APP_APP_STATE_H
#define DROVER_VIEWER_APP_APP_STATE_H

#include "clients/c/clock_sync.h"
#include "clients/c/connection.h"
#include "viewer/app/options.h"
#include "viewer/draw/scene.h"
#include "viewer/model/echo.h"
#include "viewer/model/history.h"
#include "viewer/model/interpolate.h"
#include "viewer/model/playhead.h"
#include "viewer/model/pointer.h"
#include "viewer/model/rate_meter.h"
#include "viewer/model/real_time.h"
#include "viewer/panels/hud.h"
#include "viewer/panels/panels.h"
#include "viewer/platform/clip.h"
#include "viewer/platform/window.h"

/** Frames whose times are kept; snapshots a second that the server is expected to send. */
enum { APP_FRAME_TIMES = 4096, APP_SNAPSHOT_HZ = 30 };

/** The tools: a click with one does more than select. */
enum tool { TOOL_NONE, TOOL_ADD, TOOL_REMOVE };

/** The target or obstacle that the left button holds. */
struct app_hold {
    enum { HOLD_NOTHING, HOLD_TARGET, HOLD_OBSTACLE } what;
    char target[LIMIT_NAME_CHARS + 1]; /* HOLD_TARGET */
    uint32_t obstacle;                 /* HOLD_OBSTACLE: its id */
    vec2 from, offset; /* px of the world: where it was taken; from the pointer to its first point */
    bool has_moved;    /* far enough: it is not a click */
    double sent_ms;
};

/** The hand: its tool, and the object that the left button holds. */
struct app_hand {
    enum tool tool;
    int kind; /* TOOL_ADD: the number of the scenario's kind */
    struct app_hold hold;
    struct app_hold shown; /* what is held or can be dragged under the pointer, as of this frame */
    bool is_dragging;      /* the button holds something, or removes agents */
    bool has_moved;        /* the pointer moved since that was last sent */
    uint32_t removed;      /* the agent that was removed last */
};

/** The hand is empty: no tool, and nothing is held. */
static inline void app_hand_empty(struct app_hand *hand) {
    hand->tool = TOOL_NONE;
    hand->hold.what = HOLD_NOTHING;
    hand->is_dragging = false;
}

/** The picture: its canvases, its scale and its camera. */
struct app_picture {
    struct raster *raster;
    struct mesh mesh;
    struct sprites *sprites;
    float window_scale, pixel_scale; /* picture px per window px; the same times the UI's scale */
    bool wants_scale;                /* another scale from the next frame on */
    struct camera camera;
    struct camera_view camera_view;
    struct camera_margins margins;
    bool has_camera;                   /* of this world */
    int32_t first_width, first_height; /* of the window, window px: chosen by the screen */
};

/** Agents that are counted by the server instead of being sent one by one. */
struct app_counts {
    struct density *newest; /* owned; NULL before the first */
    uint32_t newest_epoch;
    struct density *wide; /* the newest of the whole world that is not `newest`, owned; or NULL */
    uint32_t wide_epoch;
    struct density *spare;       /* owned; to be overwritten */
    double hide_agents_until_ms; /* until then agents are not drawn over a density: they are few of many */
};

/** The subscription and the places of the mouse that are sent. */
struct app_stream {
    struct stream_box agents_box; /* where agents are sent one by one, when they are */
    double due_ms;                /* no other subscription before */
    double cursor_sent_ms;
    bool has_tried_mouse; /* the server's refusal to move the mouse's target was shown, in this connection */
};

/** The newest request inspect. */
struct app_inspection {
    uint32_t agent;
    uint64_t tick;
    double asked_ms, answered_ms;
};

/** Looking back. */
struct app_past {
    struct history history;
    struct playhead playhead;
    struct snapshot_buffer
        copies;        /* what is looked back at: one copy that is held, or two it plays between */
    double retraced_s; /* the held moment that the trails lead to; -1 for none */
};

/** Measurements while frames arrive. */
struct app_meters {
    struct rate_meter snapshots, bytes;
    struct real_time real_time;
    struct echo echo;
    struct panels_lag lag;
};

/** When frames are drawn. */
struct app_pacing {
    double framed_ms; /* when the frame before began */
    double next_frame_ms, started_ms;
    bool is_dirty;   /* something happened: the picture may be another */
    double dirty_ms; /* when it last was */
};

/** How long frames took. */
struct app_times {
    double first_picture_ms;                                  /* after the start; 0 before */
    uint32_t count;                                           /* frames since the first snapshot */
    float frame_ms[APP_FRAME_TIMES], cpu_ms[APP_FRAME_TIMES]; /* rings of the last frames */
};

/** The notice that is shown for a while. */
struct app_toast {
    uint32_t seen_notices;
    bool has_hinted;
    double until_ms;
};

/** Pictures and clips that are written to files. */
struct app_output {
    struct clip *clip; /* being recorded; or NULL */
    char clip_path[1024];
    bool wants_picture; /* of this frame */
};

/** The sliders. */
struct app_tuning {
    int kind; /* the number of the scenario's kind */
    double sent_ms;
};

struct app {
    struct viewer_options options;
    struct connection *connection;
    struct window *window;
    double now_ms; /* when this frame began */
    bool is_running;

    /* what a person chose */
    struct view_settings settings;
    struct view_changes changes; /* what was changed in the window */
    struct selection selection;
    struct pointer pointer;
    struct app_hand hand;
    struct app_tuning tuning;

    /* what the server said */
    struct server_model server;
    struct link_status link;
    struct snapshot_buffer snapshots;
    struct clock_sync clock;
    struct app_counts counts;
    struct app_stream stream;
    struct app_inspection inspection;
    struct app_meters meters;
    struct plots plots;
    struct app_past past;

    /* what is drawn */
    struct frame frame;
    struct trails trails;
    struct heat heat;
    struct app_picture picture;
    struct panels *panels;
    struct panels_open open;
    struct panels_view view;
    struct panels_input input;   /* gathered since the last frame */
    struct panels_result result; /* of the last frame */
    struct app_toast toast;
    struct app_output output;
    struct app_pacing pacing;
    struct app_times times;
};

#endif
