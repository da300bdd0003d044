/* The screens as SDL and X report them: their free room and their size of text. Calls SDL. */
#ifndef DROVER_VIEWER_PLATFORM_WINDOW_SCREEN_H
#define DROVER_VIEWER_PLATFORM_WINDOW_SCREEN_H

#include <stdbool.h>

#include "viewer/platform/window_def.h"
#include "viewer/platform/window_fit.h"

/** The area of this display that the desktop leaves free, its px; empty without a screen. */
struct window_area window_screen_area(int display);
/** The size of text and lines that suits this display. */
float window_screen_text_scale(int display, bool is_full_screen);
/** The place of a new window: the requested size, as far as the screen has room; its frame is not known yet.
 */
struct window_area window_screen_first_area(const struct window_def *def);

#endif
