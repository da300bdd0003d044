/* See edits.h. */
#include "viewer/model/edits.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_writer.h"

/* ---- mutes ---- */

static int find_mute(const struct mutes *mutes, const struct message_param *weight) {
    for (int i = 0; i < mutes->count; i++) {
        if (strcmp(mutes->rows[i].kind, weight->kind) == 0 &&
            strcmp(mutes->rows[i].param, weight->param) == 0) {
            return i;
        }
    }
    return -1;
}

static void drop(struct mutes *mutes, int index) {
    assert(index >= 0 && index < mutes->count);
    mutes->count--;
    memmove(&mutes->rows[index], &mutes->rows[index + 1],
            (size_t)(mutes->count - index) * sizeof mutes->rows[0]);
}

double mutes_toggle(struct mutes *mutes, const struct message_param *weight) {
    const int found = find_mute(mutes, weight);
    const double before = found >= 0 ? mutes->rows[found].weight : 1.0;
    if (found >= 0) {
        drop(mutes, found);
    }
    if (weight->value == 0.0) {
        return before;
    }
    if (mutes->count == MUTES_MOST) {
        drop(mutes, 0);
    }
    struct mute *row = &mutes->rows[mutes->count++];
    (void)snprintf(row->kind, sizeof row->kind, "%s", weight->kind);
    (void)snprintf(row->param, sizeof row->param, "%s", weight->param);
    row->weight = weight->value;
    return 0.0;
}

/* ---- the handle of an obstacle ---- */

static float distance_to_side(vec2 from, vec2 to, vec2 at) {
    const vec2 side = vec2_sub(to, from), way = vec2_sub(at, from);
    const float square = vec2_length_squared(side);
    const float part = square > 0.0f ? fminf(fmaxf(vec2_dot(way, side) / square, 0.0f), 1.0f) : 0.0f;
    return vec2_length(vec2_sub(way, vec2_scale(side, part)));
}

/* A point is inside when a line from it to the right crosses an odd number of sides. */
static float distance_to_polygon(const struct obstacle_def *obstacle, vec2 at) {
    float best = INFINITY;
    bool is_inside = false;
    for (int i = 0; i < obstacle->point_count; i++) {
        const vec2 from = obstacle->points[i], to = obstacle->points[(i + 1) % obstacle->point_count];
        const float turn = vec2_cross(vec2_sub(to, from), vec2_sub(at, from));
        if ((from.y > at.y) != (to.y > at.y) && (turn > 0.0f) == (to.y > from.y)) {
            is_inside = !is_inside;
        }
        best = fminf(best, distance_to_side(from, to, at));
    }
    return is_inside ? 0.0f : best;
}

float obstacle_handle_distance(const struct obstacle_def *obstacle, vec2 at) {
    const vec2 way = vec2_sub(at, obstacle->at);
    if (obstacle->shape == OBSTACLE_POLYGON) {
        return distance_to_polygon(obstacle, at);
    }
    if (obstacle->shape == OBSTACLE_CIRCLE) {
        return fmaxf(vec2_length(way) - obstacle->radius, 0.0f);
    }
    const vec2 beyond = vec2_make(fmaxf(fmaxf(-way.x, way.x - obstacle->size.x), 0.0f),
                                  fmaxf(fmaxf(-way.y, way.y - obstacle->size.y), 0.0f));
    return vec2_length(beyond);
}

static float distance_to_copies(const struct obstacle_def *obstacle, vec2 at, vec2 wrap_size) {
    float best = INFINITY;
    const int copies = wrap_size.x > 0.0f ? 1 : 0;
    for (int x = -copies; x <= copies; x++) {
        for (int y = -copies; y <= copies; y++) {
            const vec2 copy = vec2_make(at.x + (float)x * wrap_size.x, at.y + (float)y * wrap_size.y);
            best = fminf(best, obstacle_handle_distance(obstacle, copy));
        }
    }
    return best;
}

const struct obstacle_def *obstacle_handle_find(const struct message_geometry *geometry, vec2 at, float reach,
                                                const struct message_moment *moment) {
    assert(reach >= 0.0f);
    const struct obstacle_def *found = NULL;
    float best = reach;
    for (int i = 0; i < geometry->obstacle_count; i++) {
        const struct obstacle_def obstacle = message_obstacle_at(geometry, i, moment);
        const float distance = distance_to_copies(&obstacle, at, moment->wrap_size);
        if (obstacle.id != 0 && distance <= best) { /* an older server names none: they cannot be moved */
            best = distance;
            found = &geometry->obstacles[i];
        }
    }
    return found;
}

