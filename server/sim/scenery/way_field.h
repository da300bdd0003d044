/* Way fields: the way round the solids to the nearest goal, as a velocity for each cell.
 *
 * The arrival time of a front that leaves the goals at 1 px/s solves |grad T| = 1; the flow runs down its slope. Only
 * + - * / and sqrt, every tie by index, so the same everywhere. Nothing here allocates but way_room_init.
 *
 * source  Sethian 1996, "A fast marching level set method for monotonically advancing fronts": first-order upwind
 */
#ifndef DROVER_SERVER_SIM_SCENERY_WAY_FIELD_H
#define DROVER_SERVER_SIM_SCENERY_WAY_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/sim/scenery/geometry_def.h"
#include "server/sim/space/edge.h"

/** What it takes to make a way field of at most so many cells. Arrays by cell. */
struct way_room {
    int32_t cells;
    float *time; /* owned; px, the way from the middle of a cell to that of the nearest goal; 3e38: none */
    int32_t *heap, *place; /* owned */
    bool *is_inside;       /* owned; the cell is a goal, and of an area: the flow goes on inwards */
};

NODISCARD int way_room_init(struct way_room *room, int32_t cells); /* 0, or -1 without memory */
void way_room_fini(struct way_room *room);

/** px */
vec2 way_cell_size(const struct flow_def *flow, const struct bounds *bounds);
/** The cell that a place is in; of a place outside the world the nearest one. px */
int32_t way_cell_of(const struct flow_def *flow, const struct bounds *bounds, vec2 place);
/** px */
vec2 way_cell_middle(const struct flow_def *flow, const struct bounds *bounds, int32_t cell);

/** Makes the vectors of a way field, |strength| long where there is a way, {0,0} elsewhere and in the cells of `goals`.
 * Cells inside solids get the flow beside them, as deep as a body reaches and for 3 rings at least, so that mixing the
 * flows of cells beside a solid gives one that runs along it.
 *
 * is_solid  for each cell: no body fits there
 * goals     cells; of one that is solid the nearest cell that is not is the goal
 * room      for at least as many cells; is_inside is the caller's, for cells that are not solid
 */
void way_field_build(const struct flow_def *flow, const bool *is_solid, const struct bounds *bounds,
                     const int32_t *goals, int goal_count, struct way_room *room);

#endif
