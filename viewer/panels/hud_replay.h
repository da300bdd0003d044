/* Saved worlds and recordings in words: questions, rows of the picker, the timeline of a recording. Pure. */
#ifndef DROVER_VIEWER_PANELS_HUD_REPLAY_H
#define DROVER_VIEWER_PANELS_HUD_REPLAY_H

#include "viewer/panels/hud_input.h"

/** The timeline of the recording that the server plays. */
void hud_fill_replay(const struct hud_input *input, struct panels_view *view);
/** The question that is open. */
void hud_fill_question(const struct hud_input *input, struct panels_view *view);
/** The words of the saved worlds, as many as there is room for; returns how many. */
int hud_fill_saves(const struct hud_input *input, struct panels_view *view);

#endif
