/* See raster.h. */
#include "viewer/draw/raster.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/explain/theme.h"

/* Pixel arithmetic for the files of the raster alone: one pixel over another, coordinates as whole pixels. */

/* fminf and fmaxf are calls into the math library, for the sake of NaN. */
static inline float min_float(float a, float b) {
    return a < b ? a : b;
}

static inline float max_float(float a, float b) {
    return a > b ? a : b;
}

static inline int32_t clamp_int(int32_t value, int32_t low, int32_t high) {
    return value < low ? low : value > high ? high : value;
}

/* Far coordinates are clamped before they become integers: the conversion of a float out of range is
 * undefined. */
static inline int32_t floor_clamped(float value, int32_t low, int32_t high) {
    if (!(value > (float)low)) {
        return low;
    }
    if (value >= (float)high) {
        return high;
    }
    const int32_t whole = (int32_t)value; /* towards 0 */
    return clamp_int(whole - ((float)whole > value ? 1 : 0), low, high);
}

static inline int32_t ceil_clamped(float value, int32_t low, int32_t high) {
    if (!(value > (float)low)) {
        return low;
    }
    if (value >= (float)high) {
        return high;
    }
    const int32_t whole = (int32_t)value;
    return clamp_int(whole + ((float)whole < value ? 1 : 0), low, high);
}

/* alpha 0..255 */
static inline uint32_t blend(uint32_t under, uint32_t over, uint32_t alpha) {
    const uint32_t keep = 255 - alpha;
    const uint32_t red_blue = (under & 0xff00ffu) * keep + (over & 0xff00ffu) * alpha + 0x800080u;
    const uint32_t green = (under & 0x00ff00u) * keep + (over & 0x00ff00u) * alpha + 0x008000u;
    const uint32_t red_blue_8 = (red_blue + ((red_blue >> 8) & 0xff00ffu)) >> 8;
    const uint32_t green_8 = (green + ((green >> 8) & 0x00ff00u)) >> 8;
    return 0xff000000u | (red_blue_8 & 0xff00ffu) | (green_8 & 0x00ff00u);
}

static inline void blend_coverage(uint32_t *pixel, color over, float coverage) {
    const uint32_t alpha = (uint32_t)((float)(over >> 24) * coverage + 0.5f);
    if (alpha == 255) {
        *pixel = over;
    } else if (alpha != 0) {
        *pixel = blend(*pixel, over, alpha);
    }
}

/* ---- raster ---- */

/* Polygons: every edge adds, row by row, the area it covers to the right of itself to a row of
 * sums; the running total along the row is then the exact share of each pixel that is inside. */

/* ---- shapes ---- */

struct raster *raster_create(int32_t width, int32_t height) {
    struct raster *raster = calloc(1, sizeof *raster);
    if (raster != NULL && raster_resize(raster, width, height) != 0) {
        free(raster);
        return NULL;
    }
    return raster;
}

void raster_destroy(struct raster *raster) {
    if (raster != NULL) {
        free(raster->pixels);
        free(raster->sums);
        free(raster);
    }
}

int raster_resize(struct raster *raster, int32_t width, int32_t height) {
    assert(width >= 1 && height >= 1 && width <= RASTER_MAX_SIZE && height <= RASTER_MAX_SIZE);
    uint32_t *pixels = calloc((size_t)width * (size_t)height, sizeof *pixels);
    float *sums = calloc((size_t)width + 2, sizeof *sums);
    if (pixels == NULL || sums == NULL) {
        free(pixels);
        free(sums);
        return -1;
    }
    free(raster->pixels);
    free(raster->sums);
    raster->pixels = pixels;
    raster->sums = sums;
    raster->width = width;
    raster->height = height;
    raster_reset_clip(raster);
    raster_clear(raster, 0xff000000u);
    return 0;
}

void raster_set_clip(struct raster *raster, struct raster_rect rect) {
    struct raster_rect *clip = &raster->clip;
    clip->x0 = clamp_int(rect.x0, 0, raster->width);
    clip->y0 = clamp_int(rect.y0, 0, raster->height);
    clip->x1 = clamp_int(rect.x1, clip->x0, raster->width);
    clip->y1 = clamp_int(rect.y1, clip->y0, raster->height);
    assert(0 <= clip->x0 && clip->x0 <= clip->x1 && clip->x1 <= raster->width);
    assert(0 <= clip->y0 && clip->y0 <= clip->y1 && clip->y1 <= raster->height);
}

