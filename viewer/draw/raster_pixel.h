/* Pixel arithmetic for the files of the raster alone: one pixel over another, coordinates as whole pixels. */
#ifndef DROVER_VIEWER_DRAW_RASTER_PIXEL_H
#define DROVER_VIEWER_DRAW_RASTER_PIXEL_H

#include "viewer/explain/theme.h"

/* fminf and fmaxf are calls into the math library, for the sake of NaN. */
static inline float min_float(float a, float b) {
    return a < b ? a : b;
}

static inline float max_float(float a, float b) {
    return a > b ? a : b;
}

static inline int32_t clamp_int(int32_t value, int32_t low, int32_t high) {
    return value < low ? low : value > high ? high : value;
}

/* Far coordinates are clamped before they become integers: the conversion of a float out of range is
 * undefined. */
static inline int32_t floor_clamped(float value, int32_t low, int32_t high) {
    if (!(value > (float)low)) {
        return low;
    }
    if (value >= (float)high) {
        return high;
    }
    const int32_t whole = (int32_t)value; /* towards 0 */
    return clamp_int(whole - ((float)whole > value ? 1 : 0), low, high);
}

static inline int32_t ceil_clamped(float value, int32_t low, int32_t high) {
    if (!(value > (float)low)) {
        return low;
    }
    if (value >= (float)high) {
        return high;
    }
    const int32_t whole = (int32_t)value;
    return clamp_int(whole + ((float)whole < value ? 1 : 0), low, high);
}

/* alpha 0..255 */
static inline uint32_t blend(uint32_t under, uint32_t over, uint32_t alpha) {
    const uint32_t keep = 255 - alpha;
    const uint32_t red_blue = (under & 0xff00ffu) * keep + (over & 0xff00ffu) * alpha + 0x800080u;
    const uint32_t green = (under & 0x00ff00u) * keep + (over & 0x00ff00u) * alpha + 0x008000u;
    const uint32_t red_blue_8 = (red_blue + ((red_blue >> 8) & 0xff00ffu)) >> 8;
    const uint32_t green_8 = (green + ((green >> 8) & 0x00ff00u)) >> 8;
    return 0xff000000u | (red_blue_8 & 0xff00ffu) | (green_8 & 0x00ff00u);
}

static inline void blend_coverage(uint32_t *pixel, color over, float coverage) {
    const uint32_t alpha = (uint32_t)((float)(over >> 24) * coverage + 0.5f);
    if (alpha == 255) {
        *pixel = over;
    } else if (alpha != 0) {
        *pixel = blend(*pixel, over, alpha);
    }
}

#endif