const struct obstacle_def *obstacle_handle_by_id(const struct message_geometry *geometry, uint32_t id) {
    for (int i = 0; i < geometry->obstacle_count; i++) {
        if (geometry->obstacles[i].id == id && id != 0) {
            return &geometry->obstacles[i];
        }
    }
    return NULL;
}

/* ---- edits ---- */

void edits_clear(struct edits *edits) {
    const uint32_t newest = edits->newest; /* answers may still be on their way */
    memset(edits, 0, sizeof *edits);
    edits->newest = newest;
}

static void remove_row(struct edits *edits, int index) {
    assert(index >= 0 && index < edits->count);
    edits->count--;
    edits->done -= index < edits->done ? 1 : 0;
    memmove(&edits->rows[index], &edits->rows[index + 1],
            (size_t)(edits->count - index) * sizeof edits->rows[0]);
}

static bool is_of_agents(const struct edit *edit) {
    return edit->what == EDIT_ADDED || edit->what == EDIT_REMOVED;
}

void edits_cut(struct edits *edits, uint64_t tick) {
    edits->count = edits->done;
    edits->is_slider_held = false;
    for (int i = edits->count - 1; i >= 0; i--) {
        if (edits->rows[i].tick >= tick) {
            remove_row(edits, i);
        }
    }
}

void edits_restart(struct edits *edits) {
    edits->count = edits->done;
    edits->is_slider_held = false;
    for (int i = edits->count - 1; i >= 0; i--) {
        edits->rows[i].by[0] = '\0';
        edits->rows[i].tick = 0;
        if (is_of_agents(&edits->rows[i])) {
            remove_row(edits, i);
        }
    }
}

const struct edit *edits_add(struct edits *edits, const struct edit *edit) {
    edits->count = edits->done;
    edits->is_slider_held = false;
    if (edits->count == EDITS_MOST) {
        remove_row(edits, 0);
    }
    struct edit *row = &edits->rows[edits->count++];
    *row = *edit;
    row->number = ++edits->newest;
    row->tick = edits->now;
    row->by[0] = '\0';
    row->is_warned = false;
    edits->done = edits->count;
    return row;
}

static bool is_param(const struct edit *edit, const char *kind, const char *param) {
    return edit->what == EDIT_PARAM && strcmp(edit->kind, kind) == 0 && strcmp(edit->param, param) == 0;
}

void edits_add_param(struct edits *edits, const char *kind, const char *param, double before, double after,
                     bool is_held) {
    struct edit *newest = edits->done > 0 ? &edits->rows[edits->done - 1] : NULL;
    if (newest != NULL && edits->is_slider_held && edits->done == edits->count &&
        is_param(newest, kind, param)) {
        newest->after = after;
        newest->tick = edits->now;
    } else if (before != after) {
        struct edit edit = {.what = EDIT_PARAM, .before = before, .after = after};
        (void)snprintf(edit.kind, sizeof edit.kind, "%s", kind);
        (void)snprintf(edit.param, sizeof edit.param, "%s", param);
        (void)edits_add(edits, &edit);
        newest = &edits->rows[edits->done - 1];
    } else {
        return;
    }
    edits->is_slider_held = is_held;
    if (!is_held && newest->before == newest->after) {
        remove_row(edits, edits->done - 1); /* it was dragged away and back */
    }
}

static struct edit *find_edit(struct edits *edits, uint32_t number) {
    for (int i = 0; i < edits->count; i++) {
        if (edits->rows[i].number == number) {
            return &edits->rows[i];
        }
    }
    return NULL;
}

void edits_drop(struct edits *edits, uint32_t number) {
    const struct edit *edit = find_edit(edits, number);
    if (edit != NULL) {
        remove_row(edits, (int)(edit - edits->rows));
    }
}

const struct edit *edits_name_agents(struct edits *edits, uint32_t number, uint64_t tick, uint32_t first_id) {
    struct edit *edit = find_edit(edits, number);
    if (edit != NULL) {
        edit->tick = tick;
    }
    if (edit == NULL || !is_of_agents(edit) || first_id == 0) {
        return NULL;
    }
    edit->first_id = first_id;
    return edit;
}

/* ---- other clients ---- */

