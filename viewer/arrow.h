/* The two shapes the viewer is made of: the arrow that is an agent, and the arrow that is a vector. */
#ifndef DROVER_VIEWER_ARROW_H
#define DROVER_VIEWER_ARROW_H

#include "viewer/raster.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An agent: tip along heading (rad), the body within about radius (px) of center, a dark outline around it.
 * alpha 0..1. */
void arrow_draw(struct raster *raster, vec2 center, float radius, float heading, color fill, float outline_px,
                float alpha);
/** A vector: a line of this width whose head ends in `to`; nothing when shorter than 2 px. */
void arrow_draw_vector(struct raster *raster, vec2 from, vec2 to, float width, color stroke);

#ifdef __cplusplus
}
#endif

#endif
