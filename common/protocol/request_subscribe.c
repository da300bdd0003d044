/* The options of a subscription: fields, region, kinds, grid, and the layouts that take each. Owns nothing.
 */
#include "common/protocol/request_subscribe.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/message_event.h"
#include "common/protocol/request_columns.h"
#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot.h"
#include "common/text/nearest_name.h"

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
    const cJSON *region = cJSON_GetObjectItemCaseSensitive(json, "region");
    int count = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, region) {
        if (count == 4 || !cJSON_IsNumber(item)) {
            break;
        }
        const bool is_size = count >= 2;
        const double value = item->valuedouble, most = is_size ? 2 * LIMIT_COORDINATE : LIMIT_COORDINATE;
        if (value > most || value < (is_size ? 0.01 : -most)) {
            return failure_set(
                failure, FAILURE_OUT_OF_RANGE, "region",
                "x and y are within -1000000 and 1000000, width and height 0.01 to 2000000 px");
        }
        out[count++] = field_float(value);
    }
    if (!cJSON_IsArray(region) || count != 4 || item != NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, "region", "expected [x, y, width, height]");
    }
    return 0;
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
    if (request->body.subscribe.has_region) {
        write_region(request->body.subscribe.region, json);
    }
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
    static const char *const agents[] = {"fields", "forces", NULL};
    static const char *const parts[] = {"parts", NULL};
    static const char *const frames[] = {"region", "kinds", NULL};
    const struct frame_layout *row = frame_layout_row(subscribe->layout);
    const char *layout = request_layout_name(subscribe->layout);
    if (subscribe->has_region && read_region(json, subscribe->region, failure) != 0) {
        return -1;
    }
    if ((row->fields == 0 && check_absent(json, agents, layout, failure) != 0) ||
        ((row->fields & (unsigned)SNAPSHOT_PARTS) == 0 && check_absent(json, parts, layout, failure) != 0) ||
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
    return request->op == REQUEST_GET || (request->op == REQUEST_STEP && request->body.step.has_return);
}

int request_check_view(struct request_subscribe *view, const cJSON *json, struct failure *failure) {
    if (view->has_region && read_region(json, view->region, failure) != 0) {
        return -1;
    }
    if (view->has_nearest && frame_layout_row(view->layout)->key == NULL) {
        return failure_set(failure, FAILURE_BAD_PARAM, "nearest", "allowed only with the layout packed");
    }
    return check_field_names(view->fields, failure);
}

void request_write_view(const struct request_subscribe *view, struct json_writer *json) {
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
