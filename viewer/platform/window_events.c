/* See window_events.h. */
#include "viewer/platform/window_events.h"

#include <SDL.h>
#include <stdio.h>

/* The middle of the pixel. */
static vec2 window_point(int x, int y) {
    return vec2_make((float)x + 0.5f, (float)y + 0.5f);
}

static void set_modifiers(struct input_event *event, unsigned held) {
    event->has_shift = (held & (unsigned)KMOD_SHIFT) != 0;
    event->has_control = (held & (unsigned)KMOD_CTRL) != 0;
    event->has_alt = (held & (unsigned)KMOD_ALT) != 0;
}

static void take_key(struct input_event *event, const SDL_KeyboardEvent *from) {
    event->type = INPUT_KEY;
    event->key = from->keysym.sym;
    event->is_down = from->state == SDL_PRESSED;
    event->is_repeat = from->repeat != 0;
    set_modifiers(event, from->keysym.mod);
}

static void take_button(struct input_event *event, const SDL_MouseButtonEvent *from) {
    event->type = INPUT_BUTTON;
    event->at = window_point(from->x, from->y);
    event->button = from->button == SDL_BUTTON_LEFT ? INPUT_BUTTON_LEFT : INPUT_BUTTON_OTHER;
    event->is_down = from->state == SDL_PRESSED;
    event->clicks = from->clicks;
    event->is_finger = from->which == SDL_TOUCH_MOUSEID;
}

/* what: enum SDL_WindowEventID */
static enum input_type window_type(uint8_t what) {
    switch (what) {
    case SDL_WINDOWEVENT_EXPOSED:
    case SDL_WINDOWEVENT_SIZE_CHANGED:
        return INPUT_EXPOSED;
    case SDL_WINDOWEVENT_RESIZED:
        return INPUT_RESIZED;
    case SDL_WINDOWEVENT_LEAVE:
        return INPUT_LEFT;
    default:
        return INPUT_OTHER;
    }
}

bool window_next_event(struct input_event *event) {
    SDL_Event from;
    if (SDL_PollEvent(&from) == 0) {
        return false;
    }
    *event = (struct input_event){.type = INPUT_OTHER};
    set_modifiers(event, (unsigned)SDL_GetModState());
    switch (from.type) {
    case SDL_QUIT:
        event->type = INPUT_QUIT;
        break;
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        take_key(event, &from.key);
        break;
    case SDL_TEXTINPUT:
        event->type = INPUT_TEXT;
        (void)snprintf(event->text, sizeof event->text, "%s", from.text.text);
        break;
    case SDL_MOUSEMOTION:
        event->type = INPUT_MOTION;
        event->at = window_point(from.motion.x, from.motion.y);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        take_button(event, &from.button);
        break;
    case SDL_MOUSEWHEEL:
        event->type = INPUT_WHEEL;
        event->wheel = (float)from.wheel.y;
        break;
    case SDL_WINDOWEVENT:
        event->type = window_type(from.window.event);
        break;
    default:
        break;
    }
    return true;
}
