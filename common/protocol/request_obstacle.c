/* An obstacle as a request says it: {"circle":[x,y,r]}, {"box":[x,y,w,h]} or {"polygon":[[x,y],...]}. Owns
 * nothing. Invariant: what is read has finite numbers in range and no negative size.
 */
#include "common/protocol/request_obstacle.h"

#include "common/protocol/message_geometry.h"

const char *const obstacle_shape_names[] = {
    [OBSTACLE_CIRCLE] = "circle", [OBSTACLE_BOX] = "box", [OBSTACLE_POLYGON] = "polygon"};
static const char *const wanted[] = {[OBSTACLE_CIRCLE] = "[x, y, radius]",
                                     [OBSTACLE_BOX] = "[x, y, width, height]",
                                     [OBSTACLE_POLYGON] = "an array of 3 to 16 points [x, y]"};

/* Exactly `count` numbers: a place, then lengths. */
static int read_numbers(const cJSON *array, int shape, int count, float *out, struct failure *failure) {
    int read = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        if (read == count || !cJSON_IsNumber(item)) {
            break;
        }
        const double value = item->valuedouble, most = read < 2 ? LIMIT_COORDINATE : LIMIT_WORLD_SIZE;
        if (!(value <= most && value >= (read < 2 ? -most : 0.0))) {
            return failure_set(failure, FAILURE_OUT_OF_RANGE, obstacle_shape_names[shape],
                               "x and y are within -1000000 and 1000000, lengths 0 to 100000 px");
        }
        out[read++] = field_float(value);
    }
    if (!cJSON_IsArray(array) || read != count || item != NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, obstacle_shape_names[shape], "expected %s",
                           wanted[shape]);
    }
    return 0;
}

static int read_polygon(const cJSON *array, struct obstacle_def *shape, struct failure *failure) {
    const int count = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0;
    if (count < 3 || count > LIMIT_OBSTACLE_POINTS) {
        return failure_set(failure, FAILURE_BAD_PARAM, obstacle_shape_names[OBSTACLE_POLYGON], "expected %s",
                           wanted[OBSTACLE_POLYGON]);
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        float numbers[2] = {0};
        if (read_numbers(item, OBSTACLE_POLYGON, 2, numbers, failure) != 0) {
            return -1;
        }
        shape->points[shape->point_count++] = vec2_make(numbers[0], numbers[1]);
    }
    return 0;
}

int request_check_add_obstacle(struct request *request, const cJSON *json, struct failure *failure) {
    struct obstacle_def *shape = &request->body.add_obstacle.shape;
    const cJSON *value = NULL;
    for (int i = OBSTACLE_CIRCLE; i <= OBSTACLE_POLYGON; i++) {
        const cJSON *one = cJSON_GetObjectItemCaseSensitive(json, obstacle_shape_names[i]);
        if (one != NULL && value != NULL) {
            return failure_set(failure, FAILURE_BAD_PARAM, obstacle_shape_names[i],
                               "%s and %s are mutually exclusive; give exactly one of circle, box, polygon",
                               obstacle_shape_names[shape->shape], obstacle_shape_names[i]);
        }
        shape->shape = one != NULL ? i : shape->shape;
        value = one != NULL ? one : value;
    }
    if (value == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, obstacle_shape_names[0],
                           "missing; give exactly one of circle, box, polygon");
    }
    if (shape->shape == OBSTACLE_POLYGON) {
        return read_polygon(value, shape, failure);
    }
    float numbers[4] = {0};
    const bool is_box = shape->shape == OBSTACLE_BOX;
    if (read_numbers(value, shape->shape, is_box ? 4 : 3, numbers, failure) != 0) {
        return -1;
    }
    shape->at = vec2_make(numbers[0], numbers[1]);
    shape->size = is_box ? vec2_make(numbers[2], numbers[3]) : vec2_make(0.0f, 0.0f);
    shape->radius = is_box ? 0.0f : numbers[2];
    return 0;
}

bool request_write_add_obstacle(const struct request *request, struct json_writer *json) {
    message_obstacle_write(&request->body.add_obstacle.shape, json);
    return true;
}
