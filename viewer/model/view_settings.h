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

/** Both palettes keep the tutorials' roles apart; the safe one also for color-blind people. */
enum palette { PALETTE_SAFE, PALETTE_CLASSIC };
/** Whether crowds are drawn as heat. auto: when agents would cover what they are in. */
enum heat_mode { HEAT_AUTO, HEAT_ON, HEAT_OFF };
/** Whether the side panel and the timeline are shown. auto: when the window is wide enough. */
enum panel_choice { PANEL_AUTO, PANEL_ON, PANEL_OFF };

/** The names of the enumerators above, in their order; NULL-ended. */
extern const char *const palette_names[];
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
    bool colors_by_kind; /* else by state */
    bool shows_network;  /* the figures of the network */
    int heat;            /* enum heat_mode */
    int palette;         /* enum palette */
    int panel;           /* enum panel_choice; once the window is open never PANEL_AUTO */
    double ui_scale;     /* size of text and lines; 0: what suits the screen */
    char size[24];       /* of the window or picture: "1280x800"; "" for the usual size */
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
/** All three vectors of force: shown when one of them is not, hidden otherwise. */
void view_settings_toggle_forces(struct view_settings *settings, struct view_changes *changes);
/** Shows the three vectors. */
void view_settings_show_forces(struct view_settings *settings);
/** Notes that the member at this offset was changed. */
void view_changes_note(struct view_changes *changes, size_t offset);

/** The bool at the member that `setting` describes. */
bool view_settings_get_bool(const struct view_settings *settings, const struct field *setting);
/** The name of the choice at the member that `setting` describes. */
const char *view_settings_get_choice(const struct view_settings *settings, const struct field *setting);

/** Whether something is shown that needs the forces of snapshots. */
bool view_settings_need_forces(const struct view_settings *settings);
/** Whether vectors are drawn at agents. */
bool view_settings_have_vectors(const struct view_settings *settings);
/** Whether the side panel and the timeline are shown. */
bool view_settings_have_panel(const struct view_settings *settings);

#ifdef __cplusplus
}
#endif

#endif
