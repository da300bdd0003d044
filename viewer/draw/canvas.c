/* See canvas.h. */
#include "viewer/draw/canvas.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "viewer/draw/shapes.h"

static const float fringe_px = 1.0f;
static const float two_pi = 6.28318531f;

enum { ROUND_MOST = 128 };

struct canvas canvas_on_raster(struct raster *raster, struct sprites *sprites) {
    assert(raster != NULL);
    raster_reset_clip(raster);
    return (struct canvas){.raster = raster,
                           .sprites = sprites,
                           .width = raster->width,
                           .height = raster->height,
                           .clip = raster->clip};
}

struct canvas canvas_on_mesh(struct mesh *mesh, struct sprites *sprites, int32_t width, int32_t height) {
    assert(mesh != NULL && width > 0 && height > 0);
    return (struct canvas){
        .mesh = mesh, .sprites = sprites, .width = width, .height = height, .clip = {0, 0, width, height}};
}

static int32_t clamp_int(int32_t value, int32_t low, int32_t high) {
    return value < low ? low : value > high ? high : value;
}

void canvas_set_clip(struct canvas *canvas, struct raster_rect rect) {
    assert((canvas->raster != NULL) != (canvas->mesh != NULL));
    struct raster_rect *clip = &canvas->clip;
    clip->x0 = clamp_int(rect.x0, 0, canvas->width);
    clip->y0 = clamp_int(rect.y0, 0, canvas->height);
    clip->x1 = clamp_int(rect.x1, clip->x0, canvas->width);
    clip->y1 = clamp_int(rect.y1, clip->y0, canvas->height);
    if (canvas->raster != NULL) {
        raster_set_clip(canvas->raster, *clip);
    }
}

void canvas_reset_clip(struct canvas *canvas) {
    canvas_set_clip(canvas, (struct raster_rect){0, 0, canvas->width, canvas->height});
}

/* ---- the mesh ---- */

static struct mesh_vertex corner(const struct canvas *canvas, vec2 at, color tint) {
    const vec2 white = sprites_white(canvas->sprites);
    return (struct mesh_vertex){at.x, at.y, mesh_tint(tint), white.x, white.y};
}

static void mesh_rect(struct canvas *canvas, vec2 low, vec2 high, color fill) {
    static const int32_t quad[6] = {0, 1, 2, 0, 2, 3};
    struct mesh_vertex *vertex;
    int32_t *index, base;
    if (mesh_add(canvas->mesh, MESH_SPRITES, canvas->clip, 4, 6, &vertex, &index, &base) != 0) {
        return;
    }
    vertex[0] = corner(canvas, low, fill);
    vertex[1] = corner(canvas, vec2_make(high.x, low.y), fill);
    vertex[2] = corner(canvas, high, fill);
    vertex[3] = corner(canvas, vec2_make(low.x, high.y), fill);
    for (int i = 0; i < 6; i++) {
        index[i] = base + quad[i];
    }
}

/* Joins two rows of points (closed: the last to the first as well) by triangles; from and to are their
 * places. */
static int32_t *join(int32_t *index, int32_t from, int32_t to, int count, bool is_closed) {
    const int sides = is_closed ? count : count - 1;
    for (int i = 0; i < sides; i++) {
        const int next = (i + 1) % count;
        const int32_t two[6] = {from + i, from + next, to + next, from + i, to + next, to + i};
        for (int k = 0; k < 6; k++) {
            *index++ = two[k];
        }
    }
    return index;
}

/* A convex polygon given by two outlines: full inside the first, faded out at the second. */
static void mesh_feathered(struct canvas *canvas, const vec2 *inner, const vec2 *outer, int count,
                           color fill) {
    assert(count >= 3 && count <= ROUND_MOST);
    struct mesh_vertex *vertex;
    int32_t *index, base;
    const int32_t indices = (count - 2) * 3 + count * 6;
    if (mesh_add(canvas->mesh, MESH_SPRITES, canvas->clip, 2 * count, indices, &vertex, &index, &base) != 0) {
        return;
    }
    for (int i = 0; i < count; i++) {
        vertex[i] = corner(canvas, inner[i], fill);
        vertex[count + i] = corner(canvas, outer[i], fill & 0xffffffu);
    }
    for (int i = 2; i < count; i++) {
        *index++ = base;
        *index++ = base + i - 1;
        *index++ = base + i;
    }
    join(index, base, base + count, count, true);
}

static int round_sides(float radius) {
    return clamp_int((int32_t)(8.0f + 2.2f * sqrtf(fminf(fmaxf(radius, 0.0f), 4000.0f)) * 2.0f), 12,
                     ROUND_MOST);
}

static void round_points(vec2 center, float radius, int count, vec2 *points) {
    for (int i = 0; i < count; i++) {
        const float turn = two_pi * (float)i / (float)count;
        points[i] = vec2_make(center.x + cosf(turn) * radius, center.y + sinf(turn) * radius);
    }
}

/* Outwards (or inwards) by so much, corners and all. */
static void shift_outline(const vec2 *points, int count, float by, vec2 *shifted) {
    float area = 0.0f;
    for (int i = 0; i < count; i++) {
        const vec2 a = points[i], b = points[(i + 1) % count];
        area += a.x * b.y - a.y * b.x;
    }
    shapes_shift_outline(points, count, area >= 0.0f ? by : -by, 0.45f, shifted);
}

static bool is_finite(vec2 point) {
    return isfinite(point.x) && isfinite(point.y);
}

