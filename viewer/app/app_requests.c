/* See app_requests.h. */
#include "viewer/app/app_requests.h"

#include <stdio.h>

bool app_may(struct app *app, enum request_op op) {
    char why_not[SERVER_MODEL_DENIAL];
    server_model_denial(&app->server, op, why_not);
    if (why_not[0] != '\0') {
        server_model_set_notice(&app->server, true, "%s", why_not);
    }
    return why_not[0] == '\0';
}

bool app_send(struct app *app, const struct request *request) {
    if (!app_may(app, request->op)) {
        return false;
    }
    if (connection_send(app->connection, request) != 0) {
        server_model_set_notice(&app->server, true, "not sent: there is no connection");
        return false;
    }
    return true;
}

bool app_send_plain(struct app *app, enum request_op op) {
    const struct request request = request_default(op);
    return app_send(app, &request);
}

/* A second key press means the opposite even before the reply is here; the picture waits for the reply. */
void app_set_paused(struct app *app, bool is_paused) {
    struct request request = request_default(is_paused ? REQUEST_PAUSE : REQUEST_RESUME);
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_PAUSE_ID);
    if (app_send(app, &request)) {
        server_model_ask_paused(&app->server, is_paused);
    }
}

void app_step_world(struct app *app) {
    if (!server_model_will_be_paused(&app->server)) {
        app_set_paused(app, true); /* requests take effect in order */
    }
    app_send_plain(app, REQUEST_STEP);
}

void app_ask_scenarios(struct app *app) {
    struct request request = request_default(REQUEST_LIST);
    request.body.list.what = LIST_SCENARIOS;
    app_send(app, &request);
}

/* The list first: files may have come since the last time. The load follows when it arrives. */
void app_switch_scenario(struct app *app, int steps) {
    server_model_ask_switch(&app->server, steps);
    app_ask_scenarios(app);
}

void app_send_load(struct app *app, const char *scenario) {
    struct request request = request_default(REQUEST_LOAD);
    (void)snprintf(request.body.load.scenario, sizeof request.body.load.scenario, "%s", scenario);
    app_send(app, &request);
}

bool app_refuses_past(struct app *app) {
    if (!app->past.playhead.is_live) {
        server_model_set_notice(&app->server, false, "this is the past; End goes back to now");
    }
    return !app->past.playhead.is_live;
}
