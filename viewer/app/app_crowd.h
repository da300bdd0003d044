/* The frame of a moment. Where the window draws large crowds by itself (agents_draw.h), a frame between the same two
 * snapshots is kept: only the agents that something is drawn around are moved. */
#ifndef DROVER_VIEWER_APP_APP_CROWD_H
#define DROVER_VIEWER_APP_APP_CROWD_H

#include "viewer/app/app_state.h"

/** Fills app->frame for a server time of the buffer, as interpolate_at; of a crowd that the window moves, the selected agent
 * and its neighbors alone are at their places (app->crowd.is_partial). -1 when out of memory. */
NODISCARD int app_fill_frame(struct app *app, const struct snapshot_buffer *buffer, double server_ms,
                             const struct interpolate_rules *rules);
/** Gives the frame's agents their colors, and makes the rows of a large crowd; does nothing while rows of the same snapshots and
 * settings are there. */
void app_color_frame(struct app *app);
/** Moves every agent of a partial frame to its place: before any of them is looked for. */
void app_move_all(struct app *app);
/** The frame was filled otherwise, or a snapshot was overwritten: the next frame keeps nothing. */
void app_forget_crowd(struct app *app);
/** A snapshot arrived; before the buffer takes it. */
void app_note_snapshot(struct app *app, const struct snapshot *snapshot);

#endif
