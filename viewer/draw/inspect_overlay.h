/* The overlay of the selected agent: lines to the neighbors that count, the places its
 * behaviors aim at (the answer to inspect: protocol.md). Pure.
 */
#ifndef DROVER_VIEWER_DRAW_INSPECT_OVERLAY_H
#define DROVER_VIEWER_DRAW_INSPECT_OVERLAY_H

#include "viewer/draw/canvas.h"
#include "viewer/draw/scene_def.h"

/** Where a place of the answer is drawn, px of the world: beside the agent as it is drawn, the short way.
 *
 * inspected  the answer the point is of
 * position   px of the world: where the agent is drawn
 * wrap_size  the size of a wrapping world, {0,0} otherwise */
vec2 inspect_overlay_place(const struct message_agent *inspected, const struct message_agent_point *point,
                           vec2 position, vec2 wrap_size);
/** Whether the answer has a place of this sort. */
bool inspect_overlay_has(const struct message_agent *inspected, const char *what);

/** Lines from the agent at `pose` to the neighbors of scene->inspected, and rings around them. */
void inspect_overlay_draw_neighbors(const struct scene *scene, struct canvas *canvas,
                                    const struct pose *pose);
/** Lines from the agent at `pose` to the places of scene->inspected, with crosses and circles there. */
void inspect_overlay_draw_places(const struct scene *scene, struct canvas *canvas, const struct pose *pose);

#endif
