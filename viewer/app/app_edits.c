/* See app_edits.h. */
#include "viewer/app/app_edits.h"

#include <stdio.h>

#include "viewer/app/app_requests.h"

/* ---- what is noted ---- */

void app_note_drag(struct app *app, const struct app_hold *hold) {
    struct edit edit = {.what = hold->what == HOLD_TARGET ? EDIT_TARGET : EDIT_OBSTACLE,
                        .obstacle = hold->obstacle,
                        .from = hold->from,
                        .to = hold->to};
    (void)snprintf(edit.target, sizeof edit.target, "%s", hold->target);
    if (hold->was_sent) {
        (void)edits_add(&app->edits, &edit);
    }
}

void app_send_edit(struct app *app, struct request *request, const struct edit *edit) {
    edits_id(app->edits.newest + 1, request->id, sizeof request->id);
    if (app_send(app, request)) {
        (void)edits_add(&app->edits, edit);
    }
}

/* ---- undo and redo ---- */

static const char *word_of(bool is_undo) {
    return is_undo ? "undo" : "redo";
}

/* Another client has the last word on it, until the user insists. */
static void ask(struct app *app, const struct edit *edit, bool is_undo) {
    char words[EDIT_WORDS];
    edits_words(edit, is_undo, words, sizeof words);
    server_model_set_warning(&app->server, "%s has changed the same since; %s again for: %s", edit->by,
                             is_undo ? "Ctrl+Z" : "Ctrl+Y", words);
}

static void send(struct app *app, const struct edit *edit, bool is_undo, struct request *request) {
    char words[EDIT_WORDS];
    edits_words(edit, is_undo, words, sizeof words);
    if (request->op == REQUEST_SET_PARAM) {
        (void)snprintf(request->id, sizeof request->id, "%s", SERVER_MODEL_TUNE_ID);
    }
    if (!app_send(app, request)) {
        return;
    }
    if (request->op == REQUEST_SET_PARAM) {
        server_model_set_param(&app->server, edit->kind, edit->param, request->body.set_param.value);
    }
    server_model_set_notice(&app->server, false, "%s: %s", is_undo ? "undone" : "redone", words);
    edits_take(&app->edits, is_undo);
}

void app_undo(struct app *app, bool is_undo) {
    const struct edit *edit = edits_next(&app->edits, is_undo);
    struct request request;
    if (edit == NULL) {
        server_model_set_notice(&app->server, false, "nothing to %s: only what this window changed can be",
                                word_of(is_undo));
    } else if (app_refuses_past(app)) {
        return;
    } else if (!edits_request(edit, is_undo, &request)) {
        server_model_set_notice(&app->server, false, "the server has not named the agents yet: %s it again",
                                word_of(is_undo));
    } else if (app_may(app, request.op)) {
        if (edits_asks(&app->edits, is_undo)) {
            ask(app, edit, is_undo);
        } else {
            send(app, edit, is_undo, &request);
        }
    }
}

/* ---- what the server says ---- */

/* An agent that comes back is another one to the server. */
static void take_reply(struct app *app, uint32_t number, uint32_t first_id) {
    const struct edit *edit = edits_name_agents(&app->edits, number, first_id);
    if (edit != NULL && edit->was_id != 0) {
        server_model_set_notice(&app->server, false, "back: %s %u, which is %u now%s", edit->kind,
                                edit->was_id, first_id, edit->count > 1 ? " (and those after it)" : "");
    }
}

void app_take_edit(struct app *app, const struct message *message) {
    if (message->op == MESSAGE_EVENT) {
        edits_note(&app->edits, &message->body.event, app->server.session);
    } else if (message->op == MESSAGE_REPLY) {
        take_reply(app, edits_number(message->body.reply.id), message->body.reply.first_id);
    } else if (message->op == MESSAGE_ERROR) {
        edits_drop(&app->edits, edits_number(message->body.error.id));
    }
}
