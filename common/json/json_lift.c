/* See json_lift.h. */
#include "common/json/json_lift.h"

#include <string.h>

static const size_t line_limit_bytes = (size_t)1 << 30;

void json_lift_init(struct json_lift *lift) {
    *lift = (struct json_lift){.count = 0};
    buffer_init(&lift->line, line_limit_bytes);
}

void json_lift_fini(struct json_lift *lift) {
    buffer_fini(&lift->line);
}

/* One past the string's closing quote, or end when it has none. text: after the opening one. */
static const char *skip_escaped(const char *text, const char *end) {
    while (text < end && *text != '"') {
        text += *text == '\\' && end - text > 1 ? 2 : 1;
    }
    return text < end ? text + 1 : end;
}

/* Handles the string after an opening quote; returns one past its closing quote. */
static const char *lift_string(struct json_lift *lift, const char *text, const char *end) {
    const char *quote = memchr(text, '"', (size_t)(end - text));
    const size_t length = quote == NULL ? 0 : (size_t)(quote - text);
    if (length > JSON_LIFT_BYTES && lift->count < JSON_LIFT_MOST && memchr(text, '\\', length) == NULL) {
        buffer_printf(&lift->line, "#%d\"", lift->count);
        lift->texts[lift->count] = text;
        lift->lengths[lift->count] = length;
        lift->count++;
        return quote + 1;
    }
    const char *after = skip_escaped(text, end);
    buffer_append(&lift->line, text, (size_t)(after - text));
    return after;
}

int json_lift_read(struct json_lift *lift, const char *line, size_t length) {
    const char *const end = line + length;
    lift->count = 0;
    buffer_clear(&lift->line);
    while (line < end) {
        const char *quote = memchr(line, '"', (size_t)(end - line));
        const char *after = quote == NULL ? end : quote + 1;
        buffer_append(&lift->line, line, (size_t)(after - line));
        if (after < end && quote != NULL) {
            if (*after == '#') {
                return -1;
            }
            after = lift_string(lift, after, end);
        }
        line = after;
    }
    return lift->line.failed ? -1 : 0;
}

const char *json_lift_text(const struct json_lift *lift, const char *string, size_t *length) {
    if (string[0] == '#') {
        int index = 0;
        for (const char *digit = string + 1; *digit >= '0' && *digit <= '9' && index < JSON_LIFT_MOST;
             digit++) {
            index = index * 10 + (*digit - '0');
        }
        if (index < lift->count) {
            *length = lift->lengths[index];
            return lift->texts[index];
        }
    }
    *length = strlen(string);
    return string;
}
