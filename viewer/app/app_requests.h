/* Requests to the server. Requests that the role does not allow are refused here: a notice says what would
 * help. */
#ifndef DROVER_VIEWER_APP_APP_REQUESTS_H
#define DROVER_VIEWER_APP_APP_REQUESTS_H

#include "viewer/app/app_state.h"

/** Whether our role allows this request; when it does not, a notice says why. */
bool app_may(struct app *app, enum request_op op);
/** Whether the request was sent; when it was not, a notice says why. */
bool app_send(struct app *app, const struct request *request);
/** Sends a request without fields. */
bool app_send_plain(struct app *app, enum request_op op);
/** Loads the scenario of this name for all clients. */
void app_send_load(struct app *app, const char *scenario);
/** Pauses or resumes the world. */
void app_set_paused(struct app *app, bool is_paused);
/** Steps the world by a tick; a running world is paused first. */
void app_step_world(struct app *app);
/** Requests the list of scenarios. */
void app_ask_scenarios(struct app *app);
/** Loads the scenario `steps` places further in the list. */
void app_switch_scenario(struct app *app, int steps);
/** Whether an action that changes the present is refused, with a notice, because the past is shown. */
bool app_refuses_past(struct app *app);

#endif
