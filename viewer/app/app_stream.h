/* The requests that the picture depends on: the subscription to the visible part of the world, the selected
 * agent's forces, the pointer's place. */
#ifndef DROVER_VIEWER_APP_APP_STREAM_H
#define DROVER_VIEWER_APP_APP_STREAM_H

#include "viewer/app/app_state.h"

/** Takes the newest density, if there is one. */
void app_take_density(struct app *app);
/** Subscribes to the frames that the picture needs now. */
void app_update_stream(struct app *app);
/** Sends inspect for the selected agent. */
void app_ask_agent(struct app *app);
/** Sends the pointer's place, at most once a frame. */
void app_send_mouse(struct app *app);
/** Measures, when a frame arrives, the time from a motion of the mouse to its target's motion. */
void app_note_echo(struct app *app, const struct snapshot *snapshot, double arrival_ms);

#endif
