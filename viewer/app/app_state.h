/* The state of the viewer, as values of one subject each, and what the app's files have of each other.
 *
 * Owns every part of the viewer. The drawing thread alone uses it. The files, from the bottom up: app_state.c (what follows from
 * the state, requests, files), app_moment.c (the frame, large crowds, looking back), app_worlds.c (the viewer's own
 * server, speed, saved worlds, recordings, the scenario's view, exhibitions), app_tools.c (what the mouse does to the world, undo),
 * app_actions.c (what keys and panels do), app_mail.c (what the server sends, what is subscribed to),
 * app_draw.c (the picture), app.c (events, life and frame); ../main.c has the window's loop.
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
#include "viewer/model/timeline.h"
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

/** The newest request inspect, and measure. */
struct app_inspection {
    uint32_t agent;
    uint64_t tick;
    double asked_ms, answered_ms;
    double open_ms;     /* since when an inspect waits for its answer, without slow frames; 0: none does */
    double measured_ms; /* when measure was asked */
    bool lacks_agent, lacks_measure; /* asked, and neither answered yet, for the first time, nor refused */
};

/** A moment that only the server has, as it shows it to this session alone (protocol.md, look). */
struct app_look {
    bool is_shown;    /* the newest snapshot is of such a moment, not of the present */
    bool plays;       /* the moment goes on by itself: */
    double played_ms; /* until when it has */
    bool is_asked;    /* a look was sent that is not answered yet; the newest wish is sent then */
    bool goes_back;   /* the way back to the present was sent, and has not come to its end yet */
    bool comes_back;  /* the next snapshot is the first of the present */
    bool is_rewound;  /* the present has another past than before the look */
    bool is_missing;  /* this server shows no other time */
    double refused;   /* the tick that it did not show */
    double sent_ms;
    double now_tick, now_ms; /* the present, while snapshots are of another moment: its tick, known then */
};

enum { APP_LEFT_OUT = 64 };

/** The present as if changes of this window had not come: from the list of changes to the last rewind without one of them. */
struct app_leaving_out {
    bool is_going; /* a rewind without `change` was sent, and its scenario line has not come yet */
    bool has_gone; /* its scenario line has come, and the event behind it has not */
    bool has_next; /* then a rewind without `next` as well: `change` is what had undone it */
    struct message_change change, next;
    uint64_t done[APP_LEFT_OUT]; /* the numbers of those that were left out last */
    unsigned done_count;         /* ever */
};

/** Looking back. */
struct app_past {
    struct history history;
    struct playhead playhead;
    struct snapshot_buffer
        copies;        /* what is looked back at: one copy that is held, or two it plays between */
    double sought_ms;  /* when a second of static seconds was last asked for */
    double retraced_s; /* the held moment that the trails lead to; -1 for none */
    struct inspections inspections;
    bool has_inspected; /* of the moment that is shown: */
    struct message_agent inspected;
    /* what the server keeps: */
    bool is_beyond; /* the handle of the timeline is at a moment that this window has not seen: */
    double beyond;  /* its tick */
    struct app_look look;
    char branch[LIMIT_NAME_CHARS + 1]; /* that the question is about */
    bool is_rewinding;                 /* a rewind was sent, and its scenario line has not come yet: */
    double kept_s;                     /* copies before this time are of its past as well; 0: none */
    struct app_leaving_out leaving_out;
    bool
        has_edits_before; /* a scenario line came that is of another's rewind when the event after it says so: */
    struct edits edits_before;
    bool wants_branches, wants_changes;
    double branches_ms, changes_ms; /* when they were last asked for */
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
    struct failure lost;  /* why that of --clip has ended before the viewer did; no message: it has not */
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
    bool is_reloading; /* the file of this world was saved: when it comes again, picture and selection stay */
    struct pointer pointer;
    struct app_hand hand;
    struct app_tuning tuning;

