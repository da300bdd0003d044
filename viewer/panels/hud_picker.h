/* The scenarios and saved worlds that fit what was typed. Pure. */
#ifndef DROVER_VIEWER_PANELS_HUD_PICKER_H
#define DROVER_VIEWER_PANELS_HUD_PICKER_H

#include "viewer/panels/hud_input.h"

/** The picker's rows. Nothing typed: in groups, each in the server's order, with a heading before its first row; else
 * best first, and those that fit alike in the order of the groups. */
void hud_fill_hits(const struct hud_input *input, struct panels_view *view);

#endif
