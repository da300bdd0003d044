/* The actions of keys and panels. */
#ifndef DROVER_VIEWER_APP_APP_ACTIONS_H
#define DROVER_VIEWER_APP_APP_ACTIONS_H

#include "viewer/app/app_state.h"

/** Does the action of a row of shortcuts.c. */
void app_act(struct app *app, const struct shortcut *row);
/** Does the actions of the panels: clicks, picks, moved sliders, the timeline's handle. */
void app_take_result(struct app *app, const struct panels_result *result);

#endif
