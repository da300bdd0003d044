/* The card beside the selected agent while the side panel is closed: what it does, why, how fast. Pure. */
#ifndef DROVER_VIEWER_PANELS_HUD_TAG_H
#define DROVER_VIEWER_PANELS_HUD_TAG_H

#include "viewer/panels/hud_input.h"

/** Fills view->tag, after the agent's rows. */
void hud_fill_tag(const struct hud_input *input, struct panels_view *view);

#endif
