/* See headings.h. */
#include "viewer/model/headings.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double smooth_s = 0.1, jump_s = 0.5;
static const float slow_from = 0.1f, slow_to = 0.3f; /* shares of max_speed */
static const float fro_from = 0.6f, fro_to = 0.9f;   /* lengths of the mean direction */
static const float least_length = 0.05f;             /* what is shorter has no direction */

void headings_fini(struct headings *headings) {
    free(headings->rows);
    free(headings->others);
    memset(headings, 0, sizeof *headings);
}

void headings_clear(struct headings *headings) {
    headings->count = 0;
}

static int reserve(struct headings *headings, int32_t count) {
    if (count <= headings->capacity) {
        return 0;
    }
    const size_t room = (size_t)count + (size_t)count / 4 + 16;
    struct heading_row *rows = realloc(headings->rows, room * sizeof *rows);
    headings->rows = rows != NULL ? rows : headings->rows;
    struct heading_row *others = realloc(headings->others, room * sizeof *others);
    headings->others = others != NULL ? others : headings->others;
    headings->capacity = rows != NULL && others != NULL ? (int32_t)room : headings->capacity;
    return rows != NULL && others != NULL ? 0 : -1;
}

/* 1 up to `from`, 0 from `to` on. */
static float fall(float value, float from, float to) {
    return fminf(fmaxf((to - value) / (to - from), 0.0f), 1.0f);
}

/* Ids ascend in both: `from` says where to go on looking. */
static const struct heading_row *find_old(const struct headings *headings, uint32_t id, int32_t *from) {
    while (*from < headings->count && headings->rows[*from].id < id) {
        (*from)++;
    }
    return *from < headings->count && headings->rows[*from].id == id ? &headings->rows[*from] : NULL;
}

/* part: how much of the mean is replaced by this moment's direction. */
static vec2 smooth(struct heading_row *row, vec2 direction, float speed_share, float part) {
    row->mean = vec2_add(row->mean, vec2_scale(vec2_sub(direction, row->mean), part));
    const float length = vec2_length(row->mean);
    const float share = fmaxf(fall(speed_share, slow_from, slow_to), fall(length, fro_from, fro_to));
    const vec2 mixed = vec2_add(vec2_scale(direction, 1.0f - share), vec2_scale(row->mean, share));
    const float mixed_length = vec2_length(mixed);
    row->drawn = mixed_length > least_length ? vec2_scale(mixed, 1.0f / mixed_length) : row->drawn;
    return row->drawn;
}

void headings_smooth(struct headings *headings, struct frame *frame, const float *max_speed) {
    assert(max_speed != NULL && frame->settled_count <= frame->count);
    const double passed_s = frame->time_s - headings->time_s;
    if (passed_s < 0.0 || passed_s > jump_s || frame->settled_count > HEADINGS_MOST) {
        headings_clear(headings);
    }
    if (frame->settled_count > HEADINGS_MOST || reserve(headings, frame->settled_count) != 0) {
        return;
    }
    const float part = (float)(1.0 - exp(-passed_s / smooth_s));
    int32_t from = 0;
    for (int32_t i = 0; i < frame->settled_count; i++) {
        const struct heading_row *old = find_old(headings, frame->id[i], &from);
        struct heading_row *row = &headings->others[i];
        const vec2 direction = vec2_make(frame->dir_x[i], frame->dir_y[i]);
        const float most = max_speed[frame->kind[i]];
        const float speed = vec2_length(vec2_make(frame->vx[i], frame->vy[i]));
        *row = old != NULL ? *old : (struct heading_row){frame->id[i], direction, direction};
        const vec2 drawn =
            smooth(row, direction, most > 0.0f ? speed / most : 1.0f, old != NULL ? part : 0.0f);
        frame->dir_x[i] = drawn.x;
        frame->dir_y[i] = drawn.y;
    }
    struct heading_row *rows = headings->rows;
    headings->rows = headings->others;
    headings->others = rows;
    headings->count = frame->settled_count;
    headings->time_s = frame->time_s;
}
