/* The arrows of the selected agent as lines in the picture: which one the pointer is on, and the one that is lit. */
#ifndef DROVER_VIEWER_DRAW_AGENT_ARROWS_H
#define DROVER_VIEWER_DRAW_AGENT_ARROWS_H

#include "viewer/draw/canvas.h"
#include "viewer/draw/scene_def.h"

/** How long the arrows of max_speed and max_force are drawn, window px. */
#define AGENT_ARROWS_VELOCITY_PX 60.0f
#define AGENT_ARROWS_FORCE_PX    46.0f

/** Where the arrow of a vector ends: as long as its share of the greatest it can be, so that worlds of any size and mass
 * are readable. from: picture px; length_px: of the greatest. */
vec2 agent_arrows_end(vec2 from, vec2 value, float greatest, float length_px);

/** Where an arrow from an agent begins: at the edge of a circle around it. center: picture px. */
vec2 agent_arrows_begin(vec2 center, vec2 value, float radius_px);

/** The arrow or place of the selected agent within reach_px of a point of the picture, of those that the settings show;
 * LIT_NOTHING when there is none, or nothing is known of the agent. */
struct lit agent_arrows_pick(const struct scene *scene, vec2 at, float reach_px);
/** Draws the arrow or place that is lit, brighter, whatever the settings show. */
void agent_arrows_draw_lit(const struct scene *scene, struct canvas *canvas);

#endif
