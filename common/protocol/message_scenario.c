/* The description of a world: writing and reading, by the same rows. Owns nothing. */
#include "common/protocol/message_scenario.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/geometry_json.h"
#include "common/protocol/message_parts.h"

/* ---- view: writing and reading, by the same rows as the scenario's file ---- */

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
     .flags = FIELD_BRIEF,
     .help = "Where a list of scenarios has it."},
    {.name = "caption",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct message_about, caption),
     .flags = FIELD_BRIEF,
     .help = "What it is, in a sentence."},
    {.name = "try",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct message_about, to_try),
     .flags = FIELD_BRIEF,
     .help = "What a person can do."},
    {.name = "look_for",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct message_about, look_for),
     .flags = FIELD_BRIEF,
     .help = "What there is to see."},
    {.name = "source",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct message_about, source),
     .flags = FIELD_BRIEF,
     .help = "Where it comes from."},
    {.type = FIELD_END},
};

/* ---- writing ---- */

static void message_view_write(const struct message_view *view, struct json_writer *json) {
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

static int message_view_read(const cJSON *json, struct message_view *view, struct failure *failure) {
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

/* ---- geometry ---- */

/* Whatever a hostile server sends, counts stay within the arrays and numbers finite. */

static const struct field path_radius[] = {
    {.type = FIELD_FLOAT, .max = LIMIT_WORLD_SIZE, .unit = "px"},
};

/* clang-format off */
static const struct field path_fields[] = {
    ROW(struct path_def, "name", FIELD_NAME, name, NEED, 0, 0),
    GEOMETRY_POINTS("points", struct path_def, NEED, 2, LIMIT_PATH_POINTS),
    ROW(struct path_def, "radius", FIELD_FLOAT, radius, NEED, 0, LIMIT_WORLD_SIZE),
    ROW(struct path_def, "loop", FIELD_BOOL, is_loop, 0, 0, 0),
    ROWS(struct path_def, "radii", radii, radius_count, FIELD_BRIEF, LIMIT_PATH_POINTS, path_radius),
    END,
};

static const struct field gate_line[] = {
    ROW(struct gate_def, "x1", FIELD_FLOAT, from.x, 0, -LIMIT_COORDINATE, LIMIT_COORDINATE),
    ROW(struct gate_def, "y1", FIELD_FLOAT, from.y, 0, -LIMIT_COORDINATE, LIMIT_COORDINATE),
    ROW(struct gate_def, "x2", FIELD_FLOAT, to.x, 0, -LIMIT_COORDINATE, LIMIT_COORDINATE),
    ROW(struct gate_def, "y2", FIELD_FLOAT, to.y, 0, -LIMIT_COORDINATE, LIMIT_COORDINATE),
    END,
};

static const struct field gate_fields[] = {
    ROW(struct gate_def, "name", FIELD_NAME, name, NEED, 0, 0),
    {.name = "line", .type = FIELD_TUPLE, .table = gate_line, .flags = NEED, .unit = "[x1, y1, x2, y2]"},
    END,
};

static const struct field area_fields[] = {
    ROW(struct area_def, "name", FIELD_NAME, name, NEED, 0, 0),
    ROW(struct area_def, "speed", FIELD_FLOAT, speed, 0, 0, LIMIT_COORDINATE),
    END,
};

static const struct field cell_fields[] = {
    ROW(struct message_flow, "columns", FIELD_UINT32, columns, 0, 1, LIMIT_FLOW_ARROWS),
    ROW(struct message_flow, "rows", FIELD_UINT32, rows, 0, 1, LIMIT_FLOW_ARROWS),
    END,
};

const struct field message_flow_fields[] = {
    ROW(struct message_flow, "name", FIELD_NAME, name, NEED, 0, 0),
    {.name = "cells", .type = FIELD_TUPLE, .flags = NEED, .table = cell_fields, .unit = "[columns, rows]"},
    ROWS(struct message_flow, "vectors", vectors, vector_count, NEED, LIMIT_FLOW_ARROWS, geometry_point),
    END,
};

/* Its shape follows. */
static const struct field region_fields[] = {
    ROW(struct message_region, "kind", FIELD_NAME, kind, NEED, 0, 0),
    ROW(struct message_region, "state", FIELD_NAME, state, NEED, 0, 0),
    END,
};

static const struct field obstacle_fields[] = {
    ROW(struct obstacle_def, "id", FIELD_UINT32, id, FIELD_BRIEF, 0, (double)UINT32_MAX),
    END,
};

/* Between "obstacles" and "regions"; what is empty is left out. */
static const struct field geometry_fields[] = {
    ROWS(struct message_geometry, "walls", walls, wall_count, FIELD_BRIEF, LIMIT_WALLS, geometry_wall),
    ROWS(struct message_geometry, "paths", paths, path_count, FIELD_BRIEF, LIMIT_PATHS, OBJECTS(path_fields)),
    ROWS(struct message_geometry, "flow_fields", flows, flow_count, FIELD_BRIEF, LIMIT_FLOW_FIELDS, OBJECTS(message_flow_fields)),
    ROWS(struct message_geometry, "gates", gates, gate_count, FIELD_BRIEF, LIMIT_GATES, OBJECTS(gate_fields)),
    END,
};
/* clang-format on */

static void write_region(const struct message_region *region, struct json_writer *json) {
    const struct geometry_area area = {region->at, region->size, region->radius};
    json_object(json);
    fields_write(region_fields, region, json);
    json_key(json, region->is_circle ? "circle" : "rect");
    geometry_area_write(&area, region->is_circle, json);
    json_end(json);
}

/* "key":[ when there is something to come. */
static bool begin_list(const char *key, int count, struct json_writer *json) {
    if (count > 0) {
        json_key(json, key);
        json_array(json);
    }
    return count > 0;
}

/* Members "obstacles", "walls", "paths", "flow_fields", "gates", "regions", "areas" into an open object. */
static void message_geometry_write(const struct message_geometry *geometry, struct json_writer *json) {
    if (begin_list("obstacles", geometry->obstacle_count, json)) {
        for (int i = 0; i < geometry->obstacle_count; i++) {
            json_object(json);
            fields_write(obstacle_fields, &geometry->obstacles[i], json);
            geometry_shape_write(&geometry->obstacles[i], obstacle_shape_names, json);
            fields_write(geometry_motion_fields, &geometry->obstacles[i], json);
            json_end(json);
        }
        json_end(json);
    }
    fields_write(geometry_fields, geometry, json);
    if (begin_list("regions", geometry->region_count, json)) {
        for (int i = 0; i < geometry->region_count; i++) {
            write_region(&geometry->regions[i], json);
        }
        json_end(json);
    }
    if (begin_list("areas", geometry->area_count, json)) {
        for (int i = 0; i < geometry->area_count; i++) {
            json_object(json);
            fields_write(area_fields, &geometry->areas[i], json);
            geometry_shape_write(&geometry->areas[i].shape, area_shape_names, json);
            json_end(json);
        }
        json_end(json);
    }
}

/* 1: there is no shape that this version knows. */
static int read_shape(const cJSON *item, const char *const *names, struct obstacle_def *shape,
                      struct failure *failure) {
    int result = 1;
    for (const cJSON *member = item->child; member != NULL && result == 1; member = member->next) {
        result = geometry_shape_read(member, names, member->string, shape, failure);
    }
    return result;
}

int message_obstacle_read(const cJSON *item, struct obstacle_def *obstacle, struct failure *failure) {
    const int result = read_shape(item, obstacle_shape_names, obstacle, failure);
    return result != 0 ? result
                       : fields_read(geometry_motion_fields, item, "", NULL, obstacle, NULL, failure);
}

static int read_area(const cJSON *item, struct message_geometry *geometry, struct failure *failure) {
    struct area_def *area = &geometry->areas[geometry->area_count];
    if (fields_read(area_fields, item, "areas", NULL, area, NULL, failure) != 0) {
        return -1;
    }
    const int result = read_shape(item, area_shape_names, &area->shape, failure);
    geometry->area_count += result == 0;
    return result;
}

static int read_obstacle(const cJSON *item, struct message_geometry *geometry, struct failure *failure) {
    struct obstacle_def *obstacle = &geometry->obstacles[geometry->obstacle_count];
    if (fields_read(obstacle_fields, item, "obstacles", NULL, obstacle, NULL, failure) != 0) {
        return -1;
    }
    const int result = message_obstacle_read(item, obstacle, failure);
    geometry->obstacle_count += result == 0;
    return result;
}

/* A vector for each cell. */
static bool is_whole(const struct message_flow *flow) {
    return flow->vector_count / flow->columns == flow->rows && flow->vector_count % flow->columns == 0;
}

/* ---- changes ---- */

static int find_obstacle(const struct message_geometry *geometry, uint32_t id) {
    int index = 0;
    while (index < geometry->obstacle_count && geometry->obstacles[index].id != id) {
        index++;
    }
    return index;
}

void message_geometry_put(struct message_geometry *geometry, const struct obstacle_def *obstacle) {
    const int index = find_obstacle(geometry, obstacle->id);
    if (index < LIMIT_OBSTACLES) {
        geometry->obstacles[index] = *obstacle;
        geometry->obstacle_count += index == geometry->obstacle_count ? 1 : 0;
    }
}

static float around(float coordinate, float size) {
    return size > 0.0f ? coordinate - size * floorf(coordinate / size) : coordinate;
}

struct obstacle_def message_obstacle_at(const struct message_geometry *geometry, int index,
                                        const struct message_moment *moment) {
    const struct obstacle_def *obstacle = &geometry->obstacles[index];
    const struct path_def *path = NULL;
    if (!obstacle_moves(obstacle)) {
        return *obstacle;
    }
    for (int i = 0; i < geometry->path_count && path == NULL; i++) {
        path = strcmp(geometry->paths[i].name, obstacle->move.path) == 0 ? &geometry->paths[i] : NULL;
    }
    const vec2 wrap = moment->wrap_size;
    const vec2 to = vec2_add(obstacle_point(obstacle),
                             obstacle_offset(obstacle, path, wrap, moment->tick_hz, moment->tick));
    return obstacle_moved(obstacle, vec2_make(around(to.x, wrap.x), around(to.y, wrap.y)));
}

void message_geometry_put_flow(struct message_geometry *geometry, const struct message_flow *flow) {
    for (int i = 0; i < geometry->flow_count; i++) {
        if (strcmp(geometry->flows[i].name, flow->name) == 0 && is_whole(flow)) {
            geometry->flows[i] = *flow;
        }
    }
}

void message_geometry_remove(struct message_geometry *geometry, uint32_t id) {
    const int index = find_obstacle(geometry, id);
    if (index == geometry->obstacle_count) {
        return;
    }
    geometry->obstacle_count--;
    memmove(&geometry->obstacles[index], &geometry->obstacles[index + 1],
            sizeof geometry->obstacles[0] * (size_t)(geometry->obstacle_count - index));
}

/* 1: it has no shape that this version knows. */
static int read_region(const cJSON *item, struct message_geometry *geometry, struct failure *failure) {
    struct message_region *region = &geometry->regions[geometry->region_count];
    const cJSON *circle = cJSON_GetObjectItemCaseSensitive(item, "circle");
    const cJSON *rect = cJSON_GetObjectItemCaseSensitive(item, "rect");
    struct geometry_area area;
    if (fields_read(region_fields, item, "regions", NULL, region, NULL, failure) != 0) {
        return -1;
    }
    if (circle == NULL && rect == NULL) {
        return 1;
    }
    region->is_circle = circle != NULL;
    if (geometry_area_read(circle != NULL ? circle : rect, circle != NULL, "regions", &area, failure) != 0) {
        return -1;
    }
    region->at = area.at;
    region->size = area.size;
    region->radius = area.radius;
    geometry->region_count++;
    return 0;
}

static int read_list(const cJSON *json, const char *key, int most,
                     int (*read)(const cJSON *, struct message_geometry *, struct failure *),
                     struct message_geometry *geometry, struct failure *failure) {
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(json, key), *item = NULL;
    if (array != NULL && (!cJSON_IsArray(array) || cJSON_GetArraySize(array) > most)) {
        return failure_set(failure, FAILURE_INVALID, key, "expected an array of at most %d", most);
    }
    cJSON_ArrayForEach(item, array) {
        if (read(item, geometry, failure) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Reads them from an object; absent ones are empty. An obstacle, a region or an area of a shape that this version does not know
 * is skipped. *geometry must be zeroed. 0, or -1 with *failure (too many, wrong types, numbers out of range);
 * what was read until then is whole. */
static int message_geometry_read(const cJSON *json, struct message_geometry *geometry,
                                 struct failure *failure) {
    if (fields_read(geometry_fields, json, "", NULL, geometry, NULL, failure) != 0 ||
        read_list(json, "obstacles", LIMIT_OBSTACLES, read_obstacle, geometry, failure) != 0 ||
        read_list(json, "regions", LIMIT_REGIONS, read_region, geometry, failure) != 0 ||
        read_list(json, "areas", LIMIT_AREAS, read_area, geometry, failure) != 0) {
        return -1;
    }
    for (int i = 0; i < geometry->flow_count; i++) {
        if (!is_whole(&geometry->flows[i])) {
            return failure_set(failure, FAILURE_INVALID, "flow_fields", "expected a vector for each cell");
        }
    }
    return 0;
}

/* clang-format off */
static const struct field kind_fields[] = {
    ROW(struct message_kind, "name", FIELD_NAME, name, NEED, 0, 0),
    ROW(struct message_kind, "radius", FIELD_FLOAT, radius, NEED, 0, LIMIT_COORDINATE),
    ROW(struct message_kind, "max_speed", FIELD_FLOAT, max_speed, NEED, 0, FLOAT_MOST),
    ROW(struct message_kind, "max_force", FIELD_FLOAT, max_force, NEED, 0, FLOAT_MOST),
    ROW(struct message_kind, "count", FIELD_UINT32, count, NEED, 0, (double)UINT32_MAX),
    END,
};

static const struct field scenario_fields[] = {
    ROW(struct message_scenario, "name", FIELD_NAME, name, NEED, 0, 0),
    ROW(struct message_scenario, "title", FIELD_TEXT, title, NEED, 0, 0),
    ROW(struct message_scenario, "description", FIELD_TEXT, description, NEED, 0, 0),
    ROW(struct message_scenario, "size", FIELD_POINT, size, NEED, 1e-3, LIMIT_WORLD_SIZE),
    ROW(struct message_scenario, "meter", FIELD_FLOAT, meter, FIELD_BRIEF, LIMIT_METER_LEAST, LIMIT_WORLD_SIZE),
    ROW(struct message_scenario, "edge", FIELD_TEXT, edge, NEED, 0, 0),
    ROW(struct message_scenario, "seed", FIELD_UINT64, seed, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_scenario, "tick_hz", FIELD_DOUBLE, tick_hz, NEED, 1e-3, 1e6),
    ROWS(struct message_scenario, "kinds", kinds, kind_count, NEED, LIMIT_KINDS, OBJECTS(kind_fields)),
    ROWS(struct message_scenario, "targets", targets, target_count, NEED, LIMIT_TARGETS,
         ENTRY(.type = FIELD_NAME, .size = LIMIT_NAME_CHARS + 1)),
    END,
};

/* One that says nothing is left out. */
static const struct field about_fields[] = {
    OBJECT(struct message_scenario, "about", about, message_about_fields, .flags = FIELD_BRIEF),
    END,
};

static const struct field pace_fields[] = {
    ROW(struct message_pace, "speed", FIELD_DOUBLE, speed, 0, 0, 1000, FIELD_HAS(struct message_pace, has_speed)),
    ROW(struct message_pace, "warming", FIELD_DOUBLE, warmed, 0, 0, 1, FIELD_HAS(struct message_pace, is_warming)),
    END,
};
/* clang-format on */

struct message_pace message_pace_make(double speed) {
    const bool has_speed = speed < 1.0 || speed > 1.0;
    return (struct message_pace){.has_speed = has_speed, .speed = has_speed ? speed : 0.0};
}

double message_pace_speed(const struct message_pace *pace) {
    return pace->has_speed ? pace->speed : 1.0;
}

void message_pace_write(const struct message_pace *pace, struct json_writer *json) {
    struct message_pace told = *pace;
    told.warmed = message_share(told.warmed);
    fields_write(pace_fields, &told, json);
}

int message_pace_read(const cJSON *json, struct message_pace *pace, struct failure *failure) {
    struct message_pace found = {.has_speed = false};
    if (fields_read(pace_fields, json, "", NULL, &found, NULL, failure) != 0) {
        return -1;
    }
    *pace = message_pace_make(message_pace_speed(&found)); /* 1, which may be said, is no speed of its own */
    pace->is_warming = found.is_warming;
    pace->warmed = found.warmed;
    return 0;
}

void message_scenario_write(const struct message_scenario *scenario, struct json_writer *json) {
    fields_write(scenario_fields, scenario, json);
    message_geometry_write(&scenario->geometry, json);
    message_view_write(&scenario->view, json);
    fields_write(about_fields, scenario, json);
}

void message_write_scenario(const struct message_scenario *scenario, struct buffer *out) {
    struct json_writer json = message_open("scenario", out);
    message_pace_write(&scenario->pace, &json);
    message_scenario_write(scenario, &json);
    message_close(&json);
}

int message_scenario_read(const cJSON *json, struct message_scenario *scenario, struct failure *failure) {
    if (fields_read(scenario_fields, json, "", NULL, scenario, NULL, failure) != 0 ||
        message_view_read(json, &scenario->view, failure) != 0 ||
        fields_read(about_fields, json, "", NULL, scenario, NULL, failure) != 0) {
        return -1;
    }
    return message_geometry_read(json, &scenario->geometry, failure);
}
