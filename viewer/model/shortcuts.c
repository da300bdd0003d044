/* See shortcuts.h. SDL's key codes are the characters, or a scan code with bit 30 set; spelled out here so
 * that the table needs no SDL. window.c checks them against SDL's own names when it is compiled. */
#include "viewer/model/shortcuts.h"

#include "viewer/model/key_codes.h"

static const struct shortcut table[] = {
    {SHORTCUT_NONE, 0, false, "Mouse", "move the target named mouse"},
    {SHORTCUT_NONE, 0, false, "Click", "select an agent; beside one: forces"},
    {SHORTCUT_NONE, 0, false, "Double click", "follow the agent"},
    {SHORTCUT_NONE, 0, false, "Drag", "move a target, an obstacle; Esc: back"},
    {SHORTCUT_NONE, 0, false, "Wheel", "zoom at the cursor"},
    {SHORTCUT_NONE, 0, false, "Right drag", "move the picture"},
    {SHORTCUT_FIT, KEY_HOME, false, "Home", "the whole world"},
    {SHORTCUT_FOLLOW, KEY_L, false, "L", "follow the selected agent"},
    {SHORTCUT_NEXT_AGENT, KEY_TAB, false, "Tab", "select the next agent"},
    {SHORTCUT_PAUSE, KEY_SPACE, false, "Space", "pause or resume; in the past: play on"},
    {SHORTCUT_STEP, KEY_PERIOD, false, ".", "one tick (pauses first)"},
    {SHORTCUT_BACK, KEY_LEFT, false, "Left, Right", "look a second back, forward; stays there"},
    {SHORTCUT_FORWARD, KEY_RIGHT, false, "", ""},
    {SHORTCUT_STEP_BACK, KEY_COMMA, false, ",", "look a snapshot back; . forward"},
    {SHORTCUT_LIVE, KEY_END, false, "End", "from the past back to now"},
    {SHORTCUT_PICKER, KEY_O, true, "Ctrl+O", "choose a scenario"},
    {SHORTCUT_PREVIOUS_SCENARIO, KEY_LEFT_BRACKET, false, "[ and ]", "previous, next scenario"},
    {SHORTCUT_NEXT_SCENARIO, KEY_RIGHT_BRACKET, false, "", ""},
    {SHORTCUT_ADD, KEY_A, false, "A", "add agents by clicks; again: next kind"},
    {SHORTCUT_REMOVE, KEY_X, false, "X", "remove agents by clicks"},
    {SHORTCUT_PARAMS, KEY_K, false, "K", "sliders for a kind's parameters"},
    {SHORTCUT_FORCES, KEY_F, false, "F", "forces: V, D and S together"},
    {SHORTCUT_VELOCITY, KEY_V, false, "V", "velocity"},
    {SHORTCUT_DESIRED, KEY_D, false, "D", "desired velocity"},
    {SHORTCUT_STEERING, KEY_S, false, "S", "steering force"},
    {SHORTCUT_BEHAVIORS, KEY_B, false, "B", "each behaviour's force"},
    {SHORTCUT_RADII, KEY_R, false, "R", "radii of the selected agent"},
    {SHORTCUT_NEIGHBORS, KEY_N, false, "N", "its neighbours that count"},
    {SHORTCUT_PLACES, KEY_W, false, "W", "what its behaviours aim at"},
    {SHORTCUT_TRAILS, KEY_T, false, "T", "trails"},
    {SHORTCUT_GRID, KEY_G, false, "G", "grid"},
    {SHORTCUT_COLORS, KEY_C, false, "C", "colours by state or by kind"},
    {SHORTCUT_PALETTE, KEY_P, true, "Ctrl+P", "palette: for all eyes, the tutorials'"},
    {SHORTCUT_HEAT, KEY_H, false, "H", "crowds as heat: auto, on, off"},
    {SHORTCUT_PANEL, KEY_P, false, "P", "panel and timeline"},
    {SHORTCUT_NETWORK, KEY_F2, false, "F2", "network figures"},
    {SHORTCUT_LARGER, KEY_EQUALS, true, "Ctrl + - 0", "size of text and lines"},
    {SHORTCUT_LARGER, KEY_PAD_PLUS, true, "", ""},
    {SHORTCUT_SMALLER, KEY_MINUS, true, "", ""},
    {SHORTCUT_SMALLER, KEY_PAD_MINUS, true, "", ""},
    {SHORTCUT_NORMAL_SIZE, KEY_0, true, "", ""},
    {SHORTCUT_FULL_SCREEN, KEY_F11, false, "F11", "full screen"},
    {SHORTCUT_SCREENSHOT, KEY_F12, false, "F12", "save a picture (PNG)"},
    {SHORTCUT_CLIP, KEY_F9, false, "F9", "record a clip (MP4), stop"},
    {SHORTCUT_EXPORT, KEY_E, true, "Ctrl+E", "save the plots (CSV)"},
    {SHORTCUT_HELP, KEY_F1, false, "F1", "this help"},
    {SHORTCUT_CLOSE, KEY_ESCAPE, false, "Esc", "close what is open, let go"},
    {SHORTCUT_QUIT, KEY_Q, true, "Ctrl+Q", "quit"},
};

const struct shortcut *shortcuts_table(size_t *count) {
    *count = sizeof table / sizeof table[0];
    return table;
}

enum shortcut_action shortcuts_find(int32_t key, bool has_control) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].key == key && key != 0 && table[i].has_control == has_control) {
            return table[i].action;
        }
    }
    return SHORTCUT_NONE;
}

const char *shortcuts_key_name(enum shortcut_action action) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].action == action && table[i].name[0] != '\0') {
            return table[i].name;
        }
    }
    return "";
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
