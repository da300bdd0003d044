/* What the panels have, in tables, for those who draw them: the window (panels_*.cpp) and the page of a browser (web). Pure.
 *
 * The sections of the side panel with their names and values, what stands beside an overlay, what can be plotted, the words
 * around sliders and time, why an action does nothing now; and the controls, what each does, and where it is missing.
 */
#ifndef DROVER_VIEWER_PANELS_PANEL_CONTROLS_H
#define DROVER_VIEWER_PANELS_PANEL_CONTROLS_H

#include <stdbool.h>
#include <stddef.h>

#include "viewer/explain/legend.h"
#include "viewer/explain/theme.h"
#include "viewer/model/shortcuts.h"
#include "viewer/panels/panels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the side panel ---- */

/** The sections, from top to bottom. A row of the table is all that a list of names and values needs; what a section has below
 * them, pictures and controls, each side draws by a function of its own. */
enum panel_section_id {
    PANEL_AGENT,
    PANEL_SETTINGS,
    PANEL_PLOTS,
    PANEL_RANKS,
    PANEL_NETWORK, /* it is not folded; without the panel it stands in a corner */
    PANEL_PARAMS,  /* below the others, however far those are scrolled */
    PANEL_SECTIONS
};

struct panel_section {
    const char *name, *title;
    enum shortcut_action action; /* whose key stands in its head; SHORTCUT_NONE: none */
    /* offsets of members of struct panels_view; 0: none */
    size_t needs;           /* an int: the section is shown while it is above 0 */
    size_t rows, row_count; /* of struct panels_row, and an int */
};

extern const struct panel_section panel_sections[PANEL_SECTIONS];

/** What a section shows now. */
struct panel_section_view {
    const char *title, *key; /* of its head */
    bool is_shown;
    const struct panels_row *rows;
    int row_count;
};

struct panel_section_view panel_section_of(const struct panels_view *view, enum panel_section_id section);

/** What stands beside the check box of an overlay: a piece of what it draws. */
struct panel_mark {
    enum legend_mark mark; /* LEGEND_MARK_COUNT: nothing */
    enum theme_part fill;
};

struct panel_mark panel_mark_of(const struct shortcut *row);

/** What can be plotted beside the rest. */
struct panel_plot_choice {
    char words[64];
    const char *kind, *name; /* of plots_choose; the view's */
    bool is_it;              /* it is plotted now */
};

/** The next choice: nothing, overlaps, the count of any state, any number of the kind that has the sliders. *at: 0 before the first one.
 * Returns whether there is one. */
bool panel_next_plot_choice(const struct panels_view *view, int *at, struct panel_plot_choice *choice);

/** The value that a parameter had when this viewer first saw the world. */
double panel_first_value(const struct panels_view *view, int param);
enum { PANEL_GROUP_TEXT = 2 * LIMIT_NAME_CHARS + 8 };
/** Over the sliders of a behavior: "flee: flock", "body". */
void panel_group_text(const struct message_param *param, char out[PANEL_GROUP_TEXT]);
/** Below the sliders. count: of them; usual: what hands can do with them */
const char *panel_params_note(const struct panels_view *view, const char *filter, int count,
                              const char *usual);

/* ---- time, actions ---- */

enum { PANEL_TIME_TEXT = 160 };
/** "-2.2 s": how far back the picture is; of a live one how far back it could be. */
void panel_back_text(const struct panels_view *view, char out[PANEL_TIME_TEXT]);
/** Below the buttons of a timeline with lanes: "branch b2", and how many branches have no lane. */
void panel_branch_text(const struct panels_view *view, char out[PANEL_TIME_TEXT]);
/** What a moment of a recording is: its time, its tick. */
void panel_moment_text(const struct panels_replay *replay, const struct replay_moment *moment,
                       char out[PANEL_TIME_TEXT]);
/** From where to where the replay is not the recording. */
void panel_diverged_text(const struct panels_replay *replay, char out[PANEL_TIME_TEXT]);
/** Why the action does nothing now; "" when it does. */
const char *panel_why_not(const struct panels_view *view, enum shortcut_action action);

/* ---- the controls ---- */

/** A control, by the member of struct panels_result that it sets. Buttons and check boxes of shortcuts.c are not rows of their
 * own. docs/viewer.md lists the rows beside those of shortcuts.c. */
struct panel_control {
    const char *member;    /* of struct panels_result */
    const char *name;      /* the control */
    const char *help;      /* what it does, no full stop */
    const char *no_window; /* why the window has it not; NULL: it has it */
    const char *no_page;   /* why the page of a browser has it not; NULL: it has it */
};

/** The rows, in the order of the picture: from the bar to the timeline. */
const struct panel_control *panel_controls(size_t *count);

#ifdef __cplusplus
}
#endif

#endif
