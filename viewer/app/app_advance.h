/* --advance: a paused world that this viewer steps between its frames, so that a picture without a display has the
 * trails of the seconds before, the same each time. */
#ifndef DROVER_VIEWER_APP_APP_ADVANCE_H
#define DROVER_VIEWER_APP_APP_ADVANCE_H

#include "viewer/app/app_state.h"

/** Whether there are seconds to step: such frames do not count. */
bool app_is_advancing(const struct app *app);
/** Steps the world as soon as the step before is shown; called after each picture. -1 with *failure when the world
 * runs by itself. */
NODISCARD int app_advance(struct app *app, struct failure *failure);

#endif
