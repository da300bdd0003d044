/* See shortcuts.h. SDL's key codes are the characters, or a scan code with bit 30 set; spelled out here so
 * that the table needs no SDL. window.c checks them against SDL's own names when it is compiled. */
#include "viewer/model/shortcuts.h"

#include <assert.h>

#include "viewer/model/key_codes.h"

/* A key that changes a setting of view_settings.h.
 *
 * called  its name in the file of settings; for an overlay in the list of --overlays
 * words   of an overlay: beside its check box; of a choice: before the value in a notice */
#define MEMBER(called, kind, member)                                                                         \
    .name = (called), .type = (kind), FIELD_MEMBER(struct view_settings, member)
#define TOGGLE(key, shown, help, called, member)                                                             \
    {                                                                                                        \
        .action = SHORTCUT_SETTING, key, false, shown, help, .setting = {                                    \
            MEMBER(called, FIELD_BOOL, member)                                                               \
        }                                                                                                    \
    }
#define OVERLAY(key, shown, help, called, member, words)                                                     \
    {                                                                                                        \
        .action = SHORTCUT_SETTING, key, false, shown, help,                                                 \
        .setting = {MEMBER(called, FIELD_BOOL, member)}, .is_overlay = true, .label = (words)                \
    }
#define CHOICE(called, member, names, words)                                                                 \
    { MEMBER(called, FIELD_CHOICE, member), .choices = (names), .help = (words) }

