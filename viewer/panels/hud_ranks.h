/* The words and bars of the ranks of a cluster. Pure. */
#ifndef DROVER_VIEWER_PANELS_HUD_RANKS_H
#define DROVER_VIEWER_PANELS_HUD_RANKS_H

#include "viewer/panels/hud_input.h"

/** Fills view->ranks; nothing without a cluster. */
void hud_fill_ranks(const struct hud_input *input, struct panels_view *view);

#endif
