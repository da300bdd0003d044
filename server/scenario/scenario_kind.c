/* The kinds of a scenario file: bodies, states with their conditions, behaviors. See scenario_read.h.
 *
 * A kind has either "behaviors", its only state, or "states". What behaviors and conditions refer to is
 * checked once all kinds are known (scenario_check_refs).
 */
#include "server/scenario/scenario_read.h"

#include <stdio.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/geometry_json.h"
#include "common/text/names.h"

static const char *const no_more[] = {NULL};

/* ---- references ---- */

static int fail_no_target(const struct world_def *def, const char *name, const char *path,
                          struct failure *failure) {
    struct scenario_names names = scenario_names_begin(name);
    for (int i = 0; i < def->target_count; i++) {
        scenario_names_add(&names, def->targets[i].name, true);
    }
    return scenario_names_fail(&names, FAILURE_NO_TARGET, "target", "this scenario has", path, failure);
}

static int check_target(const struct world_def *def, const char *name, const char *path,
                        struct failure *failure) {
    const size_t length = strlen(name);
    const bool is_prefix = length > 0 && name[length - 1] == '*';
    for (int i = 0; i < def->target_count; i++) {
        if (strncmp(def->targets[i].name, name, is_prefix ? length - 1 : length + 1) == 0) {
            return 0;
        }
    }
    /* A set may be empty at first: food* is filled later. */
    return is_prefix ? 0 : fail_no_target(def, name, path, failure);
}

/* Exactly one of target, kind and agent, and it must be there. prefix: "" or "second_". */
static int check_ref(const struct world_def *def, const struct target_ref *ref, const char *prefix,
                     const char *path, struct failure *failure) {
    char where[SCENARIO_PATH_BYTES];
    const int count = (ref->target[0] != '\0') + (ref->kind[0] != '\0') + (ref->agent != 0);
    if (count == 0) {
        scenario_path(where, "%s.%starget", path, prefix);
        return failure_set(failure, FAILURE_BAD_PARAM, where,
                           "missing; one of %starget, %skind and %sagent says whom", prefix, prefix, prefix);
    }
    if (count > 1) {
        return failure_set(failure, FAILURE_BAD_PARAM, path,
                           "%starget, %skind and %sagent are mutually exclusive", prefix, prefix, prefix);
    }
    if (ref->target[0] != '\0') {
        scenario_path(where, "%s.%starget", path, prefix);
        return check_target(def, ref->target, where, failure);
    }
    scenario_path(where, "%s.%skind", path, prefix);
    return ref->kind[0] != '\0' ? scenario_check_kind(def, ref->kind, where, failure) : 0;
}

/* Every name of a behavior's "kinds" is a kind's. */
static int check_kinds(const struct world_def *def, const struct behavior_def *behavior, const char *path,
                       struct failure *failure) {
    const char *list = behavior->kinds;
    for (int index = 0; *list != '\0'; index++) {
        const size_t length = strcspn(list, " ");
        char name[LIMIT_NAME_CHARS + 1], where[SCENARIO_PATH_BYTES];
        (void)snprintf(name, sizeof name, "%.*s", (int)length, list);
        scenario_path(where, "%s.kinds[%d]", path, index);
        if (scenario_check_kind(def, name, where, failure) != 0) {
            return -1;
        }
        list += length + (list[length] == ' ');
    }
    return 0;
}

/* The first formation that behaviors of a kind name; "": none. */
static const char *formation_of(const struct kind_def *kind) {
    for (int s = 0; s < kind->state_count; s++) {
        for (int b = 0; b < kind->states[s].behavior_count; b++) {
            if (kind->states[s].behaviors[b].formation[0] != '\0') {
                return kind->states[s].behaviors[b].formation;
            }
        }
    }
    return "";
}

