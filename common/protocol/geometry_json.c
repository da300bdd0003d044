/* See geometry_json.h. Owns nothing. */
#include "common/protocol/geometry_json.h"

#include <string.h>

#include "common/base/limits.h"
#include "common/json/field_json.h"

#define PLACE(structure, member)                                                                             \
    {                                                                                                        \
        .type = FIELD_FLOAT, FIELD_MEMBER(structure, member), .min = -LIMIT_COORDINATE,                      \
        .max = LIMIT_COORDINATE, .unit = "px"                                                                \
    }
#define LENGTH(structure, member)                                                                            \
    { .type = FIELD_FLOAT, FIELD_MEMBER(structure, member), .max = LIMIT_COORDINATE, .unit = "px" }
#define END                                                                                                  \
    { .type = FIELD_END }

static const struct field circle_fields[] = {
    PLACE(struct geometry_area, at.x),
    PLACE(struct geometry_area, at.y),
    LENGTH(struct geometry_area, radius),
    END,
};
static const struct field rect_fields[] = {
    PLACE(struct geometry_area, at.x),
    PLACE(struct geometry_area, at.y),
    LENGTH(struct geometry_area, size.x),
    LENGTH(struct geometry_area, size.y),
    END,
};
static const struct field circle = {.type = FIELD_TUPLE, .table = circle_fields, .unit = "[x, y, r]"};
static const struct field rect = {.type = FIELD_TUPLE, .table = rect_fields, .unit = "[x, y, w, h]"};

static const struct field wall_fields[] = {
    PLACE(struct wall_def, from.x),
    PLACE(struct wall_def, from.y),
    PLACE(struct wall_def, to.x),
    PLACE(struct wall_def, to.y),
    END,
};
const struct field geometry_wall[] = {
    {.type = FIELD_TUPLE, .table = wall_fields, .unit = "[x1, y1, x2, y2]"}};

const struct field geometry_point[] = {{.type = FIELD_POINT,
                                        .size = sizeof(vec2),
                                        .min = -LIMIT_COORDINATE,
                                        .max = LIMIT_COORDINATE,
                                        .unit = "px"}};

static const struct field polygon =
    GEOMETRY_POINTS("polygon", struct obstacle_def, 0, 3, LIMIT_OBSTACLE_POINTS);

const char *const obstacle_shape_names[] = {
    [OBSTACLE_CIRCLE] = "circle", [OBSTACLE_BOX] = "box", [OBSTACLE_POLYGON] = "polygon", NULL};

int geometry_area_read(const cJSON *json, bool is_circle, const char *path, struct geometry_area *out,
                       struct failure *failure) {
    *out = (struct geometry_area){.radius = 0.0f};
    return field_read_value(is_circle ? &circle : &rect, json, path, out, failure);
}

void geometry_area_write(const struct geometry_area *area, bool is_circle, struct json_writer *json) {
    field_write_value(is_circle ? &circle : &rect, area, json);
}

const char *const area_shape_names[] = {
    [OBSTACLE_CIRCLE] = "circle", [OBSTACLE_BOX] = "rect", [OBSTACLE_POLYGON] = "polygon", NULL};

int geometry_shape_read(const cJSON *member, const char *const *names, const char *path,
                        struct obstacle_def *obstacle, struct failure *failure) {
    struct geometry_area area = {.radius = 0.0f};
    int shape = 0;
    while (names[shape] != NULL && strcmp(names[shape], member->string) != 0) {
        shape++;
    }
    if (names[shape] == NULL) {
        return 1;
    }
    if ((shape == OBSTACLE_POLYGON
             ? field_read_value(&polygon, member, path, obstacle, failure)
             : geometry_area_read(member, shape == OBSTACLE_CIRCLE, path, &area, failure)) != 0) {
        return -1;
    }
    obstacle->shape = shape;
    obstacle->at = area.at;
    obstacle->size = area.size;
    obstacle->radius = area.radius;
    return 0;
}

void geometry_shape_write(const struct obstacle_def *obstacle, const char *const *names,
                          struct json_writer *json) {
    const struct geometry_area area = {obstacle->at, obstacle->size, obstacle->radius};
    json_key(json, names[obstacle->shape]);
    if (obstacle->shape == OBSTACLE_POLYGON) {
        field_write_value(&polygon, obstacle, json);
    } else {
        geometry_area_write(&area, obstacle->shape == OBSTACLE_CIRCLE, json);
    }
}
