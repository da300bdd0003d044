/* See agents_draw.h. */
#include "viewer/draw/agents_draw.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/draw/canvas.h"
#include "viewer/model/camera.h"

/* ---- agents ---- */

static const int32_t crowd_from = 4000;     /* agents */
static const float crowd_times_most = 3.0f; /* that the least radius of a kind is the smallest kind's */
static const float crowd_arrow_px = 2.5f;   /* the least radius among many thousands */

/* Everything the loop over agents asks for by kind, and by kind or state. */
struct brush {
    float scale, offset_x, offset_y;
    float low_x, low_y, high_x, high_y; /* centers outside are not seen */
    float half[NAME_TABLE_CAPACITY];    /* of the sprite, picture px */
    struct sprite_place place[NAME_TABLE_CAPACITY];
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
    brush->scale = camera->scale;
    brush->offset_x = camera->offset.x;
    brush->offset_y = camera->offset.y;
    brush->low_x = (float)canvas->clip.x0 - margin;
    brush->low_y = (float)canvas->clip.y0 - margin;
    brush->high_x = (float)canvas->clip.x1 + margin;
    brush->high_y = (float)canvas->clip.y1 + margin;
    brush->pale = style->is_held ? 0.5f : 1.0f;
    for (int k = 0; k < frame->names->kind_names.count; k++) {
        const struct sprite_place *place = sprites_place(canvas->sprites, style->shape[k], style->radius[k]);
        brush->place[k] = *place;
        brush->half[k] = place->half * style->radius[k] / place->radius;
    }
}

static inline void put_quad(struct mesh_vertex *vertex, float x, float y, float ax, float ay,
                            const struct sprite_place *place, uint32_t tint) {
    vertex[0] = (struct mesh_vertex){x - ax + ay, y - ay - ax, tint, place->u0, place->v0};
    vertex[1] = (struct mesh_vertex){x + ax + ay, y + ay - ax, tint, place->u1, place->v0};
    vertex[2] = (struct mesh_vertex){x + ax - ay, y + ay + ax, tint, place->u1, place->v1};
    vertex[3] = (struct mesh_vertex){x - ax - ay, y - ay + ax, tint, place->u0, place->v1};
}

static inline void put_agent(const struct brush *brush, const struct frame *frame, int32_t i, float x,
                             float y, struct mesh_vertex *vertex) {
    const uint16_t kind = frame->kind[i];
    const float half = brush->half[kind];
    const uint32_t tint = mesh_tint(frame->fill[i]);
    const uint32_t alpha = (uint32_t)(int32_t)((float)(tint >> 24) * frame->alpha[i] * brush->pale + 0.5f);
    put_quad(vertex, x, y, frame->dir_x[i] * half, frame->dir_y[i] * half, &brush->place[kind],
             (tint & 0xffffffu) | alpha << 24);
}

/* Quads of the agents where they are; returns how many are seen. Every agent is written and only the seen ones are
 * counted: no branch. `vertex` has room for one more than there are. */
static int32_t put_agents(const struct brush *brush, const struct frame *frame, struct mesh_vertex *vertex) {
    int32_t seen = 0;
    for (int32_t i = 0; i < frame->count; i++) {
        const float x = frame->x[i] * brush->scale + brush->offset_x;
        const float y = frame->y[i] * brush->scale + brush->offset_y;
        put_agent(brush, frame, i, x, y, vertex + (ptrdiff_t)seen * 4);
        seen +=
            (int32_t)((x > brush->low_x) & (x < brush->high_x) & (y > brush->low_y) & (y < brush->high_y));
    }
    return seen;
}

/* ---- copies ---- */

enum { COPY_BITS = 27 }; /* of an agent's index; its tile is above them */

/* Where centers are seen that lie in a shown copy of the world, picture px. */
struct sight {
    float low_x, low_y, high_x, high_y;
};

static struct sight sight_of(const struct canvas *canvas, float margin) {
    return (struct sight){(float)canvas->clip.x0 - margin, (float)canvas->clip.y0 - margin,
                          (float)canvas->clip.x1 + margin, (float)canvas->clip.y1 + margin};
}

/* The agents that may be seen a second time, which are few unless the picture is far out. `found` has room for one
 * more than there are agents. */
