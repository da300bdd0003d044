/* See raster.h. Polygons: every edge adds, row by row, the area it covers to the right of itself to a row of
 * sums; the running total along the row is then the exact share of each pixel that is inside. */
#include "viewer/draw/raster.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/draw/raster_pixel.h"

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
