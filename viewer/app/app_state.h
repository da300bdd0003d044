/* What the files of the app share: app.c (life and loop), app_input.c (what a person does), app_tools.c (what
 * that does to the world), app_drag.c (what is in the hand), app_past.c (looking back), app_stream.c (what is
 * asked of the server), app_draw.c (the picture). Not for others.
 *
 * Owns everything the viewer is made of. All of it belongs to the drawing thread.
 */
#ifndef DROVER_VIEWER_APP_APP_STATE_H
#define DROVER_VIEWER_APP_APP_STATE_H

#include <SDL.h>

#include "clients/c/clock_sync.h"
#include "clients/c/connection.h"
#include "viewer/app/app.h"
#include "viewer/draw/scene.h"
#include "viewer/model/echo.h"
#include "viewer/model/history.h"
#include "viewer/model/playhead.h"
#include "viewer/model/rate_meter.h"
#include "viewer/model/real_time.h"
#include "viewer/panels/hud.h"
#include "viewer/platform/clip.h"
#include "viewer/platform/window.h"

enum { APP_FRAME_TIMES = 4096 };

/** What a click is for. */
enum tool { TOOL_NONE, TOOL_ADD, TOOL_REMOVE };

/** What the left button holds. */
struct app_hold {
    enum { HOLD_NOTHING, HOLD_TARGET, HOLD_OBSTACLE } what;
    char target[LIMIT_NAME_CHARS + 1]; /* HOLD_TARGET */
    uint32_t obstacle;                 /* HOLD_OBSTACLE: its id */
    vec2 from, offset; /* px of the world: where it was taken; from the pointer to its first point */
    bool has_moved;    /* it is no click any more */
    double sent_ms;
};

struct app {
    struct viewer_options options;
    struct connection *connection;
    struct window *window;
    struct raster *raster;
    struct mesh mesh;
    struct sprites *sprites;
    struct panels *panels;
    struct panels_view view;
    struct panels_input input;   /* gathered since the last frame */
    struct panels_result result; /* of the last frame */

    struct server_view server;
    struct link_status link;
    struct snapshot_buffer snapshots;
    struct clock_sync clock;
    struct frame frame;
    struct rate_meter rate, bytes;
    struct real_time real_time;
    struct plots plots;
    struct trails trails;
    struct heat heat;
    struct panels_lag lag;
    struct density *density; /* the newest, owned; NULL before the first */
    uint32_t density_epoch;
    struct density *wide_density; /* the newest of the whole world that is not `density`, owned; or NULL */
    uint32_t wide_epoch;
    struct density *spare_density; /* owned; to be overwritten */
    double hidden_until_ms;        /* until then agents are not drawn over a density: they are few of many */
    struct stream_box agents_box;  /* where agents are sent one by one, when they are */
    struct echo echo;

    struct history history;
    struct playhead playhead;
    struct snapshot_buffer past; /* what is looked back at: one copy that is held, or two it plays between */
    double retraced_s;           /* the held moment that the trails lead to; -1 for none */

    struct camera camera;
    struct camera_view camera_view;
    struct camera_margins margins;
    float window_scale, pixel_scale; /* picture px per window px; the same times the UI's scale */

    struct view_settings settings;
    struct view_changes changes; /* what was changed in the window */
    struct selection selection;
    struct panels_open open;
    int32_t first_width, first_height; /* of the window, px */
    bool has_camera;                   /* of this world */
    double stream_due_ms;              /* no other subscription before */
    uint32_t asked_agent;              /* by the newest inspect: */
    uint64_t asked_tick;
    double asked_ms, inspected_ms; /* when; when it was answered */

    enum tool tool;
    int tool_kind, tuned_kind; /* which of the scenario's kinds */
    struct app_hold hold;
    bool is_dragging, drag_moved; /* the left button holds something; since it was last sent */
    double tuned_ms, cursor_sent_ms;
    uint32_t removed;
    bool tried_mouse; /* we were told that we may not, in this connection */
    bool is_dirty;    /* something happened: the picture may be another */
    double dirty_ms;  /* when it last was */
    struct clip *clip;
    char clip_path[1024];
    bool is_running, wants_screenshot, wants_scale;