/* The formation that a behavior names is there, and the kind's only one. */
static int check_formation(const struct world_def *def, const struct kind_def *kind,
                           const struct behavior_def *behavior, const char *path, struct failure *failure) {
    struct scenario_names names = scenario_names_begin(behavior->formation);
    char where[SCENARIO_PATH_BYTES];
    bool is_there = behavior->formation[0] == '\0';
    for (int i = 0; i < def->formation_count; i++) {
        is_there |= strcmp(def->formations[i].name, behavior->formation) == 0;
        scenario_names_add(&names, def->formations[i].name, true);
    }
    scenario_path(where, "%s.formation", path);
    if (!is_there) {
        return scenario_names_fail(&names, FAILURE_BAD_PARAM, "formation", "this scenario has", where,
                                   failure);
    }
    return behavior->formation[0] == '\0' || strcmp(formation_of(kind), behavior->formation) == 0
               ? 0
               : failure_set(
                     failure, FAILURE_BAD_PARAM, where,
                     "a kind keeps the places of one formation; allowed: \"%s\", as in its other behavior",
                     formation_of(kind));
}

/* Where state s of a kind is written: "kinds.prey" or "kinds.prey.states[2]". */
static void state_path(const struct kind_def *kind, int s, char out[SCENARIO_PATH_BYTES]) {
    if (kind->has_states) {
        scenario_path(out, "kinds.%s.states[%d]", kind->name, s);
    } else {
        scenario_path(out, "kinds.%s", kind->name);
    }
}

/* The references of one behavior, one after the other. */
static int check_behavior_refs(const struct world_def *def, const struct behavior_def *behavior,
                               const struct kind_def *kind, const char *path,
                               struct scenario_mistakes *mistakes) {
    const int targets = behavior_target_count((enum behavior_type)behavior->type);
    struct failure failure = {0};
    if (check_kinds(def, behavior, path, &failure) != 0 && !scenario_mistake(mistakes, &failure)) {
        return -1;
    }
    if (targets >= 1 && check_ref(def, &behavior->target, "", path, &failure) != 0 &&
        !scenario_mistake(mistakes, &failure)) {
        return -1;
    }
    if (targets >= 2 && check_ref(def, &behavior->second, "second_", path, &failure) != 0 &&
        !scenario_mistake(mistakes, &failure)) {
        return -1;
    }
    const bool is_there = scenario_check_geometry(def, behavior, path, &failure) == 0 &&
                          check_formation(def, kind, behavior, path, &failure) == 0;
    return is_there || scenario_mistake(mistakes, &failure) ? 0 : -1;
}

/* The state of a cooldown is one of the kind's. */
static int check_state_name(const struct kind_def *kind, const char *name, const char *path,
                            struct failure *failure) {
    struct scenario_names names = scenario_names_begin(name);
    for (int s = 0; s < kind->state_count; s++) {
        if (strcmp(kind->states[s].name, name) == 0) {
            return 0;
        }
        scenario_names_add(&names, kind->states[s].name, true);
    }
    return scenario_names_fail(&names, FAILURE_BAD_PARAM, "state", "this kind has", path, failure);
}

/* What is heard is given by some state of some kind. */
static int check_signal(const struct world_def *def, const char *name, const char *path,
                        struct failure *failure) {
    struct scenario_names names = scenario_names_begin(name);
    for (int k = 0; k < def->kind_count; k++) {
        for (int s = 0; s < def->kinds[k].state_count; s++) {
            const char *signal = def->kinds[k].states[s].signal;
            if (signal[0] != '\0' && strcmp(signal, name) == 0) {
                return 0;
            }
            if (signal[0] != '\0') {
                scenario_names_add(&names, signal, true);
            }
        }
    }
    return scenario_names_fail(&names, FAILURE_BAD_PARAM, "signal", "states of this scenario give", path,
                               failure);
}

