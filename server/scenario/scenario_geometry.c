/* The geometry of a scenario file: world.obstacles, walls, paths, flow_fields, areas, gates. See scenario_read.h. */
#include "server/scenario/scenario_read.h"

#include <stdlib.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/geometry_json.h"
#include "server/sim/scenery/obstacles.h"

static const char *const no_more[] = {NULL};

/* Numbers from -most to most. */
#define NUMBER(structure, member, most, unit_)                                                               \
    { .type = FIELD_FLOAT, FIELD_MEMBER(structure, member), .min = -(most), .max = (most), .unit = (unit_) }
#define END                                                                                                  \
    { .type = FIELD_END }

static bool wraps(const struct world_def *def) {
    return def->edge == EDGE_WRAP;
}

/* 0, or -1 with the fault as the failure's message. */
static int check(const char *fault, const char *path, struct failure *failure) {
    return fault == NULL ? 0 : failure_set(failure, FAILURE_BAD_PARAM, path, "%s", fault);
}

/* The only member of an object: {"circle": ...}, but for those in `beside`. NULL with *failure. */
static const cJSON *only_member(const cJSON *json, const char *const *beside, const char *wanted,
                                const char *path, struct failure *failure) {
    if (scenario_expect(cJSON_IsObject(json), wanted, json, path, failure) != 0) {
        return NULL;
    }
    const cJSON *only = NULL, *item = NULL;
    int count = 0;
    cJSON_ArrayForEach(item, json) {
        const char *const *name = beside;
        while (*name != NULL && strcmp(*name, item->string) != 0) {
            name++;
        }
        count += *name == NULL;
        only = *name == NULL ? item : only;
    }
    if (count != 1) {
        (void)failure_set(failure, FAILURE_BAD_PARAM, path, "expected exactly one of %s; found %d keys",
                          wanted, count);
        return NULL;
    }
    return only;
}

/* ---- obstacles and walls ---- */

/* The same of a shape, with the sides of a polygon that meet where they must not. */
static int check_shape(const char *fault, const struct obstacle_def *shape, const char *path,
                       struct failure *failure) {
    int sides[2];
    if (fault == NULL || shape->shape != OBSTACLE_POLYGON ||
        polygon_is_convex(shape->points, shape->point_count) ||
        !polygon_crossing(shape->points, shape->point_count, sides)) {
        return check(fault, path, failure);
    }
    if (sides[0] == sides[1]) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "side %d of the polygon has no length; %s",
                           sides[0], fault);
    }
    return failure_set(failure, FAILURE_BAD_PARAM, path, "sides %d and %d of the polygon cross or touch; %s",
                       sides[0], sides[1], fault);
}

int scenario_check_obstacle(const struct obstacle_def *obstacle, enum edge edge, vec2 size, const char *path,
                            struct failure *failure) {
    return check_shape(obstacle_def_fault(obstacle, edge == EDGE_WRAP, size), obstacle, path, failure);
}

/* "move": {...}, "door": {...} */
static int read_motion(const cJSON *json, const char *path, struct obstacle_def *obstacle,
                       struct failure *failure) {
    const cJSON *move = cJSON_GetObjectItemCaseSensitive(json, "move");
    const cJSON *door = cJSON_GetObjectItemCaseSensitive(json, "door");
    char item_path[SCENARIO_PATH_BYTES];
    scenario_path(item_path, "%s.move", path);
    if (move != NULL &&
        fields_read(geometry_move_fields, move, item_path, no_more, &obstacle->move, NULL, failure) != 0) {
        return -1;
    }
    scenario_path(item_path, "%s.door", path);
    return door == NULL
               ? 0
               : fields_read(geometry_door_fields, door, item_path, no_more, &obstacle->door, NULL, failure);
}