static bool is_about(const struct message_event *event, const struct edit *edit) {
    switch (edit->what) {
    case EDIT_PARAM:
        return (event->has & EVENT_HAS_PARAM) != 0 && (event->has & EVENT_HAS_KIND) != 0 &&
               is_param(edit, event->kind, event->param);
    case EDIT_TARGET:
        return (event->has & EVENT_HAS_TARGET) != 0 && strcmp(edit->target, event->target) == 0;
    case EDIT_OBSTACLE:
    case EDIT_DOOR:
        return (event->has & EVENT_HAS_OBSTACLE) != 0 && edit->obstacle == event->obstacle.id;
    case EDIT_ADDED:
    case EDIT_REMOVED:
        break; /* an event does not name the agents that were removed; each is there or not */
    }
    return false;
}

/* While some of this window's are undone, its event may be of an undo. */
void edits_note(struct edits *edits, const struct message_event *event, uint32_t session) {
    const bool is_own = event->by == session;
    if (event->by == 0 || (is_own && edits->done < edits->count)) {
        return;
    }
    for (int i = edits->count - 1; i >= 0; i--) {
        struct edit *edit = &edits->rows[i];
        if (!is_about(event, edit)) {
            continue;
        }
        if (is_own) {
            edit->tick = event->tick;
            return;
        }
        edit->is_warned = false;
        if ((event->has & EVENT_HAS_NAME) != 0) {
            (void)snprintf(edit->by, sizeof edit->by, "%s", event->name);
        } else {
            (void)snprintf(edit->by, sizeof edit->by, "session %u", event->by);
        }
    }
}

/* ---- undo and redo ---- */

static int next_index(const struct edits *edits, bool is_undo) {
    return is_undo ? edits->done - 1 : edits->done < edits->count ? edits->done : -1;
}

const struct edit *edits_next(const struct edits *edits, bool is_undo) {
    const int index = next_index(edits, is_undo);
    return index >= 0 ? &edits->rows[index] : NULL;
}

bool edits_asks(struct edits *edits, bool is_undo) {
    const int index = next_index(edits, is_undo);
    struct edit *edit = index >= 0 ? &edits->rows[index] : NULL;
    if (edit == NULL || edit->by[0] == '\0' || edit->is_warned) {
        return false;
    }
    edit->is_warned = true;
    return true;
}

int edits_undone(const struct edits *edits) {
    return edits->count - edits->done;
}

void edits_take(struct edits *edits, bool is_undo) {
    const int index = next_index(edits, is_undo);
    assert(index >= 0);
    struct edit *edit = &edits->rows[index];
    edits->is_slider_held = false;
    edits->done += is_undo ? -1 : 1;
    edit->by[0] = '\0';
    edit->is_warned = false;
    if ((edit->what == EDIT_REMOVED) == is_undo && is_of_agents(edit)) {
        edit->was_id = edit->first_id;
        edit->first_id = 0; /* they come back with other ids */
    }
}

static void make_spawn(const struct edit *edit, struct request *request) {
    *request = request_default(REQUEST_SPAWN);
    struct request_spawn *body = &request->body.spawn;
    (void)snprintf(body->kind, sizeof body->kind, "%s", edit->kind);
    body->count = edit->count;
    body->has_point = true;
    body->x = edit->at.x;
    body->y = edit->at.y;
    body->radius = edit->radius;
    if (edit->what == EDIT_REMOVED) {
        body->vx = edit->velocity.x;
        body->vy = edit->velocity.y;
        body->has_heading = true;
        body->heading = edit->heading;
    }
}

static bool make_remove(const struct edit *edit, struct request *request) {
    *request = request_default(REQUEST_REMOVE);
    struct request_remove *body = &request->body.remove;
    assert(edit->count <= LIMIT_REMOVE_IDS);
    for (uint32_t i = 0; i < edit->count; i++) {
        body->agents[body->agent_count++] = edit->first_id + i;
    }
    return edit->first_id != 0;
}

static void make_place(const struct edit *edit, vec2 to, struct request *request) {
    *request = request_default(edit->what == EDIT_TARGET ? REQUEST_SET_TARGET : REQUEST_MOVE_OBSTACLE);
    if (edit->what == EDIT_TARGET) {
        struct request_set_target *body = &request->body.set_target;
        body->has_name = body->has_point = true;
        (void)snprintf(body->name, sizeof body->name, "%s", edit->target);
        body->x = to.x;
        body->y = to.y;
    } else {
        request->body.move_obstacle.obstacle = edit->obstacle;
        request->body.move_obstacle.x = to.x;
        request->body.move_obstacle.y = to.y;
    }
}

