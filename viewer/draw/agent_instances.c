/* See agent_instances.h. */
#include "viewer/draw/agent_instances.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
