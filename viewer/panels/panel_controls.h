/* The controls of the panels, in one table: what each does, and where it is missing. Pure.
 *
 * A row names the member of struct panels_result that the control sets. Buttons and check boxes of shortcuts.c are not rows
 * of their own. docs/viewer.md lists the rows beside those of shortcuts.c.
 */
#ifndef DROVER_VIEWER_PANELS_PANEL_CONTROLS_H
#define DROVER_VIEWER_PANELS_PANEL_CONTROLS_H

#include <stddef.h>

struct panel_control {
    const char *member;    /* of struct panels_result */
    const char *name;      /* the control */
    const char *help;      /* what it does, no full stop */
    const char *no_window; /* why the window has it not; NULL: it has it */
    const char *no_page;   /* why the page of a browser has it not; NULL: it has it */
};

/** The rows, in the order of the picture: from the bar to the timeline. */
const struct panel_control *panel_controls(size_t *count);

#endif
