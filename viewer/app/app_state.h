/* The state of the viewer, as values of one subject each, for the files of the app alone.
 *
 * Owns every part of the viewer. The drawing thread alone uses it. The files, from the bottom
 * up: app_queries.c (what follows from the state), app_requests.c (requests to the server), app_output.c
 * (files), app_crowd.c (the frame, and large crowds in it), app_stream.c (the frames that are subscribed to), app_view.c (the scenario's view), app_kiosk.c (exhibitions),
 * app_past.c (looking back), app_keep.c (saved worlds, recordings),
 * app_replay.c (a recording that is played), app_time.c (its speed, and the world's), app_server.c (the viewer's own server), app_edits.c (undo), app_drag.c and
 * app_tools.c (what the mouse does to the world), app_actions.c (what keys and panels do), app_input.c
 * (events), app_mail.c (what the server sends), app_draw.c (the picture), app.c (life and frame); app_run.c (the window's loop).
 */
#ifndef DROVER_VIEWER_APP_APP_STATE_H
#define DROVER_VIEWER_APP_APP_STATE_H

#include "viewer/app/options.h"
#include "viewer/draw/agents_draw.h"
#include "viewer/draw/scene.h"
#include "viewer/explain/agent_colors.h"
#include "viewer/link/clock_sync.h"
#include "viewer/link/connection.h"
#include "viewer/model/edits.h"
#include "viewer/model/history.h"
#include "viewer/model/input.h"
#include "viewer/model/interpolate.h"
#include "viewer/model/kiosk.h"
#include "viewer/model/meters.h"
#include "viewer/model/replay.h"
#include "viewer/panels/hud.h"
#include "viewer/panels/panels.h"
#include "viewer/platform/clip.h"
#include "viewer/platform/files.h"
#include "viewer/platform/own_server.h"
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
    vec2 to; /* was_sent: the last place that was */
    bool was_sent;
};

/** The hand: its tool, and the object that the left button holds. */
struct app_hand {
    enum tool tool;
    int kind; /* TOOL_ADD: the number of the scenario's kind */
    struct app_hold hold;
    struct app_hold shown; /* what is held or can be dragged under the pointer, as of this frame */
    bool is_dragging;      /* the button holds something, or removes agents */
    bool has_moved;        /* the pointer moved since that was last sent */
    bool has_shift;        /* Shift is held */
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
    bool is_heat;                    /* the crowd is drawn as heat */
    bool wants_scale;                /* another scale from the next frame on */
    struct camera camera;
    struct camera_view camera_view;
    struct camera_margins margins;
    bool has_camera;                   /* of this world */
    int32_t first_width, first_height; /* of the window, window px: chosen by the screen */
};

/** The snapshots that the rows of a crowd were made of, and all else that they depend on. */
struct app_crowd_key {
    const struct snapshot *a, *b; /* NULL: none */
    double a_clock_ms, a_time_s, b_clock_ms, b_time_s;
    bool shows_coming, shows_leaving; /* agents only in b, only in a */
};

/** Crowds that the graphics card moves by itself. */
struct app_crowd {
    struct agent_instances instances;
    struct app_crowd_key key;      /* of the rows */
    struct view_settings settings; /* of the rows' colors */
    bool has_rows;                 /* of the frame's snapshots; never where the window takes no crowd */
    bool is_partial;               /* only a few of the frame's agents are where they are at its moment: */
    const struct snapshot_buffer *buffer;
    double server_ms;
    struct interpolate_rules rules;
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
    struct inspections inspections;
    bool has_inspected; /* of the moment that is shown: */
    struct message_agent inspected;
};

/** Saved worlds. */
struct app_keeping {
    char name[LIMIT_NAME_CHARS + 1]; /* that the question is about, or proposes */
};

/** The recording that the server plays. */
struct app_replay {
    struct seeker seeker;
    bool is_held; /* the handle of its timeline: */
    struct replay_moment held;
    bool has_reached; /* a seek was answered, and no snapshot of its moment has come yet: */
    struct replay_moment reached;
    double reached_ms;
    bool was_on;     /* in the frame before */
    double asked_ms; /* when stats were last asked for */
};

/** The same world from tick 0 was asked for. */
struct app_restart {
    bool is_due; /* its scenario line has not come yet: */
    char scenario[LIMIT_NAME_CHARS + 1];
    struct edits kept; /* done again then */
};

