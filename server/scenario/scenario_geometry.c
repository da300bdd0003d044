/* The geometry of a scenario file: world.obstacles, walls, paths, flow_fields. See scenario_read.h. */
#include "server/scenario/scenario_read.h"

#include <stdlib.h>
#include <string.h>

#include "common/json/field_json.h"

static const char *const no_more[] = {NULL};

/* The bounds of a list of numbers. */
struct number_rule {
    double min, max;
    const char *unit;
};
static const struct number_rule place_rule = {-LIMIT_COORDINATE, LIMIT_COORDINATE, "px"};
static const struct number_rule length_rule = {0.0, LIMIT_COORDINATE, "px"};
static const struct number_rule speed_rule = {-LIMIT_SPEED, LIMIT_SPEED, "px/s"};

/* Reads an array of exactly `count` numbers; number i obeys rules[i], the last rule the rest. */
static int read_numbers(const cJSON *json, const char *path, int count, const char *wanted,
                        const struct number_rule *const rules[], float *out, struct failure *failure) {
    if (scenario_expect(cJSON_IsArray(json), wanted, json, path, failure) != 0) {
        return -1;
    }
    if (cJSON_GetArraySize(json) != count) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "expected %s, found an array of %d", wanted,
                           cJSON_GetArraySize(json));
    }
    int index = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        char item_path[SCENARIO_PATH_BYTES];
        scenario_path(item_path, "%s[%d]", path, index);
        const struct number_rule *rule = rules[index];
        const struct field row = {.name = "",
                                  .type = FIELD_FLOAT,
                                  .offset = (size_t)index * sizeof *out,
                                  .size = sizeof *out,
                                  .min = rule->min,
                                  .max = rule->max,
                                  .unit = rule->unit};
        if (field_read_value(&row, item, item_path, out, failure) != 0) {
            return -1;
        }
        index++;
    }
    return 0;
}

static int read_vector(const cJSON *json, const char *path, const char *wanted,
                       const struct number_rule *rule, vec2 *out, struct failure *failure) {
    const struct number_rule *const rules[] = {rule, rule};
    float numbers[2] = {0};
    if (read_numbers(json, path, 2, wanted, rules, numbers, failure) != 0) {
        return -1;
    }
    *out = vec2_make(numbers[0], numbers[1]);
    return 0;
}

static int read_points(const cJSON *json, const char *path, int least, int most, vec2 *points, int *count,
                       struct failure *failure) {
    if (scenario_expect(cJSON_IsArray(json), "an array of points [x, y]", json, path, failure) != 0) {
        return -1;
    }
    const int found = cJSON_GetArraySize(json);
    if (found < least || found > most) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "%d points; allowed are %d to %d", found, least,
                           most);
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        char item_path[SCENARIO_PATH_BYTES];
        scenario_path(item_path, "%s[%d]", path, *count);
        if (read_vector(item, item_path, "a point [x, y]", &place_rule, &points[*count], failure) != 0) {
            return -1;
        }
        ++*count;
    }
    return 0;
}

static bool wraps(const struct world_def *def) {
    return def->edge == EDGE_WRAP;
}

/* 0, or -1 with the fault as the failure's message. */
static int check(const char *fault, const char *path, struct failure *failure) {
    return fault == NULL ? 0 : failure_set(failure, FAILURE_BAD_PARAM, path, "%s", fault);
}

/* The only member of an object: {"circle": ...}. NULL with *failure. */
static const cJSON *only_member(const cJSON *json, const char *wanted, const char *path,
                                struct failure *failure) {
    if (scenario_expect(cJSON_IsObject(json), wanted, json, path, failure) != 0) {
        return NULL;
    }
    if (cJSON_GetArraySize(json) != 1) {
        (void)failure_set(failure, FAILURE_BAD_PARAM, path, "expected exactly one of %s; found %d keys",
                          wanted, cJSON_GetArraySize(json));
        return NULL;
    }
    return json->child;
}

/* ---- obstacles and walls ---- */

