/* The world as a picture: ground, grid, scenery, trails, agents, targets and overlays. Draws on a canvas; knows no SDL.
 * scene.c goes from the ground up; overlays.c explains the selected agent. */
#ifndef DROVER_VIEWER_DRAW_SCENE_H
#define DROVER_VIEWER_DRAW_SCENE_H

#include <math.h>
#include <stdbool.h>

#include "common/protocol/message.h"
#include "common/protocol/message_event.h"
#include "viewer/draw/agents_draw.h"
#include "viewer/draw/canvas.h"
#include "viewer/draw/heat.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/link/server_model.h"
#include "viewer/model/camera.h"
#include "viewer/model/frame.h"
#include "viewer/model/input.h"
#include "viewer/model/trails.h"
#include "viewer/model/view_settings.h"

/* The definition of a scene: pointers to all that the scene and its overlays read. */

/** All that is drawn; owned by the caller. */
struct scene {
    const struct camera *camera;
    const struct server_model *server;
    const struct frame *frame;
    const struct view_settings *settings;
    const struct selection *selection; /* overlays are drawn for the selected agent alone */
    const struct trails *trails;       /* NULL for none */
    const struct onion *onion;         /* NULL for none */
    const struct ways *ways;           /* NULL for none */
    struct heat *heat;                 /* NULL: never as heat */
    const struct state_colors *colors; /* with a density */
    const struct density *density;     /* the crowd, when it is too large to be sent one by one; else NULL */
    const struct message_agent *inspected; /* the selected agent's forces; NULL when they are not known */
    const struct obstacle_def *handle;     /* the obstacle under the pointer or held; NULL for none */
    struct camera_margins margins;         /* what panels cover, picture px */
    float pixel_scale; /* picture px per window px (HiDPI): line widths and least sizes grow with it */
    bool hides_agents; /* the density shows them as well, and the frame has few of them */
    bool is_dimmed;    /* the picture is old: the server sends no newer frames */
    bool is_held;      /* the server is silent and agents stand: they are paler */
    bool has_hovered;  /* an agent is under the pointer: */
    uint32_t hovered;
    bool has_cursor; /* the pointer moves the target named mouse, and is here: */
    vec2 cursor;     /* picture px */
};

/** Per kind and state of one frame, looked up once and not for each agent. */
struct scene_style {
    struct agents_style agents;
    float max_speed[NAME_TABLE_CAPACITY], max_force[NAME_TABLE_CAPACITY];
};

/** The radius an agent of world_radius (px of the world) is drawn with, picture px. */
static inline float scene_agent_radius(const struct scene *scene, float world_radius) {
    const struct message_scenario *scenario = &scene->server->scenario;
    float smallest = scenario->kind_count > 0 ? scenario->kinds[0].radius : 0.0f;
    for (int k = 1; k < scenario->kind_count; k++) {
        smallest = fminf(smallest, scenario->kinds[k].radius);
    }
    return view_settings_agent_size(scene->settings) * agents_draw_radius(scene->frame, scene->camera,
                                                                          scenario->size, smallest,
                                                                          scene->pixel_scale, world_radius);
}
/** Where the ring around the selected agent is, for the radius that the agent is drawn with, picture px. */
static inline float scene_ring_radius(const struct scene *scene, float agent_radius) {
    return 1.35f * agent_radius + 4.0f * scene->pixel_scale;
}
/** The size of a wrapping world, px of the world; {0,0} otherwise. */
static inline vec2 scene_wrap_size(const struct scene *scene) {
    return server_model_wraps(scene->server) ? scene->server->scenario.size : vec2_make(0.0f, 0.0f);
}

/* The world as a picture: ground, grid, scenery, trails, agents, targets and overlays. Draws on a canvas;
 * knows no SDL.
 */

/** Draws the whole scene, from the ground up. */
void scene_draw(const struct scene *scene, struct canvas *canvas);

/** The agent nearest to a point of the picture, no farther than reach_px beyond its own radius; false when
 * there is none. */
bool scene_pick(const struct scene *scene, vec2 at, float reach_px, uint32_t *id);
/** The agent that a click at this point of the picture means. A hand is a moment behind what it follows: a place where the
 * agent was then is as good as the one where it is.
 *
 * pace  simulated seconds in a second, 0 when nothing moves */
bool scene_pick_for_hand(const struct scene *scene, vec2 at, double pace, uint32_t *id);
/** Whether the crowd is drawn as heat. */
bool scene_is_heat(const struct scene *scene);

/* Draws the scenery: flow arrows, paths, obstacles, walls. Pure. */

/** Draws it all, from the faintest up, to lie under targets and agents, what moves where it is at the moment. Of a wrapping world the
 * copies around it are drawn too (canvas.h), as far as the canvas's clip rectangle goes. pixel_scale  picture px per window px */
void scenery_draw(const struct message_scenario *scenario, const struct camera *camera, float pixel_scale,
                  const struct message_moment *moment, struct canvas *canvas);

/* The overlays of agents: trails, vectors, radii, and what the selected agent looks at. Pure. */

/** Draws the overlays that the settings show, to lie under the agents, which stay readable among vectors: for
 * the selected agent, or for all when none is selected. Of a wrapping world in its copies as well. */
void overlays_draw(const struct scene *scene, struct canvas *canvas, const struct scene_style *style);

/* The overlay of the selected agent: lines to the neighbors that count, the places its
 * behaviors aim at (the answer to inspect: protocol.md). Pure.
 */

/** Where a place of the answer is drawn, px of the world: beside the agent as it is drawn, the short way.
 *
 * inspected  the answer the point is of
 * position   px of the world: where the agent is drawn
 * wrap_size  the size of a wrapping world, {0,0} otherwise */
vec2 inspect_overlay_place(const struct message_agent *inspected, const struct message_agent_point *point,
                           vec2 position, vec2 wrap_size);
/** Whether the answer has a place of this sort. */
bool inspect_overlay_has(const struct message_agent *inspected, const char *what);

/* The arrows of the selected agent as lines in the picture: which one the pointer is on, and the one that is lit. */

/** How long the arrows of max_speed and max_force are drawn, window px. */
#define AGENT_ARROWS_VELOCITY_PX 60.0f
#define AGENT_ARROWS_FORCE_PX    46.0f

/** The arrow or place of the selected agent within reach_px of a point of the picture, of those that the settings show;
 * LIT_NOTHING when there is none, or nothing is known of the agent. */
struct lit agent_arrows_pick(const struct scene *scene, vec2 at, float reach_px);

#endif
