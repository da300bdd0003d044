/* See shortcuts.h. SDL's key codes are the characters, or a scan code with bit 30 set; spelled out here so
 * that the table needs no SDL. window.c checks them against SDL's own names when it is compiled. */
#include "viewer/model/shortcuts.h"

#include <assert.h>
#include <string.h>

#include "viewer/model/input.h"

/* ---- the table ---- */

/* A key that changes a setting of view_settings.h.
 *
 * called  its name in the file of settings; for an overlay in the list of --overlays
 * words   of an overlay: beside its check box; of a choice: before the value in a notice */
#define MEMBER(called, kind, member)                                                                         \
    .name = (called), .type = (kind), FIELD_MEMBER(struct view_settings, member)
#define TOGGLE(key, shown, help, called, member)                                                             \
    {                                                                                                        \
        .action = SHORTCUT_SETTING, key, false, false, shown, help, .setting = {                             \
            MEMBER(called, FIELD_BOOL, member)                                                               \
        }                                                                                                    \
    }
#define OVERLAY(key, shown, help, called, member, words)                                                     \
    {                                                                                                        \
        .action = SHORTCUT_SETTING, key, false, false, shown, help,                                          \
        .setting = {MEMBER(called, FIELD_BOOL, member)}, .is_overlay = true, .label = (words)                \
    }
#define CHOICE(called, member, names, words)                                                                 \
    { MEMBER(called, FIELD_CHOICE, member), .choices = (names), .help = (words) }

static const char browser_zooms[] = "the browser zooms the whole page";