static int32_t find_candidates(const struct sight *sight, const struct frame *frame,
                               const struct camera *camera, vec2 size, int32_t *found) {
    const vec2 low = camera_to_world(camera, vec2_make(sight->low_x, sight->low_y));
    const vec2 high = camera_to_world(camera, vec2_make(sight->high_x, sight->high_y));
    const float left = high.x - size.x, right = low.x + size.x;
    const float above = high.y - size.y, below = low.y + size.y;
    int32_t count = 0;
    for (int32_t i = 0; i < frame->count; i++) {
        const float x = frame->x[i], y = frame->y[i];
        found[count] = i;
        count += (int32_t)((x < left) | (x > right) | (y < above) | (y > below));
    }
    return count;
}

/* Fills copies with an entry (index, and the tile above it) for each copy of an agent that is seen. At most
 * TILES_COUNT - 1 an agent. */
static int32_t find_copies(const struct canvas *canvas, const struct frame *frame,
                           const struct camera *camera, const struct agents_style *style, int32_t **copies) {
    const struct sight sight = sight_of(canvas, 1.4f * largest_radius(frame, style) + 4.0f);
    int32_t *const candidates = frame->scratch, *const out = frame->scratch + frame->capacity;
    const int32_t candidate_count = find_candidates(&sight, frame, camera, style->wrap_size, candidates);
    int32_t count = 0;
    for (int tile = 1; tile < TILES_COUNT; tile++) {
        const struct camera shifted = tiles_camera(camera, style->wrap_size, tile);
        for (int32_t k = 0; k < candidate_count; k++) {
            const int32_t i = candidates[k];
            const float x = frame->x[i] * shifted.scale + shifted.offset.x;
            const float y = frame->y[i] * shifted.scale + shifted.offset.y;
            out[count] = i | (int32_t)tile << COPY_BITS;
            count +=
                (int32_t)((x > sight.low_x) & (x < sight.high_x) & (y > sight.low_y) & (y < sight.high_y));
        }
    }
    *copies = out;
    return count;
}

static int32_t agent_of(int32_t copy) {
    return copy & ((1 << COPY_BITS) - 1);
}

/* Its place in the picture, px. */
static vec2 place_of(const struct frame *frame, const struct camera *camera, vec2 size, int32_t copy) {
    const int32_t i = agent_of(copy);
    return camera_to_window(
        camera, vec2_add(vec2_make(frame->x[i], frame->y[i]), tiles_shift(size, copy >> COPY_BITS)));
}

/* Draws one agent at a place of the picture. */
typedef void (*draw_agent)(struct canvas *canvas, const struct frame *frame, int32_t index, vec2 center,
                           const struct agents_style *style);

static void draw_exactly(struct canvas *canvas, const struct frame *frame, int32_t i, vec2 center,
                         const struct agents_style *style) {
    const uint16_t kind = frame->kind[i];
    arrow_draw(canvas, style->shape[kind], center, style->radius[kind],
               vec2_make(frame->dir_x[i], frame->dir_y[i]), frame->fill[i],
               frame->alpha[i] * (style->is_held ? 0.5f : 1.0f));
}

static void draw_blit(struct canvas *canvas, const struct frame *frame, int32_t i, vec2 center,
                      const struct agents_style *style) {
    const uint16_t kind = frame->kind[i];
    if (style->radius[kind] > (float)SPRITES_MAX_BLIT_PX ||
        sprites_blit(canvas->sprites, canvas->raster, style->shape[kind], center, style->radius[kind],
                     vec2_make(frame->dir_x[i], frame->dir_y[i]), frame->fill[i],
                     frame->alpha[i] * (style->is_held ? 0.5f : 1.0f)) != 0) {
        draw_exactly(canvas, frame, i, center, style);
    }
}

