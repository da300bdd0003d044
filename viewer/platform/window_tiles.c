/* See window_tiles.h. */
#include "viewer/platform/window_tiles.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static int32_t most(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/* From the first row that differs on, rows are copied without looking. */
static bool copy_tile(const struct raster *raster, const struct raster_rect *tile, char *surface,
                      int32_t pitch) {
    const size_t bytes = (size_t)(tile->x1 - tile->x0) * sizeof *raster->pixels;
    bool differs = false;
    for (int32_t y = tile->y0; y < tile->y1; y++) {
        const uint32_t *from = raster->pixels + (ptrdiff_t)y * raster->width + tile->x0;
        char *to = surface + (ptrdiff_t)y * pitch + (ptrdiff_t)tile->x0 * (ptrdiff_t)sizeof *from;
        differs = differs || memcmp(from, to, bytes) != 0;
        if (differs) {
            memcpy(to, from, bytes);
        }
    }
    return differs;
}

/* To the rectangle before when it is its neighbor in the row; else a new one. When they are too many, they
 * are one around all. */
static int add_rect(struct raster_rect *rects, int count, const struct raster_rect *tile) {
    if (count > 0 && rects[count - 1].y0 == tile->y0 && rects[count - 1].x1 == tile->x0) {
        rects[count - 1].x1 = tile->x1;
        return count;
    }
    if (count < WINDOW_TILES_MOST) {
        rects[count] = *tile;
        return count + 1;
    }
    for (int i = 1; i < count; i++) {
        rects[0].x0 = least(rects[0].x0, rects[i].x0);
        rects[0].x1 = most(rects[0].x1, rects[i].x1);
    }
    rects[0].x0 = least(rects[0].x0, tile->x0);
    rects[0].x1 = most(rects[0].x1, tile->x1);
    rects[0].y1 = tile->y1;
    return 1;
}

int window_tiles_copy(struct window_tiles *tiles, const struct raster *raster, void *surface, int32_t pitch,
                      struct raster_rect *changed) {
    assert(pitch >= raster->width * (int32_t)sizeof *raster->pixels);
    const bool is_other = tiles->width != raster->width || tiles->height != raster->height;
    int count = 0;
    for (int32_t y = 0; y < raster->height; y += WINDOW_TILE_HEIGHT) {
        for (int32_t x = 0; x < raster->width; x += WINDOW_TILE_WIDTH) {
            const struct raster_rect tile = {x, y, least(x + WINDOW_TILE_WIDTH, raster->width),
                                             least(y + WINDOW_TILE_HEIGHT, raster->height)};
            if (copy_tile(raster, &tile, surface, pitch) && !is_other) {
                count = add_rect(changed, count, &tile);
            }
        }
    }
    tiles->width = raster->width;
    tiles->height = raster->height;
    if (is_other) {
        changed[0] = (struct raster_rect){0, 0, raster->width, raster->height};
        return 1;
    }
    return count;
}
