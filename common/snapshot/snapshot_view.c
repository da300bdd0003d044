/* See snapshot_view.h. Owns nothing. */
#include "common/snapshot/snapshot_view.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/snapshot/snapshot_internal.h"

bool snapshot_view_equals(const struct snapshot_view *a, const struct snapshot_view *b) {
    bool is_same = a->layout == b->layout && a->fields == b->fields && a->has_region == b->has_region &&
                   a->grid[0] == b->grid[0] && a->grid[1] == b->grid[1] && a->cell == b->cell &&
                   a->by_kind == b->by_kind && a->mean_speed == b->mean_speed && a->has_speed == b->has_speed;
    for (int i = 0; i < 4 && a->has_region; i++) {
        is_same = is_same && a->region[i] == b->region[i];
    }
    return is_same && strcmp(a->kinds, b->kinds) == 0;
}

void snapshot_view_add_speed(double speed, struct buffer *out) {
    static const char end[] = "}\n";
    assert(speed >= 0.0);
    if (out->failed) {
        return;
    }
    assert(out->length > 2 && memcmp(out->data + out->length - 2, end, 2) == 0);
    out->length -= 2;
    buffer_append_text(out, ",\"speed\":");
    snapshot_append_fixed(out, speed, 6);
    buffer_append_text(out, end);
}

bool snapshot_view_has_kind(const struct snapshot_view *view, const char *name) {
    const size_t length = strlen(name);
    const char *at = view->kinds;
    if (*at == '\0') {
        return true;
    }
    for (;;) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, name, length) == 0) {
            return true;
        }
        if (at[word] == '\0') {
            return false;
        }
        at += word + 1;
    }
}

static int64_t hundredths(double px) {
    return llround(px * 100.0);
}

void snapshot_view_filter(const struct snapshot_view *view, const struct snapshot *snapshot, double margin,
                          struct snapshot_filter *out) {
    memset(out, 0, sizeof *out);
    out->is_all = !view->has_region && view->kinds[0] == '\0';
    out->has_box = view->has_region;
    for (int k = 0; k < snapshot->kind_names.count; k++) {
        out->kinds[k] = snapshot_view_has_kind(view, snapshot->kind_names.names[k]);
    }
    if (snapshot->wraps) {
        out->wrap_x = hundredths((double)snapshot->width);
        out->wrap_y = hundredths((double)snapshot->height);
    }
    const double more_x = (double)view->region[2] * margin, more_y = (double)view->region[3] * margin;
    out->box.x = hundredths((double)view->region[0] - more_x);
    out->box.y = hundredths((double)view->region[1] - more_y);
    out->box.width = hundredths((double)view->region[2] + 2.0 * more_x);
    out->box.height = hundredths((double)view->region[3] + 2.0 * more_y);
}

bool snapshot_filter_passes(const struct snapshot_filter *filter, const struct snapshot *snapshot,
                            int32_t row) {
    if (filter->is_all) {
        return true;
    }
    if (!filter->kinds[snapshot->kind[row]]) {
        return false;
    }
    return !filter->has_box || ((uint64_t)snapshot_offset(snapshot->x[row], filter->box.x, filter->wrap_x) <=
                                    (uint64_t)filter->box.width &&
                                (uint64_t)snapshot_offset(snapshot->y[row], filter->box.y, filter->wrap_y) <=
                                    (uint64_t)filter->box.height);
}

int32_t snapshot_filter_rows(const struct snapshot_filter *filter, const struct snapshot *snapshot,
                             int32_t *rows) {
    int32_t count = 0;
    for (int32_t row = 0; row < snapshot->count; row++) {
        rows[count] = row;
        count += snapshot_filter_passes(filter, snapshot, row);
    }
    return count;
}
