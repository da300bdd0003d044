/* The speed of the world's time, live or out of a recording. */
#ifndef DROVER_VIEWER_APP_APP_TIME_H
#define DROVER_VIEWER_APP_APP_TIME_H

#include "viewer/app/app_state.h"

/** The next speed above, or below, the one that the world has or was asked to have. */
void app_change_speed(struct app *app, bool is_faster);
/** speed: times the world's own rate; 0: as fast as it goes. */
void app_set_speed(struct app *app, double speed);
/** Loads the same scenario with the same seed, from tick 0, for all clients; picture and selection stay. keeps: what was
 * changed is changed again: parameters, and the targets and obstacles that this window moved. */
void app_restart(struct app *app, bool keeps);
/** Whether a message begins the world that was asked for. Another world, or a refusal, ends the wish. */
bool app_takes_restart(struct app *app, const struct message *message);
/** That world has begun: what is kept is done again. */
void app_end_restart(struct app *app);
/** Takes the speed that the panels' slider or button gives; at a bounded rate while the slider is held. */
void app_take_speed(struct app *app, const struct panels_result *result);

#endif
