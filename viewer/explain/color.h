/* Colors as one word. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_COLOR_H
#define DROVER_VIEWER_EXPLAIN_COLOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** 0xAArrggbb, alpha not multiplied in. */
typedef uint32_t color;

/** The color with its alpha multiplied by 0 <= factor <= 1. */
color color_fade(color c, float factor);
/** The way from a (0) to b (1), alpha included. */
color color_mix(color a, color b, float amount);

#ifdef __cplusplus
}
#endif

#endif
