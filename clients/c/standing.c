/* See standing.h. */
#include "clients/c/standing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/limits.h"
#include "common/json/json_check.h"
#include "common/json/json_writer.h"

enum { HELLO_BYTES = 65536 };

/* A line with another value of a member. NULL when out of memory. */
static char *with_member(const char *line, const char *name, const char *value) {
    cJSON *json = cJSON_Parse(line);
    char *text = NULL, *copy = NULL;
    cJSON_DeleteItemFromObjectCaseSensitive(json, name);
    if (json != NULL && cJSON_AddRawToObject(json, name, value) != NULL) {
        text = cJSON_PrintUnformatted(json);
    }
    cJSON_Delete(json);
    if (text != NULL) {
        const size_t length = strlen(text);
        copy = malloc(length + 2);
        if (copy != NULL) {
            memcpy(copy, text, length);
            memcpy(copy + length, "\n", 2);
        }
        cJSON_free(text);
    }
    return copy;
}

static int check_line(const struct buffer *line, struct failure *failure) {
    const struct json_limits limits = json_limits_line();
    struct json_fault fault;
    if (line->failed) {
        return failure_set(failure, FAILURE_TOO_LONG, NULL, "the hello of the options is too long");
    }
    if (json_check(line->data, line->length, &limits, &fault) != JSON_FINE) {
        return failure_set(failure, FAILURE_PARSE, "options.hello", "not members of an object: %s",
                           fault.message);
    }
    return 0;
}

int standing_init(struct standing *standing, const char *name, const char *token, const char *members,
                  struct failure *failure) {
    struct buffer line;
    *standing = (struct standing){0};
    if (name == NULL && token == NULL && members == NULL) {
        return 0;
    }
    buffer_init(&line, HELLO_BYTES);
    struct json_writer json = json_writer_begin(&line);
    json_object(&json);
    json_key_string(&json, "op", "hello");
    json_key_unsigned(&json, "protocol", DROVER_PROTOCOL);
    if (name != NULL) {
        json_key_string(&json, "name", name);
    }
    if (token != NULL) {
        json_key_string(&json, "token", token);
    }
    buffer_printf(&line, "%s%s}", members != NULL ? "," : "", members != NULL ? members : "");
    int result = check_line(&line, failure);
    if (result == 0) {
        standing->hello = with_member(line.data, "id", STANDING_HELLO_ID);
        result = standing->hello != NULL ? 0 : failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    }
    buffer_fini(&line);
    return result;
}

void standing_fini(struct standing *standing) {
    free(standing->hello);
    free(standing->subscribe);
    free(standing->region);
}

static int replace(char **text, const struct request_entry *entry, const char *id) {
    char *line = with_member(entry->text, "id", id);
    if (line != NULL) {
        free(*text);
        *text = line;
    }
    return line != NULL ? 0 : -1;
}

static double hz_of(const char *line) {
    cJSON *json = cJSON_Parse(line);
    const cJSON *hz = cJSON_GetObjectItemCaseSensitive(json, "hz");
    const double value = cJSON_IsNumber(hz) && hz->valuedouble > 0.0 ? hz->valuedouble : USUAL_FRAME_HZ;
    cJSON_Delete(json);
    return value;
}

static void forget(char **text) {
    free(*text);
    *text = NULL;
}

int standing_take(struct standing *standing, const struct request_entry *entry) {
    int result = 0;
    switch (entry->concern) {
    case CONCERN_HELLO:
        return replace(&standing->hello, entry, STANDING_HELLO_ID);
    case CONCERN_SUBSCRIBE:
        result = replace(&standing->subscribe, entry, STANDING_RENEW_ID);
        if (result == 0) {
            standing->hz = hz_of(standing->subscribe);
            forget(&standing->region);
        }
        return result;
    case CONCERN_REGION:
        return replace(&standing->region, entry, STANDING_RENEW_ID);
    case CONCERN_UNSUBSCRIBE:
        forget(&standing->subscribe);
        forget(&standing->region);
        standing->hz = 0.0;
        return 0;
    default:
        return 0;
    }
}

void standing_write(const struct standing *standing, bool with_subscription, struct buffer *out) {
    const char *const lines[] = {standing->hello, standing->subscribe, standing->region};
    for (size_t i = 0; i < (with_subscription ? sizeof lines / sizeof lines[0] : 1); i++) {
        if (lines[i] != NULL) {
            buffer_append_text(out, lines[i]);
        }
    }
}

void standing_write_paced(const struct standing *standing, double hz, struct buffer *out) {
    char number[32];
    (void)snprintf(number, sizeof number, "%.2f", hz);
    char *line = with_member(standing->subscribe, "hz", number);
    if (line != NULL) {
        buffer_append_text(out, line);
        buffer_append_text(out, standing->region != NULL ? standing->region : "");
    }
    free(line);
}

bool standing_has_token(const struct standing *standing) {
    return standing->hello != NULL && strstr(standing->hello, "\"token\":") != NULL;
}
