/* How long each agent has been in its state, as far as the window has seen it. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_STATE_TIMES_H
#define DROVER_VIEWER_EXPLAIN_STATE_TIMES_H

#include "common/base/nodiscard.h"
#include "viewer/model/frame.h"

/** Owns its columns. Rows are those of the frame's settled agents: ids ascend. */
struct state_times {
    int32_t count, capacity;
    uint32_t *id, *other_id;       /* the rows, and room for the next ones */
    uint32_t *state, *other_state; /* a number made from the state's name */
    float *since, *other_since;    /* s, simulated */
    uint32_t epoch;                /* of the scenario */
};

/** Without memory yet. */
void state_times_init(struct state_times *times);
/** Frees the columns. */
void state_times_fini(struct state_times *times);
/** Takes in a frame. An agent that was not there before begins now; so do all after another scenario (epoch). A time
 * that falls begins nothing. -1 when out of memory: nothing is known then. */
NODISCARD int state_times_update(struct state_times *times, const struct frame *frame, uint32_t epoch);
/** How long agent number `index` of that frame has been in its state, s. */
float state_times_at(const struct state_times *times, const struct frame *frame, int32_t index);

#endif
