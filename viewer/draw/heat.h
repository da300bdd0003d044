/* A crowd too large to draw one by one, as heat: how many agents are in each cell of the picture and where
 * they go. Computed from the frame. Pure.
 */
#ifndef DROVER_VIEWER_DRAW_HEAT_H
#define DROVER_VIEWER_DRAW_HEAT_H

#include "common/snapshot/snapshot_density.h"
#include "viewer/draw/canvas.h"
#include "viewer/explain/color_scale.h"
#include "viewer/model/camera.h"
#include "viewer/model/frame.h"

enum { HEAT_CELL_PX = 6, HEAT_MOST_CELLS = 256 * 1024 };

struct heat {
    int32_t columns, rows, capacity;
    uint32_t *counts;     /* columns * rows */
    float *sum_x, *sum_y; /* of directions */
    float *level, *spare; /* 0..1: how hot a cell is, smoothed; room for smoothing */
    float top;            /* the count that is as hot as can be: it does not flicker */
    struct color_scale scale;
};

/** Without memory yet. */
void heat_init(struct heat *heat);
/** Frees the cells. */
void heat_fini(struct heat *heat);
/** Counts the agents seen in a picture of this size, in cells of cell_px. -1 when out of memory. */
NODISCARD int heat_count(struct heat *heat, const struct frame *frame, const struct camera *camera,
                         int32_t width, int32_t height, float cell_px);
/** The server's counts instead. speed: px/s, what counts as going all the same way. -1 when out of memory. */
NODISCARD int heat_take(struct heat *heat, const struct density *density, float speed);

/** Where the cells are in the picture, px. */
struct heat_place {
    vec2 corner, cell;
};

/** Colors by density, smooth between the middles of cells, and arrows along the mean heading. Fills the scale. unit:
 * picture px per window px; world_px: of the picture, per px of the world. */
void heat_draw(struct heat *heat, struct canvas *canvas, const struct heat_place *place, float unit,
               float world_px);
/** Whether that many agents of this radius (picture px, as they would be drawn) cover what they are in. */
bool heat_is_better(int32_t count, float radius_px, float world_px2);

#endif
