/* See hud_labels.h. */
#include "viewer/panels/hud_labels.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/draw/scene.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"
#include "viewer/model/camera.h"
#include "viewer/model/radius_overlay.h"

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

vec2 hud_in_picture(const struct hud_input *input, vec2 place) {
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

float hud_words_px(const struct hud_picture *picture, const char *words) {
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
        const bool is_wander = radii[i].form == RADIUS_WANDER;
        const vec2 middle = vec2_add(pose->position, vec2_scale(ahead, is_wander ? radii[i].distance : 0.0f));
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
