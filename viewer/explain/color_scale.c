/* See color_scale.h. */
#include "viewer/explain/color_scale.h"

#include <math.h>
#include <stdio.h>

#include "viewer/explain/theme.h"

static const float full_turn = 6.28318531f;

/* ---- directions ---- */

static float straight(float bent) {
    const float cube = bent * bent * bent;
    return cube > 216.0f / 24389.0f ? cube : (116.0f * bent - 16.0f) * 27.0f / 24389.0f;
}

static uint32_t byte_of(float linear) {
    const float value = fminf(fmaxf(linear, 0.0f), 1.0f);
    const float curved = value <= 0.0031308f ? 12.92f * value : 1.055f * powf(value, 1.0f / 2.4f) - 0.055f;
    return (uint32_t)(curved * 255.0f + 0.5f);
}

/* CIELAB to sRGB. */
static color from_lab(float l, float a, float b) {
    const float fy = (l + 16.0f) / 116.0f;
    const float x = 0.95047f * straight(fy + a / 500.0f), y = straight(fy),
                z = 1.08883f * straight(fy - b / 200.0f);
    return 0xff000000u | byte_of(3.2404542f * x - 1.5371385f * y - 0.4985314f * z) << 16 |
           byte_of(-0.9692660f * x + 1.8760108f * y + 0.0415560f * z) << 8 |
           byte_of(0.0556434f * x - 0.2040259f * y + 1.0572252f * z);
}

color color_scale_heading(enum palette palette, float turn) {
    const bool is_light = theme_is_light(palette);
    const float lightness = is_light ? 54.0f : 74.0f, chroma = is_light ? 40.0f : 44.0f;
    const float hue = (turn + 0.09f) * full_turn; /* red to the right */
    return from_lab(lightness, chroma * cosf(hue), chroma * sinf(hue));
}

/* ---- numbers ---- */

static color along(const color *steps, int count, float share) {
    const float last = (float)(count - 1);
    const float at = (share > 0.0f ? fminf(share, 1.0f) : 0.0f) * last;
    const int low = at >= last ? count - 2 : (int)at;
    return color_mix(steps[low], steps[low + 1], at - (float)low);
}

color color_scale_value(enum palette palette, float share) {
    static const color dark[] = {0xff6f66b8u, 0xff4a8fc7u, 0xff3fb8a8u, 0xff9bd65au, 0xfffbf06bu};
    static const color light[] = {0xff7f97c9u, 0xff3f86b0u, 0xff12776bu, 0xff2c5b1bu, 0xff3a2a00u};
    return along(theme_is_light(palette) ? light : dark, 5, share);
}

color color_scale_heat(enum palette palette, float share) {
    static const color dark[] = {0xff181c22u, 0xff2b2f5eu, 0xff5b3a86u, 0xffa14a7fu,
                                 0xffe0705au, 0xfff6c667u, 0xfffdf3c8u};
    static const color light[] = {0xfff7f9fbu, 0xfff6dfb0u, 0xffeeb06au, 0xffd9754fu,
                                  0xffa8456du, 0xff653a83u, 0xff2b2452u};
    return along(theme_is_light(palette) ? light : dark, 7, share);
}

/* ---- scales ---- */

static void write_number(char *out, size_t size, float value) {
    (void)snprintf(out, size, value < 1.0f && value > 0.0f ? "%.1f" : "%.0f", (double)value);
}

struct color_scale color_scale_of_headings(enum palette palette) {
    struct color_scale scale = {.title = "heading",
                                .low = "right",
                                .first_quarter = "down",
                                .middle = "left",
                                .last_quarter = "up",
                                .high = "right",
                                .is_cyclic = true};
    for (int i = 0; i < COLOR_SCALE_STEPS; i++) {
        scale.steps[i] = color_scale_heading(palette, (float)i / (float)(COLOR_SCALE_STEPS - 1));
    }
    return scale;
}

struct color_scale color_scale_of_values(enum palette palette, const char *title, float high) {
    struct color_scale scale = {.low = "0"};
    (void)snprintf(scale.title, sizeof scale.title, "%s", title);
    write_number(scale.high, sizeof scale.high, high);
    for (int i = 0; i < COLOR_SCALE_STEPS; i++) {
        scale.steps[i] = color_scale_value(palette, (float)i / (float)(COLOR_SCALE_STEPS - 1));
    }
    return scale;
}

float color_scale_round(float value) {
    float unit = 1.0f;
    while (unit < 1e9f && unit * 10.0f <= value) {
        unit *= 10.0f;
    }
    return value <= unit          ? unit
           : value <= 2.0f * unit ? 2.0f * unit
           : value <= 5.0f * unit ? 5.0f * unit
                                  : 10.0f * unit;
}
