/* Names in the picture, and the scenarios that fit what was typed. Pure. */
#ifndef DROVER_VIEWER_PANELS_HUD_LABELS_H
#define DROVER_VIEWER_PANELS_HUD_LABELS_H

#include "viewer/panels/hud_input.h"

/** The picker's rows, best first; those that fit alike stay in the server's order. */
void hud_fill_hits(const struct hud_input *input, struct panels_view *view);
/** Names of the targets. */
void hud_fill_targets(const struct hud_input *input, struct panels_view *view);
/** Names of the places that the selected agent's behaviors aim at. */
void hud_fill_places(const struct hud_input *input, struct panels_view *view);
/** Names of the cursors of other clients. */
void hud_fill_cursors(const struct hud_input *input, struct panels_view *view);

#endif
