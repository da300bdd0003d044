/* See line_message.h. */
#include "clients/c/line_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/json/json_check.h"
#include "common/json/json_text.h"
#include "common/json/json_writer.h"

enum { ERROR_BYTES = 4096, KEY_BYTES = 256 };

/* ---- life ---- */

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

struct drover_message *line_message_create(const char *line, size_t length, struct failure *failure) {
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

struct drover_message *line_message_unreadable(const char *line, size_t length, const char *reason) {
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

/* ---- members ---- */

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
