/* Events of the window: keys, text, the mouse. */
#ifndef DROVER_VIEWER_APP_APP_INPUT_H
#define DROVER_VIEWER_APP_APP_INPUT_H

#include "viewer/app/app_state.h"
#include "viewer/model/input.h"

/** Turns keys into actions and the mouse into selecting, dragging and camera moves; gathers the events for the
 * panels. */
void app_handle_event(struct app *app, const struct input_event *event);
/** Whether the panels have taken the clicks and presses of earlier events; until then the events that follow wait. */
bool app_takes_events(const struct app *app);
/** Whether the event is to wait for the next frame: a press, or a turn of the wheel, where the panels have not seen the
 * pointer yet. They see it there in this frame, and say whether the place is theirs. */
bool app_puts_off(struct app *app, const struct input_event *event);
/** Forgets the events that the panels took; called once a frame, after the panels were drawn. */
void app_clear_input(struct app *app);

#endif
