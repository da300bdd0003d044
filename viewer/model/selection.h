/* The agent that was clicked, whether the camera follows it, and which of its arrows is pointed at. A plain value. */
#ifndef DROVER_VIEWER_MODEL_SELECTION_H
#define DROVER_VIEWER_MODEL_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What of the selected agent is pointed at, in the picture or in its equations: the other one lights up too. */
enum lit_what { LIT_NOTHING, LIT_VELOCITY, LIT_DESIRED, LIT_STEERING, LIT_TERM, LIT_PART, LIT_POINT };

struct lit {
    enum lit_what what;
    int term, part, point; /* indices in the answer to inspect; -1 where they do not matter */
};

/** has_agent false: no agent is selected, is_following is false and id means nothing. */
struct selection {
    bool has_agent, is_following;
    uint32_t id;
    struct lit lit;
};

/** Whether this agent is the selected one. */
static inline bool selection_is(const struct selection *selection, uint32_t id) {
    return selection->has_agent && selection->id == id;
}

#ifdef __cplusplus
}
#endif

#endif