static int check_area(const struct world_def *def, const char *name, const char *path,
                      struct failure *failure) {
    struct scenario_names names = scenario_names_begin(name);
    for (int i = 0; i < def->geometry.area_count; i++) {
        scenario_names_add(&names, def->geometry.areas[i].name, true);
    }
    return geometry_def_find_area(&def->geometry, name) >= 0
               ? 0
               : scenario_names_fail(&names, FAILURE_BAD_PARAM, "area", "this scenario has", path, failure);
}

static int check_condition(const struct world_def *def, const struct kind_def *kind,
                           const struct condition_def *node, const char *path, struct failure *failure) {
    char where[SCENARIO_PATH_BYTES];
    switch ((enum condition_type)node->type) {
    case CONDITION_NEAR:
        return check_ref(def, &node->target, "", path, failure);
    case CONDITION_COOLDOWN:
        scenario_path(where, "%s.cooldown.state", path);
        return check_state_name(kind, node->name, where, failure);
    case CONDITION_HEARD:
        scenario_path(where, "%s.heard.signal", path);
        return check_signal(def, node->name, where, failure);
    case CONDITION_IN:
        scenario_path(where, "%s.in.area", path);
        return check_area(def, node->name, where, failure);
    default:
        return 0;
    }
}

/* Each agent has a timer for each condition that needs one. */
static int check_timers(const struct kind_def *kind, const char *path, struct failure *failure) {
    int count = 0;
    for (int s = 0; s < kind->state_count; s++) {
        for (int c = 0; c < kind->states[s].condition_count; c++) {
            count += condition_has_timer(&kind->states[s].conditions[c]);
        }
    }
    return count <= LIMIT_TIMERS
               ? 0
               : failure_set(
                     failure, FAILURE_BAD_PARAM, path,
                     "%d conditions with \"remember\" or \"cooldown\" are too many: at most %d in a kind",
                     count, LIMIT_TIMERS);
}

static int check_state_refs(const struct world_def *def, const struct kind_def *kind, int index,
                            const char *path, struct scenario_mistakes *mistakes) {
    const struct state_def *state = &kind->states[index];
    struct failure failure = {0};
    char where[SCENARIO_PATH_BYTES];
    for (int b = 0; b < state->behavior_count; b++) {
        const struct behavior_def *behavior = &state->behaviors[b];
        scenario_path(where, "%s.behaviors[%d].%s", path, b,
                      behavior_type_name((enum behavior_type)behavior->type));
        if (check_behavior_refs(def, behavior, kind, where, mistakes) != 0) {
            return -1;
        }
    }
    scenario_path(where, "%s.when", path);
    for (int c = 0; c < state->condition_count; c++) {
        if (check_condition(def, kind, &state->conditions[c], where, &failure) != 0 &&
            !scenario_mistake(mistakes, &failure)) {
            return -1;
        }
    }
    return 0;
}

static int check_refs(const struct world_def *def, struct scenario_mistakes *mistakes) {
    for (int k = 0; k < def->kind_count; k++) {
        const struct kind_def *kind = &def->kinds[k];
        struct failure failure = {0};
        char path[SCENARIO_PATH_BYTES];
        for (int s = 0; s < kind->state_count; s++) {
            state_path(kind, s, path);
            if (check_state_refs(def, kind, s, path, mistakes) != 0) {
                return -1;
            }
        }
        scenario_path(path, "kinds.%s.states", kind->name);
        if (check_timers(kind, path, &failure) != 0 && !scenario_mistake(mistakes, &failure)) {
            return -1;
        }
    }
    return 0;
}

/* ---- behaviors ---- */

static int fail_behavior_name(const char *name, const char *path, struct failure *failure) {
    struct scenario_names names = scenario_names_begin(name);
    for (int type = 0; behavior_type_name((enum behavior_type)type) != NULL; type++) {
        scenario_names_add(&names, behavior_type_name((enum behavior_type)type), false);
    }
    return scenario_names_fail(&names, FAILURE_BAD_PARAM, "behavior", "there are", path, failure);
}

static const char *const region_parts[] = {"rect", "circle", NULL};

