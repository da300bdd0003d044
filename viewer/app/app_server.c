/* See app_server.h. */
#include "viewer/app/app_server.h"

#include <stdio.h>

int app_start_server(struct app *app, struct failure *failure) {
    char program[1024];
    if (app->options.recording[0] == '\0') {
        return 0;
    }
    if (own_server_find(program, sizeof program, failure) != 0) {
        return -1;
    }
    app->own_server = own_server_start(program, app->options.recording, OWN_SERVER_PATIENCE_MS,
                                       &app->options.address, failure);
    return app->own_server != NULL ? 0 : -1;
}

struct connection *app_connect(const struct viewer_options *options) {
    struct connection_def def = {
        .address = options->address,
        .agents = (enum layout)options->layout,
        .is_single_try = options->is_single_try,
    };
    (void)snprintf(def.name, sizeof def.name, "%s", options->name);
    (void)snprintf(def.token, sizeof def.token, "%s", options->token);
    return connection_create(&def);
}

void app_watch_server(struct app *app) {
    char reason[sizeof app->server_end];
    if (app->own_server == NULL || app->server_end[0] != '\0' || app->link.state == LINK_READY ||
        !own_server_has_ended(app->own_server, reason, sizeof reason)) {
        return;
    }
    (void)snprintf(app->server_end, sizeof app->server_end, "%s",
                   reason[0] != '\0' ? reason : "it wrote no reason");
    app->open = (struct panels_open){.question = PANELS_ASKS_REOPEN};
    app->pacing.is_dirty = true;
}

/* Nothing of the connection before applies to the next one. */
static void forget_connection(struct app *app) {
    connection_destroy(app->connection);
    app->connection = NULL;
    app->link = (struct link_status){.state = LINK_CONNECTING};
    snapshot_buffer_clear(&app->snapshots);
    history_clear(&app->past.history);
    playhead_go_live(&app->past.playhead);
}

void app_reopen(struct app *app) {
    struct failure failure;
    own_server_stop(app->own_server);
    app->own_server = NULL;
    if (app_start_server(app, &failure) != 0) {
        (void)snprintf(app->server_end, sizeof app->server_end, "%s", failure.message);
        app->open.question = PANELS_ASKS_REOPEN;
        return;
    }
    forget_connection(app);
    app->server_end[0] = '\0';
    app->connection = app_connect(&app->options);
    app->is_running = app->connection != NULL;
}
