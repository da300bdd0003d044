/* See app_state.h. */
#include "viewer/app/app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "viewer/app/app_state.h"
#include "viewer/app/config.h"
#include "viewer/model/input.h"
#include "viewer/platform/files.h"
#include "viewer/platform/window.h"

/* ---- events ---- */

static const float click_slop_px = 5.0f;
static const float zoom_step = 1.15f;

/* ---- the mouse ---- */

static vec2 picture_point(const struct app *app, const struct input_event *event) {
    return vec2_scale(event->at, app->picture.window_scale);
}

static vec2 room_center(const struct app *app) {
    return camera_room_center(
        vec2_make((float)app->picture.raster->width, (float)app->picture.raster->height),
        app->picture.margins);
}

static void zoom_at(struct app *app, vec2 at, float factor) {
    const vec2 size = app->server.scenario.size;
    const vec2 room = vec2_make((float)app->picture.raster->width, (float)app->picture.raster->height);
    const float fit = camera_fit(size, room, app->picture.margins).scale;
    camera_view_zoom(&app->picture.camera_view, &app->picture.camera, room_center(app),
                     app->selection.is_following ? room_center(app) : at, factor, 0.25f * fit,
                     fmaxf(30.0f * app->picture.pixel_scale, 2.0f * fit));
    app->picture.camera = camera_view_place(&app->picture.camera_view, size, room,
                                            app->picture.margins); /* for the next step in this frame */
}

static void pan(struct app *app, vec2 by) {
    app->selection.is_following = false;
    camera_view_pan(&app->picture.camera_view, &app->picture.camera, room_center(app), by);
    app->picture.camera.offset = vec2_add(app->picture.camera.offset, by); /* for the next motion */
}

static void move_pointer(struct app *app, vec2 to) {
    if (app->pointer.is_panning) {
        pan(app, vec2_sub(to, app->pointer.at));
    }
    app->pointer.at = to;
    app->pointer.moved_ms = app->now_ms;
    app->pointer.has_moved = app->pointer.is_over_window = app->hand.has_moved = true;
}

/* The agent under the button as it goes down: later it is elsewhere. */
static void note_agent(struct app *app) {
    app_move_all(app);
    app->pointer.has_agent = app_find_agent(app, app->pointer.at, &app->pointer.agent);
}

/* A click on an agent selects it, beside agents it ends the selection. The second one of a double click is for what the
 * first one selected, which may have moved on. */
static void click(struct app *app, bool is_double) {
    if (is_double && app->selection.has_agent) {
        app->selection.is_following = true;
    } else if (app->pointer.has_agent) {
        app->selection.has_agent = true;
        app->selection.id = app->pointer.agent;
        app->selection.is_following = is_double;
    } else if (app->selection.has_agent) {
        app->selection.has_agent = app->selection.is_following = false;
    } else if (app_density(app) != NULL || app->picture.is_heat) {
        server_model_set_notice(&app->server, false, "No single agents here: the wheel zooms in to them");
    } else if (app->server.has_scenario) {
        server_model_set_notice(&app->server, false, "No agent here. %s: forces of all agents",
                                shortcuts_row(SHORTCUT_FORCES)->name);
    }
}

/* What the panels see of the left button. Where it went down decides whose the click is, its release too. */
static void note_click(struct app *app, vec2 at, const struct input_event *event, bool is_for_panels) {
    app->input.is_down = event->is_down;
    app->input.was_pressed_in_world |= event->is_down && !is_for_panels;
    app->pointer.is_on_panels = event->is_down && is_for_panels;
    if (is_for_panels) {
        app->input.has_click = true;
        app->input.click =
            (struct panels_click){.at = at, .is_down = event->is_down, .is_double = event->clicks >= 2};
    }
}

