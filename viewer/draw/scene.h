/* The world as a picture: ground, grid, scenery, trails, agents, targets and overlays. Draws on a canvas;
 * knows no SDL.
 */
#ifndef DROVER_VIEWER_DRAW_SCENE_H
#define DROVER_VIEWER_DRAW_SCENE_H

#include "viewer/draw/canvas.h"
#include "viewer/draw/scene_def.h"

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

#endif
