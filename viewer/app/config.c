/* See config.h. The file is written beside itself and renamed: it is whole or as it was. */
#include "viewer/app/config.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/json/field_json.h"
#include "common/json/json_check.h"
#include "common/system/log.h"
#include "common/system/regular_file.h"
#include "viewer/app/option_values.h"
#include "viewer/model/shortcuts.h"

enum { FILE_MOST = 16384, PATH_BYTES = 1200, FIELDS_MOST = 32 };

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

/* "" when there is no home. */
static void file_path(char *out, size_t size, bool only_folder) {
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const char *file = only_folder ? "" : "/viewer.json";
    int length = 0;
    if (base != NULL && base[0] == '/') {
        length = snprintf(out, size, "%s/drover%s", base, file);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(out, size, "%s/.config/drover%s", home, file);
    }
    if (length <= 0 || (size_t)length >= size) {
        out[0] = '\0';
    }
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
    const int result = fields_read(fields, json, "", NULL, &read, NULL, failure);
    cJSON_Delete(json);
    if (result != 0 || check_settings(&read, failure) != 0) {
        return -1;
    }
    *settings = read.settings;
    return 0;
}

int config_load(struct view_settings *settings) {
    char path[PATH_BYTES], reason[REGULAR_FILE_REASON] = "";
    char *text = NULL;
    size_t length = 0;
    struct failure failure;
    file_path(path, sizeof path, false);
    const enum regular_file_result result =
        path[0] == '\0' ? REGULAR_FILE_MISSING : regular_file_read(path, FILE_MOST, &text, &length, reason);
    if (result == REGULAR_FILE_MISSING) {
        return 0;
    }
    const bool is_used = result == REGULAR_FILE_OK && config_read(text, length, settings, &failure) == 0;
    if (!is_used) {
        log_write(LOG_WARN, "config", "%s is not used and will not be changed: %s", path,
                  result != REGULAR_FILE_OK ? reason : failure.message);
    }
    free(text);
    return is_used ? 0 : -1;
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

/* The file's object; an empty one when there is no file. NULL with *failure. */
static cJSON *read_settings(const char *path, struct failure *failure) {
    char reason[REGULAR_FILE_REASON] = "";
    char *text = NULL;
    size_t length = 0;
    struct view_settings ignored = view_settings_default();
    struct failure inner = {.message = ""};
    const enum regular_file_result result = regular_file_read(path, FILE_MOST, &text, &length, reason);
    if (result == REGULAR_FILE_MISSING) {
        return cJSON_CreateObject();
    }
    cJSON *json = NULL;
    if (result == REGULAR_FILE_OK && config_read(text, length, &ignored, &inner) == 0) {
        json = cJSON_ParseWithLength(text, length);
    } else { /* it was written while we ran */
        (void)failure_set(failure, FAILURE_BAD_PARAM, NULL, "%s is not changed: %s", path,
                          result == REGULAR_FILE_OK ? inner.message : reason);
    }
    free(text);
    return json;
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

/* The file as it is with what was changed: text of cJSON's, NULL with *failure. */
static char *write_settings(const char *path, const struct kept_settings *merged, const struct field *fields,
                            const bool *is_written, struct failure *failure) {
    (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    cJSON *json = read_settings(path, failure);
    bool is_whole = json != NULL;
    for (int i = 0; is_whole && fields[i].type != FIELD_END; i++) {
        if (is_written[i]) {
            cJSON *value = value_of(&fields[i], merged);
            cJSON_DeleteItemFromObjectCaseSensitive(json, fields[i].name);
            is_whole = value != NULL && cJSON_AddItemToObject(json, fields[i].name, value);
        }
    }
    char *text = is_whole ? cJSON_PrintUnformatted(json) : NULL;
    cJSON_Delete(json);
    return text;
}

/* Both folders, if they are not there; what is wrong shows when the file is written. */
static void make_folders(void) {
    char folder[PATH_BYTES];
    file_path(folder, sizeof folder, true);
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        *slash = '\0';
        (void)mkdir(folder, 0700);
        *slash = '/';
        (void)mkdir(folder, 0755);
    }
}

/* Writes beside the file and renames it. */
static int write_file(const char *path, const char *text, struct failure *failure) {
    char fresh[PATH_BYTES + 8];
    (void)snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *file = fopen(fresh, "wb");
    bool is_written = file != NULL && fprintf(file, "%s\n", text) > 0;
    is_written = file != NULL && fclose(file) == 0 && is_written;
    if (!is_written || rename(fresh, path) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot write %s: %s", path, strerror(errno));
    }
    return 0;
}

int config_save(const struct view_settings *now, const struct view_settings *kept,
                const struct view_changes *changes, struct failure *failure) {
    char path[PATH_BYTES];
    struct field fields[FIELDS_MOST];
    bool is_written[FIELDS_MOST] = {false}, has_change = false;
    struct kept_settings merged = {.settings = *now};
    const bool has_overlays = merge_overlays(now, kept, changes, &merged);
    make_fields(fields);
    for (int i = 0; fields[i].type != FIELD_END; i++) {
        is_written[i] = is_changed(&fields[i], changes, has_overlays);
        has_change = has_change || is_written[i];
    }
    file_path(path, sizeof path, false);
    if (path[0] == '\0' || !has_change) {
        return 0; /* no home, or nothing to keep */
    }
    char *text = write_settings(path, &merged, fields, is_written, failure);
    if (text == NULL) {
        return -1;
    }
    make_folders();
    const int result = write_file(path, text, failure);
    cJSON_free(text);
    return result;
}
