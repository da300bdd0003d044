/* See scenario_view.h. Owns nothing. */
#include "server/scenario/scenario_view.h"

#include <string.h>

#include "common/json/field_json.h"
#include "server/scenario/scenario_text.h"

/* Agents of a new world have the ids from 1 on. */
static int check_select(const struct world_def *def, const struct message_view *view,
                        struct failure *failure) {
    uint64_t agents = 0;
    for (int i = 0; i < def->placement_count; i++) {
        agents += def->placements[i].count;
    }
    if ((view->has & MESSAGE_VIEW_SELECT) == 0 || view->select <= agents) {
        return 0;
    }
    return failure_set(failure, FAILURE_BAD_PARAM, "view.select",
                       "no agent %lu; this scenario has %lu, whose ids count from 1",
                       (unsigned long)view->select, (unsigned long)agents);
}

int scenario_read_view(const cJSON *root, const struct world_def *def, struct message_view *view,
                       struct scenario_mistakes *mistakes) {
    static const char *const parts[] = {"overlays", NULL};
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, "view");
    const bool is_whole_world = mistakes->count == 0;
    struct failure failure = {0};
    bool is_whole = false;
    if (json == NULL) {
        return 0;
    }
    if (scenario_read_fields(message_view_fields, json, "view", parts, view, &view->has, &is_whole,
                             mistakes) != 0) {
        return -1;
    }
    const cJSON *overlays = cJSON_GetObjectItemCaseSensitive(json, "overlays");
    if (overlays != NULL && message_overlays_read(overlays, "view.overlays", view, &failure) != 0 &&
        !scenario_mistake(mistakes, &failure)) {
        return -1;
    }
    if (is_whole && is_whole_world && check_select(def, view, &failure) != 0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    return 0;
}

/* "group" as a choice: a name in struct message_about, where a later server may say another. */
struct about_part {
    int group;
};

static int check_group(const cJSON *json, struct failure *failure) {
    static const struct field row = {.name = "group",
                                     .type = FIELD_CHOICE,
                                     FIELD_MEMBER(struct about_part, group),
                                     .choices = message_groups};
    struct about_part part;
    return json == NULL ? 0 : field_read_value(&row, json, "about.group", &part, failure);
}

/* -1 when reading ends here. */
static int check_about_texts(const struct message_about *about, struct scenario_mistakes *mistakes) {
    for (const struct field *row = message_about_fields; row->type != FIELD_END; row++) {
        char path[SCENARIO_PATH_BYTES];
        struct failure failure = {0};
        scenario_path(path, "about.%s", row->name);
        if (scenario_check_text((const char *)about + row->offset, false, path, &failure) != 0 &&
            !scenario_mistake(mistakes, &failure)) {
            return -1;
        }
    }
    return 0;
}

int scenario_read_about(const cJSON *root, struct message_about *about, struct scenario_mistakes *mistakes) {
    static const char *const no_more[] = {NULL};
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, "about");
    struct failure failure = {0};
    bool is_whole = false;
    if (json == NULL) {
        return 0;
    }
    if (scenario_read_fields(message_about_fields, json, "about", no_more, about, NULL, &is_whole,
                             mistakes) != 0 ||
        check_about_texts(about, mistakes) != 0) {
        return -1;
    }
    if (is_whole && check_group(cJSON_GetObjectItemCaseSensitive(json, "group"), &failure) != 0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    return 0;
}
