/* The world as a picture: ground, grid, scenery, trails, agents, targets, and what is drawn over them. Draws
 * on a canvas; knows no SDL.
 */
#ifndef DROVER_VIEWER_DRAW_SCENE_H
#define DROVER_VIEWER_DRAW_SCENE_H

#include <stdbool.h>

#include "clients/c/server_view.h"
#include "common/protocol/message_agent.h"
#include "viewer/draw/canvas.h"
#include "viewer/draw/heat.h"
#include "viewer/model/camera.h"
#include "viewer/model/interpolate.h"
#include "viewer/model/selection.h"
#include "viewer/model/trails.h"
#include "viewer/model/view_settings.h"

#define SCENE_MIN_ARROW_PX 6.0f /* no arrow is drawn with a smaller radius, unless there are thousands */

/* What there is to draw, all of it the caller's. */
struct scene {
    const struct camera *camera;
    const struct server_view *server;
    const struct frame *frame;
    const struct view_settings *settings;
    const struct selection *selection; /* overlays are drawn for the selected agent alone */
    const struct trails *trails;       /* NULL for none */
    struct heat *heat;                 /* NULL: never as heat */
    const struct density *density;     /* the crowd, when it is too large to be sent one by one; else NULL */
    const struct message_agent *inspected; /* the selected agent's forces; NULL when they are not known */
    const struct obstacle_def *handle;     /* the obstacle under the pointer or held; NULL for none */
    float pixel_scale; /* picture px per window px (HiDPI): line widths and least sizes grow with it */
    bool hides_agents; /* the density shows them as well, and the frame has few of them */
    bool is_dimmed;    /* the picture is old: the server sends no newer frames */
    bool is_held;      /* the server is silent and agents stand: they are paler */
    bool has_hovered;  /* an agent is under the pointer: */
    uint32_t hovered;
    bool has_cursor; /* the pointer moves the target named mouse, and is here: */
    vec2 cursor;     /* picture px */
};

void scene_draw(const struct scene *scene, struct canvas *canvas);

/** Radius an agent of this radius (px of the world) is drawn with, picture px. */
float scene_arrow_radius(const struct scene *scene, float world_radius);
/** The agent nearest to a point of the picture, no farther than reach_px beyond its own radius; false when
 * there is none. */
bool scene_pick(const struct scene *scene, vec2 at, float reach_px, uint32_t *id);
/** Whether the crowd is drawn as heat. */
bool scene_is_heat(const struct scene *scene);

#endif
