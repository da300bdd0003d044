/* See message_parts.h: how every message begins, ends and writes its members. Owns nothing. */
#include "common/protocol/message_parts.h"

#include "common/json/field_json.h"

void message_write_fields(const struct field *table, const void *object, struct json_writer *json) {
    for (; table->type != FIELD_END; table++) {
        json_key(json, table->name);
        field_write_value(table, object, json);
    }
}

struct json_writer message_open(const char *op, struct buffer *out) {
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    json_key_string(&json, "op", op);
    return json;
}

void message_close(struct json_writer *json) {
    json_end(json);
    buffer_append(json->buffer, "\n", 1);
}

int message_fail_array(struct failure *failure, const char *path, int most) {
    return failure_set(failure, FAILURE_INVALID, path, "expected an array of at most %d", most);
}

int message_array_size(const cJSON *array, int most) {
    const int size = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : -1;
    return size <= most ? size : -1;
}
