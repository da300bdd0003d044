/* See hud_internal.h. */
#include "viewer/panels/hud_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/draw/scene.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/texts.h"
#include "viewer/explain/theme.h"
#include "viewer/model/camera.h"
#include "viewer/model/radius_overlay.h"

/* ---- names in the world ---- */

static const float marker_reach_px = 18.0f, cross_reach_px = 10.0f, ring_reach_px = 3.0f; /* window px */
static const float same_place_px = 6.0f;                                                  /* window px */
static const float same_word_px = 60.0f; /* window px: one of two equal words nearer than this is left out */

enum { MARKERS_MOST = LIMIT_TARGETS + PANELS_LABELS };

/* The names of a frame, and what they keep clear of. */
struct naming {
    const struct hud_input *input;
    struct panels_view *view;
    struct label_wish wishes[PANELS_LABELS]; /* of the view's labels */
    struct label_box markers[MARKERS_MOST];
    int marker_count;
};

static vec2 wrap_size_of(const struct hud_input *input) {
    return server_model_wraps(input->server) ? input->server->scenario.size : vec2_make(0.0f, 0.0f);
}

/* A place of the world, px, in the picture: of a wrapping world its copy that is nearest to the middle. */
static vec2 hud_in_picture(const struct hud_input *input, vec2 place) {
    const vec2 middle = camera_to_world(input->camera, input->picture.middle);
    return camera_to_window(input->camera, torus_nearest(place, middle, wrap_size_of(input)));
}

static color text_of(const struct hud_input *input, enum theme_part what) {
    return theme_color(view_settings_palette(input->settings), what);
}

/* As the ring, towards the color of words: thin strokes need more contrast. */
static color ring_words(const struct hud_input *input, const char *behavior) {
    const color ring = explain_is_behavior(behavior)
                           ? explain_behavior_color(view_settings_palette(input->settings), behavior)
                           : text_of(input, THEME_RADIUS);
    return color_mix(ring, text_of(input, THEME_TEXT), 0.4f);
}

static float unit_of(const struct hud_input *input) {
    return input->picture.pixel_scale > 0.0f ? input->picture.pixel_scale : 1.0f;
}

/* The width of words, picture px; without a font a letter is about 0.6 of a line wide. */
static float hud_words_px(const struct hud_picture *picture, const char *words) {
    return picture->words_px != NULL ? picture->words_px(picture->font, words)
                                     : 0.6f * picture->line_px * (float)strlen(words);
}

static void add_marker(struct naming *naming, vec2 at, float reach) {
    if (naming->marker_count < MARKERS_MOST) {
        naming->markers[naming->marker_count++] =
            (struct label_box){vec2_make(at.x - reach, at.y - reach), vec2_make(at.x + reach, at.y + reach)};
    }
}

/* Adds a name; sort: a letter that keeps names of different sorts apart. reach: picture px */
static void add_name(struct naming *naming, char sort, const char *words, vec2 at, float reach, color fill) {
    struct panels_view *view = naming->view;
    if (view->label_count == PANELS_LABELS) {
        return;
    }
    struct panels_label *label = &view->labels[view->label_count];
    (void)snprintf(label->text, sizeof label->text, "%s", words);
    for (char *c = strchr(label->text, '_'); c != NULL; c = strchr(c, '_')) {
        *c = ' ';
    }
    label->fill = fill;
    naming->wishes[view->label_count++] = (struct label_wish){
        .key = label_places_key(sort, words),
        .at = at,
        .reach = reach,
        .size = {hud_words_px(&naming->input->picture, label->text), naming->input->picture.line_px}};
}

/* Whether a target is a session's cursor, which has that session's name: "cursor-3". */
static bool is_cursor(const char *target) {
    return strncmp(target, "cursor-", 7) == 0;
}

/* The target named mouse is known by itself where it is the only one. */
static void add_targets(struct naming *naming) {
    const struct hud_input *input = naming->input;
    const struct frame *frame = input->frame;
    const int before = naming->view->label_count;
    int mouse = -1;
    for (int32_t i = 0; i < frame->target_count; i++) {
        const char *name = frame->names->target_names.names[frame->targets[i].name];
        const vec2 at = hud_in_picture(input, frame->targets[i].position);
        add_marker(naming, at, 14.0f * unit_of(input));
        if (strcmp(name, input->server->scenario.view.flag) == 0) {
            add_name(naming, 't', "flag", at, marker_reach_px * unit_of(input),
                     text_of(input, THEME_TEXT_DIM));
        } else if (strcmp(name, "mouse") == 0) {
            mouse = (int)i;
        } else if (!is_cursor(name)) {
            add_name(naming, 't', name, at, marker_reach_px * unit_of(input), text_of(input, THEME_TEXT_DIM));
        }
    }
    if (mouse >= 0 && naming->view->label_count > before && !input->picture.leads_mouse) {
        add_name(naming, 't', "mouse", hud_in_picture(input, frame->targets[mouse].position),
                 marker_reach_px * unit_of(input), text_of(input, THEME_TEXT_DIM));
    }
}