static int read_obstacle(const cJSON *json, const char *path, struct world_def *def,
                         struct failure *failure) {
    static const char *const wanted =
        "{\"circle\": [x, y, r]}, {\"box\": [x, y, w, h]}, {\"polygon\": [[x, y], ...]}";
    static const char *const beside[] = {"move", "door", NULL};
    const cJSON *item = only_member(json, beside, wanted, path, failure);
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
    const int result = geometry_shape_read(item, obstacle_shape_names, item_path, obstacle, failure);
    if (result != 0) {
        return result < 0
                   ? -1
                   : scenario_fail_listed(item->string, obstacle_shape_names, "obstacle", item_path, failure);
    }
    return read_motion(json, path, obstacle, failure) != 0
               ? -1
               : scenario_check_obstacle(obstacle, (enum edge)def->edge, def->size, item_path, failure);
}

static int read_wall(const cJSON *json, const char *path, struct world_def *def, struct failure *failure) {
    struct wall_def read;
    if (field_read_value(geometry_wall, json, path, &read, failure) != 0) {
        return -1;
    }
    struct wall_def *wall = geometry_def_add_wall(&def->geometry);
    if (wall == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "too many walls: at most %d", LIMIT_WALLS);
    }
    *wall = read;
    return check(wall_def_fault(wall, wraps(def), def->size), path, failure);
}

/* ---- paths ---- */

/* What a path has beside the rest. */
struct path_part {
    struct path_def path;
    uint32_t smooth;
};

static const struct field path_fields[] = {
    {.name = "radius",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct path_part, path.radius),
     .initial = 20.0,
     .max = LIMIT_WORLD_SIZE,
     .unit = "px",
     .help = "Half the width of the way."},
    {.name = "loop",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct path_part, path.is_loop),
     .help = "The last point is joined to the first."},
    {.name = "smooth",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct path_part, smooth),
     .max = 64,
     .help = "Points that are put between two, on a curve through all of them."},
    {.type = FIELD_END},
};

static const struct field place_row = {
    .type = FIELD_FLOAT, .min = -LIMIT_COORDINATE, .max = LIMIT_COORDINATE, .unit = "px"};
static const struct field radius_row = {.type = FIELD_FLOAT, .max = LIMIT_WORLD_SIZE, .unit = "px"};

/* A point of a path: [x, y], or [x, y, radius]. */
static int read_path_point(const cJSON *json, const char *path, struct path_def *line,
                           struct failure *failure) {
    const int size = cJSON_IsArray(json) ? cJSON_GetArraySize(json) : 0, at = line->point_count;
    float *const numbers[] = {&line->points[at].x, &line->points[at].y, &line->radii[at]};
    if (scenario_expect(size == 2 || size == 3, "[x, y] or [x, y, radius]", json, path, failure) != 0) {
        return -1;
    }
    line->radii[at] = line->radius;
    for (int i = 0; i < size; i++) {
        char item_path[SCENARIO_PATH_BYTES];
        scenario_path(item_path, "%s[%d]", path, i);
        if (field_read_value(i < 2 ? &place_row : &radius_row, cJSON_GetArrayItem(json, i), item_path,
                             numbers[i], failure) != 0) {
            return -1;
        }
    }
    line->point_count++;
    line->radius_count = size == 3 ? LIMIT_PATH_POINTS : line->radius_count;
    return 0;
}

/* Its radius is then the largest, and each point has its own if one has. */
static int read_path_points(const cJSON *json, const char *path, struct path_def *line,
                            struct failure *failure) {
    const int count = cJSON_GetArraySize(json), most = LIMIT_PATH_POINTS;
    const cJSON *item = NULL;
    if (scenario_expect(cJSON_IsArray(json), "an array of points [x, y] or [x, y, radius]", json, path,
                        failure) != 0) {
        return -1;
    }
    if (count < 2 || count > most) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "%d points; allowed are 2 to %d", count, most);
    }
    cJSON_ArrayForEach(item, json) {
        char item_path[SCENARIO_PATH_BYTES];
        scenario_path(item_path, "%s[%d]", path, line->point_count);
        if (read_path_point(item, item_path, line, failure) != 0) {
            return -1;
        }
    }
    float widest = 0.0f;
    for (int i = 0; i < count; i++) {
        widest = line->radii[i] > widest ? line->radii[i] : widest;
    }
    line->radius_count = line->radius_count > 0 ? count : 0;
    line->radius = line->radius_count > 0 ? widest : line->radius;
    return 0;
}

