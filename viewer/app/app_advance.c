/* See app_advance.h. */
#include "viewer/app/app_advance.h"

#include <math.h>

#include "viewer/app/app_requests.h"

bool app_is_advancing(const struct app *app) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    return app->options.advance_s > 0.0 &&
           (!app->advance.has_begun || newest == NULL || newest->tick < app->advance.end_tick);
}

int app_advance(struct app *app, struct failure *failure) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (!app_is_advancing(app) || newest == NULL || !app->server.has_scenario ||
        app->link.state != LINK_READY) {
        return 0;
    }
    if (!app->server.is_paused) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--advance",
                           "--advance: the world is running; start the server with --paused");
    }
    const double tick_hz = app->server.scenario.tick_hz;
    if (!app->advance.has_begun) {
        app->advance.has_begun = true;
        app->advance.due_tick = newest->tick;
        app->advance.end_tick = newest->tick + (uint64_t)llround(app->options.advance_s * tick_hz);
    }
    if (newest->tick < app->advance.due_tick || app->advance.due_tick >= app->advance.end_tick) {
        return 0;
    }
    const uint64_t stride = (uint64_t)ceil(TRAILS_STEP_S * tick_hz),
                   left = app->advance.end_tick - app->advance.due_tick;
    struct request request = request_default(REQUEST_STEP);
    request.body.step.count = (uint32_t)(stride < left ? stride : left);
    app->advance.due_tick += request.body.step.count;
    app_send(app, &request);
    return 0;
}
