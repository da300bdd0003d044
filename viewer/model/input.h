/* What a hand does at the window or in the page: keys, events, the pointer, and the agent that is selected. Plain values, without SDL. */
#ifndef DROVER_VIEWER_MODEL_INPUT_H
#define DROVER_VIEWER_MODEL_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/vec2.h"

/* What a hand did at the window or in the page: keys, text, the pointer. A plain value, without SDL. */

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

/* The key codes the shortcuts use: SDL_Keycode's values, for code that is built without SDL. */

enum key_code {
    KEY_BACKSPACE = 8,
    KEY_TAB = 9,
    KEY_RETURN = 13,
    KEY_ESCAPE = 27,
    KEY_SPACE = ' ',
    KEY_COMMA = ',',
    KEY_MINUS = '-',
    KEY_PERIOD = '.',
    KEY_0 = '0',
    KEY_1 = '1',
    KEY_2 = '2',
    KEY_3 = '3',
    KEY_4 = '4',
    KEY_5 = '5',
    KEY_6 = '6',
    KEY_7 = '7',
    KEY_8 = '8',
    KEY_9 = '9',
    KEY_EQUALS = '=',
    KEY_LEFT_BRACKET = '[',
    KEY_RIGHT_BRACKET = ']',
    KEY_A = 'a',
    KEY_B = 'b',
    KEY_C = 'c',
    KEY_D = 'd',
    KEY_E = 'e',
    KEY_F = 'f',
    KEY_G = 'g',
    KEY_H = 'h',
    KEY_I = 'i',
    KEY_J = 'j',
    KEY_K = 'k',
    KEY_L = 'l',
    KEY_M = 'm',
    KEY_N = 'n',
    KEY_O = 'o',
    KEY_P = 'p',
    KEY_Q = 'q',
    KEY_R = 'r',
    KEY_S = 's',
    KEY_T = 't',
    KEY_U = 'u',
    KEY_V = 'v',
    KEY_W = 'w',
    KEY_X = 'x',
    KEY_Y = 'y',
    KEY_Z = 'z',
    KEY_DELETE = 127,
    KEY_F1 = 0x4000003a,
    KEY_F2 = 0x4000003b,
    KEY_F3 = 0x4000003c,
    KEY_F4 = 0x4000003d,
    KEY_F5 = 0x4000003e,
    KEY_F6 = 0x4000003f,
    KEY_F7 = 0x40000040,
    KEY_F8 = 0x40000041,
    KEY_F9 = 0x40000042,
    KEY_F10 = 0x40000043,
    KEY_F11 = 0x40000044,
    KEY_F12 = 0x40000045,
    KEY_HOME = 0x4000004a,
    KEY_PAGE_UP = 0x4000004b,
    KEY_END = 0x4000004d,
    KEY_PAGE_DOWN = 0x4000004e,
    KEY_RIGHT = 0x4000004f,
    KEY_LEFT = 0x40000050,
    KEY_DOWN = 0x40000051,
    KEY_UP = 0x40000052,
    KEY_PAD_MINUS = 0x40000056,
    KEY_PAD_PLUS = 0x40000057,
    KEY_PAD_ENTER = 0x40000058,
};

/* The pointer of the mouse, as the window says. A plain value. */

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

/* The agent that was clicked, whether the camera follows it, and which of its arrows is pointed at. A plain value. */

#ifdef __cplusplus
extern "C" {
#endif

/** What of the selected agent is pointed at, in the picture or in its equations: the other one lights up too. */
enum lit_what { LIT_NOTHING, LIT_VELOCITY, LIT_DESIRED, LIT_STEERING, LIT_TERM, LIT_PART, LIT_POINT };

struct lit {
    enum lit_what what;
    int term, part, point; /* indices in the answer to inspect; -1 where they do not matter */
};

/** has_agent false: no agent is selected, is_following is false and id means nothing. */
struct selection {
    bool has_agent, is_following;
    uint32_t id;
    struct lit lit;
};

/** Whether this agent is the selected one. */
static inline bool selection_is(const struct selection *selection, uint32_t id) {
    return selection->has_agent && selection->id == id;
}

#ifdef __cplusplus
}
#endif

#endif
