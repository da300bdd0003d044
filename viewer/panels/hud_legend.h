/* The legend: a row for each kind, or for each state. Pure. */
#ifndef DROVER_VIEWER_PANELS_HUD_LEGEND_H
#define DROVER_VIEWER_PANELS_HUD_LEGEND_H

#include "viewer/panels/hud_input.h"

/** A row for each kind: every kind has a shape and a color. */
void hud_fill_kinds(const struct hud_input *input, struct panels_view *view);
/** Rows tell apart what the world tells apart: the color of the state, the shape of the kind most agents in
 * it have. */
void hud_fill_states(const struct hud_input *input, struct panels_view *view);

#endif