    bool has_cursor, cursor_moved; /* the pointer is over the window; it moved since the last frame */
    bool is_panning, is_pressed;   /* the right button is down; the left is, and not over a panel */
    vec2 cursor, pressed_at;       /* picture px */
    double cursor_moved_ms;
    uint32_t seen_notices;
    bool has_hinted;
    double toast_until_ms;
    double now_ms;    /* when this frame began */
    double framed_ms; /* when the one before did */
    double next_frame_ms, started_ms;
    double first_picture_ms;                                        /* after the start; 0 before */
    uint32_t frames_drawn;                                          /* since the first snapshot */
    float frame_ms[APP_FRAME_TIMES], frame_cpu_ms[APP_FRAME_TIMES]; /* rings of the last frames */
};

/* app_input.c */
void app_handle_event(struct app *app, const SDL_Event *event);
/** What the key of this row does. */
void app_act(struct app *app, const struct shortcut *row);
/** What the panels said they were asked for. */
void app_take_result(struct app *app, const struct panels_result *result);
bool app_moves_mouse_target(const struct app *app);
bool app_send(struct app *app, const struct request *request);
bool app_is_over_panels(const struct app *app, vec2 at);
/** Where in the world the pointer is; never outside. */
vec2 app_world_point(const struct app *app);
bool app_send_plain(struct app *app, enum request_op op);
void app_send_load(struct app *app, const char *scenario);

/* app_stream.c */
/** Takes the newest density, if there is one. */
void app_take_density(struct app *app);
/** Asks for the frames that the picture needs now. */
void app_update_stream(struct app *app);
/** The density that is shown instead of agents, or NULL. */
const struct density *app_density(const struct app *app);
/** Asks why the selected agent does what it does; what is known of it, or NULL. */
void app_ask_agent(struct app *app);
const struct message_agent *app_inspected(const struct app *app);
/** Sends the mouse's place, at most once a frame. */
void app_send_mouse(struct app *app);
/** A frame came: how long the mouse's target was on its way. */
void app_note_echo(struct app *app, const struct snapshot *snapshot, double arrival_ms);

/* app_past.c */
/** Simulated seconds: of the newest snapshot; how far the picture is behind it. */
double app_now_s(const struct app *app);
double app_behind_s(const struct app *app);
/** Whether one moment of the past is shown and stays. */
bool app_is_held(const struct app *app);
/** For what would change the present: true, and the person is told, when the past is shown. */
bool app_refuses_past(struct app *app);
void app_jump(struct app *app, double by_s);
/** The copy after or before the one shown. */
void app_step_past(struct app *app, bool is_forward);
/** The timeline's handle. */
void app_scrub(struct app *app, double to_s);
/** Makes the frame of the past; -1 when there is none: then it is live. */
NODISCARD int app_show_past(struct app *app, struct interpolate_rules *rules, double passed_s);
void app_leave_trails(struct app *app);

/* app_tools.c */
void app_choose_tool(struct app *app, enum tool tool);
/** What the tool in hand does, for the person; "" without one. */
void app_tool_words(const struct app *app, char *out, size_t size);
/** The left button over the world: whether the tool took it. */
bool app_tool_press(struct app *app);
/** false: it was a click. */
bool app_tool_release(struct app *app);
void app_tool_move(struct app *app);
void app_tune(struct app *app, const struct panels_result *result);
/** The kind whose parameters are shown. */
const char *app_tuned_kind(const struct app *app);

/* app_drag.c */
/** The left button goes down: whether it holds a target or an obstacle now. */
bool app_drag_begin(struct app *app);
/** Once a frame while it holds one. */
void app_drag_move(struct app *app);
/** The button goes up; false: nothing was moved. */
bool app_drag_end(struct app *app);
/** Puts what is held back to where it was taken. */
void app_drag_give_up(struct app *app);
void app_drag_words(const struct app *app, char *out, size_t size);
/** Gives the pointer its shape; whether an obstacle is under it or held, and where it is or will be. */
bool app_drag_handle(struct app *app, struct obstacle_def *handle);

/* app_draw.c */
/** The picture's size, the camera, the frame. -1 when out of memory. */
NODISCARD int app_prepare(struct app *app);
void app_draw(struct app *app);
/** The scene as it is now (to pick agents in). */
struct scene app_scene(const struct app *app);
/** The size of text and lines: as was chosen, else what suits the screen. */
double app_ui_scale(const struct app *app);
/** New panels and pictures for the scale that is wanted. -1 when out of memory. */
NODISCARD int app_rescale(struct app *app);
/** Copies the picture into the raster if a card drew it. -1 when it cannot. */
NODISCARD int app_read_picture(struct app *app);

#endif
