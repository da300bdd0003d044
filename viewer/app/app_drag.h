/* Dragging targets and obstacles: finding the one under the pointer, holding it, moving it. */
#ifndef DROVER_VIEWER_APP_APP_DRAG_H
#define DROVER_VIEWER_APP_APP_DRAG_H

#include "viewer/app/app_state.h"

/** Handles a press of the left button. Returns whether the button holds a target or an obstacle now. */
bool app_drag_begin(struct app *app);
/** Moves the held target or obstacle; called once a frame. */
void app_drag_move(struct app *app);
/** Handles the release of the button; false: nothing was moved. */
bool app_drag_end(struct app *app);
/** Puts the held target or obstacle back to where it was taken. */
void app_drag_give_up(struct app *app);
/** Finds the target or obstacle under the pointer and sets the pointer's shape; called once a frame. */
void app_drag_update(struct app *app);
/** Whether an obstacle is under the pointer or held; *handle is the obstacle at its present or next place. */
bool app_drag_handle(const struct app *app, struct obstacle_def *handle);
/** Names the held target or obstacle; out stays as it is when nothing is held. */
void app_drag_words(const struct app *app, char *out, size_t size);

#endif
