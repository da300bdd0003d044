/* Snapshots and messages from the connection change the app's state. */
#ifndef DROVER_VIEWER_APP_APP_MAIL_H
#define DROVER_VIEWER_APP_APP_MAIL_H

#include "viewer/app/app_state.h"

/** Takes the snapshots and messages that arrived since the last frame. */
void app_take_mail(struct app *app);

#endif