static int read_shape(const cJSON *item, const char *path, struct obstacle_def *obstacle,
                      struct failure *failure) {
    const struct number_rule *const rules[] = {&place_rule, &place_rule, &length_rule, &length_rule};
    float numbers[4] = {0};
    if (strcmp(item->string, "polygon") == 0) {
        obstacle->shape = OBSTACLE_POLYGON;
        return read_points(item, path, 3, LIMIT_OBSTACLE_POINTS, obstacle->points, &obstacle->point_count,
                           failure);
    }
    const bool is_box = strcmp(item->string, "box") == 0;
    if (!is_box && strcmp(item->string, "circle") != 0) {
        static const char *const shapes[] = {"circle", "box", "polygon", NULL};
        return scenario_fail_listed(item->string, shapes, "obstacle", path, failure);
    }
    if (read_numbers(item, path, is_box ? 4 : 3, is_box ? "[x, y, w, h]" : "[x, y, r]", rules, numbers,
                     failure) != 0) {
        return -1;
    }
    obstacle->shape = is_box ? OBSTACLE_BOX : OBSTACLE_CIRCLE;
    obstacle->at = vec2_make(numbers[0], numbers[1]);
    obstacle->size = is_box ? vec2_make(numbers[2], numbers[3]) : vec2_make(0.0f, 0.0f);
    obstacle->radius = is_box ? 0.0f : numbers[2];
    return 0;
}

static int read_obstacle(const cJSON *json, const char *path, struct world_def *def,
                         struct failure *failure) {
    static const char *const wanted =
        "{\"circle\": [x, y, r]}, {\"box\": [x, y, w, h]}, {\"polygon\": [[x, y], ...]}";
    const cJSON *item = only_member(json, wanted, path, failure);
    if (item == NULL) {
        return -1;
    }
    struct obstacle_def *obstacle = geometry_def_add_obstacle(&def->geometry);
    if (obstacle == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "too many obstacles: at most %d",
                           LIMIT_OBSTACLES);
    }
    char item_path[SCENARIO_PATH_BYTES];
    scenario_path(item_path, "%s.%s", path, item->string);
    if (read_shape(item, item_path, obstacle, failure) != 0) {
        return -1;
    }
    return check(obstacle_def_fault(obstacle, wraps(def), def->size), item_path, failure);
}

static int read_wall(const cJSON *json, const char *path, struct world_def *def, struct failure *failure) {
    const struct number_rule *const rules[] = {&place_rule, &place_rule, &place_rule, &place_rule};
    float numbers[4] = {0};
    if (read_numbers(json, path, 4, "[x1, y1, x2, y2]", rules, numbers, failure) != 0) {
        return -1;
    }
    struct wall_def *wall = geometry_def_add_wall(&def->geometry);
    if (wall == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "too many walls: at most %d", LIMIT_WALLS);
    }
    *wall = (struct wall_def){{numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
    return check(wall_def_fault(wall, wraps(def), def->size), path, failure);
}

/* ---- paths ---- */

static const struct field path_fields[] = {
    {.name = "radius",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct path_def, radius),
     .max = LIMIT_WORLD_SIZE,
     .unit = "px",
     .help = "Half the width of the way."},
    {.name = "loop",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct path_def, is_loop),
     .help = "The last point is joined to the first."},
    {.type = FIELD_END},
};

static int read_path(const cJSON *json, const char *path, struct world_def *def, struct failure *failure) {
    static const char *const parts[] = {"points", NULL};
    struct path_def *line = geometry_def_add_path(&def->geometry);
    if (line == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "too many paths: at most %d", LIMIT_PATHS);
    }
    line->radius = 20.0f;
    memcpy(line->name, json->string, strlen(json->string) + 1);
    if (fields_read(path_fields, json, path, parts, line, NULL, failure) != 0) {
        return -1;
    }
    char points_path[SCENARIO_PATH_BYTES];
    scenario_path(points_path, "%s.points", path);
    const cJSON *points = cJSON_GetObjectItemCaseSensitive(json, "points");
    if (points == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, points_path, "missing; expected [[x, y], ...]");
    }
    return read_points(points, points_path, 2, LIMIT_PATH_POINTS, line->points, &line->point_count, failure);
}

/* ---- flow fields ---- */

static const struct field noise_fields[] = {
    {.name = "scale",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct flow_def, scale),
     .flags = FIELD_REQUIRED,
     .min = 1.0,
     .max = LIMIT_WORLD_SIZE,
     .unit = "px",
     .help = "How wide the currents are."},
    {.name = "strength",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct flow_def, strength),
     .flags = FIELD_REQUIRED,
     .min = -LIMIT_SPEED,
     .max = LIMIT_SPEED,
     .unit = "px/s",
     .help = "The fastest they are."},
    {.name = "seed",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct flow_def, seed),
     .max = 4294967295.0,
     .help = "Another seed, other currents."},
    {.type = FIELD_END},
};

