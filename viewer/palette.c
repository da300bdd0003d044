/* See palette.h. */
#include "viewer/palette.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const struct {
    const char *state;
    color fill;
} known[] = {
    {"wander", 0xff9aa0a6u}, {"idle", 0xff9aa0a6u},   {"rest", 0xff8f83c4u},   {"seek", 0xff00b386u},
    {"arrive", 0xff2cc5c0u}, {"pursue", 0xffe69f00u}, {"follow", 0xff5ec4f0u}, {"drift", 0xff8fd8b4u},
    {"hide", 0xffd7a86eu},   {"flee", 0xffff8a3du},   {"evade", 0xffe8542cu},  {"velocity", 0xffd9c75bu},
};

/* Far from each other and from the ones above, none dark on the ground. */
static const color spare[] = {
    0xff6aa9ffu, 0xffc792eau, 0xfff2a7c3u, 0xffb5d56au, 0xff5ec4f0u, 0xffd7a86eu, 0xffa3b1ffu, 0xff8fd8b4u,
};

color palette_state(const char *state) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].state, state) == 0) {
            return known[i].fill;
        }
    }
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *c = state; *c != '\0'; c++) {
        hash = (hash ^ (uint32_t)(unsigned char)*c) * 16777619u;
    }
    return spare[(hash ^ (hash >> 16)) % (sizeof spare / sizeof spare[0])];
}