void raster_reset_clip(struct raster *raster) {
    raster->clip = (struct raster_rect){0, 0, raster->width, raster->height};
}

void raster_clear(struct raster *raster, color ground) {
    const struct raster_rect clip = raster->clip;
    for (int32_t y = clip.y0; y < clip.y1; y++) {
        uint32_t *row = raster_row(raster, y);
        for (int32_t x = clip.x0; x < clip.x1; x++) {
            row[x] = ground | 0xff000000u;
        }
    }
}

void raster_tint(struct raster *raster, color tint) {
    const struct raster_rect clip = raster->clip;
    for (int32_t y = clip.y0; y < clip.y1; y++) {
        uint32_t *row = raster_row(raster, y);
        for (int32_t x = clip.x0; x < clip.x1; x++) {
            row[x] = blend(row[x], tint, tint >> 24);
        }
    }
}

/* How much of [cell, cell + 1) lies in [low, high). */
static inline float overlap(int32_t cell, float low, float high) {
    const float begin = (float)cell > low ? (float)cell : low;
    const float end = (float)(cell + 1) < high ? (float)(cell + 1) : high;
    return end > begin ? end - begin : 0.0f;
}

static void fill_row(uint32_t *row, int32_t begin, int32_t end, color fill) {
    if (fill >> 24 == 255) {
        for (int32_t x = begin; x < end; x++) {
            row[x] = fill;
        }
        return;
    }
    for (int32_t x = begin; x < end; x++) {
        row[x] = blend(row[x], fill, fill >> 24);
    }
}

void raster_fill_rect(struct raster *raster, vec2 low, vec2 high, color fill) {
    const struct raster_rect clip = raster->clip;
    if (!(high.x > low.x && high.y > low.y)) {
        return;
    }
    const int32_t x0 = floor_clamped(low.x, clip.x0, clip.x1), x1 = ceil_clamped(high.x, clip.x0, clip.x1);
    const int32_t y0 = floor_clamped(low.y, clip.y0, clip.y1), y1 = ceil_clamped(high.y, clip.y0, clip.y1);
    /* the columns that are inside from edge to edge: nearly all of a large rectangle */
    const int32_t whole0 = ceil_clamped(low.x, x0, x1), whole1 = floor_clamped(high.x, whole0, x1);
    for (int32_t y = y0; y < y1; y++) {
        uint32_t *row = raster_row(raster, y);
        const float part = overlap(y, low.y, high.y);
        const int32_t skip0 = part == 1.0f ? whole0 : x1, skip1 = part == 1.0f ? whole1 : x1;
        for (int32_t x = x0; x < skip0; x++) {
            blend_coverage(&row[x], fill, part * overlap(x, low.x, high.x));
        }
        fill_row(row, skip0, skip1, fill);
        for (int32_t x = skip1; x < x1; x++) {
            blend_coverage(&row[x], fill, part * overlap(x, low.x, high.x));
        }
    }
}

/* Adds the area right of the piece from (xa, ya) to (xb, yb), which stays inside one row of the clip
 * rectangle in x; height is its signed share of the row. */
static void add_piece(float *sums, float xa, float xb, float height) {
    const float low = xa < xb ? xa : xb, high = xa < xb ? xb : xa;
    const int32_t first = (int32_t)low, last = (int32_t)high;
    if (first == last) {
        const float middle = (low + high) * 0.5f - (float)first;
        sums[first] += height * (1.0f - middle);
        sums[first + 1] += height * middle;
        return;
    }
    const float per_x = height / (high - low);
    float x = low;
    for (int32_t cell = first; cell <= last; cell++) {
        const float end = cell == last ? high : (float)(cell + 1);
        const float share = (end - x) * per_x;
        const float middle = (x + end) * 0.5f - (float)cell;
        sums[cell] += share * (1.0f - middle);
        sums[cell + 1] += share * middle;
        x = end;
    }
}

