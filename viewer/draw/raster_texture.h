/* Triangles and rectangles of a texture on the raster: what ImGui's panels are made of. Pure. */
#ifndef DROVER_VIEWER_DRAW_RASTER_TEXTURE_H
#define DROVER_VIEWER_DRAW_RASTER_TEXTURE_H

#include <stdint.h>

#include "viewer/draw/raster.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One coverage byte a texel (ImGui's font atlas). */
struct raster_texture {
    const uint8_t *texels;
    int32_t width, height;
};

/** u, v: 0..1 across the texture. */
struct raster_vertex {
    float x, y, u, v;
    color tint;
};

/** A triangle with colors mixed between its corners, times the texture's coverage (nearest texel). A pixel
 * belongs to it when its center is inside (left and top edges count), so triangles that share an edge never
 * draw a pixel twice. */
void raster_draw_triangle(struct raster *raster, const struct raster_vertex corners[3],
                          const struct raster_texture *texture);

/** A rectangle of the texture, texel for pixel, in one color: glyphs. left, top: of the picture; u, v: of
 * the texture; what would lie outside the texture is not drawn. */
void raster_draw_texels(struct raster *raster, int32_t left, int32_t top, int32_t u, int32_t v, int32_t width,
                        int32_t height, color tint, const struct raster_texture *texture);

#ifdef __cplusplus
}
#endif

#endif
