/* See scenario_read.h. Every function appends to the path of what it reads, so that a mistake names its
 * place. */
#include "server/scenario/scenario_read.h"

#include <math.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/geometry_json.h"
#include "common/text/names.h"

static const char *const no_more[] = {NULL};

/* ---- world ---- */

struct world_part {
    vec2 size;
    int edge;
    float meter;
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
    {.name = "meter",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct world_part, meter),
     .min = LIMIT_METER_LEAST,
     .max = LIMIT_WORLD_SIZE,
     .unit = "px",
     .help = "How many px a meter has; without it the world has no scale."},
    {.type = FIELD_END},
};

void scenario_schema_world(struct json_writer *json) {
    json_key(json, "world");
    scenario_schema_open(json, world_fields, NULL, "Its size, its edges and what stands in it.");
    scenario_schema_geometry(json);
    scenario_schema_close(json);
}

int scenario_read_world(const cJSON *root, struct world_def *def, struct scenario_mistakes *mistakes) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, "world");
    struct failure failure = {0};
    if (json == NULL) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, "world",
                          "missing; expected {\"size\": [width, height]}");
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    static const char *const parts[] = {"obstacles", "walls", "paths", "flow_fields", "areas", "gates", NULL};
    struct world_part part = {.size = def->size, .edge = def->edge, .meter = def->meter};
    bool is_whole = false;
    if (scenario_read_fields(world_fields, json, "world", parts, &part, NULL, &is_whole, mistakes) != 0) {
        return -1;
    }
    def->size = part.size;
    def->edge = part.edge;
    def->meter = part.meter;
    return scenario_read_geometry(json, def, mistakes);
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

static const struct field stroll_fields[] = {
    {.name = "after",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct target_def, stroll_after),
     .max = LIMIT_STROLL_AFTER,
     .initial = 10.0,
     .unit = "s",
     .help = "How long no request has set it when it begins to stroll."},
    {.name = "speed",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct target_def, stroll_speed),
     .min = 0.1,
     .max = LIMIT_SPEED,
     .unit = "px/s",
     .help = "The most; a seventh of the world's longer side a second when left out."},
    {.type = FIELD_END},
};

static int read_stroll(const cJSON *json, const char *path, const struct world_def *def,
                       struct target_def *target, struct scenario_mistakes *mistakes) {
    char item_path[SCENARIO_PATH_BYTES];
    bool is_whole = false;
    scenario_path(item_path, "%s.strolls", path);
    fields_set_initial(stroll_fields, target);
    target->stroll_speed = fminf(fmaxf(def->size.x, def->size.y) / 7.0f, (float)LIMIT_SPEED);
    return scenario_read_fields(stroll_fields, json, item_path, no_more, target, NULL, &is_whole, mistakes);
}

static int read_target_object(const cJSON *json, const char *path, const struct world_def *def,
                              struct target_def *target, struct scenario_mistakes *mistakes) {
    static const char *const parts[] = {"strolls", NULL};
    const cJSON *strolls = cJSON_GetObjectItemCaseSensitive(json, "strolls");
    bool is_whole = false;
    if (scenario_read_fields(target_fields, json, path, parts, target, NULL, &is_whole, mistakes) != 0) {
        return -1;
    }
    return strolls == NULL ? 0 : read_stroll(strolls, path, def, target, mistakes);
}

static int read_target(const cJSON *json, const char *path, const struct world_def *def,
                       struct target_def *target, struct scenario_mistakes *mistakes) {
    struct failure failure = {0};
    if (cJSON_IsObject(json)) {
        return read_target_object(json, path, def, target, mistakes);
    }
    if (scenario_expect(cJSON_IsArray(json), "a point [x, y] or an object", json, path, &failure) != 0 ||
        field_read_value(&target_fields[0], json, path, target, &failure) != 0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    return 0;
}

static int check_target_name(const char *name, const char *path, struct failure *failure) {
    if (strncmp(name, "cursor-", 7) == 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, path,
                           "names that begin with cursor- are reserved for the cursors of sessions");
    }
    return scenario_check_name(name, path, failure);
}

