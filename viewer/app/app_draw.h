/* Draws the picture of a moment. */
#ifndef DROVER_VIEWER_APP_APP_DRAW_H
#define DROVER_VIEWER_APP_APP_DRAW_H

#include "viewer/app/app_state.h"

/** Prepares the picture's size, the camera and the frame. -1 when out of memory. */
NODISCARD int app_prepare(struct app *app);
/** Shows a new notice for a while; called once a frame. */
void app_update_toast(struct app *app);
/** Draws the scene and the panels and returns the clicks in the panels. Changes nothing but the picture. */
const struct panels_result *app_draw(struct app *app);
/** Makes panels and sprites for the wanted scale. -1 when out of memory. */
NODISCARD int app_rescale(struct app *app);

#endif
