/* The radii of an agent's behaviors (perception, slowing distance), from the parameters that the server
 * lists. Pure.
 *
 * A parameter is called "behavior.name", or "state/behavior.name" in a kind with states.
 */
#ifndef DROVER_VIEWER_MODEL_RADIUS_OVERLAY_H
#define DROVER_VIEWER_MODEL_RADIUS_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/protocol/message.h"

enum radius_form { RADIUS_VIEW, RADIUS_NOTICE, RADIUS_SLOWING, RADIUS_WANDER, RADIUS_TURN };

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

/** The words for ring number `index` of `count`: "separation 20 px". Rings of one form and size are named together with
 * the first of them: "alignment, cohesion 50 px"; false for the others. */
bool radius_overlay_name(const struct radius_overlay *rings, int count, int index, char *out, size_t size);

/** The value of a parameter of a kind itself, such as "max_stamina"; 0 when it is not listed. */
float radius_overlay_value(const struct message_param *params, int param_count, const char *kind,
                           const char *param);

#endif
