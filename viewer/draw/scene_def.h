/* The definition of a scene: pointers to all that the scene and its overlays read. */
#ifndef DROVER_VIEWER_DRAW_SCENE_DEF_H
#define DROVER_VIEWER_DRAW_SCENE_DEF_H

#include <stdbool.h>

#include <math.h>

#include "common/protocol/message_agent.h"
#include "viewer/draw/agents_draw.h"
#include "viewer/draw/heat.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/link/server_model.h"
#include "viewer/model/camera.h"
#include "viewer/model/frame.h"
#include "viewer/model/input.h"
#include "viewer/model/trails.h"
#include "viewer/model/view_settings.h"

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

#endif
