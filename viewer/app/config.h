/* The settings that are kept from one run to the next: $XDG_CONFIG_HOME/drover/viewer.json, or below
 * ~/.config.
 *
 * Only settings that the user changed in the window are written: flags are for one run. Other members of the
 * file stay as they are, those of a later version too. A file that cannot be read is reported in the log, not
 * used and not changed.
 */
#ifndef DROVER_VIEWER_APP_CONFIG_H
#define DROVER_VIEWER_APP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/failure.h"
#include "viewer/model/view_settings.h"

/** Puts the file's settings over *settings. Without a file nothing changes. -1: the file cannot be used, which
 * is logged; then it must not be written. */
NODISCARD int config_load(struct view_settings *settings);
/** Writes the members that were changed into the file; it is made when it does not exist.
 *
 * now      the settings as they are
 * kept     the settings as the file had them: the overlays that were not changed are written as they are here
 * changes  what was changed in the window; nothing: the file is not touched
 * returns  0, or -1 with *failure */
NODISCARD int config_save(const struct view_settings *now, const struct view_settings *kept,
                          const struct view_changes *changes, struct failure *failure);

/** Reads the text of such a file over *settings; -1 with *failure, and *settings as it was. */
NODISCARD int config_read(const char *text, size_t length, struct view_settings *settings,
                          struct failure *failure);
/** Whether config_change would change anything. */
bool config_has_change(const struct view_settings *now, const struct view_settings *kept,
                       const struct view_changes *changes);
/** The text of the file with the members that were changed, as config_save writes it.
 *
 * text     the file as it is; NULL: there is none
 * returns  the text, freed by the caller; NULL with *failure */
NODISCARD char *config_change(const char *text, size_t length, const struct view_settings *now,
                              const struct view_settings *kept, const struct view_changes *changes,
                              struct failure *failure);

#endif
