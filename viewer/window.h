/* The SDL window the picture is shown in, or none at all (headless). The only file that calls SDL for output.
 *
 * Owns the window, its renderer and one streaming texture the size of the picture.
 */
#ifndef DROVER_VIEWER_WINDOW_H
#define DROVER_VIEWER_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/failure.h"
#include "viewer/raster.h"

struct window;

struct window_def {
    const char *title;
    int32_t width, height; /* window px */
    bool is_headless;      /* SDL's dummy driver: nothing is shown, no display is needed */
};

/** Starts SDL's video. NULL with *failure: "no display; use --headless", or what SDL says. */
NODISCARD struct window *window_create(const struct window_def *def, struct failure *failure);
void window_destroy(struct window *window);

/** The size of the picture in real pixels; window px times window_pixel_scale. */
void window_picture_size(const struct window *window, int32_t *width, int32_t *height);
/** Picture px per window px: 1, or more on a HiDPI screen. */
float window_pixel_scale(const struct window *window);
/** Puts the picture on the screen. Waits for the screen's refresh when there is one. */
void window_present(struct window *window, const struct raster *raster);
/** Whether window_present waits by itself. */
bool window_has_vsync(const struct window *window);
void window_set_title(struct window *window, const char *title);

#endif
