/* See message_view.h: writing and reading, by the same rows as the scenario's file. Owns nothing. */
#include "common/protocol/message_view.h"

#include <stdio.h>
#include <string.h>

#include "common/json/field_json.h"

const char *const message_groups[] = {"tutorials", "behaviors", "crowds", "large", NULL};

const struct field message_view_fields[] = {
    {.name = "trails",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct message_view, trails),
     .help = "Whether agents leave trails."},
    {.name = "color",
     .type = FIELD_NAME,
     FIELD_MEMBER(struct message_view, color),
     .help = "By what agents are colored."},
    {.name = "select",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct message_view, select),
     .min = 1.0,
     .max = (double)UINT32_MAX,
     .help = "The agent that is selected."},
    {.name = "panel",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct message_view, panel),
     .help = "Whether the side panel is open."},
    {.name = "zoom",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct message_view, zoom),
     .min = 0.1,
     .max = 1000.0,
     .help = "1: the whole world fits; more is nearer."},
    {.name = "flag",
     .type = FIELD_NAME,
     FIELD_MEMBER(struct message_view, flag),
     .help = "The target that is drawn as a flag."},
    {.type = FIELD_END},
};

const struct field message_about_fields[] = {
    {.name = "group",
     .type = FIELD_NAME,
     FIELD_MEMBER(struct message_about, group),
     .help = "Where a list of scenarios has it."},
    {.name = "caption",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct message_about, caption),
     .help = "What it is, in a sentence."},
    {.name = "try",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct message_about, to_try),
     .help = "What a person can do."},
    {.name = "look_for",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct message_about, look_for),
     .help = "What there is to see."},
    {.name = "source",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct message_about, source),
     .help = "Where it comes from."},
    {.type = FIELD_END},
};

/* ---- writing ---- */

void message_view_write(const struct message_view *view, struct json_writer *json) {
    if (view->has == 0) {
        return;
    }
    json_key(json, "view");
    json_object(json);
    for (unsigned row = 0; message_view_fields[row].type != FIELD_END; row++) {
        if ((view->has >> row & 1) != 0) {
            json_key(json, message_view_fields[row].name);
            field_write_value(&message_view_fields[row], view, json);
        }
    }
    if ((view->has & MESSAGE_VIEW_OVERLAYS) != 0) {
        json_key(json, "overlays");
        json_array(json);
        for (int i = 0; i < view->overlay_count; i++) {
            json_string(json, view->overlays[i]);
        }
        json_end(json);
    }
    json_end(json);
}

void message_about_write(const struct message_about *about, struct json_writer *json) {
    bool is_open = false;
    for (const struct field *row = message_about_fields; row->type != FIELD_END; row++) {
        const char *text = (const char *)about + row->offset;
        if (text[0] == '\0') {
            continue;
        }
        if (!is_open) {
            json_key(json, "about");
            json_object(json);
            is_open = true;
        }
        json_key_string(json, row->name, text);
    }
    if (is_open) {
        json_end(json);
    }
}

/* ---- reading ---- */

int message_overlays_read(const cJSON *array, const char *path, struct message_view *view,
                          struct failure *failure) {
    static const struct field row = {.name = "overlays", .type = FIELD_NAME, .size = LIMIT_NAME_CHARS + 1};
    if (!cJSON_IsArray(array)) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "expected an array of names, found %s",
                           json_type_name(array));
    }
    if (cJSON_GetArraySize(array) > LIMIT_VIEW_OVERLAYS) {
        return failure_set(failure, FAILURE_BAD_PARAM, path,
                           "an array of %d overlays is too long: at most %d", cJSON_GetArraySize(array),
                           LIMIT_VIEW_OVERLAYS);
    }
    view->overlay_count = 0;
    view->has |= MESSAGE_VIEW_OVERLAYS;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        char item_path[FIELD_PATH_BYTES];
        (void)snprintf(item_path, sizeof item_path, "%s[%d]", path, view->overlay_count);
        if (field_read_value(&row, item, item_path, view->overlays[view->overlay_count], failure) != 0) {
            return -1;
        }
        view->overlay_count++;
    }
    return 0;
}

int message_view_read(const cJSON *json, struct message_view *view, struct failure *failure) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "view");
    *view = (struct message_view){0};
    if (item == NULL) {
        return 0;
    }
    if (fields_read(message_view_fields, item, "view", NULL, view, &view->has, failure) != 0) {
        return -1;
    }
    const cJSON *overlays = cJSON_GetObjectItemCaseSensitive(item, "overlays");
    return overlays == NULL ? 0 : message_overlays_read(overlays, "view.overlays", view, failure);
}

int message_about_read(const cJSON *json, struct message_about *about, struct failure *failure) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "about");
    *about = (struct message_about){0};
    return item == NULL ? 0 : fields_read(message_about_fields, item, "about", NULL, about, NULL, failure);
}
