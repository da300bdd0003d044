/* Events of the window: keys, text, the mouse. */
#ifndef DROVER_VIEWER_APP_APP_INPUT_H
#define DROVER_VIEWER_APP_APP_INPUT_H

#include "viewer/app/app_state.h"
#include "viewer/model/input_event.h"

/** Turns keys into actions and the mouse into selecting, dragging and camera moves; gathers the events for the
 * panels. */
void app_handle_event(struct app *app, const struct input_event *event);
/** Forgets the events gathered for the panels; called once a frame, after the panels were drawn. */
void app_clear_input(struct app *app);

#endif