void scenario_schema_targets(struct json_writer *json) {
    scenario_schema_by_name(json, "targets", LIMIT_TARGETS, "Points that behaviors name.");
    json_object(json);
    json_key(json, "anyOf");
    json_array(json);
    scenario_schema_value(json, &target_fields[0]);
    scenario_schema_open(json, target_fields, NULL, NULL);
    json_key(json, "strolls");
    scenario_schema_open(json, stroll_fields, NULL, "It strolls while no request sets it.");
    scenario_schema_close(json);
    scenario_schema_close(json);
    json_end(json);
    json_end(json);
    json_end(json);
}

int scenario_read_targets(const cJSON *root, struct world_def *def, struct scenario_mistakes *mistakes) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, "targets");
    struct failure failure = {0};
    if (json == NULL) {
        return 0;
    }
    if (scenario_expect(cJSON_IsObject(json), "an object of targets by name", json, "targets", &failure) !=
        0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        char path[SCENARIO_PATH_BYTES];
        scenario_path(path, "targets.%s", item->string);
        if (def->target_count == LIMIT_TARGETS) {
            (void)failure_set(&failure, FAILURE_BAD_PARAM, path, "too many targets: at most %d",
                              LIMIT_TARGETS);
            return scenario_mistake(mistakes, &failure) ? 0 : -1;
        }
        if (check_target_name(item->string, path, &failure) != 0) {
            if (!scenario_mistake(mistakes, &failure)) {
                return -1;
            }
            continue;
        }
        struct target_def *target = &def->targets[def->target_count++];
        *target = (struct target_def){0};
        memcpy(target->name, item->string, strlen(item->string) + 1);
        if (read_target(item, path, def, target, mistakes) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- agents ---- */

enum { ROW_KIND, ROW_COUNT, ROW_AT, ROW_SPACING, ROW_VELOCITY, ROW_HEADING };

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
    [ROW_SPACING] = {.name = "spacing",
                     .type = FIELD_FLOAT,
                     FIELD_MEMBER(struct placement_def, spacing),
                     .max = LIMIT_WORLD_SIZE,
                     .unit = "px",
                     .help = "From body to body at the start, at least, where there is room."},
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

/* {"rect": [x, y, w, h]} or {"circle": [x, y, r]} */
static int read_area(const cJSON *json, const char *path, struct placement_def *placement,
                     struct failure *failure) {
    static const char *const wanted = "{\"rect\": [x, y, w, h]} or {\"circle\": [x, y, r]}";
    if (scenario_expect(cJSON_IsObject(json), wanted, json, path, failure) != 0) {
        return -1;
    }
    const cJSON *item = json->child;
    const bool is_rect = item != NULL && strcmp(item->string, "rect") == 0;
    if (item == NULL || item->next != NULL || (!is_rect && strcmp(item->string, "circle") != 0)) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "expected exactly %s", wanted);
    }
    char item_path[SCENARIO_PATH_BYTES];
    struct geometry_area area;
    scenario_path(item_path, "%s.%s", path, item->string);
    if (geometry_area_read(item, !is_rect, item_path, &area, failure) != 0) {
        return -1;
    }
    placement->shape = is_rect ? PLACE_RECT : PLACE_CIRCLE;
    placement->at = area.at;
    placement->size = area.size;
    placement->radius = area.radius;
    return 0;
}

