/* The nearest agents of agents, as rows of a frame or of columns. Pure; nothing of the world is sorted or changed. */
#ifndef DROVER_SERVER_FRAMES_NEAREST_ROWS_H
#define DROVER_SERVER_FRAMES_NEAREST_ROWS_H

#include <stdint.h>

#include "common/base/limits.h"
#include "common/base/nodiscard.h"

enum { NEAREST_ROWS_MOST = LIMIT_NEAREST /* that may be asked for, of an agent */ };

/** Places are in any unit, the same in both directions. Borrows all that it names. */
struct nearest_rows {
    const double *x, *y;       /* by row */
    const int32_t *candidates; /* rows that may be found, ascending */
    int32_t candidate_count;
    const int32_t *askers; /* rows; -1: an agent that is not there */
    int32_t asker_count;
    int32_t most;          /* of an asker, 1 to NEAREST_ROWS_MOST */
    double wrap_x, wrap_y; /* size of a torus, on which distances go the short way; 0: none */
};

/** Finds for each asker the nearest `most` candidates but itself, the nearest first, of two as near the one of the lower
 * row. Candidates are found by a grid of their own: about as much work for each asker however many there are, unless
 * they crowd in few places.
 *
 * out      asker_count * most rows; -1 where there are no more candidates, and for an asker that is not there
 * returns  0, or -1 without memory */
NODISCARD int nearest_rows_find(const struct nearest_rows *query, int32_t *out);
/** A difference of two places on a torus of this size, the short way. */
static inline double nearest_rows_short_way(double offset, double wrap) {
    return offset > 0.5 * wrap ? offset - wrap : offset < -0.5 * wrap ? offset + wrap : offset;
}

#endif