static int read_path(const cJSON *json, const char *path, struct world_def *def, struct failure *failure) {
    static const char *const parts[] = {"points", NULL};
    struct path_def *line = geometry_def_add_path(&def->geometry);
    if (line == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "too many paths: at most %d", LIMIT_PATHS);
    }
    struct path_part part = {.smooth = 0};
    fields_set_initial(path_fields, &part);
    memcpy(part.path.name, json->string, strlen(json->string) + 1);
    if (fields_read(path_fields, json, path, parts, &part, NULL, failure) != 0) {
        return -1;
    }
    char points_path[SCENARIO_PATH_BYTES];
    scenario_path(points_path, "%s.points", path);
    const cJSON *points = cJSON_GetObjectItemCaseSensitive(json, "points");
    if (points == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, points_path, "missing; expected [[x, y], ...]");
    }
    if (read_path_points(points, points_path, &part.path, failure) != 0) {
        return -1;
    }
    const struct bounds bounds = {def->size, (enum edge)def->edge};
    const int made = path_def_smooth(&part.path, part.smooth, &bounds), most = LIMIT_PATH_POINTS;
    *line = part.path;
    if (made > most) {
        scenario_path(points_path, "%s.smooth", path);
        return failure_set(failure, FAILURE_OUT_OF_RANGE, points_path,
                           "it makes %d points; allowed: at most %d, so a smaller number", made, most);
    }
    return 0;
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

static const struct field velocity_fields[] = {
    NUMBER(vec2, x, LIMIT_SPEED, "px/s"),
    NUMBER(vec2, y, LIMIT_SPEED, "px/s"),
    END,
};
static const struct field velocity = {.type = FIELD_TUPLE, .table = velocity_fields, .unit = "[vx, vy]"};

static const struct field cells_sides[] = {
    {.type = FIELD_FLOAT, FIELD_MEMBER(vec2, x), .min = 1.0, .max = LIMIT_FLOW_CELLS},
    {.type = FIELD_FLOAT, FIELD_MEMBER(vec2, y), .min = 1.0, .max = LIMIT_FLOW_CELLS},
    END,
};
static const struct field cells_row = {.type = FIELD_TUPLE, .table = cells_sides, .unit = "[columns, rows]"};

/* "cells": [columns, rows] */
static int read_cells(const cJSON *grid, const char *path, struct flow_def *flow, struct failure *failure) {
    char cells_path[SCENARIO_PATH_BYTES];
    vec2 cells;
    scenario_path(cells_path, "%s.cells", path);
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(grid, "cells");
    if (json == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, cells_path, "missing; expected [columns, rows]");
    }
    if (field_read_value(&cells_row, json, cells_path, &cells, failure) != 0) {
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
        if (field_read_value(&velocity, item, item_path, &flow->vectors[index], failure) != 0) {
            return -1;
        }
        index++;
    }
    return 0;
}

static const struct field middle_fields[] = {
    NUMBER(struct flow_def, at.x, LIMIT_COORDINATE, "px"),
    NUMBER(struct flow_def, at.y, LIMIT_COORDINATE, "px"),
    NUMBER(struct flow_def, strength, LIMIT_SPEED, "px/s"),
    END,
};
static const struct field middle = {.type = FIELD_TUPLE, .table = middle_fields, .unit = "[x, y, strength]"};

struct way_part {
    struct flow_def flow;
    float cell;
};

static const struct field way_goal[] = {
    {.type = FIELD_NAME, .size = LIMIT_NAME_CHARS + 1},
    END,
};