/* Where, and of which kind; present: the rows of placement_fields that were there. */
static int check_placement(const cJSON *json, const char *path, const struct world_def *def, uint64_t present,
                           struct placement_def *placement, struct failure *failure) {
    const bool has_at = (present >> ROW_AT & 1) != 0;
    const cJSON *area = cJSON_GetObjectItemCaseSensitive(json, "in");
    char part_path[SCENARIO_PATH_BYTES];
    scenario_path(part_path, "%s.in", path);
    if (has_at && area != NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, part_path,
                           "\"at\" is there too; one of them says where");
    }
    if (has_at && placement->has_spacing) {
        scenario_path(part_path, "%s.spacing", path);
        return failure_set(failure, FAILURE_BAD_PARAM, part_path,
                           "\"at\" is there too, which is one place for all; a spacing goes with \"in\"");
    }
    if (!has_at && area == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "missing a place: \"at\" or \"in\"");
    }
    if (area != NULL && read_area(area, part_path, placement, failure) != 0) {
        return -1;
    }
    scenario_path(part_path, "%s.kind", path);
    return scenario_check_kind(def, placement->kind, part_path, failure);
}

/* *is_whole: whether there was no mistake. */
static int read_placement(const cJSON *json, const char *path, const struct world_def *def,
                          struct placement_def *placement, bool *is_whole,
                          struct scenario_mistakes *mistakes) {
    static const char *const parts[] = {"in", NULL};
    struct failure failure = {0};
    uint64_t present = 0;
    *placement = (struct placement_def){.count = 1, .shape = PLACE_POINT};
    if (scenario_read_fields(placement_fields, json, path, parts, placement, &present, is_whole, mistakes) !=
        0) {
        return -1;
    }
    placement->has_velocity = (present >> ROW_VELOCITY & 1) != 0;
    placement->has_heading = (present >> ROW_HEADING & 1) != 0;
    placement->has_spacing = (present >> ROW_SPACING & 1) != 0;
    if (placement->kind[0] == '\0') {
        return 0; /* it is no object, or its kind was wrong: reported already */
    }
    if (check_placement(json, path, def, present, placement, &failure) != 0) {
        *is_whole = false;
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    return 0;
}

static int add_placement(struct world_def *def, const struct placement_def *read, const char *path,
                         struct failure *failure) {
    uint64_t total = read->count;
    for (int i = 0; i < def->placement_count; i++) {
        total += def->placements[i].count;
    }
    if (total > LIMIT_AGENTS || def->placement_count == LIMIT_PLACEMENTS) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "too much: at most %d entries and %d agents",
                           LIMIT_PLACEMENTS, LIMIT_AGENTS);
    }
    struct placement_def *placement = world_def_add_placement(def, read->kind);
    if (placement == NULL) {
        return failure_set(failure, FAILURE_BUSY, path, "out of memory");
    }
    *placement = *read;
    return 0;
}

void scenario_schema_agents(struct json_writer *json) {
    static const char *const places[] = {"at", "in"};
    scenario_schema_list(json, "agents", 0, LIMIT_PLACEMENTS, "Who is there at the start.");
    scenario_schema_open(json, placement_fields, NULL, NULL);
    json_key(json, "in");
    scenario_schema_open(json, NULL, NULL, "The area in which they are put at random.");
    scenario_schema_shapes(json, area_shape_names, 2);
    scenario_schema_exactly_one(json, area_shape_names, 2);
    scenario_schema_exactly_one(json, places, 2);
    json_end(json);
}

int scenario_read_agents(const cJSON *root, struct world_def *def, struct scenario_mistakes *mistakes) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, "agents");
    struct failure failure = {0};
    if (json == NULL) {
        return 0;
    }
    if (scenario_expect(cJSON_IsArray(json), "an array", json, "agents", &failure) != 0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    int index = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        char path[SCENARIO_PATH_BYTES];
        scenario_path(path, "agents[%d]", index++);
        struct placement_def read;
        bool is_whole = false;
        if (read_placement(item, path, def, &read, &is_whole, mistakes) != 0) {
            return -1;
        }
        if (is_whole && add_placement(def, &read, path, &failure) != 0) {
            return scenario_mistake(mistakes, &failure) ? 0 : -1;
        }
    }
    return 0;
}

/* ---- sources and sinks ---- */

struct source_part {
    struct source_def def;
    char kind[LIMIT_NAME_CHARS + 1], area[LIMIT_NAME_CHARS + 1];
};