static void handle_button(struct app *app, const struct input_event *event) {
    const bool is_down = event->is_down;
    const vec2 at = picture_point(app, event);
    const bool is_for_panels = app_is_over_panels(app, at);
    app->pointer.at = at;
    if (event->button != INPUT_BUTTON_LEFT) {
        if (is_down && app->hand.is_dragging && app->hand.tool == TOOL_NONE) {
            app_drag_give_up(app);
            return;
        }
        app->pointer.is_panning = is_down && !is_for_panels;
        app->input.was_right_pressed |= is_down && is_for_panels;
        return;
    }
    note_click(app, at, event, is_down ? is_for_panels : app->pointer.is_on_panels);
    if (is_down) {
        app->pointer.pressed_at = at;
        app->pointer.is_finger = event->is_finger;
        note_agent(app);
        app->pointer.is_pressed = !is_for_panels && !app_tool_press(app);
        app->open.focus = is_for_panels ? app->open.focus : PANELS_FOCUS_WORLD;
    } else if (app->hand.is_dragging) {
        if (!app_tool_release(app)) {
            click(app, event->clicks >= 2);
        }
    } else if (app->pointer.is_pressed) {
        app->pointer.is_pressed = false;
        if (vec2_length(vec2_sub(at, app->pointer.pressed_at)) <= click_slop_px * app->picture.pixel_scale) {
            click(app, event->clicks >= 2);
        } else {
            (void)app_refuses_past(app); /* it may have been meant to drag something */
        }
    }
}

/* ---- keys ---- */

/* The keys that the panels use themselves; -1 for another one. */
static int panels_key(int32_t key) {
    static const int32_t codes[PANELS_KEYS] = {
        [PANELS_KEY_TAB] = KEY_TAB,
        [PANELS_KEY_LEFT] = KEY_LEFT,
        [PANELS_KEY_RIGHT] = KEY_RIGHT,
        [PANELS_KEY_UP] = KEY_UP,
        [PANELS_KEY_DOWN] = KEY_DOWN,
        [PANELS_KEY_PAGE_UP] = KEY_PAGE_UP,
        [PANELS_KEY_PAGE_DOWN] = KEY_PAGE_DOWN,
        [PANELS_KEY_HOME] = KEY_HOME,
        [PANELS_KEY_END] = KEY_END,
        [PANELS_KEY_DELETE] = KEY_DELETE,
        [PANELS_KEY_BACKSPACE] = KEY_BACKSPACE,
        [PANELS_KEY_SPACE] = KEY_SPACE,
        [PANELS_KEY_RETURN] = KEY_RETURN,
        [PANELS_KEY_ESCAPE] = KEY_ESCAPE,
        [PANELS_KEY_A] = KEY_A,
        [PANELS_KEY_C] = KEY_C,
        [PANELS_KEY_V] = KEY_V,
        [PANELS_KEY_X] = KEY_X,
        [PANELS_KEY_Y] = KEY_Y,
        [PANELS_KEY_Z] = KEY_Z,
    };
    for (int i = 0; i < PANELS_KEYS; i++) {
        if (codes[i] == key) {
            return i;
        }
    }
    return key == KEY_PAD_ENTER ? (int)PANELS_KEY_RETURN : -1;
}

/* Whether the panels have the keyboard, or get it in the next frame. */
static bool have_panels_keys(const struct app *app) {
    return app->result.wants_text || app->result.has_focus || app->open.picker ||
           app->open.question != PANELS_NO_QUESTION || app->open.focus != PANELS_FOCUS_WORLD;
}

/* What the panels see of a key, whatever else it does. A letter is no press without Ctrl: it is typed. */
static void note_panels_key(struct app *app, const struct input_event *event) {
    const int key = panels_key(event->key);
    app->input.has_control = event->has_control;
    app->input.has_shift = event->has_shift;
    app->input.has_alt = event->has_alt;
    if (key >= 0) {
        app->input.is_key_down[key] = event->is_down;
        app->input.was_key_pressed[key] |= event->is_down;
        if (event->is_down && !event->is_repeat && have_panels_keys(app) &&
            (key < PANELS_KEY_A || event->has_control)) {
            app->input.has_press = true;
            app->input.press =
                (struct panels_press){.key = (enum panels_key)key, .has_control = event->has_control};
        }
    }
}

