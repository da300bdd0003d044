/* See view_settings.h. */
#include "viewer/model/view_settings.h"

#include <math.h>

#include <assert.h>

const char *const palette_names[] = {"safe", "classic", NULL};
const char *const color_mode_names[] = {"state", "kind",      "heading", "speed",
                                        "force", "neighbors", "time",    NULL};
const char *const theme_names[] = {"dark", "light", NULL};
const char *const panels_in_names[] = {"pictures", "all", "none", NULL};
const char *const agent_size_names[] = {"1", "1.5", "2", "3", NULL};
const char *const heat_mode_names[] = {"auto", "on", "off", NULL};
const char *const panel_choice_names[] = {"auto", "on", "off", NULL};

struct view_settings view_settings_default(void) {
    return (struct view_settings){.shows_grid = true,
                                  .shows_instruments = true,
                                  .shows_radii = true,
                                  .shows_neighbors = true,
                                  .shows_places = true};
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

void view_settings_choose(struct view_settings *settings, struct view_changes *changes,
                          const struct field *setting, int choice) {
    assert(setting->type == FIELD_CHOICE && choice >= 0);
    *(int *)((char *)settings + setting->offset) = choice;
    view_changes_note(changes, setting->offset);
}

/* ---- several members ---- */

float view_settings_agent_size(const struct view_settings *settings) {
    static const float sizes[] = {1.0f, 1.5f, 2.0f, 3.0f};
    assert(settings->agent_size >= AGENT_SIZE_1 && settings->agent_size <= AGENT_SIZE_3);
    return sizes[settings->agent_size];
}

enum palette view_settings_palette(const struct view_settings *settings) {
    assert(settings->palette == PALETTE_SAFE || settings->palette == PALETTE_CLASSIC);
    return (enum palette)(settings->palette + (settings->theme == THEME_LIGHT ? PALETTE_SAFE_LIGHT : 0));
}

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

static bool shows_forces(const struct view_settings *settings) {
    return settings->shows_desired || settings->shows_steering || settings->shows_behaviors;
}

bool view_settings_need_forces(const struct view_settings *settings) {
    return shows_forces(settings) || settings->color == COLOR_FORCE;
}

bool view_settings_have_vectors(const struct view_settings *settings) {
    return settings->shows_velocity || shows_forces(settings);
}

float view_settings_panel_px(const struct view_settings *settings, float picture_px) {
    const float most = fminf((float)VIEW_PANEL_MOST, picture_px / 2.0f);
    return fmaxf(fminf((float)settings->panel_width, most), (float)VIEW_PANEL_LEAST);
}

bool view_settings_have_panel(const struct view_settings *settings) {
    assert(settings->panel >= PANEL_AUTO && settings->panel <= PANEL_OFF);
    return settings->panel == PANEL_ON;
}

bool view_settings_have_legend(const struct view_settings *settings) {
    assert(settings->legend >= PANEL_AUTO && settings->legend <= PANEL_OFF);
    return settings->legend != PANEL_OFF;
}
