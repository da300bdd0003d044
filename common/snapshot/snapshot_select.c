/* Copies of snapshots: whole, or of some of their agents. Owns nothing.
 *
 * Invariant: what is copied has the arrays' order, so rows stay in ascending order of id.
 */
#include "common/snapshot/snapshot.h"

#include <assert.h>
#include <string.h>

static void copy_names(const struct name_table *from, struct name_table *to) {
    to->count = from->count;
    memcpy(to->names, from->names, (size_t)from->count * sizeof from->names[0]);
}

static void copy_head(const struct snapshot *from, struct snapshot *to) {
    to->tick = from->tick;
    to->time_s = from->time_s;
    to->clock_ms = from->clock_ms;
    to->has_speed = from->has_speed;
    to->speed = from->speed;
    to->epoch = from->epoch;
    to->has_forces = from->has_forces;
    to->fields = from->fields;
    to->width = from->width;
    to->height = from->height;
    to->wraps = from->wraps;
    const size_t targets = (size_t)from->target_count;
    to->target_count = from->target_count;
    memcpy(to->target_name, from->target_name, targets * sizeof from->target_name[0]);
    memcpy(to->target_x, from->target_x, targets * sizeof from->target_x[0]);
    memcpy(to->target_y, from->target_y, targets * sizeof from->target_y[0]);
    copy_names(&from->kind_names, &to->kind_names);
    copy_names(&from->state_names, &to->state_names);
    copy_names(&from->behavior_names, &to->behavior_names);
    copy_names(&from->part_names, &to->part_names);
    copy_names(&from->target_names, &to->target_names);
}

#define COPY(column) memcpy(to->column, from->column, (size_t)from->count * sizeof *from->column)

/* Room for all, or for some of them. */
static int reserve(const struct snapshot *from, int32_t count, struct snapshot *to) {
    if (snapshot_reserve(to, count, from->share_count, from->has_forces) != 0) {
        return -1;
    }
    return snapshot_has_parts(from) ? snapshot_reserve_parts(to, from->part_count) : 0;
}

int snapshot_copy(const struct snapshot *from, struct snapshot *to) {
    if (reserve(from, from->count, to) != 0) {
        return -1;
    }
    copy_head(from, to);
    to->count = from->count;
    to->share_count = from->has_forces ? from->share_count : 0;
    to->part_count = snapshot_has_parts(from) ? from->part_count : 0;
    if (from->count == 0) {
        return 0;
    }
    COPY(id);
    COPY(kind);
    COPY(state);
    COPY(x);
    COPY(y);
    COPY(vx);
    COPY(vy);
    COPY(heading);
    COPY(stamina);
    if (from->has_forces) {
        COPY(desired);
        COPY(steering);
        memcpy(to->share_begin, from->share_begin, ((size_t)from->count + 1) * sizeof *from->share_begin);
        memcpy(to->shares, from->shares, (size_t)from->share_count * sizeof *from->shares);
    }
    if (snapshot_has_parts(from)) {
        memcpy(to->part_begin, from->part_begin, ((size_t)from->count + 1) * sizeof *from->part_begin);
        memcpy(to->parts, from->parts, (size_t)from->part_count * sizeof *from->parts);
    }
    return 0;
}

static void select_forces(const struct snapshot *from, const int32_t *rows, struct snapshot *to) {
    to->share_count = 0;
    for (int32_t i = 0; i < to->count; i++) {
        const int32_t begin = from->share_begin[rows[i]];
        const int32_t count = from->share_begin[rows[i] + 1] - begin;
        to->desired[i] = from->desired[rows[i]];
        to->steering[i] = from->steering[rows[i]];
        to->share_begin[i] = to->share_count;
        memcpy(to->shares + to->share_count, from->shares + begin, (size_t)count * sizeof *from->shares);
        to->share_count += count;
    }
    to->share_begin[to->count] = to->share_count;
}

static void select_parts(const struct snapshot *from, const int32_t *rows, struct snapshot *to) {
    for (int32_t i = 0; i < to->count; i++) {
        const int32_t begin = from->part_begin[rows[i]];
        const int32_t count = from->part_begin[rows[i] + 1] - begin;
        to->part_begin[i] = to->part_count;
        memcpy(to->parts + to->part_count, from->parts + begin, (size_t)count * sizeof *from->parts);
        to->part_count += count;
    }
    to->part_begin[to->count] = to->part_count;
}

int snapshot_select(const struct snapshot *from, const int32_t *rows, int32_t count, struct snapshot *to) {
    /* The shares and parts of all are room enough for those of some. */
    if (reserve(from, count, to) != 0) {
        return -1;
    }
    copy_head(from, to);
    to->count = count;
    to->share_count = 0;
    to->part_count = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t row = rows[i];
        assert(row >= 0 && row < from->count);
        to->id[i] = from->id[row];
        to->kind[i] = from->kind[row];
        to->state[i] = from->state[row];
        to->x[i] = from->x[row];
        to->y[i] = from->y[row];
        to->vx[i] = from->vx[row];
        to->vy[i] = from->vy[row];
        to->heading[i] = from->heading[row];
        to->stamina[i] = from->stamina[row];
    }
    if (from->has_forces) {
        select_forces(from, rows, to);
    }
    if (snapshot_has_parts(from)) {
        select_parts(from, rows, to);
    }
    return 0;
}