/** How a world's scenario wants it to be shown from its first frame on. */
struct app_view_wish {
    bool is_due;     /* that frame has not come yet */
    uint32_t select; /* the id of an agent; 0 for none */
    float zoom;      /* 1: the whole world fits */
};

/** Measurements while frames arrive. */
struct app_meters {
    struct rate_meter snapshots, bytes, frames;
    struct real_time real_time;
    struct echo echo;
    struct panels_lag lag;
};

/** The steps of --advance. */
struct app_advance {
    bool has_begun;
    uint64_t due_tick, end_tick; /* of the last step sent; of the last one of all */
};

/** When frames are drawn. */
struct app_pacing {
    double framed_ms; /* when the frame before began */
    double next_frame_ms, started_ms;
    double speed_sent_ms; /* when the slider of the speed last had one sent */
    double begun_cpu_ms;  /* the thread's time when this frame began */
    bool is_still;        /* this frame was not drawn: it is as the one before */
    bool is_dirty;        /* something happened: the picture may be another */
    double dirty_ms;      /* when it last was */
};

/** How long frames took. */
struct app_times {
    double first_picture_ms;                                  /* after the start; 0 before */
    uint32_t count;                                           /* frames since the first snapshot */
    double mark_ms;                                           /* when the part before ended */
    double parts_ms[HUD_PICTURE_PARTS];                       /* smooth */
    float frame_ms[APP_FRAME_TIMES], cpu_ms[APP_FRAME_TIMES]; /* rings of the last frames */
};

/** The notice that is shown for a while. */
struct app_toast {
    uint32_t seen_notices;
    bool has_hinted;
    double until_ms;
};

/** The caption of the world, for a while. */
struct app_caption {
    double until_ms;
};

/** Pictures and clips that are written to files. */
struct app_output {
    struct clip *clip;        /* being recorded; or NULL */
    struct clip *ending_clip; /* one before, whose file ffmpeg still writes; or NULL. Then none begins */
    int32_t clip_width, clip_height;
    bool is_clip_due;     /* that of --clip has not begun yet: it waits for the first frame */
    struct raster *world; /* what panels leave of the picture, before they are drawn; NULL before the first */
    bool has_world;       /* of this frame */
    char clip_path[1024];
    bool wants_picture; /* of this frame */
};

/** The sliders. */
struct app_tuning {
    int kind; /* the number of the scenario's kind */
    struct mutes mutes;
    uint32_t followed; /* the selected agent whose kind it was taken from; 0 for none */
    double sent_ms;
};

struct app {
    struct viewer_options options;
    struct own_server *own_server; /* plays options.recording; or NULL */
    char server_end[512];          /* the last words of own_server, when it has ended; else "" */
    struct connection *connection;
    struct window *window;
    double now_ms; /* when this frame began */
    bool is_running;

    /* what a person chose */
    struct view_settings own;      /* the file of settings and the flags, as the window began */
    struct view_settings settings; /* what is shown: the scenario's view and what was changed besides */
    struct view_changes changes;   /* what was changed in the window */
    struct app_view_wish wish;
    struct kiosk kiosk;  /* of --kiosk */
    bool is_kiosk_bound; /* that it cannot load other worlds was logged */
    struct selection selection;
    struct pointer pointer;
    struct app_hand hand;
    struct app_tuning tuning;

    /* what the server said */
    struct server_model server;
    struct link_status link;
    struct snapshot_buffer snapshots;
    struct clock_sync clock;
    struct motion motion;
    struct app_counts counts;
    struct app_stream stream;
    struct app_inspection inspection;
    struct app_meters meters;
    struct plots plots;
    struct app_past past;
    struct app_keeping keeping;
    struct app_replay replay;
    struct edits edits;
    struct app_restart restart;

    /* what is drawn */
    struct agent_colors colors;
    struct frame frame;
    struct app_crowd crowd;
    struct trails trails;
    struct headings headings;
    struct onion onion;
    struct ways ways;
    struct heat heat;
    struct app_picture picture;
    struct panels *panels;
    struct panels_open open;
    struct panels_view view;
    struct panels_input input;   /* gathered since the last frame */
    struct panels_result result; /* of the last frame */
    struct label_places places;  /* of the names in the last frame */
    struct hud_tag_memory tag;
    struct app_toast toast;
    struct app_caption caption;
    struct preview_file preview; /* of the row that the picker has chosen */
    struct app_output output;
    struct app_advance advance;
    struct app_pacing pacing;
    struct app_times times;
};

#endif
