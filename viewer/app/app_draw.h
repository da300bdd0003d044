/* From the moment to draw to the picture. */
#ifndef DROVER_VIEWER_APP_APP_DRAW_H
#define DROVER_VIEWER_APP_APP_DRAW_H

#include "viewer/app/app_state.h"

/** The picture's size, the camera, the frame. -1 when out of memory. */
NODISCARD int app_prepare(struct app *app);
/** Shows a new notice for a while: once a frame. */
void app_update_toast(struct app *app);
/** Draws the scene and the panels; what was clicked in them. Changes nothing but the picture. */
const struct panels_result *app_draw(struct app *app);
/** New panels and sprites for the scale that is wanted. -1 when out of memory. */
NODISCARD int app_rescale(struct app *app);

#endif
