/* See request_table.h. Owns nothing. */
#include "common/protocol/request_table.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/geometry_json.h"
#include "common/protocol/message_event.h"
#include "common/protocol/request_extra.h"
#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot.h"
#include "common/text/names.h"

static void request_write_view(const struct request_subscribe *view, struct json_writer *json);

static int request_check_view(struct request_subscribe *view, const cJSON *json, struct failure *failure);

/* Whether the request has this member, whatever its value is. */
static bool request_is_given(const cJSON *json, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(json, name) != NULL;
}

static int fail_rule(struct failure *failure, const char *field, const char *message) {
    return failure_set(failure, FAILURE_BAD_PARAM, field, "%s", message);
}

/* Exactly one of the names (a NULL-ended list) must be there. */
static int check_exactly_one(const cJSON *json, const char *const *names, const char *list,
                             struct failure *failure) {
    const char *found = NULL;
    for (int i = 0; names[i] != NULL; i++) {
        if (!request_is_given(json, names[i])) {
            continue;
        }
        if (found != NULL) {
            return failure_set(failure, FAILURE_BAD_PARAM, names[i],
                               "%s and %s are mutually exclusive; give exactly one of %s", found, names[i],
                               list);
        }
        found = names[i];
    }
    return found != NULL
               ? 0
               : failure_set(failure, FAILURE_BAD_PARAM, names[0], "missing; give exactly one of %s", list);
}

/* ---- places ---- */

/* x, y and lengths, as a request says them. Owns nothing. Invariant: what is read has finite numbers in range. */

struct place_rule {
    const char *name, *wanted; /* of the member; its form */
    double least, most;        /* of the lengths */
    const char *range;         /* what is in range, for people */
};

/* Exactly `count` numbers: a place, then lengths. */
static int read_numbers(const cJSON *array, const struct place_rule *rule, int count, float *out,
                        struct failure *failure) {
    int read = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        if (read == count || !cJSON_IsNumber(item)) {
            break;
        }
        const double value = item->valuedouble, most = read < 2 ? LIMIT_COORDINATE : rule->most;
        if (!(value <= most && value >= (read < 2 ? -most : rule->least))) {
            return failure_set(failure, FAILURE_OUT_OF_RANGE, rule->name, "%s", rule->range);
        }
        out[read++] = field_float(value);
    }
    return cJSON_IsArray(array) && read == count && item == NULL
               ? 0
               : failure_set(failure, FAILURE_BAD_PARAM, rule->name, "expected %s", rule->wanted);
}

/* ---- obstacle ---- */

#define OBSTACLE_RANGE                                                                                       \
    0.0, LIMIT_WORLD_SIZE, "x and y are within -1000000 and 1000000, lengths 0 to 100000 px"
static const struct place_rule obstacle_rules[] = {
    [OBSTACLE_CIRCLE] = {"circle", "[x, y, radius]", OBSTACLE_RANGE},
    [OBSTACLE_BOX] = {"box", "[x, y, width, height]", OBSTACLE_RANGE},
    [OBSTACLE_POLYGON] = {"polygon", "an array of 3 to 64 points [x, y]", OBSTACLE_RANGE}};

static int read_polygon(const cJSON *array, struct obstacle_def *shape, struct failure *failure) {
    const struct place_rule *rule = &obstacle_rules[OBSTACLE_POLYGON];
    const int count = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0;
    if (count < 3 || count > LIMIT_OBSTACLE_POINTS) {
        return failure_set(failure, FAILURE_BAD_PARAM, rule->name, "expected %s", rule->wanted);
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        float numbers[2] = {0};
        if (read_numbers(item, rule, 2, numbers, failure) != 0) {
            return -1;
        }
        shape->points[shape->point_count++] = vec2_make(numbers[0], numbers[1]);
    }
    return 0;
}

