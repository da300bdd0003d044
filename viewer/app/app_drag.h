/* Targets and obstacles in the hand: what is under the pointer, what is held, where it goes. */
#ifndef DROVER_VIEWER_APP_APP_DRAG_H
#define DROVER_VIEWER_APP_APP_DRAG_H

#include "viewer/app/app_state.h"

/** The left button goes down: whether it holds a target or an obstacle now. */
bool app_drag_begin(struct app *app);
/** Once a frame while it holds one. */
void app_drag_move(struct app *app);
/** The button goes up; false: nothing was moved. */
bool app_drag_end(struct app *app);
/** Puts what is held back to where it was taken. */
void app_drag_give_up(struct app *app);
/** Once a frame: finds what can be dragged under the pointer, and gives the pointer its shape. */
void app_drag_update(struct app *app);
/** Whether an obstacle is under the pointer or held, and where it is or will be. */
bool app_drag_handle(const struct app *app, struct obstacle_def *handle);
/** What is held, in words; nothing is held: out stays as it is. */
void app_drag_words(const struct app *app, char *out, size_t size);

#endif
