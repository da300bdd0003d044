/* See app_kiosk.h. When something is to be done, kiosk.c says. */
#include "viewer/app/app_kiosk.h"

#include <stdlib.h>

#include "common/system/log.h"
#include "common/system/regular_file.h"
#include "viewer/app/app_requests.h"
#include "viewer/app/app_server.h"
#include "viewer/app/app_view.h"

enum { FILE_MOST = 64 * 1024 };

int app_kiosk_init(struct app *app, struct failure *failure) {
    const char *path = app->options.kiosk_list;
    char reason[REGULAR_FILE_REASON] = "no such file";
    struct failure inner;
    char *text = NULL;
    size_t length = 0;
    app->kiosk.at = -1;
    app->kiosk.reset_after = app->options.kiosk_reset_s;
    if (path[0] == '\0') {
        return 0;
    }
    if (regular_file_read(path, FILE_MOST, &text, &length, reason) != REGULAR_FILE_OK) {
        return failure_set(failure, FAILURE_BAD_PARAM, "kiosk-list",
                           "%s: %s; expected a file with lines SCENARIO [SECONDS]", path, reason);
    }
    const int result = kiosk_list_read(text, length, &app->kiosk.list, &inner);
    free(text);
    return result == 0 ? 0 : failure_set(failure, inner.code, "kiosk-list", "%s: %s", path, inner.message);
}

void app_kiosk_touch(struct app *app) {
    kiosk_touch(&app->kiosk, app->now_ms);
}

void app_kiosk_begin(struct app *app) {
    if (app->options.is_kiosk) {
        app->changes = (struct view_changes){.is_changed = {false}};
        app->open = (struct panels_open){.question = PANELS_NO_QUESTION};
        kiosk_begin(&app->kiosk, app->server.scenario.name, app->now_ms);
    }
}

/* Whether worlds can be loaded; that they cannot is logged once. */
static bool may_load(struct app *app) {
    if (server_model_is_replay(&app->server) || !server_model_may(&app->server, REQUEST_LOAD)) {
        if (!app->is_kiosk_bound) {
            log_write(LOG_WARN, "kiosk", "the world that runs stays: %s",
                      server_model_is_replay(&app->server)
                          ? "it is a recording"
                          : "other worlds need the role admin (--token of an admin)");
            app->is_kiosk_bound = true;
        }
        return false;
    }
    return true;
}

static void go_on(struct app *app) {
    if (app->kiosk.is_asked) {
        log_write(LOG_WARN, "kiosk", "%s did not come; the next one follows",
                  app->kiosk.list.rows[app->kiosk.at].scenario);
    }
    const char *scenario = kiosk_next(&app->kiosk, app->now_ms);
    if (scenario != NULL) {
        app_send_load(app, scenario);
    }
}

/* With the role for it the world begins again; without it the view does. */
static void put_back(struct app *app, bool is_admin) {
    if (is_admin) {
        app_send_load(app, app->server.scenario.name);
        return;
    }
    app->selection.has_agent = app->selection.is_following = false;
    camera_view_fit(&app->picture.camera_view);
    app->changes = (struct view_changes){.is_changed = {false}};
    app_begin_view(app);
}

void app_kiosk_update(struct app *app) {
    if (!app->options.is_kiosk) {
        return;
    }
    if (app->server_end[0] != '\0') {
        app_reopen(app); /* the recording plays again: there is no hand to agree to it */
        return;
    }
    if (app->options.kiosk_list[0] == '\0' && app->server.scenarios != NULL && app->kiosk.list.count == 0) {
        kiosk_list_fill(&app->kiosk.list, app->server.scenarios, app->server.scenario_count);
        const double begun_ms = app->kiosk.begun_ms;
        kiosk_begin(&app->kiosk, app->server.scenario.name, begun_ms);
    }
    if (!app->server.has_scenario || app->link.state != LINK_READY || app->server.role == ROLE_NONE) {
        return; /* what is due waits for the server */
    }
    const bool is_admin = may_load(app);
    switch (kiosk_update(&app->kiosk, is_admin, app->now_ms)) {
    case KIOSK_NEXT:
        go_on(app);
        break;
    case KIOSK_RESETS:
        put_back(app, is_admin);
        break;
    case KIOSK_GOES_ON:
        break;
    }
}