static const struct shortcut table[] = {
    {.action = SHORTCUT_NONE, 0, false, "Mouse", "move the target named mouse"},
    {.action = SHORTCUT_NONE, 0, false, "Click", "select an agent; beside one: forces"},
    {.action = SHORTCUT_NONE, 0, false, "Double click", "follow the agent"},
    {.action = SHORTCUT_NONE, 0, false, "Drag", "move a target, an obstacle; Esc: back"},
    {.action = SHORTCUT_NONE, 0, false, "Wheel", "zoom at the cursor"},
    {.action = SHORTCUT_NONE, 0, false, "Right drag", "move the picture"},
    {.action = SHORTCUT_FIT, KEY_HOME, false, "Home", "the whole world"},
    {.action = SHORTCUT_FOLLOW, KEY_L, false, "L", "follow the selected agent"},
    {.action = SHORTCUT_NEXT_AGENT, KEY_TAB, false, "Tab", "select the next agent"},
    {.action = SHORTCUT_PAUSE, KEY_SPACE, false, "Space", "pause or resume; in the past: play on"},
    {.action = SHORTCUT_STEP, KEY_PERIOD, false, ".", "one tick (pauses first)"},
    {.action = SHORTCUT_BACK, KEY_LEFT, false, "Left, Right", "look a second back, forward; stays there"},
    {.action = SHORTCUT_FORWARD, KEY_RIGHT, false, "", ""},
    {.action = SHORTCUT_STEP_BACK, KEY_COMMA, false, ",", "look a snapshot back; . forward"},
    {.action = SHORTCUT_LIVE, KEY_END, false, "End", "from the past back to now"},
    {.action = SHORTCUT_PICKER, KEY_O, true, "Ctrl+O", "choose a scenario"},
    {.action = SHORTCUT_PREVIOUS_SCENARIO, KEY_LEFT_BRACKET, false, "[ and ]", "previous, next scenario"},
    {.action = SHORTCUT_NEXT_SCENARIO, KEY_RIGHT_BRACKET, false, "", ""},
    {.action = SHORTCUT_ADD, KEY_A, false, "A", "add agents by clicks; again: next kind"},
    {.action = SHORTCUT_REMOVE, KEY_X, false, "X", "remove agents by clicks"},
    {.action = SHORTCUT_PARAMS, KEY_K, false, "K", "sliders for a kind's parameters"},
    {.action = SHORTCUT_FORCES, KEY_F, false, "F", "forces: V, D and S together"},
    OVERLAY(KEY_V, "V", "velocity", "velocity", shows_velocity, "velocity"),
    OVERLAY(KEY_D, "D", "desired velocity", "desired", shows_desired, "desired velocity"),
    OVERLAY(KEY_S, "S", "steering force", "steering", shows_steering, "steering force"),
    OVERLAY(KEY_B, "B", "each behaviour's force", "behaviors", shows_behaviors, "each behaviour"),
    OVERLAY(KEY_R, "R", "radii of the selected agent", "radii", shows_radii, "radii, view"),
    OVERLAY(KEY_N, "N", "its neighbours that count", "neighbors", shows_neighbors, "neighbours"),
    OVERLAY(KEY_W, "W", "what its behaviours aim at", "places", shows_places, "places aimed at"),
    OVERLAY(KEY_T, "T", "trails", "trails", shows_trails, "trails"),
    OVERLAY(KEY_G, "G", "grid", "grid", shows_grid, "grid"),
    TOGGLE(KEY_C, "C", "colours by state or by kind", "colors_by_kind", colors_by_kind),
    {.action = SHORTCUT_SETTING,
     KEY_P,
     true,
     "Ctrl+P",
     "palette: for all eyes, the tutorials'",
     .setting = CHOICE("palette", palette, palette_names, "palette"),
     .label = "palette"},
    {.action = SHORTCUT_SETTING,
     KEY_H,
     false,
     "H",
     "crowds as heat: auto, on, off",
     .setting = CHOICE("heat", heat, heat_mode_names, "crowds as heat")},
    {.action = SHORTCUT_PANEL,
     KEY_P,
     false,
     "P",
     "panel and timeline",
     .setting = CHOICE("panel", panel, panel_choice_names, NULL)},
    TOGGLE(KEY_F2, "F2", "network figures", "network", shows_network),
    {.action = SHORTCUT_LARGER,
     KEY_EQUALS,
     true,
     "Ctrl + - 0",
     "size of text and lines",
     .setting = {.name = "ui_scale",
                 .type = FIELD_DOUBLE,
                 FIELD_MEMBER(struct view_settings, ui_scale),
                 .min = 0,
                 .max = 4}},
    {.action = SHORTCUT_LARGER, KEY_PAD_PLUS, true, "", ""},
    {.action = SHORTCUT_SMALLER, KEY_MINUS, true, "", ""},
    {.action = SHORTCUT_SMALLER, KEY_PAD_MINUS, true, "", ""},
    {.action = SHORTCUT_NORMAL_SIZE, KEY_0, true, "", ""},
    {.action = SHORTCUT_FULL_SCREEN, KEY_F11, false, "F11", "full screen"},
    {.action = SHORTCUT_SCREENSHOT, KEY_F12, false, "F12", "save a picture (PNG)"},
    {.action = SHORTCUT_CLIP, KEY_F9, false, "F9", "record a clip (MP4), stop"},
    {.action = SHORTCUT_EXPORT, KEY_E, true, "Ctrl+E", "save the plots (CSV)"},
    {.action = SHORTCUT_HELP, KEY_F1, false, "F1", "this help"},
    {.action = SHORTCUT_CLOSE, KEY_ESCAPE, false, "Esc", "close what is open, let go"},
    {.action = SHORTCUT_QUIT, KEY_Q, true, "Ctrl+Q", "quit"},
};

enum { ROW_COUNT = sizeof table / sizeof table[0] };

const struct shortcut *shortcuts_table(size_t *count) {
    *count = ROW_COUNT;
    return table;
}

const struct shortcut *shortcuts_find(int32_t key, bool has_control) {
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (table[i].key == key && key != 0 && table[i].has_control == has_control) {
            return &table[i];
        }
    }
    return NULL;
}

const struct shortcut *shortcuts_row(enum shortcut_action action) {
    const struct shortcut *row = table;
    while (row->action != action) {
        assert(row + 1 < table + ROW_COUNT); /* every action has a row */
        row++;
    }
    return row;
}

enum request_op shortcuts_request(enum shortcut_action action) {
    switch (action) {
    case SHORTCUT_PAUSE:
        return REQUEST_PAUSE;
    case SHORTCUT_STEP:
        return REQUEST_STEP;
    case SHORTCUT_PICKER:
    case SHORTCUT_PREVIOUS_SCENARIO:
    case SHORTCUT_NEXT_SCENARIO:
        return REQUEST_LOAD;
    case SHORTCUT_ADD:
        return REQUEST_SPAWN;
    case SHORTCUT_REMOVE:
        return REQUEST_REMOVE;
    default:
        return REQUEST_PING;
    }
}
