/* The two things the viewer is made of: the shape that is an agent, and the arrow that is a vector. */
#ifndef DROVER_VIEWER_DRAW_ARROW_H
#define DROVER_VIEWER_DRAW_ARROW_H

#include "viewer/draw/canvas.h"

/** An agent: tip along direction (length 1), the body within about radius (px) of center, a dark outline
 * around it, from its exact corners. alpha 0..1. */
void arrow_draw(struct canvas *canvas, enum shape shape, vec2 center, float radius, vec2 direction,
                color fill, float alpha);
/** A vector: a line whose head ends in `to`, thinner where the vector is short; one shorter than 2 px is not drawn. */
void arrow_draw_vector(struct canvas *canvas, vec2 from, vec2 to, float widest, color stroke);

#endif
