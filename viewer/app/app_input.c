/* See app_state.h. Mouse and keys become requests, or change what is shown. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/app/app_state.h"
#include "viewer/app/config.h"

static const float click_slop_px = 5.0f, pick_reach_px = 6.0f;
static const float zoom_step = 1.15f;
static const double jump_s = 1.0;

/* ---- requests ---- */

static bool may(struct app *app, enum request_op op) {
    char why_not[SERVER_VIEW_DENIAL];
    server_view_denial(&app->server, op, why_not);
    if (why_not[0] != '\0') {
        server_view_set_notice(&app->server, true, "%s", why_not);
    }
    return why_not[0] == '\0';
}

/* Whether it could be sent. What the role may not do is refused here, in words that say what would help. */
bool app_send(struct app *app, const struct request *request) {
    if (!may(app, request->op)) {
        return false;
    }
    if (connection_send(app->connection, request) != 0) {
        server_view_set_notice(&app->server, true, "not sent: there is no connection");
        return false;
    }
    return true;
}

bool app_send_plain(struct app *app, enum request_op op) {
    const struct request request = request_default(op);
    return app_send(app, &request);
}

/* A second key press means the opposite even before the answer is here; the picture waits for the answer. */
static void set_paused(struct app *app, bool is_paused) {
    struct request request = request_default(is_paused ? REQUEST_PAUSE : REQUEST_RESUME);
    snprintf(request.id, sizeof request.id, "%s", SERVER_VIEW_PAUSE_ID);
    if (app_send(app, &request)) {
        server_view_ask_paused(&app->server, is_paused);
    }
}

static void step_world(struct app *app) {
    if (!server_view_will_be_paused(&app->server)) {
        set_paused(app, true); /* requests take effect in order */
    }
    app_send_plain(app, REQUEST_STEP);
}

static void ask_scenarios(struct app *app) {
    struct request request = request_default(REQUEST_LIST);
    request.body.list.what = LIST_SCENARIOS;
    app_send(app, &request);
}

/* The list first: files may have come since the last time. The load follows when it arrives. */
static void switch_scenario(struct app *app, int steps) {
    server_view_ask_switch(&app->server, steps);
    ask_scenarios(app);
}

void app_send_load(struct app *app, const char *scenario) {
    struct request request = request_default(REQUEST_LOAD);
    snprintf(request.body.load.scenario, sizeof request.body.load.scenario, "%s", scenario);
    app_send(app, &request);
}

bool app_moves_mouse_target(const struct app *app) {
    return app->server.has_mouse_target && app->link.state == LINK_READY && app->playhead.is_live &&
           app->tool == TOOL_NONE && !app->is_dragging && server_view_may(&app->server, REQUEST_MOUSE);
}

vec2 app_world_point(const struct app *app) {
    return server_view_clamp_point(&app->server, camera_to_world(&app->camera, app->cursor));
}

/* Known before the panels are drawn again: the pointer may have jumped. */
bool app_is_over_panels(const struct app *app, vec2 at) {
    const float right = (float)app->raster->width - PANELS_SIDE_PX * app->pixel_scale;
    const float bottom = (float)app->raster->height - PANELS_TIMELINE_PX * app->pixel_scale;
    return app->result.wants_mouse || app->shows_picker ||
           (app->shows_side && (at.x >= right || at.y >= bottom));
}

/* ---- actions ---- */

static void toggle_forces(struct app *app) {
    const bool all = (app->overlays & OVERLAYS_FORCES) == OVERLAYS_FORCES;
    app->overlays = all ? app->overlays & ~OVERLAYS_FORCES : app->overlays | OVERLAYS_FORCES;
}

/* The newest first. Never the program: one Esc too many must not end a talk. */
static void close_something(struct app *app) {
    if (app->shows_help || app->shows_picker) {
        app->shows_help = app->shows_picker = false;
    } else if (app->result.is_typing) {
        app->input.is_escape = true;
    } else if (app->is_dragging && app->tool == TOOL_NONE) {
        app_drag_give_up(app);
    } else if (app->tool != TOOL_NONE) {
        app->tool = TOOL_NONE;
    } else if (app->shows_params) {
        app->shows_params = false;
    } else if (app->has_selected) {
        app->has_selected = app->is_following = false;
    } else {
        server_view_set_notice(&app->server, false, "%s quits", shortcuts_key_name(SHORTCUT_QUIT));
    }
}

