/* See canvas.h. */
#include "viewer/draw/canvas.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "viewer/draw/sprites.h"
#include "viewer/explain/theme.h"
#include "viewer/model/camera.h"

/* ---- the canvas ---- */

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

/* ---- triangles of a polygon ---- */

static float turn_of(vec2 a, vec2 b, vec2 c) {
    return vec2_cross(vec2_sub(b, a), vec2_sub(c, a));
}

/* Whether the triangle at `at` of what is left of a polygon that goes round as `sense` says can be cut off. */
static bool is_ear(const vec2 *points, const int *left, int count, int at, float sense) {
    const vec2 a = points[left[(at + count - 1) % count]], b = points[left[at]],
               c = points[left[(at + 1) % count]];
    bool is_free = sense * turn_of(a, b, c) > 0.0f;
    for (int i = 2; is_free && i < count - 1; i++) {
        const vec2 other = points[left[(at + i) % count]];
        is_free = sense * turn_of(a, b, other) < 0.0f || sense * turn_of(b, c, other) < 0.0f ||
                  sense * turn_of(c, a, other) < 0.0f;
    }
    return is_free;
}

/* The indices of count - 2 triangles; returns what follows them. A convex polygon is a fan around its first corner. Of one
 * that crosses itself, as a picture of hundredths of a px may, the triangles are some. */
static int32_t *triangulate(const vec2 *points, int count, int32_t base, int32_t *index) {
    int left[ROUND_MOST], right_turns = 0, left_turns = 0;
    float area = 0.0f;
    for (int i = 0; i < count; i++) {
        const float turn = turn_of(points[i], points[(i + 1) % count], points[(i + 2) % count]);
        left[i] = i;
        area += turn_of(points[0], points[i], points[(i + 1) % count]);
        right_turns += turn > 0.0f;
        left_turns += turn < 0.0f;
    }
    if (right_turns == 0 || left_turns == 0) {
        for (int i = 2; i < count; i++) {
            *index++ = base;
            *index++ = base + i - 1;
            *index++ = base + i;
        }
        return index;
    }
    for (int rest = count; rest >= 3; rest--) {
        int at = 1;
        while (at < rest && !is_ear(points, left, rest, at, area)) {
            at++;
        }
        at = at == rest ? 1 : at;
        *index++ = base + left[at - 1];
        *index++ = base + left[at];
        *index++ = base + left[(at + 1) % rest];
        for (int i = at; i + 1 < rest; i++) {
            left[i] = left[i + 1];
        }
    }
    return index;
}

/* A polygon given by two outlines: full inside the first, faded out at the second. */
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
    index = triangulate(inner, count, base, index);
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

/* ---- palettes ---- */

/* Okabe and Ito's colors, the dark ones lifted for a dark ground. */
static const color series[PALETTE_SERIES] = {
    0xff56b4e9u, 0xffe69f00u, 0xff2fbf93u, 0xfff0e442u, 0xffcc79a7u, 0xffe8641au, 0xffc3c9d1u, 0xff8f83e0u,
};

/* The same hues for a light ground. */
static const color light_series[PALETTE_SERIES] = {
    0xff0072b2u, 0xffa86400u, 0xff00795au, 0xff857800u, 0xffa8457fu, 0xffb8430au, 0xff5b6573u, 0xff5a4db8u,
};

color palette_series(enum palette palette, int index) {
    return (theme_is_light(palette) ? light_series : series)[index < 0 ? 0 : index % PALETTE_SERIES];
}

enum shape palette_shape(int index) {
    return (enum shape)(index < 0 ? 0 : index % SHAPE_COUNT);
}

/* ---- arrows ---- */

/* On a mesh: the picture in the atlas, which knows shapes that are not convex. */
static void draw_sprite(struct canvas *canvas, enum shape shape, vec2 center, float radius, vec2 direction,
                        color fill) {
    const struct sprite_place *place = sprites_place(canvas->sprites, shape, radius);
    const float half = place->half * radius / place->radius;
    const vec2 a = vec2_scale(direction, half), b = vec2_make(-a.y, a.x);
    struct mesh_vertex *vertex = mesh_begin_quads(canvas->mesh, MESH_SPRITES, canvas->clip, 1);
    if (vertex != NULL) {
        const uint32_t tint = mesh_tint(fill);
        vertex[0] =
            (struct mesh_vertex){center.x - a.x - b.x, center.y - a.y - b.y, tint, place->u0, place->v0};
        vertex[1] =
            (struct mesh_vertex){center.x + a.x - b.x, center.y + a.y - b.y, tint, place->u1, place->v0};
        vertex[2] =
            (struct mesh_vertex){center.x + a.x + b.x, center.y + a.y + b.y, tint, place->u1, place->v1};
        vertex[3] =
            (struct mesh_vertex){center.x - a.x + b.x, center.y - a.y + b.y, tint, place->u0, place->v1};
        mesh_end_quads(canvas->mesh, 1);
    }
}

void arrow_draw(struct canvas *canvas, enum shape shape, vec2 center, float radius, vec2 direction,
                color fill, float alpha) {
    assert(radius > 0.0f);
    if (canvas->mesh != NULL) {
        draw_sprite(canvas, shape, center, radius, direction, color_fade(fill, alpha));
        return;
    }
    vec2 points[SHAPE_MAX_POINTS], grown[SHAPE_MAX_POINTS];
    const int count = shapes_outline(shape, center, radius, direction,
                                     sprites_outline_px(canvas->sprites, radius), points, grown);
    raster_fill_polygon(canvas->raster, grown, count,
                        color_fade(theme_color(canvas->palette, THEME_AGENT_OUTLINE), alpha));
    raster_fill_polygon(canvas->raster, points, count, color_fade(fill, alpha));
}