int request_check_add_obstacle(struct request *request, const cJSON *json, struct failure *failure) {
    struct obstacle_def *shape = &request->body.add_obstacle.shape;
    if (check_exactly_one(json, obstacle_shape_names, "circle, box, polygon", failure) != 0) {
        return -1;
    }
    while (!request_is_given(json, obstacle_shape_names[shape->shape])) {
        shape->shape++;
    }
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, obstacle_shape_names[shape->shape]);
    if (shape->shape == OBSTACLE_POLYGON) {
        return read_polygon(value, shape, failure);
    }
    float numbers[4] = {0};
    const bool is_box = shape->shape == OBSTACLE_BOX;
    if (read_numbers(value, &obstacle_rules[shape->shape], is_box ? 4 : 3, numbers, failure) != 0) {
        return -1;
    }
    shape->at = vec2_make(numbers[0], numbers[1]);
    shape->size = is_box ? vec2_make(numbers[2], numbers[3]) : vec2_make(0.0f, 0.0f);
    shape->radius = is_box ? 0.0f : numbers[2];
    return 0;
}

bool request_write_add_obstacle(const struct request *request, struct json_writer *json) {
    geometry_shape_write(&request->body.add_obstacle.shape, obstacle_shape_names, json);
    return true;
}

/* ---- step ---- */

static const struct field until_fields[] = {
    {.name = "reached",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct request_until, reached),
     .flags = FIELD_BRIEF},
    {.name = "caught",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct request_until, caught),
     .min = 1,
     .max = LIMIT_AGENTS,
     FIELD_HAS(struct request_until, has_caught)},
    {.name = "tick",
     .type = FIELD_UINT64,
     FIELD_MEMBER(struct request_until, tick),
     .max = LIMIT_ID_INTEGER,
     FIELD_HAS(struct request_until, has_tick)},
    {.type = FIELD_END},
};
static const struct field state_fields[] = {
    {.name = "kind", .type = FIELD_NAME, FIELD_MEMBER(struct request_until, kind), .flags = FIELD_REQUIRED},
    {.name = "name", .type = FIELD_NAME, FIELD_MEMBER(struct request_until, state), .flags = FIELD_REQUIRED},
    {.name = "count",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct request_until, count),
     .min = 1,
     .max = LIMIT_AGENTS,
     .initial = 1},
    {.type = FIELD_END},
};

static int read_state(const cJSON *json, struct request_until *until, struct failure *failure) {
    static const char *const none[] = {NULL};
    fields_set_initial(state_fields, until);
    return fields_read(state_fields, json, "until.state", none, until, NULL, failure);
}

/* Exactly one condition. */
static int read_until(const cJSON *json, struct request_until *until, struct failure *failure) {
    static const char *const others[] = {"state", NULL};
    uint64_t present = 0;
    if (fields_read(until_fields, json, "until", others, until, &present, failure) != 0) {
        return -1;
    }
    const cJSON *state = cJSON_GetObjectItemCaseSensitive(json, "state");
    until->has_state = state != NULL;
    if (cJSON_GetArraySize(json) != 1) {
        return failure_set(failure, FAILURE_BAD_PARAM, "until",
                           "give exactly one of reached, caught, state, tick");
    }
    if ((present & 1u) != 0 && !until->reached) {
        return failure_set(failure, FAILURE_BAD_PARAM, "until.reached", "only true is allowed");
    }
    return state == NULL ? 0 : read_state(state, until, failure);
}

/* What a frame in the answer is to have. */
static int check_return(bool has_return, struct request_subscribe *view, const cJSON *json,
                        struct failure *failure) {
    static const char *const parts[] = {"fields", "region", "kinds", "nearest", "rays"};
    for (size_t i = 0; !has_return && i < sizeof parts / sizeof parts[0]; i++) {
        if (cJSON_GetObjectItemCaseSensitive(json, parts[i]) != NULL) {
            return failure_set(failure, FAILURE_BAD_PARAM, parts[i], "allowed only with return");
        }
    }
    return has_return ? request_check_view(view, json, failure) : 0;
}

int request_check_go(struct request *request, const cJSON *json, struct failure *failure) {
    return check_return(request->body.go.has_return, &request->body.go.view, json, failure);
}

bool request_write_go(const struct request *request, struct json_writer *json) {
    request_write_view(&request->body.go.view, json);
    return false;
}

