/* See raster_texture.h. */
#include "viewer/draw/raster_texture.h"

#include <math.h>

#include "viewer/draw/raster_pixel.h"

/* Twice the signed area of a, b, p: >= 0 when p is on the inner side of the edge of a triangle with positive
 * area. */
static inline float edge_function(const struct raster_vertex *a, const struct raster_vertex *b, float x,
                                  float y) {
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

/* Whether points exactly on the edge belong to the triangle: the top-left rule. */
static inline bool owns_edge(const struct raster_vertex *a, const struct raster_vertex *b) {
    return (a->y == b->y && b->x > a->x) || b->y < a->y;
}

static inline uint32_t triangle_texel(const struct raster_texture *texture, float u, float v) {
    const int32_t x = floor_clamped(u * (float)texture->width, 0, texture->width - 1);
    const int32_t y = floor_clamped(v * (float)texture->height, 0, texture->height - 1);
    return texture->texels[(size_t)y * (size_t)texture->width + (size_t)x];
}

static color mix_corners(const struct raster_vertex *const *corner, const float *weight) {
    const color first = corner[0]->tint;
    if (first == corner[1]->tint && first == corner[2]->tint) {
        return first;
    }
    color mixed = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        float channel = 0.5f;
        for (int i = 0; i < 3; i++) {
            channel += weight[i] * (float)((corner[i]->tint >> shift) & 0xffu);
        }
        mixed |= (uint32_t)min_float(channel, 255.0f) << shift;
    }
    return mixed;
}

static void shade_pixel(uint32_t *pixel, const struct raster_vertex *const *corner, const float *weight,
                        const struct raster_texture *texture) {
    const float u = weight[0] * corner[0]->u + weight[1] * corner[1]->u + weight[2] * corner[2]->u;
    const float v = weight[0] * corner[0]->v + weight[1] * corner[1]->v + weight[2] * corner[2]->v;
    const uint32_t texel = triangle_texel(texture, u, v);
    const color tint = mix_corners(corner, weight);
    const uint32_t alpha = ((tint >> 24) * texel + 127) / 255;
    if (alpha != 0) {
        *pixel = blend(*pixel, tint, alpha);
    }
}

/* A triangle that is one color with one texel: the fans and fringes that panels are made of. */
static bool is_plain(const struct raster_vertex *const *corner) {
    const struct raster_vertex *a = corner[0], *b = corner[1], *c = corner[2];
    return a->u == b->u && a->u == c->u && a->v == b->v && a->v == c->v && a->tint == b->tint &&
           a->tint == c->tint;
}

/* The pixels of row y, from *begin to *end, whose centers are inside: a row meets a triangle once. */
static void triangle_span(const struct raster_vertex *const *corner, const bool *owned, float y,
                          int32_t *begin, int32_t *end) {
    bool was_inside = false;
    const int32_t first = *begin, last = *end;
    *end = *begin;
    for (int32_t x = first; x < last; x++) {
        bool is_inside = true;
        for (int i = 0; i < 3; i++) {
            const float weight =
                edge_function(corner[(i + 1) % 3], corner[(i + 2) % 3], (float)x + 0.5f, y + 0.5f);
            is_inside = is_inside && (weight > 0.0f || (weight == 0.0f && owned[i]));
        }
        if (is_inside) {
            *begin = was_inside ? *begin : x;
            *end = x + 1;
        } else if (was_inside) {
            return;
        }
        was_inside = is_inside;
    }
}

static void shade_span(uint32_t *row, const struct raster_vertex *const *corner, float y, int32_t begin,
                       int32_t end, const struct raster_texture *texture) {
    const float area = edge_function(corner[0], corner[1], corner[2]->x, corner[2]->y);
    for (int32_t x = begin; x < end; x++) {
        const float px = (float)x + 0.5f, py = y + 0.5f;
        const float share[3] = {edge_function(corner[1], corner[2], px, py) / area,
                                edge_function(corner[2], corner[0], px, py) / area,
                                edge_function(corner[0], corner[1], px, py) / area};
        shade_pixel(&row[x], corner, share, texture);
    }
}

void raster_draw_triangle(struct raster *raster, const struct raster_vertex corners[3],
                          const struct raster_texture *texture) {
    const struct raster_rect clip = raster->clip;
    const struct raster_vertex *corner[3] = {&corners[0], &corners[1], &corners[2]};
    const float area = edge_function(corner[0], corner[1], corner[2]->x, corner[2]->y);
    if (area < 0.0f) {
        corner[1] = &corners[2];
        corner[2] = &corners[1];
    }
    if (!(fabsf(area) > 0.0f) || !isfinite(area)) {
        return;
    }
    const float left = min_float(corner[0]->x, min_float(corner[1]->x, corner[2]->x));
    const float right = max_float(corner[0]->x, max_float(corner[1]->x, corner[2]->x));
    const float top = min_float(corner[0]->y, min_float(corner[1]->y, corner[2]->y));
    const float bottom = max_float(corner[0]->y, max_float(corner[1]->y, corner[2]->y));
    const int32_t x0 = floor_clamped(left, clip.x0, clip.x1), x1 = ceil_clamped(right, clip.x0, clip.x1);
    const int32_t y0 = floor_clamped(top, clip.y0, clip.y1), y1 = ceil_clamped(bottom, clip.y0, clip.y1);
    const bool owned[3] = {owns_edge(corner[1], corner[2]), owns_edge(corner[2], corner[0]),
                           owns_edge(corner[0], corner[1])};
    const bool plain = is_plain(corner);
    const uint32_t texel = triangle_texel(texture, corner[0]->u, corner[0]->v);
    const uint32_t alpha = ((corner[0]->tint >> 24) * texel + 127) / 255;
    for (int32_t y = y0; y < y1; y++) {
        int32_t begin = x0, end = x1;
        uint32_t *row = raster_row(raster, y);
        triangle_span(corner, owned, (float)y, &begin, &end);
        if (!plain) {
            shade_span(row, corner, (float)y, begin, end, texture);
            continue;
        }
        for (int32_t x = begin; x < end; x++) {
            row[x] = blend(row[x], corner[0]->tint, alpha);
        }
    }
}

void raster_draw_texels(struct raster *raster, int32_t left, int32_t top, int32_t u, int32_t v, int32_t width,
                        int32_t height, color tint, const struct raster_texture *texture) {
    const struct raster_rect clip = raster->clip;
    if (u < 0 || v < 0 || width > texture->width - u || height > texture->height - v) {
        return;
    }
    const int32_t x0 = left < clip.x0 ? clip.x0 : left, x1 = left + width > clip.x1 ? clip.x1 : left + width;
    const int32_t y0 = top < clip.y0 ? clip.y0 : top, y1 = top + height > clip.y1 ? clip.y1 : top + height;
    const uint32_t full = tint >> 24;
    for (int32_t y = y0; y < y1; y++) {
        uint32_t *row = raster_row(raster, y);
        const uint8_t *texels =
            texture->texels + (size_t)(v + y - top) * (size_t)texture->width + (size_t)(u - left + x0);
        for (int32_t x = x0; x < x1; x++) {
            row[x] = blend(row[x], tint, (full * texels[x - x0] + 127) / 255);
        }
    }
}
