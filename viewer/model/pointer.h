/* The pointer of the mouse, as the window says. A plain value. */
#ifndef DROVER_VIEWER_MODEL_POINTER_H
#define DROVER_VIEWER_MODEL_POINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/vec2.h"

struct pointer {
    vec2 at;             /* picture px */
    vec2 pressed_at;     /* picture px: where the left button went down last */
    vec2 seen_at;        /* picture px: where it was in the last frame; nowhere beside the window */
    bool is_over_window; /* else `at` is where it left */
    bool has_moved;      /* since its place was last sent to the server */
    bool is_pressed;     /* the left button is down, and went down beside the panels */
    bool is_finger;      /* the left button is a finger, which leads what it drags */
    bool has_agent;      /* the left button went down on an agent: */
    uint32_t agent;      /* its id */
    bool is_on_panels;   /* it is down, and went down on a panel */
    bool is_panning;     /* the right button is down, and went down beside the panels */
    double moved_ms;     /* when it last moved */
};

#endif
