/* Two-dimensional float vectors. Only + - * / and sqrtf, so that every build gives the same bits. */
#ifndef DROVER_COMMON_BASE_VEC2_H
#define DROVER_COMMON_BASE_VEC2_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct vec2 {
    float x, y;
} vec2;

static inline vec2 vec2_make(float x, float y) {
    return (vec2){x, y};
}
/** Whether both have the same bits: 0 and -0 differ, as they do in the hash. */
static inline bool vec2_is_same(vec2 a, vec2 b) {
    return memcmp((const char *)&a, (const char *)&b, sizeof a) == 0;
}
static inline vec2 vec2_add(vec2 a, vec2 b) {
    return (vec2){a.x + b.x, a.y + b.y};
}
static inline vec2 vec2_sub(vec2 a, vec2 b) {
    return (vec2){a.x - b.x, a.y - b.y};
}
static inline vec2 vec2_scale(vec2 a, float s) {
    return (vec2){a.x * s, a.y * s};
}
static inline float vec2_dot(vec2 a, vec2 b) {
    return a.x * b.x + a.y * b.y;
}
/** The z component of a x b: > 0 when b lies clockwise of a on a screen (y down). */
static inline float vec2_cross(vec2 a, vec2 b) {
    return a.x * b.y - a.y * b.x;
}
static inline float vec2_length_squared(vec2 a) {
    return a.x * a.x + a.y * a.y;
}
static inline float vec2_length(vec2 a) {
    return sqrtf(vec2_length_squared(a));
}

/** a scaled to the given length; {0,0} when a is too short to have a direction (|a| < 1e-15). */
static inline vec2 vec2_with_length(vec2 a, float length) {
    const float squared = vec2_length_squared(a);
    if (!(squared > 1e-30f)) {
        return (vec2){0.0f, 0.0f};
    }
    return vec2_scale(a, length / sqrtf(squared));
}

/** a, shortened to limit when longer. limit >= 0. */
static inline vec2 vec2_truncate(vec2 a, float limit) {
    const float squared = vec2_length_squared(a);
    if (squared <= limit * limit) {
        return a;
    }
    return vec2_scale(a, limit / sqrtf(squared));
}

#endif
