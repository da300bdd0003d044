/* See scenario_world.h. Every function appends to the path of what it reads, so that a mistake names its
 * place. */
#include "server/scenario_world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/field_json.h"
#include "common/name_table.h"

enum { PATH_BYTES = sizeof((struct failure *)0)->field, LIST_BYTES = 240 };

static const char *const no_more[] = {NULL};

/* A path that is too long is cut: it is for people. */
static void make_path(char out[PATH_BYTES], const char *text, ...) PRINTF_LIKE(2, 3);

static void make_path(char out[PATH_BYTES], const char *text, ...) {
    va_list arguments;
    va_start(arguments, text);
    (void)vsnprintf(out, PATH_BYTES, text, arguments);
    va_end(arguments);
}

static int expect(bool is_right, const char *wanted, const cJSON *found, const char *path,
                  struct failure *failure) {
    return is_right ? 0
                    : failure_set(failure, FAILURE_BAD_PARAM, path, "expected %s, found %s", wanted,
                                  json_type_name(found));
}

static int check_name(const char *name, const char *path, struct failure *failure) {
    if (name_is_valid(name, strlen(name))) {
        return 0;
    }
    return failure_set(failure, FAILURE_BAD_PARAM, path,
                       "\"%.40s\" is not a name: 1 to %d characters of A-Z a-z 0-9 _ -", name,
                       LIMIT_NAME_CHARS);
}

/* Appends one more quoted name to a list for people, while there is room. */
static void list_name(char list[LIST_BYTES], const char *name) {
    const size_t used = strlen(list);
    if (used + strlen(name) + 8 < LIST_BYTES) {
        (void)snprintf(list + used, LIST_BYTES - used, "%s\"%s\"", used == 0 ? "" : ", ", name);
    } else if (used > 0 && list[used - 1] != '.') {
        (void)snprintf(list + used, LIST_BYTES - used, " ...");
    }
}

/* ---- world ---- */

struct world_part {
    vec2 size;
    int edge;
};

static const struct field world_fields[] = {
    {.name = "size",
     .type = FIELD_POINT,
     FIELD_MEMBER(struct world_part, size),
     .flags = FIELD_REQUIRED,
     .min = 1.0,
     .max = LIMIT_WORLD_SIZE,
     .unit = "px",
     .help = "Width and height."},
    {.name = "edge",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct world_part, edge),
     .choices = edge_names,
     .help = "What happens at the borders."},
    {.type = FIELD_END},
};

int scenario_read_world(const cJSON *root, struct world_def *def, struct failure *failure) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, "world");
    if (json == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, "world",
                           "missing; expected {\"size\": [width, height]}");
    }
    struct world_part part = {.size = def->size, .edge = def->edge};
    if (fields_read(world_fields, json, "world", no_more, &part, NULL, failure) != 0) {
        return -1;
    }
    def->size = part.size;
    def->edge = part.edge;
    return 0;
}

/* ---- targets ---- */

static const struct field target_fields[] = {
    {.name = "at",
     .type = FIELD_POINT,
     FIELD_MEMBER(struct target_def, at),
     .flags = FIELD_REQUIRED,
     .min = -LIMIT_COORDINATE,
     .max = LIMIT_COORDINATE,
     .unit = "px",
     .help = "Where it is at first."},
    {.name = "jump_within",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct target_def, jump_within),
     .max = LIMIT_WORLD_SIZE,
     .unit = "px",
     .help = "It jumps to a random place when an agent is nearer than this; 0: never."},
    {.name = "jump_margin",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct target_def, jump_margin),
     .max = LIMIT_WORLD_SIZE,
     .unit = "px",
     .help = "Kept from the borders when jumping."},
    {.type = FIELD_END},
};

static int read_target(const cJSON *json, const char *path, struct target_def *target,
                       struct failure *failure) {
    if (cJSON_IsObject(json)) {
        return fields_read(target_fields, json, path, no_more, target, NULL, failure);
    }
    if (expect(cJSON_IsArray(json), "a point [x, y] or an object", json, path, failure) != 0) {
        return -1;
    }
    return field_read_value(&target_fields[0], json, path, target, failure);
}