static void handle_key(struct app *app, const struct input_event *event) {
    const bool has_control = event->has_control;
    if (app->options.is_kiosk) {
        app->is_running = app->is_running && !(has_control && event->key == KEY_Q);
        return;
    }
    const struct shortcut *row = shortcuts_find(event->key, has_control, event->has_shift);
    const enum shortcut_action action = row != NULL ? row->action : SHORTCUT_NONE;
    if (app->open.help) {
        app->input.is_up |= event->key == KEY_UP;
        app->input.is_down_key |= event->key == KEY_DOWN;
    }
    const bool is_asked = app->open.question != PANELS_NO_QUESTION;
    if ((app->open.picker || is_asked) && action != SHORTCUT_CLOSE && action != SHORTCUT_QUIT &&
        (action != SHORTCUT_PICKER || is_asked) && action != SHORTCUT_SCREENSHOT) {
        app->input.is_up |= event->key == KEY_UP;
        app->input.is_down_key |= event->key == KEY_DOWN;
        app->input.is_return |= event->key == KEY_RETURN || event->key == KEY_PAD_ENTER;
        app->input.is_backspace |= event->key == KEY_BACKSPACE;
        app->input.is_delete |= event->key == KEY_DELETE;
        return;
    }
    const int key = panels_key(event->key);
    const bool is_for_panels = !app->open.picker && /* keys that come as far are not for its line */
                               (app->result.wants_text || (app->result.has_focus && !has_control &&
                                                           key >= 0 && key <= PANELS_KEY_ESCAPE));
    if (is_for_panels && action != SHORTCUT_CLOSE && action != SHORTCUT_QUIT &&
        action != SHORTCUT_SCREENSHOT && action != SHORTCUT_FOCUS) {
        return;
    }
    const bool repeats = action == SHORTCUT_STEP || action == SHORTCUT_STEP_BACK || action == SHORTCUT_BACK ||
                         action == SHORTCUT_FORWARD;
    if (row != NULL && (!event->is_repeat || repeats)) {
        app_act(app, row);
    }
}

static void handle_text(struct app *app, const char *text) {
    const size_t used = strlen(app->input.text);
    const bool is_asked = app->open.question != PANELS_NO_QUESTION;
    if ((app->open.picker || is_asked || app->result.wants_text) &&
        used + strlen(text) < sizeof app->input.text) {
        (void)snprintf(app->input.text + used, sizeof app->input.text - used, "%s", text);
    }
}

static void handle_resize(struct app *app) {
    if (app->times.first_picture_ms > 0.0) {
        view_changes_note(&app->changes, offsetof(struct view_settings, size));
    }
}

static bool is_of_a_hand(const struct input_event *event) {
    return (event->type == INPUT_KEY && event->is_down) || event->type == INPUT_MOTION ||
           (event->type == INPUT_BUTTON && event->is_down) || event->type == INPUT_WHEEL ||
           event->type == INPUT_GESTURE;
}

static void handle_wheel(struct app *app, float notches) {
    if (app->result.wants_mouse || app->open.picker || app->open.help) {
        app->input.wheel += notches;
    } else {
        zoom_at(app, app->pointer.at, powf(zoom_step, notches));
    }
}

static void handle_gesture(struct app *app, const struct input_event *event) {
    const vec2 by = vec2_scale(event->by, app->picture.window_scale);
    if (by.x != 0.0f || by.y != 0.0f) {
        pan(app, by);
    }
    if (event->factor > 0.0f && event->factor != 1.0f) {
        zoom_at(app, picture_point(app, event), event->factor);
    }
}

/* What the button held goes back. */
static void handle_cancel(struct app *app) {
    app->input.is_down = app->pointer.is_pressed = app->pointer.is_panning = false;
    if (app->hand.is_dragging && app->hand.tool == TOOL_NONE) {
        app_drag_give_up(app);
    }
    app->hand.is_dragging = false;
}