int request_check_step(struct request *request, const cJSON *json, struct failure *failure) {
    struct request_step *step = &request->body.step;
    if (check_return(step->has_return, &step->view, json, failure) != 0) {
        return -1;
    }
    if (step->count == 0) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "count",
                           "0 is out of range: 1 to %d, or -1 to -%d to go back", LIMIT_STEP, LIMIT_STEP);
    }
    if (step->count < 0 && (step->has_return || step->has_until)) {
        return failure_set(failure, FAILURE_BAD_PARAM, step->has_until ? "until" : "return",
                           "allowed only with a count of 1 or more");
    }
    if (!step->has_until) {
        return 0;
    }
    if (cJSON_GetObjectItemCaseSensitive(json, "count") == NULL) {
        step->count = LIMIT_STEP;
    }
    return read_until(cJSON_GetObjectItemCaseSensitive(json, "until"), &step->until, failure);
}

static void write_until(const struct request_until *until, struct json_writer *json) {
    json_key(json, "until");
    json_object(json);
    fields_write(until_fields, until, json);
    if (until->has_state) {
        json_key(json, "state");
        json_object(json);
        fields_write(state_fields, until, json);
        json_end(json);
    }
    json_end(json);
}

bool request_write_step(const struct request *request, struct json_writer *json) {
    const struct request_step *step = &request->body.step;
    request_write_view(&step->view, json);
    if (step->has_until) {
        write_until(&step->until, json);
    }
    return false;
}

/* ---- subscribe ---- */

/* The options of a subscription: fields, region, kinds, grid, and the layouts that take each. Owns nothing.
 */

const char *const request_field_names[] = {"pos",     "vel",   "heading", "state", "kind",
                                           "stamina", "force", "desired", NULL};
/* By index in request_field_names. */
static const unsigned field_bits[] = {SNAPSHOT_POS,  SNAPSHOT_VEL,     SNAPSHOT_HEADING, SNAPSHOT_STATE,
                                      SNAPSHOT_KIND, SNAPSHOT_STAMINA, SNAPSHOT_FORCE,   SNAPSHOT_DESIRED};

enum { FIELD_NAME_COUNT = sizeof field_bits / sizeof field_bits[0] };
static_assert(sizeof request_field_names / sizeof request_field_names[0] == FIELD_NAME_COUNT + 1,
              "each field has a bit");

const char *request_field_name(int index, unsigned *field) {
    if (index < 0 || index >= FIELD_NAME_COUNT) {
        return NULL;
    }
    *field = field_bits[index];
    return request_field_names[index];
}

const char *request_layout_name(int layout) {
    assert(layout >= 0 && layout < LAYOUT_COUNT);
    return frame_layout_names[layout];
}

/* The field of the name at text, 0 when it is none. */
static unsigned find_field(const char *text, size_t length) {
    for (int i = 0; i < FIELD_NAME_COUNT; i++) {
        if (strlen(request_field_names[i]) == length && memcmp(request_field_names[i], text, length) == 0) {
            return field_bits[i];
        }
    }
    return 0;
}

unsigned request_snapshot_fields(const struct request_subscribe *subscribe) {
    unsigned fields = subscribe->fields[0] == '\0' ? (unsigned)SNAPSHOT_USUAL : 0u;
    for (const char *at = subscribe->fields; *at != '\0';) {
        const size_t length = strcspn(at, " ");
        fields |= find_field(at, length);
        at += length + (at[length] == ' ');
    }
    fields |= subscribe->forces ? (unsigned)SNAPSHOT_FORCES : 0u;
    fields |= subscribe->parts ? (unsigned)SNAPSHOT_PARTS : 0u;
    fields |= subscribe->twins ? (unsigned)SNAPSHOT_TWIN : 0u;
    return fields & frame_layout_row(subscribe->layout)->fields;
}

static int check_field_names(const char *fields, struct failure *failure) {
    for (const char *at = fields; *at != '\0';) {
        const size_t length = strcspn(at, " ");
        if (find_field(at, length) == 0) {
            return failure_set(failure, FAILURE_BAD_PARAM, "fields",
                               "no field \"%.*s\"; allowed: pos, vel, heading, state, kind, stamina, force, "
                               "desired",
                               (int)length, at);
        }
        at += length + (at[length] == ' ');
    }
    return 0;
}

