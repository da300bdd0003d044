/* --kiosk: the window of an exhibition. Worlds follow one another, and what visitors changed is put back. */
#ifndef DROVER_VIEWER_APP_APP_KIOSK_H
#define DROVER_VIEWER_APP_APP_KIOSK_H

#include "viewer/app/app_state.h"

/** Reads the playlist of options.kiosk_list, if there is one. -1 with *failure. */
NODISCARD int app_kiosk_init(struct app *app, struct failure *failure);
/** A visitor has touched the mouse or a key. */
void app_kiosk_touch(struct app *app);
/** A world has begun: its view is the scenario's. Called before the view is applied. */
void app_kiosk_begin(struct app *app);
/** Goes on to the next world, or puts this one back, when the time has come. Called once a frame. */
void app_kiosk_update(struct app *app);

#endif