static const struct shortcut table[] = {
    {.action = SHORTCUT_NONE,
     0,
     false,
     false,
     "Mouse",
     "move the target named mouse",
     .is_live_only = true,
     .page_way = "drag"},
    {.action = SHORTCUT_NONE,
     0,
     false,
     false,
     "Click",
     "select an agent: what it does, and why",
     .page_way = "tap"},
    {.action = SHORTCUT_NONE, 0, false, false, "Double click", "follow the agent", .page_way = "double tap"},
    {.action = SHORTCUT_NONE,
     0,
     false,
     false,
     "Drag",
     "move a target, an obstacle; Esc: back",
     .is_live_only = true,
     .page_way = "drag"},
    {.action = SHORTCUT_NONE, 0, false, false, "Wheel", "zoom at the cursor", .page_way = "pinch"},
    {.action = SHORTCUT_NONE, 0, false, false, "Right drag", "move the picture", .page_way = "two fingers"},
    {.action = SHORTCUT_FIT,
     KEY_HOME,
     false,
     false,
     "Home",
     "the whole world",
     .replay_help = "to the beginning; Ctrl+Home: whole world"},
    {.action = SHORTCUT_FIT, KEY_HOME, true, false, "", ""},
    {.action = SHORTCUT_FOLLOW, KEY_L, false, false, "L", "follow the selected agent"},
    {.action = SHORTCUT_NEXT_AGENT,
     KEY_TAB,
     false,
     false,
     "Tab",
     "select the next agent",
     .page_way = "a button in the panel; outside the world Tab goes from control to control"},
    {.action = SHORTCUT_PAUSE,
     KEY_SPACE,
     false,
     false,
     "Space",
     "pause or resume; in the past: play on",
     .replay_help = "pause or play"},
    {.action = SHORTCUT_STEP,
     KEY_PERIOD,
     false,
     false,
     ".",
     "one tick (pauses first)",
     .replay_help = "a tick on (pauses first)"},
    {.action = SHORTCUT_BACK, KEY_LEFT, false, false, "Left, Right", "a second back, on; paused: a tick"},
    {.action = SHORTCUT_FORWARD, KEY_RIGHT, false, false, "", ""},
    {.action = SHORTCUT_BACK_SECOND, KEY_LEFT, false, true, "", ""},
    {.action = SHORTCUT_FORWARD_SECOND, KEY_RIGHT, false, true, "", ""},
    {.action = SHORTCUT_STEP_BACK,
     KEY_COMMA,
     false,
     false,
     ",",
     "look a snapshot back; . forward",
     .replay_help = "a tick back"},
    {.action = SHORTCUT_RESTART,
     KEY_R,
     true,
     false,
     "Ctrl+R",
     "again from tick 0; Shift: keeps changes",
     .replay_help = "to the beginning",
     .page_way = "a button beside the timeline; Ctrl+R is the browser's"},
    {.action = SHORTCUT_RESTART_CHANGED, KEY_R, true, true, "", ""},
    {.action = SHORTCUT_UNDO, KEY_Z, true, false, "Ctrl+Z, Ctrl+Y", "undo, redo what this window changed"},
    {.action = SHORTCUT_REDO, KEY_Y, true, false, "", ""},
    {.action = SHORTCUT_REDO, KEY_Z, true, true, "", ""},
    {.action = SHORTCUT_LEAVE_OUT,
     KEY_U,
     true,
     false,
     "Ctrl+U",
     "as if the newest had not happened",
     .is_live_only = true},
    {.action = SHORTCUT_WHAT_IF,
     KEY_U,
     false,
     false,
     "U",
     "what if: an untouched twin; again: none",
     .is_live_only = true},
    {.action = SHORTCUT_SLOWER, KEY_MINUS, false, false, "- = 0", "time slower, faster, as usual"},
    {.action = SHORTCUT_SLOWER, KEY_PAD_MINUS, false, false, "", ""},
    {.action = SHORTCUT_FASTER, KEY_EQUALS, false, false, "", ""},
    {.action = SHORTCUT_FASTER, KEY_PAD_PLUS, false, false, "", ""},
    {.action = SHORTCUT_NORMAL_SPEED, KEY_0, false, false, "", ""},
    {.action = SHORTCUT_LIVE,
     KEY_END,
     false,
     false,
     "End",
     "from the past back to now",
     .replay_help = "to the end"},
    {.action = SHORTCUT_MARK, KEY_M, true, false, "Ctrl+M", "put a mark on the present, to go back to"},
    {.action = SHORTCUT_SAVE, KEY_S, true, false, "Ctrl+S", "save the world under a name"},
    {.action = SHORTCUT_PICKER, KEY_O, true, false, "Ctrl+O", "choose a scenario or a saved world"},
    {.action = SHORTCUT_NONE,
     0,
     false,
     false,
     "Delete",
     "in that list: remove a saved world",
     .is_live_only = true},
    {.action = SHORTCUT_PREVIOUS_SCENARIO,
     KEY_LEFT_BRACKET,
     false,
     false,
     "[ and ]",
     "previous, next scenario; replay: speed",
     .replay_help = "slower, faster"},
    {.action = SHORTCUT_NEXT_SCENARIO, KEY_RIGHT_BRACKET, false, false, "", ""},
    {.action = SHORTCUT_ADD,
     KEY_A,
     false,
     false,
     "A",
     "add agents by clicks; again: next kind",
     .page_way = "long press: menu"},
    {.action = SHORTCUT_REMOVE,
     KEY_X,
     false,
     false,
     "X",
     "remove agents by clicks",
     .page_way = "long press: menu"},
    {.action = SHORTCUT_PARAMS,
     KEY_K,
     false,
     false,
     "K",
     "sliders for a kind's parameters",
     .replay_help = "a kind's parameters"},
    {.action = SHORTCUT_FORCES, KEY_F, false, false, "F", "forces: V, D and S together"},
    OVERLAY(KEY_V, "V", "velocity", "velocity", shows_velocity, "velocity"),
    OVERLAY(KEY_D, "D", "desired velocity", "desired", shows_desired, "desired velocity"),
    OVERLAY(KEY_S, "S", "steering force", "steering", shows_steering, "steering force"),
    OVERLAY(KEY_B, "B", "each behavior's force", "behaviors", shows_behaviors, "each behavior"),
    OVERLAY(KEY_R, "R", "radii of the selected agent", "radii", shows_radii, "radii, view"),
    OVERLAY(KEY_N, "N", "its neighbors that count", "neighbors", shows_neighbors, "neighbors"),
    OVERLAY(KEY_W, "W", "what its behaviors aim at", "places", shows_places, "places aimed at"),
    OVERLAY(KEY_T, "T", "trails", "trails", shows_trails, "trails"),
    OVERLAY(KEY_O, "O", "where it was each 0.25 s, for 2 s", "onion", shows_onion, "onion skin"),
    OVERLAY(KEY_Y, "Y", "its next 2 s if it goes on turning so", "predicted", shows_predicted,
            "predicted way"),
    OVERLAY(KEY_G, "G", "grid", "grid", shows_grid, "grid"),
    OVERLAY(KEY_J, "J", "gates and areas, what they count", "instruments", shows_instruments, "gates, areas"),
    {.action = SHORTCUT_SETTING,
     KEY_C,
     false,
     false,
     "C",
     "colors: state, kind, heading, speed ...",
     .setting = CHOICE("color", color, color_mode_names, "agents colored by"),
     .label = "color by"},
    {.action = SHORTCUT_SETTING,
     KEY_P,
     true,
     false,
     "Ctrl+P",
     "palette: for all eyes, the tutorials'",
     .setting = CHOICE("palette", palette, palette_names, "palette"),
     .label = "palette"},
    {.action = SHORTCUT_SETTING,
     KEY_B,
     true,
     false,
     "Ctrl+B",
     "dark or light ground (projector)",
     .setting = CHOICE("theme", theme, theme_names, "ground"),
     .label = "ground"},
    {.action = SHORTCUT_SETTING,
     KEY_A,
     true,
     false,
     "Ctrl+A",
     "larger agents: 1, 1.5, 2, 3 times",
     .setting = CHOICE("agent_size", agent_size, agent_size_names, "agents drawn, times"),
     .label = "agents, times"},
    {.action = SHORTCUT_SETTING,
     KEY_H,
     false,
     false,
     "H",
     "crowds as heat: auto, on, off",
     .setting = CHOICE("heat", heat, heat_mode_names, "crowds as heat"),
     .label = "crowds as heat"},
    {.action = SHORTCUT_PANEL,
     KEY_P,
     false,
     false,
     "P",
     "panel and timeline",
     .setting = CHOICE("panel", panel, panel_choice_names, NULL)},
    {.action = SHORTCUT_PANEL_WIDER,
     KEY_LEFT,
     true,
     false,
     "Ctrl + arrows",
     "panel wider, narrower; or drag its edge",
     .setting = {.name = "panel_width",
                 .type = FIELD_DOUBLE,
                 FIELD_MEMBER(struct view_settings, panel_width),
                 .min = VIEW_PANEL_LEAST,
                 .max = VIEW_PANEL_MOST}},
    {.action = SHORTCUT_PANEL_NARROWER, KEY_RIGHT, true, false, "", ""},
    {.action = SHORTCUT_LEGEND,
     KEY_E,
     false,
     false,
     "E",
     "the legend: fold, unfold",
     .setting = CHOICE("legend", legend, panel_choice_names, NULL)},
    TOGGLE(KEY_M, "M", "hold the target named mouse in its place", "pins_mouse", pins_mouse),
    {.action = SHORTCUT_FOCUS,
     KEY_F6,
     false,
     false,
     "F6",
     "keyboard to panel, timeline, world",
     .page_way = "and to the bar; Shift+Tab leaves the world"},
    TOGGLE(KEY_F2, "F2", "figures of network, picture and tick", "network", shows_network),
    {.action = SHORTCUT_LARGER,
     KEY_EQUALS,
     true,
     false,
     "Ctrl + - 0",
     "size of text and lines",
     .no_page = browser_zooms,
     .setting = {.name = "ui_scale",
                 .type = FIELD_DOUBLE,
                 FIELD_MEMBER(struct view_settings, ui_scale),
                 .min = 0,
                 .max = 4}},
    {.action = SHORTCUT_LARGER, KEY_PAD_PLUS, true, false, "", "", .no_page = browser_zooms},
    {.action = SHORTCUT_SMALLER, KEY_MINUS, true, false, "", "", .no_page = browser_zooms},
    {.action = SHORTCUT_SMALLER, KEY_PAD_MINUS, true, false, "", "", .no_page = browser_zooms},
    {.action = SHORTCUT_NORMAL_SIZE, KEY_0, true, false, "", "", .no_page = browser_zooms},
    {.action = SHORTCUT_FULL_SCREEN, KEY_F11, false, false, "F11", "full screen"},
    {.action = SHORTCUT_SCREENSHOT, KEY_F12, false, false, "F12", "save a picture (PNG)"},
    {.action = SHORTCUT_CLIP,
     KEY_F9,
     false,
     false,
     "F9",
     "record a clip (MP4), stop",
     .no_page = "Share in the bar records clips (WebM)"},
    {.action = SHORTCUT_SETTING,
     0,
     .name = "",
     .help = "",
     .setting = CHOICE("panels_in", panels_in, panels_in_names, "panels in saved files"),
     .label = "panels in files",
     .no_page = "its panels are HTML over the picture: pictures are saved without them"},
    {.action = SHORTCUT_RECORD, KEY_F8, false, false, "F8", "the server records to a file, stops"},
    {.action = SHORTCUT_KEEP_MINUTE, KEY_L, true, false, "Ctrl+L", "keep the last minute as a recording"},
    {.action = SHORTCUT_TAKE_OVER,
     KEY_T,
     true,
     false,
     "Ctrl+T",
     "in the past: the world goes on from here",
     .replay_help = "take over from here",
     .page_way = "a button beside the timeline; Ctrl+T is the browser's"},
    {.action = SHORTCUT_EXPORT, KEY_E, true, false, "Ctrl+E", "save the plots (CSV)"},
    {.action = SHORTCUT_CARD, KEY_I, false, false, "I", "about this world: what to look for"},
    {.action = SHORTCUT_HELP, KEY_F1, false, false, "F1", "this help"},
    {.action = SHORTCUT_CLOSE, KEY_ESCAPE, false, false, "Esc", "close what is open, let go"},
    {.action = SHORTCUT_QUIT, KEY_Q, true, false, "Ctrl+Q", "quit", .no_page = "the browser closes its tabs"},
};

