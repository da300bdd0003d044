/* See config.h. */
#include "viewer/app/config.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/json/json_check.h"
#include "viewer/app/options.h"
#include "viewer/model/shortcuts.h"

enum { FIELDS_MOST = 32 };

/* The content of the file. The settings come first: the rows of shortcuts.c name their members by offset. */
struct kept_settings {
    struct view_settings settings;
    char overlays[256]; /* the overlays that are shown, as a list */
};
_Static_assert(offsetof(struct kept_settings, settings) == 0, "the offsets of settings hold here");

/* The members of the file: a row for every setting of shortcuts.c but the overlays, which are one member, and
 * the window's size. fields has room for FIELDS_MOST. */
static void make_fields(struct field *fields) {
    size_t count = 0, used = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].setting.name != NULL && !rows[i].is_overlay) {
            assert(used + 3 < FIELDS_MOST);
            fields[used++] = rows[i].setting;
        }
    }
    fields[used++] =
        (struct field){.name = "overlays", .type = FIELD_TEXT, FIELD_MEMBER(struct kept_settings, overlays)};
    fields[used++] =
        (struct field){.name = "size", .type = FIELD_TEXT, FIELD_MEMBER(struct kept_settings, settings.size)};
    fields[used] = (struct field){.type = FIELD_END};
}

/* The parsed members of *kept: what they mean, and whether it is allowed. */
static int check_settings(struct kept_settings *kept, struct failure *failure) {
    int32_t width, height;
    if (kept->settings.size[0] != '\0' && size_parse(kept->settings.size, &width, &height, failure) != 0) {
        return -1;
    }
    if (kept->overlays[0] != '\0' && overlays_parse(kept->overlays, &kept->settings, failure) != 0) {
        return -1;
    }
    return ui_scale_check(kept->settings.ui_scale, failure);
}

/* "colors_by_kind", which files had before "color". */
static int read_color_of_old(const cJSON *json, struct view_settings *settings, struct failure *failure) {
    const cJSON *by_kind = cJSON_GetObjectItemCaseSensitive(json, "colors_by_kind");
    if (by_kind != NULL && !cJSON_IsBool(by_kind)) {
        return failure_set(failure, FAILURE_BAD_PARAM, "colors_by_kind", "expected true or false");
    }
    if (cJSON_IsTrue(by_kind) && cJSON_GetObjectItemCaseSensitive(json, "color") == NULL) {
        settings->color = COLOR_KIND;
    }
    return 0;
}

int config_read(const char *text, size_t length, struct view_settings *settings, struct failure *failure) {
    const struct json_limits limits = json_limits_line();
    struct json_fault fault;
    struct field fields[FIELDS_MOST];
    struct kept_settings read = {.settings = *settings};
    if (json_check(text, length, &limits, &fault) != JSON_FINE) {
        return failure_set(failure, FAILURE_BAD_PARAM, NULL, "line %d: %s", fault.line, fault.message);
    }
    cJSON *json = cJSON_ParseWithLength(text, length);
    if (!cJSON_IsObject(json)) {
        cJSON_Delete(json);
        return failure_set(failure, FAILURE_BAD_PARAM, NULL, "expected an object");
    }
    make_fields(fields);
    const int result = fields_read(fields, json, "", NULL, &read, NULL, failure) != 0 ||
                               read_color_of_old(json, &read.settings, failure) != 0
                           ? -1
                           : 0;
    cJSON_Delete(json);
    if (result != 0 || check_settings(&read, failure) != 0) {
        return -1;
    }
    *settings = read.settings;
    return 0;
}

/* ---- writing ---- */

/* A member's value; NULL when out of memory. */
static cJSON *value_of(const struct field *field, const struct kept_settings *kept) {
    const void *member = (const char *)kept + field->offset;
    switch (field->type) {
    case FIELD_BOOL:
        return cJSON_CreateBool(*(const bool *)member);
    case FIELD_DOUBLE:
        return cJSON_CreateNumber(*(const double *)member);
    case FIELD_CHOICE:
        return cJSON_CreateString(field->choices[*(const int *)member]);
    default:
        assert(field->type == FIELD_TEXT);
        return cJSON_CreateString(member);
    }
}

static bool is_changed(const struct field *field, const struct view_changes *changes, bool has_overlays) {
    return field->offset < sizeof changes->is_changed ? changes->is_changed[field->offset] : has_overlays;
}

/* The list of overlays for the file: those that were changed as they are now, the others as they were. */
static bool merge_overlays(const struct view_settings *now, const struct view_settings *kept,
                           const struct view_changes *changes, struct kept_settings *merged) {
    struct view_settings shown = *kept;
    size_t count = 0;
    bool has_change = false;
    const struct shortcut *rows = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        const struct field *setting = &rows[i].setting;
        if (rows[i].is_overlay && changes->is_changed[setting->offset]) {
            *(bool *)((char *)&shown + setting->offset) = view_settings_get_bool(now, setting);
            has_change = true;
        }
    }
    overlays_format(&shown, merged->overlays, sizeof merged->overlays);
    return has_change;
}

/* What is to be written: the merged members, and which of them. Whether there is anything. fields: of make_fields. */
static bool plan_change(const struct view_settings *now, const struct view_settings *kept,
                        const struct view_changes *changes, const struct field *fields, bool *is_written,
                        struct kept_settings *merged) {
    bool has_change = false;
    *merged = (struct kept_settings){.settings = *now};
    const bool has_overlays = merge_overlays(now, kept, changes, merged);
    for (int i = 0; fields[i].type != FIELD_END; i++) {
        is_written[i] = is_changed(&fields[i], changes, has_overlays);
        has_change = has_change || is_written[i];
    }
    return has_change;
}

bool config_has_change(const struct view_settings *now, const struct view_settings *kept,
                       const struct view_changes *changes) {
    struct field fields[FIELDS_MOST];
    bool is_written[FIELDS_MOST] = {false};
    struct kept_settings merged;
    make_fields(fields);
    return plan_change(now, kept, changes, fields, is_written, &merged);
}

/* The object of the text; an empty one when there is no text. NULL with *failure. */
static cJSON *parse_settings(const char *text, size_t length, struct failure *failure) {
    struct view_settings ignored = view_settings_default();
    if (text == NULL) {
        return cJSON_CreateObject();
    }
    return config_read(text, length, &ignored, failure) == 0 ? cJSON_ParseWithLength(text, length) : NULL;
}

char *config_change(const char *text, size_t length, const struct view_settings *now,
                    const struct view_settings *kept, const struct view_changes *changes,
                    struct failure *failure) {
    struct field fields[FIELDS_MOST];
    bool is_written[FIELDS_MOST] = {false};
    struct kept_settings merged;
    make_fields(fields);
    (void)plan_change(now, kept, changes, fields, is_written, &merged);
    (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    cJSON *json = parse_settings(text, length, failure);
    bool is_whole = json != NULL;
    for (int i = 0; is_whole && fields[i].type != FIELD_END; i++) {
        if (is_written[i]) {
            cJSON *value = value_of(&fields[i], &merged);
            cJSON_DeleteItemFromObjectCaseSensitive(json, fields[i].name);
            is_whole = value != NULL && cJSON_AddItemToObject(json, fields[i].name, value);
        }
    }
    char *changed = is_whole ? cJSON_PrintUnformatted(json) : NULL;
    cJSON_Delete(json);
    return changed;
}
