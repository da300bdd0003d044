/* Colors: as one word, how far apart they look, those of the window's parts, and scales of them. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_THEME_H
#define DROVER_VIEWER_EXPLAIN_THEME_H

#include <stdint.h>

#include "viewer/model/view_settings.h"

/* Colors as one word. Pure. */

#ifdef __cplusplus
extern "C" {
#endif

/** 0xAArrggbb, alpha not multiplied in. */
typedef uint32_t color;

/** The color with its alpha multiplied by 0 <= factor <= 1. */
color color_fade(color c, float factor);
/** The way from a (0) to b (1), alpha included. */
color color_mix(color a, color b, float amount);

/* How far apart two colors look, for normal and for color-blind eyes. Pure. */

enum vision { VISION_NORMAL, VISION_PROTANOPIA, VISION_DEUTERANOPIA, VISION_COUNT };

/** A color as points of CIELAB (D65), one for each vision; alpha does not count. */
struct color_seen {
    float lab[VISION_COUNT][3];
};

/** How well the one can be read on the other: 1 (not at all) to 21 (WCAG 2.1); alpha does not count. */
float color_contrast(color a, color b);
/** The color as each vision has it (Machado, Oliveira, Fernandes 2009, severity 1). */
struct color_seen color_seen_of(color c);
/** The distance in CIELAB (CIE76) for one vision. */
float color_seen_distance(const struct color_seen *a, const struct color_seen *b, enum vision vision);
/** The least distance that any of the visions has. */
float color_seen_least(const struct color_seen *a, const struct color_seen *b);

/* The colors of the window's parts on a dark and on a light ground. Pure. */

enum theme_part {
    THEME_GROUND, /* outside the world */
    THEME_WORLD,  /* inside it */
    THEME_GRID,
    THEME_BORDER,
    THEME_OBSTACLE,
    THEME_OBSTACLE_EDGE,
    THEME_WALL,
    THEME_INSTRUMENT, /* gates and areas */
    THEME_PATH,       /* the corridor */
    THEME_PATH_EDGE,
    THEME_PATH_LINE,
    THEME_FLOW,
    THEME_FLOW_SECOND,
    THEME_OUTLINE,       /* around force arrows */
    THEME_AGENT_OUTLINE, /* around agents */
    THEME_TARGET,
    THEME_VELOCITY,
    THEME_DESIRED,
    THEME_STEERING,
    THEME_TEXT,
    THEME_TEXT_DIM,
    THEME_ACCENT,
    THEME_OK,
    THEME_WARN,
    THEME_BAD,
    THEME_SELECTED,
    THEME_NEIGHBOR, /* lines to those that count */
    THEME_RADIUS,   /* a radius of no known behavior */
    THEME_PANEL,
    THEME_PANEL_EDGE,
    THEME_LEGEND,
    THEME_CAPTION, /* see-through: the caption and the network figures */
    THEME_FAINT,   /* text beside text: keys, axes, what may not be used */
    THEME_CURVE,   /* of a plot beside the accent's */
    THEME_POP,     /* what opens over the panels */
    THEME_POP_EDGE,
    THEME_WELL,  /* what is typed in, bars, plots */
    THEME_SHADE, /* over the world, behind a question */
    THEME_GLOW,  /* over a button under the pointer */
    THEME_BUTTON,
    THEME_BUTTON_OVER, /* under the pointer */
    THEME_BUTTON_DOWN,
    THEME_FRAME, /* a slider, a check box, the track of a timeline */
    THEME_FRAME_OVER,
    THEME_FRAME_DOWN,
    THEME_FRAME_EDGE,
    THEME_GRIP, /* of a scroll bar */
    THEME_GRIP_OVER,
    THEME_GRIP_DOWN,
    THEME_KNOB, /* of a slider or a timeline */
    THEME_PLAYED,
    THEME_ROW, /* the chosen one of a list */
    THEME_ROW_OVER,
    THEME_ROW_DOWN,
    THEME_SECTION,   /* the head of a part of a panel */
    THEME_LIT,       /* behind words whose arrow is pointed at */
    THEME_MARKED,    /* behind words that typing replaces */
    THEME_TOOL,      /* the line that says what a click does */
    THEME_HINT,      /* the line that says what to do first */
    THEME_AGREE,     /* a button that answers a question, */
    THEME_CAUTION,   /* that changes more than it seems, */
    THEME_GRAVE,     /* that loses something */
    THEME_ON_BUTTON, /* the words on those three */
    THEME_ON_WARN,   /* words on a ground of THEME_WARN */
    THEME_COUNT
};

/** The color of a part on the ground of the palette. */
color theme_color(enum palette palette, enum theme_part part);
/** The color, nearer to that of text where it must be so to be read on a panel. */
color theme_readable(enum palette palette, color words);
/** Whether the palette is for a light ground. */
bool theme_is_light(enum palette palette);

/* Colors for numbers, and the scale that the legend shows. Pure. */

enum { COLOR_SCALE_STEPS = 32 };

/** A row of colors with numbers at its ends. */
struct color_scale {
    char title[32]; /* "speed, px/s"; "" for no scale */
    char low[16], middle[16], high[16];
    char first_quarter[16], last_quarter[16]; /* between them; "" for nothing */
    bool is_cyclic;                           /* both ends are the same */
    color steps[COLOR_SCALE_STEPS];
};

/** A direction: turn 0 is +x, 0.25 is +y, and so on around. All are equally light. */
color color_scale_heading(enum palette palette, float turn);
/** A number from 0 to 1; what is outside counts as the end. The farther from 0, the farther from the ground in
 * lightness. */
color color_scale_value(enum palette palette, float share);
/** The heat of a crowd, from 0 (the world's ground) to 1. */
color color_scale_heat(enum palette palette, float share);

/** The directions, with the names of four. */
struct color_scale color_scale_of_headings(enum palette palette);
/** Numbers from 0 to `high`, a number that is easily read, with a title that names the unit. */
struct color_scale color_scale_of_values(enum palette palette, const char *title, float high);
/** The smallest of 1, 2, 5, 10, 20, 50 ... that is not below the value. */
float color_scale_round(float value);

#ifdef __cplusplus
}
#endif

#endif