static void add_cursors(struct naming *naming) {
    const struct hud_input *input = naming->input;
    for (int i = 0; i < input->server->cursors.count; i++) {
        const struct message_cursor *cursor = &input->server->cursors.rows[i];
        char session[24];
        (void)snprintf(session, sizeof session, "session %u", cursor->session);
        if (cursor->session != input->server->session) {
            const vec2 at = hud_in_picture(input, vec2_make(cursor->x, cursor->y));
            add_marker(naming, at, 14.0f * unit_of(input));
            add_name(naming, 'c', cursor->name[0] != '\0' ? cursor->name : session, at,
                     marker_reach_px * unit_of(input), text_of(input, THEME_TEXT));
        }
    }
}

/* A name of an instrument with its numbers, which are no reason to lie elsewhere. */
static void add_reading(struct naming *naming, const char *name, const char *words, vec2 at) {
    const int index = naming->view->label_count;
    add_name(naming, 'g', words, hud_in_picture(naming->input, at), 6.0f * unit_of(naming->input),
             color_mix(text_of(naming->input, THEME_INSTRUMENT), text_of(naming->input, THEME_TEXT), 0.5f));
    if (index < naming->view->label_count) {
        naming->wishes[index].key = label_places_key('g', name);
    }
}

/* Beside the lowest corner of a shape, inside it. */
static vec2 label_corner(const struct obstacle_def *shape) {
    vec2 corner = shape->shape == OBSTACLE_BOX ? vec2_make(shape->at.x, shape->at.y + shape->size.y)
                                               : obstacle_point(shape);
    for (int i = 1; i < shape->point_count; i++) {
        const vec2 point = shape->points[i];
        corner = point.y > corner.y || (point.y >= corner.y && point.x < corner.x) ? point : corner;
    }
    return vec2_sub(corner, vec2_make(-4.0f, 14.0f));
}

/* How fast the agents of an area are and how dense they stand, in the units of the world. */
static void write_density(const struct message_area_count *area, double meter, char out[96]) {
    char speed[32], density[32];
    if (meter > 0.0) {
        hud_format_hundredths((double)area->mean_speed / meter, " m/s", speed, sizeof speed);
        hud_format_hundredths((double)area->density * meter * meter, " per m²", density, sizeof density);
        (void)snprintf(out, 96, "%s, %s", speed, density);
    } else {
        (void)snprintf(out, 96, "%.0f px/s, %.2g in 100x100 px", (double)area->mean_speed,
                       1e4 * (double)area->density);
    }
}

/* What gates and areas measure now; their names alone as long as no numbers have come. */
static void add_instruments(struct naming *naming) {
    const struct message_geometry *geometry = &naming->input->server->scenario.geometry;
    const struct message_measure *measure = naming->input->server->measure;
    char words[160];
    for (int i = 0; i < geometry->gate_count; i++) {
        const struct gate_def *gate = &geometry->gates[i];
        (void)snprintf(words, sizeof words, "%s", gate->name);
        if (measure != NULL && measure->gate_count == geometry->gate_count) {
            (void)snprintf(words, sizeof words, "%s: %" PRIu64 ", back %" PRIu64, gate->name,
                           measure->gates[i].forward, measure->gates[i].backward);
        }
        add_reading(naming, gate->name, words, gate->from.y < gate->to.y ? gate->from : gate->to);
    }
    for (int i = 0; i < geometry->area_count; i++) {
        const struct area_def *area = &geometry->areas[i];
        (void)snprintf(words, sizeof words, "%s", area->name);
        if (measure != NULL && measure->area_count == geometry->area_count) {
            char density[96];
            write_density(&measure->areas[i], (double)naming->input->server->scenario.meter, density);
            (void)snprintf(words, sizeof words, "%s: %" PRIu64 ", %s", area->name, measure->areas[i].agents,
                           density);
        }
        add_reading(naming, area->name, words, label_corner(&area->shape));
    }
}

/* Whether a name marks this place already, or an equal word lies so near that one is enough. */
static bool has_word_near(const struct naming *naming, const char *what, vec2 at) {
    const uint32_t key = label_places_key('p', what);
    bool has = false;
    for (int i = 0; i < naming->view->label_count; i++) {
        const struct label_wish *wish = &naming->wishes[i];
        const float distance = vec2_length(vec2_sub(wish->at, at));
        has = has || distance < same_place_px * unit_of(naming->input) ||
              (wish->key == key && distance < same_word_px * unit_of(naming->input));
    }
    return has;
}

