/* Writes files (pictures, clips, plots) and the figures of --stats. */
#ifndef DROVER_VIEWER_APP_APP_OUTPUT_H
#define DROVER_VIEWER_APP_APP_OUTPUT_H

#include "viewer/app/app_state.h"

/** Copies the picture into the raster if a card drew it. -1 when it cannot be read. */
NODISCARD int app_read_picture(struct app *app);
/** Keeps the world alone for the files that are to have no panels; called when the scene of this frame is drawn and the
 * panels are not. */
void app_keep_world(struct app *app);
/** Saves the picture of this frame; a notice says where, or what went wrong. */
void app_save_picture(struct app *app);
/** Saves the plots as CSV; a notice says where. */
void app_save_plots(struct app *app);
/** Starts a clip, or ends the one that is being recorded; a notice says where. */
void app_toggle_clip(struct app *app);
/** Adds this frame to the clip that is being recorded, if its time has come. */
void app_record_frame(struct app *app);
/** Starts the clip of --clip when the first frame is there. -1 with *failure. */
NODISCARD int app_start_clip(struct app *app, struct failure *failure);
/** Ends the clip that is being recorded, if any. -1 with *failure. */
NODISCARD int app_end_clip(struct app *app, struct failure *failure);
/** Prints the times that frames took. */
void app_print_stats(struct app *app);

#endif
