/* Where the borders between the windows of ranks are to be (struct exchange, cut). Pure. */
#ifndef DROVER_SERVER_CLUSTER_ROW_CUTS_H
#define DROVER_SERVER_CLUSTER_ROW_CUTS_H

#include <stdint.h>

/** Each rank gets the rows [cut[r], cut[r + 1]), so that all have about as much to do: the agents of a row cost what an
 * agent of the rank that has the row now costs. Borders move half the way there, since a clock is not exact.
 *
 * works_ns  the time that each rank has worked since the last call; NULL: new borders, all agents cost the same and
 *           nothing stands in `cut` yet
 * agents    by row, of the whole world
 * cut       ranks + 1 entries; cut[0] becomes 0, cut[ranks] `rows` */
void row_cuts_choose(const uint64_t *works_ns, int32_t rows, const uint64_t *agents, int ranks, int32_t *cut);

#endif