int scenario_read_targets(const cJSON *root, struct world_def *def, struct failure *failure) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, "targets");
    if (json == NULL) {
        return 0;
    }
    if (expect(cJSON_IsObject(json), "an object of targets by name", json, "targets", failure) != 0) {
        return -1;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        char path[PATH_BYTES];
        make_path(path, "targets.%s", item->string);
        if (def->target_count == LIMIT_TARGETS) {
            return failure_set(failure, FAILURE_BAD_PARAM, path, "too many targets: at most %d",
                               LIMIT_TARGETS);
        }
        struct target_def target = {0};
        if (check_name(item->string, path, failure) != 0 || read_target(item, path, &target, failure) != 0) {
            return -1;
        }
        memcpy(target.name, item->string, strlen(item->string) + 1);
        def->targets[def->target_count++] = target;
    }
    return 0;
}

/* ---- kinds ---- */

static int check_target(const struct world_def *def, const char *name, const char *path,
                        struct failure *failure) {
    char list[LIST_BYTES] = "";
    for (int i = 0; i < def->target_count; i++) {
        if (strcmp(def->targets[i].name, name) == 0) {
            return 0;
        }
        list_name(list, def->targets[i].name);
    }
    return failure_set(failure, FAILURE_NO_TARGET, path, "no target \"%s\"; this scenario has %s", name,
                       list[0] == '\0' ? "none" : list);
}

static int fail_behavior_name(const char *name, const char *path, struct failure *failure) {
    char list[LIST_BYTES] = "";
    for (int type = 0; type < BEHAVIOR_TYPE_COUNT; type++) {
        list_name(list, behavior_type_name((enum behavior_type)type));
    }
    return failure_set(failure, FAILURE_BAD_PARAM, path, "no behaviour \"%.40s\"; there are %s", name, list);
}

/* {"seek": {"target": "mouse"}} */
static int read_behavior(const cJSON *json, const char *path, const struct world_def *def,
                         struct behavior_def *behavior, struct failure *failure) {
    if (expect(cJSON_IsObject(json), "an object like {\"seek\": {...}}", json, path, failure) != 0) {
        return -1;
    }
    if (cJSON_GetArraySize(json) != 1) {
        return failure_set(failure, FAILURE_BAD_PARAM, path,
                           "expected one key, the behaviour's name; found %d keys", cJSON_GetArraySize(json));
    }
    const cJSON *item = json->child;
    char item_path[PATH_BYTES];
    make_path(item_path, "%s.%s", path, item->string);
    const int type = behavior_type_from_name(item->string);
    if (type < 0) {
        return fail_behavior_name(item->string, item_path, failure);
    }
    *behavior = behavior_def_default((enum behavior_type)type);
    if (fields_read(behavior_fields((enum behavior_type)type), item, item_path, no_more, behavior, NULL,
                    failure) != 0) {
        return -1;
    }
    char target_path[PATH_BYTES];
    make_path(target_path, "%s.%s.target", path, item->string);
    return check_target(def, behavior->target, target_path, failure);
}

static int read_behaviors(const cJSON *json, const char *path, const struct world_def *def,
                          struct state_def *state, struct failure *failure) {
    if (expect(cJSON_IsArray(json), "an array of behaviours", json, path, failure) != 0) {
        return -1;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        if (state->behavior_count == LIMIT_BEHAVIORS) {
            return failure_set(failure, FAILURE_BAD_PARAM, path, "%d behaviours are too many: at most %d",
                               cJSON_GetArraySize(json), LIMIT_BEHAVIORS);
        }
        char item_path[PATH_BYTES];
        make_path(item_path, "%s[%d]", path, state->behavior_count);
        if (read_behavior(item, item_path, def, &state->behaviors[state->behavior_count], failure) != 0) {
            return -1;
        }
        state->behavior_count++;
    }
    return 0;
}

