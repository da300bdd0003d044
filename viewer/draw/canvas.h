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
#include "viewer/model/camera.h"
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

/* The colors of curves and sessions, and the shapes of kinds. Pure. */

enum { PALETTE_SERIES = 8 };

/** The color of number `index` of a series (sessions' cursors), on the ground of the palette. */
color palette_series(enum palette palette, int index);
/** The shape of the scenario's kind number `index`. */
enum shape palette_shape(int index);

#ifdef __cplusplus
}
#endif

/* The two things the viewer is made of: the shape that is an agent, and the arrow that is a vector. */

/** An agent: tip along direction (length 1), the body within about radius (px) of center, a dark outline
 * around it, from its exact corners. alpha 0..1. */
void arrow_draw(struct canvas *canvas, enum shape shape, vec2 center, float radius, vec2 direction,
                color fill, float alpha);
/** A vector: a line whose head ends in `to`, thinner where the vector is short; one shorter than 2 px is not drawn. */
void arrow_draw_vector(struct canvas *canvas, vec2 from, vec2 to, float widest, color stroke);

/* The copies of a wrapping world around it, as if the plane were tiled with it: what is beyond the border is seen where
 * it is near. Pure.
 *
 * The world itself is copy 0, 0; copy 1, 0 is to the right of it. Copies reach half a world beyond the border: farther
 * away no place is nearer than from the other side.
 */

/** Copies in a row: that at the left, the world itself, that at the right. */
enum { TILES_ROW = 3, TILES_COUNT = TILES_ROW * TILES_ROW };

/** How many tiles a world of this size has: 1 when it does not wrap ({0,0}). */
int tiles_count(vec2 wrap_size);
/** Tile number `tile` as a shift, px of the world; tile 0 is the world itself. 0 <= tile < TILES_COUNT */
vec2 tiles_shift(vec2 wrap_size, int tile);
/** The camera for that tile: it shows a place of the world where its copy is. */
struct camera tiles_camera(const struct camera *camera, vec2 wrap_size, int tile);

/** Limits the canvas to the world and what is shown of its copies. */
void tiles_clip(struct canvas *canvas, const struct camera *camera, vec2 wrap_size);
/** Whether a point of the picture, px, is in the world or in what is shown of its copies. */
bool tiles_reach(const struct camera *camera, vec2 wrap_size, vec2 at);
/** Dims what is outside the world's own rectangle a little, and fades it into the ground at the end of its reach. */
void tiles_dim(struct canvas *canvas, const struct camera *camera, vec2 wrap_size, color ground);

#endif
