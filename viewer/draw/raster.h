/* A software rasterizer into a 32-bit picture, with coverage anti-aliasing.
 *
 * The viewer draws everything with it, text and panels included, so that a picture is the same with a
 * graphics card, without one and with no display at all (SDL's software renderer snaps vertices to whole
 * pixels: arrows wobble).
 *
 * Owns the pixels and one row of coverage sums. Invariants:
 * 1. A pixel is 0xFFrrggbb (SDL's ARGB8888); the picture is opaque, colors that are drawn carry alpha in the
 * top byte.
 * 2. Pixel (i, j) covers the square [i, i+1) x [j, j+1); y points down.
 * 3. Nothing is written outside the clip rectangle, which lies inside the picture. Coordinates may be
 * anything finite; what is not finite is not drawn.
 */
#ifndef DROVER_VIEWER_DRAW_RASTER_H
#define DROVER_VIEWER_DRAW_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "viewer/explain/theme.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RASTER_MAX_POINTS = 64, RASTER_MAX_SIZE = 16384 };

/** Whole pixels: x0 <= x < x1. */
struct raster_rect {
    int32_t x0, y0, x1, y1;
};

struct raster {
    uint32_t *pixels; /* width * height, row by row */
    int32_t width, height;
    struct raster_rect clip;
    float *sums; /* width + 2: the change of coverage from pixel to pixel along the row being filled */
};

/** The pixels of a row of the picture. */
static inline uint32_t *raster_row(const struct raster *raster, int32_t y) {
    return raster->pixels + (size_t)y * (size_t)raster->width;
}

/** An opaque black picture, clip = all of it. 1 <= sizes <= RASTER_MAX_SIZE. NULL when out of memory. */
NODISCARD struct raster *raster_create(int32_t width, int32_t height);
/** NULL is fine. */
void raster_destroy(struct raster *raster);
/** New size, contents undefined, clip = all. -1 when out of memory (nothing changes). */
NODISCARD int raster_resize(struct raster *raster, int32_t width, int32_t height);
/** Clips to the part of rect that is in the picture. */
void raster_set_clip(struct raster *raster, struct raster_rect rect);
/** Clips to the whole picture. */
void raster_reset_clip(struct raster *raster);

/** Sets every pixel in the clip rectangle, whatever the color's alpha. */
void raster_clear(struct raster *raster, color ground);
/** Mixes every pixel in the clip rectangle with the color by its alpha. */
void raster_tint(struct raster *raster, color tint);
/** A rectangle with fractional edges. */
void raster_fill_rect(struct raster *raster, vec2 low, vec2 high, color fill);
/** A simple polygon (convex or not, either turning sense), exact area coverage. 3 <= count <=
 * RASTER_MAX_POINTS. */
void raster_fill_polygon(struct raster *raster, const vec2 *points, int count, color fill);
/** A straight line with flat ends. width px > 0. */
void raster_draw_line(struct raster *raster, vec2 from, vec2 to, float width, color stroke);
/** A filled circle. */
void raster_fill_disc(struct raster *raster, vec2 center, float radius, color fill);
/** A circle line, width px wide, half of it inside radius. */
void raster_draw_ring(struct raster *raster, vec2 center, float radius, float width, color stroke);

/* An opaque picture on the raster, scaled into a rectangle. Pure. */

/** width * height pixels, 0xFFrrggbb, row by row; the caller's. */
struct raster_image {
    const uint32_t *pixels;
    int32_t width, height;
};

/** The whole image between low and high, px of the picture, mixed from its nearest four pixels where it is scaled. */
void raster_draw_image(struct raster *raster, vec2 low, vec2 high, const struct raster_image *image);

/* Triangles and rectangles of a texture on the raster: what ImGui's panels are made of. Pure. */

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