/* "cells": [columns, rows] */
static int read_cells(const cJSON *grid, const char *path, struct flow_def *flow, struct failure *failure) {
    static const struct number_rule rule = {1.0, LIMIT_FLOW_CELLS, ""};
    char cells_path[SCENARIO_PATH_BYTES];
    vec2 cells;
    scenario_path(cells_path, "%s.cells", path);
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(grid, "cells");
    if (json == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, cells_path, "missing; expected [columns, rows]");
    }
    if (read_vector(json, cells_path, "[columns, rows]", &rule, &cells, failure) != 0) {
        return -1;
    }
    flow->columns = (int32_t)cells.x;
    flow->rows = (int32_t)cells.y;
    if ((float)flow->columns != cells.x || (float)flow->rows != cells.y ||
        flow->columns > LIMIT_FLOW_CELLS / flow->rows) {
        const int most = LIMIT_FLOW_CELLS;
        flow->columns = flow->rows = 0;
        return failure_set(failure, FAILURE_BAD_PARAM, cells_path,
                           "expected two whole numbers whose product is at most %d", most);
    }
    return 0;
}

static int read_grid(const cJSON *json, const char *path, struct flow_def *flow, struct failure *failure) {
    static const struct field none[] = {{.type = FIELD_END}};
    static const char *const parts[] = {"cells", "vectors", NULL};
    if (fields_read(none, json, path, parts, flow, NULL, failure) != 0 ||
        read_cells(json, path, flow, failure) != 0) {
        return -1;
    }
    char vectors_path[SCENARIO_PATH_BYTES];
    scenario_path(vectors_path, "%s.vectors", path);
    const cJSON *vectors = cJSON_GetObjectItemCaseSensitive(json, "vectors");
    const int cells = flow->columns * flow->rows;
    if (cells < 1 || vectors == NULL || !cJSON_IsArray(vectors) || cJSON_GetArraySize(vectors) != cells) {
        return failure_set(failure, FAILURE_BAD_PARAM, vectors_path,
                           "expected an array of %d vectors [vx, vy], row by row; found %d", cells,
                           cJSON_IsArray(vectors) ? cJSON_GetArraySize(vectors) : 0);
    }
    flow->vectors = calloc((size_t)cells, sizeof *flow->vectors);
    if (flow->vectors == NULL) {
        return failure_set(failure, FAILURE_BUSY, path, "out of memory");
    }
    int index = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, vectors) {
        char item_path[SCENARIO_PATH_BYTES];
        scenario_path(item_path, "%s[%d]", vectors_path, index);
        if (read_vector(item, item_path, "[vx, vy]", &speed_rule, &flow->vectors[index], failure) != 0) {
            return -1;
        }
        index++;
    }
    return 0;
}

/* {"vortex": [x, y, strength]} and {"towards": [x, y, strength]} */
static int read_middle(const cJSON *json, const char *path, struct flow_def *flow, struct failure *failure) {
    const struct number_rule *const rules[] = {&place_rule, &place_rule, &speed_rule};
    float numbers[3] = {0};
    if (read_numbers(json, path, 3, "[x, y, strength]", rules, numbers, failure) != 0) {
        return -1;
    }
    flow->at = vec2_make(numbers[0], numbers[1]);
    flow->strength = numbers[2];
    return 0;
}

static int read_generator(const cJSON *item, const char *path, struct flow_def *flow,
                          struct failure *failure) {
    static const char *const names[] = {
        [FLOW_UNIFORM] = "uniform", [FLOW_VORTEX] = "vortex", [FLOW_NOISE] = "noise",
        [FLOW_TOWARDS] = "towards", [FLOW_GRID] = "grid",     NULL};
    int type = 0;
    while (names[type] != NULL && strcmp(names[type], item->string) != 0) {
        type++;
    }
    flow->type = type;
    switch (type) {
    case FLOW_UNIFORM:
        return read_vector(item, path, "[vx, vy]", &speed_rule, &flow->vector, failure);
    case FLOW_VORTEX:
    case FLOW_TOWARDS:
        return read_middle(item, path, flow, failure);
    case FLOW_NOISE:
        return fields_read(noise_fields, item, path, no_more, flow, NULL, failure);
    case FLOW_GRID:
        return read_grid(item, path, flow, failure);
    default:
        return scenario_fail_listed(item->string, names, "flow field", path, failure);
    }
}

