/* The shapes of agents, and pictures of them prepared for many places and headings. Pure. */
#ifndef DROVER_VIEWER_DRAW_SPRITES_H
#define DROVER_VIEWER_DRAW_SPRITES_H

#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "viewer/draw/raster.h"

/* The shapes agents have, and the outlines of polygons, as geometry: no pixels. Pure. */

#ifdef __cplusplus
extern "C" {
#endif

/** Each has an outline of its own: kinds differ without color. */
enum shape { SHAPE_DART, SHAPE_TRIANGLE, SHAPE_KITE, SHAPE_SHUTTLE, SHAPE_BARB, SHAPE_BEETLE, SHAPE_COUNT };

enum { SHAPE_MAX_POINTS = 8 };

/** With this least cosine a sharp corner goes at most 2.2 times as far as its edges. */
#define SHAPES_LEAST_COSINE (1.0f / 2.2f)

/** Corners for a radius of 1 and a heading of 0, clockwise on the screen. Static storage. */
const vec2 *shapes_points(enum shape shape, int *count);
/** The corners of a shape turned to direction (length 1), px, and those of its outline, outline_px further
 * out. points and grown have room for SHAPE_MAX_POINTS. Returns how many there are. */
int shapes_outline(enum shape shape, vec2 center, float radius, vec2 direction, float outline_px,
                   vec2 *points, vec2 *grown);

/** Moves every edge of a polygon by so much, outwards where the corners go clockwise on a screen (by < 0:
 * inwards).
 *
 * count         of points, 3 or more
 * least_cosine  of half the turn at a corner: a sharper corner goes no further than by / least_cosine
 * shifted       count entries, not those of `points` */
void shapes_shift_outline(const vec2 *points, int count, float by, float least_cosine, vec2 *shifted);

/* Pictures of the shapes of agents, drawn once by the raster and copied for each agent: for drawing
 * thousands.
 *
 * A texel says how much of it the agent's color covers (fill) and how much color and dark outline cover
 * together (body). Two forms: an atlas of upright shapes in several sizes for a graphics card, which turns
 * and scales them; and for the raster, pictures of one size turned to SPRITES_ANGLES headings at
 * SPRITES_STEPS x SPRITES_STEPS fractions of a pixel, made when they are first needed.
 *
 * Owns both. Invariant: the same shape, size and heading give the same picture in every run.
 */

enum { SPRITES_ANGLES = 96, SPRITES_STEPS = 4, SPRITES_SIZES = 8, SPRITES_MAX_BLIT_PX = 16 };

/** Where an upright picture is in the atlas: square, middle at the agent. */
struct sprite_place {
    float radius; /* px the shape was drawn with */
    float half;   /* px from the middle to the sides of the square */
    float u0, v0, u1, v1;
};

struct sprites;

/** outline_px: width of the dark outline. NULL when out of memory. */
NODISCARD struct sprites *sprites_create(float outline_px);
/** NULL is fine. */
void sprites_destroy(struct sprites *sprites);
/** The outline of a shape of this radius: thinner around what is small. */
float sprites_outline_px(const struct sprites *sprites, float radius);

/** The atlas as 0xAArrggbb texels, gray times alpha; made at the first call. NULL when out of memory. */
NODISCARD const uint32_t *sprites_atlas(struct sprites *sprites, int32_t *width, int32_t *height);
/** The smallest place at least as large as radius px, or the largest there is. */
const struct sprite_place *sprites_place(const struct sprites *sprites, enum shape shape, float radius);
/** u, v of a texel that is white and opaque. */
vec2 sprites_white(const struct sprites *sprites);

/** Draws an agent into the raster by its picture; radius <= SPRITES_MAX_BLIT_PX. direction: length 1. Returns
 * -1 when there is no memory for the picture (nothing is drawn). */
NODISCARD int sprites_blit(struct sprites *sprites, struct raster *raster, enum shape shape, vec2 center,
                           float radius, vec2 direction, color fill, float alpha);

#ifdef __cplusplus
}
#endif

#endif
