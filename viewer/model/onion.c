/* See onion.h. */
#include "viewer/model/onion.h"

#include <assert.h>
#include <math.h>

static const double near_s =
    0.5 * ONION_STEP_S;                 /* a copy so far from a ghost's moment shows another moment */
static const double least_age_s = 0.03; /* nearer ghosts would lie under their agents */

static void add_ghost(struct onion *onion, const struct history *history, int copy, const struct frame *frame,
                      int32_t index, float age) {
    struct history_agent agent;
    if (onion->count < ONION_MOST && history_agent(history, copy, frame->id[index], &agent)) {
        onion->rows[onion->count++] =
            (struct onion_ghost){.index = index,
                                 .position = agent.position,
                                 .direction = vec2_make(cosf(agent.heading), sinf(agent.heading)),
                                 .age = age};
    }
}

void onion_fill(struct onion *onion, const struct history *history, const struct frame *frame,
                const struct selection *selection) {
    assert(frame->settled_count <= frame->count);
    const int32_t selected = selection->has_agent ? frame_find(frame, selection->id) : -1;
    const bool has_all = !selection->has_agent && frame->settled_count <= ONION_AGENTS;
    const double newest_s = floor((frame->time_s - least_age_s) / ONION_STEP_S) * ONION_STEP_S;
    onion->count = 0;
    for (int skin = ONION_SKINS - 1; skin >= 0; skin--) {
        const double at_s = newest_s - skin * ONION_STEP_S;
        const int copy = history_find(history, at_s + 1e-6);
        const float age = (float)((frame->time_s - at_s) / (ONION_STEP_S * (ONION_SKINS + 1)));
        if (copy < 0 || fabs(history_time_s(history, copy) - at_s) > near_s) {
            continue;
        }
        if (selected >= 0) {
            add_ghost(onion, history, copy, frame, selected, age);
        }
        for (int32_t i = 0; has_all && i < frame->settled_count; i++) {
            add_ghost(onion, history, copy, frame, i, age);
        }
    }
}
