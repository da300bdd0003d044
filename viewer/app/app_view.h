/* The scenario's view: what is shown, selected and how near, when its world comes. */
#ifndef DROVER_VIEWER_APP_APP_VIEW_H
#define DROVER_VIEWER_APP_APP_VIEW_H

#include "viewer/app/app_state.h"

/** A world has begun: the person's own settings, and over them what its scenario says. */
void app_begin_view(struct app *app);
/** Selects and zooms as the scenario says, in the world's first frame: earlier it is not known which agents there are.
 * Called before the camera is placed, with the margins of this frame. */
void app_place_view(struct app *app);

#endif