/* "rect": [x, y, w, h], "circle": [x, y, r], or neither: the world. */
static int read_region(const cJSON *json, const char *path, struct region_def *region,
                       struct failure *failure) {
    const cJSON *rect = cJSON_GetObjectItemCaseSensitive(json, "rect"),
                *circle = cJSON_GetObjectItemCaseSensitive(json, "circle");
    struct geometry_area area;
    char part_path[SCENARIO_PATH_BYTES];
    if (rect != NULL && circle != NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, path,
                           "\"rect\" and \"circle\" are both there; a region is one of them, or the world");
    }
    if (rect == NULL && circle == NULL) {
        region->shape = REGION_WORLD;
        return 0;
    }
    const cJSON *part = rect != NULL ? rect : circle;
    scenario_path(part_path, "%s.%s", path, part->string);
    if (geometry_area_read(part, rect == NULL, part_path, &area, failure) != 0) {
        return -1;
    }
    region->shape = rect != NULL ? REGION_RECT : REGION_CIRCLE;
    region->at = area.at;
    region->size = area.size;
    region->radius = area.radius;
    return 0;
}

/* The name and what it is of, {"seek": {"target": "mouse"}}; NULL with *failure. path becomes that of the
 * member. */
static const cJSON *read_behavior_type(const cJSON *json, char path[SCENARIO_PATH_BYTES],
                                       struct behavior_def *behavior, struct failure *failure) {
    if (scenario_expect(cJSON_IsObject(json), "an object like {\"seek\": {...}}", json, path, failure) != 0) {
        return NULL;
    }
    if (cJSON_GetArraySize(json) != 1) {
        (void)failure_set(failure, FAILURE_BAD_PARAM, path,
                          "expected one key, the behavior's name; found %d keys", cJSON_GetArraySize(json));
        return NULL;
    }
    const cJSON *item = json->child;
    char item_path[SCENARIO_PATH_BYTES];
    scenario_path(item_path, "%s.%s", path, item->string);
    memcpy(path, item_path, sizeof item_path);
    const int type = behavior_type_from_name(item->string);
    if (type < 0) {
        (void)fail_behavior_name(item->string, path, failure);
        return NULL;
    }
    *behavior = behavior_def_default((enum behavior_type)type);
    return item;
}

/* One with a mistake becomes a wander in its place, which names nothing that could be missing. */
static int read_behavior(const cJSON *json, char path[SCENARIO_PATH_BYTES], struct behavior_def *behavior,
                         struct scenario_mistakes *mistakes) {
    struct failure failure = {0};
    bool is_whole = false;
    const cJSON *item = read_behavior_type(json, path, behavior, &failure);
    if (item != NULL) {
        const enum behavior_type type = (enum behavior_type)behavior->type;
        const bool has_region = behavior_has_trait(behavior->type, TRAIT_REGION);
        if (scenario_read_fields(behavior_fields(type), item, path, has_region ? region_parts : no_more,
                                 behavior, NULL, &is_whole, mistakes) != 0) {
            return -1;
        }
        if (is_whole && (!has_region || read_region(item, path, &behavior->region, &failure) == 0)) {
            return 0;
        }
    }
    const bool is_told = item != NULL && !is_whole;
    *behavior = behavior_def_placeholder();
    return is_told || scenario_mistake(mistakes, &failure) ? 0 : -1;
}

/* Two filters would each undo what the other does. Whether the last behavior of a state is the second sort of them. */
static bool is_second_filter(const struct state_def *state, const char **other) {
    const int last = state->behaviors[state->behavior_count - 1].type;
    bool is_second = false;
    for (int b = 0;
         b < state->behavior_count - 1 && !is_second && behavior_is_velocity_filter((enum behavior_type)last);
         b++) {
        const enum behavior_type type = (enum behavior_type)state->behaviors[b].type;
        *other = behavior_type_name(type);
        is_second = behavior_is_velocity_filter(type) && (int)type != last;
    }
    return is_second;
}

