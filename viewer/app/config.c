/* See config.h. The file is written beside itself and renamed: it is whole or as it was. */
#include "viewer/app/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/json/field_json.h"
#include "common/json/json_check.h"
#include "common/system/log.h"
#include "common/system/regular_file.h"
#include "viewer/draw/palette.h"

enum { FILE_MOST = 16384, PATH_BYTES = 1200 };

static const char *const panel_names[] = {"auto", "on", "off", NULL};

/* In the order of enum config_change. */
static const struct field table[] = {
    {.name = "palette",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct viewer_options, palette),
     .choices = palette_names},
    {.name = "ui_scale",
     .type = FIELD_DOUBLE,
     FIELD_MEMBER(struct viewer_options, ui_scale),
     .min = 0,
     .max = 4},
    {.name = "panel",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct viewer_options, panel),
     .choices = panel_names},
    {.name = "overlays", .type = FIELD_TEXT, FIELD_MEMBER(struct viewer_options, overlays)},
    {.name = "size", .type = FIELD_TEXT, FIELD_MEMBER(struct viewer_options, size)},
    {.type = FIELD_END},
};

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

int config_read(const char *text, size_t length, struct viewer_options *options, struct failure *failure) {
    const struct json_limits limits = json_limits_line();
    struct json_fault fault;
    struct viewer_options read = *options;
    int32_t width, height;
    overlay_set set;
    if (json_check(text, length, &limits, &fault) != JSON_FINE) {
        return failure_set(failure, FAILURE_BAD_PARAM, NULL, "line %d: %s", fault.line, fault.message);
    }
    cJSON *json = cJSON_ParseWithLength(text, length);
    if (!cJSON_IsObject(json)) {
        cJSON_Delete(json);
        return failure_set(failure, FAILURE_BAD_PARAM, NULL, "expected an object");
    }
    const int result = fields_read(table, json, "", NULL, &read, NULL, failure);
    cJSON_Delete(json);
    if (result != 0 || (read.size[0] != '\0' && size_parse(read.size, &width, &height, failure) != 0) ||
        ui_scale_check(read.ui_scale, failure) != 0 || overlays_parse(read.overlays, &set, failure) != 0) {
        return -1;
    }
    *options = read;
    return 0;
}

void config_load(struct viewer_options *options) {
    char path[PATH_BYTES], reason[REGULAR_FILE_REASON] = "";
    char *text = NULL;
    size_t length = 0;
    struct failure failure;
    file_path(path, sizeof path, false);
    const enum regular_file_result result =
        path[0] == '\0' ? REGULAR_FILE_MISSING : regular_file_read(path, FILE_MOST, &text, &length, reason);
    if (result == REGULAR_FILE_MISSING) {
        return;
    }
    if (result != REGULAR_FILE_OK || config_read(text, length, options, &failure) != 0) {
        log_write(LOG_WARN, "config", "%s is not used and will not be changed: %s", path,
                  result != REGULAR_FILE_OK ? reason : failure.message);
        options->has_no_config = true;
    }
    free(text);
}

/* A member's value; NULL when out of memory. */
static cJSON *value_of(const struct field *field, const struct viewer_options *options) {
    const void *member = (const char *)options + field->offset;
    if (field->type == FIELD_DOUBLE) {
        return cJSON_CreateNumber(*(const double *)member);
    }
    const char *text = field->type == FIELD_CHOICE ? field->choices[*(const int *)member] : member;
    return cJSON_CreateString(text);
}

/* The file's object; an empty one when there is no file. NULL with *failure. */
static cJSON *read_settings(const char *path, struct failure *failure) {
    char reason[REGULAR_FILE_REASON] = "";
    char *text = NULL;
    size_t length = 0;
    struct viewer_options ignored = {.size = "640x480"};
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

/* The file as it is with what was changed: text of cJSON's, or NULL with *failure. */
static char *write_settings(const char *path, const struct viewer_options *options, unsigned changed,
                            struct failure *failure) {
    (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    cJSON *json = read_settings(path, failure);
    bool is_whole = json != NULL;
    for (int i = 0; is_whole && table[i].type != FIELD_END; i++) {
        if ((changed & 1u << i) != 0) {
            cJSON *value = value_of(&table[i], options);
            cJSON_DeleteItemFromObjectCaseSensitive(json, table[i].name);
            is_whole = value != NULL && cJSON_AddItemToObject(json, table[i].name, value);
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

int config_save(const struct viewer_options *options, unsigned changed, struct failure *failure) {
    char path[PATH_BYTES], fresh[PATH_BYTES + 8];
    file_path(path, sizeof path, false);
    if (path[0] == '\0' || changed == 0) {
        return 0; /* no home, or nothing to keep */
    }
    char *text = write_settings(path, options, changed, failure);
    if (text == NULL) {
        return -1;
    }
    make_folders();
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *file = fopen(fresh, "wb");
    bool is_written = file != NULL && fprintf(file, "%s\n", text) > 0;
    is_written = file != NULL && fclose(file) == 0 && is_written;
    cJSON_free(text);
    if (!is_written || rename(fresh, path) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot write %s: %s", path, strerror(errno));
    }
    return 0;
}
