/* See frame.h. */
#include "viewer/model/frame.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/model/camera.h"

void frame_init(struct frame *frame) {
    memset(frame, 0, sizeof *frame);
}

static void free_columns(struct frame *frame) {
    free(frame->id);
    free(frame->kind);
    free(frame->state);
    free(frame->x);
    free(frame->desired);
    free(frame->row);
    free(frame->fill);
    free(frame->scratch);
}

void frame_fini(struct frame *frame) {
    free_columns(frame);
    frame_init(frame);
}

int frame_reserve(struct frame *frame, int32_t count) {
    assert(count >= 0);
    if (count <= frame->capacity) {
        return 0;
    }
    const size_t room = (size_t)count + (size_t)count / 4 + 16;
    struct frame grown = *frame;
    grown.id = malloc(room * sizeof *grown.id);
    grown.kind = malloc(room * sizeof *grown.kind);
    grown.state = malloc(room * sizeof *grown.state);
    grown.x = malloc(7 * room * sizeof *grown.x);
    grown.desired = malloc(2 * room * sizeof *grown.desired);
    grown.row = malloc(room * sizeof *grown.row);
    grown.fill = calloc(room, sizeof *grown.fill);
    grown.scratch = malloc((2 * FRAME_SCRATCH_COLUMNS + 2) * room * sizeof *grown.scratch);
    if (grown.id == NULL || grown.kind == NULL || grown.state == NULL || grown.x == NULL ||
        grown.desired == NULL || grown.row == NULL || grown.fill == NULL || grown.scratch == NULL) {
        free_columns(&grown);
        return -1;
    }
    free_columns(frame);
    *frame = grown;
    frame->capacity = (int32_t)room;
    float **const columns[] = {&frame->y,     &frame->vx,    &frame->vy,
                               &frame->dir_x, &frame->dir_y, &frame->alpha};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        *columns[i] = frame->x + (i + 1) * room;
    }
    frame->steering = frame->desired + room;
    return 0;
}

struct pose frame_pose(const struct frame *frame, int32_t index) {
    assert(index >= 0 && index < frame->count);
    struct pose pose = {
        .id = frame->id[index],
        .kind = frame->kind[index],
        .state = frame->state[index],
        .position = {frame->x[index], frame->y[index]},
        .velocity = {frame->vx[index], frame->vy[index]},
        .heading = atan2f(frame->dir_y[index], frame->dir_x[index]),
        .alpha = frame->alpha[index],
    };
    if (frame->has_forces) {
        pose.desired = frame->desired[index];
        pose.steering = frame->steering[index];
    }
    return pose;
}

int32_t frame_find(const struct frame *frame, uint32_t id) {
    assert(frame->settled_count <= frame->count);
    int32_t low = 0, high = frame->settled_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (frame->id[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < frame->settled_count && frame->id[low] == id) {
        return low;
    }
    for (int32_t i = frame->settled_count; i < frame->count; i++) {
        if (frame->id[i] == id) {
            return i;
        }
    }
    return -1;
}

/* ---- the flag ---- */

static const float standing = 0.25f; /* of the greatest speed */

const struct frame_target *frame_flag(const struct message_view *view, const struct frame *frame) {
    const bool has_flag = frame->names != NULL && view->flag[0] != '\0';
    for (int32_t i = 0; has_flag && i < frame->target_count; i++) {
        const struct frame_target *target = &frame->targets[i];
        if (strcmp(frame->names->target_names.names[target->name], view->flag) == 0) {
            return target;
        }
    }
    return NULL;
}

int32_t frame_flag_captor(const struct server_model *server, const struct frame *frame) {
    const struct frame_target *flag = frame_flag(&server->scenario.view, frame);
    const vec2 wrap_size = server_model_wraps(server) ? server->scenario.size : vec2_make(0.0f, 0.0f);
    int32_t captor = -1;
    float nearest = INFINITY;
    for (int32_t i = 0; flag != NULL && i < frame->count; i++) {
        const struct message_kind *kind =
            server_model_kind(server, frame->names->kind_names.names[frame->kind[i]]);
        const vec2 way = vec2_sub(vec2_make(frame->x[i], frame->y[i]), flag->position);
        const float distance = vec2_length(torus_short_way(way, wrap_size));
        const float speed = vec2_length(vec2_make(frame->vx[i], frame->vy[i]));
        if (kind != NULL && distance <= fminf(kind->radius, nearest) && speed <= standing * kind->max_speed) {
            nearest = distance;
            captor = i;
        }
    }
    return captor;
}
