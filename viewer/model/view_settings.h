/* The view settings: every choice about the picture that a key, a flag or the panel makes. Pure.
 *
 * A plain value with one owner, the app, which changes it. Scene, HUD and panels read it by pointer, config
 * keeps it. To add a toggle: a bool in the struct and a row in shortcuts.c; the help, the panel, --overlays
 * and the file of settings go by the row.
 */
#ifndef DROVER_VIEWER_MODEL_VIEW_SETTINGS_H
#define DROVER_VIEWER_MODEL_VIEW_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/field.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Both palettes keep the tutorials' roles apart; the safe one also for color-blind people. Each for a dark and for a
 * light ground; the setting `palette` is one of the first two. */
enum palette { PALETTE_SAFE, PALETTE_CLASSIC, PALETTE_SAFE_LIGHT, PALETTE_CLASSIC_LIGHT, PALETTE_COUNT };
/** What the color of an agent says: which state or kind it has, where it heads, how fast it goes, how strongly it
 * steers, how many neighbors it has, how long it has been in its state. */
enum color_mode {
    COLOR_STATE,
    COLOR_KIND,
    COLOR_HEADING,
    COLOR_SPEED,
    COLOR_FORCE,
    COLOR_NEIGHBORS,
    COLOR_TIME,
    COLOR_MODE_COUNT
};
/** The ground: light for projectors. */
enum theme { THEME_DARK, THEME_LIGHT };
/** How much larger than they are agents are drawn. */
enum agent_size { AGENT_SIZE_1, AGENT_SIZE_1_5, AGENT_SIZE_2, AGENT_SIZE_3 };
/** Which saved files have the panels: pictures (F12), pictures and clips, neither. */
enum panels_in { PANELS_IN_PICTURES, PANELS_IN_ALL, PANELS_IN_NONE };
/** Whether crowds are drawn as heat. auto: when agents would cover what they are in. */
enum heat_mode { HEAT_AUTO, HEAT_ON, HEAT_OFF };
/** Whether the side panel and the timeline are shown, and the rows of the legend. auto: when the window is wide enough. */
enum panel_choice { PANEL_AUTO, PANEL_ON, PANEL_OFF };

/** The names of the enumerators above, in their order; NULL-ended. */
extern const char *const palette_names[];
extern const char *const color_mode_names[];
extern const char *const theme_names[];
extern const char *const agent_size_names[];
extern const char *const panels_in_names[];
extern const char *const heat_mode_names[];
extern const char *const panel_choice_names[];

struct view_settings {
    /* over the world; the vectors and zones of the selected agent, or of all agents when none is selected */
    bool shows_velocity, shows_desired, shows_steering;
    bool shows_behaviors; /* the force of each behavior */
    bool shows_radii;     /* perception, wander circle, slowing distance */
    bool shows_neighbors; /* of the selected agent: those that count for its behaviors */
    bool shows_places;    /* what its behaviors aim at: predicted places, the wander goal, the path point */
    bool shows_trails, shows_grid;
    bool shows_instruments; /* gates and areas, with what they measure */
    bool shows_onion;       /* where agents were each quarter of a second */
    bool shows_predicted;   /* their ways in the next two seconds */
    bool pins_mouse;        /* the target named mouse stays where it is while the pointer moves */
    bool shows_network;     /* the figures of the network */
    int panels_in;          /* enum panels_in */
    int heat;               /* enum heat_mode */
    int color;              /* enum color_mode */
    int palette;            /* enum palette, one of the first two */
    int theme;              /* enum theme */
    int agent_size;         /* enum agent_size */
    int panel;              /* enum panel_choice; once the window is open never PANEL_AUTO */
    int legend;             /* whether its rows are shown: the same */
    double panel_width;     /* of the side panel, px before scaling: view_settings_panel_px */
    double ui_scale;        /* size of text and lines; 0: what suits the screen */
    char size[24];          /* of the window or picture: "1280x800"; "" for the usual size */
};

/** Which members were changed in the window, by their offset. */
struct view_changes {
    bool is_changed[sizeof(struct view_settings)];
};

/** The settings without flags and without a file. */
struct view_settings view_settings_default(void);

/** Changes the member that `setting` (of a row of shortcuts.c) describes, and notes that in *changes: a bool
 * to its opposite, a choice to the next one, the last one to the first. */
void view_settings_change(struct view_settings *settings, struct view_changes *changes,
                          const struct field *setting);
/** Makes the choice that `setting` describes this one (a valid index), and notes that in *changes. */
void view_settings_choose(struct view_settings *settings, struct view_changes *changes,
                          const struct field *setting, int choice);
/** All three vectors of force: shown when one of them is not, hidden otherwise. */
void view_settings_toggle_forces(struct view_settings *settings, struct view_changes *changes);
/** Shows the three vectors. */
void view_settings_show_forces(struct view_settings *settings);
/** Notes that the member at this offset was changed. */
void view_changes_note(struct view_changes *changes, size_t offset);

/** How much larger than they are agents are drawn: 1 to 3. */
float view_settings_agent_size(const struct view_settings *settings);
/** The palette for the ground of the theme. */
enum palette view_settings_palette(const struct view_settings *settings);
/** The bool at the member that `setting` describes. */
bool view_settings_get_bool(const struct view_settings *settings, const struct field *setting);
/** The name of the choice at the member that `setting` describes. */
const char *view_settings_get_choice(const struct view_settings *settings, const struct field *setting);

/** Whether something is shown that needs the forces of snapshots. */
bool view_settings_need_forces(const struct view_settings *settings);
/** Whether vectors are drawn at agents. */
bool view_settings_have_vectors(const struct view_settings *settings);
/** Whether the rows of the legend are shown, not its head alone. */
bool view_settings_have_legend(const struct view_settings *settings);
/** The least and the most that the side panel is wide, px before scaling. */
enum { VIEW_PANEL_LEAST = 264, VIEW_PANEL_MOST = 640 };
/** How wide the side panel is in a picture of so many px (both before scaling): it leaves half of it. */
float view_settings_panel_px(const struct view_settings *settings, float picture_px);
/** Whether the side panel and the timeline are shown. */
bool view_settings_have_panel(const struct view_settings *settings);

#ifdef __cplusplus
}
#endif

#endif
