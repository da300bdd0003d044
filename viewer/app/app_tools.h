/* The tools: clicks add and remove agents, sliders tune parameters. */
#ifndef DROVER_VIEWER_APP_APP_TOOLS_H
#define DROVER_VIEWER_APP_APP_TOOLS_H

#include "viewer/app/app_state.h"

/** Takes a tool into the hand. Taken again: the next kind to add, then no tool. */
void app_choose_tool(struct app *app, enum tool tool);
/** Says what the tool in the hand does; "" without a tool. */
void app_tool_words(const struct app *app, char *out, size_t size);
/** Handles a press of the left button over the world. Returns whether the tool took it. */
bool app_tool_press(struct app *app);
/** Handles the release of the button; false: it was a click. */
bool app_tool_release(struct app *app);
/** Moves the held target or obstacle, or removes agents under the moving pointer; called once a frame. */
void app_tool_move(struct app *app);
/** Sends the parameters whose sliders were moved. */
void app_tune(struct app *app, const struct panels_result *result);

#endif
