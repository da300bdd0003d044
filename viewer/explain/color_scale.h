/* Colors for numbers, and the scale that the legend shows. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_COLOR_SCALE_H
#define DROVER_VIEWER_EXPLAIN_COLOR_SCALE_H

#include "viewer/explain/color.h"
#include "viewer/model/view_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

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
