/* See raster_image.h. */
#include "viewer/draw/raster_image.h"

#include <assert.h>
#include <math.h>

#include "viewer/draw/raster_pixel.h"

/* A place between the centers of two pixels of a row or column: the first one, and the share of the next, 0..255. */
struct between {
    int32_t first, next;
    uint32_t share;
};

static struct between place(float at, int32_t count) {
    const float clamped = min_float(max_float(at - 0.5f, 0.0f), (float)(count - 1));
    const int32_t first = (int32_t)clamped;
    return (struct between){first, first + 1 < count ? first + 1 : first,
                            (uint32_t)((clamped - (float)first) * 255.0f + 0.5f)};
}

static uint32_t mix(const struct raster_image *image, struct between x, struct between y) {
    const uint32_t *upper = image->pixels + (size_t)y.first * (size_t)image->width;
    const uint32_t *lower = image->pixels + (size_t)y.next * (size_t)image->width;
    const uint32_t above = blend(upper[x.first], upper[x.next], x.share);
    return blend(above, blend(lower[x.first], lower[x.next], x.share), y.share);
}

void raster_draw_image(struct raster *raster, vec2 low, vec2 high, const struct raster_image *image) {
    assert(image->pixels != NULL && image->width > 0 && image->height > 0);
    const struct raster_rect clip = raster->clip;
    if (!(high.x > low.x) || !(high.y > low.y)) {
        return;
    }
    const float across = (float)image->width / (high.x - low.x),
                down = (float)image->height / (high.y - low.y);
    const int32_t x0 = floor_clamped(low.x, clip.x0, clip.x1), x1 = floor_clamped(high.x, clip.x0, clip.x1);
    const int32_t y0 = floor_clamped(low.y, clip.y0, clip.y1), y1 = floor_clamped(high.y, clip.y0, clip.y1);
    for (int32_t y = y0; y < y1; y++) {
        const struct between row = place(((float)y + 0.5f - low.y) * down, image->height);
        uint32_t *out = raster_row(raster, y);
        for (int32_t x = x0; x < x1; x++) {
            out[x] = mix(image, place(((float)x + 0.5f - low.x) * across, image->width), row);
        }
    }
}