static int read_behaviors(const cJSON *parent, const char *parent_path, struct state_def *state,
                          struct scenario_mistakes *mistakes) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(parent, "behaviors");
    if (json == NULL) {
        return 0;
    }
    struct failure failure = {0};
    char path[SCENARIO_PATH_BYTES];
    scenario_path(path, "%s.behaviors", parent_path);
    if (scenario_expect(cJSON_IsArray(json), "an array of behaviors", json, path, &failure) != 0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        if (state->behavior_count == LIMIT_BEHAVIORS) {
            (void)failure_set(&failure, FAILURE_BAD_PARAM, path, "%d behaviors are too many: at most %d",
                              cJSON_GetArraySize(json), LIMIT_BEHAVIORS);
            return scenario_mistake(mistakes, &failure) ? 0 : -1;
        }
        char item_path[SCENARIO_PATH_BYTES];
        scenario_path(item_path, "%s[%d]", path, state->behavior_count);
        if (read_behavior(item, item_path, &state->behaviors[state->behavior_count], mistakes) != 0) {
            return -1;
        }
        state->behavior_count++;
        const char *other;
        if (is_second_filter(state, &other)) {
            (void)failure_set(&failure, FAILURE_BAD_PARAM, item_path,
                              "\"%s\" is in the state already; only one of the two can have the last word",
                              other);
            if (!scenario_mistake(mistakes, &failure)) {
                return -1;
            }
        }
    }
    return 0;
}

/* ---- conditions ---- */

/* A condition object: all of its members hold. One row a member that is not a combination. */
static const struct {
    const char *name;
    int type;
    double max; /* of the number; 0: a bool, false negates, or an object (condition_fields) */
} condition_rows[] = {
    {"near", CONDITION_NEAR, 0.0},
    {"exhausted", CONDITION_EXHAUSTED, 0.0},
    {"has_quarry", CONDITION_HAS_QUARRY, 0.0},
    {"stamina_below", CONDITION_STAMINA_BELOW, 1.0},
    {"stamina_above", CONDITION_STAMINA_ABOVE, 1.0},
    {"time_over", CONDITION_TIME_OVER, 1e6},
    {"driven", CONDITION_DRIVEN, 0.0},
    {"cooldown", CONDITION_COOLDOWN, 0.0},
    {"chance", CONDITION_CHANCE, 1e6},
    {"heard", CONDITION_HEARD, 0.0},
    {"in", CONDITION_IN, 0.0},
};

static const char *const condition_names[] = {
    "near",   "exhausted", "has_quarry", "stamina_below", "stamina_above", "time_over", "driven", "cooldown",
    "chance", "heard",     "in",         "not",           "all",           "any",       NULL};

static struct field number_of(size_t row) {
    return (struct field){.name = condition_rows[row].name,
                          .type = FIELD_FLOAT,
                          FIELD_MEMBER(struct condition_def, value),
                          .max = condition_rows[row].max};
}

static struct condition_def *add_node(struct state_def *state, int type, const char *path,
                                      struct failure *failure) {
    if (state->condition_count == LIMIT_CONDITIONS) {
        (void)failure_set(failure, FAILURE_BAD_PARAM, path, "the condition has too many parts: at most %d",
                          LIMIT_CONDITIONS);
        return NULL;
    }
    struct condition_def *node = &state->conditions[state->condition_count++];
    *node = (struct condition_def){.type = type};
    return node;
}

static int read_condition(const cJSON *json, const char *path, struct state_def *state,
                          struct failure *failure);

