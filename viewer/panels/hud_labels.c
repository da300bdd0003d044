/* See hud_labels.h. */
#include "viewer/panels/hud_labels.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/draw/inspect_overlay.h"
#include "viewer/panels/fuzzy.h"

/* ---- the picker ---- */

static int score_of(const char *wanted, const struct message_scenario_row *row) {
    const int name = 3 * fuzzy_score(wanted, row->name), title = 2 * fuzzy_score(wanted, row->title);
    return name > title ? name : title;
}

/* Best first; those that fit alike stay in the server's order. */
void hud_fill_hits(const struct hud_input *input, struct panels_view *view) {
    int scores[PANELS_HITS] = {0};
    for (int i = 0; i < input->server->scenario_count; i++) {
        const struct message_scenario_row *row = &input->server->scenarios[i];
        const int score = score_of(input->wanted, row);
        int at = view->hit_count;
        while (at > 0 && scores[at - 1] < score) {
            at--;
        }
        if (score == 0 || at == PANELS_HITS) {
            continue;
        }
        const int last = view->hit_count < PANELS_HITS ? view->hit_count++ : PANELS_HITS - 1;
        for (int k = last; k > at; k--) {
            scores[k] = scores[k - 1];
            view->hits[k] = view->hits[k - 1];
        }
        scores[at] = score;
        view->hits[at] = (struct panels_hit){row->name, row->title, row->description};
    }
    assert(view->hit_count <= PANELS_HITS);
}

/* ---- names in the picture ---- */

void hud_fill_targets(const struct hud_input *input, struct panels_view *view) {
    const struct frame *frame = input->frame;
    if (frame->names == NULL) {
        return; /* nothing has come yet */
    }
    for (int32_t i = 0; i < frame->target_count && view->label_count < PANELS_LABELS; i++) {
        const char *name = frame->names->target_names.names[frame->targets[i].name];
        if (strcmp(name, "mouse") == 0) {
            continue; /* its marker is known, and a word would follow the hand */
        }
        const vec2 at = camera_to_window(input->camera, frame->targets[i].position);
        struct panels_label *label = &view->labels[view->label_count++];
        label->x = at.x;
        label->y = at.y;
        (void)snprintf(label->text, sizeof label->text, "%s", name);
    }
}

/* "path_point" -> "path point", at the place; one that lies on a word that is there already is left out. */
static void add_place(struct panels_view *view, const char *what, vec2 at) {
    assert(view->label_count < PANELS_LABELS);
    for (int i = 0; i < view->label_count; i++) {
        if (fabsf(view->labels[i].x - at.x) < 60.0f && fabsf(view->labels[i].y - at.y) < 12.0f) {
            return;
        }
    }
    struct panels_label *label = &view->labels[view->label_count++];
    label->x = at.x;
    label->y = at.y;
    (void)snprintf(label->text, sizeof label->text, "%s", what);
    for (char *c = strchr(label->text, '_'); c != NULL; c = strchr(c, '_')) {
        *c = ' ';
    }
}

/* What the selected agent's behaviors aim at; the circle is known by itself. */
void hud_fill_places(const struct hud_input *input, struct panels_view *view) {
    const struct message_agent *agent = input->inspected;
    const vec2 none = vec2_make(0.0f, 0.0f);
    const vec2 wrap_size = server_model_wraps(input->server) ? input->server->scenario.size : none;
    const int32_t index =
        agent != NULL && input->frame->names != NULL ? frame_find(input->frame, agent->id) : -1;
    if (index < 0 || !input->settings->shows_places) {
        return;
    }
    const vec2 position = vec2_make(input->frame->x[index], input->frame->y[index]);
    for (int i = 0; i < agent->point_count && view->label_count < PANELS_LABELS; i++) {
        const struct message_agent_point *point = &agent->points[i];
        if (!(point->radius > 0.0f)) {
            add_place(
                view, point->what,
                camera_to_window(input->camera, inspect_overlay_place(agent, point, position, wrap_size)));
        }
    }
}

void hud_fill_cursors(const struct hud_input *input, struct panels_view *view) {
    for (int i = 0; i < input->server->cursors.count && view->label_count < PANELS_LABELS; i++) {
        const struct message_cursor *cursor = &input->server->cursors.rows[i];
        if (cursor->session == input->server->session) {
            continue;
        }
        const vec2 at = camera_to_window(input->camera, vec2_make(cursor->x, cursor->y));
        struct panels_label *label = &view->labels[view->label_count++];
        label->x = at.x;
        label->y = at.y;
        if (cursor->name[0] != '\0') {
            (void)snprintf(label->text, sizeof label->text, "%s", cursor->name);
        } else {
            (void)snprintf(label->text, sizeof label->text, "session %u", cursor->session);
        }
    }
}