struct fill_span {
    float low, high; /* what x the row's edges touched, relative to clip.x0 */
};

/* One edge's part inside the row, x relative to the clip rectangle's left and limited to [0, width]: what is
 * left of it covers the whole row (as an upright edge at 0), what is right of it nothing that is seen. */
static void add_clipped(float *sums, float width, vec2 a, vec2 b, struct fill_span *span) {
    const float cuts[2] = {0.0f, width};
    vec2 points[4] = {a, b};
    int count = 2;
    for (int c = 0; c < 2; c++) {
        if ((a.x < cuts[c] && b.x > cuts[c]) || (a.x > cuts[c] && b.x < cuts[c])) {
            const float t = (cuts[c] - a.x) / (b.x - a.x);
            points[count++] = vec2_make(cuts[c], a.y + (b.y - a.y) * t);
        }
    }
    /* sort the cuts along the edge: a, cuts..., b */
    vec2 ordered[4] = {a};
    int filled = 1;
    if (count == 4 && a.x > b.x) {
        ordered[filled++] = points[3];
        ordered[filled++] = points[2];
    } else {
        for (int i = 2; i < count; i++) {
            ordered[filled++] = points[i];
        }
    }
    ordered[filled++] = b;
    for (int i = 0; i + 1 < filled; i++) {
        const float xa = min_float(max_float(ordered[i].x, 0.0f), width);
        const float xb = min_float(max_float(ordered[i + 1].x, 0.0f), width);
        add_piece(sums, xa, xb, ordered[i + 1].y - ordered[i].y);
        span->low = min_float(span->low, min_float(xa, xb));
        span->high = max_float(span->high, max_float(xa, xb));
    }
}

/* One edge, x relative to the clip rectangle's left, ready to be asked about row after row. */
struct fill_edge {
    float top, bottom, x, y, slope; /* it passes through x, y */
    float direction;                /* 1 downwards, -1 upwards */
};

static struct fill_edge edge_make(vec2 from, vec2 to) {
    const bool is_down = to.y > from.y;
    return (struct fill_edge){
        .top = min_float(from.y, to.y),
        .bottom = max_float(from.y, to.y),
        .x = from.x,
        .y = from.y,
        .slope = to.y != from.y ? (to.x - from.x) / (to.y - from.y) : 0.0f,
        .direction = is_down ? 1.0f : -1.0f,
    };
}

static inline void add_edge(float *sums, float width, const struct fill_edge *edge, float y,
                            struct fill_span *span) {
    const float upper = max_float(edge->top, y), lower = min_float(edge->bottom, y + 1.0f);
    if (!(lower > upper)) {
        return;
    }
    const float xa = edge->x + (upper - edge->y) * edge->slope,
                xb = edge->x + (lower - edge->y) * edge->slope;
    const float left = min_float(xa, xb), right = max_float(xa, xb);
    if (left >= 0.0f && right <= width) {
        add_piece(sums, xa, xb, edge->direction * (lower - upper));
        span->low = min_float(span->low, left);
        span->high = max_float(span->high, right);
    } else if (edge->direction > 0.0f) {
        add_clipped(sums, width, vec2_make(xa, upper), vec2_make(xb, lower), span);
    } else {
        add_clipped(sums, width, vec2_make(xb, lower), vec2_make(xa, upper), span);
    }
}

static void paint_sums(struct raster *raster, int32_t y, const struct fill_span *span, color fill) {
    const struct raster_rect clip = raster->clip;
    uint32_t *row = raster_row(raster, y) + clip.x0;
    const int32_t width = clip.x1 - clip.x0;
    const int32_t begin = clamp_int((int32_t)span->low, 0, width);
    const int32_t end = clamp_int((int32_t)span->high + 1, 0, width);
    const float full = (float)(fill >> 24);
    float *sums = raster->sums;
    float total = 0.0f;
    for (int32_t x = begin; x < end; x++) {
        total += sums[x];
        sums[x] = total;
    }
    for (int32_t x = begin; x < end; x++) { /* no branch: several pixels at once */
        row[x] = blend(row[x], fill, (uint32_t)(int32_t)(min_float(fabsf(sums[x]), 1.0f) * full + 0.5f));
        sums[x] = 0.0f;
    }
    raster->sums[end] = 0.0f; /* what lies right of the last pixel */
    raster->sums[end + 1] = 0.0f;
}

