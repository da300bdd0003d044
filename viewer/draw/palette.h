/* The viewer's colors. Agents are colored by the state they are in, as in the tutorials,
 * and shaped by their kind. Pure. */
#ifndef DROVER_VIEWER_DRAW_PALETTE_H
#define DROVER_VIEWER_DRAW_PALETTE_H

#include "viewer/draw/raster.h"
#include "viewer/draw/shapes.h"
#include "viewer/model/view_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PALETTE_GROUND        0xff15181du /* outside the world */
#define PALETTE_WORLD         0xff181c22u /* inside it */
#define PALETTE_GRID          0xff232830u
#define PALETTE_BORDER        0xff3a424eu
#define PALETTE_OBSTACLE      0xff3b4150u
#define PALETTE_OBSTACLE_EDGE 0xff747c8cu
#define PALETTE_WALL          0xff8a93a3u
#define PALETTE_PATH          0xff20262fu /* the corridor */
#define PALETTE_PATH_EDGE     0xff2f3743u
#define PALETTE_PATH_LINE     0xff5a6675u
#define PALETTE_FLOW          0xff2f4a63u
#define PALETTE_FLOW_SECOND   0xff5a4a36u
#define PALETTE_OUTLINE       0xff0a0c0fu /* around agents and force arrows */
#define PALETTE_TARGET        0xffff6b6bu
#define PALETTE_VELOCITY      0xff7ee787u
#define PALETTE_DESIRED       0xff79b8ffu
#define PALETTE_STEERING      0xffff7bd5u
#define PALETTE_TEXT          0xffe6eaefu
#define PALETTE_TEXT_DIM      0xffa8b0bau
#define PALETTE_ACCENT        0xff58a6ffu
#define PALETTE_OK            0xff3fb950u
#define PALETTE_WARN          0xffe3b341u
#define PALETTE_BAD           0xffff6b5eu

#define PALETTE_SELECTED 0xffffffffu
#define PALETTE_NEIGHBOR 0xffb8d8e0u /* lines to those that count */
#define PALETTE_RADIUS   0xff6f8fb8u /* perception, wander circle, slowing distance */

enum { PALETTE_SERIES = 8 };

/** The color of a state. The tutorials' states have theirs (classic: wander gray, seek green, pursue orange,
 * evade red; safe: gray, blue, yellow, vermilion); any other name gets one that depends on the name alone, so
 * it is the same in every run. Opaque. */
color palette_state(enum palette palette, const char *state);
/** The color of number `index` of a series (kinds, behaviors, plots). */
color palette_series(int index);
/** The heat of a crowd, from 0 (the world's ground) to 1. */
color palette_heat(float share);
/** The shape of the scenario's kind number `index`. */
enum shape palette_shape(int index);

#ifdef __cplusplus
}
#endif

#endif
