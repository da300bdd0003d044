/* Draws all agents of a frame at once, out of its columns. Pure. */
#ifndef DROVER_VIEWER_DRAW_AGENTS_DRAW_H
#define DROVER_VIEWER_DRAW_AGENTS_DRAW_H

#include "common/text/name_table.h"
#include "viewer/draw/canvas.h"
#include "viewer/model/camera.h"
#include "viewer/model/frame.h"

/** More agents than this are drawn on the raster as sprites: headings in steps of 3.75
 * degrees, places in quarters of a pixel. */
enum { AGENTS_DRAW_EXACT = 400 };

/** No agent is drawn with a smaller radius, window px, unless there are thousands. */
#define AGENTS_DRAW_MIN_ARROW_PX 6.0f

/** Looked up once a frame, not for each agent; indices are those of the frame's name tables. */
struct agents_style {
    float radius[NAME_TABLE_CAPACITY]; /* by kind, picture px */
    enum shape shape[NAME_TABLE_CAPACITY];
    vec2 wrap_size; /* px of the world; 0: it does not wrap */
    bool is_held;   /* too old to be believed: pale */
};

/** One batch, in the colors of the column `fill`. Agents outside the canvas's clip rectangle are left out; of a wrapping world the copies around it
 * (tiles.h) are drawn as well, as far as the clip rectangle goes. */
void agents_draw(struct canvas *canvas, const struct frame *frame, const struct camera *camera,
                 const struct agents_style *style);

/** The radius an agent of world_radius (px of the world) is drawn with, picture px; world_size: px of the world.
 * smallest: the least radius of the world's kinds, px of the world. In a crowd from afar, where all are drawn larger than
 * they are, larger kinds stay larger. */
float agents_draw_radius(const struct frame *frame, const struct camera *camera, vec2 world_size,
                         float smallest, float pixel_scale, float world_radius);
/** The radius of the smallest agents, picture px: smaller where there are many. */
float agents_draw_least_radius(const struct frame *frame, const struct camera *camera, vec2 world_size,
                               float pixel_scale);

#endif
