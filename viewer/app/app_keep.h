/* Saved worlds and recordings of the server: questions to the user, and the requests that follow. */
#ifndef DROVER_VIEWER_APP_APP_KEEP_H
#define DROVER_VIEWER_APP_APP_KEEP_H

#include "viewer/app/app_state.h"

/** Asks for a name to save the world under. */
void app_ask_name(struct app *app);
/** Asks whether the saved world of this name is to be replaced by the world as it is now. */
void app_ask_replace(struct app *app, const char *name);
/** Asks whether the saved world of this name is to be removed. */
void app_ask_remove(struct app *app, const char *name);
/** Asks whether the world is to go on by itself from the moment of the recording that is shown. */
void app_ask_take_over(struct app *app);
/** The user agreed; entered: what was typed. */
void app_agree(struct app *app, const char *entered);
/** Requests the list of saved worlds. */
void app_ask_saves(struct app *app);
/** Loads the saved world of this name for all clients. */
void app_send_load_save(struct app *app, const char *name);
/** The server records to a file from here on, or stops. */
void app_toggle_record(struct app *app);
/** The server keeps the last minute as a recording. */
void app_keep_minute(struct app *app);

#endif
