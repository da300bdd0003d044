/* How a scenario wants to be looked at, over a person's own settings. Pure.
 *
 * What was changed in the window or given by a flag is the person's, whatever the scenario says. The rows of shortcuts.c
 * say which settings there are: overlays and color modes are found by their names, and names that this viewer does not
 * know are ignored.
 */
#ifndef DROVER_VIEWER_MODEL_SCENARIO_VIEW_H
#define DROVER_VIEWER_MODEL_SCENARIO_VIEW_H

#include "common/protocol/message_view.h"
#include "viewer/link/server_model.h"
#include "viewer/model/frame.h"
#include "viewer/model/view_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The person's side of it. */
struct scenario_view_person {
    const struct view_settings *own; /* the file of settings and the flags */
    const struct view_settings *now; /* what is shown: the values of changed members */
    const struct view_changes *changes, *flags;
    bool has_room; /* for the side panel: it is never opened where it would cover the world */
};

/** The settings for a world with this view: changed and given members as they are now, what the view says, and the
 * person's own for the rest. */
struct view_settings scenario_view_apply(const struct scenario_view_person *person,
                                         const struct message_view *view);

/** The target of the frame that the view calls a flag; NULL without one. */
const struct frame_target *scenario_view_flag(const struct message_view *view, const struct frame *frame);
/** The agent that has captured the flag, its index in the frame: it stands on it, slower than a quarter of its greatest
 * speed. Of several the nearest; -1 without one. */
int32_t scenario_view_captor(const struct server_model *server, const struct frame *frame);

#ifdef __cplusplus
}
#endif

#endif
