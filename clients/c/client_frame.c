/* See client_frame.h. */
#include "clients/c/client_frame.h"

#include <stdlib.h>

/* ---- making ---- */

static void show_agents(struct drover_frame *shown, const struct snapshot *from) {
    shown->columns = from->fields;
    shown->count = from->count;
    shown->id = from->id;
    shown->kind = from->kind;
    shown->state = from->state;
    shown->x = from->x;
    shown->y = from->y;
    shown->vx = from->vx;
    shown->vy = from->vy;
    shown->heading = from->heading;
    shown->stamina = from->stamina;
    shown->desired = from->has_forces && from->count > 0 ? &from->desired->x : NULL;
    shown->steering = from->has_forces && from->count > 0 ? &from->steering->x : NULL;
    shown->target_count = from->target_count;
    shown->target_x = from->target_x;
    shown->target_y = from->target_y;
}

static void show_grid(struct drover_frame *shown, const struct density *from) {
    shown->grid_columns = from->columns;
    shown->grid_rows = from->rows;
    shown->grid_count = from->count;
    shown->grid_vx = from->vx;
    shown->grid_vy = from->vy;
    shown->grid_x = from->region.x;
    shown->grid_y = from->region.y;
    shown->grid_width = from->region.width;
    shown->grid_height = from->region.height;
    shown->grid_inside = from->inside;
    shown->grid_outside = from->outside;
    shown->grid_mean_speed = from->has_mean_speed ? from->mean_speed : NULL;
    shown->grid_kinds = from->kind_count;
    shown->grid_by_kind = from->kind_count > 0 ? from->by_kind : NULL;
}

void client_frame_fill(struct client_frame *frame, struct client_decoder *decoder,
                       const struct client_event *event, double arrival_ms, uint32_t missed) {
    const struct snapshot *from = event->snapshot;
    client_decoder_replace_snapshot(decoder, frame->snapshot);
    frame->snapshot = event->snapshot;
    frame->shown = (struct drover_frame){.tick = from->tick,
                                         .time = from->time_s,
                                         .clock = from->clock_ms,
                                         .speed = from->has_speed ? from->speed : -1.0,
                                         .arrival = arrival_ms,
                                         .world = event->epoch,
                                         .missed = missed};
    show_agents(&frame->shown, from);
    if (event->density != NULL) {
        client_decoder_replace_density(decoder, frame->density);
        frame->density = event->density;
        show_grid(&frame->shown, frame->density);
    }
}

void drover_frame_free(struct drover_frame *shown) {
    struct client_frame *frame = (struct client_frame *)shown;
    if (frame != NULL) {
        snapshot_destroy(frame->snapshot);
        density_destroy(frame->density);
        free(frame);
    }
}

/* ---- reading ---- */

static const struct snapshot *snapshot_of(const struct drover_frame *frame) {
    return ((const struct client_frame *)frame)->snapshot;
}

static const char *name_of(const struct name_table *names, unsigned number) {
    return number < (unsigned)names->count ? names->names[number] : "";
}

const char *drover_frame_kind(const struct drover_frame *frame, unsigned number) {
    if (frame->grid_kinds > 0) {
        return number < (unsigned)frame->grid_kinds
                   ? ((const struct client_frame *)frame)->density->kinds[number]
                   : "";
    }
    return name_of(&snapshot_of(frame)->kind_names, number);
}

const char *drover_frame_state(const struct drover_frame *frame, unsigned number) {
    return name_of(&snapshot_of(frame)->state_names, number);
}

const char *drover_frame_target(const struct drover_frame *frame, int32_t index) {
    const struct snapshot *snapshot = snapshot_of(frame);
    return index >= 0 && index < snapshot->target_count
               ? name_of(&snapshot->target_names, snapshot->target_name[index])
               : "";
}

int32_t drover_frame_row(const struct drover_frame *frame, uint32_t id) {
    int32_t low = 0, high = frame->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (frame->id[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < frame->count && frame->id[low] == id ? low : -1;
}

struct share_list {
    struct drover_share *out;
    int32_t room, count;
};

static void add_share(struct share_list *list, const char *behavior, const char *part,
                      struct snapshot_vector force) {
    if (list->count < list->room) {
        list->out[list->count] = (struct drover_share){behavior, part, force.x / 100.0, force.y / 100.0};
    }
    list->count++;
}

static void add_parts(struct share_list *list, const struct snapshot *from, int32_t row, unsigned behavior) {
    for (int32_t i = from->part_begin[row]; i < from->part_begin[row + 1]; i++) {
        const struct snapshot_part *part = &from->parts[i];
        if (part->behavior == behavior) {
            add_share(list, name_of(&from->behavior_names, behavior), name_of(&from->part_names, part->part),
                      part->force);
        }
    }
}

int32_t drover_frame_shares(const struct drover_frame *frame, int32_t row, struct drover_share *out,
                            int32_t room) {
    const struct snapshot *from = snapshot_of(frame);
    struct share_list list = {out, room, 0};
    if (!from->has_forces || (from->fields & (unsigned)SNAPSHOT_SHARES) == 0 || row < 0 ||
        row >= from->count) {
        return 0;
    }
    for (int32_t i = from->share_begin[row]; i < from->share_begin[row + 1]; i++) {
        const struct snapshot_share *share = &from->shares[i];
        add_share(&list, name_of(&from->behavior_names, share->behavior), "", share->force);
        if (snapshot_has_parts(from)) {
            add_parts(&list, from, row, share->behavior);
        }
    }
    return list.count;
}
