/* The colors of curves and sessions, and the shapes of kinds. Pure. */
#ifndef DROVER_VIEWER_DRAW_PALETTE_H
#define DROVER_VIEWER_DRAW_PALETTE_H

#include "viewer/draw/raster.h"
#include "viewer/draw/shapes.h"
#include "viewer/model/view_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PALETTE_SERIES = 8 };

/** The color of number `index` of a series (sessions' cursors), on the ground of the palette. */
color palette_series(enum palette palette, int index);
/** The shape of the scenario's kind number `index`. */
enum shape palette_shape(int index);

#ifdef __cplusplus
}
#endif

#endif
