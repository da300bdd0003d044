/* See app_input.h. */
#include "viewer/app/app_input.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/app/app_actions.h"
#include "viewer/app/app_drag.h"
#include "viewer/app/app_queries.h"
#include "viewer/app/app_requests.h"
#include "viewer/app/app_tools.h"

static const float click_slop_px = 5.0f, pick_reach_px = 6.0f;
static const float zoom_step = 1.15f;

/* ---- the mouse ---- */

static vec2 picture_point(const struct app *app, int x, int y) {
    /* the middle of the pixel the pointer's tip is on */
    return vec2_scale(vec2_make((float)x + 0.5f, (float)y + 0.5f), app->picture.window_scale);
}

static vec2 room_center(const struct app *app) {
    return camera_room_center(
        vec2_make((float)app->picture.raster->width, (float)app->picture.raster->height),
        app->picture.margins);
}

static void zoom(struct app *app, float steps) {
    const vec2 size = app->server.scenario.size;
    const vec2 room = vec2_make((float)app->picture.raster->width, (float)app->picture.raster->height);
    const float fit = camera_fit(size, room, app->picture.margins).scale;
    const vec2 at = app->selection.is_following ? room_center(app) : app->pointer.at;
    camera_view_zoom(&app->picture.camera_view, &app->picture.camera, room_center(app), at,
                     powf(zoom_step, steps), 0.25f * fit,
                     fmaxf(30.0f * app->picture.pixel_scale, 2.0f * fit));
}

static void move_pointer(struct app *app, vec2 to) {
    if (app->pointer.is_panning) {
        app->selection.is_following = false;
        camera_view_pan(&app->picture.camera_view, &app->picture.camera, room_center(app),
                        vec2_sub(to, app->pointer.at));
        app->picture.camera.offset =
            vec2_add(app->picture.camera.offset, vec2_sub(to, app->pointer.at)); /* for the next motion */
    }
    app->pointer.at = to;
    app->pointer.moved_ms = app->now_ms;
    app->pointer.has_moved = app->pointer.is_over_window = app->hand.has_moved = true;
}

/* A click on an agent selects it. Beside agents it ends the selection; without one it shows or hides the
 * forces. */
static void click(struct app *app, bool is_double) {
    const struct scene scene = app_scene(app);
    uint32_t id = 0;
    if (scene_pick(&scene, app->pointer.at, pick_reach_px * app->picture.pixel_scale, &id)) {
        app->selection.has_agent = true;
        app->selection.id = id;
        app->selection.is_following = is_double;
    } else if (app->selection.has_agent) {
        app->selection.has_agent = app->selection.is_following = false;
    } else {
        /* a quick second click is not a double click here: it toggles again */
        view_settings_toggle_forces(&app->settings, &app->changes);
    }
}

static void handle_button(struct app *app, const SDL_MouseButtonEvent *event) {
    const bool is_down = event->state == SDL_PRESSED;
    const vec2 at = picture_point(app, event->x, event->y);
    const bool is_for_panels = app_is_over_panels(app, at);
    app->pointer.at = at;
    if (event->button != SDL_BUTTON_LEFT) {
        if (is_down && app->hand.is_dragging && app->hand.tool == TOOL_NONE) {
            app_drag_give_up(app);
            return;
        }
        app->pointer.is_panning = is_down && !is_for_panels;
        app->input.was_right_pressed |= is_down && is_for_panels;
        return;
    }
    app->input.is_down = is_down;
    if (is_down) {
        app->input.was_pressed = true;
        app->input.was_double |= event->clicks >= 2;
        app->pointer.pressed_at = at;
        app->pointer.is_pressed = !is_for_panels && !app_tool_press(app);
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

static void handle_key(struct app *app, const SDL_KeyboardEvent *event) {
    const bool has_control = (event->keysym.mod & KMOD_CTRL) != 0;
    const struct shortcut *row = shortcuts_find(event->keysym.sym, has_control);
    const enum shortcut_action action = row != NULL ? row->action : SHORTCUT_NONE;
    if (app->open.help) {
        app->input.is_up |= event->keysym.sym == SDLK_UP;
        app->input.is_down_key |= event->keysym.sym == SDLK_DOWN;
    }
    if ((app->open.picker || app->result.is_typing) && action != SHORTCUT_CLOSE && action != SHORTCUT_QUIT &&
        action != SHORTCUT_PICKER && action != SHORTCUT_SCREENSHOT) {
        app->input.is_up |= event->keysym.sym == SDLK_UP;
        app->input.is_down_key |= event->keysym.sym == SDLK_DOWN;
        app->input.is_return |= event->keysym.sym == SDLK_RETURN || event->keysym.sym == SDLK_KP_ENTER;
        app->input.is_backspace |= event->keysym.sym == SDLK_BACKSPACE;
        return;
    }
    const bool repeats = action == SHORTCUT_STEP || action == SHORTCUT_STEP_BACK || action == SHORTCUT_BACK ||
                         action == SHORTCUT_FORWARD;
    if (row != NULL && (event->repeat == 0 || repeats)) {
        app_act(app, row);
    }
}

static void handle_text(struct app *app, const char *text) {
    const size_t used = strlen(app->input.text);
    if ((app->open.picker || app->result.is_typing) && used + strlen(text) < sizeof app->input.text) {
        (void)snprintf(app->input.text + used, sizeof app->input.text - used, "%s", text);
    }
}

/* event: enum SDL_WindowEventID */
static void handle_window(struct app *app, uint8_t event) {
    if (event == SDL_WINDOWEVENT_EXPOSED || event == SDL_WINDOWEVENT_SIZE_CHANGED) {
        window_expose(app->window);
    }
    if (event == SDL_WINDOWEVENT_RESIZED && app->times.first_picture_ms > 0.0) {
        view_changes_note(&app->changes, offsetof(struct view_settings, size));
    }
    if (event == SDL_WINDOWEVENT_LEAVE) {
        app->pointer.is_over_window = app->pointer.has_moved = false;
    }
}

void app_handle_event(struct app *app, const SDL_Event *event) {
    app->pacing.is_dirty = true;
    switch (event->type) {
    case SDL_QUIT:
        app->is_running = false;
        break;
    case SDL_KEYDOWN:
        handle_key(app, &event->key);
        break;
    case SDL_TEXTINPUT:
        handle_text(app, event->text.text);
        break;
    case SDL_MOUSEMOTION:
        move_pointer(app, picture_point(app, event->motion.x, event->motion.y));
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        handle_button(app, &event->button);
        break;
    case SDL_MOUSEWHEEL:
        if (app->result.wants_mouse || app->open.picker || app->open.help) {
            app->input.wheel += (float)event->wheel.y;
        } else {
            zoom(app, (float)event->wheel.y);
        }
        break;
    case SDL_WINDOWEVENT:
        handle_window(app, event->window.event);
        break;
    default:
        break;
    }
}

void app_clear_input(struct app *app) {
    const bool is_down = app->input.is_down; /* the button: it may be held over many frames */
    app->input = (struct panels_input){.is_down = is_down};
}