static const struct field way_fields[] = {
    {.name = "to",
     .type = FIELD_ROWS,
     FIELD_MEMBER(struct way_part, flow.goals),
     .flags = FIELD_REQUIRED,
     .min = 1.0,
     .max = LIMIT_WAY_GOALS,
     .table = way_goal,
     .stride = sizeof(struct way_goal),
     .count = offsetof(struct way_part, flow.goal_count),
     .unit = "[name, ...]",
     .help = "names of areas and targets"},
    {.name = "cell",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct way_part, cell),
     .min = 0.5,
     .max = LIMIT_WORLD_SIZE,
     .initial = 10.0,
     .unit = "px",
     .help = "The size of a cell."},
    {.name = "body",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct way_part, flow.body),
     .max = LIMIT_WORLD_SIZE,
     .initial = 8.0,
     .unit = "px",
     .help = "How far it keeps from solids: the radius of who goes there."},
    {.name = "speed",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct way_part, flow.strength),
     .min = 0.1,
     .max = LIMIT_SPEED,
     .initial = 100.0,
     .unit = "px/s",
     .help = "How fast the flow is."},
    END,
};

static int read_way(const cJSON *json, const char *path, vec2 size, struct flow_def *flow,
                    struct failure *failure) {
    struct way_part part = {.flow = *flow};
    fields_set_initial(way_fields, &part);
    part.flow.goal_count = 0;
    if (fields_read(way_fields, json, path, no_more, &part, NULL, failure) != 0) {
        return -1;
    }
    *flow = part.flow;
    const int result = flow_def_begin_way(flow, part.cell, size);
    if (result == 0) {
        return 0;
    }
    char cell_path[SCENARIO_PATH_BYTES];
    scenario_path(cell_path, "%s.cell", path);
    const int columns = flow->columns, rows = flow->rows, most = LIMIT_WAY_CELLS;
    flow->columns = flow->rows = 0;
    return result < 0 ? failure_set(failure, FAILURE_BUSY, path, "out of memory")
                      : failure_set(failure, FAILURE_BAD_PARAM, cell_path,
                                    "%d x %d cells are too many; allowed: at most %d, so larger cells",
                                    columns, rows, most);
}

static const char *const flow_names[] = {[FLOW_UNIFORM] = "uniform",
                                         [FLOW_VORTEX] = "vortex",
                                         [FLOW_NOISE] = "noise",
                                         [FLOW_TOWARDS] = "towards",
                                         [FLOW_GRID] = "grid",
                                         [FLOW_WAY] = "way",
                                         NULL};

static int read_generator(const cJSON *item, const char *path, vec2 size, struct flow_def *flow,
                          struct failure *failure) {
    int type = 0;
    while (flow_names[type] != NULL && strcmp(flow_names[type], item->string) != 0) {
        type++;
    }
    flow->type = type;
    switch (type) {
    case FLOW_UNIFORM:
        return field_read_value(&velocity, item, path, &flow->vector, failure);
    case FLOW_VORTEX:
    case FLOW_TOWARDS:
        return field_read_value(&middle, item, path, flow, failure);
    case FLOW_NOISE:
        return fields_read(noise_fields, item, path, no_more, flow, NULL, failure);
    case FLOW_GRID:
        return read_grid(item, path, flow, failure);
    case FLOW_WAY:
        return read_way(item, path, size, flow, failure);
    default:
        return scenario_fail_listed(item->string, flow_names, "flow field", path, failure);
    }
}

static int read_flow(const cJSON *json, const char *path, struct world_def *def, struct failure *failure) {
    static const char *const wanted =
        "{\"uniform\": [vx, vy]}, {\"vortex\": [x, y, strength]}, {\"noise\": "
        "{...}}, {\"towards\": [x, y, strength]}, {\"grid\": {...}}, {\"way\": {...}}";
    struct flow_def *flow = geometry_def_add_flow(&def->geometry);
    if (flow == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "too many flow fields: at most %d",
                           LIMIT_FLOW_FIELDS);
    }
    memcpy(flow->name, json->string, strlen(json->string) + 1);
    const cJSON *item = only_member(json, no_more, wanted, path, failure);
    if (item == NULL) {
        return -1;
    }
    char item_path[SCENARIO_PATH_BYTES];
    scenario_path(item_path, "%s.%s", path, item->string);
    return read_generator(item, item_path, def->size, flow, failure);
}

