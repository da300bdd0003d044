/* The description of a world: writing and reading, by the same rows. Owns nothing. */
#include "common/protocol/message_scenario.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/message_parts.h"
#include "common/text/names.h"

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

/* ---- writing ---- */

static void write_numbers(const float *numbers, int count, struct json_writer *json) {
    json_array(json);
    for (int i = 0; i < count; i++) {
        json_float(json, numbers[i]);
    }
    json_end(json);
}

static void write_points(const vec2 *points, int count, struct json_writer *json) {
    json_array(json);
    for (int i = 0; i < count; i++) {
        const float numbers[] = {points[i].x, points[i].y};
        write_numbers(numbers, 2, json);
    }
    json_end(json);
}

void message_obstacle_write(const struct obstacle_def *obstacle, struct json_writer *json) {
    const bool is_box = obstacle->shape == OBSTACLE_BOX;
    const float numbers[] = {obstacle->at.x, obstacle->at.y, is_box ? obstacle->size.x : obstacle->radius,
                             obstacle->size.y};
    if (obstacle->shape == OBSTACLE_POLYGON) {
        json_key(json, "polygon");
        write_points(obstacle->points, obstacle->point_count, json);
    } else {
        json_key(json, is_box ? "box" : "circle");
        write_numbers(numbers, is_box ? 4 : 3, json);
    }
}

static void write_obstacle(const struct obstacle_def *obstacle, struct json_writer *json) {
    json_object(json);
    if (obstacle->id != 0) {
        json_key_unsigned(json, "id", obstacle->id);
    }
    message_obstacle_write(obstacle, json);
    json_end(json);
}

static void write_wall(const struct wall_def *wall, struct json_writer *json) {
    const float numbers[] = {wall->from.x, wall->from.y, wall->to.x, wall->to.y};
    write_numbers(numbers, 4, json);
}

static void write_path(const struct path_def *path, struct json_writer *json) {
    json_object(json);
    json_key_string(json, "name", path->name);
    json_key(json, "points");
    write_points(path->points, path->point_count, json);
    json_key(json, "radius");
    json_float(json, path->radius);
    json_key_bool(json, "loop", path->is_loop);
    json_end(json);
}

static void write_flow(const struct message_flow *flow, struct json_writer *json) {
    json_object(json);
    json_key_string(json, "name", flow->name);
    json_key(json, "cells");
    json_array(json);
    json_signed(json, flow->columns);
    json_signed(json, flow->rows);
    json_end(json);
    json_key(json, "vectors");
    write_points(flow->vectors, flow->columns * flow->rows, json);
    json_end(json);
}

static void write_region(const struct message_region *region, struct json_writer *json) {
    const float numbers[] = {region->at.x, region->at.y, region->is_circle ? region->radius : region->size.x,
                             region->size.y};
    json_object(json);
    json_key_string(json, "kind", region->kind);
    json_key_string(json, "state", region->state);
    json_key(json, region->is_circle ? "circle" : "rect");
    write_numbers(numbers, region->is_circle ? 3 : 4, json);
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

/* Members "obstacles", "walls", "paths", "flow_fields", "regions" into an open object; what is empty is left out. */
static void message_geometry_write(const struct message_geometry *geometry, struct json_writer *json) {
    if (begin_list("obstacles", geometry->obstacle_count, json)) {
        for (int i = 0; i < geometry->obstacle_count; i++) {
            write_obstacle(&geometry->obstacles[i], json);
        }
        json_end(json);
    }
    if (begin_list("walls", geometry->wall_count, json)) {
        for (int i = 0; i < geometry->wall_count; i++) {
            write_wall(&geometry->walls[i], json);
        }
        json_end(json);
    }
    if (begin_list("paths", geometry->path_count, json)) {
        for (int i = 0; i < geometry->path_count; i++) {
            write_path(&geometry->paths[i], json);
        }
        json_end(json);
    }
    if (begin_list("flow_fields", geometry->flow_count, json)) {
        for (int i = 0; i < geometry->flow_count; i++) {
            write_flow(&geometry->flows[i], json);
        }
        json_end(json);
    }
    if (begin_list("regions", geometry->region_count, json)) {
        for (int i = 0; i < geometry->region_count; i++) {
            write_region(&geometry->regions[i], json);
        }
        json_end(json);
    }
}

/* ---- reading ---- */

static int fail(const char *path, const char *wanted, struct failure *failure) {
    return failure_set(failure, FAILURE_INVALID, path, "expected %s", wanted);
}

/* Exactly `count` finite numbers of at most LIMIT_COORDINATE. */
static int read_numbers(const cJSON *array, const char *path, int count, float *out,
                        struct failure *failure) {
    if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) != count) {
        return failure_set(failure, FAILURE_INVALID, path, "expected an array of %d numbers", count);
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        if (!cJSON_IsNumber(item) ||
            !(item->valuedouble >= -LIMIT_COORDINATE && item->valuedouble <= LIMIT_COORDINATE)) {
            return fail(path, "numbers from -1000000 to 1000000", failure);
        }
        *out++ = (float)item->valuedouble;
    }
    return 0;
}

