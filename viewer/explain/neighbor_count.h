/* How many neighbors each agent of a frame has, counted with a grid. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_NEIGHBOR_COUNT_H
#define DROVER_VIEWER_EXPLAIN_NEIGHBOR_COUNT_H

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/text/name_table.h"
#include "viewer/model/frame.h"

enum { NEIGHBOR_COUNT_MOST = 200 };

/** Owns its columns, which keep their size from frame to frame. */
struct neighbor_count {
    int32_t capacity, cell_capacity;
    int32_t *order, *begin; /* agents by cell; where each cell begins */
    uint16_t *counts;       /* by index in the frame */
};

struct neighbor_rules {
    vec2 size;                         /* of the world, px */
    bool wraps;                        /* neighbors across the border count */
    float radius[NAME_TABLE_CAPACITY]; /* how far an agent of each kind of the frame sees, px */
};

/** Without memory yet. */
void neighbor_count_init(struct neighbor_count *count);
/** Frees the columns. */
void neighbor_count_fini(struct neighbor_count *count);
/** Counts, up to NEIGHBOR_COUNT_MOST each. -1 when out of memory: then there are no counts. */
NODISCARD int neighbor_count_update(struct neighbor_count *count, const struct frame *frame,
                                    const struct neighbor_rules *rules);

#endif
