/* The loop of the window: its events, a frame, sleep until the next. */
#ifndef DROVER_VIEWER_APP_APP_RUN_H
#define DROVER_VIEWER_APP_APP_RUN_H

#include "viewer/app/app.h"

/** Runs until the window is closed or has drawn its frames, and saves the screenshot. -1 with *failure. */
NODISCARD int app_run(struct app *app, struct failure *failure);

#endif