enum { ROW_COUNT = sizeof table / sizeof table[0] };

const struct shortcut *shortcuts_table(size_t *count) {
    *count = ROW_COUNT;
    return table;
}

const struct shortcut *shortcuts_find(int32_t key, bool has_control, bool has_shift) {
    const struct shortcut *found = NULL;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct shortcut *row = &table[i];
        const bool is_it = row->key == key && key != 0 && row->has_control == has_control;
        if (is_it && (row->has_shift ? has_shift : found == NULL)) {
            found = row;
        }
    }
    return found;
}

const struct shortcut *shortcuts_row(enum shortcut_action action) {
    const struct shortcut *row = table;
    while (row->action != action) {
        assert(row + 1 < table + ROW_COUNT); /* every action has a row */
        row++;
    }
    return row;
}

const char *shortcuts_help(const struct shortcut *row, bool is_replay) {
    return is_replay && row->replay_help != NULL ? row->replay_help : row->help;
}

enum request_op shortcuts_request(enum shortcut_action action) {
    switch (action) {
    case SHORTCUT_PAUSE:
        return REQUEST_PAUSE;
    case SHORTCUT_STEP:
        return REQUEST_STEP;
    case SHORTCUT_SLOWER:
    case SHORTCUT_FASTER:
    case SHORTCUT_NORMAL_SPEED:
        return REQUEST_SPEED;
    case SHORTCUT_RESTART:
    case SHORTCUT_RESTART_CHANGED:
    case SHORTCUT_PICKER:
    case SHORTCUT_PREVIOUS_SCENARIO:
    case SHORTCUT_NEXT_SCENARIO:
        return REQUEST_LOAD;
    case SHORTCUT_SAVE:
        return REQUEST_SAVE;
    case SHORTCUT_RECORD:
    case SHORTCUT_KEEP_MINUTE:
        return REQUEST_RECORD;
    case SHORTCUT_MARK:
        return REQUEST_MARK;
    case SHORTCUT_LEAVE_OUT:
        return REQUEST_REWIND;
    case SHORTCUT_WHAT_IF:
        return REQUEST_COMPARE;
    case SHORTCUT_ADD:
        return REQUEST_SPAWN;
    case SHORTCUT_REMOVE:
        return REQUEST_REMOVE;
    default:
        return REQUEST_PING;
    }
}

