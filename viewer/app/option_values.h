/* Values that both the command line and the file of settings have: read, checked, written. Pure. */
#ifndef DROVER_VIEWER_APP_OPTION_VALUES_H
#define DROVER_VIEWER_APP_OPTION_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "viewer/model/view_settings.h"

/** WIDTHxHEIGHT in px, 320x240 to 8192x8192. -1 with *failure, and nothing changes. */
NODISCARD int size_parse(const char *text, int32_t *width, int32_t *height, struct failure *failure);
/** 0, or 0.5 to 4. -1 with *failure. */
NODISCARD int ui_scale_check(double scale, struct failure *failure);
/** A list like "velocity,trails", or "none": shows these overlays and no others. -1 with *failure, and
 * nothing changes. */
NODISCARD int overlays_parse(const char *text, struct view_settings *settings, struct failure *failure);
/** The overlays that are shown as such a list; size: of out, bytes. */
void overlays_format(const struct view_settings *settings, char *out, size_t size);

#endif