/* ---- areas ---- */

static const struct field area_fields[] = {
    {.name = "speed",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct area_def, speed),
     .min = 0.01,
     .max = 1.0,
     .initial = 1.0,
     .help = "The max_speed of who stands in it is multiplied by this."},
    {.type = FIELD_END},
};

static int read_area(const cJSON *json, const char *path, struct world_def *def, struct failure *failure) {
    struct area_def *area = geometry_def_add_area(&def->geometry);
    if (area == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "too many areas: at most %d", LIMIT_AREAS);
    }
    memcpy(area->name, json->string, strlen(json->string) + 1);
    fields_set_initial(area_fields, area);
    if (fields_read(area_fields, json, path, area_shape_names, area, NULL, failure) != 0) {
        return -1;
    }
    int shapes = 0;
    for (const cJSON *item = json->child; item != NULL; item = item->next) {
        char item_path[SCENARIO_PATH_BYTES];
        scenario_path(item_path, "%s.%s", path, item->string);
        const int result = geometry_shape_read(item, area_shape_names, item_path, &area->shape, failure);
        if (result < 0) {
            return -1;
        }
        shapes += result == 0;
    }
    if (shapes != 1) {
        return failure_set(failure, FAILURE_BAD_PARAM, path,
                           "%d shapes; expected exactly one of {\"rect\": [x, y, w, h]}, {\"circle\": [x, y, "
                           "r]}, {\"polygon\": [[x, y], ...]}",
                           shapes);
    }
    return check_shape(area_def_fault(area, wraps(def), def->size), &area->shape, path, failure);
}

/* ---- gates ---- */

static const struct field gate_fields[] = {
    NUMBER(struct gate_def, from.x, LIMIT_COORDINATE, "px"),
    NUMBER(struct gate_def, from.y, LIMIT_COORDINATE, "px"),
    NUMBER(struct gate_def, to.x, LIMIT_COORDINATE, "px"),
    NUMBER(struct gate_def, to.y, LIMIT_COORDINATE, "px"),
    END,
};
static const struct field gate_line = {.type = FIELD_TUPLE, .table = gate_fields, .unit = "[x1, y1, x2, y2]"};

static int read_gate(const cJSON *json, const char *path, struct world_def *def, struct failure *failure) {
    struct gate_def *gate = geometry_def_add_gate(&def->geometry);
    if (gate == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "too many gates: at most %d", LIMIT_GATES);
    }
    memcpy(gate->name, json->string, strlen(json->string) + 1);
    if (field_read_value(&gate_line, json, path, gate, failure) != 0) {
        return -1;
    }
    if (geometry_def_find_area(&def->geometry, gate->name) >= 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, path,
                           "an area is called \"%s\"; a gate needs another name", gate->name);
    }
    return check(gate_def_fault(gate, wraps(def), def->size), path, failure);
}

/* ---- the parts of "world" ---- */

typedef int (*reader)(const cJSON *json, const char *path, struct world_def *def, struct failure *failure);

/* "obstacles": [...], "walls": [...]; paths, flow fields, areas and gates are objects by name. */
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

/* Whether all obstacles together are few enough pieces; one with a mistake of its own is not among those counted. */
static int read_pieces(const struct world_def *def, struct scenario_mistakes *mistakes) {
    struct failure failure = {0};
    int pieces = 0;
    for (int i = 0; i < def->geometry.obstacle_count; i++) {
        const struct obstacle_def *obstacle = &def->geometry.obstacles[i];
        pieces +=
            obstacle_def_fault(obstacle, false, def->size) == NULL ? solids_from_obstacle(obstacle, NULL) : 0;
    }
    if (pieces <= LIMIT_PIECES) {
        return 0;
    }
    (void)failure_set(&failure, FAILURE_BAD_PARAM, "world.obstacles",
                      "the obstacles are cut into %d convex pieces; at most %d are allowed", pieces,
                      LIMIT_PIECES);
    return scenario_mistake(mistakes, &failure) ? 0 : -1;
}