void arrow_draw_vector(struct canvas *canvas, vec2 from, vec2 to, float widest, color stroke) {
    assert(widest > 0.0f);
    const vec2 way = vec2_sub(to, from);
    const float length = vec2_length(way);
    /* a short arrow is a small one: a head alone would be a wedge */
    const float width = fminf(widest, fmaxf(length / 6.0f, 1.0f));
    if (!(length > 2.0f)) {
        return;
    }
    const vec2 along = vec2_scale(way, 1.0f / length);
    const vec2 side = vec2_make(-along.y, along.x);
    const float head = fminf(width * 3.6f, length), half = head * 0.42f;
    const vec2 neck = vec2_sub(to, vec2_scale(along, head));
    const vec2 tip[3] = {vec2_add(neck, vec2_scale(side, -half)), to, vec2_add(neck, vec2_scale(side, half))};
    const float edge = width * 0.35f;
    const color outline = color_fade(theme_color(canvas->palette, THEME_OUTLINE), 0.7f);
    vec2 grown[3];
    shapes_shift_outline(tip, 3, edge, SHAPES_LEAST_COSINE, grown);
    canvas_draw_line(canvas, vec2_sub(from, vec2_scale(along, edge)), vec2_sub(neck, vec2_scale(along, edge)),
                     width + 2.0f * edge, outline);
    canvas_fill_polygon(canvas, grown, 3, outline);
    /* a little into the head: two edges that only meet leave a seam */
    canvas_draw_line(canvas, from, vec2_add(neck, vec2_scale(along, fminf(1.0f, head))), width, stroke);
    canvas_fill_polygon(canvas, tip, 3, stroke);
}

/* ---- the copies around a wrapping world ---- */

static const float reach = 0.5f;      /* of a world, beyond its border */
static const float full_until = 0.3f; /* likewise: from there on copies fade out */
static const float dim = 0.4f;        /* how much of the ground's color a copy gets */

enum { FADE_STEPS = 24 };

int tiles_count(vec2 wrap_size) {
    return torus_wraps(wrap_size) ? TILES_COUNT : 1;
}

vec2 tiles_shift(vec2 wrap_size, int tile) {
    assert(tile >= 0 && tile < TILES_COUNT);
    const int place = (tile + TILES_COUNT / 2) % TILES_COUNT; /* the one in the middle comes first */
    const int column = place % TILES_ROW - 1, row = place / TILES_ROW - 1;
    return vec2_make((float)column * wrap_size.x, (float)row * wrap_size.y);
}

struct camera tiles_camera(const struct camera *camera, vec2 wrap_size, int tile) {
    return (struct camera){camera->scale, camera_to_window(camera, tiles_shift(wrap_size, tile))};
}

struct box {
    vec2 low, high; /* picture px */
};

/* The world grown by so much of its size, in whole pixels. */
static struct box grown(const struct camera *camera, vec2 size, float share) {
    const vec2 more = vec2_scale(size, share);
    const vec2 low = camera_to_window(camera, vec2_scale(more, -1.0f));
    const vec2 high = camera_to_window(camera, vec2_add(size, more));
    return (struct box){{floorf(low.x), floorf(low.y)}, {ceilf(high.x), ceilf(high.y)}};
}

static int32_t whole(float at) {
    return (int32_t)fminf(fmaxf(at, 0.0f), (float)RASTER_MAX_SIZE);
}

void tiles_clip(struct canvas *canvas, const struct camera *camera, vec2 wrap_size) {
    if (torus_wraps(wrap_size)) {
        const struct box box = grown(camera, wrap_size, reach);
        canvas_set_clip(canvas, (struct raster_rect){whole(box.low.x), whole(box.low.y), whole(box.high.x),
                                                     whole(box.high.y)});
    }
}

bool tiles_reach(const struct camera *camera, vec2 wrap_size, vec2 at) {
    const struct box box = grown(camera, wrap_size, reach);
    return !torus_wraps(wrap_size) ||
           (at.x >= box.low.x && at.y >= box.low.y && at.x < box.high.x && at.y < box.high.y);
}

/* What is in `outer` and not in `inner`; the parts do not overlap. */
static void fill_frame(struct canvas *canvas, const struct box *inner, const struct box *outer, color fill) {
    const vec2 a = outer->low, b = inner->low, c = inner->high, d = outer->high;
    const struct box parts[4] = {
        {a, {d.x, b.y}}, {{a.x, c.y}, d}, {{a.x, b.y}, {b.x, c.y}}, {{c.x, b.y}, {d.x, c.y}}};
    for (int i = 0; i < 4; i++) {
        if (parts[i].high.x > parts[i].low.x && parts[i].high.y > parts[i].low.y) {
            canvas_fill_rect(canvas, parts[i].low, parts[i].high, fill);
        }
    }
}

void tiles_dim(struct canvas *canvas, const struct camera *camera, vec2 wrap_size, color ground) {
    struct box inner = grown(camera, wrap_size, 0.0f), outer = grown(camera, wrap_size, full_until);
    fill_frame(canvas, &inner, &outer, color_fade(ground, dim));
    for (int i = 1; i <= FADE_STEPS; i++) {
        const float part = (float)i / (float)FADE_STEPS;
        inner = outer;
        outer = grown(camera, wrap_size, full_until + (reach - full_until) * part);
        fill_frame(canvas, &inner, &outer, color_fade(ground, dim + (1.0f - dim) * part));
    }
}
