/* What a server sends: a line becomes a message or a frame. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/handle.h"
#include "common/base/buffer.h"
#include "common/json/json_check.h"
#include "common/json/json_text.h"
#include "common/json/json_writer.h"
#include "common/protocol/line_reader.h"
#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot_packed.h"

enum { ERROR_BYTES = 4096, KEY_BYTES = 256 };

/* ---- making a message ---- */

static int parse(struct drover_message *message, const char *line, size_t length, struct failure *failure) {
    const struct json_limits limits = json_limits_file();
    struct json_fault fault;
    if (json_check(line, length, &limits, &fault) != JSON_FINE) {
        return failure_set(failure, FAILURE_PARSE, NULL, "byte %zu: %s", fault.offset, fault.message);
    }
    message->text = malloc(length + 1);
    message->json = cJSON_ParseWithLength(line, length);
    if (message->text == NULL || message->json == NULL) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    }
    memcpy(message->text, line, length);
    message->text[length] = '\0';
    message->length = length;
    if (!cJSON_IsObject(message->json)) {
        return failure_set(failure, FAILURE_INVALID, NULL, "a line is one JSON object");
    }
    return 0;
}

/* Copies and reads a line: strict JSON, an object. NULL with *failure; its code is FAILURE_INTERNAL when memory ran
 * out. */
