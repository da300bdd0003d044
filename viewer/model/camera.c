/* See camera.h. */
#include "viewer/model/camera.h"

#include <assert.h>
#include <math.h>

/* ---- short ways around a wrapping world ---- */

static float short_way(float way, float size) {
    return way - size * roundf(way / size);
}

static float wrap(float at, float size) {
    const float wrapped = at - size * floorf(at / size);
    return wrapped >= 0.0f && wrapped < size ? wrapped : 0.0f; /* rounding can give the size itself */
}

vec2 torus_short_way(vec2 way, vec2 size) {
    return torus_wraps(size) ? vec2_make(short_way(way.x, size.x), short_way(way.y, size.y)) : way;
}

vec2 torus_nearest(vec2 place, vec2 to, vec2 size) {
    return vec2_add(to, torus_short_way(vec2_sub(place, to), size));
}

vec2 torus_wrap(vec2 point, vec2 size) {
    return torus_wraps(size) ? vec2_make(wrap(point.x, size.x), wrap(point.y, size.y)) : point;
}

/* ---- the camera ---- */

static const float least_share = 0.75f; /* of its size that the world keeps beside something */

struct camera camera_fit(vec2 world_size, vec2 window_size, struct camera_margins margins) {
    const vec2 world = vec2_make(fmaxf(world_size.x, 1.0f), fmaxf(world_size.y, 1.0f));
    const vec2 room = vec2_make(fmaxf(window_size.x - margins.left - margins.right, 1.0f),
                                fmaxf(window_size.y - margins.top - margins.bottom, 1.0f));
    const float scale = fminf(room.x / world.x, room.y / world.y);
    return (struct camera){
        .scale = scale,
        .offset = {margins.left + (room.x - world.x * scale) * 0.5f,
                   margins.top + (room.y - world.y * scale) * 0.5f},
    };
}

float camera_beside(vec2 world_size, vec2 window_size, struct camera_margins margins, float strip) {
    const struct camera middle = camera_fit(world_size, window_size, margins);
    const float wide = window_size.x - margins.left - margins.right - world_size.x * middle.scale;
    const float wider = fminf(fmaxf(2.0f * strip - wide, 0.0f), strip);
    margins.left += wider;
    return camera_fit(world_size, window_size, margins).scale >= least_share * middle.scale ? wider : 0.0f;
}

float camera_clear(vec2 world_size, vec2 window_size, struct camera_margins margins, float strip) {
    const float before = camera_fit(world_size, window_size, margins).scale;
    margins.right += strip;
    return camera_fit(world_size, window_size, margins).scale >= 0.5f * before ? strip : 0.0f;
}

vec2 camera_to_window(const struct camera *camera, vec2 world) {
    return vec2_add(vec2_scale(world, camera->scale), camera->offset);
}

vec2 camera_to_world(const struct camera *camera, vec2 window) {
    return vec2_scale(vec2_sub(window, camera->offset), 1.0f / camera->scale);
}

vec2 camera_room_center(vec2 window_size, struct camera_margins margins) {
    const float wide = fmaxf(window_size.x - margins.left - margins.right, 1.0f);
    const float high = fmaxf(window_size.y - margins.top - margins.bottom, 1.0f);
    return vec2_make(margins.left + 0.5f * wide, margins.top + 0.5f * high);
}

struct camera camera_view_place(const struct camera_view *view, vec2 world_size, vec2 window_size,
                                struct camera_margins margins) {
    if (!view->is_free) {
        return camera_fit(world_size, window_size, margins);
    }
    const vec2 middle = camera_room_center(window_size, margins);
    return (struct camera){.scale = view->scale,
                           .offset = vec2_sub(middle, vec2_scale(view->center, view->scale))};
}

/* From here on the view is what the camera shows now. */
static void set_free(struct camera_view *view, const struct camera *camera, vec2 room_center) {
    view->is_free = true;
    view->scale = camera->scale;
    view->center = camera_to_world(camera, room_center);
}

void camera_view_pan(struct camera_view *view, const struct camera *camera, vec2 room_center, vec2 moved) {
    set_free(view, camera, vec2_sub(room_center, moved));
}

void camera_view_zoom(struct camera_view *view, const struct camera *camera, vec2 room_center, vec2 at,
                      float factor, float least, float most) {
    assert(factor > 0.0f && least <= most);
    const vec2 held = camera_to_world(camera, at);
    const float scale = fminf(fmaxf(camera->scale * factor, least), most);
    view->is_free = true;
    view->scale = scale;
    view->center = vec2_add(held, vec2_scale(vec2_sub(room_center, at), 1.0f / scale));
}

void camera_view_center(struct camera_view *view, const struct camera *camera, vec2 world) {
    view->is_free = true;
    view->scale = camera->scale;
    view->center = world;
}

void camera_view_fit(struct camera_view *view) {
    view->is_free = false;
}