void raster_fill_polygon(struct raster *raster, const vec2 *points, int count, color fill) {
    assert(count >= 3 && count <= RASTER_MAX_POINTS);
    const struct raster_rect clip = raster->clip;
    const float width = (float)(clip.x1 - clip.x0);
    struct fill_edge edges[RASTER_MAX_POINTS];
    const vec2 origin = vec2_make((float)clip.x0, 0.0f);
    float left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
    for (int i = 0; i < count; i++) {
        if (!isfinite(points[i].x) || !isfinite(points[i].y)) {
            return;
        }
        const vec2 from = vec2_sub(points[i], origin), to = vec2_sub(points[(i + 1) % count], origin);
        edges[i] = edge_make(from, to);
        left = min_float(left, from.x);
        right = max_float(right, from.x);
        top = min_float(top, from.y);
        bottom = max_float(bottom, from.y);
    }
    if (right <= 0.0f || left >= width) {
        return;
    }
    const int32_t y0 = floor_clamped(top, clip.y0, clip.y1), y1 = ceil_clamped(bottom, clip.y0, clip.y1);
    for (int32_t y = y0; y < y1; y++) {
        struct fill_span span = {INFINITY, -INFINITY};
        for (int i = 0; i < count; i++) {
            add_edge(raster->sums, width, &edges[i], (float)y, &span);
        }
        if (span.high >= span.low) {
            paint_sums(raster, y, &span, fill);
        }
    }
}

/* Where along a row a value that changes by `slope` a pixel, and is `at_zero` at x = 0, lies in [low, high]:
 * narrows [*begin, *end]. */
static void narrow(float at_zero, float slope, float low, float high, float *begin, float *end) {
    if (fabsf(slope) < 1e-6f) {
        if (at_zero < low || at_zero > high) {
            *end = *begin;
        }
        return;
    }
    const float a = (low - at_zero) / slope, b = (high - at_zero) / slope;
    *begin = max_float(*begin, min_float(a, b));
    *end = min_float(*end, max_float(a, b));
}

static inline float clamp_share(float value) {
    return min_float(max_float(value, 0.0f), 1.0f);
}

/* Distances from the line's middle and its ends decide, as for a ring: vectors are most of what is painted
 * when the forces are shown, and this costs a third of filling a polygon. */
void raster_draw_line(struct raster *raster, vec2 from, vec2 to, float width, color stroke) {
    const struct raster_rect clip = raster->clip;
    const float half = width * 0.5f, length = vec2_length(vec2_sub(to, from));
    if (!(half > 0.0f) || !(length > 0.0f) || !isfinite(length) || !isfinite(half) || !isfinite(from.x) ||
        !isfinite(from.y)) {
        return;
    }
    const vec2 along = vec2_scale(vec2_sub(to, from), 1.0f / length);
    const float reach_y = half * fabsf(along.x) + 1.0f, full = (float)(stroke >> 24);
    const int32_t y0 = floor_clamped(min_float(from.y, to.y) - reach_y, clip.y0, clip.y1);
    const int32_t y1 = ceil_clamped(max_float(from.y, to.y) + reach_y, clip.y0, clip.y1);
    for (int32_t y = y0; y < y1; y++) {
        const float dx = 0.5f - from.x, dy = (float)y + 0.5f - from.y;
        const float across0 = dy * along.x - dx * along.y, along0 = dx * along.x + dy * along.y;
        float begin = (float)clip.x0, end = (float)clip.x1;
        narrow(across0, -along.y, -half - 0.5f, half + 0.5f, &begin, &end);
        narrow(along0, along.x, -0.5f, length + 0.5f, &begin, &end);
        const int32_t x0 = floor_clamped(begin, clip.x0, clip.x1), x1 = ceil_clamped(end + 1.0f, x0, clip.x1);
        uint32_t *row = raster_row(raster, y);
        for (int32_t x = x0; x < x1; x++) { /* no branch: the compiler can do several pixels at once */
            const float across = across0 - (float)x * along.y, passed = along0 + (float)x * along.x;
            const float wide = clamp_share(half + 0.5f - across) - clamp_share(0.5f - half - across);
            const float share = wide * clamp_share(min_float(passed, length - passed) + 0.5f);
            row[x] = blend(row[x], stroke, (uint32_t)(int32_t)(share * full + 0.5f));
        }
    }
}