static struct drover_message *line_message_create(const char *line, size_t length, struct failure *failure) {
    struct drover_message *message = calloc(1, sizeof *message);
    if (message == NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    if (parse(message, line, length, failure) != 0) {
        drover_message_free(message);
        return NULL;
    }
    return message;
}

struct drover_message *line_message_error(const char *id, const char *code, const char *text) {
    struct buffer line;
    struct failure failure;
    buffer_init(&line, ERROR_BYTES);
    struct json_writer json = json_writer_begin(&line);
    json_object(&json);
    json_key_string(&json, "op", "error");
    if (id[0] != '\0') {
        json_key(&json, "id");
        json_raw(&json, id);
    }
    json_key_string(&json, "code", code);
    json_key_string(&json, "message", text);
    json_end(&json);
    struct drover_message *message =
        line.failed ? NULL : line_message_create(line.data, line.length, &failure);
    buffer_fini(&line);
    if (message != NULL) {
        message->is_local = true;
    }
    return message;
}

static bool begins_with(const char *line, size_t length, const char *start) {
    return length > strlen(start) && memcmp(line, start, strlen(start)) == 0;
}

/* Where in a line, which need not be JSON, the value of the outermost member "id" begins; `length` when there is none. */
static size_t find_id(const char *line, size_t length) {
    static const char key[] = "\"id\":";
    int depth = 0;
    for (size_t at = 0; at < length; at++) {
        depth += (line[at] == '{' || line[at] == '[') - (line[at] == '}' || line[at] == ']');
        if (line[at] != '"') {
            continue;
        }
        if (depth == 1 && length - at > sizeof key - 1 && memcmp(line + at, key, sizeof key - 1) == 0) {
            return at + sizeof key - 1;
        }
        for (at++; at < length && line[at] != '"'; at++) {
            at += line[at] == '\\';
        }
    }
    return length;
}

/* An error of the library's own, "unreadable", in place of an answer that line_message_create refused for this reason. NULL when
 * the line does not say whose answer it is, too. */
static struct drover_message *line_message_unreadable(const char *line, size_t length, const char *reason) {
    char id[ID_TEXT_BYTES] = "", text[ERROR_BYTES / 2];
    if (begins_with(line, length, "{\"op\":\"reply\"") || begins_with(line, length, "{\"op\":\"error\"")) {
        const size_t at = find_id(line, length), most = 2 * sizeof id;
        cJSON *value = cJSON_ParseWithLength(line + at, length - at < most ? length - at : most);
        (void)id_text_read(value, id);
        cJSON_Delete(value);
    }
    (void)snprintf(text, sizeof text, "the answer cannot be read: %s", reason);
    return id[0] != '\0' ? line_message_error(id, "unreadable", text) : NULL;
}

void drover_message_free(struct drover_message *message) {
    if (message != NULL) {
        cJSON_Delete(message->json);
        free(message->text);
        free(message);
    }
}

/* ---- its members ---- */

/* The part of a path up to a point or a bracket, as a member of json. *path moves behind it. */
static const cJSON *step_by_name(const cJSON *json, const char **path) {
    const size_t length = strcspn(*path, ".[");
    char key[KEY_BYTES];
    if (length == 0 || length >= sizeof key || !cJSON_IsObject(json)) {
        return NULL;
    }
    memcpy(key, *path, length);
    key[length] = '\0';
    *path += length;
    return cJSON_GetObjectItemCaseSensitive(json, key);
}

/* "[12]" as an element of json. */
static const cJSON *step_by_number(const cJSON *json, const char **path) {
    const char *at = *path + 1;
    int index = 0;
    while (*at >= '0' && *at <= '9' && index < 100000000) {
        index = index * 10 + (*at++ - '0');
    }
    if (at == *path + 1 || *at != ']' || !cJSON_IsArray(json)) {
        return NULL;
    }
    *path = at + 1;
    return cJSON_GetArrayItem(json, index);
}

static const cJSON *find(const struct drover_message *message, const char *path) {
    const cJSON *json = message->json;
    while (json != NULL && *path != '\0') {
        if (*path == '[') {
            json = step_by_number(json, &path);
        } else {
            json = step_by_name(json, &path);
        }
        if (*path == '.' && path[1] != '\0') {
            path++;
        }
    }
    return json;
}

enum drover_type drover_message_type(const struct drover_message *message, const char *path) {
    const cJSON *json = find(message, path);
    if (json == NULL) {
        return DROVER_ABSENT;
    }
    return cJSON_IsObject(json)   ? DROVER_OBJECT
           : cJSON_IsArray(json)  ? DROVER_ARRAY
           : cJSON_IsString(json) ? DROVER_STRING
           : cJSON_IsNumber(json) ? DROVER_NUMBER
           : cJSON_IsBool(json)   ? DROVER_BOOLEAN
                                  : DROVER_NULL;
}

const char *drover_message_string(const struct drover_message *message, const char *path) {
    const cJSON *json = find(message, path);
    return cJSON_IsString(json) ? json->valuestring : NULL;
}

double drover_message_number(const struct drover_message *message, const char *path, double fallback) {
    const cJSON *json = find(message, path);
    return cJSON_IsNumber(json) ? json->valuedouble : fallback;
}

int drover_message_flag(const struct drover_message *message, const char *path, int fallback) {
    const cJSON *json = find(message, path);
    return cJSON_IsBool(json) ? cJSON_IsTrue(json) : fallback;
}

int drover_message_count(const struct drover_message *message, const char *path) {
    const cJSON *json = find(message, path);
    return cJSON_IsArray(json) || cJSON_IsObject(json) ? cJSON_GetArraySize(json) : 0;
}

const char *drover_message_key(const struct drover_message *message, const char *path, int index) {
    const cJSON *json = find(message, path);
    const cJSON *member = cJSON_IsObject(json) && index >= 0 ? cJSON_GetArrayItem(json, index) : NULL;
    return member != NULL ? member->string : NULL;
}

/* ---- what it is ---- */

const char *drover_message_text(const struct drover_message *message, size_t *length) {
    if (length != NULL) {
        *length = message->length;
    }
    return message->text;
}

const char *drover_message_op(const struct drover_message *message) {
    const char *op = drover_message_string(message, "op");
    return op != NULL ? op : "";
}

uint64_t drover_message_ticket(const struct drover_message *message) {
    return message->ticket;
}

uint32_t drover_message_world(const struct drover_message *message) {
    return message->world;
}

int drover_message_is_local(const struct drover_message *message) {
    return message->is_local;
}

const char *drover_message_code(const struct drover_message *message) {
    const char *code = drover_message_string(message, "code");
    if (!line_message_is(message, "error")) {
        return NULL;
    }
    return code != NULL ? code : "";
}

bool line_message_is(const struct drover_message *message, const char *op) {
    return strcmp(drover_message_op(message), op) == 0;
}

bool line_message_begins_world(const struct drover_message *message) {
    return line_message_is(message, "scenario") ||
           (line_message_is(message, "hello") && drover_message_type(message, "scenario") == DROVER_OBJECT);
}

/* ---- event list ---- */

struct event_item {
    struct event_item *next;
    struct drover_message *message; /* NULL: DROVER_LINK */
};

static int append(struct event_list *list, struct drover_message *message) {
    struct event_item *item = calloc(1, sizeof *item);
    if (item == NULL) {
        drover_message_free(message);
        return -1;
    }
    item->message = message;
    if (list->last != NULL) {
        list->last->next = item;
    } else {
        list->first = item;
    }
    list->last = item;
    list->has_link = message == NULL;
    return 0;
}

int event_list_add(struct event_list *list, struct drover_message *message) {
    const size_t length = message->length;
    const int result = append(list, message);
    list->bytes += result == 0 ? length : 0;
    return result;
}

int event_list_add_link(struct event_list *list) {
    return list->has_link && list->last != NULL ? 0 : append(list, NULL);
}

enum drover_event event_list_take(struct event_list *list, struct drover_message **message) {
    struct event_item *item = list->first;
    *message = NULL;
    if (item == NULL) {
        return DROVER_NOTHING;
    }
    list->first = item->next;
    if (list->first == NULL) {
        list->last = NULL;
    }
    *message = item->message;
    free(item);
    list->bytes -= *message != NULL ? (*message)->length : 0;
    return *message != NULL ? DROVER_MESSAGE : DROVER_LINK;
}

void event_list_fini(struct event_list *list) {
    struct drover_message *message = NULL;
    while (event_list_take(list, &message) != DROVER_NOTHING) {
        drover_message_free(message);
    }
}

/* ---- the decoder ---- */

struct client_decoder {
    struct line_reader lines;
    struct packed_decoder *key;
    struct snapshot *snapshot; /* read into; NULL until it is needed */
    struct density *density;   /* the same */
    uint32_t epoch;
    bool has_world; /* a hello or scenario of this connection described one */
    bool keeps_lines;
};

struct client_decoder *client_decoder_create(size_t max_line_bytes) {
    struct client_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) {
        return NULL;
    }
    line_reader_init(&decoder->lines, max_line_bytes);
    decoder->key = packed_decoder_create();
    if (decoder->key == NULL) {
        client_decoder_destroy(decoder);
        return NULL;
    }
    return decoder;
}

