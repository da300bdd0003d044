/* Turns what is known into what the panels say. Pure: formats numbers, decides words and colours.
 */
#ifndef DROVER_VIEWER_HUD_H
#define DROVER_VIEWER_HUD_H

#include <stdbool.h>

#include "viewer/camera.h"
#include "viewer/interpolate.h"
#include "viewer/mailbox.h"
#include "viewer/options.h"
#include "viewer/panels.h"
#include "viewer/server_view.h"

enum run_state { RUN_CONNECTING, RUN_RECONNECTING, RUN_STALLED, RUN_PAUSED, RUN_RUNNING };

struct hud_input {
    const struct server_view *server;
    const struct frame *frame;
    const struct link_status *link;
    const struct address *address;
    const struct camera *camera;
    uint64_t now_ns;
    double snapshots_per_s; /* < 0: not known yet */
    bool shows_forces, shows_help;
    bool is_fixed; /* measured numbers are left out, so that pictures can be compared */
    float toast_alpha;
};

enum run_state hud_run_state(const struct link_status *link, bool is_paused, bool is_stalled);
const char *run_state_name(enum run_state state);

void hud_fill(const struct hud_input *input, struct panels_view *view);

/** 1234567 -> "1 234 567". out has at least 27 bytes. */
void hud_format_count(uint64_t value, char *out, size_t size);

#endif
