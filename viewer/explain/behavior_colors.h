/* One fixed color for each behavior, wherever the behavior is shown: a state of its name, its force, its bar, the
 * place it aims at, its radius, its row in the legend. Pure.
 *
 * Colors of behaviors that a scenario has together are far apart, for color-blind eyes too (test_behavior_colors.c).
 */
#ifndef DROVER_VIEWER_EXPLAIN_BEHAVIOR_COLORS_H
#define DROVER_VIEWER_EXPLAIN_BEHAVIOR_COLORS_H

#include <stdbool.h>
#include <stddef.h>

#include "viewer/explain/color.h"
#include "viewer/model/view_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The color of a behavior, opaque. name: its type ("seek"), its label ("seek2"), or either after a state or another
 * behavior ("flee/flock", "flock.separation": the last part counts). A name that no behavior has gets the color of
 * wander, gray. */
color explain_behavior_color(enum palette palette, const char *name);
/** Whether the name has a color of its own: a behavior's, or a state's that has one by convention (rest, idle). */
bool explain_is_behavior(const char *name);
/** The type of a label: "flee/seek2" -> "seek". out has size bytes; a longer name is cut. */
void explain_behavior_type(const char *label, char *out, size_t size);
/** The name of behavior number `index` of the table, in the order of the documentation; NULL after the last one. */
const char *explain_behavior_name(int index);

enum { EXPLAIN_SPARES = 16 };
/** Color number 0 <= index < EXPLAIN_SPARES of those that no behavior has: for kinds, and for states without a
 * behavior's name. */
color explain_spare_color(enum palette palette, int index);

#ifdef __cplusplus
}
#endif

#endif
