/* See agents_draw.h. */
#include "viewer/draw/agents_draw.h"

#include <assert.h>
#include <math.h>

#include "viewer/draw/arrow.h"

static const float crowd_arrow_px = 2.5f; /* the least radius among many thousands */

/* Everything the loop over agents asks for by kind, and by kind or state. */
struct brush {
    float scale, offset_x, offset_y;
    float low_x, low_y, high_x, high_y; /* centers outside are not seen */
    float half[NAME_TABLE_CAPACITY];    /* of the sprite, picture px */
    struct sprite_place place[NAME_TABLE_CAPACITY];
    uint32_t tint[NAME_TABLE_CAPACITY];
    const uint16_t *tinted_by;
    float pale;
};

static float largest_radius(const struct frame *frame, const struct agents_style *style) {
    float largest = 0.0f;
    for (int k = 0; k < frame->names->kind_names.count; k++) {
        largest = fmaxf(largest, style->radius[k]);
    }
    return largest;
}

static void brush_init(struct brush *brush, const struct canvas *canvas, const struct frame *frame,
                       const struct camera *camera, const struct agents_style *style) {
    const float margin = 1.4f * largest_radius(frame, style) + 4.0f;
    const int fills = style->by_kind ? frame->names->kind_names.count : frame->names->state_names.count;
    brush->scale = camera->scale;
    brush->offset_x = camera->offset.x;
    brush->offset_y = camera->offset.y;
    brush->low_x = (float)canvas->clip.x0 - margin;
    brush->low_y = (float)canvas->clip.y0 - margin;
    brush->high_x = (float)canvas->clip.x1 + margin;
    brush->high_y = (float)canvas->clip.y1 + margin;
    brush->pale = style->is_held ? 0.5f : 1.0f;
    brush->tinted_by = style->by_kind ? frame->kind : frame->state;
    for (int k = 0; k < frame->names->kind_names.count; k++) {
        const struct sprite_place *place = sprites_place(canvas->sprites, style->shape[k], style->radius[k]);
        brush->place[k] = *place;
        brush->half[k] = place->half * style->radius[k] / place->radius;
    }
    for (int i = 0; i < fills; i++) {
        brush->tint[i] = mesh_tint(style->by_kind ? style->kind_fill[i] : style->state_fill[i]);
    }
}

static inline void put_quad(struct mesh_vertex *vertex, float x, float y, float ax, float ay,
                            const struct sprite_place *place, uint32_t tint) {
    vertex[0] = (struct mesh_vertex){x - ax + ay, y - ay - ax, tint, place->u0, place->v0};
    vertex[1] = (struct mesh_vertex){x + ax + ay, y + ay - ax, tint, place->u1, place->v0};
    vertex[2] = (struct mesh_vertex){x + ax - ay, y + ay + ax, tint, place->u1, place->v1};
    vertex[3] = (struct mesh_vertex){x - ax - ay, y - ay + ax, tint, place->u0, place->v1};
}

/* Quads of the agents moved by (shift_x, shift_y) px of the picture; returns how many are seen. Every agent
 * is written and only the seen ones are counted: no branch. `vertex` has room for one more than there are. */
static int32_t put_agents(const struct brush *brush, const struct frame *frame, struct mesh_vertex *vertex) {
    int32_t seen = 0;
    for (int32_t i = 0; i < frame->count; i++) {
        const uint16_t kind = frame->kind[i];
        const float x = frame->x[i] * brush->scale + brush->offset_x;
        const float y = frame->y[i] * brush->scale + brush->offset_y;
        const float half = brush->half[kind];
        const uint32_t tint = brush->tint[brush->tinted_by[i]];
        const uint32_t alpha =
            (uint32_t)(int32_t)((float)(tint >> 24) * frame->alpha[i] * brush->pale + 0.5f);
        put_quad(vertex + (ptrdiff_t)seen * 4, x, y, frame->dir_x[i] * half, frame->dir_y[i] * half,
                 &brush->place[kind], (tint & 0xffffffu) | alpha << 24);
        seen +=
            (int32_t)((x > brush->low_x) & (x < brush->high_x) & (y > brush->low_y) & (y < brush->high_y));
    }
    return seen;
}

/* How an agent at `at` of a world `size` long is repeated on the other side: -1, 0 or 1 sizes. */
static int repeat_of(float at, float size, float reach) {
    return !(size > 0.0f) ? 0 : at < reach ? 1 : at > size - reach ? -1 : 0;
}

/* Draws one agent wherever it is seen beside its own place. */
typedef void (*draw_copy)(struct canvas *canvas, const struct frame *frame, int32_t index, vec2 center,
                          const struct agents_style *style);

static void draw_copies(struct canvas *canvas, const struct frame *frame, const struct camera *camera,
                        const struct agents_style *style, draw_copy draw) {
    const float reach = (1.4f * largest_radius(frame, style) + 2.0f) / camera->scale;
    const vec2 size = style->wrap_size;
    for (int32_t i = 0; i < frame->count; i++) {
        const int dx = repeat_of(frame->x[i], size.x, reach), dy = repeat_of(frame->y[i], size.y, reach);
        for (int copy = 1; copy < 4 && (dx != 0 || dy != 0); copy++) {
            if (((copy & 1) != 0 && dx == 0) || ((copy & 2) != 0 && dy == 0)) {
                continue;
            }
            const vec2 shift = vec2_make((copy & 1) != 0 ? (float)dx * size.x : 0.0f,
                                         (copy & 2) != 0 ? (float)dy * size.y : 0.0f);
            draw(canvas, frame, i,
                 camera_to_window(camera, vec2_add(vec2_make(frame->x[i], frame->y[i]), shift)), style);
        }
    }
}