static void make_param(const struct edit *edit, double value, struct request *request) {
    *request = request_default(REQUEST_SET_PARAM);
    struct request_set_param *body = &request->body.set_param;
    body->has_kind = true;
    (void)snprintf(body->kind, sizeof body->kind, "%s", edit->kind);
    (void)snprintf(body->param, sizeof body->param, "%s", edit->param);
    body->value = value;
}

bool edits_request(const struct edit *edit, bool is_undo, struct request *request) {
    bool is_known = true;
    switch (edit->what) {
    case EDIT_PARAM:
        make_param(edit, is_undo ? edit->before : edit->after, request);
        break;
    case EDIT_TARGET:
    case EDIT_OBSTACLE:
        make_place(edit, is_undo ? edit->from : edit->to, request);
        break;
    case EDIT_DOOR:
        *request = request_default(REQUEST_SET_OBSTACLE);
        request->body.set_obstacle.obstacle = edit->obstacle;
        request->body.set_obstacle.closed = edit->closes != is_undo;
        break;
    case EDIT_ADDED:
    case EDIT_REMOVED:
        if ((edit->what == EDIT_REMOVED) == is_undo) {
            make_spawn(edit, request);
        } else {
            is_known = make_remove(edit, request);
        }
        break;
    }
    edits_id(edit->number, request->id, sizeof request->id);
    return is_known;
}

static const char id_begin[] = "\"edit-";

void edits_id(uint32_t number, char *out, size_t size) {
    (void)snprintf(out, size, "%s%u\"", id_begin, number);
}

uint32_t edits_number(const char *id) {
    if (strncmp(id, id_begin, sizeof id_begin - 1) != 0) {
        return 0;
    }
    const unsigned long number = strtoul(id + sizeof id_begin - 1, NULL, 10);
    return number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* ---- words ---- */

static void add_agents(const struct edit *edit, bool is_there, char *out, size_t size) {
    if (edit->count == 1 && edit->first_id != 0) {
        (void)snprintf(out, size, "%s %u %s", edit->kind, edit->first_id,
                       is_there ? "is back" : "is removed");
    } else {
        (void)snprintf(out, size, "%u %s %s %s", edit->count, edit->kind, edit->count == 1 ? "is" : "are",
                       is_there ? "back" : "removed");
    }
}

void edits_words(const struct edit *edit, bool is_undo, char *out, size_t size) {
    char before[JSON_NUMBER_TEXT], after[JSON_NUMBER_TEXT];
    const vec2 to = is_undo ? edit->from : edit->to;
    switch (edit->what) {
    case EDIT_PARAM:
        json_number_text(before, is_undo ? edit->after : edit->before);
        json_number_text(after, is_undo ? edit->before : edit->after);
        (void)snprintf(out, size, "%s of %s %s -> %s", edit->param, edit->kind, before, after);
        break;
    case EDIT_TARGET:
        (void)snprintf(out, size, "target %s at %ld, %ld", edit->target, lroundf(to.x), lroundf(to.y));
        break;
    case EDIT_OBSTACLE:
        (void)snprintf(out, size, "obstacle %u at %ld, %ld", edit->obstacle, lroundf(to.x), lroundf(to.y));
        break;
    case EDIT_DOOR:
        (void)snprintf(out, size, "door %u %s", edit->obstacle, edit->closes != is_undo ? "closed" : "open");
        break;
    case EDIT_ADDED:
    case EDIT_REMOVED:
        add_agents(edit, (edit->what == EDIT_REMOVED) == is_undo, out, size);
        break;
    }
}

/* ---- a restart ---- */

static bool is_same_thing(const struct edit *a, const struct edit *b) {
    return a->what == b->what && strcmp(a->target, b->target) == 0 && a->obstacle == b->obstacle;
}

void edits_places(const struct edits *edits, struct edits *places) {
    memset(places, 0, sizeof *places);
    for (int i = 0; i < edits->done; i++) {
        const struct edit *edit = &edits->rows[i];
        bool is_last = edit->what == EDIT_TARGET || edit->what == EDIT_OBSTACLE;
        for (int j = i + 1; is_last && j < edits->done; j++) {
            is_last = !is_same_thing(edit, &edits->rows[j]);
        }
        if (is_last) {
            (void)edits_add(places, edit);
        }
    }
}
