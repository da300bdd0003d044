/* The color of every agent of a frame: what the setting `color` says. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_AGENT_COLORS_H
#define DROVER_VIEWER_EXPLAIN_AGENT_COLORS_H

#include "viewer/explain/color_scale.h"
#include "viewer/explain/neighbor_count.h"
#include "viewer/explain/state_colors.h"
#include "viewer/explain/state_times.h"
#include "viewer/link/server_model.h"
#include "viewer/model/frame.h"
#include "viewer/model/view_settings.h"

/** Owns what is remembered from frame to frame. */
struct agent_colors {
    struct state_colors states;
    struct state_times times;
    struct neighbor_count neighbors;
    struct color_scale scale; /* of the frame; without a title when colors are no numbers */
    float neighbors_top;      /* of the scale: it does not flicker */
};

/** Without memory yet. */
void agent_colors_init(struct agent_colors *colors);
/** Frees it. */
void agent_colors_fini(struct agent_colors *colors);
/** Fills the frame's column `fill` as the settings have it, dimmed where agents are not of the lit group, and the scale; a
 * frame without names stays as it is. What
 * there is no data or memory for is gray. */
void agent_colors_fill(struct agent_colors *colors, struct frame *frame, const struct server_model *server,
                       const struct view_settings *settings);

#endif