static void next_agent(struct app *app) {
    const struct frame *frame = &app->frame;
    if (frame->names == NULL || frame->settled_count == 0) {
        return;
    }
    const int32_t at = app->has_selected ? frame_find(frame, app->selected) : -1;
    app->selected = frame->id[(at + 1) % frame->settled_count];
    app->has_selected = true;
}

/* 0: what suits the screen. */
static void set_scale(struct app *app, double scale) {
    app->options.ui_scale = scale > 0.0 ? fmin(fmax(scale, 0.5), 4.0) : 0.0;
    app->changed |= CONFIG_UI_SCALE;
    app->wants_scale = true;
    server_view_set_notice(&app->server, false, "size %ld %%", lround(app_ui_scale(app) * 100.0));
}

static void save_plots(struct app *app) {
    char path[96];
    snprintf(path, sizeof path, "drover-%s-plots.csv",
             app->server.has_scenario ? app->server.scenario.name : "none");
    FILE *file = fopen(path, "w");
    const bool is_written = file != NULL && plots_write_csv(&app->plots, file) == 0;
    const bool is_closed = file != NULL && fclose(file) == 0;
    if (is_written && is_closed) {
        server_view_set_notice(&app->server, false, "saved %s", path);
    } else {
        server_view_set_notice(&app->server, true, "cannot write %s", path);
    }
}

static void toggle_clip(struct app *app) {
    struct failure failure;
    if (app->clip != NULL) {
        const int result = clip_stop(app->clip, &failure);
        app->clip = NULL;
        server_view_set_notice(&app->server, result != 0, "%s%s", result != 0 ? "" : "saved ",
                               result != 0 ? failure.message : app->clip_path);
        return;
    }
    snprintf(app->clip_path, sizeof app->clip_path, "drover-%s-%llu.mp4",
             app->server.has_scenario ? app->server.scenario.name : "none",
             app->frame.names != NULL ? (unsigned long long)app->frame.names->tick : 0ull);
    app->clip = clip_start(app->clip_path, app->raster->width, app->raster->height, &failure);
    if (app->clip == NULL) {
        server_view_set_notice(&app->server, true, "%s", failure.message);
    }
}

static void open_picker(struct app *app) {
    app->shows_picker = !app->shows_picker;
    app->shows_help = false;
    if (app->shows_picker) {
        ask_scenarios(app);
    }
}

static void act_on_view(struct app *app, enum shortcut_action action) {
    static const char *const heat_names[HEAT_MODE_COUNT] = {"auto", "on", "off"};
    switch (action) {
    case SHORTCUT_COLORS:
        app->colors_by_kind = !app->colors_by_kind;
        break;
    case SHORTCUT_PALETTE:
        app->palette = app->palette == PALETTE_SAFE ? PALETTE_CLASSIC : PALETTE_SAFE;
        app->changed |= CONFIG_PALETTE;
        server_view_set_notice(&app->server, false, "palette: %s", palette_names[app->palette]);
        break;
    case SHORTCUT_HEAT:
        app->heat_mode = (enum heat_mode)((app->heat_mode + 1) % HEAT_MODE_COUNT);
        server_view_set_notice(&app->server, false, "crowds as heat: %s", heat_names[app->heat_mode]);
        break;
    case SHORTCUT_FIT:
        camera_view_fit(&app->camera_view);
        app->is_following = false;
        break;
    case SHORTCUT_FOLLOW:
        app->is_following = app->has_selected && !app->is_following;
        break;
    case SHORTCUT_NEXT_AGENT:
        next_agent(app);
        break;
    case SHORTCUT_PANEL:
        app->shows_side = !app->shows_side;
        app->options.panel = app->shows_side ? PANEL_ON : PANEL_OFF;
        app->changed |= CONFIG_PANEL;
        break;
    case SHORTCUT_NETWORK:
        app->shows_network = !app->shows_network;
        break;
    case SHORTCUT_PARAMS:
        app->shows_params = !app->shows_params || !app->shows_side;
        app->shows_side = app->shows_side || app->shows_params;
        break;
    case SHORTCUT_LARGER:
        set_scale(app, app_ui_scale(app) * 1.125);
        break;
    case SHORTCUT_SMALLER:
        set_scale(app, app_ui_scale(app) / 1.125);
        break;
    case SHORTCUT_NORMAL_SIZE:
        set_scale(app, 0.0);
        break;
    case SHORTCUT_FULL_SCREEN:
        window_toggle_full_screen(app->window);
        app->wants_scale = app->wants_scale || app->options.ui_scale <= 0.0;
        break;
    default:
        break;
    }
}

