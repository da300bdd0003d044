/* See app_view.h. */
#include "viewer/app/app_view.h"

#include <math.h>

#include "viewer/model/shortcuts.h"

static const double caption_ms = 10000.0, kiosk_caption_ms = 15000.0;
static const float least_width = 1000.0f; /* window px, for the side panel */

static bool has_room(const struct app *app) {
    return (float)app->picture.raster->width / app->picture.pixel_scale >= least_width;
}

void app_begin_view(struct app *app) {
    const struct message_view nothing = {.has = 0};
    const struct message_view *view = app->options.has_own_view ? &nothing : &app->server.scenario.view;
    const bool keeps_panel = app->open.params && view_settings_have_panel(&app->settings);
    const struct scenario_view_person person = {.own = &app->own,
                                                .now = &app->settings,
                                                .changes = &app->changes,
                                                .flags = &app->options.flags,
                                                .has_room = has_room(app)};
    app->settings = scenario_view_apply(&person, view);
    if (keeps_panel) {
        app->settings.panel = PANEL_ON; /* the sliders are in it */
    }
    if (app->options.is_kiosk) {
        app->settings.panel = PANEL_OFF;
        app->settings.shows_network = app->settings.pins_mouse = false;
    }
    app->wish = (struct app_view_wish){
        .is_due = true,
        .select = app->options.selected == 0 && (view->has & MESSAGE_VIEW_SELECT) != 0 ? view->select : 0,
        .zoom = (view->has & MESSAGE_VIEW_ZOOM) != 0 ? view->zoom : 1.0f};
}

/* Whether there is an agent of this id. Of agents that are not sent the server's answer to inspect says it. */
static bool is_there(const struct app *app, uint32_t id) {
    const bool is_part = (double)app->frame.settled_count < app->server.agent_total;
    return frame_find(&app->frame, id) >= 0 || (is_part && (double)id <= app->server.agent_total);
}

/* Around the selected agent, which is then followed: else it would soon be out of sight. */
static void zoom_to(struct app *app, float zoom) {
    const vec2 size = app->server.scenario.size;
    const vec2 window = vec2_make((float)app->picture.raster->width, (float)app->picture.raster->height);
    struct camera camera = camera_fit(size, window, app->picture.margins);
    camera.scale *= zoom;
    camera_view_center(&app->picture.camera_view, &camera, vec2_scale(size, 0.5f));
    app->selection.is_following = app->selection.has_agent && zoom > 1.0f;
    app->picture.camera = camera_view_place(&app->picture.camera_view, size, window, app->picture.margins);
}

void app_place_view(struct app *app) {
    const struct app_view_wish wish = app->wish;
    if (!wish.is_due || app->frame.names == NULL || app->frame.names->epoch != app->server.epoch) {
        return;
    }
    app->wish.is_due = false;
    app->caption.until_ms = app->now_ms + (app->options.is_kiosk ? kiosk_caption_ms : caption_ms);
    if (wish.select != 0 && is_there(app, wish.select)) {
        app->selection = (struct selection){.has_agent = true, .id = wish.select};
    }
    const bool would_follow = app->selection.has_agent && wish.zoom > 1.0f;
    if (fabsf(wish.zoom - 1.0f) > 0.001f && !(would_follow && app->options.reduces_motion)) {
        zoom_to(app, wish.zoom);
    }
}