void client_decoder_keep_lines(struct client_decoder *decoder) {
    decoder->keeps_lines = true;
}

void client_decoder_destroy(struct client_decoder *decoder) {
    if (decoder != NULL) {
        line_reader_fini(&decoder->lines);
        packed_decoder_destroy(decoder->key);
        snapshot_destroy(decoder->snapshot);
        density_destroy(decoder->density);
        free(decoder);
    }
}

void client_decoder_reset(struct client_decoder *decoder) {
    line_reader_fini(&decoder->lines);
    packed_decoder_reset(decoder->key);
    decoder->has_world = false;
}

char *client_decoder_reserve(struct client_decoder *decoder, size_t wish, size_t *size) {
    return line_reader_reserve(&decoder->lines, wish, size);
}

void client_decoder_commit(struct client_decoder *decoder, size_t count) {
    line_reader_commit(&decoder->lines, count);
}

/* ---- events ---- */

static enum client_event_type read_message(struct client_decoder *decoder, const char *line, size_t length,
                                           struct client_event *event) {
    struct drover_message *message = line_message_create(line, length, &event->failure);
    if (message == NULL && event->failure.code != FAILURE_INTERNAL) {
        message = line_message_unreadable(line, length, event->failure.message);
    }
    if (message == NULL) {
        return event->failure.code == FAILURE_INTERNAL ? CLIENT_NO_MEMORY : CLIENT_MESSAGE_REFUSED;
    }
    if (line_message_begins_world(message)) {
        decoder->has_world = true;
        decoder->epoch++;
        packed_decoder_reset(decoder->key);
    }
    message->world = decoder->epoch;
    event->message = message;
    return CLIENT_MESSAGE;
}

