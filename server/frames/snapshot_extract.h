/* What there is, beside a snapshot, of a world that no process has whole: which views its agents are for, and what
 * all agents of the world add up to in the grids of others.
 *
 * Of a view that shows more agents than LIMIT_STRIPES_AGENTS the snapshot has none; `shown` says how many there are.
 */
#ifndef DROVER_SERVER_FRAMES_SNAPSHOT_EXTRACT_H
#define DROVER_SERVER_FRAMES_SNAPSHOT_EXTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/snapshot/snapshot_density.h"
#include "common/snapshot/snapshot_view.h"

/** A view, and what there is of it. */
struct extract_view {
    struct snapshot_view view;
    uint64_t shown;           /* agents; in a layout with keys those around the region as well */
    struct density_sums sums; /* with a grid alone */
};

struct snapshot_extract {
    int count;
    struct extract_view views[LIMIT_FORMS];
};

/** Without views; NULL when out of memory. */
NODISCARD struct snapshot_extract *snapshot_extract_create(void);
void snapshot_extract_destroy(struct snapshot_extract *extract);
/** Forgets all views. */
void snapshot_extract_clear(struct snapshot_extract *extract);
/** One more view without agents. snapshot: for the size of the world and the names of its kinds. -1 when out of memory
 * (nothing changes). There are fewer than LIMIT_FORMS. */
NODISCARD int snapshot_extract_add(struct snapshot_extract *extract, const struct snapshot_view *view,
                                   const struct snapshot *snapshot);
/** The view in it; NULL when there is none, or no extract. The speed that frames say makes no difference. */
const struct extract_view *snapshot_extract_find(const struct snapshot_extract *extract,
                                                 const struct snapshot_view *view);
/** The sums of a view with a grid, or NULL. */
const struct density_sums *snapshot_extract_sums(const struct snapshot_extract *extract,
                                                 const struct snapshot_view *view);
/** Whether there is what the view shows. extract: NULL, where the snapshot has every agent of the world. */
bool snapshot_extract_shows(const struct snapshot_extract *extract, const struct snapshot_view *view);

#endif
