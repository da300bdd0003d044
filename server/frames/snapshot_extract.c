/* See snapshot_extract.h. */
#include "server/frames/snapshot_extract.h"

#include <assert.h>
#include <stdlib.h>

#include "common/snapshot/frame_layout.h"

struct snapshot_extract *snapshot_extract_create(void) {
    return calloc(1, sizeof(struct snapshot_extract));
}

void snapshot_extract_destroy(struct snapshot_extract *extract) {
    if (extract != NULL) {
        snapshot_extract_clear(extract);
        free(extract);
    }
}

void snapshot_extract_clear(struct snapshot_extract *extract) {
    for (int i = 0; i < extract->count; i++) {
        density_sums_end(&extract->views[i].sums);
    }
    extract->count = 0;
}

int snapshot_extract_add(struct snapshot_extract *extract, const struct snapshot_view *view,
                         const struct snapshot *snapshot) {
    assert(extract->count < LIMIT_FORMS);
    struct extract_view *added = &extract->views[extract->count];
    added->view = *view;
    added->shown = 0;
    added->sums.values = NULL;
    if (frame_layout_row(view->layout)->takes_grid && density_sums_begin(view, snapshot, &added->sums) != 0) {
        return -1;
    }
    extract->count++;
    return 0;
}

const struct extract_view *snapshot_extract_find(const struct snapshot_extract *extract,
                                                 const struct snapshot_view *view) {
    struct snapshot_view wanted = *view;
    for (int i = 0; extract != NULL && i < extract->count; i++) {
        wanted.has_speed = extract->views[i].view.has_speed;
        if (snapshot_view_equals(&extract->views[i].view, &wanted)) {
            return &extract->views[i];
        }
    }
    return NULL;
}

const struct density_sums *snapshot_extract_sums(const struct snapshot_extract *extract,
                                                 const struct snapshot_view *view) {
    const struct extract_view *found = snapshot_extract_find(extract, view);
    return found != NULL && found->sums.values != NULL ? &found->sums : NULL;
}

bool snapshot_extract_shows(const struct snapshot_extract *extract, const struct snapshot_view *view) {
    if (extract == NULL) {
        return true;
    }
    const struct extract_view *found = snapshot_extract_find(extract, view);
    return found != NULL && (found->sums.values != NULL || found->shown <= LIMIT_STRIPES_AGENTS);
}