/* The memory that frames are read into. False when there is none. */
static bool prepare(struct client_decoder *decoder, const struct frame_layout *layout) {
    if (decoder->snapshot == NULL) {
        decoder->snapshot = snapshot_create();
    }
    if (decoder->density == NULL && layout->takes_grid) {
        decoder->density = density_create();
    }
    return decoder->snapshot != NULL && (decoder->density != NULL || !layout->takes_grid);
}

/* CLIENT_NEED_MORE: nothing to report. */
static enum client_event_type read_frame(struct client_decoder *decoder, const struct frame_layout *layout,
                                         const char *line, size_t length, struct client_event *event) {
    if (!decoder->has_world) {
        return CLIENT_NEED_MORE;
    }
    if (!prepare(decoder, layout)) {
        return CLIENT_NO_MEMORY;
    }
    const struct frame_reader reader = {decoder->key, decoder->snapshot, decoder->density};
    switch (layout->decode(&reader, line, length, &event->failure)) {
    case FRAME_READY:
        break;
    case FRAME_KEY:
        return CLIENT_NEED_MORE;
    default:
        return CLIENT_FRAME_REFUSED;
    }
    decoder->snapshot->epoch = decoder->epoch;
    event->snapshot = decoder->snapshot;
    event->density = layout->takes_grid ? decoder->density : NULL;
    return CLIENT_FRAME;
}

static enum client_event_type read_line(struct client_decoder *decoder, const char *line, size_t length,
                                        struct client_event *event) {
    const struct frame_layout *layout = frame_layout_of_line(line, length);
    if (length == 0) {
        return CLIENT_NEED_MORE;
    }
    return layout != NULL && !decoder->keeps_lines ? read_frame(decoder, layout, line, length, event)
                                                   : read_message(decoder, line, length, event);
}

enum client_event_type client_decoder_next(struct client_decoder *decoder, struct client_event *event) {
    char *line = NULL;
    size_t length = 0;
    enum line_event found;
    *event = (struct client_event){.type = CLIENT_NEED_MORE};
    while (event->type == CLIENT_NEED_MORE &&
           (found = line_reader_next(&decoder->lines, &line, &length)) != LINE_NEED_MORE) {
        event->type = found == LINE_TOO_LONG ? CLIENT_LINE_TOO_LONG : read_line(decoder, line, length, event);
    }
    event->epoch = decoder->epoch;
    assert((event->type == CLIENT_MESSAGE) == (event->message != NULL));
    assert((event->type == CLIENT_FRAME) == (event->snapshot != NULL));
    return event->type;
}

/* ---- making a frame ---- */

static void show_agents(struct drover_frame *shown, const struct snapshot *from) {
    shown->columns = from->fields;
    shown->count = from->count;
    shown->id = from->id;
    shown->kind = from->kind;
    shown->state = from->state;
    shown->x = from->x;
    shown->y = from->y;
    shown->vx = from->vx;
    shown->vy = from->vy;
    shown->heading = from->heading;
    shown->stamina = from->stamina;
    shown->desired = from->has_forces && from->count > 0 ? &from->desired->x : NULL;
    shown->steering = from->has_forces && from->count > 0 ? &from->steering->x : NULL;
    shown->twin = snapshot_has_twins(from) && from->count > 0 ? &from->twins->x : NULL;
    shown->target_count = from->target_count;
    shown->target_x = from->target_x;
    shown->target_y = from->target_y;
}

static void show_grid(struct drover_frame *shown, const struct density *from) {
    shown->grid_columns = from->columns;
    shown->grid_rows = from->rows;
    shown->grid_count = from->count;
    shown->grid_vx = from->vx;
    shown->grid_vy = from->vy;
    shown->grid_x = from->region.x;
    shown->grid_y = from->region.y;
    shown->grid_width = from->region.width;
    shown->grid_height = from->region.height;
    shown->grid_inside = from->inside;
    shown->grid_outside = from->outside;
    shown->grid_mean_speed = from->has_mean_speed ? from->mean_speed : NULL;
    shown->grid_kinds = from->kind_count;
    shown->grid_by_kind = from->kind_count > 0 ? from->by_kind : NULL;
}

