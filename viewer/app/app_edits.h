/* Undo and redo: what this window does to the world is noted as it is sent, and the opposite is sent on request. */
#ifndef DROVER_VIEWER_APP_APP_EDITS_H
#define DROVER_VIEWER_APP_APP_EDITS_H

#include "viewer/app/app_state.h"

/** A drag has ended: what was held lies where it was last sent. */
void app_note_drag(struct app *app, const struct app_hold *hold);
/** Sends a request that adds or removes agents, and notes it. edit: number is not read. */
void app_send_edit(struct app *app, struct request *request, const struct edit *edit);
/** Undoes the newest change of this window, or does the newest that was undone again; a notice says which. */
void app_undo(struct app *app, bool is_undo);
/** An event of another client, an answer to a request of this file. */
void app_take_edit(struct app *app, const struct message *message);

#endif