/* What the selected agent's behaviors aim at; the circle is known by itself. */
static void add_places(struct naming *naming, vec2 position) {
    const struct hud_input *input = naming->input;
    const struct message_agent *agent = input->inspected;
    for (int i = 0; agent != NULL && input->settings->shows_places && i < agent->point_count; i++) {
        const struct message_agent_point *point = &agent->points[i];
        const vec2 at =
            hud_in_picture(input, inspect_overlay_place(agent, point, position, wrap_size_of(input)));
        if (!(point->radius > 0.0f)) {
            add_marker(naming, at, 6.0f * unit_of(input));
            if (!has_word_near(naming, point->what, at)) {
                add_name(naming, 'p', point->what, at, cross_reach_px * unit_of(input),
                         text_of(input, THEME_TEXT_DIM));
            }
        }
    }
}

/* The rings around the selected agent; those of one size have one name. */
static void add_radii(struct naming *naming, const struct pose *pose) {
    struct radius_overlay radii[RADIUS_OVERLAY_MOST];
    const struct hud_input *input = naming->input;
    const struct snapshot *names = input->frame->names;
    const int count = input->settings->shows_radii
                          ? radius_overlay_find(input->server->params, input->server->param_count,
                                                names->kind_names.names[pose->kind],
                                                names->state_names.names[pose->state], radii)
                          : 0;
    for (int i = 0; i < count; i++) {
        char words[64];
        const vec2 ahead = vec2_make(cosf(pose->heading), sinf(pose->heading));
        const vec2 right = vec2_make(-ahead.y, ahead.x);
        const vec2 to_middle = radii[i].form == RADIUS_WANDER ? vec2_scale(ahead, radii[i].distance)
                               : radii[i].form == RADIUS_TURN ? vec2_scale(right, radii[i].radius)
                                                              : vec2_make(0.0f, 0.0f);
        const vec2 middle = vec2_add(pose->position, to_middle);
        if (radius_overlay_name(radii, count, i, words, sizeof words)) {
            const int at = naming->view->label_count;
            add_name(naming, 'r', words, hud_in_picture(input, middle),
                     radii[i].radius * input->camera->scale + ring_reach_px * unit_of(input),
                     ring_words(input, radii[i].behavior));
            naming->wishes[at < PANELS_LABELS ? at : 0].side = LABEL_ABOVE;
        }
    }
}

/* The view keeps those for which there is a place. */
static void place_names(struct naming *naming, const struct label_box *selected) {
    const struct hud_input *input = naming->input;
    struct label_places forgotten = {.count = 0};
    struct label_box covers[HUD_COVERS + 2];
    struct label_room room = {.picture = input->picture.size,
                              .covers = covers,
                              .markers = naming->markers,
                              .marker_count = naming->marker_count};
    for (int i = 0; i < input->picture.cover_count && i < HUD_COVERS; i++) {
        covers[room.cover_count++] = input->picture.covers[i];
    }
    if (selected != NULL) {
        covers[room.cover_count++] = *selected;
    }
    if (naming->view->tag.lines[0][0] != '\0') {
        covers[room.cover_count++] = (struct label_box){naming->view->tag.low, naming->view->tag.high};
    }
    vec2 corner[PANELS_LABELS];
    bool shown[PANELS_LABELS];
    struct panels_view *view = naming->view;
    label_places_find(input->places != NULL ? input->places : &forgotten, &room, naming->wishes,
                      view->label_count, corner, shown);
    int kept = 0;
    for (int i = 0; i < view->label_count; i++) {
        if (shown[i]) {
            view->labels[kept] = view->labels[i];
            view->labels[kept].x = corner[i].x;
            view->labels[kept++].y = corner[i].y;
        }
    }
    view->label_count = kept;
}

void hud_fill_labels(const struct hud_input *input, struct panels_view *view) {
    _Static_assert((int)PANELS_LABELS <= (int)LABEL_PLACES_MOST, "each label can have a place");
    struct naming naming = {.input = input, .view = view};
    if (input->frame->names == NULL) {
        return; /* nothing has come yet */
    }
    const int32_t index = input->selection->has_agent ? frame_find(input->frame, input->selection->id) : -1;
    struct label_box selected;
    add_cursors(&naming);
    add_targets(&naming);
    if (input->settings->shows_instruments) {
        add_instruments(&naming);
    }
    if (index >= 0) {
        const struct pose pose = frame_pose(input->frame, index);
        const vec2 at = hud_in_picture(input, pose.position);
        const float reach = marker_reach_px * unit_of(input);
        selected =
            (struct label_box){vec2_make(at.x - reach, at.y - reach), vec2_make(at.x + reach, at.y + reach)};
        add_places(&naming, pose.position);
        add_radii(&naming, &pose);
    }
    place_names(&naming, index >= 0 ? &selected : NULL);
}

/* ---- the card beside the agent ---- */

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

/* ---- the caption ---- */

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