static int check_event_names(const char *names, struct failure *failure) {
    for (const char *at = names; *at != '\0';) {
        char name[LIMIT_NAME_CHARS + 1] = "";
        const size_t length = strcspn(at, " ");
        memcpy(name, at, length < sizeof name ? length : sizeof name - 1);
        if (message_event_bit(name) == 0) {
            char hint[NEAREST_HINT_BYTES];
            struct nearest_name nearest = nearest_name_begin(name);
            for (int i = 0; message_event_names[i] != NULL; i++) {
                nearest_name_offer(&nearest, message_event_names[i]);
            }
            nearest_name_hint(&nearest, hint);
            return failure_set(failure, FAILURE_BAD_PARAM, "events",
                               "no event \"%s\"%s; `help` with \"about\":\"subscribe\" names them", name,
                               hint);
        }
        at += length + (at[length] == ' ');
    }
    return 0;
}

/* ---- regions ---- */

static int read_region(const cJSON *json, float out[4], struct failure *failure) {
    static const struct place_rule rule = {
        "region", "[x, y, width, height]", 0.01, 2 * LIMIT_COORDINATE,
        "x and y are within -1000000 and 1000000, width and height 0.01 to 2000000 px"};
    return read_numbers(cJSON_GetObjectItemCaseSensitive(json, "region"), &rule, 4, out, failure);
}

int request_check_set_region(struct request *request, const cJSON *json, struct failure *failure) {
    struct request_set_region *set = &request->body.set_region;
    if (set->has_region == set->clear) {
        return failure_set(failure, FAILURE_BAD_PARAM, "region", "give exactly one of region and clear");
    }
    return set->clear ? 0 : read_region(json, set->region, failure);
}

static void write_region(const float region[4], struct json_writer *json) {
    json_key(json, "region");
    json_array(json);
    for (int i = 0; i < 4; i++) {
        json_float(json, region[i]);
    }
    json_end(json);
}

bool request_write_subscribe(const struct request *request, struct json_writer *json) {
    request_write_view(&request->body.subscribe, json);
    return false;
}

bool request_write_set_region(const struct request *request, struct json_writer *json) {
    if (request->body.set_region.has_region) {
        write_region(request->body.set_region.region, json);
    }
    return false;
}

/* ---- what goes with which layout ---- */

/* Refuses the first of the names (a NULL-ended list) that was given. */
static int check_absent(const cJSON *json, const char *const *names, const char *layout,
                        struct failure *failure) {
    for (; *names != NULL; names++) {
        if (request_is_given(json, *names)) {
            return failure_set(failure, FAILURE_BAD_PARAM, *names, "not available in layout %s", layout);
        }
    }
    return 0;
}

static int check_grid(const struct request_subscribe *subscribe, const cJSON *json, struct failure *failure) {
    if (request_is_given(json, "grid") && request_is_given(json, "cell")) {
        return failure_set(failure, FAILURE_BAD_PARAM, "cell", "grid and cell are mutually exclusive");
    }
    const float columns = subscribe->grid[0], rows = subscribe->grid[1];
    if (columns != floorf(columns) || rows != floorf(rows)) {
        return failure_set(failure, FAILURE_BAD_PARAM, "grid", "expected whole numbers of columns and rows");
    }
    if (columns * rows > LIMIT_GRID_CELLS) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "grid", "more than %d cells", LIMIT_GRID_CELLS);
    }
    return 0;
}

int request_check_subscribe(struct request *request, const cJSON *json, struct failure *failure) {
    struct request_subscribe *subscribe = &request->body.subscribe;
    static const char *const grids[] = {"grid", "cell", "by_kind", "mean_speed", NULL};
    static const char *const agents[] = {"fields", "forces", "most", "twins", NULL};
    static const char *const parts[] = {"parts", NULL};
    static const char *const keys[] = {"key_changes", NULL};
    static const char *const frames[] = {"region", "kinds", NULL};
    const struct frame_layout *row = frame_layout_row(subscribe->layout);
    const char *layout = request_layout_name(subscribe->layout);
    if (subscribe->has_region && read_region(json, subscribe->region, failure) != 0) {
        return -1;
    }
    if ((row->fields == 0 && check_absent(json, agents, layout, failure) != 0) ||
        ((row->fields & (unsigned)SNAPSHOT_PARTS) == 0 && check_absent(json, parts, layout, failure) != 0) ||
        (row->key == NULL && check_absent(json, keys, layout, failure) != 0) ||
        (!frame_layout_has_frames(row) && check_absent(json, frames, layout, failure) != 0)) {
        return -1;
    }
    if (subscribe->parts && !subscribe->forces) {
        return failure_set(failure, FAILURE_BAD_PARAM, "parts",
                           "parts are those of forces; give \"forces\":true as well");
    }
    const int grid =
        row->takes_grid ? check_grid(subscribe, json, failure) : check_absent(json, grids, layout, failure);
    if (grid != 0 || check_field_names(subscribe->fields, failure) != 0) {
        return -1;
    }
    return check_event_names(subscribe->events, failure);
}

