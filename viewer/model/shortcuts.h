/* The keys, in one table: what happens, what the help says. Pure; the window gives key codes as SDL's
 * numbers. */
#ifndef DROVER_VIEWER_MODEL_SHORTCUTS_H
#define DROVER_VIEWER_MODEL_SHORTCUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/request.h"

#ifdef __cplusplus
extern "C" {
#endif

enum shortcut_action {
    SHORTCUT_NONE,
    SHORTCUT_PAUSE,
    SHORTCUT_STEP,
    SHORTCUT_STEP_BACK,
    SHORTCUT_PREVIOUS_SCENARIO,
    SHORTCUT_NEXT_SCENARIO,
    SHORTCUT_PICKER,
    SHORTCUT_FORCES,
    SHORTCUT_VELOCITY, /* the overlays, in the order of enum overlay */
    SHORTCUT_DESIRED,
    SHORTCUT_STEERING,
    SHORTCUT_BEHAVIORS,
    SHORTCUT_RADII,
    SHORTCUT_NEIGHBORS,
    SHORTCUT_PLACES,
    SHORTCUT_TRAILS,
    SHORTCUT_GRID,
    SHORTCUT_COLORS,
    SHORTCUT_PALETTE,
    SHORTCUT_HEAT,
    SHORTCUT_FIT,
    SHORTCUT_FOLLOW,
    SHORTCUT_NEXT_AGENT,
    SHORTCUT_BACK,
    SHORTCUT_FORWARD,
    SHORTCUT_LIVE,
    SHORTCUT_PANEL,
    SHORTCUT_NETWORK,
    SHORTCUT_PARAMS,
    SHORTCUT_ADD,
    SHORTCUT_REMOVE,
    SHORTCUT_LARGER,
    SHORTCUT_SMALLER,
    SHORTCUT_NORMAL_SIZE,
    SHORTCUT_FULL_SCREEN,
    SHORTCUT_SCREENSHOT,
    SHORTCUT_CLIP,
    SHORTCUT_EXPORT,
    SHORTCUT_HELP,
    SHORTCUT_CLOSE,
    SHORTCUT_QUIT,
    SHORTCUT_ACTION_COUNT
};

struct shortcut {
    enum shortcut_action action;
    int32_t key;      /* SDL_Keycode; 0 for what the mouse does */
    bool has_control; /* with Ctrl held */
    const char *name; /* "Space"; "" for another key of the row before */
    const char *help; /* what it does, no full stop; "" where the name is */
};

/** The rows, in the order of the help. */
const struct shortcut *shortcuts_table(size_t *count);
/** SHORTCUT_NONE when the key does nothing. */
enum shortcut_action shortcuts_find(int32_t key, bool has_control);
/** What the action asks of the server, which says who may do it; REQUEST_PING when it needs no role. */
enum request_op shortcuts_request(enum shortcut_action action);
/** The name of the action's first key, "" when it has none. */
const char *shortcuts_key_name(enum shortcut_action action);

#ifdef __cplusplus
}
#endif

#endif