static color fill_of(const struct frame *frame, int32_t i, const struct agents_style *style) {
    return style->by_kind ? style->kind_fill[frame->kind[i]] : style->state_fill[frame->state[i]];
}

static void draw_exactly(struct canvas *canvas, const struct frame *frame, int32_t i, vec2 center,
                         const struct agents_style *style) {
    const uint16_t kind = frame->kind[i];
    arrow_draw(canvas, style->shape[kind], center, style->radius[kind],
               vec2_make(frame->dir_x[i], frame->dir_y[i]), fill_of(frame, i, style),
               frame->alpha[i] * (style->is_held ? 0.5f : 1.0f));
}

static void draw_blit(struct canvas *canvas, const struct frame *frame, int32_t i, vec2 center,
                      const struct agents_style *style) {
    const uint16_t kind = frame->kind[i];
    if (style->radius[kind] > (float)SPRITES_MAX_BLIT_PX ||
        sprites_blit(canvas->sprites, canvas->raster, style->shape[kind], center, style->radius[kind],
                     vec2_make(frame->dir_x[i], frame->dir_y[i]), fill_of(frame, i, style),
                     frame->alpha[i] * (style->is_held ? 0.5f : 1.0f)) != 0) {
        draw_exactly(canvas, frame, i, center, style);
    }
}

static void draw_mesh(struct canvas *canvas, const struct frame *frame, const struct camera *camera,
                      const struct agents_style *style) {
    struct brush brush;
    brush_init(&brush, canvas, frame, camera, style);
    struct mesh_vertex *vertex = mesh_begin_quads(canvas->mesh, MESH_SPRITES, canvas->clip, frame->count + 1);
    if (vertex != NULL) {
        mesh_end_quads(canvas->mesh, put_agents(&brush, frame, vertex));
    }
}

enum { BAND_PX = 32, BANDS = RASTER_MAX_SIZE / BAND_PX + 1 };

static int32_t band_of(const struct frame *frame, int32_t i, const struct camera *camera) {
    const float y = frame->y[i] * camera->scale + camera->offset.y;
    return !(y > 0.0f) ? 0 : y >= (float)RASTER_MAX_SIZE ? BANDS - 1 : (int32_t)y / BAND_PX;
}

/* From the top down, a band of the picture at a time, which stays in the cache. The frame's scratch is free
 * now. */
static void draw_blits(struct canvas *canvas, const struct frame *frame, const struct camera *camera,
                       const struct agents_style *style) {
    int32_t begin[BANDS + 1] = {0};
    int32_t *order = frame->scratch;
    for (int32_t i = 0; i < frame->count; i++) {
        begin[band_of(frame, i, camera) + 1]++;
    }
    for (int32_t band = 0; band < BANDS; band++) {
        begin[band + 1] += begin[band];
    }
    for (int32_t i = 0; i < frame->count; i++) {
        order[begin[band_of(frame, i, camera)]++] = i;
    }
    for (int32_t k = 0; k < frame->count; k++) {
        const int32_t i = order[k];
        draw_blit(canvas, frame, i, camera_to_window(camera, vec2_make(frame->x[i], frame->y[i])), style);
    }
}

void agents_draw(struct canvas *canvas, const struct frame *frame, const struct camera *camera,
                 const struct agents_style *style) {
    assert(frame->names != NULL && frame->count <= frame->capacity);
    const draw_copy draw =
        canvas->mesh == NULL && frame->count > AGENTS_DRAW_EXACT ? draw_blit : draw_exactly;
    if (style->wrap_size.x > 0.0f) {
        draw_copies(canvas, frame, camera, style, draw);
    }
    if (canvas->mesh != NULL) {
        draw_mesh(canvas, frame, camera, style);
        return;
    }
    if (draw == draw_blit) {
        draw_blits(canvas, frame, camera, style);
        return;
    }
    for (int32_t i = 0; i < frame->count; i++) {
        draw(canvas, frame, i, camera_to_window(camera, vec2_make(frame->x[i], frame->y[i])), style);
    }
}

/* Among thousands small arrows are clearer than large ones that hide each other. */
float agents_draw_least_radius(const struct frame *frame, const struct camera *camera, vec2 world_size,
                               float pixel_scale) {
    assert(pixel_scale > 0.0f);
    const int32_t count = frame->count > 0 ? frame->count : 1;
    const float room = world_size.x * world_size.y * camera->scale * camera->scale / (float)count;
    const float fair = 0.4f * sqrtf(fmaxf(room, 0.0f));
    return fminf(fmaxf(fair, crowd_arrow_px * pixel_scale), AGENTS_DRAW_MIN_ARROW_PX * pixel_scale);
}

float agents_draw_radius(const struct frame *frame, const struct camera *camera, vec2 world_size,
                         float pixel_scale, float world_radius) {
    const float least = agents_draw_least_radius(frame, camera, world_size, pixel_scale);
    const float radius = fmaxf(world_radius * camera->scale, least);
    /* sprites are kept by size: few sizes while zooming */
    return frame->count > AGENTS_DRAW_EXACT ? roundf(radius * 4.0f) * 0.25f : radius;
}
