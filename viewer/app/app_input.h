/* Events of the window: keys, text, the mouse. */
#ifndef DROVER_VIEWER_APP_APP_INPUT_H
#define DROVER_VIEWER_APP_APP_INPUT_H

#include <SDL.h>

#include "viewer/app/app_state.h"

/** Keys become actions, the mouse moves the camera, selects, drags; what is meant for the panels is gathered.
 */
void app_handle_event(struct app *app, const SDL_Event *event);
/** Forgets what was gathered for the panels: once a frame, when they have drawn. */
void app_clear_input(struct app *app);

#endif
