/* See color_distance.h. */
#include "viewer/explain/color_distance.h"

#include <assert.h>
#include <math.h>

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