void app_act(struct app *app, enum shortcut_action action) {
    if (action >= SHORTCUT_VELOCITY && action <= SHORTCUT_GRID) {
        app->overlays ^= OVERLAY_BIT(action - SHORTCUT_VELOCITY);
        return;
    }
    const bool is_of_past = !app->playhead.is_live && (action == SHORTCUT_PAUSE || action == SHORTCUT_STEP);
    if (!is_of_past && !may(app, shortcuts_request(action))) {
        return;
    }
    switch (action) {
    case SHORTCUT_PAUSE:
        if (app->playhead.is_live) {
            set_paused(app, !server_view_will_be_paused(&app->server));
        } else {
            playhead_toggle(&app->playhead, &app->history);
        }
        break;
    case SHORTCUT_STEP:
        if (app->playhead.is_live) {
            step_world(app);
        } else {
            app_step_past(app, true);
        }
        break;
    case SHORTCUT_STEP_BACK:
        app_step_past(app, false);
        break;
    case SHORTCUT_PREVIOUS_SCENARIO:
    case SHORTCUT_NEXT_SCENARIO:
        switch_scenario(app, action == SHORTCUT_NEXT_SCENARIO ? 1 : -1);
        break;
    case SHORTCUT_PICKER:
        open_picker(app);
        break;
    case SHORTCUT_ADD:
    case SHORTCUT_REMOVE:
        if (!app_refuses_past(app)) {
            app_choose_tool(app, action == SHORTCUT_ADD ? TOOL_ADD : TOOL_REMOVE);
        }
        break;
    case SHORTCUT_FORCES:
        toggle_forces(app);
        break;
    case SHORTCUT_BACK:
    case SHORTCUT_FORWARD:
        app_jump(app, action == SHORTCUT_FORWARD ? jump_s : -jump_s);
        break;
    case SHORTCUT_LIVE:
        playhead_go_live(&app->playhead);
        break;
    case SHORTCUT_HELP:
        app->shows_help = !app->shows_help;
        break;
    case SHORTCUT_SCREENSHOT:
        app->wants_screenshot = true;
        break;
    case SHORTCUT_CLIP:
        toggle_clip(app);
        break;
    case SHORTCUT_EXPORT:
        save_plots(app);
        break;
    case SHORTCUT_CLOSE:
        close_something(app);
        break;
    case SHORTCUT_QUIT:
        app->is_running = false;
        break;
    default:
        act_on_view(app, action);
        break;
    }
}

void app_take_result(struct app *app, const struct panels_result *result) {
    app->result = *result;
    app_act(app, result->action);
    if (result->is_scrubbing) {
        app_scrub(app, result->scrub_to_s);
    }
    if (result->picks && result->hit >= 0 && result->hit < app->view.hit_count) {
        app_send_load(app, app->view.hits[result->hit].name);
        app->shows_picker = false;
    }
    app_tune(app, result);
    memset(&app->input.text, 0, sizeof app->input.text);
    app->input.wheel = 0.0f;
    app->input.is_up = app->input.is_down_key = app->input.is_return = app->input.is_backspace = false;
    app->input.was_pressed = app->input.was_right_pressed = app->input.was_double = app->input.is_escape =
        false;
}

/* ---- the mouse ---- */

static vec2 picture_point(const struct app *app, int x, int y) {
    /* the middle of the pixel the pointer's tip is on */
    return vec2_scale(vec2_make((float)x + 0.5f, (float)y + 0.5f), app->window_scale);
}

static vec2 room_center(const struct app *app) {
    return camera_room_center(vec2_make((float)app->raster->width, (float)app->raster->height), app->margins);
}

static void zoom(struct app *app, float steps) {
    const vec2 size = app->server.scenario.size;
    const vec2 room = {(float)app->raster->width, (float)app->raster->height};
    const float fit = camera_fit(size, room, app->margins).scale;
    const vec2 at = app->is_following ? room_center(app) : app->cursor;
    camera_view_zoom(&app->camera_view, &app->camera, room_center(app), at, powf(zoom_step, steps),
                     0.25f * fit, fmaxf(30.0f * app->pixel_scale, 2.0f * fit));
}

static void move_pointer(struct app *app, vec2 to) {
    if (app->is_panning) {
        app->is_following = false;
        camera_view_pan(&app->camera_view, &app->camera, room_center(app), vec2_sub(to, app->cursor));
        app->camera.offset =
            vec2_add(app->camera.offset, vec2_sub(to, app->cursor)); /* for the next motion */
    }
    app->cursor = to;
    app->cursor_moved_ms = app->now_ms;
    app->cursor_moved = app->has_cursor = app->drag_moved = true;
}

