/* What the server sends: snapshots and messages change the state. */
#ifndef DROVER_VIEWER_APP_APP_MAIL_H
#define DROVER_VIEWER_APP_APP_MAIL_H

#include "viewer/app/app_state.h"

/** Takes what came since the last frame. */
void app_take_mail(struct app *app);

#endif
