/* The canvas that everything is drawn on: the raster, or the mesh that a graphics card draws. Pure.
 *
 * Owns nothing. Shapes mean the same on both (raster.h says what); on the mesh their edges are smoothed by a
 * fringe of one pixel that fades out, so pictures differ by a little along edges.
 */
#ifndef DROVER_VIEWER_DRAW_CANVAS_H
#define DROVER_VIEWER_DRAW_CANVAS_H

#include "viewer/draw/mesh.h"
#include "viewer/draw/raster.h"
#include "viewer/draw/sprites.h"
#include "viewer/model/view_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

struct canvas {
    struct raster *raster; /* one of the two is NULL */
    struct mesh *mesh;
    struct sprites *sprites;
    int32_t width, height;
    struct raster_rect clip;
    enum palette palette; /* whose colors the picture has (theme.h); PALETTE_SAFE at first */
};

/** A canvas that draws into the raster at once. Both stay the caller's. */
struct canvas canvas_on_raster(struct raster *raster, struct sprites *sprites);
/** A canvas that adds to the mesh; width, height: of the picture, px. Both stay the caller's. */
struct canvas canvas_on_mesh(struct mesh *mesh, struct sprites *sprites, int32_t width, int32_t height);

/** Limits what is drawn to the part of rect that is in the picture. */
void canvas_set_clip(struct canvas *canvas, struct raster_rect rect);
/** The whole picture again. */
void canvas_reset_clip(struct canvas *canvas);
/** Sets every pixel of the clip rectangle. */
void canvas_clear(struct canvas *canvas, color ground);
/** Mixes every pixel of the clip rectangle with the color by its alpha. */
void canvas_tint(struct canvas *canvas, color tint);
/** A rectangle with fractional edges, px. */
void canvas_fill_rect(struct canvas *canvas, vec2 low, vec2 high, color fill);
/** Convex; on the raster any simple polygon. */
void canvas_fill_polygon(struct canvas *canvas, const vec2 *points, int count, color fill);
/** A straight line with flat ends, px. */
void canvas_draw_line(struct canvas *canvas, vec2 from, vec2 to, float width, color stroke);
/** A filled circle, px. */
void canvas_fill_disc(struct canvas *canvas, vec2 center, float radius, color fill);
/** A circle line, width px wide, half of it inside radius. */
void canvas_draw_ring(struct canvas *canvas, vec2 center, float radius, float width, color stroke);

#ifdef __cplusplus
}
#endif

#endif
