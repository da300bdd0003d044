/* What a world says of itself for its first seconds. Pure. */
#ifndef DROVER_VIEWER_PANELS_HUD_CAPTION_H
#define DROVER_VIEWER_PANELS_HUD_CAPTION_H

#include "viewer/panels/hud_input.h"

/** Fills view->caption: what the world is, what to try, which key tells more. */
void hud_fill_caption(const struct hud_input *input, struct panels_view *view);

#endif
