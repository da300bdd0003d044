/* See hud_caption.h. */
#include "viewer/panels/hud_caption.h"

#include <stdio.h>
#include <string.h>

/* "Ctrl+O: 38 more", as many as the list has besides this one; "" when we may not load another. */
static void add_others(const struct hud_input *input, char *out, size_t size) {
    const struct server_model *server = input->server;
    const size_t used = strlen(out);
    if (server_model_is_replay(server) || !server_model_may(server, REQUEST_LOAD)) {
        return;
    }
    if (server->scenario_count > 1) {
        (void)snprintf(out + used, size - used, "      %s: %d more scenarios",
                       shortcuts_row(SHORTCUT_PICKER)->name, server->scenario_count - 1);
    } else {
        (void)snprintf(out + used, size - used, "      %s: other scenarios",
                       shortcuts_row(SHORTCUT_PICKER)->name);
    }
}

/* The past, a question, a list or the card say something of their own. */
static bool is_covered(const struct hud_input *input) {
    const struct panels_open *open = input->open;
    return open->help || open->picker || open->card || open->question != PANELS_NO_QUESTION ||
           input->link->state != LINK_READY ||
           (!input->playhead->is_live && !server_model_is_replay(input->server));
}

/* For an exhibition: its name, what it is, and what the mouse alone can do. */
static void fill_kiosk(const struct hud_input *input, struct panels_caption *caption) {
    const struct message_scenario *scenario = &input->server->scenario;
    (void)snprintf(caption->lines[0], sizeof caption->lines[0], "%s",
                   scenario->title[0] != '\0' ? scenario->title : scenario->name);
    explain_fill_caption(scenario, caption->lines[1], sizeof caption->lines[1]);
    if (server_model_may(input->server, REQUEST_MOUSE)) {
        explain_fill_mouse_try(scenario, caption->lines[2], sizeof caption->lines[2]);
    }
    caption->alpha = input->caption_alpha;
}

/* Whether the selected agent is in the lowest part of the picture. */
static bool is_agent_low(const struct hud_input *input) {
    const float strip_px = 190.0f;
    const int32_t index = input->selection->has_agent && input->frame->names != NULL
                              ? frame_find(input->frame, input->selection->id)
                              : -1;
    if (index < 0) {
        return false;
    }
    const vec2 at = camera_to_window(input->camera, frame_pose(input->frame, index).position);
    return at.y > input->picture.size.y - strip_px * input->picture.pixel_scale;
}

void hud_fill_caption(const struct hud_input *input, struct panels_view *view) {
    const struct message_scenario *scenario = &input->server->scenario;
    struct panels_caption *caption = &view->caption;
    if (!input->server->has_scenario || input->caption_alpha <= 0.0f || is_covered(input)) {
        return;
    }
    if (input->is_kiosk) {
        fill_kiosk(input, caption);
        return;
    }
    explain_fill_caption(scenario, caption->lines[0], sizeof caption->lines[0]);
    (void)snprintf(caption->lines[1], sizeof caption->lines[1], "%s", scenario->about.to_try);
    (void)snprintf(caption->lines[2], sizeof caption->lines[2], "%s: more about it",
                   shortcuts_row(SHORTCUT_CARD)->name);
    add_others(input, caption->lines[2], sizeof caption->lines[2]);
    caption->alpha = caption->lines[0][0] != '\0' ? input->caption_alpha : 0.0f;
    caption->is_high = is_agent_low(input);
}