static int fail_path(const struct geometry_def *geometry, const char *name, const char *path,
                     struct failure *failure) {
    struct scenario_names names = scenario_names_begin(name);
    for (int i = 0; i < geometry->path_count; i++) {
        scenario_names_add(&names, geometry->paths[i].name, true);
    }
    return scenario_names_fail(&names, FAILURE_BAD_PARAM, "path", "this world has", path, failure);
}

/* Whether there are as many obstacles that move as may be, and the paths that they follow. */
static int check_movers(const struct geometry_def *geometry, struct scenario_mistakes *mistakes) {
    struct failure failure = {0};
    int count = 0;
    for (int i = 0; i < geometry->obstacle_count; i++) {
        const struct obstacle_def *obstacle = &geometry->obstacles[i];
        char path[SCENARIO_PATH_BYTES];
        count += obstacle_moves(obstacle);
        if (obstacle->move.speed > 0.0f && geometry_def_find_path(geometry, obstacle->move.path) < 0) {
            scenario_path(path, "world.obstacles[%d].move.path", i);
            (void)fail_path(geometry, obstacle->move.path, path, &failure);
            if (!scenario_mistake(mistakes, &failure)) {
                return -1;
            }
        }
    }
    if (count <= LIMIT_MOVERS) {
        return 0;
    }
    (void)failure_set(&failure, FAILURE_BAD_PARAM, "world.obstacles", "%d obstacles move; at most %d may",
                      count, LIMIT_MOVERS);
    return scenario_mistake(mistakes, &failure) ? 0 : -1;
}

int scenario_read_geometry(const cJSON *world, struct world_def *def, struct scenario_mistakes *mistakes) {
    if (read_all(world, "obstacles", false, read_obstacle, def, mistakes) != 0 ||
        read_pieces(def, mistakes) != 0 || read_all(world, "walls", false, read_wall, def, mistakes) != 0 ||
        read_all(world, "paths", true, read_path, def, mistakes) != 0 ||
        check_movers(&def->geometry, mistakes) != 0 ||
        read_all(world, "flow_fields", true, read_flow, def, mistakes) != 0 ||
        read_all(world, "areas", true, read_area, def, mistakes) != 0) {
        return -1;
    }
    return read_all(world, "gates", true, read_gate, def, mistakes);
}

/* ---- the schema ---- */

enum { SHAPES = 3 };

static void write_obstacles(struct json_writer *json) {
    scenario_schema_list(json, "obstacles", 0, LIMIT_OBSTACLES, "What nobody goes through.");
    scenario_schema_open(json, NULL, NULL, NULL);
    scenario_schema_shapes(json, obstacle_shape_names, SHAPES);
    json_key(json, "move");
    scenario_schema_open(json, geometry_move_fields, NULL, "It goes along a path.");
    scenario_schema_close(json);
    json_key(json, "door");
    scenario_schema_open(json, geometry_door_fields, NULL, "It opens and closes.");
    scenario_schema_close(json);
    scenario_schema_exactly_one(json, obstacle_shape_names, SHAPES);
    json_end(json);
    scenario_schema_list(json, "walls", 0, LIMIT_WALLS, "Thin walls, [x1, y1, x2, y2].");
    scenario_schema_value(json, geometry_wall);
    json_end(json);
}

static void write_paths(struct json_writer *json) {
    scenario_schema_by_name(json, "paths", LIMIT_PATHS, "Lines that behaviors follow.");
    scenario_schema_open(json, path_fields, "points", NULL);
    scenario_schema_list(json, "points", 2, LIMIT_PATH_POINTS, "[x, y] or [x, y, radius], px");
    scenario_schema_pair(json, &place_row, &radius_row);
    json_end(json);
    scenario_schema_close(json);
    json_end(json);
}

