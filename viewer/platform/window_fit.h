/* The place of a window on its screen, and the size of its text. Pure; the numbers are the desktop's.
 */
#ifndef DROVER_VIEWER_PLATFORM_WINDOW_FIT_H
#define DROVER_VIEWER_PLATFORM_WINDOW_FIT_H

#include <stdbool.h>
#include <stdint.h>

/** A rectangle of the screen, its px. */
struct window_area {
    int32_t x, y, width, height;
};

/** How far the frame around a window reaches, px. */
struct window_border {
    int32_t left, top, right, bottom;
};

/** The window (without its frame) as it is to be, so that it lies with its frame in what the screen has free:
 * where and as large as it is when it fits, else moved, and smaller if it must be. */
struct window_area window_fit(struct window_area window, struct window_border border,
                              struct window_area usable);

/** The size of text and lines, in quarters, 1 or more. dpi: of the desktop's settings or of the screen, 0
 * when unknown: then a 1440th of the height; 96 is 1. It leaves a screen at least 600 lines, since what screens say of their size may be
 * wrong. In full screen, which is looked at from afar, it is at least a 1080th of the height. */
double window_text_scale_for(double dpi, int32_t screen_height, bool is_full_screen);

/** Xft.dpi in X's resources, lines of "name: value", where desktops keep the size of text; 0 when it is not
 * there. */
double window_resources_dpi(const char *resources);

#endif
