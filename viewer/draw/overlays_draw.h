/* The overlays of agents: trails, vectors, radii, and what the selected agent looks at. Pure. */
#ifndef DROVER_VIEWER_DRAW_OVERLAYS_DRAW_H
#define DROVER_VIEWER_DRAW_OVERLAYS_DRAW_H

#include "viewer/draw/canvas.h"
#include "viewer/draw/scene_def.h"

/** Draws the overlays that the settings show, to lie under the agents, which stay readable among vectors: for
 * the selected agent, or for all when none is selected. Of a wrapping world in its copies as well. */
void overlays_draw(const struct scene *scene, struct canvas *canvas, const struct scene_style *style);

#endif