static void mesh_polygon(struct canvas *canvas, const vec2 *points, int count, color fill) {
    vec2 inner[RASTER_MAX_POINTS], outer[RASTER_MAX_POINTS];
    for (int i = 0; i < count; i++) {
        if (!is_finite(points[i])) {
            return;
        }
    }
    shift_outline(points, count, -0.5f * fringe_px, inner);
    shift_outline(points, count, 0.5f * fringe_px, outer);
    mesh_feathered(canvas, inner, outer, count, fill);
}

static void mesh_line(struct canvas *canvas, vec2 from, vec2 to, float width, color stroke) {
    const float length = vec2_length(vec2_sub(to, from)), half = 0.5f * width;
    struct mesh_vertex *vertex;
    int32_t *index, base;
    if (!(length > 0.0f) || !isfinite(length) || !(half > 0.0f) ||
        mesh_add(canvas->mesh, MESH_SPRITES, canvas->clip, 8, 18, &vertex, &index, &base) != 0) {
        return;
    }
    const vec2 along = vec2_scale(vec2_sub(to, from), 1.0f / length), side = vec2_make(-along.y, along.x);
    /* thinner than a pixel: paler, not thinner */
    const color core = color_fade(stroke, fminf(width, 1.0f)), faded = stroke & 0xffffffu;
    const float near = fmaxf(half - 0.5f * fringe_px, 0.0f), far = fmaxf(half, 0.5f) + 0.5f * fringe_px;
    const float offsets[4] = {-far, -near, near, far};
    for (int i = 0; i < 4; i++) {
        const color tint = i == 0 || i == 3 ? faded : core;
        vertex[i] = corner(canvas, vec2_add(from, vec2_scale(side, offsets[i])), tint);
        vertex[4 + i] = corner(canvas, vec2_add(to, vec2_scale(side, offsets[i])), tint);
    }
    join(index, base, base + 4, 4, false);
}

static void mesh_ring(struct canvas *canvas, vec2 center, float radius, float width, color stroke) {
    vec2 points[ROUND_MOST];
    const int count = round_sides(radius);
    const float half = fmaxf(0.5f * width, 0.5f);
    const float radii[4] = {fmaxf(radius - half - 0.5f, 0.0f), fmaxf(radius - half + 0.5f, 0.0f),
                            fmaxf(radius + half - 0.5f, 0.0f), radius + half + 0.5f};
    struct mesh_vertex *vertex;
    int32_t *index, base;
    if (mesh_add(canvas->mesh, MESH_SPRITES, canvas->clip, 4 * count, 18 * count, &vertex, &index, &base) !=
        0) {
        return;
    }
    const color core = color_fade(stroke, fminf(width, 1.0f)), faded = stroke & 0xffffffu;
    for (int k = 0; k < 4; k++) {
        round_points(center, radii[k], count, points);
        for (int i = 0; i < count; i++) {
            vertex[k * count + i] = corner(canvas, points[i], k == 0 || k == 3 ? faded : core);
        }
    }
    for (int k = 0; k < 3; k++) {
        index = join(index, base + k * count, base + (k + 1) * count, count, true);
    }
}

/* ---- either ---- */

void canvas_clear(struct canvas *canvas, color ground) {
    if (canvas->raster != NULL) {
        raster_clear(canvas->raster, ground);
    } else {
        canvas_tint(canvas, ground | 0xff000000u);
    }
}

void canvas_tint(struct canvas *canvas, color tint) {
    if (canvas->raster != NULL) {
        raster_tint(canvas->raster, tint);
    } else {
        mesh_rect(canvas, vec2_make((float)canvas->clip.x0, (float)canvas->clip.y0),
                  vec2_make((float)canvas->clip.x1, (float)canvas->clip.y1), tint);
    }
}

void canvas_fill_rect(struct canvas *canvas, vec2 low, vec2 high, color fill) {
    if (canvas->raster != NULL) {
        raster_fill_rect(canvas->raster, low, high, fill);
    } else if (is_finite(low) && is_finite(high) && high.x > low.x && high.y > low.y) {
        mesh_rect(canvas, low, high, fill);
    }
}

void canvas_fill_polygon(struct canvas *canvas, const vec2 *points, int count, color fill) {
    if (canvas->raster != NULL) {
        raster_fill_polygon(canvas->raster, points, count, fill);
    } else {
        mesh_polygon(canvas, points, count, fill);
    }
}

void canvas_draw_line(struct canvas *canvas, vec2 from, vec2 to, float width, color stroke) {
    if (canvas->raster != NULL) {
        raster_draw_line(canvas->raster, from, to, width, stroke);
    } else if (is_finite(from) && is_finite(to)) {
        mesh_line(canvas, from, to, width, stroke);
    }
}

void canvas_fill_disc(struct canvas *canvas, vec2 center, float radius, color fill) {
    if (canvas->raster != NULL) {
        raster_fill_disc(canvas->raster, center, radius, fill);
    } else if (is_finite(center) && isfinite(radius) && radius > 0.0f) {
        vec2 inner[ROUND_MOST], outer[ROUND_MOST];
        const int count = round_sides(radius);
        round_points(center, fmaxf(radius - 0.5f, 0.0f), count, inner);
        round_points(center, radius + 0.5f, count, outer);
        mesh_feathered(canvas, inner, outer, count, fill);
    }
}

void canvas_draw_ring(struct canvas *canvas, vec2 center, float radius, float width, color stroke) {
    if (canvas->raster != NULL) {
        raster_draw_ring(canvas->raster, center, radius, width, stroke);
    } else if (is_finite(center) && isfinite(radius) && radius > 0.0f && width > 0.0f) {
        mesh_ring(canvas, center, radius, width, stroke);
    }
}