static void write_flows(struct json_writer *json) {
    scenario_schema_by_name(json, "flow_fields", LIMIT_FLOW_FIELDS, "A velocity at every place.");
    scenario_schema_open(json, NULL, NULL, NULL);
    json_key(json, flow_names[FLOW_UNIFORM]);
    scenario_schema_value(json, &velocity);
    json_key(json, flow_names[FLOW_VORTEX]);
    scenario_schema_value(json, &middle);
    json_key(json, flow_names[FLOW_TOWARDS]);
    scenario_schema_value(json, &middle);
    json_key(json, flow_names[FLOW_NOISE]);
    scenario_schema_open(json, noise_fields, NULL, "Currents at random.");
    scenario_schema_close(json);
    json_key(json, flow_names[FLOW_GRID]);
    scenario_schema_open(json, NULL, "cells", "A vector in each cell.");
    json_key(json, "cells");
    scenario_schema_value(json, &cells_row);
    scenario_schema_list(json, "vectors", 1, LIMIT_FLOW_CELLS, "[vx, vy], row by row, px/s");
    scenario_schema_value(json, &velocity);
    json_end(json);
    scenario_schema_close(json);
    json_key(json, flow_names[FLOW_WAY]);
    scenario_schema_open(json, way_fields, NULL, "The way round solids.");
    scenario_schema_close(json);
    scenario_schema_exactly_one(json, flow_names, FLOW_WAY + 1);
    json_end(json);
}

void scenario_schema_geometry(struct json_writer *json) {
    write_obstacles(json);
    write_paths(json);
    write_flows(json);
    scenario_schema_by_name(json, "areas", LIMIT_AREAS, "Where is measured, or agents are slower.");
    scenario_schema_open(json, area_fields, NULL, NULL);
    scenario_schema_shapes(json, area_shape_names, SHAPES);
    scenario_schema_exactly_one(json, area_shape_names, SHAPES);
    json_end(json);
    scenario_schema_by_name(json, "gates", LIMIT_GATES, "Lines at which passing agents are counted.");
    scenario_schema_value(json, &gate_line);
    json_end(json);
}

/* ---- references ---- */

static int find_target(const struct world_def *def, const char *name) {
    for (int i = 0; i < def->target_count; i++) {
        if (strcmp(def->targets[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int scenario_check_ways(const struct world_def *def, struct scenario_mistakes *mistakes) {
    for (int i = 0; i < def->geometry.flow_count; i++) {
        const struct flow_def *flow = &def->geometry.flows[i];
        for (int g = 0; g < flow->goal_count; g++) {
            char path[SCENARIO_PATH_BYTES];
            struct failure failure = {0};
            struct scenario_names names = scenario_names_begin(flow->goals[g].name);
            if (geometry_def_find_area(&def->geometry, flow->goals[g].name) >= 0 ||
                find_target(def, flow->goals[g].name) >= 0) {
                continue;
            }
            for (int a = 0; a < def->geometry.area_count; a++) {
                scenario_names_add(&names, def->geometry.areas[a].name, true);
            }
            for (int t = 0; t < def->target_count; t++) {
                scenario_names_add(&names, def->targets[t].name, true);
            }
            scenario_path(path, "world.flow_fields.%s.way.to[%d]", flow->name, g);
            (void)scenario_names_fail(&names, FAILURE_NO_TARGET, "area or target", "this scenario has", path,
                                      &failure);
            if (!scenario_mistake(mistakes, &failure)) {
                return -1;
            }
        }
    }
    return 0;
}

int scenario_check_geometry(const struct world_def *def, const struct behavior_def *behavior,
                            const char *path, struct failure *failure) {
    const enum behavior_type type = (enum behavior_type)behavior->type;
    const struct geometry_def *geometry = &def->geometry;
    char where[SCENARIO_PATH_BYTES];
    if (behavior_has_path(type) && geometry_def_find_path(geometry, behavior->path) < 0) {
        scenario_path(where, "%s.path", path);
        return fail_path(geometry, behavior->path, where, failure);
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
