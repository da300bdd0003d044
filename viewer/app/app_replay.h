/* The recording that the server plays: going to a moment, its speed; what the server says of it and of a world that it
 * continues. */
#ifndef DROVER_VIEWER_APP_APP_REPLAY_H
#define DROVER_VIEWER_APP_APP_REPLAY_H

#include "viewer/app/app_state.h"

/** Does the action of a key that means another thing while a recording is played. Whether it is one of these. */
bool app_act_on_replay(struct app *app, const struct shortcut *row);
/** Goes to the moment at which the handle of the timeline is held; once more when it is let go, for the recording plays on
 * meanwhile. Called once a frame. */
void app_scrub_replay(struct app *app, const struct panels_result *result);
/** Sends the seek that is due, asks for what may have changed, and shows a copy of the wanted moment until the server
 * is there. Called once a frame, before the picture is drawn. */
void app_update_replay(struct app *app);
/** Forgets seeks that are under way: there is another connection. */
void app_begin_replay(struct app *app);
/** A seek was answered; is_reached: not by an error. */
void app_take_seek(struct app *app, bool is_reached);
/** A snapshot of this world came. */
void app_note_place(struct app *app, const struct snapshot *snapshot);
/** Whether a snapshot does not go on from the one before: the server went to another moment. */
bool app_is_elsewhere(const struct app *app, const struct snapshot *snapshot);

#endif
