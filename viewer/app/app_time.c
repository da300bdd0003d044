/* See app_time.h. */
#include "viewer/app/app_time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/app/app_requests.h"
#include "viewer/model/replay.h"

static const double slide_gap_ms = 60.0;

/* ---- speed ---- */

void app_set_speed(struct app *app, double speed) {
    struct request request = request_default(REQUEST_SPEED);
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_SPEED_ID);
    request.body.speed.has_factor = speed > 0.0;
    request.body.speed.factor = speed;
    request.body.speed.max = speed <= 0.0;
    if (app_send(app, &request)) {
        server_model_ask_speed(&app->server, speed);
    }
}

/* A world that goes as fast as it can becomes slower than it is, not than the keys can say. */
static double speed_before(const struct app *app) {
    const double speed = server_model_speed(&app->server), pace = real_time_pace(&app->meters.real_time);
    return speed > 0.0 ? speed : pace > 0.0 ? pace : 1000.0;
}

void app_change_speed(struct app *app, bool is_faster) {
    app_set_speed(app, speeds_next(speed_before(app), is_faster));
}

void app_take_speed(struct app *app, const struct panels_result *result) {
    if (!result->sets_speed || fabs(result->speed - server_model_speed(&app->server)) < 1e-6 ||
        (result->is_speed_held && app->now_ms - app->pacing.speed_sent_ms < slide_gap_ms)) {
        return;
    }
    app->pacing.speed_sent_ms = app->now_ms;
    app_set_speed(app, result->speed);
}

/* ---- restart ---- */

static const char restart_id[] = "\"restart\"";

/* The parameters that have another value than at first. */
static void keep_params(const struct server_model *server, struct edits *kept) {
    for (int i = 0; server->first_values != NULL && i < server->param_count; i++) {
        const struct message_param *param = &server->params[i];
        edits_add_param(kept, param->kind, param->param, server->first_values[i], param->value, false);
    }
}

void app_restart(struct app *app, bool keeps) {
    const struct message_scenario *scenario = &app->server.scenario;
    struct request request = request_default(REQUEST_LOAD);
    struct request_load *body = &request.body.load;
    (void)snprintf(request.id, sizeof request.id, "%s", restart_id);
    (void)snprintf(body->scenario, sizeof body->scenario, "%s", scenario->name);
    body->has_seed = body->has_warmup = true; /* without a warm-up: from tick 0 on */
    body->seed = scenario->seed;
    if (!app_send(app, &request)) {
        return;
    }
    app->restart.is_due = true;
    (void)snprintf(app->restart.scenario, sizeof app->restart.scenario, "%s", scenario->name);
    edits_clear(&app->restart.kept);
    if (keeps) {
        edits_places(&app->edits, &app->restart.kept);
        keep_params(&app->server, &app->restart.kept);
    }
}

bool app_takes_restart(struct app *app, const struct message *message) {
    const bool was_due = app->restart.is_due,
               is_world = message->op == MESSAGE_SCENARIO || message->op == MESSAGE_HELLO,
               is_refused = message->op == MESSAGE_ERROR && strcmp(message->body.error.id, restart_id) == 0;
    app->restart.is_due = was_due && !is_world && !is_refused;
    return was_due && message->op == MESSAGE_SCENARIO &&
           strcmp(message->body.scenario.name, app->restart.scenario) == 0;
}

void app_end_restart(struct app *app) {
    struct edits *kept = &app->restart.kept;
    const int count = kept->count;
    bool is_sent = true;
    for (int i = 0; i < count && is_sent; i++) {
        struct request request;
        is_sent = edits_request(&kept->rows[i], false, &request);
        (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_TUNE_ID);
        is_sent = is_sent && app_send(app, &request);
    }
    edits_restart(&app->edits);
    if (!is_sent) {
        return; /* sending it said why */
    }
    if (count > 0) {
        server_model_set_notice(&app->server, false, "again from tick 0, with %d change%s kept", count,
                                count == 1 ? "" : "s");
    } else {
        server_model_set_notice(&app->server, false, "again from tick 0");
    }
}