/* ---- one frame ---- */

bool request_answers_with_frame(const struct request *request) {
    return request->op == REQUEST_GET || request->op == REQUEST_EXPORT ||
           (request->op == REQUEST_STEP && request->body.step.has_return) ||
           (request->op == REQUEST_GO && request->body.go.has_return);
}

#define ONCE_ROUND 360.0f /* degrees */

/* Reads the region of a view that has one, and holds the rules of its other members. */
static int request_check_view(struct request_subscribe *view, const cJSON *json, struct failure *failure) {
    if (view->has_region && read_region(json, view->region, failure) != 0) {
        return -1;
    }
    if ((view->has_nearest || view->has_rays) && frame_layout_row(view->layout)->key == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, view->has_nearest ? "nearest" : "rays",
                           "allowed only with the layout packed");
    }
    const cJSON *rays = cJSON_GetObjectItemCaseSensitive(json, "rays");
    if (view->has_rays && cJSON_GetObjectItemCaseSensitive(rays, "spread") == NULL) {
        view->rays.spread = ONCE_ROUND;
    }
    return check_field_names(view->fields, failure);
}

static void request_write_view(const struct request_subscribe *view, struct json_writer *json) {
    if (view->has_region) {
        write_region(view->region, json);
    }
}

int request_check_get(struct request *request, const cJSON *json, struct failure *failure) {
    if (request_check_view(&request->body.get.view, json, failure) != 0) {
        return -1;
    }
    return request_columns_read(request, json, REQUEST_COLUMNS_OF_AGENTS, failure);
}

bool request_write_get(const struct request *request, struct json_writer *json) {
    request_write_view(&request->body.get.view, json);
    return request_columns_write(request, json);
}

static int check_point(const cJSON *json, struct failure *failure) {
    if (request_is_given(json, "x") == request_is_given(json, "y")) {
        return 0;
    }
    return fail_rule(failure, request_is_given(json, "x") ? "y" : "x", "x and y go together");
}

/* One agent takes one vector, several a column of them, a kind either. */
int request_check_drive(struct request *request, const cJSON *json, struct failure *failure) {
    const struct request_drive *drive = &request->body.drive;
    static const char *const whose[] = {"agent", "agents", "kind", NULL};
    if (check_exactly_one(json, whose, "agent, agents, kind", failure) != 0 ||
        request_columns_read(request, json, REQUEST_COLUMNS_OF_ANY, failure) != 0) {
        return -1;
    }
    const struct request_columns *columns = request_columns_of(request);
    if (columns != NULL && drive->has_agent) {
        return fail_rule(failure, columns->values[REQUEST_COLUMN_VX] != NULL ? "vx" : "vy",
                         "expected a number; columns go with agents or kind");
    }
    if (columns != NULL &&
        (columns->values[REQUEST_COLUMN_VX] == NULL || columns->values[REQUEST_COLUMN_VY] == NULL)) {
        return fail_rule(failure, columns->values[REQUEST_COLUMN_VX] == NULL ? "vx" : "vy",
                         "expected a column; vx and vy are both numbers or both columns");
    }
    if (drive->has_first && (columns == NULL || !drive->has_kind)) {
        return fail_rule(failure, "first", "goes with kind and columns");
    }
    return 0;
}

/* A named target takes a point; an agent or a kind takes a point, something to follow, or nothing any more.
 */
