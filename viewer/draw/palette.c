/* See palette.h. */
#include "viewer/draw/palette.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const struct {
    const char *state;
    color fill[2]; /* safe, classic */
} known[] = {
    {"wander", {0xff9aa0a6u, 0xff9aa0a6u}}, {"idle", {0xff9aa0a6u, 0xff9aa0a6u}},
    {"rest", {0xff8f83c4u, 0xff8f83c4u}},   {"seek", {0xff56b4e9u, 0xff00b386u}},
    {"arrive", {0xff3fd0b4u, 0xff2cc5c0u}}, {"pursue", {0xfff0e442u, 0xffe69f00u}},
    {"follow", {0xff9ecbffu, 0xff5ec4f0u}}, {"drift", {0xff8fd8b4u, 0xff8fd8b4u}},
    {"hide", {0xffd7a86eu, 0xffd7a86eu}},   {"flee", {0xfff29a2eu, 0xffff8a3du}},
    {"evade", {0xffe8641au, 0xffe8542cu}},  {"velocity", {0xffd9c75bu, 0xffd9c75bu}},
};

/* Far from each other and from the ones above, none dark on the ground. */
static const color spare[] = {
    0xff6aa9ffu, 0xffc792eau, 0xfff2a7c3u, 0xffb5d56au, 0xff5ec4f0u, 0xffd7a86eu, 0xffa3b1ffu, 0xff8fd8b4u,
};

/* Okabe and Ito's colors, the dark ones lifted for a dark ground. */
static const color series[PALETTE_SERIES] = {
    0xff56b4e9u, 0xffe69f00u, 0xff2fbf93u, 0xfff0e442u, 0xffcc79a7u, 0xffe8641au, 0xffc3c9d1u, 0xff8f83e0u,
};

color palette_state(enum palette palette, const char *state) {
    assert(palette == PALETTE_SAFE || palette == PALETTE_CLASSIC);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].state, state) == 0) {
            return known[i].fill[palette];
        }
    }
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *c = state; *c != '\0'; c++) {
        hash = (hash ^ (uint32_t)(unsigned char)*c) * 16777619u;
    }
    return spare[(hash ^ (hash >> 16)) % (sizeof spare / sizeof spare[0])];
}

color palette_series(int index) {
    return series[index < 0 ? 0 : index % PALETTE_SERIES];
}

/* Lightness rises all the way, so it reads without color as well. */
color palette_heat(float share) {
    static const color steps[] = {PALETTE_WORLD, 0xff2b2f5eu, 0xff5b3a86u, 0xffa14a7fu,
                                  0xffe0705au,   0xfff6c667u, 0xfffdf3c8u};
    const int last_step = (int)(sizeof steps / sizeof steps[0]) - 1;
    const float last = (float)last_step;
    const float at = (share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share) * last;
    const int low = at >= last ? last_step - 1 : (int)at;
    return color_mix(steps[low], steps[low + 1], at - (float)low);
}

enum shape palette_shape(int index) {
    return (enum shape)(index < 0 ? 0 : index % SHAPE_COUNT);
}
