/* See camera.h. */
#include "viewer/camera.h"

struct camera camera_fit(vec2 world_size, vec2 window_size, struct camera_margins margins) {
    const vec2 world = {fmaxf(world_size.x, 1.0f), fmaxf(world_size.y, 1.0f)};
    const vec2 room = {fmaxf(window_size.x - margins.left - margins.right, 1.0f),
                       fmaxf(window_size.y - margins.top - margins.bottom, 1.0f)};
    const float scale = fminf(room.x / world.x, room.y / world.y);
    return (struct camera){
        .scale = scale,
        .offset = {margins.left + (room.x - world.x * scale) * 0.5f,
                   margins.top + (room.y - world.y * scale) * 0.5f},
    };
}

vec2 camera_to_window(const struct camera *camera, vec2 world) {
    return vec2_add(vec2_scale(world, camera->scale), camera->offset);
}

vec2 camera_to_world(const struct camera *camera, vec2 window) {
    return vec2_scale(vec2_sub(window, camera->offset), 1.0f / camera->scale);
}
