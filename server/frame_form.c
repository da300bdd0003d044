/* See frame_form.h. */
#include "server/frame_form.h"

#include <stdlib.h>

#include "common/log.h"
#include "common/request.h"

/* A million agents with a handful of behaviours each. */
static const size_t frame_limit_bytes = (size_t)1 << 30;
static const double key_margin = 0.1; /* of the region's size, on each side */

void frame_scratch_init(struct frame_scratch *scratch) {
    *scratch = (struct frame_scratch){0};
    density_init(&scratch->density);
}

void frame_scratch_fini(struct frame_scratch *scratch) {
    snapshot_destroy(scratch->selected);
    free(scratch->rows);
    density_fini(&scratch->density);
    frame_scratch_init(scratch);
}

struct frame_form *frame_form_create(const struct snapshot_view *view) {
    struct frame_form *form = calloc(1, sizeof *form);
    if (form == NULL) {
        return NULL;
    }
    form->view = *view;
    if (view->layout == LAYOUT_PACKED && packed_encoder_init(&form->packed, view->fields) != 0) {
        free(form);
        return NULL;
    }
    return form;
}

void frame_form_destroy(struct frame_form *form) {
    if (form != NULL) {
        packed_encoder_fini(&form->packed);
        shared_bytes_release(form->key);
        shared_bytes_release(form->frame);
        free(form);
    }
}

void frame_form_forget(struct frame_form *form) {
    shared_bytes_release(form->frame);
    form->frame = NULL;
}

/* ---- whom it shows ---- */

static bool reserve_rows(struct frame_scratch *scratch, int32_t count) {
    if (scratch->selected == NULL) {
        scratch->selected = snapshot_create();
    }
    if (count > scratch->row_capacity) {
        int32_t *larger = realloc(scratch->rows, (size_t)count * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        scratch->rows = larger;
        scratch->row_capacity = count;
    }
    return scratch->selected != NULL;
}

/* The snapshot itself, or the copy of what passes; NULL when memory is short. */
static const struct snapshot *select_agents(const struct snapshot_filter *filter,
                                            const struct snapshot *snapshot, struct frame_scratch *scratch) {
    if (filter->is_all) {
        return snapshot;
    }
    if (!reserve_rows(scratch, snapshot->count)) {
        return NULL;
    }
    const int32_t count = snapshot_filter_rows(filter, snapshot, scratch->rows);
    return snapshot_select(snapshot, scratch->rows, count, scratch->selected) == 0 ? scratch->selected : NULL;
}

/* The rows of the key's agents. False when one of them is gone, or somebody passes who is not among them. */
static bool follow_key(const struct frame_form *form, const struct snapshot_filter *filter,
                       const struct snapshot *snapshot, int32_t *rows) {
    const struct snapshot *base = form->packed.base;
    int32_t found = 0;
    for (int32_t row = 0; row < snapshot->count; row++) {
        if (found < base->count && base->id[found] == snapshot->id[row]) {
            rows[found++] = row;
        } else if ((found < base->count && base->id[found] < snapshot->id[row]) ||
                   snapshot_filter_passes(filter, snapshot, row)) {
            return false;
        }
    }
    return found == base->count;
}

/* The key's agents as they are now; NULL when a new key is due (or memory short). */
static const struct snapshot *select_key_agents(const struct frame_form *form,
                                                const struct snapshot *snapshot,
                                                struct frame_scratch *scratch) {
    struct snapshot_filter filter;
    snapshot_view_filter(&form->view, snapshot, 0.0, &filter);
    if (form->packed.number == 0 || form->packed.base->epoch != snapshot->epoch) {
        return NULL;
    }
    const struct snapshot *selected = snapshot;
    if (!filter.is_all) {
        if (!reserve_rows(scratch, snapshot->count) || !follow_key(form, &filter, snapshot, scratch->rows) ||
            snapshot_select(snapshot, scratch->rows, form->packed.base->count, scratch->selected) != 0) {
            return NULL;
        }
        selected = scratch->selected;
    }
    return packed_key_serves(&form->packed, selected) ? selected : NULL;
}

/* ---- bytes ---- */

static struct shared_bytes *take(struct buffer *out) {
    const bool failed = out->failed;
    size_t length = 0;
    char *data = buffer_take(out, &length);
    if (failed || data == NULL) {
        free(data);
        return NULL;
    }
    return shared_bytes_create(data, length);
}

static bool make_key(struct frame_form *form, const struct snapshot *selected,
                     struct frame_scratch *scratch) {
    struct buffer out;
    buffer_init(&out, frame_limit_bytes);
    packed_encode_key(&form->packed, selected, ++scratch->last_key, &out);
    shared_bytes_release(form->key);
    form->key = take(&out);
    if (form->key == NULL) {
        form->packed.number = 0;
    }
    return form->key != NULL;
}

static void make_packed(struct frame_form *form, const struct snapshot *snapshot,
                        struct frame_scratch *scratch, struct buffer *out) {
    const struct snapshot *selected = select_key_agents(form, snapshot, scratch);
    if (selected != NULL && packed_encode_delta(&form->packed, selected, out) == PACKED_OK) {
        return;
    }
    struct snapshot_filter filter;
    snapshot_view_filter(&form->view, snapshot, key_margin, &filter);
    selected = select_agents(&filter, snapshot, scratch);
    if (selected == NULL || !make_key(form, selected, scratch) ||
        packed_encode_delta(&form->packed, selected, out) != PACKED_OK) {
        out->failed = true;
    }
}

static void make_objects(const struct frame_form *form, const struct snapshot *snapshot,
                         struct frame_scratch *scratch, struct buffer *out) {
    struct snapshot_filter filter;
    snapshot_view_filter(&form->view, snapshot, 0.0, &filter);
    const struct snapshot *selected = select_agents(&filter, snapshot, scratch);
    if (selected == NULL) {
        out->failed = true;
        return;
    }
    snapshot_encode_fields(selected, form->view.fields, out);
}

static void make_density(const struct frame_form *form, const struct snapshot *snapshot,
                         struct frame_scratch *scratch, struct buffer *out) {
    if (density_count(&form->view, snapshot, &scratch->density) != 0) {
        out->failed = true;
        return;
    }
    density_encode(&scratch->density, snapshot, out);
}

bool frame_form_make(struct frame_form *form, const struct snapshot *snapshot,
                     struct frame_scratch *scratch) {
    if (form->frame != NULL) {
        return true;
    }
    struct buffer out;
    buffer_init(&out, frame_limit_bytes);
    (void)buffer_reserve(&out, form->last_bytes + form->last_bytes / 16);
    switch (form->view.layout) {
    case LAYOUT_PACKED:
        make_packed(form, snapshot, scratch, &out);
        break;
    case LAYOUT_DENSITY:
        make_density(form, snapshot, scratch, &out);
        break;
    default:
        make_objects(form, snapshot, scratch, &out);
    }
    form->last_bytes = out.length;
    form->frame = take(&out);
    if (form->frame == NULL) {
        log_write(LOG_ERROR, "broadcast", "short of memory: a frame is lost");
    }
    return form->frame != NULL;
}