    /* what the server said */
    struct server_model server;
    struct link_status link;
    struct snapshot_buffer snapshots;
    struct clock_sync clock;
    struct motion_clock motion;
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

/* Values that follow from the app's state; no function here changes it. */

/** The size of text and lines: the user's choice, else the one that suits the screen. */
double app_ui_scale(const struct app *app);
/** Notes that this part of the picture has ended, and the next one begins. */
void app_note_part(struct app *app, enum hud_picture_part part);
/** How wide the side panel is where it is shown, px of the picture. */
float app_panel_px(const struct app *app);
/** Whether a button holds the target named mouse where it is: what is to be clicked does not flee meanwhile. */
bool app_holds_mouse_target(const struct app *app);
/** The size of a wrapping world, px of the world; {0,0} otherwise. */
vec2 app_wrap_size(const struct app *app);
/** The pointer's place in the world, px of the world; never outside: at a copy of a wrapping world the place it is a
 * copy of. */
vec2 app_world_point(const struct app *app);
/** Whether the window has panels: not the world alone, no exhibition. */
bool app_has_panels(const struct app *app);
/** Whether it has a timeline. */
bool app_has_timeline(const struct app *app);
/** Whether a point, picture px, is over the panels. Known before they are drawn again: the pointer may have
 * jumped. */
bool app_is_over_panels(const struct app *app, vec2 at);

/** The simulated time of the present, s: of the newest snapshot, or, while those are of another moment, as far as it is known. */
double app_now_s(const struct app *app);
/** Its tick; 0 without a snapshot. */
uint64_t app_now_tick(const struct app *app);
/** Simulated seconds that the handle of the timeline is behind the present; 0 when it is live. */
double app_behind_s(const struct app *app);
/** Simulated seconds from the newest snapshot to the end of the timeline: 0 but where static seconds were sent back. */
double app_ahead_s(const struct app *app);
/** Simulated seconds of static seconds that are kept before the end of the timeline; 0 where there are none. */
double app_kept_s(const struct app *app);
/** Whether one moment of the past is shown and stays. */
bool app_is_held(const struct app *app);
/** Whether the handle of the timeline is at a moment of the past, shown or not. */
bool app_is_in_past(const struct app *app);
/** Whether the server shows this session another moment, or did until the next snapshot. */
bool app_is_away(const struct app *app);
/** Whether the picture is of such a moment. */
bool app_shows_look(const struct app *app);
/** Whether the picture is of the present, which can be changed. */
bool app_shows_now(const struct app *app);

/** The whole world, px of the world. */
struct stream_box app_world_box(const struct app *app);
/** Whether the density is of the whole world. */
bool app_is_wide(const struct app *app, const struct density *density);
/** The newest density of this world, or NULL. */
const struct density *app_newest_density(const struct app *app);
/** The newest density of the whole of this world, or NULL. */
const struct density *app_wide_density(const struct app *app);
/** The agents and columns that the picture needs in frames. */
struct stream_wish app_stream_wish(const struct app *app);
/** The density that is shown instead of agents, or NULL. */
const struct density *app_density(const struct app *app);

/** What is known of the selected agent's forces at the moment that is shown, or NULL. */
const struct message_agent *app_inspected(const struct app *app);
/** The kind whose parameters are shown; "" for none. */
const char *app_tuned_kind(const struct app *app);

/** The scene as it is now, without heat, handle and hovered agent. */
struct scene app_scene(const struct app *app);
/** scene_pick_for_hand in the last picture. All agents must be where they are: app_move_all. */
bool app_find_agent(const struct app *app, vec2 at, uint32_t *id);

/* Requests to the server. Requests that the role does not allow are refused here: a notice says what would
 * help. */

/** Whether our role allows this request; when it does not, a notice says why. */
bool app_may(struct app *app, enum request_op op);
/** Whether the request was sent; when it was not, a notice says why. */
bool app_send(struct app *app, const struct request *request);
/** Sends a request without fields. */
bool app_send_plain(struct app *app, enum request_op op);
/** Loads the scenario of this name for all clients. */
void app_send_load(struct app *app, const char *scenario);
/** Pauses or resumes the world. */
void app_set_paused(struct app *app, bool is_paused);
/** Steps the world by a tick; a running world is paused first. */
void app_step_world(struct app *app);
/** Requests the list of scenarios. */
void app_ask_scenarios(struct app *app);
/** Loads the scenario `steps` places further in the list. */
void app_switch_scenario(struct app *app, int steps);
/** Whether an action that changes the present is refused, with a notice, because the past is shown. */
bool app_refuses_past(struct app *app);

/* Writes files (pictures, clips, plots) and the figures of --stats. */

/** Copies the picture into the raster if a card drew it. -1 when it cannot be read. */
NODISCARD int app_read_picture(struct app *app);
/** Keeps the world alone for the files that are to have no panels; called when the scene of this frame is drawn and the
 * panels are not. */
void app_keep_world(struct app *app);
/** Saves the picture of this frame; a notice says where, or what went wrong. */
void app_save_picture(struct app *app);
/** Saves the plots as CSV; a notice says where. */
void app_save_plots(struct app *app);
/** Starts a clip, or ends the one that is being recorded; a notice says where. */
void app_toggle_clip(struct app *app);
/** Adds this frame to the clip that is being recorded, if its time has come. */
void app_record_frame(struct app *app);
/** Starts the clip of --clip when the first frame is there. -1 with *failure. */
NODISCARD int app_start_clip(struct app *app, struct failure *failure);
/** Ends the clip that is being recorded, if any. -1 with *failure. */
NODISCARD int app_end_clip(struct app *app, struct failure *failure);
/** Prints the times that frames took. */
void app_print_stats(struct app *app);

/* The frame of a moment. Where the window draws large crowds by itself (agents_draw.h), a frame between the same two
 * snapshots is kept: only the agents that something is drawn around are moved. */

/** Fills app->frame for a server time of the buffer, as interpolate_at; of a crowd that the window moves, the selected agent
 * and its neighbors alone are at their places (app->crowd.is_partial). -1 when out of memory. */
NODISCARD int app_fill_frame(struct app *app, const struct snapshot_buffer *buffer, double server_ms,
                             const struct interpolate_rules *rules);
/** Gives the frame's agents their colors, and makes the rows of a large crowd; does nothing while rows of the same snapshots and
 * settings are there. */
void app_color_frame(struct app *app);
/** Moves every agent of a partial frame to its place: before any of them is looked for. */
void app_move_all(struct app *app);
/** The frame was filled otherwise, or a snapshot was overwritten: the next frame keeps nothing. */
void app_clear_crowd(struct app *app);
/** A snapshot arrived; before the buffer takes it. */
void app_note_snapshot(struct app *app, const struct snapshot *snapshot);

/* Looking back: the moment that is shown, and the copies in the history that show it. */

/** Holds the moment so many seconds later, or earlier. */
void app_jump(struct app *app, double by_s);
/** Holds the copy after or before the one shown. */
void app_step_past(struct app *app, bool is_forward);
/** Holds the moment at which the timeline's handle is; one that only the server has is asked for. */
void app_scrub(struct app *app, double to_s);
/** Asks for the moment that only the server has, or for the way back; lets it go on when it plays. Once a frame. */
void app_update_look(struct app *app);
/** The moment that the server shows plays on, or is held. */
void app_play_look(struct app *app);
/** Takes in a message about looks, and about the present while one is shown; after the model has. */
void app_take_look(struct app *app, const struct message *message, const struct server_model_wish *wish);
/** Takes note of a snapshot, before it is kept. Whether it shows a moment that only the server has. */
bool app_note_look(struct app *app, const struct snapshot *snapshot);
/** The picture shows now. */
void app_go_live(struct app *app);
/** The timeline as it is now. */
struct timeline app_timeline(const struct app *app);
/** The world goes on from the moment that is shown, for all clients. */
void app_go_on(struct app *app);
/** It goes on where a branch was left; after a question when it runs. */
void app_ask_branch(struct app *app, const char *branch);
/** The same without a question. */
void app_go_branch(struct app *app, const char *branch);
/** A mark at the present, under the next free name. */
void app_mark(struct app *app);
/** Asks for branches, marks and changes while the timeline shows them, and there may be others. Once a frame. */
void app_ask_past(struct app *app);
/** Whether the first of these answers has not come yet. */
bool app_lacks_past(const struct app *app);
/** Whether a message begins the world of our rewind. Another world, or a refusal, ends the wish. */
bool app_takes_rewind(struct app *app, const struct message *message);
/** Makes the frame of the past; -1 when there is none: the picture is live then. passed_s: wall time. */
NODISCARD int app_show_past(struct app *app, struct interpolate_rules *rules, double passed_s);
/** Adds the frame to the trails. */
void app_leave_trails(struct app *app);

/** Finds what was known of the selected agent's forces at the moment that is shown, when that is of the past. Once a
 * frame. */
void app_recall_inspection(struct app *app);

/* The requests that the picture depends on: the subscription to the visible part of the world, the selected
 * agent's forces, the pointer's place. */

/** Subscribes to the frames that the picture needs now. */
void app_update_stream(struct app *app);
/** Sends the pointer's place, at most once a frame. */
void app_send_mouse(struct app *app);

/* The viewer's own server, which plays the recording that was opened, and the connection to a server. */

/** Starts a server for options.recording, when there is one; options.address is where it listens then. */
NODISCARD int app_start_server(struct app *app, struct failure *failure);
/** A connection to options.address; NULL without memory or threads. */
struct connection *app_connect(const struct viewer_options *options);

/* The speed of the world's time, live or out of a recording. */

/** The next speed above, or below, the one that the world has or was asked to have. */
void app_change_speed(struct app *app, bool is_faster);
/** speed: times the world's own rate; 0: as fast as it goes. */
void app_set_speed(struct app *app, double speed);
/** Loads the same scenario with the same seed, from tick 0, for all clients; picture and selection stay. keeps: what was
 * changed is changed again: parameters, and the targets and obstacles that this window moved. */
void app_restart(struct app *app, bool keeps);
/** Whether a message begins the world that was asked for. Another world, or a refusal, ends the wish. */
bool app_takes_restart(struct app *app, const struct message *message);
/** That world has begun: what is kept is done again. */
void app_end_restart(struct app *app);
/** Takes the speed that the panels' slider or button gives; at a bounded rate while the slider is held. */
void app_take_speed(struct app *app, const struct panels_result *result);

/* Saved worlds and recordings of the server: questions to the user, and the requests that follow. */

/** Asks for a name to save the world under. */
void app_ask_name(struct app *app);
/** Asks whether the saved world of this name is to be replaced by the world as it is now. */
void app_ask_replace(struct app *app, const char *name);
/** Asks whether the saved world of this name is to be removed. */
void app_ask_remove(struct app *app, const char *name);
/** Asks whether the world is to go on by itself from the moment of the recording that is shown. */
void app_ask_take_over(struct app *app);
/** The user agreed; entered: what was typed. */
void app_agree(struct app *app, const char *entered);
/** Requests the list of saved worlds. */
void app_ask_saves(struct app *app);
/** Loads the saved world of this name for all clients. */
void app_send_load_save(struct app *app, const char *name);
/** The server records to a file from here on, or stops. */
void app_toggle_record(struct app *app);
/** What if: a twin of the world as it is goes on without what is changed from now on; or it ends. */
void app_toggle_twin(struct app *app);
/** The server keeps the last minute as a recording. */
void app_keep_minute(struct app *app);

/* The recording that the server plays: going to a moment, its speed; what the server says of it and of a world that it
 * continues. */

/** Does the action of a key that means another thing while a recording is played. Whether it is one of these. */
bool app_act_on_replay(struct app *app, const struct shortcut *row);
/** Goes to the moment at which the handle of the timeline is held; once more when it is let go, for the recording plays on
 * meanwhile. Called once a frame. */
void app_scrub_replay(struct app *app, const struct panels_result *result);
/** Sends the seek that is due, asks for what may have changed, and shows a copy of the wanted moment until the server
 * is there. Called once a frame, before the picture is drawn. */
void app_update_replay(struct app *app);
/** Forgets seeks that are under way: there is another connection. */
void app_begin_replay(struct app *app);
/** A seek was answered; is_reached: not by an error. */
void app_take_seek(struct app *app, bool is_reached);
/** A snapshot of this world came. */
void app_note_place(struct app *app, const struct snapshot *snapshot);
/** Whether a snapshot does not go on from the one before: the server went to another moment. */
bool app_is_elsewhere(const struct app *app, const struct snapshot *snapshot);

/* The scenario's view: what is shown, selected and how near, when its world comes. */

/** A world has begun: the person's own settings, and over them what its scenario says. */
void app_begin_view(struct app *app);
/** Selects and zooms as the scenario says, in the world's first frame: earlier it is not known which agents there are.
 * Called before the camera is placed, with the margins of this frame. */
void app_place_view(struct app *app);

/* --kiosk: the window of an exhibition. Worlds follow one another, and what visitors changed is put back. */

/** Reads the playlist of options.kiosk_list, if there is one. -1 with *failure. */
NODISCARD int app_kiosk_init(struct app *app, struct failure *failure);
/** A visitor has touched the mouse or a key. */
void app_kiosk_touch(struct app *app);
/** A world has begun: its view is the scenario's. Called before the view is applied. */
void app_kiosk_begin(struct app *app);
/** Goes on to the next world, or puts this one back, when the time has come. Called once a frame. */
void app_kiosk_update(struct app *app);

/* Undo and redo: what this window does to the world is noted as it is sent, and the opposite is sent on request. */

/** Undoes the newest change of this window, or does the newest that was undone again; a notice says which. */
void app_undo(struct app *app, bool is_undo);
/** Goes to the present as it would be without the newest change of this window, in a further branch; without what undid it as well, where
 * it is undone. */
void app_leave_out(struct app *app);
/** The world without the change has come: goes to the one without the next. */
void app_leave_out_next(struct app *app);
/** An event, an answer to a request of this file. is_back: of what server_model_apply wished for then. */
void app_take_edit(struct app *app, const struct message *message, bool is_back);

/* Dragging targets and obstacles: finding the one under the pointer, holding it, moving it. */

/** Puts the held target or obstacle back to where it was taken. */
void app_drag_give_up(struct app *app);
/** Finds the target or obstacle under the pointer and sets the pointer's shape; called once a frame. */
void app_drag_update(struct app *app);
/** Whether an obstacle is under the pointer or held; *handle is the obstacle at its present or next place. */
bool app_drag_handle(const struct app *app, struct obstacle_def *handle);

/* The tools: clicks add and remove agents, sliders tune parameters. */

/** Takes a tool into the hand. Taken again: the next kind to add, then no tool. */
void app_choose_tool(struct app *app, enum tool tool);
/** Says what the tool in the hand does; "" without a tool. */
void app_tool_words(const struct app *app, char *out, size_t size);
/** Handles a press of the left button over the world. Returns whether the tool took it. */
bool app_tool_press(struct app *app);
/** Handles the release of the button; false: it was a click. */
bool app_tool_release(struct app *app);
/** Moves the held target or obstacle, or removes agents under the moving pointer; called once a frame. */
void app_tool_move(struct app *app);
/** Sends the parameters whose sliders were moved. */
void app_tune(struct app *app, const struct panels_result *result);

/* The actions of keys and panels. */

/** Does the action of a row of shortcuts.c. */
void app_act(struct app *app, const struct shortcut *row);
/** Does the actions of the panels: clicks, picks, moved sliders, the timeline's handle. */
void app_take_result(struct app *app, const struct panels_result *result);

/* Events of the window: keys, text, the mouse. */

/** Turns keys into actions and the mouse into selecting, dragging and camera moves; gathers the events for the
 * panels. */
void app_handle_event(struct app *app, const struct input_event *event);
/** Whether the panels have taken the clicks and presses of earlier events; until then the events that follow wait. */
bool app_takes_events(const struct app *app);
/** Whether the event is to wait for the next frame: a press, or a turn of the wheel, where the panels have not seen the
 * pointer yet. They see it there in this frame, and say whether the place is theirs. */
bool app_puts_off(struct app *app, const struct input_event *event);

/* Snapshots and messages from the connection change the app's state. */

/** Takes the snapshots and messages that arrived since the last frame. */
void app_take_mail(struct app *app);

/* Draws the picture of a moment. */

/** Prepares the picture's size, the camera and the frame. -1 when out of memory. */
NODISCARD int app_prepare(struct app *app);
/** Shows a new notice for a while; called once a frame. */
void app_update_toast(struct app *app);
/** Draws the scene and the panels and returns the clicks in the panels. Changes nothing but the picture. */
const struct panels_result *app_draw(struct app *app);
/** Makes panels and sprites for the wanted scale. -1 when out of memory. */
NODISCARD int app_rescale(struct app *app);

/* --advance: a paused world that this viewer steps between its frames, so that a picture without a display has the
 * trails of the seconds before, the same each time. */

/** Steps the world as soon as the step before is shown; called after each picture. -1 with *failure when the world
 * runs by itself. */
NODISCARD int app_advance(struct app *app, struct failure *failure);

#endif
