/* See theme.h. */
#include "viewer/explain/theme.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* ---- colors ---- */

color color_fade(color c, float factor) {
    const float clamped = factor < 0.0f ? 0.0f : factor > 1.0f ? 1.0f : factor;
    return (c & 0xffffffu) | ((uint32_t)((float)(c >> 24) * clamped + 0.5f) << 24);
}

color color_mix(color a, color b, float amount) {
    const float part = amount < 0.0f ? 0.0f : amount > 1.0f ? 1.0f : amount;
    color mixed = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        const float from = (float)((a >> shift) & 0xffu);
        const float to = (float)((b >> shift) & 0xffu);
        mixed |= (uint32_t)(from + (to - from) * part + 0.5f) << shift;
    }
    return mixed;
}

/* ---- how far apart two colors look ---- */

/* What is left of linear red, green and blue. */
static const float visions[VISION_COUNT][3][3] = {
    [VISION_NORMAL] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}},
    [VISION_PROTANOPIA] = {{0.152286f, 1.052583f, -0.204868f},
                           {0.114503f, 0.786281f, 0.099216f},
                           {-0.003882f, -0.048116f, 1.051998f}},
    [VISION_DEUTERANOPIA] = {{0.367322f, 0.860646f, -0.227968f},
                             {0.280085f, 0.672501f, 0.047413f},
                             {-0.011820f, 0.042940f, 0.968881f}},
};

/* Linear sRGB to CIE XYZ, each row divided by the white point D65. */
static const float to_xyz[3][3] = {
    {0.433953f, 0.376219f, 0.189828f}, {0.212673f, 0.715152f, 0.072175f}, {0.017758f, 0.109477f, 0.872766f}};

static float linear(uint32_t part) {
    const float value = (float)part / 255.0f;
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static float bent(float value) {
    return value > 216.0f / 24389.0f ? cbrtf(value) : (24389.0f / 27.0f * value + 16.0f) / 116.0f;
}

static void apply(const float matrix[3][3], const float in[3], float out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = matrix[i][0] * in[0] + matrix[i][1] * in[1] + matrix[i][2] * in[2];
    }
}

static float luminance(color c) {
    return to_xyz[1][0] * linear(c >> 16 & 0xffu) + to_xyz[1][1] * linear(c >> 8 & 0xffu) +
           to_xyz[1][2] * linear(c & 0xffu);
}

float color_contrast(color a, color b) {
    const float one = luminance(a) + 0.05f, other = luminance(b) + 0.05f;
    return fmaxf(one, other) / fminf(one, other);
}

struct color_seen color_seen_of(color c) {
    const float rgb[3] = {linear(c >> 16 & 0xffu), linear(c >> 8 & 0xffu), linear(c & 0xffu)};
    struct color_seen seen;
    for (int v = 0; v < VISION_COUNT; v++) {
        float left[3], xyz[3];
        apply(visions[v], rgb, left);
        for (int i = 0; i < 3; i++) {
            left[i] = fminf(fmaxf(left[i], 0.0f), 1.0f);
        }
        apply(to_xyz, left, xyz);
        seen.lab[v][0] = 116.0f * bent(xyz[1]) - 16.0f;
        seen.lab[v][1] = 500.0f * (bent(xyz[0]) - bent(xyz[1]));
        seen.lab[v][2] = 200.0f * (bent(xyz[1]) - bent(xyz[2]));
    }
    return seen;
}

