/* An opaque picture on the raster, scaled into a rectangle. Pure. */
#ifndef DROVER_VIEWER_DRAW_RASTER_IMAGE_H
#define DROVER_VIEWER_DRAW_RASTER_IMAGE_H

#include "viewer/draw/raster.h"

#ifdef __cplusplus
extern "C" {
#endif

/** width * height pixels, 0xFFrrggbb, row by row; the caller's. */
struct raster_image {
    const uint32_t *pixels;
    int32_t width, height;
};

/** The whole image between low and high, px of the picture, mixed from its nearest four pixels where it is scaled. */
void raster_draw_image(struct raster *raster, vec2 low, vec2 high, const struct raster_image *image);

#ifdef __cplusplus
}
#endif

#endif
