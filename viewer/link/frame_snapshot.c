/* See frame_snapshot.h. */
#include "viewer/link/frame_snapshot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHARES_OF_AGENT = 256 };

/* Names have numbers of their own in a snapshot: map[number in the frame] is the number there. */
struct name_map {
    int count;
    uint16_t map[NAME_TABLE_CAPACITY];
};

static int read_names(const struct drover_frame *frame,
                      const char *(*name_of)(const struct drover_frame *, unsigned), struct name_table *table,
                      struct name_map *map) {
    const char *name;
    map->count = 0;
    while (map->count < NAME_TABLE_CAPACITY && (name = name_of(frame, (unsigned)map->count))[0] != '\0') {
        const int number = name_table_intern(table, name, strlen(name));
        if (number < 0) {
            return -1;
        }
        map->map[map->count++] = (uint16_t)number;
    }
    return 0;
}

static void map_column(const struct name_map *map, const uint16_t *from, int32_t count, uint16_t *to) {
    for (int32_t i = 0; i < count; i++) {
        to[i] = from[i] < map->count ? map->map[from[i]] : 0;
    }
}

static int copy_names(const struct drover_frame *frame, struct snapshot *to) {
    struct name_map map;
    if (read_names(frame, drover_frame_kind, &to->kind_names, &map) != 0) {
        return -1;
    }
    map_column(&map, frame->kind, frame->count, to->kind);
    if (read_names(frame, drover_frame_state, &to->state_names, &map) != 0) {
        return -1;
    }
    map_column(&map, frame->state, frame->count, to->state);
    return 0;
}

static int copy_targets(const struct drover_frame *frame, struct snapshot *to) {
    to->target_count = frame->target_count;
    for (int32_t i = 0; i < frame->target_count; i++) {
        const char *name = drover_frame_target(frame, i);
        const int number = name_table_intern(&to->target_names, name, strlen(name));
        if (number < 0) {
            return -1;
        }
        to->target_name[i] = (uint16_t)number;
        to->target_x[i] = frame->target_x[i];
        to->target_y[i] = frame->target_y[i];
    }
    return 0;
}

static void copy_columns(const struct drover_frame *frame, struct snapshot *to) {
    const size_t bytes = (size_t)frame->count * sizeof *to->x;
    if (frame->count == 0) {
        return;
    }
    memcpy(to->id, frame->id, (size_t)frame->count * sizeof *to->id);
    memcpy(to->x, frame->x, bytes);
    memcpy(to->y, frame->y, bytes);
    memcpy(to->vx, frame->vx, bytes);
    memcpy(to->vy, frame->vy, bytes);
    memcpy(to->heading, frame->heading, bytes);
    memcpy(to->stamina, frame->stamina, bytes);
    if (frame->desired != NULL && frame->steering != NULL) {
        memcpy(to->desired, frame->desired, 2 * bytes);
        memcpy(to->steering, frame->steering, 2 * bytes);
    }
}

/* ---- shares ---- */

static int32_t hundredths(double value) {
    return (int32_t)lround(value * 100.0);
}

static int add_share(const struct drover_share *share, struct snapshot *to) {
    const int behavior = name_table_intern(&to->behavior_names, share->behavior, strlen(share->behavior));
    const struct snapshot_vector force = {hundredths(share->x), hundredths(share->y)};
    if (behavior < 0) {
        return -1;
    }
    if (share->part[0] == '\0') {
        to->shares[to->share_count++] = (struct snapshot_share){(uint16_t)behavior, force};
        return 0;
    }
    const int part = name_table_intern(&to->part_names, share->part, strlen(share->part));
    if (part < 0) {
        return -1;
    }
    to->parts[to->part_count++] = (struct snapshot_part){(uint16_t)behavior, (uint16_t)part, force};
    return 0;
}

static int copy_shares(const struct drover_frame *frame, struct snapshot *to) {
    struct drover_share shares[SHARES_OF_AGENT];
    const bool has_parts = snapshot_has_parts(to);
    to->share_count = to->part_count = 0;
    for (int32_t row = 0; row < frame->count; row++) {
        const int32_t all = drover_frame_shares(frame, row, shares, SHARES_OF_AGENT);
        const int32_t count = all < SHARES_OF_AGENT ? all : SHARES_OF_AGENT;
        to->share_begin[row] = to->share_count;
        if (has_parts) {
            to->part_begin[row] = to->part_count;
        }
        for (int32_t i = 0; i < count; i++) {
            if (add_share(&shares[i], to) != 0) {
                return -1;
            }
        }
    }
    to->share_begin[frame->count] = to->share_count;
    if (has_parts) {
        to->part_begin[frame->count] = to->part_count;
    }
    return 0;
}

/* Room for everything. shares: of all agents, their parts among them. */
static int reserve(const struct drover_frame *frame, struct snapshot *to) {
    int32_t shares = 0;
    for (int32_t row = 0; row < frame->count && to->has_forces; row++) {
        shares += drover_frame_shares(frame, row, NULL, 0);
    }
    if (snapshot_reserve(to, frame->count, shares, to->has_forces) != 0) {
        return -1;
    }
    return snapshot_has_parts(to) ? snapshot_reserve_parts(to, shares) : 0;
}

int frame_to_snapshot(const struct drover_frame *frame, struct snapshot *to) {
    to->tick = frame->tick;
    to->time_s = frame->time;
    to->clock_ms = frame->clock;
    to->has_speed = frame->speed >= 0.0;
    to->speed = frame->speed;
    to->epoch = frame->world;
    to->fields = frame->columns;
    to->has_forces = frame->desired != NULL && frame->steering != NULL;
    if (reserve(frame, to) != 0) {
        return -1;
    }
    to->count = frame->count;
    copy_columns(frame, to);
    if (copy_names(frame, to) != 0 || copy_targets(frame, to) != 0) {
        return -1;
    }
    return to->has_forces ? copy_shares(frame, to) : 0;
}

int frame_to_density(const struct drover_frame *frame, struct density *to) {
    const int32_t cells = frame->grid_columns * frame->grid_rows;
    if (density_reserve(to, cells, frame->grid_kinds) != 0) {
        return -1;
    }
    to->tick = frame->tick;
    to->time_s = frame->time;
    to->clock_ms = frame->clock;
    to->has_speed = frame->speed >= 0.0;
    to->speed = frame->speed;
    to->columns = frame->grid_columns;
    to->rows = frame->grid_rows;
    to->region = (struct snapshot_box){frame->grid_x, frame->grid_y, frame->grid_width, frame->grid_height};
    to->inside = frame->grid_inside;
    to->outside = frame->grid_outside;
    memcpy(to->count, frame->grid_count, (size_t)cells * sizeof *to->count);
    memcpy(to->vx, frame->grid_vx, (size_t)cells * sizeof *to->vx);
    memcpy(to->vy, frame->grid_vy, (size_t)cells * sizeof *to->vy);
    to->has_mean_speed = frame->grid_mean_speed != NULL;
    if (to->has_mean_speed) {
        memcpy(to->mean_speed, frame->grid_mean_speed, (size_t)cells * sizeof *to->mean_speed);
    }
    to->kind_count = frame->grid_kinds;
    for (int32_t k = 0; k < to->kind_count; k++) {
        (void)snprintf(to->kinds[k], sizeof to->kinds[k], "%s", drover_frame_kind(frame, (unsigned)k));
    }
    if (to->kind_count > 0) {
        memcpy(to->by_kind, frame->grid_by_kind,
               (size_t)cells * (size_t)to->kind_count * sizeof *to->by_kind);
    }
    return 0;
}
