/* See shortcuts.h. SDL's key codes are the characters, or a scan code with bit 30 set; spelled out here so
 * that the table needs no SDL. window.c checks them against SDL's own names when it is compiled. */
#include "viewer/shortcuts.h"

#include "viewer/key_codes.h"

static const struct shortcut table[] = {
    {SHORTCUT_NONE, 0, "Mouse", "move the target named mouse"},
    {SHORTCUT_FORCES, 0, "Click", "show or hide the forces"},
    {SHORTCUT_PAUSE, KEY_SPACE, "Space", "pause or resume"},
    {SHORTCUT_STEP, KEY_PERIOD, ".", "one tick (pauses first)"},
    {SHORTCUT_PREVIOUS_SCENARIO, KEY_LEFT_BRACKET, "[", "previous scenario"},
    {SHORTCUT_NEXT_SCENARIO, KEY_RIGHT_BRACKET, "]", "next scenario"},
    {SHORTCUT_FORCES, KEY_F, "F", "show or hide the forces"},
    {SHORTCUT_HELP, KEY_F1, "F1", "this help"},
    {SHORTCUT_SCREENSHOT, KEY_F12, "F12", "save a picture (PNG)"},
    {SHORTCUT_QUIT, KEY_ESCAPE, "Esc", "close the help, then quit"},
};

const struct shortcut *shortcuts_table(size_t *count) {
    *count = sizeof table / sizeof table[0];
    return table;
}

enum shortcut_action shortcuts_find(int32_t key) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].key == key && key != 0) {
            return table[i].action;
        }
    }
    return SHORTCUT_NONE;
}