static int read_kind(const cJSON *json, const char *path, const struct world_def *def, struct kind_def *kind,
                     struct failure *failure) {
    static const char *const parts[] = {"behaviors", NULL};
    if (fields_read(body_fields(), json, path, parts, &kind->body, NULL, failure) != 0) {
        return -1;
    }
    struct state_def *state = &kind->states[0];
    const cJSON *behaviors = cJSON_GetObjectItemCaseSensitive(json, "behaviors");
    if (behaviors != NULL) {
        char behaviors_path[PATH_BYTES];
        make_path(behaviors_path, "%s.behaviors", path);
        if (read_behaviors(behaviors, behaviors_path, def, state, failure) != 0) {
            return -1;
        }
    }
    const char *name =
        state->behavior_count > 0 ? behavior_type_name((enum behavior_type)state->behaviors[0].type) : "idle";
    (void)snprintf(state->name, sizeof state->name, "%s", name);
    return 0;
}

int scenario_read_kinds(const cJSON *root, struct world_def *def, struct failure *failure) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, "kinds");
    if (json == NULL) {
        return 0;
    }
    if (expect(cJSON_IsObject(json), "an object of kinds by name", json, "kinds", failure) != 0) {
        return -1;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        char path[PATH_BYTES];
        make_path(path, "kinds.%s", item->string);
        if (check_name(item->string, path, failure) != 0) {
            return -1;
        }
        if (def->kind_count == LIMIT_KINDS) {
            return failure_set(failure, FAILURE_BAD_PARAM, path, "too many kinds: at most %d", LIMIT_KINDS);
        }
        struct kind_def *kind = world_def_add_kind(def, item->string);
        if (kind == NULL) {
            return failure_set(failure, FAILURE_BUSY, path, "out of memory");
        }
        if (read_kind(item, path, def, kind, failure) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- agents ---- */

enum { ROW_KIND, ROW_COUNT, ROW_AT, ROW_VELOCITY, ROW_HEADING };

static const struct field placement_fields[] = {
    [ROW_KIND] = {.name = "kind",
                  .type = FIELD_NAME,
                  FIELD_MEMBER(struct placement_def, kind),
                  .flags = FIELD_REQUIRED,
                  .help = "One of the kinds."},
    [ROW_COUNT] = {.name = "count",
                   .type = FIELD_UINT32,
                   FIELD_MEMBER(struct placement_def, count),
                   .min = 1.0,
                   .max = LIMIT_AGENTS,
                   .initial = 1.0,
                   .help = "How many."},
    [ROW_AT] = {.name = "at",
                .type = FIELD_POINT,
                FIELD_MEMBER(struct placement_def, at),
                .min = -LIMIT_COORDINATE,
                .max = LIMIT_COORDINATE,
                .unit = "px",
                .help = "The place of all of them."},
    [ROW_VELOCITY] = {.name = "velocity",
                      .type = FIELD_POINT,
                      FIELD_MEMBER(struct placement_def, velocity),
                      .min = -LIMIT_SPEED,
                      .max = LIMIT_SPEED,
                      .unit = "px/s",
                      .help = "At the start."},
    [ROW_HEADING] = {.name = "heading",
                     .type = FIELD_ANGLE,
                     FIELD_MEMBER(struct placement_def, heading),
                     .min = -360.0,
                     .max = 360.0,
                     .unit = "deg",
                     .help = "Where they face; along the velocity when left out."},
    {.type = FIELD_END},
};

/* Reads exactly `count` numbers; the first two are a place, the rest lengths. */
static int read_lengths(const cJSON *json, const char *path, int count, const char *wanted, float *out,
                        struct failure *failure) {
    if (expect(cJSON_IsArray(json), wanted, json, path, failure) != 0) {
        return -1;
    }
    if (cJSON_GetArraySize(json) != count) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "expected %s, found an array of %d", wanted,
                           cJSON_GetArraySize(json));
    }
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, json) {
        char item_path[PATH_BYTES];
        make_path(item_path, "%s[%d]", path, index);
        const struct field row = {.name = "",
                                  .type = FIELD_FLOAT,
                                  .offset = (size_t)index * sizeof *out,
                                  .size = sizeof *out,
                                  .min = index < 2 ? -LIMIT_COORDINATE : 0.0,
                                  .max = LIMIT_COORDINATE,
                                  .unit = "px"};
        if (field_read_value(&row, item, item_path, out, failure) != 0) {
            return -1;
        }
        index++;
    }
    return 0;
}

