/* The settings that are kept from one run to the next: $XDG_CONFIG_HOME/drover/viewer.json, or below
 * ~/.config.
 *
 * Only what a person changed in the window is written: flags are for one run. What else the file has stays as
 * it is, members of a later version too. A file that cannot be read is reported in the log, not used and not
 * changed.
 */
#ifndef DROVER_VIEWER_APP_CONFIG_H
#define DROVER_VIEWER_APP_CONFIG_H

#include "viewer/app/options.h"

/** What was changed in the window, or-ed. */
enum config_change {
    CONFIG_PALETTE = 1,
    CONFIG_UI_SCALE = 2,
    CONFIG_PANEL = 4,
    CONFIG_OVERLAYS = 8,
    CONFIG_SIZE = 16
};

/** Puts what the file says over *options. */
void config_load(struct viewer_options *options);
/** Puts these members of *options into the file; it is made when it is not there. -1 with *failure. */
NODISCARD int config_save(const struct viewer_options *options, unsigned changed, struct failure *failure);

/** Reads the text of such a file over *options; -1 with *failure, and *options as it was. */
NODISCARD int config_read(const char *text, size_t length, struct viewer_options *options,
                          struct failure *failure);

#endif
