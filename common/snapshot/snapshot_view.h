/* A view: everything in a subscription that decides the bytes of its frames. Plain value.
 *
 * Two equal views get the same bytes, so a frame is encoded once for all of them.
 */
#ifndef DROVER_COMMON_SNAPSHOT_SNAPSHOT_VIEW_H
#define DROVER_COMMON_SNAPSHOT_SNAPSHOT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/limits.h"
#include "common/snapshot/snapshot.h"

struct snapshot_view {
    int layout;      /* enum layout */
    unsigned fields; /* enum snapshot_field */
    bool has_region;
    float region[4];                                  /* px: x, y, width, height */
    char kinds[LIMIT_KINDS * (LIMIT_NAME_CHARS + 1)]; /* names with a blank between them; "": every kind */
    float grid[2];                                    /* density: columns and rows; 0: by `cell` */
    float cell;                                       /* density: px; 0: by `grid` */
    bool by_kind, mean_speed;                         /* density: has these as well */
    bool has_speed;                                   /* frames say the speed of the world's time */
};

/** A rectangle in hundredths of px. */
struct snapshot_box {
    int64_t x, y, width, height;
};

/** Which agents a view shows, in a given world. */
struct snapshot_filter {
    bool is_all; /* every agent: nothing below matters */
    bool has_box;
    struct snapshot_box box;
    int64_t wrap_x, wrap_y;          /* hundredths of px: size of a wrapping world; 0: it does not wrap */
    bool kinds[NAME_TABLE_CAPACITY]; /* by index in kind_names */
};

bool snapshot_view_equals(const struct snapshot_view *a, const struct snapshot_view *b);
/** Whether `kinds` has this name, or is empty. */
bool snapshot_view_has_kind(const struct snapshot_view *view, const char *name);
/** Resolves region and kinds for the snapshot's world. margin: of the region's size, added on each side. */
void snapshot_view_filter(const struct snapshot_view *view, const struct snapshot *snapshot, double margin,
                          struct snapshot_filter *out);
bool snapshot_filter_passes(const struct snapshot_filter *filter, const struct snapshot *snapshot,
                            int32_t row);
/** The rows that pass, ascending; `rows` has room for all. Returns how many. */
int32_t snapshot_filter_rows(const struct snapshot_filter *filter, const struct snapshot *snapshot,
                             int32_t *rows);

/** Adds "speed" to the whole line of a frame, as its last member: in every layout alike. Failure is out->failed. */
void snapshot_view_add_speed(double speed, struct buffer *out);

/** How far past the start of an interval, the short way round when the world wraps (size > 0). */
static inline int64_t snapshot_offset(int64_t value, int64_t start, int64_t size) {
    int64_t offset = value - start;
    if (size > 0 && (offset < 0 || offset >= size)) {
        offset %= size;
        offset += offset < 0 ? size : 0;
    }
    return offset;
}

#endif
