/* A crowd too large to draw one by one, as heat: how many agents are in each cell of the picture, where they go, and what
 * their colors say. Pure.
 */
#ifndef DROVER_VIEWER_DRAW_HEAT_H
#define DROVER_VIEWER_DRAW_HEAT_H

#include "common/snapshot/snapshot_density.h"
#include "viewer/draw/canvas.h"
#include "viewer/explain/theme.h"
#include "viewer/model/camera.h"
#include "viewer/model/frame.h"

enum { HEAT_CELL_PX = 6, HEAT_MOST_CELLS = 256 * 1024, HEAT_TINTED = 3, HEAT_TINTS = 4 };

struct heat {
    int32_t columns, rows, capacity;
    uint32_t *counts;        /* columns * rows */
    float *sum_x, *sum_y;    /* of directions */
    float *tint[HEAT_TINTS]; /* sums of a cell's agents: red, green, blue, and how many these are */
    float *level, *spare;    /* 0..1: how hot a cell is, smoothed; room for smoothing */
    color *fill;             /* of a cell, as it is drawn */
    bool has_fills;          /* those of these counts */
    bool is_tinted; /* the hue says what the agents' colors say, and its strength how many there are */
    float top;      /* the count that is as hot as can be: it does not flicker */
    float cell_px;  /* of the world */
    struct color_scale scale; /* of the counts, where there is no tint */
};

/** Without memory yet. */
void heat_init(struct heat *heat);
/** Frees the cells. */
void heat_fini(struct heat *heat);
/** Counts the agents seen in a picture of this size, in cells of cell_px, with the tints of their colors. -1 when out of
 * memory. */
NODISCARD int heat_count(struct heat *heat, const struct frame *frame, const struct camera *camera,
                         int32_t width, int32_t height, float cell_px);
/** The server's counts instead, without tints. speed: px/s, what counts as going all the same way. -1 when out of memory. */
NODISCARD int heat_take(struct heat *heat, const struct density *density, float speed);
/** Tints the cells that have agents: those agents' mean color is heat->fill. */
void heat_tint(struct heat *heat);

/** Where the cells are in the picture, px. */
struct heat_place {
    vec2 corner, cell;
};

/** Colors by density and tint, smooth between the middles of cells, and arrows along the mean heading. Fills the scale. unit:
 * picture px per window px; world_px: of the picture, per px of the world. */
void heat_draw(struct heat *heat, struct canvas *canvas, const struct heat_place *place, float unit,
               float world_px);
/** Whether that many agents of this radius (picture px, as they would be drawn) cover what they are in. */
bool heat_is_better(int32_t count, float radius_px, float world_px2);

#endif
