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

/* What an obstacle does not say is 0, and is not written. */
const struct field geometry_move_fields[] = {
    {.name = "path",
     .type = FIELD_NAME,
     FIELD_MEMBER(struct move_def, path),
     .flags = FIELD_REQUIRED | FIELD_BRIEF,
     .help = "One of the world's paths."},
    {.name = "speed",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct move_def, speed),
     .flags = FIELD_REQUIRED | FIELD_BRIEF,
     .min = 0.01,
     .max = LIMIT_MOVER_SPEED,
     .unit = "px/s",
     .help = "How fast it goes."},
    {.name = "wait",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct move_def, wait),
     .flags = FIELD_BRIEF,
     .max = LIMIT_MOVER_TIME,
     .unit = "s",
     .help = "How long it waits at each end."},
    {.name = "start",
     .type = FIELD_FLOAT,
     FIELD_MEMBER(struct move_def, start),
     .flags = FIELD_BRIEF,
     .max = LIMIT_MOVER_TIME,
     .unit = "s",
     .help = "How long it has been on its way at tick 0."},
    {.name = "once",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct move_def, is_once),
     .flags = FIELD_BRIEF,
     .help = "It stops at the end."},
    END,
};

#define DOOR_ROWS                                                                                            \
    {.name = "open",                                                                                         \
     .type = FIELD_POINT,                                                                                    \
     FIELD_MEMBER(struct door_def, open),                                                                    \
     .flags = FIELD_REQUIRED | FIELD_BRIEF,                                                                  \
     .min = -LIMIT_WORLD_SIZE,                                                                               \
     .max = LIMIT_WORLD_SIZE,                                                                                \
     .unit = "px",                                                                                           \
     .help = "How far it is off its place when it is open."},                                                \
        {.name = "time",                                                                                     \
         .type = FIELD_FLOAT,                                                                                \
         FIELD_MEMBER(struct door_def, time),                                                                \
         .flags = FIELD_REQUIRED | FIELD_BRIEF,                                                              \
         .min = 0.01,                                                                                        \
         .max = LIMIT_MOVER_TIME,                                                                            \
         .unit = "s",                                                                                        \
         .help = "What opening and closing take."},                                                          \
    {                                                                                                        \
        .name = "closed", .type = FIELD_BOOL, FIELD_MEMBER(struct door_def, is_closed),                      \
        .flags = FIELD_BRIEF, .help = "Whether it is closed."                                                \
    }

const struct field geometry_door_fields[] = {DOOR_ROWS, END};

static const struct field door_state_fields[] = {
    DOOR_ROWS,
    {.name = "until",
     .type = FIELD_UINT64,
     FIELD_MEMBER(struct door_def, until),
     .flags = FIELD_BRIEF,
     .max = LIMIT_ID_INTEGER},
    END,
};

const struct field geometry_motion_fields[] = {
    {.name = "move",
     .type = FIELD_OBJECT,
     FIELD_MEMBER(struct obstacle_def, move),
     .flags = FIELD_BRIEF,
     .table = geometry_move_fields},
    {.name = "door",
     .type = FIELD_OBJECT,
     FIELD_MEMBER(struct obstacle_def, door),
     .flags = FIELD_BRIEF,
     .table = door_state_fields},
    END,
};

const char *const obstacle_shape_names[] = {
    [OBSTACLE_CIRCLE] = "circle", [OBSTACLE_BOX] = "box", [OBSTACLE_POLYGON] = "polygon", NULL};

const struct field *const geometry_shape_rows[] = {
    [OBSTACLE_CIRCLE] = &circle, [OBSTACLE_BOX] = &rect, [OBSTACLE_POLYGON] = &polygon};

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
