/* The viewer's own server, which plays the recording that was opened, and the connection to a server. */
#ifndef DROVER_VIEWER_APP_APP_SERVER_H
#define DROVER_VIEWER_APP_APP_SERVER_H

#include "viewer/app/app_state.h"

/** Starts a server for options.recording, when there is one; options.address is where it listens then. */
NODISCARD int app_start_server(struct app *app, struct failure *failure);
/** A connection to options.address; NULL without memory or threads. */
struct connection *app_connect(const struct viewer_options *options);
/** Notices that the viewer's own server has ended, and asks whether to open the recording again. */
void app_watch_server(struct app *app);
/** Opens the recording again, from its beginning, with another server. */
void app_reopen(struct app *app);

#endif
