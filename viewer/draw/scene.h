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
#include "viewer/draw/palette.h"
#include "viewer/model/camera.h"
#include "viewer/model/interpolate.h"
#include "viewer/model/overlays.h"
#include "viewer/model/trails.h"

#define SCENE_MIN_ARROW_PX 6.0f /* no arrow is drawn with a smaller radius, unless there are thousands */

enum heat_mode { HEAT_AUTO, HEAT_ON, HEAT_OFF, HEAT_MODE_COUNT };

struct scene {
    struct camera camera;
    const struct server_view *server;
    const struct frame *frame;
    const struct trails *trails;   /* NULL for none */
    struct heat *heat;             /* NULL: never as heat */
    const struct density *density; /* the crowd, when it is too large to be sent one by one; else NULL */
    bool hides_agents;             /* the density shows them as well, and the frame has few of them */
    const struct message_agent *inspected; /* the selected agent's forces; NULL when they are not known */
    const struct obstacle_def *handle;     /* under the pointer or in the hand; NULL for none */
    enum heat_mode heat_mode;
    float pixel_scale; /* picture px per window px (HiDPI): line widths and least sizes grow with it */
    overlay_set overlays;
    enum palette palette;
    bool colors_by_kind;
    bool has_selected, has_hovered;
    uint32_t selected, hovered; /* ids of agents; overlays are drawn for the selected one alone */
    bool is_dimmed;             /* the picture is old: nobody sends newer ones */
    bool is_held;               /* the server is silent and agents stand: they are paler */
    bool has_cursor;            /* the mouse is moving the target named mouse, and is here: */
    vec2 cursor;                /* picture px */
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
