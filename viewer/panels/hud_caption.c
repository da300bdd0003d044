/* See hud_caption.h. */
#include "viewer/panels/hud_caption.h"

#include <math.h>
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

/* Whether something is where the caption would be, low or high in the picture. */
struct strip {
    bool is_low, is_high;
};

static void note_place(const struct hud_input *input, vec2 world, struct strip *strip) {
    const float low_px = 190.0f, high_px = 150.0f, half_px = 300.0f, unit = input->picture.pixel_scale;
    const vec2 at = camera_to_window(input->camera, world);
    const bool is_across = fabsf(at.x - input->picture.middle.x) < half_px * unit;
    strip->is_low |= is_across && at.y > input->picture.size.y - low_px * unit;
    strip->is_high |= is_across && at.y < high_px * unit;
}

/* Where it covers nothing of these: the selected agent, or the targets, or any of few agents. Else where it was. */
static bool is_better_high(const struct hud_input *input) {
    const int32_t few = 40;
    const struct frame *frame = input->frame;
    struct strip strips[3] = {{false, false}};
    for (int32_t i = 0; frame->names != NULL && frame->count <= few && i < frame->count; i++) {
        note_place(input, vec2_make(frame->x[i], frame->y[i]), &strips[2]);
    }
    for (int32_t i = 0; frame->names != NULL && i < frame->target_count; i++) {
        note_place(input, frame->targets[i].position, &strips[1]);
    }
    const int32_t index =
        input->selection->has_agent && frame->names != NULL ? frame_find(frame, input->selection->id) : -1;
    if (index >= 0) {
        note_place(input, vec2_make(frame->x[index], frame->y[index]), &strips[0]);
    }
    for (int i = 0; i < 3; i++) {
        if (strips[i].is_low != strips[i].is_high) {
            return strips[i].is_low;
        }
    }
    return input->was_caption_high;
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
    caption->is_high = is_better_high(input);
}
