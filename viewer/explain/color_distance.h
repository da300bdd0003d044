/* How far apart two colors look, for normal and for color-blind eyes. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_COLOR_DISTANCE_H
#define DROVER_VIEWER_EXPLAIN_COLOR_DISTANCE_H

#include "viewer/explain/color.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
