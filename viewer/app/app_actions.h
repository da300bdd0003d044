/* What keys and panels do. */
#ifndef DROVER_VIEWER_APP_APP_ACTIONS_H
#define DROVER_VIEWER_APP_APP_ACTIONS_H

#include "viewer/app/app_state.h"

/** Does what the key of this row does. */
void app_act(struct app *app, const struct shortcut *row);
/** Does what was clicked, picked, slid and scrubbed in the panels. */
void app_take_result(struct app *app, const struct panels_result *result);

#endif
