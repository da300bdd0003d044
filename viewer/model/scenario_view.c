/* See scenario_view.h. */
#include "viewer/model/scenario_view.h"

#include <assert.h>
#include <string.h>

#include "viewer/model/shortcuts.h"

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