static void draw_mesh(struct canvas *canvas, const struct frame *frame, const struct camera *camera,
                      const struct agents_style *style, const int32_t *copies, int32_t copy_count) {
    struct brush brush;
    brush_init(&brush, canvas, frame, camera, style);
    struct mesh_vertex *vertex =
        mesh_begin_quads(canvas->mesh, MESH_SPRITES, canvas->clip, frame->count + copy_count + 1);
    if (vertex == NULL) {
        return;
    }
    for (int32_t k = 0; k < copy_count; k++) {
        const vec2 at = place_of(frame, camera, style->wrap_size, copies[k]);
        put_agent(&brush, frame, agent_of(copies[k]), at.x, at.y, vertex + (ptrdiff_t)k * 4);
    }
    mesh_end_quads(canvas->mesh, copy_count + put_agents(&brush, frame, vertex + (ptrdiff_t)copy_count * 4));
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
    assert(frame->count < 1 << COPY_BITS);
    const draw_agent draw =
        canvas->mesh == NULL && frame->count > AGENTS_DRAW_EXACT ? draw_blit : draw_exactly;
    int32_t *copies = NULL;
    const int32_t copy_count =
        torus_wraps(style->wrap_size) ? find_copies(canvas, frame, camera, style, &copies) : 0;
    if (canvas->mesh != NULL) {
        draw_mesh(canvas, frame, camera, style, copies, copy_count);
        return;
    }
    for (int32_t k = 0; k < copy_count; k++) {
        draw(canvas, frame, agent_of(copies[k]), place_of(frame, camera, style->wrap_size, copies[k]), style);
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
                         float smallest, float pixel_scale, float world_radius) {
    const float least = agents_draw_least_radius(frame, camera, world_size, pixel_scale);
    const bool is_crowd = frame->count > crowd_from && smallest > 0.0f;
    const float times = is_crowd ? fminf(fmaxf(world_radius / smallest, 1.0f), crowd_times_most) : 1.0f;
    const float radius = fmaxf(world_radius * camera->scale, times * least);
    /* sprites are kept by size: few sizes while zooming */
    return frame->count > AGENTS_DRAW_EXACT ? roundf(radius * 4.0f) * 0.25f : radius;
}

/* ---- rows for a graphics card ---- */

_Static_assert(sizeof(struct agent_instance) == 44, "as web/src/crowd.ts reads it");
_Static_assert(sizeof(struct agent_instances_frame) == 4 * (43 + 5 * AGENT_INSTANCES_KINDS),
               "as web/src/crowd.ts reads it");

void agent_instances_init(struct agent_instances *instances) {
    memset(instances, 0, sizeof *instances);
}

void agent_instances_fini(struct agent_instances *instances) {
    free(instances->rows);
    agent_instances_init(instances);
}

void agent_instances_clear(struct agent_instances *instances) {
    instances->count = 0;
}

static int reserve(struct agent_instances *instances, int32_t count) {
    if (count <= instances->capacity) {
        return 0;
    }
    const int32_t room = count + count / 4;
    struct agent_instance *rows = realloc(instances->rows, (size_t)room * sizeof *rows);
    if (rows == NULL) {
        return -1;
    }
    instances->rows = rows;
    instances->capacity = room;
    return 0;
}

static int16_t short_turn(int32_t from, int32_t to) {
    const int32_t turn = to - from;
    return (int16_t)(turn > 18000 ? turn - 36000 : turn < -18000 ? turn + 36000 : turn);
}

/* An agent that is at row `i` of one snapshot and at row `k` of the other. */
static struct agent_instance instance_of(const struct snapshot *a, int32_t i, const struct snapshot *b,
                                         int32_t k) {
    return (struct agent_instance){.from_x = a->x[i],
                                   .from_y = a->y[i],
                                   .to_x = b->x[k],
                                   .to_y = b->y[k],
                                   .from_vx = a->vx[i],
                                   .from_vy = a->vy[i],
                                   .to_vx = b->vx[k],
                                   .to_vy = b->vy[k],
                                   .heading = (uint16_t)a->heading[i],
                                   .turn = short_turn(a->heading[i], b->heading[k])};
}

/* The row of an id at or behind *from; *from goes on to it. -1 when it is not there. */
static int32_t find_from(const struct snapshot *snapshot, uint32_t id, int32_t *from) {
    while (*from < snapshot->count && snapshot->id[*from] < id) {
        (*from)++;
    }
    return *from < snapshot->count && snapshot->id[*from] == id ? *from : -1;
}

/* Ids ascend among those that stay, those that come, and those that leave. */
static void fill_rows(struct agent_instances *instances, const struct frame *frame, const struct snapshot *a,
                      const struct snapshot *b) {
    int32_t from = 0;
    enum agent_phase before = AGENT_STAYS;
    for (int32_t i = 0; i < frame->count; i++) {
        const int32_t row = frame->row[i];
        const enum agent_phase phase = b == NULL                  ? AGENT_LEAVES
                                       : i < frame->settled_count ? AGENT_STAYS
                                       : row >= 0                 ? AGENT_COMES
                                                                  : AGENT_LEAVES;
        from = phase == before ? from : 0;
        before = phase;
        const int32_t in_a = b == NULL ? row : phase == AGENT_COMES ? -1 : find_from(a, frame->id[i], &from);
        assert(in_a >= 0 || (b != NULL && row >= 0)); /* it is in one of them */
        const struct snapshot *first = in_a >= 0 ? a : b, *second = b != NULL && row >= 0 ? b : a;
        struct agent_instance *instance = &instances->rows[i];
        *instance = instance_of(first, in_a >= 0 ? in_a : row, second, b != NULL && row >= 0 ? row : in_a);
        instance->kind = frame->kind[i];
        instance->phase = (uint16_t)phase;
        instance->tint = mesh_tint(frame->fill[i]);
    }
}

int agent_instances_fill(struct agent_instances *instances, const struct frame *frame,
                         const struct interpolate_motion *motion) {
    assert(frame->names != NULL && motion->a != NULL);
    instances->count = 0;
    if (frame->names->kind_names.count > AGENT_INSTANCES_KINDS || reserve(instances, frame->count) != 0) {
        return -1;
    }
    fill_rows(instances, frame, motion->a, motion->b);
    instances->motion = *motion;
    instances->count = frame->count;
    instances->version++;
    return 0;
}

/* The kinds' sprites; returns the largest radius. */
static float fill_kinds(struct agent_instances_frame *out, const struct canvas *canvas,
                        const struct frame *frame, const struct agents_style *style) {
    float largest = 0.0f;
    out->kind_count = frame->names->kind_names.count;
    for (int k = 0; k < out->kind_count; k++) {
        const float radius = style->radius[k];
        const struct sprite_place *place = sprites_place(canvas->sprites, style->shape[k], radius);
        largest = fmaxf(largest, radius);
        out->half[k] = place->half * radius / place->radius;
        out->sprite[k].u0 = place->u0;
        out->sprite[k].v0 = place->v0;
        out->sprite[k].u1 = place->u1;
        out->sprite[k].v1 = place->v1;
    }
    return largest;
}

/* Where agents are seen: centers that far outside the clip rectangle are not. */
static void fill_sight(struct agent_instances_frame *out, const struct canvas *canvas, float margin) {
    out->clip_x0 = canvas->clip.x0;
    out->clip_y0 = canvas->clip.y0;
    out->clip_x1 = canvas->clip.x1;
    out->clip_y1 = canvas->clip.y1;
    out->low_x = (float)canvas->clip.x0 - margin;
    out->low_y = (float)canvas->clip.y0 - margin;
    out->high_x = (float)canvas->clip.x1 + margin;
    out->high_y = (float)canvas->clip.y1 + margin;
}

/* The copies of a wrapping world of which something is in sight, the world itself last: on top. */
static void fill_tiles(struct agent_instances_frame *out, const struct camera *camera, vec2 wrap_size) {
    const vec2 low = camera_to_world(camera, vec2_make(out->low_x, out->low_y));
    const vec2 high = camera_to_world(camera, vec2_make(out->high_x, out->high_y));
    out->tile_count = 0;
    for (int tile = tiles_count(wrap_size) - 1; tile >= 0; tile--) {
        const vec2 shift = tiles_shift(wrap_size, tile);
        if (tile == 0 || (shift.x < high.x && shift.y < high.y && shift.x + wrap_size.x > low.x &&
                          shift.y + wrap_size.y > low.y)) {
            out->tiles[out->tile_count][0] = shift.x;
            out->tiles[out->tile_count++][1] = shift.y;
        }
    }
}

static void fill_motion(struct agent_instances_frame *out, const struct interpolate_motion *motion) {
    out->along = motion->along;
    out->leave = motion->leave;
    out->reach = motion->reach;
    out->part = motion->part;
    out->reach_s = motion->reach_s;
    out->has_jumped = motion->has_jumped ? 1.0f : 0.0f;
    out->since_s = motion->since_s;
    out->fade_in = motion->fade_in;
    out->fade_out = motion->fade_out;
    out->width = motion->width;
    out->height = motion->height;
}

bool agent_instances_draw(struct canvas *canvas, const struct frame *frame, const struct camera *camera,
                          const struct agents_style *style) {
    struct agent_instances *instances = canvas->mesh != NULL ? canvas->mesh->instances : NULL;
    if (instances == NULL || instances->count == 0 || instances->count != frame->count) {
        return false;
    }
    struct agent_instances_frame *out = &instances->frame;
    out->scale = camera->scale;
    out->offset_x = camera->offset.x;
    out->offset_y = camera->offset.y;
    out->pale = style->is_held ? 0.5f : 1.0f;
    fill_motion(out, &instances->motion);
    fill_sight(out, canvas, 1.4f * fill_kinds(out, canvas, frame, style) + 4.0f);
    fill_tiles(out, camera, style->wrap_size);
    canvas->mesh->instances_batch = canvas->mesh->batch_count;
    return true;
}
