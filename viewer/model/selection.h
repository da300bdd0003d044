/* The agent that was clicked, and whether the camera follows it. A plain value. */
#ifndef DROVER_VIEWER_MODEL_SELECTION_H
#define DROVER_VIEWER_MODEL_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

/** has_agent false: no agent is selected, is_following is false and id means nothing. */
struct selection {
    bool has_agent, is_following;
    uint32_t id;
};

/** Whether this agent is the selected one. */
static inline bool selection_is(const struct selection *selection, uint32_t id) {
    return selection->has_agent && selection->id == id;
}

#endif