/* On an agent: it is selected. Beside one: nothing is, or the forces of all are shown or hidden. */
static void click(struct app *app, bool is_double) {
    const struct scene scene = app_scene(app);
    uint32_t id = 0;
    if (scene_pick(&scene, app->cursor, pick_reach_px * app->pixel_scale, &id)) {
        app->has_selected = true;
        app->selected = id;
        app->is_following = is_double;
    } else if (app->has_selected) {
        app->has_selected = app->is_following = false;
    } else {
        app_act(app,
                SHORTCUT_FORCES); /* a quick second click is no double click here: it means the opposite */
    }
}

static void handle_button(struct app *app, const SDL_MouseButtonEvent *event) {
    const bool is_down = event->state == SDL_PRESSED;
    const vec2 at = picture_point(app, event->x, event->y);
    const bool is_for_panels = app_is_over_panels(app, at);
    app->cursor = at;
    if (event->button != SDL_BUTTON_LEFT) {
        if (is_down && app->is_dragging && app->tool == TOOL_NONE) {
            app_drag_give_up(app);
            return;
        }
        app->is_panning = is_down && !is_for_panels;
        app->input.was_right_pressed |= is_down && is_for_panels;
        return;
    }
    app->input.is_down = is_down;
    if (is_down) {
        app->input.was_pressed = true;
        app->input.was_double |= event->clicks >= 2;
        app->pressed_at = at;
        app->is_pressed = !is_for_panels && !app_tool_press(app);
    } else if (app->is_dragging) {
        if (!app_tool_release(app)) {
            click(app, event->clicks >= 2);
        }
    } else if (app->is_pressed) {
        app->is_pressed = false;
        if (vec2_length(vec2_sub(at, app->pressed_at)) <= click_slop_px * app->pixel_scale) {
            click(app, event->clicks >= 2);
        } else {
            (void)app_refuses_past(app); /* it may have been meant to drag something */
        }
    }
}

/* ---- keys ---- */

static void handle_key(struct app *app, const SDL_KeyboardEvent *event) {
    const bool has_control = (event->keysym.mod & KMOD_CTRL) != 0;
    const enum shortcut_action action = shortcuts_find(event->keysym.sym, has_control);
    if (app->shows_help) {
        app->input.is_up |= event->keysym.sym == SDLK_UP;
        app->input.is_down_key |= event->keysym.sym == SDLK_DOWN;
    }
    if ((app->shows_picker || app->result.is_typing) && action != SHORTCUT_CLOSE && action != SHORTCUT_QUIT &&
        action != SHORTCUT_PICKER && action != SHORTCUT_SCREENSHOT) {
        app->input.is_up |= event->keysym.sym == SDLK_UP;
        app->input.is_down_key |= event->keysym.sym == SDLK_DOWN;
        app->input.is_return |= event->keysym.sym == SDLK_RETURN || event->keysym.sym == SDLK_KP_ENTER;
        app->input.is_backspace |= event->keysym.sym == SDLK_BACKSPACE;
        return;
    }
    if (event->repeat == 0 || action == SHORTCUT_STEP || action == SHORTCUT_STEP_BACK ||
        action == SHORTCUT_BACK || action == SHORTCUT_FORWARD) {
        app_act(app, action);
    }
}

static void handle_text(struct app *app, const char *text) {
    const size_t used = strlen(app->input.text);
    if ((app->shows_picker || app->result.is_typing) && used + strlen(text) < sizeof app->input.text) {
        snprintf(app->input.text + used, sizeof app->input.text - used, "%s", text);
    }
}

void app_handle_event(struct app *app, const SDL_Event *event) {
    app->is_dirty = true;
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
        if (app->result.wants_mouse || app->shows_picker || app->shows_help) {
            app->input.wheel += (float)event->wheel.y;
        } else {
            zoom(app, (float)event->wheel.y);
        }
        break;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_EXPOSED ||
            event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED) {
            window_expose(app->window);
        }
        if (event->window.event == SDL_WINDOWEVENT_RESIZED && app->first_picture_ms > 0.0) {
            app->changed |= CONFIG_SIZE;
        }
        if (event->window.event == SDL_WINDOWEVENT_LEAVE) {
            app->has_cursor = app->cursor_moved = false;
        }
        break;
    default:
        break;
    }
}
