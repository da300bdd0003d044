/* See window_fit.h. */
#include "viewer/platform/window_fit.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "common/text/digits.h"

/* ---- the place on the screen ---- */

static const double usual_dpi = 96.0, least_lines = 600.0, full_screen_lines = 1080.0,
                    desk_lines = 1440.0; /* of a screen on a desk whose dots are not known */

/* One side: the length that fits and where it begins. */
static void fit_side(int32_t *begin, int32_t *length, int32_t before, int32_t after, int32_t free_begin,
                     int32_t free_length) {
    const int32_t most = free_length - before - after;
    *length = *length > most && most > 0 ? most : *length;
    const int32_t last = free_begin + free_length - after - *length, first = free_begin + before;
    *begin = *begin > last ? last : *begin;
    *begin = *begin < first ? first : *begin;
}

struct window_area window_fit(struct window_area window, struct window_border border,
                              struct window_area usable) {
    fit_side(&window.x, &window.width, border.left, border.right, usable.x, usable.width);
    fit_side(&window.y, &window.height, border.top, border.bottom, usable.y, usable.height);
    return window;
}

/* Rounded down to quarters; what is nearly one counts as one. */
static double quarters(double value) {
    return floor(value * 4.0 + 0.06) * 0.25;
}

double window_text_scale_for(double dpi, int32_t screen_height, bool is_full_screen) {
    const double most = fmax(quarters((double)screen_height / least_lines), 1.0);
    const double near = dpi > 0.0 ? dpi / usual_dpi : (double)screen_height / desk_lines;
    const double wanted = fmin(fmax(quarters(near), 1.0), most);
    const double far = is_full_screen ? quarters((double)screen_height / full_screen_lines) : 1.0;
    return fmin(fmax(wanted, far), 4.0);
}

double window_resources_dpi(const char *resources) {
    static const char name[] = "Xft.dpi:";
    for (const char *line = resources; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n' ? 1 : 0;
        if (strncmp(line, name, sizeof name - 1) == 0) {
            const char *value = line + sizeof name - 1;
            return decimal_read(value + strspn(value, " \t"), NULL);
        }
    }
    return 0.0;
}

/* ---- tiles that changed ---- */

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