/* ---- the scenario's view ---- */

static bool is_persons(const struct scenario_view_person *person, const struct field *setting) {
    assert(setting->offset < sizeof person->changes->is_changed);
    return person->changes->is_changed[setting->offset] || person->flags->is_changed[setting->offset];
}

static bool has_overlay(const struct message_view *view, const char *name) {
    for (int i = 0; i < view->overlay_count; i++) {
        if (strcmp(view->overlays[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The list of overlays is complete; trails can be said beside it. */
static void show_overlay(struct view_settings *settings, const struct field *setting,
                         const struct message_view *view) {
    bool *const member = (bool *)((char *)settings + setting->offset);
    if ((view->has & MESSAGE_VIEW_OVERLAYS) != 0) {
        *member = has_overlay(view, setting->name);
    }
    if (strcmp(setting->name, "trails") == 0 && (view->has & MESSAGE_VIEW_TRAILS) != 0) {
        *member = view->trails;
    }
}

static void choose(struct view_settings *settings, const struct field *setting, const char *wanted) {
    for (int i = 0; setting->choices[i] != NULL; i++) {
        if (strcmp(setting->choices[i], wanted) == 0) {
            *(int *)((char *)settings + setting->offset) = i;
        }
    }
}

static void show(struct view_settings *settings, const struct shortcut *row, const struct message_view *view,
                 bool has_room) {
    const struct field *setting = &row->setting;
    if (row->is_overlay) {
        show_overlay(settings, setting, view);
    } else if (strcmp(setting->name, "color") == 0 && setting->type == FIELD_CHOICE &&
               (view->has & MESSAGE_VIEW_COLOR) != 0) {
        choose(settings, setting, view->color);
    } else if (strcmp(setting->name, "panel") == 0 && (view->has & MESSAGE_VIEW_PANEL) != 0) {
        settings->panel = !view->panel ? PANEL_OFF : has_room ? PANEL_ON : settings->panel;
    }
}

struct view_settings scenario_view_apply(const struct scenario_view_person *person,
                                         const struct message_view *view) {
    struct view_settings result = *person->now;
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        const struct field *setting = &rows[i].setting;
        if (setting->name != NULL && !is_persons(person, setting)) {
            assert(setting->offset + setting->size <= sizeof result);
            memcpy((char *)&result + setting->offset, (const char *)person->own + setting->offset,
                   setting->size);
            show(&result, &rows[i], view, person->has_room);
        }
    }
    return result;
}