void app_handle_event(struct app *app, const struct input_event *event) {
    app->pacing.is_dirty = true;
    app->hand.has_shift = event->has_shift;
    if (is_of_a_hand(event)) {
        app_kiosk_touch(app);
    }
    switch (event->type) {
    case INPUT_QUIT:
        app->is_running = false;
        break;
    case INPUT_KEY:
        note_panels_key(app, event);
        if (event->is_down) {
            handle_key(app, event);
        }
        break;
    case INPUT_TEXT:
        handle_text(app, event->text);
        break;
    case INPUT_MOTION:
        move_pointer(app, picture_point(app, event));
        break;
    case INPUT_BUTTON:
        handle_button(app, event);
        break;
    case INPUT_WHEEL:
        handle_wheel(app, event->wheel);
        break;
    case INPUT_EXPOSED:
        window_expose(app->window);
        break;
    case INPUT_RESIZED:
        handle_resize(app);
        break;
    case INPUT_LEFT:
        app->pointer.is_over_window = app->pointer.has_moved = false;
        break;
    case INPUT_CANCEL:
        handle_cancel(app);
        break;
    case INPUT_GESTURE:
        handle_gesture(app, event);
        break;
    default:
        break;
    }
}

bool app_takes_events(const struct app *app) {
    return !app->input.has_click && !app->input.has_press;
}

bool app_puts_off(struct app *app, const struct input_event *event) {
    const bool is_press = event->type == INPUT_BUTTON && event->is_down;
    const vec2 at = is_press ? picture_point(app, event) : app->pointer.at;
    const bool is_unseen = (is_press || event->type == INPUT_WHEEL) &&
                           (at.x != app->pointer.seen_at.x || at.y != app->pointer.seen_at.y);
    if (is_unseen) {
        move_pointer(app, at);
        app->pacing.is_dirty = true;
    }
    return is_unseen;
}

/* Forgets the events that the panels took; called once a frame, after the panels were drawn. */
static void app_clear_input(struct app *app) {
    const struct panels_input before = app->input; /* buttons and keys may be held over many frames */
    app->input = (struct panels_input){.is_down = before.is_down,
                                       .has_click = before.has_click && !app->result.takes_click,
                                       .has_press = before.has_press && !app->result.takes_press,
                                       .click = before.click,
                                       .press = before.press,
                                       .has_control = before.has_control,
                                       .has_shift = before.has_shift,
                                       .has_alt = before.has_alt};
    memcpy(app->input.is_key_down, before.is_key_down, sizeof before.is_key_down);
    app->pointer.seen_at = app->pointer.is_over_window ? app->pointer.at : vec2_make(-1.0f, -1.0f);
}

/* ---- --advance ---- */

/* Whether there are seconds to step: such frames do not count. */
static bool app_is_advancing(const struct app *app) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    return app->options.advance_s > 0.0 &&
           (!app->advance.has_begun || newest == NULL || newest->tick < app->advance.end_tick);
}

int app_advance(struct app *app, struct failure *failure) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (!app_is_advancing(app) || newest == NULL || !app->server.has_scenario ||
        app->link.state != LINK_READY) {
        return 0;
    }
    if (!app->server.is_paused) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--advance",
                           "--advance: the world is running; start the server with --paused");
    }
    const double tick_hz = app->server.scenario.tick_hz;
    if (!app->advance.has_begun) {
        app->advance.has_begun = true;
        app->advance.due_tick = newest->tick;
        app->advance.end_tick = newest->tick + (uint64_t)llround(app->options.advance_s * tick_hz);
    }
    if (newest->tick < app->advance.due_tick || app->advance.due_tick >= app->advance.end_tick) {
        return 0;
    }
    const uint64_t stride = (uint64_t)ceil(TRAILS_STEP_S * tick_hz),
                   left = app->advance.end_tick - app->advance.due_tick;
    struct request request = request_default(REQUEST_STEP);
    request.body.step.count = (int32_t)(stride < left ? stride : left);
    app->advance.due_tick += (uint64_t)request.body.step.count;
    app_send(app, &request);
    return 0;
}

/* ---- the viewer ---- */

static const double first_snapshot_limit_ms = 10000.0, answers_limit_ms = 10000.0, settle_ms = 3000.0;
static const double frame_most_ms = 250.0; /* in the rest of a longer frame no answer was missed */

