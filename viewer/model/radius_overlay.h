/* The radii of an agent's behaviors (perception, slowing distance), from the parameters that the server
 * lists. Pure.
 *
 * A parameter is called "behavior.name", or "state/behavior.name" in a kind with states.
 */
#ifndef DROVER_VIEWER_MODEL_RADIUS_OVERLAY_H
#define DROVER_VIEWER_MODEL_RADIUS_OVERLAY_H

#include "common/protocol/message.h"

enum radius_form { RADIUS_VIEW, RADIUS_NOTICE, RADIUS_SLOWING, RADIUS_WANDER };

struct radius_overlay {
    enum radius_form form;
    char behavior[LIMIT_NAME_CHARS + 1]; /* "flock separation" for one of several zones is "separation" */
    float radius;                        /* px */
    float distance;                      /* px ahead of the agent: RADIUS_WANDER */
    float view;                          /* rad, the whole angle: RADIUS_VIEW */
};

enum { RADIUS_OVERLAY_MOST = 12 };

/** Fills out[0 .. RADIUS_OVERLAY_MOST); returns how many there are. Parameters of other states and kinds, and
 * distances of 0 (no limit), are left out. */
int radius_overlay_find(const struct message_param *params, int param_count, const char *kind,
                        const char *state, struct radius_overlay *out);

#endif
