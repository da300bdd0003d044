/* What is asked of the server so that the picture has what it shows: frames of what is visible, the selected
 * agent's forces, the places of cursors. */
#ifndef DROVER_VIEWER_APP_APP_STREAM_H
#define DROVER_VIEWER_APP_APP_STREAM_H

#include "viewer/app/app_state.h"

/** Takes the newest density, if there is one. */
void app_take_density(struct app *app);
/** Subscribes to the frames that the picture needs now. */
void app_update_stream(struct app *app);
/** Asks why the selected agent does what it does. */
void app_ask_agent(struct app *app);
/** Sends the pointer's place, at most once a frame. */
void app_send_mouse(struct app *app);
/** A frame came: measures how long the mouse's target was on its way. */
void app_note_echo(struct app *app, const struct snapshot *snapshot, double arrival_ms);

#endif
