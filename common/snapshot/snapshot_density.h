/* The "density" layout: how many agents are in each cell of a grid, and their mean velocity; where a view asks for it,
 * how many of each kind, and their mean speed. A million agents cost as much as a hundred.
 *
 * Cell (c, r) has index r * columns + c. An agent at distance d from the region's left edge is in column
 * floor(d * columns / width), the right edge itself in the last one; rows alike. Distances, width and height
 * are whole hundredths of px, so every reader can check it exactly.
 */
#ifndef DROVER_COMMON_SNAPSHOT_SNAPSHOT_DENSITY_H
#define DROVER_COMMON_SNAPSHOT_SNAPSHOT_DENSITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/snapshot/snapshot.h"

/** Arrays have columns * rows entries and are owned by the struct. */
struct density {
    uint64_t tick;
    double time_s, clock_ms;
    bool has_speed; /* as of a snapshot */
    double speed;
    int32_t columns, rows;
    int32_t capacity, kind_capacity; /* cells the arrays have room for; entries that by_kind has room for */
    struct snapshot_box region;      /* hundredths of px */
    uint32_t inside, outside;        /* agents in the grid; others of the kinds that were asked for */
    uint32_t *count;
    int32_t *vx, *vy;     /* hundredths of px/s, the mean of the cell's agents to the nearest; 0 when empty */
    bool has_mean_speed;  /* else mean_speed holds nothing */
    uint32_t *mean_speed; /* the same of their speeds: opposite ways do not cancel */
    int32_t kind_count;   /* 0: not by kind */
    char kinds[LIMIT_KINDS][LIMIT_NAME_CHARS + 1];
    uint32_t *by_kind; /* `count` of one kind after the other; they add up to it */
};

void density_init(struct density *density);
void density_fini(struct density *density);
/** An empty one on the heap; NULL when out of memory. */
NODISCARD struct density *density_create(void);
/** Frees one that density_create made. NULL is fine. */
void density_destroy(struct density *density);

/** Room for so many cells, and for their agents of so many kinds. -1 when out of memory. */
NODISCARD int density_reserve(struct density *density, int32_t cells, int32_t kinds);

/** Columns and rows of a view's grid over width x height px: as asked, or as many cells of at most `cell` px
 * as cover it; together never more than LIMIT_GRID_CELLS (fewer, larger ones then). */
void density_grid(const struct snapshot_view *view, double width, double height, int32_t *columns,
                  int32_t *rows);

/** What the agents of a world add up to in the grid of a view, or those of a part of the world. The sums of the parts,
 * added value by value, are those of the whole: exact, in any order. */
struct density_sums {
    int32_t columns, rows;
    struct snapshot_filter filter; /* its box is the grid's region */
    int32_t of_cell;               /* values of a cell: its agents and the sums of their vx and vy, */
    int32_t speed_at;              /* the sum of their speeds (0: not asked for), */
    int32_t kind_at[LIMIT_KINDS];  /* and of each kind of the snapshot its agents (0: not asked for) */
    int32_t value_count;
    int64_t *values; /* those of the cells; at last the agents outside */
};
/** Sums of no agents. snapshot: for the size of the world and the names of its kinds. -1 when out of memory;
 * density_sums_end in either case. */
NODISCARD int density_sums_begin(const struct snapshot_view *view, const struct snapshot *snapshot,
                                 struct density_sums *out);
void density_sums_end(struct density_sums *sums);
/** The agents of a cell. */
static inline int64_t density_sums_count(const struct density_sums *sums, int32_t cell) {
    return sums->values[(ptrdiff_t)sums->of_cell * cell];
}
/** Adds the agents that the view shows: kind, x, y, vx, vy. */
void density_sums_add(struct density_sums *sums, const struct snapshot *snapshot);
/** Counts the agents that the view shows. -1 when out of memory. */
NODISCARD int density_count(const struct snapshot_view *view, const struct snapshot *snapshot,
                            struct density *out);
/** Appends the line. snapshot: for the targets. Failure is out->failed. */
void density_encode(const struct density *density, const struct snapshot *snapshot, struct buffer *out);

/** Reads a line: strict about types, counts and lengths. snapshot: gets the line's moment and targets, or NULL. -1 with
 * *failure; the contents of *out are undefined then; its memory can be used again or freed. */
NODISCARD int density_decode(const char *line, size_t length, struct density *out, struct snapshot *snapshot,
                             struct failure *failure);

#endif