static int read_simple(const cJSON *item, const char *path, size_t row, struct state_def *state,
                       struct failure *failure) {
    const struct field *fields = condition_fields(condition_rows[row].type);
    const bool is_switch = fields == NULL && condition_rows[row].max == 0.0;
    if (is_switch && scenario_expect(cJSON_IsBool(item), "true or false", item, path, failure) != 0) {
        return -1;
    }
    if (is_switch && cJSON_IsFalse(item) && add_node(state, CONDITION_NOT, path, failure) == NULL) {
        return -1;
    }
    struct condition_def *node = add_node(state, condition_rows[row].type, path, failure);
    if (node == NULL || is_switch) {
        return node == NULL ? -1 : 0;
    }
    if (fields != NULL) {
        return fields_read(fields, item, path, no_more, node, NULL, failure);
    }
    const struct field number = number_of(row);
    return field_read_value(&number, item, path, node, failure);
}

/* {"all": [...]} and {"any": [...]} */
static int read_list(const cJSON *item, const char *path, int type, struct state_def *state,
                     struct failure *failure) {
    if (scenario_expect(cJSON_IsArray(item), "an array of conditions", item, path, failure) != 0) {
        return -1;
    }
    struct condition_def *node = add_node(state, type, path, failure);
    if (node == NULL) {
        return -1;
    }
    node->count = cJSON_GetArraySize(item);
    const cJSON *child = NULL;
    int index = 0;
    cJSON_ArrayForEach(child, item) {
        char child_path[SCENARIO_PATH_BYTES];
        scenario_path(child_path, "%s[%d]", path, index++);
        if (read_condition(child, child_path, state, failure) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_member(const cJSON *item, const char *path, struct state_def *state,
                       struct failure *failure) {
    const char *name = item->string;
    for (size_t row = 0; row < sizeof condition_rows / sizeof *condition_rows; row++) {
        if (strcmp(name, condition_rows[row].name) == 0) {
            return read_simple(item, path, row, state, failure);
        }
    }
    if (strcmp(name, "not") == 0) {
        return add_node(state, CONDITION_NOT, path, failure) == NULL
                   ? -1
                   : read_condition(item, path, state, failure);
    }
    if (strcmp(name, "all") == 0 || strcmp(name, "any") == 0) {
        return read_list(item, path, strcmp(name, "all") == 0 ? CONDITION_ALL : CONDITION_ANY, state,
                         failure);
    }
    return scenario_fail_listed(name, condition_names, "condition", path, failure);
}

static int read_condition(const cJSON *json, const char *path, struct state_def *state,
                          struct failure *failure) {
    if (scenario_expect(cJSON_IsObject(json), "an object of conditions", json, path, failure) != 0) {
        return -1;
    }
    const int members = cJSON_GetArraySize(json);
    if (members == 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "empty; expected a condition, such as near");
    }
    if (members > 1) {
        struct condition_def *node = add_node(state, CONDITION_ALL, path, failure);
        if (node == NULL) {
            return -1;
        }
        node->count = members;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        char item_path[SCENARIO_PATH_BYTES];
        scenario_path(item_path, "%s.%s", path, item->string);
        if (read_member(item, item_path, state, failure) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- states and kinds ---- */

static const struct field state_fields[] = {
    {.name = "name",
     .type = FIELD_NAME,
     FIELD_MEMBER(struct state_def, name),
     .flags = FIELD_REQUIRED,
     .help = "What snapshots say."},
    {.name = "signal",
     .type = FIELD_NAME,
     FIELD_MEMBER(struct state_def, signal),
     .help = "What others hear of an agent in this state."},
    {.name = "stamina_rate",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct state_def, stamina_rate),
     .min = -1e6,
     .max = 1e6,
     .unit = "1/s",
     .help = "Change of stamina while in this state."},
    {.name = "combine",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct state_def, combine),
     .choices = combine_names,
     .help = "How the forces become one."},
    {.type = FIELD_END},
};

static int read_state(const cJSON *json, const char *path, struct state_def *state,
                      struct scenario_mistakes *mistakes) {
    static const char *const parts[] = {"when", "behaviors", NULL};
    struct failure failure = {0};
    bool is_whole = false;
    *state = (struct state_def){0};
    if (scenario_read_fields(state_fields, json, path, parts, state, NULL, &is_whole, mistakes) != 0) {
        return -1;
    }
    const cJSON *when = cJSON_GetObjectItemCaseSensitive(json, "when");
    char when_path[SCENARIO_PATH_BYTES];
    scenario_path(when_path, "%s.when", path);
    if (when != NULL && read_condition(when, when_path, state, &failure) != 0) {
        state->condition_count = 0;
        if (!scenario_mistake(mistakes, &failure)) {
            return -1;
        }
    }
    return read_behaviors(json, path, state, mistakes);
}

static int read_states(const cJSON *json, const char *path, struct kind_def *kind,
                       struct scenario_mistakes *mistakes) {
    struct failure failure = {0};
    const int count = cJSON_IsArray(json) ? cJSON_GetArraySize(json) : 0;
    if (scenario_expect(cJSON_IsArray(json), "an array of states", json, path, &failure) == 0 &&
        (count < 1 || count > LIMIT_STATES)) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, path, "%d states; a kind has 1 to %d", count,
                          LIMIT_STATES);
    }
    if (failure.code != FAILURE_NONE) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    kind->has_states = true;
    kind->state_count = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        char item_path[SCENARIO_PATH_BYTES];
        scenario_path(item_path, "%s[%d]", path, kind->state_count);
        if (read_state(item, item_path, &kind->states[kind->state_count], mistakes) != 0) {
            return -1;
        }
        kind->state_count++;
    }
    if (kind->states[count - 1].condition_count > 0) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, path,
                          "the last state has a condition; it is taken when no other holds, so it has none");
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    return 0;
}

