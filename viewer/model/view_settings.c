/* See view_settings.h. */
#include "viewer/model/view_settings.h"

#include <assert.h>

const char *const palette_names[] = {"safe", "classic", NULL};
const char *const heat_mode_names[] = {"auto", "on", "off", NULL};
const char *const panel_choice_names[] = {"auto", "on", "off", NULL};

struct view_settings view_settings_default(void) {
    return (struct view_settings){
        .shows_grid = true, .shows_radii = true, .shows_neighbors = true, .shows_places = true};
}

/* ---- members by their row ---- */

static const void *member_of(const struct view_settings *settings, const struct field *setting) {
    assert(setting->offset + setting->size <= sizeof *settings);
    return (const char *)settings + setting->offset;
}

bool view_settings_get_bool(const struct view_settings *settings, const struct field *setting) {
    assert(setting->type == FIELD_BOOL);
    return *(const bool *)member_of(settings, setting);
}

const char *view_settings_get_choice(const struct view_settings *settings, const struct field *setting) {
    assert(setting->type == FIELD_CHOICE);
    return setting->choices[*(const int *)member_of(settings, setting)];
}

void view_changes_note(struct view_changes *changes, size_t offset) {
    assert(offset < sizeof changes->is_changed);
    changes->is_changed[offset] = true;
}

void view_settings_change(struct view_settings *settings, struct view_changes *changes,
                          const struct field *setting) {
    char *const member = (char *)settings + setting->offset;
    assert(setting->type == FIELD_BOOL || setting->type == FIELD_CHOICE);
    assert(setting->offset + setting->size <= sizeof *settings);
    if (setting->type == FIELD_BOOL) {
        *(bool *)member = !*(bool *)member;
    } else {
        int *const choice = (int *)member;
        *choice = setting->choices[*choice + 1] != NULL ? *choice + 1 : 0;
    }
    view_changes_note(changes, setting->offset);
}

/* ---- several members ---- */

void view_settings_show_forces(struct view_settings *settings) {
    settings->shows_velocity = settings->shows_desired = settings->shows_steering = true;
}

void view_settings_toggle_forces(struct view_settings *settings, struct view_changes *changes) {
    const bool has_all = settings->shows_velocity && settings->shows_desired && settings->shows_steering;
    settings->shows_velocity = settings->shows_desired = settings->shows_steering = !has_all;
    view_changes_note(changes, offsetof(struct view_settings, shows_velocity));
    view_changes_note(changes, offsetof(struct view_settings, shows_desired));
    view_changes_note(changes, offsetof(struct view_settings, shows_steering));
}

bool view_settings_need_forces(const struct view_settings *settings) {
    return settings->shows_desired || settings->shows_steering || settings->shows_behaviors;
}

bool view_settings_have_vectors(const struct view_settings *settings) {
    return settings->shows_velocity || view_settings_need_forces(settings);
}

bool view_settings_have_panel(const struct view_settings *settings) {
    assert(settings->panel >= PANEL_AUTO && settings->panel <= PANEL_OFF);
    return settings->panel == PANEL_ON;
}
