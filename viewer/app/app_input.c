/* See app_state.h. */
#include "viewer/app/app_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/model/input.h"

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

void app_clear_input(struct app *app) {
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
