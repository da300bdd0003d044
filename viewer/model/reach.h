/* How far an agent's behaviours look and from where they slow down, out of the parameters the server lists.
 * Pure.
 *
 * A parameter is called "behavior.name", or "state/behavior.name" in a kind with states.
 */
#ifndef DROVER_VIEWER_MODEL_REACH_H
#define DROVER_VIEWER_MODEL_REACH_H

#include "common/protocol/message.h"

enum reach_form { REACH_VIEW, REACH_NOTICE, REACH_SLOWING, REACH_WANDER };

struct reach {
    enum reach_form form;
    char behavior[LIMIT_NAME_CHARS + 1]; /* "flock separation" for one of several zones is "separation" */
    float radius;                        /* px */
    float distance;                      /* px ahead of the agent: REACH_WANDER */
    float view;                          /* rad, the whole angle: REACH_VIEW */
};

enum { REACH_MOST = 12 };

/** Fills out[0 .. REACH_MOST); returns how many there are. Parameters of other states and kinds, and
 * distances of 0 (no limit), are left out. */
int reach_find(const struct message_param *params, int param_count, const char *kind, const char *state,
               struct reach *out);

#endif
