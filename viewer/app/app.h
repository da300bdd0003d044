/* The viewer put together: connection, clock, interpolation, scene, panels and window, one frame after the
 * other. */
#ifndef DROVER_VIEWER_APP_APP_H
#define DROVER_VIEWER_APP_APP_H

#include "common/base/failure.h"
#include "viewer/app/options.h"

struct app;

/** Opens the window and starts connecting. NULL with *failure. */
NODISCARD struct app *app_create(const struct viewer_options *options, struct failure *failure);
/** Runs until it is closed or has drawn its frames, and saves the screenshot. -1 with *failure. */
NODISCARD int app_run(struct app *app, struct failure *failure);
/** Closes the connection and the window, and frees everything. NULL is fine. */
void app_destroy(struct app *app);

#endif
