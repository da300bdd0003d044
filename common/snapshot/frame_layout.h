/* The layouts of frames: one row each (frame_codec.h).
 *
 * Code that treats layouts differently asks the row; an enumerator is used only to choose a layout by name
 * (tests/checks/layouts.py). A new layout is a line of FRAME_LAYOUTS and its codec.
 */
#ifndef DROVER_COMMON_SNAPSHOT_FRAME_LAYOUT_H
#define DROVER_COMMON_SNAPSHOT_FRAME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/snapshot/frame_codec.h"

/** Every layout: its enumerator LAYOUT_..., and its name on the wire, which is also that of its row,
 * frame_layout_... */
#define FRAME_LAYOUTS(ROW)                                                                                   \
    ROW(OBJECTS, objects)                                                                                    \
    ROW(PACKED, packed)                                                                                      \
    ROW(DENSITY, density)                                                                                    \
    ROW(EVENTS, events)

#define FRAME_LAYOUT_ENUMERATOR(constant, name) LAYOUT_##constant,
enum layout { FRAME_LAYOUTS(FRAME_LAYOUT_ENUMERATOR) LAYOUT_COUNT };
#undef FRAME_LAYOUT_ENUMERATOR

/** The row of a layout (enum layout). */
const struct frame_layout *frame_layout_row(int layout);
/** The names, in the order of enum layout; NULL-ended. */
extern const char *const frame_layout_names[];
/** Whether frames are sent. Without, a subscription takes neither a region nor kinds. */
bool frame_layout_has_frames(const struct frame_layout *row);
/** The layout of a line that begins as a frame does, {"op":"snapshot", {"op":"key" ...; NULL when it is no
 * frame. */
const struct frame_layout *frame_layout_of_line(const char *line, size_t length);

#endif
