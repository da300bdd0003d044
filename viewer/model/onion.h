/* Onion skin: where agents were each quarter of a second of simulated time, out of the history. Pure.
 *
 * Ghosts stand at fixed moments, so they stay where they are until they are too old.
 */
#ifndef DROVER_VIEWER_MODEL_ONION_H
#define DROVER_VIEWER_MODEL_ONION_H

#include "viewer/model/frame.h"
#include "viewer/model/history.h"
#include "viewer/model/selection.h"

/** With more agents, ghosts are those of the selected one alone. */
enum { ONION_AGENTS = 256, ONION_SKINS = 8, ONION_MOST = ONION_AGENTS * ONION_SKINS };
#define ONION_STEP_S 0.25 /* simulated, between two ghosts of an agent */

struct onion_ghost {
    int32_t index;            /* of its agent in the frame */
    vec2 position, direction; /* px of the world; length 1 */
    float age;                /* 0 for now, 1 for the oldest */
};

struct onion {
    int count;
    struct onion_ghost rows[ONION_MOST]; /* oldest first */
};

/** The ghosts of the selected agent, or of all when none is selected and they are not too many. */
void onion_fill(struct onion *onion, const struct history *history, const struct frame *frame,
                const struct selection *selection);

#endif