float color_seen_distance(const struct color_seen *a, const struct color_seen *b, enum vision vision) {
    assert((int)vision >= 0 && vision < VISION_COUNT);
    const float *p = a->lab[vision], *q = b->lab[vision];
    return sqrtf((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                 (p[2] - q[2]) * (p[2] - q[2]));
}

float color_seen_least(const struct color_seen *a, const struct color_seen *b) {
    float least = INFINITY;
    for (int v = 0; v < VISION_COUNT; v++) {
        least = fminf(least, color_seen_distance(a, b, (enum vision)v));
    }
    return least;
}

/* ---- the theme ---- */

static const struct {
    color dark, light;
} parts[THEME_COUNT] = {
    [THEME_GROUND] = {0xff15181du, 0xffdfe3e8u},      [THEME_WORLD] = {0xff181c22u, 0xfff7f9fbu},
    [THEME_GRID] = {0xff232830u, 0xffe6eaeeu},        [THEME_BORDER] = {0xff3a424eu, 0xff9aa5b1u},
    [THEME_OBSTACLE] = {0xff3b4150u, 0xffc9d0d9u},    [THEME_OBSTACLE_EDGE] = {0xff747c8cu, 0xff7d8896u},
    [THEME_INSTRUMENT] = {0xffd6a848u, 0xff8a5a00u},  [THEME_WALL] = {0xff8a93a3u, 0xff5b6573u},
    [THEME_PATH] = {0xff20262fu, 0xffe9edf2u},        [THEME_PATH_EDGE] = {0xff2f3743u, 0xffccd4ddu},
    [THEME_PATH_LINE] = {0xff7f8d9fu, 0xff6a7889u},   [THEME_FLOW] = {0xff4f81aeu, 0xff4a7eaeu},
    [THEME_FLOW_SECOND] = {0xffa6814fu, 0xff9a6f32u}, [THEME_OUTLINE] = {0xff0a0c0fu, 0xffffffffu},
    [THEME_TARGET] = {0xffff6b6bu, 0xffb81c26u},      [THEME_VELOCITY] = {0xff7ee787u, 0xff14662cu},
    [THEME_DESIRED] = {0xffe8eef6u, 0xff24292fu},     [THEME_STEERING] = {0xffff7bd5u, 0xffa3107cu},
    [THEME_TEXT] = {0xffe6eaefu, 0xff1b2129u},        [THEME_TEXT_DIM] = {0xffa8b0bau, 0xff4b5561u},
    [THEME_ACCENT] = {0xff58a6ffu, 0xff0757b8u},      [THEME_OK] = {0xff3fb950u, 0xff14662cu},
    [THEME_WARN] = {0xffe3b341u, 0xff7d5200u},        [THEME_BAD] = {0xffff6b5eu, 0xffb3171fu},
    [THEME_SELECTED] = {0xffffffffu, 0xff000000u},    [THEME_NEIGHBOR] = {0xffb8d8e0u, 0xff2f6f80u},
    [THEME_RADIUS] = {0xff6f8fb8u, 0xff4a6a94u},      [THEME_PANEL] = {0xff1b1f26u, 0xfff0f3f6u},
    [THEME_PANEL_EDGE] = {0xff2d343fu, 0xffc8d0d9u},  [THEME_LEGEND] = {0xff1b1f26u, 0xfff0f3f6u},
    [THEME_CAPTION] = {0xd81b1f26u, 0xe6f0f3f6u},     [THEME_AGENT_OUTLINE] = {0xff0a0c0fu, 0xff0a0c0fu},
    [THEME_FAINT] = {0xff929ca9u, 0xff57616du},       [THEME_CURVE] = {0xffe69f00u, 0xffb35900u},
    [THEME_POP] = {0xfa1e232bu, 0xfafafbfcu},         [THEME_POP_EDGE] = {0xff3d4653u, 0xffaab4bfu},
    [THEME_WELL] = {0xff12151au, 0xffffffffu},        [THEME_SHADE] = {0x8015181du, 0x90aab4bfu},
    [THEME_GLOW] = {0x18ffffffu, 0x14000000u},        [THEME_BUTTON] = {0xff252b34u, 0xffdde3eau},
    [THEME_BUTTON_OVER] = {0xff323b47u, 0xffcfd8e2u}, [THEME_BUTTON_DOWN] = {0xff3d4856u, 0xffc0ccd9u},
    [THEME_FRAME] = {0xff2d343fu, 0xffdbe1e8u},       [THEME_FRAME_OVER] = {0xff38414eu, 0xffcfd8e2u},
    [THEME_FRAME_DOWN] = {0xff414c5bu, 0xffc0ccd9u},  [THEME_FRAME_EDGE] = {0xff4c5766u, 0xff9aa5b1u},
    [THEME_GRIP] = {0xff3d4653u, 0xffb4bec9u},        [THEME_GRIP_OVER] = {0xff4c5766u, 0xff9aa5b1u},
    [THEME_GRIP_DOWN] = {0xff5a6777u, 0xff7d8896u},   [THEME_KNOB] = {0xffffffffu, 0xff38424du},
    [THEME_PLAYED] = {0xff3774b8u, 0xff5b9be0u},      [THEME_ROW] = {0xff2a3a50u, 0xffcfe2f9u},
    [THEME_ROW_OVER] = {0xff2f4059u, 0xffc4dbf8u},    [THEME_ROW_DOWN] = {0xff354a68u, 0xffb9d6f7u},
    [THEME_SECTION] = {0xff20262eu, 0xffe2e8eeu},     [THEME_LIT] = {0xff323b47u, 0xffcfdbe8u},
    [THEME_MARKED] = {0xff2f4f74u, 0xffb9d6f7u},      [THEME_TOOL] = {0xf02a3a50u, 0xf0dcebfdu},
    [THEME_HINT] = {0xf03a3423u, 0xf0fdf3d6u},        [THEME_AGREE] = {0xff2f6db5u, 0xff2f6db5u},
    [THEME_CAUTION] = {0xff8a6414u, 0xff8a6414u},     [THEME_GRAVE] = {0xffa8432fu, 0xffa8432fu},
    [THEME_ON_BUTTON] = {0xffffffffu, 0xffffffffu},   [THEME_ON_WARN] = {0xff0a0c0fu, 0xffffffffu},
};

bool theme_is_light(enum palette palette) {
    return palette == PALETTE_SAFE_LIGHT || palette == PALETTE_CLASSIC_LIGHT;
}

color theme_color(enum palette palette, enum theme_part part) {
    assert((int)part >= 0 && part < THEME_COUNT);
    return theme_is_light(palette) ? parts[part].light : parts[part].dark;
}

color theme_readable(enum palette palette, color words) {
    const float least = 4.5f;
    const color panel = theme_color(palette, THEME_PANEL), text = theme_color(palette, THEME_TEXT);
    color readable = words;
    for (int tenths = 1; tenths <= 10 && color_contrast(readable, panel) < least; tenths++) {
        readable = color_mix(words, text, 0.1f * (float)tenths);
    }
    return readable;
}

/* ---- scales ---- */

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
