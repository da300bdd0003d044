/* See hud_tag.h. */
#include "viewer/panels/hud_tag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/texts.h"
#include "viewer/panels/hud_labels.h"

static const float reach_px = 22.0f, margin_px = 8.0f, step_px = 24.0f; /* window px */
static const uint64_t kept_ns = 500000000u; /* a reason stays as long: it is to be read */

/* The value of a row of the agent; "" without one. */
static const char *value_of(const struct panels_view *view, const char *name) {
    for (int i = 0; i < view->agent_row_count; i++) {
        if (strcmp(view->agent_rows[i].name, name) == 0) {
            return view->agent_rows[i].value;
        }
    }
    return "";
}

/* The strongest term; the one of the frame before for as long as its words are to be read. */
static const struct message_agent_term *reason_of(const struct hud_input *input) {
    const struct message_agent_term *strongest = explain_strongest(input->inspected);
    struct hud_tag_memory *memory = input->tag;
    if (memory == NULL) {
        return strongest;
    }
    const struct message_agent_term *before =
        memory->agent == input->inspected->id && input->now_ns < memory->until_ns
            ? message_agent_find_term(input->inspected, memory->behavior)
            : NULL;
    if (before != NULL) {
        return before;
    }
    memory->agent = input->inspected->id;
    memory->until_ns = input->now_ns + kept_ns;
    (void)snprintf(memory->behavior, sizeof memory->behavior, "%s",
                   strongest != NULL ? strongest->behavior : "");
    return strongest;
}

static void fill_lines(const struct hud_input *input, struct panels_view *view) {
    struct panels_tag *tag = &view->tag;
    const char *state = value_of(view, "state"), *speed = value_of(view, "speed");
    const bool has_state = state[0] != '\0' && strcmp(state, view->agent_kind) != 0;
    (void)snprintf(tag->lines[0], sizeof tag->lines[0], "%s%s%s", view->agent, has_state ? ": " : "",
                   has_state ? state : "");
    if (input->inspected != NULL) {
        const struct message_agent_term *reason = reason_of(input);
        if (reason != NULL) {
            explain_why(input->inspected, reason, tag->lines[1], sizeof tag->lines[1]);
        } else {
            (void)snprintf(tag->lines[1], sizeof tag->lines[1], "no force acts on it");
        }
    }
    (void)snprintf(tag->lines[2], sizeof tag->lines[2], "%s%s%s: all of it", speed,
                   speed[0] != '\0' ? "    " : "", shortcuts_row(SHORTCUT_PANEL)->name);
}

/* In steps, so that it does not breathe with the numbers. */
static vec2 size_of(const struct hud_input *input, const struct panels_tag *tag) {
    const struct hud_picture *picture = &input->picture;
    const float unit = picture->pixel_scale > 0.0f ? picture->pixel_scale : 1.0f;
    float wide = 0.0f;
    for (int i = 0; i < PANELS_TAG_LINES; i++) {
        const float words = hud_words_px(picture, tag->lines[i]);
        wide = fmaxf(wide, i == 0 ? 1.15f * words : words); /* the first is bold */
    }
    const float step = step_px * unit;
    return vec2_make(ceilf((wide + 2.0f * PANELS_TAG_PAD_PX * unit) / step) * step,
                     PANELS_TAG_LINES * (picture->line_px + PANELS_TAG_GAP_PX * unit) +
                         (2.0f * PANELS_TAG_PAD_PX - PANELS_TAG_GAP_PX) * unit);
}

/* Beside the agent, on the side where it was as long as that is free; inside the window in any case. */
static void place(const struct hud_input *input, vec2 at, struct panels_tag *tag) {
    const struct hud_picture *picture = &input->picture;
    const float unit = picture->pixel_scale > 0.0f ? picture->pixel_scale : 1.0f;
    const struct label_wish wish = {
        .key = label_places_key('a', ""), .at = at, .reach = reach_px * unit, .size = size_of(input, tag)};
    const struct label_room room = {
        .picture = picture->size, .covers = picture->covers, .cover_count = picture->cover_count};
    struct label_places forgotten = {.count = 0};
    vec2 corner;
    bool is_beside;
    label_places_find(input->tag != NULL ? &input->tag->side : &forgotten, &room, &wish, 1, &corner,
                      &is_beside);
    if (!is_beside) {
        const float margin = margin_px * unit, top = (PANELS_BAR_PX + margin_px) * unit;
        corner = vec2_make(at.x + wish.reach, at.y - 0.5f * wish.size.y);
        corner.x = fmaxf(fminf(corner.x, picture->size.x - wish.size.x - margin), margin);
        corner.y =
            fmaxf(fminf(corner.y, picture->size.y - wish.size.y - margin - PANELS_TIMELINE_PX * unit), top);
    }
    tag->low = vec2_make(roundf(corner.x), roundf(corner.y));
    tag->high = vec2_add(tag->low, wish.size);
}

void hud_fill_tag(const struct hud_input *input, struct panels_view *view) {
    const int32_t index = input->selection->has_agent && input->frame->names != NULL
                              ? frame_find(input->frame, input->selection->id)
                              : -1;
    if (input->is_kiosk || view_settings_have_panel(input->settings) ||
        (index < 0 && (!input->selection->has_agent || input->inspected == NULL))) {
        return;
    }
    fill_lines(input, view);
    place(input,
          hud_in_picture(input, index >= 0 ? frame_pose(input->frame, index).position
                                           : vec2_make(input->inspected->x, input->inspected->y)),
          &view->tag);
}
