/* See tiles.h. */
#include "viewer/draw/tiles.h"

#include <assert.h>
#include <math.h>

#include "viewer/model/camera.h"

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
