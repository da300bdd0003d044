/* The definition of a window. Plain values. */
#ifndef DROVER_VIEWER_PLATFORM_WINDOW_DEF_H
#define DROVER_VIEWER_PLATFORM_WINDOW_DEF_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"

struct window;

/** auto: the graphics card when there is a real one. On one that is only imitated by the processor (llvmpipe)
 * our own raster is faster. */
enum window_renderer { WINDOW_AUTO, WINDOW_CARD, WINDOW_RASTER };

/** The shapes of the pointer: an arrow; over a target or obstacle; while dragging. */
enum window_pointer { WINDOW_ARROW, WINDOW_HAND, WINDOW_MOVE, WINDOW_POINTER_COUNT };

struct window_def {
    const char *title;
    int32_t width, height; /* window px; 0: the usual size, larger where text is */
    bool is_headless;      /* SDL's dummy driver: nothing is shown, no display is needed */
    bool is_full_screen;
    bool is_kiosk; /* no pointer, no screen saver, not closed by the desktop; the keyboard is its own */
    enum window_renderer renderer;
};

#endif