static int read_kind(const cJSON *json, const char *path, struct kind_def *kind,
                     struct scenario_mistakes *mistakes) {
    static const char *const parts[] = {"behaviors", "states", NULL};
    struct failure failure = {0};
    bool is_whole = false;
    if (scenario_read_fields(body_fields(), json, path, parts, &kind->body, NULL, &is_whole, mistakes) != 0) {
        return -1;
    }
    if (cJSON_HasObjectItem(json, "turn_radius") && kind->body.locomotion != LOCOMOTION_WHEELED) {
        char radius_path[SCENARIO_PATH_BYTES];
        scenario_path(radius_path, "%s.turn_radius", path);
        (void)failure_set(&failure, FAILURE_BAD_PARAM, radius_path,
                          "it goes with the locomotion \"wheeled\", which this kind does not have");
        if (!scenario_mistake(mistakes, &failure)) {
            return -1;
        }
    }
    const cJSON *states = cJSON_GetObjectItemCaseSensitive(json, "states");
    if (states != NULL) {
        char states_path[SCENARIO_PATH_BYTES];
        scenario_path(states_path, "%s.states", path);
        if (cJSON_HasObjectItem(json, "behaviors")) {
            (void)failure_set(&failure, FAILURE_BAD_PARAM, states_path,
                              "\"behaviors\" is there too; they belong into the states");
            if (!scenario_mistake(mistakes, &failure)) {
                return -1;
            }
        }
        return read_states(states, states_path, kind, mistakes);
    }
    struct state_def *state = &kind->states[0];
    if (read_behaviors(json, path, state, mistakes) != 0) {
        return -1;
    }
    const char *name =
        state->behavior_count > 0 ? behavior_type_name((enum behavior_type)state->behaviors[0].type) : "idle";
    (void)snprintf(state->name, sizeof state->name, "%s", name);
    return 0;
}

/* NULL with *failure when there can be none of this name, or no more. */
static struct kind_def *add_kind(struct world_def *def, const char *name, const char *path,
                                 struct failure *failure) {
    if (scenario_check_name(name, path, failure) != 0) {
        return NULL;
    }
    if (def->kind_count == LIMIT_KINDS) {
        (void)failure_set(failure, FAILURE_BAD_PARAM, path, "too many kinds: at most %d", LIMIT_KINDS);
        return NULL;
    }
    struct kind_def *kind = world_def_add_kind(def, name);
    if (kind == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, path, "out of memory");
    }
    return kind;
}

