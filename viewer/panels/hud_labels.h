/* Names in the picture. Pure. */
#ifndef DROVER_VIEWER_PANELS_HUD_LABELS_H
#define DROVER_VIEWER_PANELS_HUD_LABELS_H

#include "viewer/panels/hud_input.h"

/** The names of targets, of other clients' cursors, and of the selected agent's places and radii, each where it
 * covers no other. */
void hud_fill_labels(const struct hud_input *input, struct panels_view *view);

#endif