int request_check_set_target(struct request *request, const cJSON *json, struct failure *failure) {
    const struct request_set_target *target = &request->body.set_target;
    static const char *const whose[] = {"name", "agent", "agents", "kind", NULL};
    if (check_exactly_one(json, whose, "name, agent, agents, kind", failure) != 0 ||
        check_point(json, failure) != 0 ||
        request_columns_read(request, json, REQUEST_COLUMNS_OF_AGENTS, failure) != 0) {
        return -1;
    }
    if (target->has_agents && !target->has_point) {
        return fail_rule(failure,
                         target->clear        ? "clear"
                         : target->has_follow ? "follow"
                                              : "x",
                         "agents go with x and y, which are columns");
    }
    if (target->has_name && (target->has_follow || target->clear)) {
        return fail_rule(failure, target->has_follow ? "follow" : "clear",
                         "allowed only with agent or kind; a named target takes x and y");
    }
    const int count = target->has_point + target->has_follow + target->clear;
    if (count == 0) {
        return fail_rule(failure, "x",
                         target->has_name ? "missing; a named target takes x and y"
                                          : "missing; give x and y, or follow, or clear");
    }
    if (count > 1) {
        return fail_rule(failure, target->clear ? "clear" : "follow",
                         "x and y, follow and clear are mutually exclusive");
    }
    return 0;
}

int request_check_place(struct request *request, const cJSON *json, struct failure *failure) {
    const struct request_place *place = &request->body.place;
    static const char *const whose[] = {"agent", "agents", NULL};
    if (check_exactly_one(json, whose, "agent, agents", failure) != 0 || check_point(json, failure) != 0) {
        return -1;
    }
    if (request_is_given(json, "vx") != request_is_given(json, "vy")) {
        return fail_rule(failure, request_is_given(json, "vx") ? "vy" : "vx", "vx and vy go together");
    }
    if (!place->has_point && !place->has_velocity && !place->has_heading && !place->has_stamina) {
        return fail_rule(failure, "x", "missing; give x and y, vx and vy, heading or stamina");
    }
    return request_columns_read(request, json, REQUEST_COLUMNS_OF_AGENTS, failure);
}

/* An element of `agents`. */
static const struct field agent_id = {
    .name = "agent",
    .type = FIELD_UINT32,
    .offset = 0,
    .size = sizeof(uint32_t),
    .min = 1.0,
    .max = (double)UINT32_MAX,
};

/* "agents", or "agent", which the table has read to its first place. */
static int read_agent_ids(const cJSON *json, int most, uint32_t *out, int *count, struct failure *failure) {
    const cJSON *ids = cJSON_GetObjectItemCaseSensitive(json, "agents"), *id = NULL;
    *count = request_is_given(json, "agent");
    if (ids != NULL && !cJSON_IsArray(ids)) {
        return fail_rule(failure, "agents", "expected an array of agents' ids");
    }
    cJSON_ArrayForEach(id, ids) {
        if (*count == most) {
            return failure_set(failure, FAILURE_OUT_OF_RANGE, "agents", "more than %d ids", most);
        }
        char path[32];
        (void)snprintf(path, sizeof path, "agents[%d]", *count);
        if (field_read_value(&agent_id, id, path, &out[*count], failure) != 0) {
            return -1;
        }
        ++*count;
    }
    return 0;
}

int request_check_remove(struct request *request, const cJSON *json, struct failure *failure) {
    struct request_remove *remove = &request->body.remove;
    static const char *const which[] = {"agent", "agents", "kind", NULL};
    return check_exactly_one(json, which, "agent, agents, kind", failure) != 0
               ? -1
               : read_agent_ids(json, LIMIT_REMOVE_IDS, remove->agents, &remove->agent_count, failure);
}

int request_check_inspect(struct request *request, const cJSON *json, struct failure *failure) {
    struct request_inspect *inspect = &request->body.inspect;
    static const char *const which[] = {"agent", "agents", NULL};
    return check_exactly_one(json, which, "agent, agents", failure) != 0
               ? -1
               : read_agent_ids(json, LIMIT_INSPECT_IDS, inspect->agents, &inspect->agent_count, failure);
}

/* A name is shown to others: no control characters, not even DEL. */
int request_check_hello(struct request *request, const cJSON *json, struct failure *failure) {
    (void)json;
    for (const char *c = request->body.hello.name; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F) {
            return fail_rule(failure, "name", "a name has no control characters");
        }
    }
    return 0;
}

