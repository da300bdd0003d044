/* The events of the window, from SDL, as the app takes them. */
#ifndef DROVER_VIEWER_PLATFORM_WINDOW_EVENTS_H
#define DROVER_VIEWER_PLATFORM_WINDOW_EVENTS_H

#include "viewer/model/input.h"

/** The next event that waits. false: there is none, and *event is as it was. */
bool window_next_event(struct input_event *event);

#endif
