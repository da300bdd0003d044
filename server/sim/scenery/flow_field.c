/* See flow_field.h. */
#include "server/sim/scenery/flow_field.h"

#include <stdint.h>

#include "server/sim/math/rng.h"

#define MIDDLE_PX     20.0f /* within this a vortex and a sink slow down */
#define LATTICE_LIMIT 1000  /* points of noise along an axis */

/* The largest integer <= value; |value| is clamped to 1e6. */
static int32_t floor_int(float value) {
    const float held = value > 1e6f ? 1e6f : value < -1e6f ? -1e6f : value;
    const int32_t whole = (int32_t)held;
    return (float)whole > held ? whole - 1 : whole;
}

/* index into 0 .. count - 1: round and round, or held at the ends. */
static int32_t cell_index(int32_t index, int32_t count, bool wraps) {
    if (wraps) {
        const int32_t rest = index % count;
        return rest < 0 ? rest + count : rest;
    }
    return index < 0 ? 0 : index >= count ? count - 1 : index;
}

static vec2 mix(vec2 a, vec2 b, float share) {
    return vec2_add(a, vec2_scale(vec2_sub(b, a), share));
}

static vec2 grid_at(const struct flow_def *flow, const struct bounds *bounds, vec2 place) {
    const bool wraps = bounds->edge == EDGE_WRAP;
    /* In cells, from the center of the first. */
    const float u = place.x / bounds->size.x * (float)flow->columns - 0.5f;
    const float v = place.y / bounds->size.y * (float)flow->rows - 0.5f;
    const int32_t i = floor_int(u), j = floor_int(v);
    const float s = u - (float)i, t = v - (float)j;
    const float share_x = s < 0.0f   ? 0.0f
                          : s > 1.0f ? 1.0f
                                     : s,
                share_y = t < 0.0f   ? 0.0f
                          : t > 1.0f ? 1.0f
                                     : t;
    const int32_t i0 = cell_index(i, flow->columns, wraps), i1 = cell_index(i + 1, flow->columns, wraps);
    const vec2 *row0 = &flow->vectors[cell_index(j, flow->rows, wraps) * flow->columns];
    const vec2 *row1 = &flow->vectors[cell_index(j + 1, flow->rows, wraps) * flow->columns];
    return mix(mix(row0[i0], row0[i1], share_x), mix(row1[i0], row1[i1], share_x), share_y);
}

/* How many lattice points fit an axis, so that the noise repeats with the world. */
static int32_t lattice_count(float size, float scale) {
    const float count = size / scale;
    return count < 1.5f ? 1 : count > (float)LATTICE_LIMIT ? LATTICE_LIMIT : (int32_t)(count + 0.5f);
}

/* The random height of a lattice point, -1 .. 1. */
static float height(uint32_t seed, int32_t i, int32_t j) {
    struct rng rng = rng_begin(seed, (uint64_t)(uint32_t)i, (uint32_t)j, RNG_FLOW_NOISE);
    return rng_between(&rng, -1.0f, 1.0f);
}

/* Smooth from 0 to 1 (with no slope at both ends), and its slope. */
static float ease(float t, float *slope) {
    *slope = 30.0f * t * t * (t * (t - 2.0f) + 1.0f);
    return t * t * t * (t * (6.0f * t - 15.0f) + 10.0f);
}

static vec2 noise_at(const struct flow_def *flow, const struct bounds *bounds, vec2 place) {
    const int32_t columns = lattice_count(bounds->size.x, flow->scale),
                  rows = lattice_count(bounds->size.y, flow->scale);
    const float u = place.x / bounds->size.x * (float)columns, v = place.y / bounds->size.y * (float)rows;
    const int32_t i = floor_int(u), j = floor_int(v);
    const float s = u - (float)i, t = v - (float)j;
    if (!(s >= 0.0f && s <= 1.0f && t >= 0.0f && t <= 1.0f)) {
        return vec2_make(0.0f, 0.0f); /* millions of periods away */
    }
    const int32_t i0 = cell_index(i, columns, true), i1 = cell_index(i + 1, columns, true);
    const int32_t j0 = cell_index(j, rows, true), j1 = cell_index(j + 1, rows, true);
    const float h00 = height(flow->seed, i0, j0), h10 = height(flow->seed, i1, j0);
    const float h01 = height(flow->seed, i0, j1), h11 = height(flow->seed, i1, j1);
    float slope_x, slope_y;
    const float a = ease(s, &slope_x), b = ease(t, &slope_y);
    const float by_x = slope_x * ((h10 - h00) * (1.0f - b) + (h11 - h01) * b);
    const float by_y = slope_y * ((h01 - h00) * (1.0f - a) + (h11 - h10) * a);
    return vec2_truncate(vec2_scale(vec2_make(by_y, -by_x), flow->strength),
                         flow->strength < 0.0f ? -flow->strength : flow->strength);
}

/* `strength` px/s along `away`, less near the middle. */
static vec2 fading(vec2 away, float strength) {
    const float distance = vec2_length(away);
    return vec2_scale(away, strength / (distance > MIDDLE_PX ? distance : MIDDLE_PX));
}

vec2 flow_at(const struct flow_def *flow, const struct bounds *bounds, vec2 place) {
    const vec2 away = bounds_difference(bounds, flow->at, place);
    switch ((enum flow_type)flow->type) {
    case FLOW_UNIFORM:
        return flow->vector;
    case FLOW_VORTEX:
        return fading(vec2_make(-away.y, away.x), flow->strength);
    case FLOW_NOISE:
        return noise_at(flow, bounds, place);
    case FLOW_TOWARDS:
        return fading(away, -flow->strength);
    case FLOW_GRID:
        return grid_at(flow, bounds, place);
    }
    return vec2_make(0.0f, 0.0f);
}