int request_check_spawn(struct request *request, const cJSON *json, struct failure *failure) {
    const struct request_spawn *spawn = &request->body.spawn;
    if (spawn->has_spacing && spawn->has_point && !(spawn->radius > 0.0f)) {
        return fail_rule(failure, "spacing",
                         "x and y are one place for all; a spacing goes with a radius, or without them");
    }
    return check_point(json, failure);
}

int request_check_set_param(struct request *request, const cJSON *json, struct failure *failure) {
    static const char *const whose[] = {"kind", "agent", NULL};
    (void)request;
    return check_exactly_one(json, whose, "kind, agent", failure);
}

int request_check_load(struct request *request, const cJSON *json, struct failure *failure) {
    static const char *const what[] = {"scenario", "save", "document", "again", NULL};
    const cJSON *document = cJSON_GetObjectItemCaseSensitive(json, "document");
    if (document == NULL && request->body.load.name[0] != '\0') {
        return fail_rule(
            failure, "name",
            "allowed only with document; a scenario of the server, or a saved world, has its name");
    }
    if (check_exactly_one(json, what, "scenario, save, document, again", failure) != 0) {
        return -1;
    }
    if (request_is_given(json, "again") && !request->body.load.again) {
        return fail_rule(failure, "again", "allowed is true; otherwise leave it out");
    }
    if (document != NULL && !cJSON_IsObject(document)) {
        return failure_set(failure, FAILURE_BAD_PARAM, "document", "expected an object, a scenario; found %s",
                           json_type_name(document));
    }
    if (request->body.load.has_seed && request_is_given(json, "save")) {
        return fail_rule(failure, "seed",
                         "allowed only with scenario, document or again; a saved world has its seed");
    }
    return 0;
}

/* request_codec.c takes the document out of the line. */
bool request_write_load(const struct request *request, struct json_writer *json) {
    if (request->extra != NULL && request->extra->document != NULL) {
        json_key(json, "document");
        json_raw(json, request->extra->document);
    }
    return false;
}

/* request_codec.c takes the patch as well. */
int request_check_edit(struct request *request, const cJSON *json, struct failure *failure) {
    const cJSON *patch = cJSON_GetObjectItemCaseSensitive(json, "patch");
    (void)request;
    return cJSON_IsObject(patch)
               ? 0
               : failure_set(failure, FAILURE_BAD_PARAM, "patch",
                             "expected an object, a JSON merge patch of the scenario; found %s",
                             json_type_name(patch));
}

bool request_write_edit(const struct request *request, struct json_writer *json) {
    json_key(json, "patch");
    json_raw(json,
             request->extra != NULL && request->extra->document != NULL ? request->extra->document : "{}");
    return false;
}

/* x and y may be left out only with "gone":true. */
int request_check_cursor(struct request *request, const cJSON *json, struct failure *failure) {
    const bool has_x = request_is_given(json, "x"), has_y = request_is_given(json, "y");
    if (request->body.cursor.gone) {
        return !has_x && !has_y ? 0 : fail_rule(failure, "gone", "x and y and gone are mutually exclusive");
    }
    if (has_x && has_y) {
        return 0;
    }
    return fail_rule(failure, has_x ? "y" : "x", "missing; give x and y, or \"gone\":true");
}

int request_check_record(struct request *request, const cJSON *json, struct failure *failure) {
    static const char *const what[] = {"on", "last", NULL};
    if (check_exactly_one(json, what, "on, last", failure) != 0) {
        return -1;
    }
    if (request->body.record.has_on && !request->body.record.on && request_is_given(json, "name")) {
        return fail_rule(failure, "name", "allowed only with \"on\":true or last");
    }
    return 0;
}

/* branch is the one of a tick, or alone. */
int request_check_rewind(struct request *request, const cJSON *json, struct failure *failure) {
    static const char *const what[] = {"seconds", "ticks", "tick", "mark", "branch", "without", NULL};
    static const char list[] = "seconds, ticks, tick, mark, branch, without";
    if (request_is_given(json, "row") && !request->body.rewind.has_without) {
        return fail_rule(failure, "row", "allowed only with without");
    }
    if (!request_is_given(json, "branch") || !request_is_given(json, "tick")) {
        return check_exactly_one(json, what, list, failure);
    }
    static const char *const with_branch[] = {"seconds", "ticks", "tick", "mark", "without", NULL};
    return check_exactly_one(json, with_branch,
                             "tick and branch together, or one of seconds, ticks, mark, without", failure);
}

