/* See shapes.h. */
#include "viewer/draw/shapes.h"

#include <assert.h>
#include <math.h>

static const vec2 dart[] = {{1.15f, 0.0f}, {-0.85f, 0.74f}, {-0.55f, 0.0f}, {-0.85f, -0.74f}};
static const vec2 triangle[] = {{1.15f, 0.0f}, {-0.72f, 0.62f}, {-0.72f, -0.62f}};
static const vec2 kite[] = {{1.1f, 0.0f}, {-0.15f, 0.66f}, {-1.0f, 0.0f}, {-0.15f, -0.66f}};
static const vec2 shuttle[] = {
    {1.1f, 0.0f}, {0.35f, 0.52f}, {-0.8f, 0.52f}, {-0.8f, -0.52f}, {0.35f, -0.52f}};
static const vec2 barb[] = {{1.2f, 0.0f},   {-0.95f, 0.86f}, {-0.4f, 0.22f},
                            {-0.95f, 0.0f}, {-0.4f, -0.22f}, {-0.95f, -0.86f}};
static const vec2 beetle[] = {{0.95f, 0.3f},   {0.35f, 0.7f},  {-0.5f, 0.7f},  {-0.9f, 0.25f},
                              {-0.9f, -0.25f}, {-0.5f, -0.7f}, {0.35f, -0.7f}, {0.95f, -0.3f}};

#define SHAPE_ROW(points)                                                                                    \
    { points, (int)(sizeof points / sizeof points[0]) }
static const struct {
    const vec2 *points;
    int count;
} shapes[SHAPE_COUNT] = {
    [SHAPE_DART] = SHAPE_ROW(dart), [SHAPE_TRIANGLE] = SHAPE_ROW(triangle),
    [SHAPE_KITE] = SHAPE_ROW(kite), [SHAPE_SHUTTLE] = SHAPE_ROW(shuttle),
    [SHAPE_BARB] = SHAPE_ROW(barb), [SHAPE_BEETLE] = SHAPE_ROW(beetle),
};

const vec2 *shapes_points(enum shape shape, int *count) {
    assert((int)shape >= 0 && shape < SHAPE_COUNT);
    *count = shapes[shape].count;
    return shapes[shape].points;
}

void shapes_shift_outline(const vec2 *points, int count, float by, float least_cosine, vec2 *shifted) {
    assert(count >= 3 && least_cosine > 0.0f);
    for (int i = 0; i < count; i++) {
        const vec2 before = vec2_sub(points[i], points[(i + count - 1) % count]);
        const vec2 after = vec2_sub(points[(i + 1) % count], points[i]);
        const vec2 n0 = vec2_with_length(vec2_make(before.y, -before.x), 1.0f);
        const vec2 n1 = vec2_with_length(vec2_make(after.y, -after.x), 1.0f);
        const vec2 middle = vec2_with_length(vec2_add(n0, n1), 1.0f);
        shifted[i] = vec2_add(points[i], vec2_scale(middle, by / fmaxf(vec2_dot(middle, n0), least_cosine)));
    }
}

int shapes_outline(enum shape shape, vec2 center, float radius, vec2 direction, float outline_px,
                   vec2 *points, vec2 *grown) {
    int count;
    const vec2 *corners = shapes_points(shape, &count);
    const vec2 along = vec2_scale(direction, radius);
    for (int i = 0; i < count; i++) {
        points[i] = vec2_make(center.x + corners[i].x * along.x - corners[i].y * along.y,
                              center.y + corners[i].x * along.y + corners[i].y * along.x);
    }
    shapes_shift_outline(points, count, outline_px, SHAPES_LEAST_COSINE, grown);
    return count;
}