void client_frame_fill(struct client_frame *frame, struct client_decoder *decoder,
                       const struct client_event *event, double arrival_ms, uint32_t missed) {
    const struct snapshot *from = event->snapshot;
    decoder->snapshot = frame->snapshot;
    frame->snapshot = event->snapshot;
    frame->shown = (struct drover_frame){.tick = from->tick,
                                         .time = from->time_s,
                                         .clock = from->clock_ms,
                                         .speed = from->has_speed ? from->speed : -1.0,
                                         .arrival = arrival_ms,
                                         .world = event->epoch,
                                         .missed = missed,
                                         .one_in = from->one_in,
                                         .of = from->of};
    show_agents(&frame->shown, from);
    if (event->density != NULL) {
        decoder->density = frame->density;
        frame->density = event->density;
        show_grid(&frame->shown, frame->density);
    }
}

void drover_frame_free(struct drover_frame *shown) {
    struct client_frame *frame = (struct client_frame *)shown;
    if (frame != NULL) {
        snapshot_destroy(frame->snapshot);
        density_destroy(frame->density);
        free(frame);
    }
}

/* ---- reading a frame ---- */

static const struct snapshot *snapshot_of(const struct drover_frame *frame) {
    return ((const struct client_frame *)frame)->snapshot;
}

static const char *name_of(const struct name_table *names, unsigned number) {
    return number < (unsigned)names->count ? names->names[number] : "";
}

const char *drover_frame_kind(const struct drover_frame *frame, unsigned number) {
    if (frame->grid_kinds > 0) {
        return number < (unsigned)frame->grid_kinds
                   ? ((const struct client_frame *)frame)->density->kinds[number]
                   : "";
    }
    return name_of(&snapshot_of(frame)->kind_names, number);
}

const char *drover_frame_state(const struct drover_frame *frame, unsigned number) {
    return name_of(&snapshot_of(frame)->state_names, number);
}

const char *drover_frame_target(const struct drover_frame *frame, int32_t index) {
    const struct snapshot *snapshot = snapshot_of(frame);
    return index >= 0 && index < snapshot->target_count
               ? name_of(&snapshot->target_names, snapshot->target_name[index])
               : "";
}

int32_t drover_frame_row(const struct drover_frame *frame, uint32_t id) {
    int32_t low = 0, high = frame->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (frame->id[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < frame->count && frame->id[low] == id ? low : -1;
}

struct share_list {
    struct drover_share *out;
    int32_t room, count;
};

static void add_share(struct share_list *list, const char *behavior, const char *part,
                      struct snapshot_vector force) {
    if (list->count < list->room) {
        list->out[list->count] = (struct drover_share){behavior, part, force.x / 100.0, force.y / 100.0};
    }
    list->count++;
}

static void add_parts(struct share_list *list, const struct snapshot *from, int32_t row, unsigned behavior) {
    for (int32_t i = from->part_begin[row]; i < from->part_begin[row + 1]; i++) {
        const struct snapshot_part *part = &from->parts[i];
        if (part->behavior == behavior) {
            add_share(list, name_of(&from->behavior_names, behavior), name_of(&from->part_names, part->part),
                      part->force);
        }
    }
}

int32_t drover_frame_shares(const struct drover_frame *frame, int32_t row, struct drover_share *out,
                            int32_t room) {
    const struct snapshot *from = snapshot_of(frame);
    struct share_list list = {out, room, 0};
    if (!from->has_forces || (from->fields & (unsigned)SNAPSHOT_SHARES) == 0 || row < 0 ||
        row >= from->count) {
        return 0;
    }
    for (int32_t i = from->share_begin[row]; i < from->share_begin[row + 1]; i++) {
        const struct snapshot_share *share = &from->shares[i];
        add_share(&list, name_of(&from->behavior_names, share->behavior), "", share->force);
        if (snapshot_has_parts(from)) {
            add_parts(&list, from, row, share->behavior);
        }
    }
    return list.count;
}