static const struct field source_fields[] = {
    {.name = "kind",
     .type = FIELD_NAME,
     FIELD_MEMBER(struct source_part, kind),
     .flags = FIELD_REQUIRED,
     .help = "One of the kinds."},
    {.name = "area",
     .type = FIELD_NAME,
     FIELD_MEMBER(struct source_part, area),
     .flags = FIELD_REQUIRED,
     .help = "Where they come in: one of world.areas."},
    {.name = "rate",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct source_part, def.rate),
     .flags = FIELD_REQUIRED,
     .min = 0.001,
     .max = LIMIT_SOURCE_RATE,
     .unit = "1/s",
     .help = "Agents a second, on average."},
    {.name = "from",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct source_part, def.from),
     .max = LIMIT_SOURCE_TIME,
     .unit = "s",
     .help = "When it begins."},
    {.name = "until",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct source_part, def.until),
     .max = LIMIT_SOURCE_TIME,
     .unit = "s",
     .help = "When it ends; 0: never."},
    {.name = "at_most",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct source_part, def.at_most),
     .max = 1000000000.0,
     .help = "Agents in all; 0: any number."},
    {.name = "burst",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct source_part, def.burst),
     .min = 1.0,
     .max = 10000.0,
     .initial = 1.0,
     .help = "So many come at a time."},
    {.name = "spread",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct source_part, def.spread),
     .choices = source_spread_names,
     .help = "In equal intervals, or each tick with the same chance."},
    {.type = FIELD_END},
};

struct sink_part {
    struct sink_def def;
    char area[LIMIT_NAME_CHARS + 1];
    char kinds[LIMIT_KINDS * (LIMIT_NAME_CHARS + 1)];
};

static const struct field sink_fields[] = {
    {.name = "area",
     .type = FIELD_NAME,
     FIELD_MEMBER(struct sink_part, area),
     .flags = FIELD_REQUIRED,
     .help = "Where they leave: one of world.areas."},
    {.name = "kinds",
     .type = FIELD_NAMES,
     FIELD_MEMBER(struct sink_part, kinds),
     .help = "Whom it takes; everybody when left out."},
    {.type = FIELD_END},
};

/* The index, or -1 with *failure. */
static int find_area(const struct world_def *def, const char *name, const char *path,
                     struct failure *failure) {
    struct scenario_names names = scenario_names_begin(name);
    const int found = geometry_def_find_area(&def->geometry, name);
    for (int i = 0; i < def->geometry.area_count; i++) {
        scenario_names_add(&names, def->geometry.areas[i].name, true);
    }
    return found >= 0
               ? found
               : scenario_names_fail(&names, FAILURE_BAD_PARAM, "area", "world.areas has", path, failure);
}

static int find_kind(const struct world_def *def, const char *name, const char *path,
                     struct failure *failure) {
    int kind = 0;
    if (scenario_check_kind(def, name, path, failure) != 0) {
        return -1;
    }
    while (strcmp(def->kinds[kind].name, name) != 0) {
        kind++;
    }
    return kind;
}

/* -1 with *failure. */
static int check_source(const struct world_def *def, const char *path, struct source_part *part,
                        struct failure *failure) {
    char item_path[SCENARIO_PATH_BYTES];
    scenario_path(item_path, "%s.kind", path);
    part->def.kind = find_kind(def, part->kind, item_path, failure);
    if (part->def.kind < 0) {
        return -1;
    }
    scenario_path(item_path, "%s.area", path);
    part->def.area = find_area(def, part->area, item_path, failure);
    if (part->def.area < 0) {
        return -1;
    }
    scenario_path(item_path, "%s.until", path);
    return part->def.until > 0.0f && part->def.until <= part->def.from
               ? failure_set(failure, FAILURE_OUT_OF_RANGE, item_path,
                             "it ends before it begins; allowed: 0, or more than from")
               : 0;
}

