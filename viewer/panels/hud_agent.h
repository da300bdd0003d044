/* The inspector: the selected agent's state and forces in words. Pure. */
#ifndef DROVER_VIEWER_PANELS_HUD_AGENT_H
#define DROVER_VIEWER_PANELS_HUD_AGENT_H

#include "viewer/panels/hud_input.h"

/** Fills the agent's title, rows, shares and note. */
void hud_fill_agent(const struct hud_input *input, struct panels_view *view);

#endif