void raster_fill_disc(struct raster *raster, vec2 center, float radius, color fill) {
    raster_draw_ring(raster, center, radius * 0.5f, radius, fill);
}

/* Distance to the line's middle decides: right to about 1/100 of a pixel's area once the radius is a pixel or
 * more. */
void raster_draw_ring(struct raster *raster, vec2 center, float radius, float width, color stroke) {
    const struct raster_rect clip = raster->clip;
    const float outer = radius + width * 0.5f, inner = radius - width * 0.5f;
    if (!(outer > 0.0f) || !isfinite(center.x) || !isfinite(center.y) || !isfinite(outer)) {
        return;
    }
    const float reach = outer + 0.5f;
    const int32_t y0 = floor_clamped(center.y - reach, clip.y0, clip.y1);
    const int32_t y1 = ceil_clamped(center.y + reach, clip.y0, clip.y1);
    const int32_t x0 = floor_clamped(center.x - reach, clip.x0, clip.x1);
    const int32_t x1 = ceil_clamped(center.x + reach, clip.x0, clip.x1);
    for (int32_t y = y0; y < y1; y++) {
        uint32_t *row = raster_row(raster, y);
        const float dy = (float)y + 0.5f - center.y;
        for (int32_t x = x0; x < x1; x++) {
            const float dx = (float)x + 0.5f - center.x;
            const float squared = dx * dx + dy * dy;
            if (squared >= reach * reach) {
                continue;
            }
            const float distance = sqrtf(squared);
            const float filled = min_float(max_float(outer - distance + 0.5f, 0.0f), 1.0f);
            const float hole =
                inner > 0.0f ? min_float(max_float(inner - distance + 0.5f, 0.0f), 1.0f) : 0.0f;
            blend_coverage(&row[x], stroke, filled - hole);
        }
    }
}

/* ---- pictures ---- */

/* A place between the centers of two pixels of a row or column: the first one, and the share of the next, 0..255. */
struct between {
    int32_t first, next;
    uint32_t share;
};

static struct between place(float at, int32_t count) {
    const float clamped = min_float(max_float(at - 0.5f, 0.0f), (float)(count - 1));
    const int32_t first = (int32_t)clamped;
    return (struct between){first, first + 1 < count ? first + 1 : first,
                            (uint32_t)((clamped - (float)first) * 255.0f + 0.5f)};
}

static uint32_t mix(const struct raster_image *image, struct between x, struct between y) {
    const uint32_t *upper = image->pixels + (size_t)y.first * (size_t)image->width;
    const uint32_t *lower = image->pixels + (size_t)y.next * (size_t)image->width;
    const uint32_t above = blend(upper[x.first], upper[x.next], x.share);
    return blend(above, blend(lower[x.first], lower[x.next], x.share), y.share);
}

void raster_draw_image(struct raster *raster, vec2 low, vec2 high, const struct raster_image *image) {
    assert(image->pixels != NULL && image->width > 0 && image->height > 0);
    const struct raster_rect clip = raster->clip;
    if (!(high.x > low.x) || !(high.y > low.y)) {
        return;
    }
    const float across = (float)image->width / (high.x - low.x),
                down = (float)image->height / (high.y - low.y);
    const int32_t x0 = floor_clamped(low.x, clip.x0, clip.x1), x1 = floor_clamped(high.x, clip.x0, clip.x1);
    const int32_t y0 = floor_clamped(low.y, clip.y0, clip.y1), y1 = floor_clamped(high.y, clip.y0, clip.y1);
    for (int32_t y = y0; y < y1; y++) {
        const struct between row = place(((float)y + 0.5f - low.y) * down, image->height);
        uint32_t *out = raster_row(raster, y);
        for (int32_t x = x0; x < x1; x++) {
            out[x] = mix(image, place(((float)x + 0.5f - low.x) * across, image->width), row);
        }
    }
}

/* ---- textures ---- */

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
