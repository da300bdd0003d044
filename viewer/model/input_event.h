/* What a hand did at the window or in the page: keys, text, the pointer. A plain value, without SDL. */
#ifndef DROVER_VIEWER_MODEL_INPUT_EVENT_H
#define DROVER_VIEWER_MODEL_INPUT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/vec2.h"

enum input_type {
    INPUT_OTHER, /* nothing that the app acts on; the picture may be another, though */
    INPUT_QUIT,
    INPUT_KEY,     /* key, is_down, is_repeat */
    INPUT_TEXT,    /* text */
    INPUT_MOTION,  /* at */
    INPUT_BUTTON,  /* at, button, is_down, clicks */
    INPUT_WHEEL,   /* wheel */
    INPUT_EXPOSED, /* the screen has lost the content of the window */
    INPUT_RESIZED, /* by a person or the desktop */
    INPUT_LEFT,    /* the pointer is over the window no more */
    INPUT_CANCEL,  /* the buttons are up, and nothing was clicked */
    INPUT_GESTURE  /* by, then factor about at: two fingers move and zoom the picture */
};

enum input_button { INPUT_BUTTON_LEFT, INPUT_BUTTON_OTHER };

struct input_event {
    enum input_type type;
    bool has_shift, has_control, has_alt; /* the keys that are held; of every type */
    int32_t key;                          /* enum key_code or another number of SDL_Keycode */
    bool is_down, is_repeat;
    vec2 at; /* window px: the middle of the pixel that the pointer's tip is on */
    enum input_button button;
    int32_t clicks; /* in a row: 1, 2 ... */
    bool is_finger; /* of a screen that is touched; of INPUT_BUTTON */
    vec2 by;        /* window px */
    float factor;   /* > 0 */
    float wheel;    /* notches, > 0 away from the person */
    char text[64];  /* UTF-8 */
};

#endif