/* ---- a frame ---- */

/* Whether the last frame, which is the picture, would lack the forces on the selected agent, what gates and areas have measured, or
 * the past on the timeline: they were asked for. It is drawn again until the answer is there, or for some seconds. */
static bool lacks_answers(const struct app *app) {
    return app->options.frames > 0 && app->times.count + 1 >= app->options.frames &&
           (app->inspection.lacks_agent || app->inspection.lacks_measure || app_lacks_past(app)) &&
           app->link.state == LINK_READY && app->now_ms - app->pacing.started_ms < answers_limit_ms;
}

/* Ends the loop when the frames are drawn or the server is gone; -1 with *failure when that is an error. */
static int check_end(struct app *app, struct failure *failure) {
    char address[sizeof app->options.address + 4];
    const bool is_bounded = app->options.frames > 0;
    if (app->options.seconds[0] != '\0') {
        (void)snprintf(address, sizeof address, "%.200s", app->options.seconds);
    } else {
        address_show(&app->options.address, address, sizeof address);
    }
    app->times.count += app->frame.names != NULL && !app_is_advancing(app) && !lacks_answers(app) ? 1 : 0;
    if (is_bounded && app->times.count >= app->options.frames) {
        app->is_running = false;
        return 0;
    }
    if (app->link.state == LINK_REFUSED &&
        (is_bounded || app->options.is_headless || app->options.is_single_try)) {
        const struct hud_refusal refusal = hud_refusal(&app->link, app->options.is_page);
        app->is_running = false;
        return failure_set(failure, FAILURE_INTERNAL, NULL, "%s: %s. %s", address, refusal.title,
                           refusal.words);
    }
    if (app->link.state == LINK_ENDED) {
        app->is_running = false;
        return app->link.is_bye
                   ? 0
                   : failure_set(failure, FAILURE_INTERNAL, NULL, "%s: %s", address, app->link.reason);
    }
    if (app->server_end[0] != '\0' &&
        (is_bounded || app->options.is_headless || app->options.is_single_try)) {
        app->is_running = false;
        return failure_set(failure, FAILURE_INTERNAL, NULL, "%s: the server that played it has ended: %s",
                           app->options.recording, app->server_end);
    }
    if (is_bounded && app->times.count == 0 && !app->advance.has_begun &&
        app->now_ms - app->pacing.started_ms > first_snapshot_limit_ms) {
        app->is_running = false;
        return failure_set(failure, FAILURE_INTERNAL, NULL, "no snapshot from %s within 10 s: %s", address,
                           app->link.reason[0] != '\0' ? app->link.reason : "the server sends nothing");
    }
    return 0;
}

static void show(struct app *app) {
    if (window_wants_mesh(app->window)) {
        window_show(app->window);
    } else {
        window_present(app->window, app->picture.raster);
    }
}

static void note_times(struct app *app, double cpu_before_ms) {
    if (app->frame.names != NULL) {
        const double now = connection_now_ms();
        const uint32_t at = app->times.count % APP_FRAME_TIMES;
        app->times.frame_ms[at] = (float)(now - app->now_ms);
        app->times.cpu_ms[at] = (float)((double)clock_thread_ns() * 1e-6 - cpu_before_ms);
        app->times.first_picture_ms =
            app->times.first_picture_ms > 0.0 ? app->times.first_picture_ms : now - app->pacing.started_ms;
    }
}

/* A paused world without input needs no other picture. */
static bool needs_picture(struct app *app) {
    const bool is_still = app->server.is_paused && app->link.state == LINK_READY && app->frame.names != NULL;
    if (app->pacing.is_dirty || app->toast.until_ms > app->now_ms || app->caption.until_ms > app->now_ms ||
        app->toast.seen_notices != app->server.notice_count) {
        app->pacing.is_dirty = false;
        app->pacing.dirty_ms = app->now_ms;
    }
    /* fading, glowing and catching up end within this time */
    return !is_still || app->past.playhead.is_playing || app->past.look.plays ||
           app->now_ms - app->pacing.dirty_ms < 600.0 || app->output.clip != NULL ||
           app->output.ending_clip != NULL || app->options.frames > 0 || app->output.wants_picture ||
           app->picture.wants_scale;
}