/* least .. most points. */
static int read_points(const cJSON *array, const char *path, int least, int most, vec2 *points, int *count,
                       struct failure *failure) {
    const int size = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : -1;
    if (size < least || size > most) {
        return failure_set(failure, FAILURE_INVALID, path, "expected an array of %d to %d points", least,
                           most);
    }
    const cJSON *item = NULL;
    int read = 0;
    cJSON_ArrayForEach(item, array) {
        float numbers[2] = {0};
        if (read_numbers(item, path, 2, numbers, failure) != 0) {
            return -1;
        }
        points[read++] = vec2_make(numbers[0], numbers[1]);
    }
    *count = read;
    return 0;
}

int message_obstacle_read(const cJSON *item, const char *id, struct obstacle_def *obstacle,
                          struct failure *failure) {
    const cJSON *circle = cJSON_GetObjectItemCaseSensitive(item, "circle");
    const cJSON *box = cJSON_GetObjectItemCaseSensitive(item, "box");
    const cJSON *polygon = cJSON_GetObjectItemCaseSensitive(item, "polygon");
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(item, id);
    float numbers[4] = {0};
    int result = 0;
    if (circle == NULL && box == NULL && polygon == NULL) {
        return 1;
    }
    if (number != NULL &&
        (!cJSON_IsNumber(number) || !(number->valuedouble >= 0.0 && number->valuedouble <= 4294967295.0))) {
        return fail(id, "the id of an obstacle", failure);
    }
    obstacle->id = number != NULL ? (uint32_t)number->valuedouble : 0;
    if (polygon != NULL) {
        obstacle->shape = OBSTACLE_POLYGON;
        result = read_points(polygon, "obstacles", 3, LIMIT_OBSTACLE_POINTS, obstacle->points,
                             &obstacle->point_count, failure);
    } else {
        result = read_numbers(box != NULL ? box : circle, "obstacles", box != NULL ? 4 : 3, numbers, failure);
        obstacle->shape = box != NULL ? OBSTACLE_BOX : OBSTACLE_CIRCLE;
        obstacle->at = vec2_make(numbers[0], numbers[1]);
        obstacle->size = box != NULL ? vec2_make(numbers[2], numbers[3]) : vec2_make(0.0f, 0.0f);
        obstacle->radius = box != NULL ? 0.0f : numbers[2];
    }
    if (result == 0 && (numbers[2] < 0.0f || numbers[3] < 0.0f)) {
        return fail("obstacles", "sizes that are not negative", failure);
    }
    return result;
}

static int read_obstacle(const cJSON *item, struct message_geometry *geometry, struct failure *failure) {
    if (!cJSON_IsObject(item)) {
        return fail("obstacles", "objects", failure);
    }
    const int result =
        message_obstacle_read(item, "id", &geometry->obstacles[geometry->obstacle_count], failure);
    geometry->obstacle_count += result == 0 ? 1 : 0;
    return result < 0 ? -1 : 0;
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

void message_geometry_remove(struct message_geometry *geometry, uint32_t id) {
    const int index = find_obstacle(geometry, id);
    if (index == geometry->obstacle_count) {
        return;
    }
    geometry->obstacle_count--;
    memmove(&geometry->obstacles[index], &geometry->obstacles[index + 1],
            sizeof geometry->obstacles[0] * (size_t)(geometry->obstacle_count - index));
}

static int read_wall(const cJSON *item, struct message_geometry *geometry, struct failure *failure) {
    float numbers[4] = {0};
    if (read_numbers(item, "walls", 4, numbers, failure) != 0) {
        return -1;
    }
    geometry->walls[geometry->wall_count++] =
        (struct wall_def){{numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
    return 0;
}

/* A member that is a name. */
static int read_member_name(const cJSON *item, const char *key, const char *path,
                            char out[LIMIT_NAME_CHARS + 1], struct failure *failure) {
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, key);
    if (!cJSON_IsString(name) || !name_is_valid(name->valuestring, strlen(name->valuestring))) {
        return failure_set(failure, FAILURE_INVALID, path, "expected objects with a %s", key);
    }
    memcpy(out, name->valuestring, strlen(name->valuestring) + 1);
    return 0;
}

static int read_name(const cJSON *item, const char *path, char out[LIMIT_NAME_CHARS + 1],
                     struct failure *failure) {
    return read_member_name(item, "name", path, out, failure);
}

static int read_path(const cJSON *item, struct message_geometry *geometry, struct failure *failure) {
    struct path_def *path = &geometry->paths[geometry->path_count];
    const cJSON *radius = cJSON_GetObjectItemCaseSensitive(item, "radius");
    if (read_name(item, "paths", path->name, failure) != 0 ||
        read_points(cJSON_GetObjectItemCaseSensitive(item, "points"), "paths", 2, LIMIT_PATH_POINTS,
                    path->points, &path->point_count, failure) != 0) {
        return -1;
    }
    if (!cJSON_IsNumber(radius) || !(radius->valuedouble >= 0.0 && radius->valuedouble <= LIMIT_WORLD_SIZE)) {
        return fail("paths", "a radius from 0 to 100000", failure);
    }
    path->radius = (float)radius->valuedouble;
    path->is_loop = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "loop")) != 0;
    geometry->path_count++;
    return 0;
}

