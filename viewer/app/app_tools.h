/* What the mouse does to the world beside moving targets and obstacles: add and remove agents, tune
 * parameters. */
#ifndef DROVER_VIEWER_APP_APP_TOOLS_H
#define DROVER_VIEWER_APP_APP_TOOLS_H

#include "viewer/app/app_state.h"

/** Takes the tool; taken again, the next kind to add, or none. */
void app_choose_tool(struct app *app, enum tool tool);
/** What the tool in hand does, in words; "" without one. */
void app_tool_words(const struct app *app, char *out, size_t size);
/** The left button goes down over the world: whether the tool took it. */
bool app_tool_press(struct app *app);
/** The button goes up; false: it was a click. */
bool app_tool_release(struct app *app);
/** Once a frame. */
void app_tool_move(struct app *app);
/** What was done to the sliders. */
void app_tune(struct app *app, const struct panels_result *result);

#endif
