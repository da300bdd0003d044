/* See scenario_view.h. */
#include "viewer/model/scenario_view.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/base/vec2.h"
#include "viewer/model/shortcuts.h"
#include "viewer/model/torus.h"

static const float standing = 0.25f; /* of the greatest speed */

static bool is_persons(const struct scenario_view_person *person, const struct field *setting) {
    assert(setting->offset < sizeof person->changes->is_changed);
    return person->changes->is_changed[setting->offset] || person->flags->is_changed[setting->offset];
}

static bool has_overlay(const struct message_view *view, const char *name) {
    for (int i = 0; i < view->overlay_count; i++) {
        if (strcmp(view->overlays[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The list of overlays is complete; trails can be said beside it. */
static void show_overlay(struct view_settings *settings, const struct field *setting,
                         const struct message_view *view) {
    bool *const member = (bool *)((char *)settings + setting->offset);
    if ((view->has & MESSAGE_VIEW_OVERLAYS) != 0) {
        *member = has_overlay(view, setting->name);
    }
    if (strcmp(setting->name, "trails") == 0 && (view->has & MESSAGE_VIEW_TRAILS) != 0) {
        *member = view->trails;
    }
}

static void choose(struct view_settings *settings, const struct field *setting, const char *wanted) {
    for (int i = 0; setting->choices[i] != NULL; i++) {
        if (strcmp(setting->choices[i], wanted) == 0) {
            *(int *)((char *)settings + setting->offset) = i;
        }
    }
}

static void show(struct view_settings *settings, const struct shortcut *row, const struct message_view *view,
                 bool has_room) {
    const struct field *setting = &row->setting;
    if (row->is_overlay) {
        show_overlay(settings, setting, view);
    } else if (strcmp(setting->name, "color") == 0 && setting->type == FIELD_CHOICE &&
               (view->has & MESSAGE_VIEW_COLOR) != 0) {
        choose(settings, setting, view->color);
    } else if (strcmp(setting->name, "panel") == 0 && (view->has & MESSAGE_VIEW_PANEL) != 0) {
        settings->panel = !view->panel ? PANEL_OFF : has_room ? PANEL_ON : settings->panel;
    }
}

struct view_settings scenario_view_apply(const struct scenario_view_person *person,
                                         const struct message_view *view) {
    struct view_settings result = *person->now;
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        const struct field *setting = &rows[i].setting;
        if (setting->name != NULL && !is_persons(person, setting)) {
            assert(setting->offset + setting->size <= sizeof result);
            memcpy((char *)&result + setting->offset, (const char *)person->own + setting->offset,
                   setting->size);
            show(&result, &rows[i], view, person->has_room);
        }
    }
    return result;
}

const struct frame_target *scenario_view_flag(const struct message_view *view, const struct frame *frame) {
    const bool has_flag = frame->names != NULL && view->flag[0] != '\0';
    for (int32_t i = 0; has_flag && i < frame->target_count; i++) {
        const struct frame_target *target = &frame->targets[i];
        if (strcmp(frame->names->target_names.names[target->name], view->flag) == 0) {
            return target;
        }
    }
    return NULL;
}

int32_t scenario_view_captor(const struct server_model *server, const struct frame *frame) {
    const struct frame_target *flag = scenario_view_flag(&server->scenario.view, frame);
    const vec2 wrap_size = server_model_wraps(server) ? server->scenario.size : vec2_make(0.0f, 0.0f);
    int32_t captor = -1;
    float nearest = INFINITY;
    for (int32_t i = 0; flag != NULL && i < frame->count; i++) {
        const struct message_kind *kind =
            server_model_kind(server, frame->names->kind_names.names[frame->kind[i]]);
        const vec2 way = vec2_sub(vec2_make(frame->x[i], frame->y[i]), flag->position);
        const float distance = vec2_length(torus_short_way(way, wrap_size));
        const float speed = vec2_length(vec2_make(frame->vx[i], frame->vy[i]));
        if (kind != NULL && distance <= fminf(kind->radius, nearest) && speed <= standing * kind->max_speed) {
            nearest = distance;
            captor = i;
        }
    }
    return captor;
}
