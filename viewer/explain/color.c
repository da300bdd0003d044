/* See color.h. */
#include "viewer/explain/color.h"

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
