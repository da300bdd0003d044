/* See app_keep.h. */
#include "viewer/app/app_keep.h"

#include <stdio.h>

#include "viewer/app/app_requests.h"
#include "viewer/app/app_server.h"
#include "viewer/model/replay.h"

static const double kept_s = 60.0;

/* ---- questions ---- */

static void open_question(struct app *app, enum panels_question question) {
    app->open.question = (int)question;
    app->open.help = false;
}

static bool is_taken(const void *server, const char *name) {
    return server_model_save(server, name) != NULL;
}

void app_ask_name(struct app *app) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (!app->server.has_scenario || newest == NULL) {
        server_model_set_notice(&app->server, true, "there is no world to save yet");
        return;
    }
    save_name_propose(app->server.scenario.name, newest->tick, is_taken, &app->server, app->keeping.name);
    app_ask_saves(app); /* a name may be taken by now */
    open_question(app, PANELS_ASKS_NAME);
}

static void ask_about(struct app *app, enum panels_question question, const char *name) {
    (void)snprintf(app->keeping.name, sizeof app->keeping.name, "%s", name);
    open_question(app, question);
}

void app_ask_replace(struct app *app, const char *name) {
    ask_about(app, PANELS_ASKS_REPLACE, name);
}

void app_ask_remove(struct app *app, const char *name) {
    if (app_may(app, REQUEST_REMOVE_SAVE)) {
        ask_about(app, PANELS_ASKS_REMOVE, name);
    }
}

void app_ask_take_over(struct app *app) {
    if (!server_model_is_replay(&app->server)) {
        server_model_set_notice(&app->server, false,
                                "the server plays no recording: there is nothing to take over");
    } else if (app_may(app, REQUEST_SEEK)) { /* the same role */
        open_question(app, PANELS_ASKS_TAKE_OVER);
    }
}

/* ---- requests ---- */

static void send_save(struct app *app, const char *name, bool replaces) {
    struct request request = request_default(REQUEST_SAVE);
    (void)snprintf(request.body.save.name, sizeof request.body.save.name, "%s", name);
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_SAVE_ID);
    request.body.save.replace = replaces;
    if (app_send(app, &request)) {
        server_model_ask_save(&app->server, name);
    }
}

static void send_remove(struct app *app, const char *name) {
    struct request request = request_default(REQUEST_REMOVE_SAVE);
    (void)snprintf(request.body.remove_save.name, sizeof request.body.remove_save.name, "%s", name);
    app_send(app, &request);
}

static void send_take_over(struct app *app) {
    struct request request = request_default(REQUEST_RESUME);
    request.body.resume.live = true;
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_TAKE_OVER_ID);
    app_send(app, &request);
}

void app_agree(struct app *app, const char *entered) {
    const enum panels_question question = (enum panels_question)app->open.question;
    app->open.question = PANELS_NO_QUESTION;
    switch (question) {
    case PANELS_NO_QUESTION:
        break;
    case PANELS_ASKS_NAME:
        if (is_taken(&app->server, entered)) {
            app_ask_replace(app, entered);
        } else {
            send_save(app, entered, false);
        }
        break;
    case PANELS_ASKS_REPLACE:
        send_save(app, app->keeping.name, true);
        break;
    case PANELS_ASKS_REMOVE:
        send_remove(app, app->keeping.name);
        break;
    case PANELS_ASKS_TAKE_OVER:
        send_take_over(app);
        break;
    case PANELS_ASKS_REOPEN:
        app_reopen(app);
        break;
    }
}

void app_ask_saves(struct app *app) {
    struct request request = request_default(REQUEST_LIST);
    request.body.list.what = LIST_SAVES;
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_SAVES_ID);
    app_send(app, &request);
}

void app_send_load_save(struct app *app, const char *name) {
    struct request request = request_default(REQUEST_LOAD);
    (void)snprintf(request.body.load.save, sizeof request.body.load.save, "%s", name);
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_LOAD_ID);
    if (app_send(app, &request)) {
        server_model_ask_load(&app->server, name);
    }
}

void app_toggle_record(struct app *app) {
    struct request request = request_default(REQUEST_RECORD);
    const bool is_on = app->server.recording[0] == '\0';
    request.body.record.has_on = true;
    request.body.record.on = is_on;
    if (app_send(app, &request)) {
        server_model_ask_record(&app->server, is_on ? SERVER_MODEL_RECORDS : SERVER_MODEL_STOPS);
    }
}

void app_keep_minute(struct app *app) {
    struct request request = request_default(REQUEST_RECORD);
    request.body.record.has_last = true;
    request.body.record.last = kept_s;
    if (app_send(app, &request)) {
        server_model_ask_record(&app->server, SERVER_MODEL_KEEPS);
    }
}
