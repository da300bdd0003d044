/* The keys, in one table: what each does, its words in the help, the setting that it changes. Pure; the
 * window gives key codes as SDL's numbers.
 *
 * The help (F1), the check boxes of the side panel, the list of --overlays and the file of settings go by
 * the rows.
 */
#ifndef DROVER_VIEWER_MODEL_SHORTCUTS_H
#define DROVER_VIEWER_MODEL_SHORTCUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/message_scenario.h"
#include "common/protocol/request.h"
#include "viewer/link/server_model.h"
#include "viewer/model/frame.h"
#include "viewer/model/view_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

enum shortcut_action {
    SHORTCUT_NONE,
    SHORTCUT_PAUSE,
    SHORTCUT_STEP,
    SHORTCUT_STEP_BACK,
    SHORTCUT_SLOWER,
    SHORTCUT_FASTER,
    SHORTCUT_NORMAL_SPEED,
    SHORTCUT_RESTART,
    SHORTCUT_RESTART_CHANGED, /* keeps what was changed */
    SHORTCUT_UNDO,
    SHORTCUT_REDO,
    SHORTCUT_LEAVE_OUT, /* the present as if the newest change had not come */
    SHORTCUT_WHAT_IF,   /* a twin of the world goes on without changes, or ends */
    SHORTCUT_PREVIOUS_SCENARIO,
    SHORTCUT_NEXT_SCENARIO,
    SHORTCUT_PICKER,
    SHORTCUT_SETTING, /* changes the setting of its row, a bool or a choice */
    SHORTCUT_FORCES,
    SHORTCUT_FIT,
    SHORTCUT_FOLLOW,
    SHORTCUT_NEXT_AGENT,
    SHORTCUT_BACK,
    SHORTCUT_FORWARD,
    SHORTCUT_BACK_SECOND, /* paused as well */
    SHORTCUT_FORWARD_SECOND,
    SHORTCUT_LIVE,
    SHORTCUT_MARK,
    SHORTCUT_PANEL,
    SHORTCUT_LEGEND,
    SHORTCUT_PARAMS,
    SHORTCUT_FOCUS,
    SHORTCUT_ADD,
    SHORTCUT_REMOVE,
    SHORTCUT_PANEL_WIDER,
    SHORTCUT_PANEL_NARROWER,
    SHORTCUT_LARGER,
    SHORTCUT_SMALLER,
    SHORTCUT_NORMAL_SIZE,
    SHORTCUT_FULL_SCREEN,
    SHORTCUT_SCREENSHOT,
    SHORTCUT_CLIP,
    SHORTCUT_EXPORT,
    SHORTCUT_SAVE,
    SHORTCUT_RECORD,
    SHORTCUT_KEEP_MINUTE,
    SHORTCUT_TAKE_OVER,
    SHORTCUT_HELP,
    SHORTCUT_CARD,
    SHORTCUT_CLOSE,
    SHORTCUT_QUIT,
    SHORTCUT_ACTION_COUNT
};

struct shortcut {
    enum shortcut_action action;
    int32_t key;      /* SDL_Keycode; 0 for what the mouse does */
    bool has_control; /* with Ctrl held */
    bool has_shift;   /* with Shift held; else with and without it */
    const char *name; /* "Space"; "" for another key of the row before */
    const char *help; /* what it does, no full stop; "" where the name is */
    /* Of struct view_settings, with its name in the file of settings; name NULL for none. help: for a
     * choice, the words before its value in a notice. */
    struct field setting;
    bool is_overlay;         /* the setting is drawn over the world: kept as a word of the list "overlays" */
    const char *replay_help; /* what it does while a recording is played; NULL: the same */
    bool is_live_only;       /* it does nothing while a recording is played */
    const char *label;       /* the setting's words in the side panel; NULL: it has no check box there */
    const char *page_way; /* what else does it in the page of a browser: "tap"; NULL: a button or nothing */
    const char *no_page;  /* why the page of a browser has it not; NULL: it has it */
};

/** The rows, in the order of the help. */
const struct shortcut *shortcuts_table(size_t *count);
/** The row of a key, or NULL when the key does nothing. One with Shift goes before one that does not mind it. */
const struct shortcut *shortcuts_find(int32_t key, bool has_control, bool has_shift);
/** The first row of an action. */
const struct shortcut *shortcuts_row(enum shortcut_action action);
/** What a key does, in a live world or while a recording is played. */
const char *shortcuts_help(const struct shortcut *row, bool is_replay);
/** The request that the action makes, whose role it needs; REQUEST_PING when it needs none. */
enum request_op shortcuts_request(enum shortcut_action action);

/* How a scenario wants to be looked at, over a person's own settings. Pure.
 *
 * What was changed in the window or given by a flag is the person's, whatever the scenario says. The rows of shortcuts.c
 * say which settings there are: overlays and color modes are found by their names, and names that this viewer does not
 * know are ignored.
 */

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

#ifdef __cplusplus
}
#endif

#endif
