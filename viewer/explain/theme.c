/* See theme.h. */
#include "viewer/explain/theme.h"

#include <assert.h>

#include "viewer/explain/color_distance.h"

static const struct {
    color dark, light;
} parts[THEME_COUNT] = {
    [THEME_GROUND] = {0xff15181du, 0xffdfe3e8u},
    [THEME_WORLD] = {0xff181c22u, 0xfff7f9fbu},
    [THEME_GRID] = {0xff232830u, 0xffe6eaeeu},
    [THEME_BORDER] = {0xff3a424eu, 0xff9aa5b1u},
    [THEME_OBSTACLE] = {0xff3b4150u, 0xffc9d0d9u},
    [THEME_OBSTACLE_EDGE] = {0xff747c8cu, 0xff7d8896u},
    [THEME_WALL] = {0xff8a93a3u, 0xff5b6573u},
    [THEME_PATH] = {0xff20262fu, 0xffe9edf2u},
    [THEME_PATH_EDGE] = {0xff2f3743u, 0xffccd4ddu},
    [THEME_PATH_LINE] = {0xff7f8d9fu, 0xff6a7889u},
    [THEME_FLOW] = {0xff4f81aeu, 0xff4a7eaeu},
    [THEME_FLOW_SECOND] = {0xffa6814fu, 0xff9a6f32u},
    [THEME_OUTLINE] = {0xff0a0c0fu, 0xffffffffu},
    [THEME_TARGET] = {0xffff6b6bu, 0xffb81c26u},
    [THEME_VELOCITY] = {0xff7ee787u, 0xff14662cu},
    [THEME_DESIRED] = {0xffe8eef6u, 0xff24292fu},
    [THEME_STEERING] = {0xffff7bd5u, 0xffa3107cu},
    [THEME_TEXT] = {0xffe6eaefu, 0xff1b2129u},
    [THEME_TEXT_DIM] = {0xffa8b0bau, 0xff4b5561u},
    [THEME_ACCENT] = {0xff58a6ffu, 0xff0757b8u},
    [THEME_OK] = {0xff3fb950u, 0xff14662cu},
    [THEME_WARN] = {0xffe3b341u, 0xff7d5200u},
    [THEME_BAD] = {0xffff6b5eu, 0xffb3171fu},
    [THEME_SELECTED] = {0xffffffffu, 0xff000000u},
    [THEME_NEIGHBOR] = {0xffb8d8e0u, 0xff2f6f80u},
    [THEME_RADIUS] = {0xff6f8fb8u, 0xff4a6a94u},
    [THEME_PANEL] = {0xff1b1f26u, 0xfff0f3f6u},
    [THEME_PANEL_EDGE] = {0xff2d343fu, 0xffc8d0d9u},
    [THEME_LEGEND] = {0xff1b1f26u, 0xfff0f3f6u},
    [THEME_CAPTION] = {0xd81b1f26u, 0xe6f0f3f6u},
    [THEME_AGENT_OUTLINE] = {0xff0a0c0fu, 0xff0a0c0fu},
    [THEME_FAINT] = {0xff929ca9u, 0xff57616du},
    [THEME_CURVE] = {0xffe69f00u, 0xffb35900u},
    [THEME_POP] = {0xfa1e232bu, 0xfafafbfcu},
    [THEME_POP_EDGE] = {0xff3d4653u, 0xffaab4bfu},
    [THEME_WELL] = {0xff12151au, 0xffffffffu},
    [THEME_SHADE] = {0x8015181du, 0x90aab4bfu},
    [THEME_GLOW] = {0x18ffffffu, 0x14000000u},
    [THEME_BUTTON] = {0xff252b34u, 0xffdde3eau},
    [THEME_BUTTON_OVER] = {0xff323b47u, 0xffcfd8e2u},
    [THEME_BUTTON_DOWN] = {0xff3d4856u, 0xffc0ccd9u},
    [THEME_FRAME] = {0xff2d343fu, 0xffdbe1e8u},
    [THEME_FRAME_OVER] = {0xff38414eu, 0xffcfd8e2u},
    [THEME_FRAME_DOWN] = {0xff414c5bu, 0xffc0ccd9u},
    [THEME_FRAME_EDGE] = {0xff4c5766u, 0xff9aa5b1u},
    [THEME_GRIP] = {0xff3d4653u, 0xffb4bec9u},
    [THEME_GRIP_OVER] = {0xff4c5766u, 0xff9aa5b1u},
    [THEME_GRIP_DOWN] = {0xff5a6777u, 0xff7d8896u},
    [THEME_KNOB] = {0xffffffffu, 0xff38424du},
    [THEME_PLAYED] = {0xff3774b8u, 0xff5b9be0u},
    [THEME_ROW] = {0xff2a3a50u, 0xffcfe2f9u},
    [THEME_ROW_OVER] = {0xff2f4059u, 0xffc4dbf8u},
    [THEME_ROW_DOWN] = {0xff354a68u, 0xffb9d6f7u},
    [THEME_SECTION] = {0xff20262eu, 0xffe2e8eeu},
    [THEME_LIT] = {0xff323b47u, 0xffcfdbe8u},
    [THEME_MARKED] = {0xff2f4f74u, 0xffb9d6f7u},
    [THEME_TOOL] = {0xf02a3a50u, 0xf0dcebfdu},
    [THEME_HINT] = {0xf03a3423u, 0xf0fdf3d6u},
    [THEME_AGREE] = {0xff2f6db5u, 0xff2f6db5u},
    [THEME_CAUTION] = {0xff8a6414u, 0xff8a6414u},
    [THEME_GRAVE] = {0xffa8432fu, 0xffa8432fu},
    [THEME_ON_BUTTON] = {0xffffffffu, 0xffffffffu},
    [THEME_ON_WARN] = {0xff0a0c0fu, 0xffffffffu},
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