static int read_flow(const cJSON *json, const char *path, struct world_def *def, struct failure *failure) {
    static const char *const wanted = "{\"uniform\": [vx, vy]}, {\"vortex\": [x, y, strength]}, {\"noise\": "
                                      "{...}}, {\"towards\": [x, y, strength]}, {\"grid\": {...}}";
    struct flow_def *flow = geometry_def_add_flow(&def->geometry);
    if (flow == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "too many flow fields: at most %d",
                           LIMIT_FLOW_FIELDS);
    }
    memcpy(flow->name, json->string, strlen(json->string) + 1);
    const cJSON *item = only_member(json, wanted, path, failure);
    if (item == NULL) {
        return -1;
    }
    char item_path[SCENARIO_PATH_BYTES];
    scenario_path(item_path, "%s.%s", path, item->string);
    return read_generator(item, item_path, flow, failure);
}

/* ---- the parts of "world" ---- */

typedef int (*reader)(const cJSON *json, const char *path, struct world_def *def, struct failure *failure);

/* "obstacles": [...], "walls": [...]; paths and flow fields are objects by name. */
static int read_all(const cJSON *world, const char *key, bool by_name, reader read, struct world_def *def,
                    struct scenario_mistakes *mistakes) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(world, key);
    if (json == NULL) {
        return 0;
    }
    struct failure failure = {0};
    char path[SCENARIO_PATH_BYTES], item_path[SCENARIO_PATH_BYTES];
    scenario_path(path, "world.%s", key);
    if (scenario_expect(by_name ? cJSON_IsObject(json) : cJSON_IsArray(json),
                        by_name ? "an object by name" : "an array", json, path, &failure) != 0) {
        return scenario_mistake(mistakes, &failure) ? 0 : -1;
    }
    int index = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        if (by_name) {
            scenario_path(item_path, "%s.%s", path, item->string);
        } else {
            scenario_path(item_path, "%s[%d]", path, index++);
        }
        if (((by_name && scenario_check_name(item->string, item_path, &failure) != 0) ||
             read(item, item_path, def, &failure) != 0) &&
            !scenario_mistake(mistakes, &failure)) {
            return -1;
        }
    }
    return 0;
}

int scenario_read_geometry(const cJSON *world, struct world_def *def, struct scenario_mistakes *mistakes) {
    if (read_all(world, "obstacles", false, read_obstacle, def, mistakes) != 0 ||
        read_all(world, "walls", false, read_wall, def, mistakes) != 0 ||
        read_all(world, "paths", true, read_path, def, mistakes) != 0) {
        return -1;
    }
    return read_all(world, "flow_fields", true, read_flow, def, mistakes);
}

/* ---- references ---- */

int scenario_check_geometry(const struct world_def *def, const struct behavior_def *behavior,
                            const char *path, struct failure *failure) {
    const enum behavior_type type = (enum behavior_type)behavior->type;
    const struct geometry_def *geometry = &def->geometry;
    char where[SCENARIO_PATH_BYTES];
    if (behavior_has_path(type) && geometry_def_find_path(geometry, behavior->path) < 0) {
        struct scenario_names names = scenario_names_begin(behavior->path);
        for (int i = 0; i < geometry->path_count; i++) {
            scenario_names_add(&names, geometry->paths[i].name, true);
        }
        scenario_path(where, "%s.path", path);
        return scenario_names_fail(&names, FAILURE_BAD_PARAM, "path", "this world has", where, failure);
    }
    if (behavior_has_flow_field(type) && geometry_def_find_flow(geometry, behavior->flow_field) < 0) {
        struct scenario_names names = scenario_names_begin(behavior->flow_field);
        for (int i = 0; i < geometry->flow_count; i++) {
            scenario_names_add(&names, geometry->flows[i].name, true);
        }
        scenario_path(where, "%s.flow_field", path);
        return scenario_names_fail(&names, FAILURE_BAD_PARAM, "flow field", "this world has", where, failure);
    }
    return 0;
}
