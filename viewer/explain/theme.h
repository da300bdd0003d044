/* The colors of the window's parts on a dark and on a light ground. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_THEME_H
#define DROVER_VIEWER_EXPLAIN_THEME_H

#include "viewer/explain/color.h"
#include "viewer/model/view_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

enum theme_part {
    THEME_GROUND, /* outside the world */
    THEME_WORLD,  /* inside it */
    THEME_GRID,
    THEME_BORDER,
    THEME_OBSTACLE,
    THEME_OBSTACLE_EDGE,
    THEME_WALL,
    THEME_PATH, /* the corridor */
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

#ifdef __cplusplus
}
#endif

#endif