static int read_source(const cJSON *json, const char *path, struct world_def *def,
                       struct scenario_mistakes *mistakes) {
    struct source_part part;
    struct failure failure = {0};
    bool is_whole = false;
    memset(&part, 0, sizeof part);
    fields_set_initial(source_fields, &part);
    if (scenario_read_fields(source_fields, json, path, no_more, &part, NULL, &is_whole, mistakes) != 0) {
        return -1;
    }
    if (is_whole && check_source(def, path, &part, &failure) != 0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    memcpy(part.def.name, json->string, strlen(json->string) + 1);
    def->sources[def->source_count++] = part.def;
    return 0;
}

static int check_sink(const struct world_def *def, const char *path, struct sink_part *part,
                      struct failure *failure) {
    char item_path[SCENARIO_PATH_BYTES], name[LIMIT_NAME_CHARS + 1];
    scenario_path(item_path, "%s.area", path);
    part->def.area = find_area(def, part->area, item_path, failure);
    part->def.kinds = part->kinds[0] == '\0' ? UINT64_MAX : 0;
    int index = 0;
    for (const char *at = part->kinds; part->def.area >= 0 && *at != '\0'; index++) {
        const size_t length = strcspn(at, " ");
        memcpy(name, at, length);
        name[length] = '\0';
        scenario_path(item_path, "%s.kinds[%d]", path, index);
        const int kind = find_kind(def, name, item_path, failure);
        if (kind < 0) {
            return -1;
        }
        part->def.kinds |= UINT64_C(1) << kind;
        at += length + (at[length] == ' ');
    }
    return part->def.area < 0 ? -1 : 0;
}

static int read_sink(const cJSON *json, const char *path, struct world_def *def,
                     struct scenario_mistakes *mistakes) {
    struct sink_part part;
    struct failure failure = {0};
    bool is_whole = false;
    memset(&part, 0, sizeof part);
    if (scenario_read_fields(sink_fields, json, path, no_more, &part, NULL, &is_whole, mistakes) != 0) {
        return -1;
    }
    if (is_whole && check_sink(def, path, &part, &failure) != 0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    memcpy(part.def.name, json->string, strlen(json->string) + 1);
    def->sinks[def->sink_count++] = part.def;
    return 0;
}

/* The members of an object by name. */
static int read_named(const cJSON *root, const char *key, int most, struct world_def *def,
                      int (*read)(const cJSON *, const char *, struct world_def *,
                                  struct scenario_mistakes *),
                      struct scenario_mistakes *mistakes) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(root, key), *item = NULL;
    struct failure failure = {0};
    if (json == NULL) {
        return 0;
    }
    if (scenario_expect(cJSON_IsObject(json), "an object by name", json, key, &failure) != 0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    if (cJSON_GetArraySize(json) > most) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, key, "too many %s: at most %d", key, most);
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    cJSON_ArrayForEach(item, json) {
        char path[SCENARIO_PATH_BYTES];
        scenario_path(path, "%s.%s", key, item->string);
        if (scenario_check_name(item->string, path, &failure) != 0) {
            if (!scenario_mistake(mistakes, &failure)) {
                return -1;
            }
        } else if (read(item, path, def, mistakes) != 0) {
            return -1;
        }
    }
    return 0;
}

void scenario_schema_turnover(struct json_writer *json) {
    scenario_schema_by_name(json, "sources", LIMIT_SOURCES, "Where agents come in.");
    scenario_schema_open(json, source_fields, NULL, NULL);
    scenario_schema_close(json);
    json_end(json);
    scenario_schema_by_name(json, "sinks", LIMIT_SINKS, "Where agents leave.");
    scenario_schema_open(json, sink_fields, NULL, NULL);
    scenario_schema_close(json);
    json_end(json);
}

int scenario_read_turnover(const cJSON *root, struct world_def *def, struct scenario_mistakes *mistakes) {
    return read_named(root, "sources", LIMIT_SOURCES, def, read_source, mistakes) != 0 ||
                   read_named(root, "sinks", LIMIT_SINKS, def, read_sink, mistakes) != 0
               ? -1
               : 0;
}

/* ---- formations ---- */

static const struct field offset_row = {
    .type = FIELD_FLOAT, .min = -LIMIT_WORLD_SIZE, .max = LIMIT_WORLD_SIZE, .unit = "px"};
static const struct field member_row = {.type = FIELD_NAME, .size = LIMIT_NAME_CHARS + 1};

/* [ahead, right], or [ahead, right, kind] */
static int read_place(const cJSON *json, const char *path, const struct world_def *def,
                      struct formation_place *place, struct failure *failure) {
    const int size = cJSON_IsArray(json) ? cJSON_GetArraySize(json) : 0;
    const cJSON *kind = cJSON_GetArrayItem(json, 2);
    char item_path[SCENARIO_PATH_BYTES];
    place->kind = -1;
    if (scenario_expect((size == 2 || size == 3) && (kind == NULL || cJSON_IsString(kind)),
                        "[ahead, right] or [ahead, right, kind]", json, path, failure) != 0) {
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        scenario_path(item_path, "%s[%d]", path, i);
        if (field_read_value(&offset_row, cJSON_GetArrayItem(json, i), item_path,
                             i == 0 ? &place->at.x : &place->at.y, failure) != 0) {
            return -1;
        }
    }
    scenario_path(item_path, "%s[2]", path);
    place->kind = kind != NULL ? find_kind(def, kind->valuestring, item_path, failure) : -1;
    return kind != NULL && place->kind < 0 ? -1 : 0;
}

static int read_places(const cJSON *json, const char *path, const struct world_def *def,
                       struct formation_def *formation, struct failure *failure) {
    const int most = LIMIT_FORMATION_PLACES, count = cJSON_IsArray(json) ? cJSON_GetArraySize(json) : 0;
    const cJSON *item = NULL;
    if (count < 1 || count > most) {
        return failure_set(failure, FAILURE_BAD_PARAM, path,
                           "expected 1 to %d places, each [ahead, right] or [ahead, right, kind]", most);
    }
    cJSON_ArrayForEach(item, json) {
        char item_path[SCENARIO_PATH_BYTES];
        scenario_path(item_path, "%s[%d]", path, formation->place_count);
        if (read_place(item, item_path, def, &formation->places[formation->place_count++], failure) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_formation(const cJSON *json, const char *path, struct world_def *def,
                          struct scenario_mistakes *mistakes) {
    static const struct field none[] = {{.type = FIELD_END}};
    static const char *const places[] = {"places", NULL};
    struct formation_def *formation = &def->formations[def->formation_count++];
    struct failure failure = {0};
    bool is_whole = false;
    char places_path[SCENARIO_PATH_BYTES];
    memcpy(formation->name, json->string, strlen(json->string) + 1);
    scenario_path(places_path, "%s.places", path);
    if (scenario_read_fields(none, json, path, places, formation, NULL, &is_whole, mistakes) != 0) {
        return -1;
    }
    return !is_whole ||
                   read_places(cJSON_GetObjectItemCaseSensitive(json, "places"), places_path, def, formation,
                               &failure) == 0 ||
                   scenario_mistake(mistakes, &failure)
               ? 0
               : -1;
}

int scenario_read_formations(const cJSON *root, struct world_def *def, struct scenario_mistakes *mistakes) {
    return read_named(root, "formations", LIMIT_FORMATIONS, def, read_formation, mistakes);
}

void scenario_schema_formations(struct json_writer *json) {
    scenario_schema_by_name(json, "formations", LIMIT_FORMATIONS, "Places beside a leader.");
    scenario_schema_open(json, NULL, "places", NULL);
    scenario_schema_list(json, "places", 1, LIMIT_FORMATION_PLACES,
                         "[ahead, right] or [ahead, right, kind], px");
    scenario_schema_pair(json, &offset_row, &member_row);
    json_end(json);
    scenario_schema_close(json);
    json_end(json);
}
