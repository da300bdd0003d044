/* The keys, in one table: what happens, what the help says. Pure; the window gives key codes as SDL's
 * numbers. */
#ifndef DROVER_VIEWER_SHORTCUTS_H
#define DROVER_VIEWER_SHORTCUTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum shortcut_action {
    SHORTCUT_NONE,
    SHORTCUT_PAUSE,
    SHORTCUT_STEP,
    SHORTCUT_PREVIOUS_SCENARIO,
    SHORTCUT_NEXT_SCENARIO,
    SHORTCUT_FORCES,
    SHORTCUT_HELP,
    SHORTCUT_SCREENSHOT,
    SHORTCUT_QUIT,
    SHORTCUT_ACTION_COUNT
};

struct shortcut {
    enum shortcut_action action;
    int32_t key;      /* SDL_Keycode; 0 for what the mouse does */
    const char *name; /* "Space" */
    const char *help; /* what it does, no full stop */
};

/** The rows, in the order of the help. */
const struct shortcut *shortcuts_table(size_t *count);
/** SHORTCUT_NONE when the key does nothing. */
enum shortcut_action shortcuts_find(int32_t key);

#ifdef __cplusplus
}
#endif

#endif