static int read_flow(const cJSON *item, struct message_geometry *geometry, struct failure *failure) {
    struct message_flow *flow = &geometry->flows[geometry->flow_count];
    float cells[2] = {0};
    int count = 0;
    if (read_name(item, "flow_fields", flow->name, failure) != 0 ||
        read_numbers(cJSON_GetObjectItemCaseSensitive(item, "cells"), "flow_fields", 2, cells, failure) !=
            0) {
        return -1;
    }
    const float most = (float)LIMIT_FLOW_ARROWS;
    if (!(cells[0] >= 1.0f && cells[1] >= 1.0f && cells[0] <= most && cells[1] <= most &&
          cells[0] * cells[1] <= most)) {
        return failure_set(failure, FAILURE_INVALID, "flow_fields", "expected 1 to %d cells",
                           LIMIT_FLOW_ARROWS);
    }
    const int columns = (int)cells[0], rows = (int)cells[1];
    if (read_points(cJSON_GetObjectItemCaseSensitive(item, "vectors"), "flow_fields", columns * rows,
                    columns * rows, flow->vectors, &count, failure) != 0) {
        return -1;
    }
    flow->columns = columns;
    flow->rows = rows;
    geometry->flow_count++;
    return 0;
}

/* One of a shape that this version does not know is skipped. */
static int read_region(const cJSON *item, struct message_geometry *geometry, struct failure *failure) {
    struct message_region *region = &geometry->regions[geometry->region_count];
    const cJSON *circle = cJSON_GetObjectItemCaseSensitive(item, "circle");
    const cJSON *rect = cJSON_GetObjectItemCaseSensitive(item, "rect");
    float numbers[4] = {0};
    if (read_member_name(item, "kind", "regions", region->kind, failure) != 0 ||
        read_member_name(item, "state", "regions", region->state, failure) != 0) {
        return -1;
    }
    if (circle == NULL && rect == NULL) {
        return 0;
    }
    region->is_circle = circle != NULL;
    if (read_numbers(circle != NULL ? circle : rect, "regions", circle != NULL ? 3 : 4, numbers, failure) !=
        0) {
        return -1;
    }
    if (numbers[2] < 0.0f || numbers[3] < 0.0f) {
        return fail("regions", "sizes that are not negative", failure);
    }
    region->at = vec2_make(numbers[0], numbers[1]);
    region->radius = circle != NULL ? numbers[2] : 0.0f;
    region->size = circle != NULL ? vec2_make(0.0f, 0.0f) : vec2_make(numbers[2], numbers[3]);
    geometry->region_count++;
    return 0;
}

static int read_list(const cJSON *json, const char *key, int most,
                     int (*read)(const cJSON *, struct message_geometry *, struct failure *),
                     struct message_geometry *geometry, struct failure *failure) {
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(json, key);
    if (array == NULL) {
        return 0;
    }
    if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) > most) {
        return failure_set(failure, FAILURE_INVALID, key, "expected an array of at most %d", most);
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        if (read(item, geometry, failure) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Reads them from an object; absent ones are empty. An obstacle of a shape that this version does not know
 * is skipped. *geometry must be zeroed. 0, or -1 with *failure (too many, wrong types, numbers out of range);
 * what was read until then is whole. */
static int message_geometry_read(const cJSON *json, struct message_geometry *geometry,
                                 struct failure *failure) {
    if (read_list(json, "obstacles", LIMIT_OBSTACLES, read_obstacle, geometry, failure) != 0 ||
        read_list(json, "walls", LIMIT_WALLS, read_wall, geometry, failure) != 0 ||
        read_list(json, "paths", LIMIT_PATHS, read_path, geometry, failure) != 0 ||
        read_list(json, "regions", LIMIT_REGIONS, read_region, geometry, failure) != 0) {
        return -1;
    }
    return read_list(json, "flow_fields", LIMIT_FLOW_FIELDS, read_flow, geometry, failure);
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