int scenario_read_kinds(const cJSON *root, struct world_def *def, struct scenario_mistakes *mistakes) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, "kinds");
    struct failure failure = {0};
    if (json == NULL) {
        return scenario_read_formations(root, def, mistakes);
    }
    if (scenario_expect(cJSON_IsObject(json), "an object of kinds by name", json, "kinds", &failure) != 0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        char path[SCENARIO_PATH_BYTES];
        scenario_path(path, "kinds.%s", item->string);
        struct kind_def *kind = add_kind(def, item->string, path, &failure);
        if (kind == NULL ? !scenario_mistake(mistakes, &failure)
                         : read_kind(item, path, kind, mistakes) != 0) {
            return -1;
        }
    }
    return scenario_read_formations(root, def, mistakes) != 0 ? -1 : check_refs(def, mistakes);
}

/* ---- the schema ---- */

/* An object with a single member: the behavior's name. */
void scenario_schema_behaviors(struct json_writer *json) {
    json_key(json, "behavior");
    scenario_schema_open(json, NULL, NULL, "A behavior by its name.");
    for (int type = 0; behavior_type_name((enum behavior_type)type) != NULL; type++) {
        json_key(json, behavior_type_name((enum behavior_type)type));
        scenario_schema_open(json, behavior_fields((enum behavior_type)type), NULL, NULL);
        if (behavior_has_trait(type, TRAIT_REGION)) {
            scenario_schema_shapes(json, area_shape_names, 2);
        }
        scenario_schema_close(json);
    }
    json_end(json);
    json_key_unsigned(json, "minProperties", 1);
    json_key_unsigned(json, "maxProperties", 1);
    json_end(json);
}

static void write_condition(struct json_writer *json, size_t row) {
    static const struct field choice = {.type = FIELD_BOOL};
    const struct field *fields = condition_fields(condition_rows[row].type), number = number_of(row);
    json_key(json, condition_rows[row].name);
    if (fields != NULL) {
        scenario_schema_open(json, fields, NULL, NULL);
        scenario_schema_close(json);
    } else {
        scenario_schema_value(json, condition_rows[row].max == 0.0 ? &choice : &number);
    }
}

void scenario_schema_conditions(struct json_writer *json) {
    json_key(json, "condition");
    scenario_schema_open(json, NULL, NULL, "All of its members hold.");
    for (size_t row = 0; row < sizeof condition_rows / sizeof *condition_rows; row++) {
        write_condition(json, row);
    }
    scenario_schema_ref(json, "not", "condition");
    scenario_schema_list(json, "all", 0, LIMIT_CONDITIONS, NULL);
    scenario_schema_ref(json, NULL, "condition");
    json_end(json);
    scenario_schema_list(json, "any", 0, LIMIT_CONDITIONS, NULL);
    scenario_schema_ref(json, NULL, "condition");
    json_end(json);
    json_end(json);
    json_key_unsigned(json, "minProperties", 1);
    json_end(json);
}

static void write_behaviors(struct json_writer *json) {
    scenario_schema_list(json, "behaviors", 0, LIMIT_BEHAVIORS, "What it does, one beside the other.");
    scenario_schema_ref(json, NULL, "behavior");
    json_end(json);
}

void scenario_schema_kinds(struct json_writer *json) {
    scenario_schema_by_name(json, "kinds", LIMIT_KINDS, "What agents are.");
    scenario_schema_open(json, body_fields(), NULL, NULL);
    write_behaviors(json);
    scenario_schema_list(json, "states", 1, LIMIT_STATES, "The first whose condition holds is taken.");
    scenario_schema_open(json, state_fields, NULL, NULL);
    scenario_schema_ref(json, "when", "condition");
    write_behaviors(json);
    scenario_schema_close(json);
    json_end(json);
    scenario_schema_close(json);
    json_end(json);
}
