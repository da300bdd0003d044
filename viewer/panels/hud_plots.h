/* The plots of the last minute. Pure. */
#ifndef DROVER_VIEWER_PANELS_HUD_PLOTS_H
#define DROVER_VIEWER_PANELS_HUD_PLOTS_H

#include "viewer/panels/hud_input.h"

/** Fills the plots, and the mark of the moment shown. */
void hud_fill_plots(const struct hud_input *input, struct panels_view *view);

#endif