/* {"rect": [x, y, w, h]} or {"circle": [x, y, r]} */
static int read_area(const cJSON *json, const char *path, struct placement_def *placement,
                     struct failure *failure) {
    static const char *const wanted = "{\"rect\": [x, y, w, h]} or {\"circle\": [x, y, r]}";
    if (expect(cJSON_IsObject(json), wanted, json, path, failure) != 0) {
        return -1;
    }
    const cJSON *item = json->child;
    const bool is_rect = item != NULL && strcmp(item->string, "rect") == 0;
    if (item == NULL || item->next != NULL || (!is_rect && strcmp(item->string, "circle") != 0)) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "expected exactly %s", wanted);
    }
    char item_path[PATH_BYTES];
    float numbers[4] = {0};
    make_path(item_path, "%s.%s", path, item->string);
    if (read_lengths(item, item_path, is_rect ? 4 : 3, is_rect ? "[x, y, w, h]" : "[x, y, r]", numbers,
                     failure) != 0) {
        return -1;
    }
    placement->shape = is_rect ? PLACE_RECT : PLACE_CIRCLE;
    placement->at = vec2_make(numbers[0], numbers[1]);
    placement->size = is_rect ? vec2_make(numbers[2], numbers[3]) : vec2_make(0.0f, 0.0f);
    placement->radius = is_rect ? 0.0f : numbers[2];
    return 0;
}

static int check_kind(const struct world_def *def, const char *name, const char *path,
                      struct failure *failure) {
    char list[LIST_BYTES] = "";
    for (int i = 0; i < def->kind_count; i++) {
        if (strcmp(def->kinds[i].name, name) == 0) {
            return 0;
        }
        list_name(list, def->kinds[i].name);
    }
    return failure_set(failure, FAILURE_NO_KIND, path, "no kind \"%s\"; this scenario has %s", name,
                       list[0] == '\0' ? "none" : list);
}

static int read_placement(const cJSON *json, const char *path, const struct world_def *def,
                          struct placement_def *placement, struct failure *failure) {
    static const char *const parts[] = {"in", NULL};
    uint64_t present = 0;
    *placement = (struct placement_def){.count = 1, .shape = PLACE_POINT};
    if (fields_read(placement_fields, json, path, parts, placement, &present, failure) != 0) {
        return -1;
    }
    placement->has_velocity = (present >> ROW_VELOCITY & 1) != 0;
    placement->has_heading = (present >> ROW_HEADING & 1) != 0;
    const bool has_at = (present >> ROW_AT & 1) != 0;
    const cJSON *area = cJSON_GetObjectItemCaseSensitive(json, "in");
    char part_path[PATH_BYTES];
    make_path(part_path, "%s.in", path);
    if (has_at && area != NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, part_path,
                           "\"at\" is there too; one of them says where");
    }
    if (!has_at && area == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "missing a place: \"at\" or \"in\"");
    }
    if (area != NULL && read_area(area, part_path, placement, failure) != 0) {
        return -1;
    }
    make_path(part_path, "%s.kind", path);
    return check_kind(def, placement->kind, part_path, failure);
}

int scenario_read_agents(const cJSON *root, struct world_def *def, struct failure *failure) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, "agents");
    if (json == NULL) {
        return 0;
    }
    if (expect(cJSON_IsArray(json), "an array", json, "agents", failure) != 0) {
        return -1;
    }
    uint64_t total = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        char path[PATH_BYTES];
        make_path(path, "agents[%d]", def->placement_count);
        struct placement_def read;
        if (read_placement(item, path, def, &read, failure) != 0) {
            return -1;
        }
        total += read.count;
        if (total > LIMIT_AGENTS || def->placement_count == LIMIT_PLACEMENTS) {
            return failure_set(failure, FAILURE_BAD_PARAM, path, "too much: at most %d entries and %d agents",
                               LIMIT_PLACEMENTS, LIMIT_AGENTS);
        }
        struct placement_def *placement = world_def_add_placement(def, read.kind);
        if (placement == NULL) {
            return failure_set(failure, FAILURE_BUSY, path, "out of memory");
        }
        *placement = read;
    }
    return 0;
}