void app_begin_frame(struct app *app) {
    const double before_ms = app->now_ms;
    app->pacing.begun_cpu_ms = (double)clock_thread_ns() * 1e-6;
    app->now_ms = connection_now_ms();
    if (app->inspection.open_ms > 0.0 && app->now_ms - before_ms > frame_most_ms) {
        app->inspection.open_ms += app->now_ms - before_ms - frame_most_ms;
    }
}

int app_frame(struct app *app, struct failure *failure) {
    app->pacing.is_still = false;
    if (app->now_ms - app->pacing.started_ms < settle_ms && window_settle(app->window)) {
        (void)window_size(app->window, &app->picture.first_width,
                          &app->picture.first_height); /* the screen chose it: not kept */
    }
    app_take_mail(app);
    app_update_look(app);
    app_update_replay(app);
    app_ask_past(app);
    app_kiosk_update(app);
    if (!needs_picture(app)) {
        app->pacing.is_still = true;
        return check_end(app, failure);
    }
    app->times.mark_ms = connection_now_ms();
    if (app_prepare(app) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    }
    app_note_part(app, HUD_PICTURE_MOMENT);
    app_update_stream(app);
    app_send_mouse(app);
    app_tool_move(app);
    app_drag_update(app);
    app_update_toast(app);
    if (app_start_clip(app, failure) != 0) {
        return -1;
    }
    app_take_result(app, app_draw(app));
    app_clear_input(app);
    if (app_advance(app, failure) != 0) {
        return -1;
    }
    if (app->output.wants_picture) {
        app_save_picture(app);
    }
    if (app->frame.names != NULL) {
        app_record_frame(app);
    }
    const bool is_last = app->options.frames > 0 && app->times.count + 1 >= app->options.frames;
    if (is_last && app->options.screenshot[0] != '\0' && app_read_picture(app) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "the picture cannot be read");
    }
    app->times.mark_ms = connection_now_ms();
    show(app);
    app_note_part(app, HUD_PICTURE_SHOW);
    rate_meter_add(&app->meters.frames, app->now_ms, app->times.count);
    note_times(app, app->pacing.begun_cpu_ms);
    return check_end(app, failure);
}

/* A size that the screen or the window manager chose is not kept. */
static void keep_size(struct app *app) {
    int32_t width, height;
    bool *const is_changed = &app->changes.is_changed[offsetof(struct view_settings, size)];
    *is_changed = *is_changed && window_size(app->window, &width, &height) &&
                  (width != app->picture.first_width || height != app->picture.first_height);
    if (*is_changed) {
        (void)snprintf(app->settings.size, sizeof app->settings.size, "%dx%d", (int)width, (int)height);
    }
}

/* Settings that were changed in the window are kept for the next run; flags are not. */
void app_keep_settings(struct app *app) {
    struct failure failure;
    if (app->options.is_headless || app->options.has_no_config || app->options.is_kiosk) {
        return;
    }
    keep_size(app);
    if (config_save(&app->settings, &app->options.kept, &app->changes, &failure) != 0) {
        log_write(LOG_WARN, "config", "%s", failure.message);
    }
}

void app_start(struct app *app) {
    app->is_running = true;
    app->pacing.next_frame_ms = connection_now_ms();
    app->output.is_clip_due = app->options.clip[0] != '\0';
}

bool app_is_running(const struct app *app) {
    return app->is_running;
}

int app_finish(struct app *app, struct failure *failure) {
    if (app->options.prints_stats) {
        app_print_stats(app);
    }
    app_keep_settings(app);
    if (app_end_clip(app, failure) != 0) {
        return -1;
    }
    if (app->options.screenshot[0] == '\0') {
        return 0;
    }
    if (app->times.count == 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "no picture saved: nothing was drawn yet");
    }
    return png_file_save(app->picture.raster, app->options.screenshot, failure);
}

/* ---- life ---- */