int request_check_look(struct request *request, const cJSON *json, struct failure *failure) {
    static const char *const what[] = {"seconds", "ticks", "tick", "mark", "live", NULL};
    if (check_exactly_one(json, what, "seconds, ticks, tick, mark, live", failure) != 0) {
        return -1;
    }
    if (request_is_given(json, "live") && !request->body.look.live) {
        return fail_rule(failure, "live",
                         "only true is allowed; a moment is looked at with tick, ticks, seconds or mark");
    }
    if (request_is_given(json, "branch") && !request->body.look.to.has_tick) {
        return fail_rule(failure, "branch", "allowed only with tick");
    }
    return request->body.look.live && request_is_given(json, "follow")
               ? fail_rule(failure, "follow", "the present goes on by itself; leave it out with live")
               : 0;
}

/* The twin is one thing, and is changed in one way. */
int request_check_compare(struct request *request, const cJSON *json, struct failure *failure) {
    const struct request_compare *compare = &request->body.compare;
    const bool has_requests = request_is_given(json, "requests"), has_kind = request_is_given(json, "kind"),
               has_param = request_is_given(json, "param"), has_value = compare->has_change;
    const int twins =
        request_is_given(json, "branch") + request_is_given(json, "save") + compare->keep + compare->off;
    if (twins > 1) {
        return fail_rule(failure, "branch", "give at most one of branch, save, keep, off");
    }
    if (has_kind != has_param || has_kind != has_value) {
        return fail_rule(failure,
                         !has_kind    ? "kind"
                         : !has_param ? "param"
                                      : "value",
                         "missing; kind, param and value go together");
    }
    if (has_kind && has_requests) {
        return fail_rule(failure, "requests", "give either requests, or kind, param and value");
    }
    if (compare->off && (has_kind || has_requests || compare->has_follow)) {
        return fail_rule(failure, "off", "ends the comparison; no other member goes with it");
    }
    return 0;
}

int request_check_speed(struct request *request, const cJSON *json, struct failure *failure) {
    static const char *const what[] = {"factor", "max", NULL};
    if (check_exactly_one(json, what, "factor, max", failure) != 0) {
        return -1;
    }
    if (!request->body.speed.has_factor && !request->body.speed.max) {
        return fail_rule(failure, "max", "only true is allowed; a number goes into factor");
    }
    return 0;
}

void request_check_hint(enum request_op op, struct failure *failure) {
    const struct failure refusal = *failure;
    if (op == REQUEST_SPEED && strcmp(refusal.field, "factor") == 0) {
        (void)failure_set(failure, refusal.code, refusal.field,
                          "%s; \"max\":true instead is as fast as ticks can be done", refusal.message);
    }
}

/* ---- writing ---- */

static void write_agents(const uint32_t *agents, int count, struct json_writer *json) {
    json_key(json, "agents");
    json_array(json);
    for (int i = 0; i < count; i++) {
        json_unsigned(json, agents[i]);
    }
    json_end(json);
}

bool request_write_remove(const struct request *request, struct json_writer *json) {
    const struct request_remove *remove = &request->body.remove;
    if (remove->has_kind || remove->agent_count == 1) {
        return false;
    }
    write_agents(remove->agents, remove->agent_count, json);
    return true;
}

bool request_write_inspect(const struct request *request, struct json_writer *json) {
    const struct request_inspect *inspect = &request->body.inspect;
    if (inspect->agent_count == 1) {
        return false;
    }
    write_agents(inspect->agents, inspect->agent_count, json);
    return true;
}

bool request_write_cursor(const struct request *request, struct json_writer *json) {
    const struct request_cursor *cursor = &request->body.cursor;
    if (cursor->gone) {
        json_key_bool(json, "gone", true);
    } else {
        json_key(json, "x");
        json_float(json, cursor->x);
        json_key(json, "y");
        json_float(json, cursor->y);
    }
    return true;
}
