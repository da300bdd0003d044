/* The settings that are kept from one run to the next: $XDG_CONFIG_HOME/drover/viewer.json, or below
 * ~/.config.
 *
 * A file that cannot be read is reported in the log and does no harm; it is written anew at the end only when
 * it could be read or was not there.
 */
#ifndef DROVER_VIEWER_CONFIG_H
#define DROVER_VIEWER_CONFIG_H

#include "viewer/options.h"

/** Puts what the file says over *options. */
void config_load(struct viewer_options *options);
/** Writes palette, ui_scale, panel, overlays and size. -1 with *failure. */
NODISCARD int config_save(const struct viewer_options *options, struct failure *failure);

/** Reads the text of such a file over *options; -1 with *failure, and *options as it was. */
NODISCARD int config_read(const char *text, size_t length, struct viewer_options *options,
                          struct failure *failure);

#endif
