/* Looking back: the moment that is shown, and the copies in the history that show it. */
#ifndef DROVER_VIEWER_APP_APP_PAST_H
#define DROVER_VIEWER_APP_APP_PAST_H

#include "viewer/app/app_state.h"

/** Holds the moment so many seconds later, or earlier. */
void app_jump(struct app *app, double by_s);
/** Holds the copy after or before the one shown. */
void app_step_past(struct app *app, bool is_forward);
/** Holds the moment at which the timeline's handle is. */
void app_scrub(struct app *app, double to_s);
/** Makes the frame of the past; -1 when there is none: the picture is live then. passed_s: wall time. */
NODISCARD int app_show_past(struct app *app, struct interpolate_rules *rules, double passed_s);
/** Adds the frame to the trails. */
void app_leave_trails(struct app *app);

/** Finds what was known of the selected agent's forces at the moment that is shown, when that is of the past. Once a
 * frame. */
void app_recall_inspection(struct app *app);

#endif