static void init_parts(struct app *app, const struct viewer_options *options) {
    app->options = *options;
    app->open.params = options->shows_sliders;
    app->pacing.started_ms = connection_now_ms();
    app->settings = options->settings;
    playhead_go_live(&app->past.playhead);
    server_model_init(&app->server);
    snapshot_buffer_init(&app->snapshots);
    snapshot_buffer_init(&app->past.copies);
    frame_init(&app->frame);
    agent_instances_init(&app->crowd.instances);
    mesh_init(&app->picture.mesh);
    heat_init(&app->heat);
    agent_colors_init(&app->colors);
    plots_init(&app->plots);
    history_init(&app->past.history);
    rate_meter_init(&app->meters.snapshots);
    rate_meter_init(&app->meters.bytes);
    rate_meter_init(&app->meters.frames);
    real_time_init(&app->meters.real_time);
    clock_sync_init(&app->clock, 1000.0 / APP_SNAPSHOT_HZ);
    motion_init(&app->motion);
}

/* The raster, the trails, the panels, the sprites. */
static int create_picture(struct app *app) {
    int32_t width, height;
    window_picture_size(app->window, &width, &height);
    app->picture.window_scale = window_pixel_scale(app->window);
    (void)window_size(app->window, &app->picture.first_width, &app->picture.first_height);
    app->picture.raster = raster_create(width, height);
    if (app->picture.raster == NULL || trails_init(&app->trails) != 0 || app_rescale(app) != 0) {
        return -1;
    }
    const float wide = (float)width / app->picture.pixel_scale;
    if (app->settings.panel == PANEL_AUTO) {
        app->settings.panel = wide >= 1000.0f ? PANEL_ON : PANEL_OFF;
    }
    if (app->settings.legend == PANEL_AUTO) {
        app->settings.legend = wide >= 700.0f ? PANEL_ON : PANEL_OFF;
    }
    app->own = app->settings;
    return 0;
}

struct app *app_create(const struct viewer_options *options, struct failure *failure) {
    struct app *app = calloc(1, sizeof *app);
    if (app == NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    init_parts(app, options);
    if (app_kiosk_init(app, failure) != 0 || app_start_server(app, failure) != 0) {
        app_destroy(app);
        return NULL;
    }
    app->connection = app_connect(&app->options); /* first: it connects while the window opens */
    const struct window_def def = {"Drover",
                                   options->width,
                                   options->height,
                                   options->is_headless,
                                   options->is_full_screen,
                                   options->is_kiosk,
                                   (enum window_renderer)options->renderer};
    app->window = app->connection != NULL ? window_create(&def, failure) : NULL;
    if (app->window == NULL) {
        if (app->connection == NULL) {
            (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory or threads");
        }
        app_destroy(app);
        return NULL;
    }
    if (create_picture(app) != 0) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        app_destroy(app);
        return NULL;
    }
    return app;
}

void app_destroy(struct app *app) {
    struct failure failure;
    if (app == NULL) {
        return;
    }
    connection_destroy(app->connection);
    density_destroy(app->counts.newest);
    density_destroy(app->counts.wide);
    density_destroy(app->counts.spare);
    if (app_end_clip(app, &failure) != 0) {
        log_write(LOG_WARN, "clip", "%s", failure.message);
    }
    panels_destroy(app->panels);
    preview_file_fini(&app->preview);
    sprites_destroy(app->picture.sprites);
    raster_destroy(app->picture.raster);
    raster_destroy(app->output.world);
    window_destroy(app->window);
    snapshot_buffer_fini(&app->snapshots);
    snapshot_buffer_fini(&app->past.copies);
    server_model_fini(&app->server);
    history_fini(&app->past.history);
    trails_fini(&app->trails);
    headings_fini(&app->headings);
    inspections_clear(&app->past.inspections);
    heat_fini(&app->heat);
    agent_colors_fini(&app->colors);
    mesh_fini(&app->picture.mesh);
    frame_fini(&app->frame);
    agent_instances_fini(&app->crowd.instances);
    own_server_stop(app->own_server);
    free(app);
}
