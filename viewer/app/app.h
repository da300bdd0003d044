/* The viewer put together: connection, clock, interpolation, scene, panels and window, one frame after the
 * other. The window and the page of a browser run it; what differs stands behind viewer/platform, viewer/panels/panels.h
 * and viewer/link/connection.h.
 *
 *     app_start; for each frame: app_begin_frame, app_handle_event (app_state.h) for each event, app_frame; app_finish
 */
#ifndef DROVER_VIEWER_APP_APP_H
#define DROVER_VIEWER_APP_APP_H

#include <stdbool.h>

#include "common/base/failure.h"
#include "viewer/app/options.h"

struct app;

/** Opens the window and starts connecting. NULL with *failure. */
NODISCARD struct app *app_create(const struct viewer_options *options, struct failure *failure);
/** Before the first frame. */
void app_start(struct app *app);
/** The moment that the events and the frame that follow are of. */
void app_begin_frame(struct app *app);
/** The frame: draws and shows it, unless it would be the same as before. -1 with *failure: the viewer ends. */
NODISCARD int app_frame(struct app *app, struct failure *failure);
/** Whether another frame is to come. */
bool app_is_running(const struct app *app);
/** After the last frame: keeps the settings, ends the clip, saves the screenshot. -1 with *failure. */
NODISCARD int app_finish(struct app *app, struct failure *failure);
/** Keeps the settings that were changed in the window for the next run; flags are not kept. */
void app_keep_settings(struct app *app);
/** Closes the connection and the window, and frees everything. NULL is fine. */
void app_destroy(struct app *app);

#endif
