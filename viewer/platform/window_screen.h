/* The screens as SDL and X tell of them: how much room there is, how large text is. Calls SDL. */
#ifndef DROVER_VIEWER_PLATFORM_WINDOW_SCREEN_H
#define DROVER_VIEWER_PLATFORM_WINDOW_SCREEN_H

#include <stdbool.h>

#include "viewer/platform/window_def.h"
#include "viewer/platform/window_fit.h"

/** What the desktop leaves free of this display, its px; an empty area without a screen. */
struct window_area window_screen_area(int display);
/** The size of text and lines that suits this display. */
float window_screen_text_scale(int display, bool is_full_screen);
/** Where a new window goes: as large as was asked for, as far as the screen has room; its frame is not known
 * yet. */
struct window_area window_screen_first_area(const struct window_def *def);

#endif
