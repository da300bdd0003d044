/* Names in the picture, and where places of the world are in it. Pure. */
#ifndef DROVER_VIEWER_PANELS_HUD_LABELS_H
#define DROVER_VIEWER_PANELS_HUD_LABELS_H

#include "viewer/panels/hud_input.h"

/** The names of targets, of other clients' cursors, and of the selected agent's places and radii, each where it
 * covers no other. */
void hud_fill_labels(const struct hud_input *input, struct panels_view *view);
/** A place of the world, px, in the picture: of a wrapping world its copy that is nearest to the middle. */
vec2 hud_in_picture(const struct hud_input *input, vec2 place);
/** The width of words, picture px; without a font a letter is about 0.6 of a line wide. */
float hud_words_px(const struct hud_picture *picture, const char *words);

#endif
