/* See json_text.h. */
#include "common/json/json_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/utf8.h"
#include "common/json/json_writer.h"

/* The value of four hexadecimal digits at text[at], or -1. */
int32_t json_hex4(const char *text, size_t length, size_t at) {
    int32_t value = 0;
    if (length - at < 4 || at > length) {
        return -1;
    }
    for (size_t i = at; i < at + 4; i++) {
        const char c = text[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

bool json_is_high_surrogate(int32_t unit) {
    return unit >= 0xD800 && unit <= 0xDBFF;
}

bool json_is_low_surrogate(int32_t unit) {
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* ---- id text ---- */

/* The id of a request, as JSON text. Encoded again rather than copied, so that what is echoed is always sound.
 */

bool id_text_read(const cJSON *value, char out[ID_TEXT_BYTES]) {
    struct buffer text;
    buffer_init(&text, ID_TEXT_BYTES - 1);
    struct json_writer json = json_writer_begin(&text);
    bool is_id = false;
    if (cJSON_IsNumber(value)) {
        const double number = value->valuedouble;
        is_id = number >= 0.0 && number <= LIMIT_ID_INTEGER && number == floor(number);
        json_unsigned(&json, is_id ? (uint64_t)number : 0);
    } else if (cJSON_IsString(value)) {
        is_id = utf8_count(value->valuestring, strlen(value->valuestring)) <= LIMIT_ID_CHARS;
        json_string(&json, is_id ? value->valuestring : "");
    }
    is_id = is_id && !text.failed;
    memset(out, 0, ID_TEXT_BYTES);
    if (is_id) {
        memcpy(out, text.data, text.length);
    }
    buffer_fini(&text);
    return is_id;
}

/* ---- place ---- */

/* Invariant: one pass over the text; every byte is looked at once on the way to the place, and once more to count
 * lines. */

struct json_place json_place_of(const char *text, size_t offset) {
    struct json_place place = {.line = 1};
    size_t line_begin = 0;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            place.line++;
            line_begin = i + 1;
        }
    }
    place.column = (int)(offset - line_begin) + 1;
    return place;
}

static const char *skip_space(const char *at) {
    return at + strspn(at, " \t\r\n");
}

/* One past the closing quote; at: the opening one. */
static const char *skip_string(const char *at) {
    for (at++; *at != '"'; at++) {
        at += *at == '\\';
    }
    return at + 1;
}

/* The comma or bracket after the value that begins here. */
static const char *skip_value(const char *at) {
    int depth = 0;
    while (depth > 0 || (*at != ',' && *at != '}' && *at != ']')) {
        if (*at == '"') {
            at = skip_string(at);
        } else {
            depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
            at++;
        }
    }
    return at;
}

/* What is left of the path after this key, which ends before its closing quote; NULL when the path names another. */
static const char *after_key(const char *path, const char *key, size_t length) {
    path += *path == '.';
    return strncmp(path, key, length) == 0 && strchr(".[", path[length]) != NULL ? path + length : NULL;
}

/* The same of the element of an array. */
static const char *after_index(const char *path, uint32_t index) {
    const char *digit = path + (*path == '[');
    uint32_t number = 0;
    for (; digit > path && *digit >= '0' && *digit <= '9'; digit++) {
        number = number * 10 + (uint32_t)(*digit - '0');
    }
    return digit > path + 1 && *digit == ']' && number == index ? digit + 1 : NULL;
}

/* Goes into the container at *value to the item that the path names next: *value and *path become what is left.
 * Returns where the item begins; NULL when there is none. */
static const char *enter(const char **value, const char **path) {
    const bool is_object = **value == '{';
    if ((!is_object && **value != '[') || **path == '\0') {
        return NULL;
    }
    uint32_t index = 0;
    const char *at = skip_space(*value + 1);
    while (*at != '}' && *at != ']') {
        const char *const item = at;
        const char *rest = NULL;
        if (is_object) {
            at = skip_string(at);
            rest = after_key(*path, item + 1, (size_t)(at - item) - 2);
            at = skip_space(skip_space(at) + 1); /* the colon */
        } else {
            rest = after_index(*path, index++);
        }
        if (rest != NULL) {
            *value = at;
            *path = rest;
            return item;
        }
        at = skip_value(at);
        at = skip_space(at + (*at == ','));
    }
    return NULL;
}

const char *json_value_find(const char *text, const char *path) {
    const char *value = skip_space(text);
    while (enter(&value, &path) != NULL) {}
    return *path == '\0' ? value : NULL;
}

const char *json_member_value(const char *text, int index, size_t *length) {
    const char *at = skip_space(skip_space(text) + 1);
    for (int i = 0;; i++) {
        at = skip_space(skip_string(at));
        const char *const value = skip_space(at + 1); /* behind the colon */
        at = skip_value(value);
        if (i == index) {
            *length = (size_t)(at - value);
            return value;
        }
        at = skip_space(at + 1);
    }
}

size_t json_compact(const char *text, size_t length, char *out) {
    const char *const end = text + length;
    size_t written = 0;
    while (text < end) {
        const char *const tokens = text;
        while (text<end && * text> ' ') { /* outside strings all else is white space */
            text = *text == '"' ? skip_string(text) : text + 1;
        }
        memmove(out + written, tokens, (size_t)(text - tokens));
        written += (size_t)(text - tokens);
        while (text < end && *text <= ' ') {
            text++;
        }
    }
    return written;
}

/* ---- layout ---- */

/* How long the value is in one line, which ends at *end; one that is longer than a line may be is not measured further. */
static int line_length(const char *value, const char **end) {
    int length = 0, depth = 0;
    const char *at = value;
    do {
        const char *const token = at;
        at = *at == '"' ? skip_string(at) : at + 1;
        depth += (*token == '{' || *token == '[') - (*token == '}' || *token == ']');
        length += (int)(at - token) + (*token == ',' || *token == ':'); /* with a blank behind it */
    } while (length <= JSON_LAYOUT_COLUMNS && (depth > 0 || strchr(",}]", *at) == NULL));
    *end = at;
    return length;
}

static void write_in_line(const char *value, const char *end, struct buffer *out) {
    while (value < end) {
        const char *const token = value;
        value = *value == '"' ? skip_string(value) : value + 1;
        buffer_append(out, token, (size_t)(value - token));
        if (*token == ',' || *token == ':') {
            buffer_append(out, " ", 1);
        }
    }
}

/* Returns the column. */
static int begin_line(int depth, struct buffer *out) {
    enum { INDENT = 2 };
    buffer_append(out, "\n", 1);
    for (int i = 0; i < depth * INDENT; i++) {
        buffer_append(out, " ", 1);
    }
    return depth * INDENT;
}

/* Appends what ends at `end`; returns the column. */
static int write_value(const char *value, const char *end, int column, struct buffer *out) {
    const size_t before = out->length;
    write_in_line(value, end, out);
    return column + (int)(out->length - before);
}

/* Whether the value takes no more than the rest of the line, with a comma behind it; it ends at *end then. */
static bool fits(const char *value, int column, const char **end) {
    return column + line_length(value, end) < JSON_LAYOUT_COLUMNS || value[1] == '}' || value[1] == ']';
}

void json_layout(const char *value, struct buffer *out) {
    uint32_t arrays = 0; /* bit d: the container at depth d, which takes more than a line, is an array */
    int depth = 0, column = 0;
    bool is_behind_lines = false; /* what ends here took more than a line */
    do {
        const bool is_array = ((arrays >> depth) & 1) != 0;
        const char *end = NULL;
        if (*value == '}' || *value == ']') {
            depth--;
            column = begin_line(depth, out) + 1;
            buffer_append(out, value++, 1);
            is_behind_lines = true;
        } else if (*value == ',') {
            buffer_append(out, value++, 1);
            if (is_array && !is_behind_lines && fits(value, column + 2, &end)) {
                buffer_append(out, " ", 1);
                column += 2;
            } else {
                column = begin_line(depth, out);
            }
            is_behind_lines = false;
        } else if ((*value == '{' || *value == '[') && !fits(value, column, &end)) {
            depth++;
            arrays = (arrays & ~(UINT32_C(1) << depth)) | ((uint32_t)(*value == '[') << depth);
            buffer_append(out, value++, 1);
            column = begin_line(depth, out);
        } else {
            const bool is_key = depth > 0 && !is_array && *value == '"' && *skip_string(value) == ':';
            if (is_key) {
                end = skip_string(value) + 1;
            } else {
                (void)fits(value, column, &end);
                end = *value == '"' ? skip_string(value) : end; /* however long it is */
            }
            column = write_value(value, end, column, out);
            value = end;
        }
    } while (depth > 0);
    buffer_append(out, "\n", 1);
}

struct json_place json_place_find(const char *text, const char *path) {
    const char *value = skip_space(text), *place = value;
    for (const char *item = place; item != NULL; item = enter(&value, &path)) {
        place = item;
    }
    return json_place_of(text, (size_t)(place - text));
}

/* ---- trees ---- */

void json_tree_write(struct json_writer *json, const cJSON *tree) {
    const cJSON *item = NULL;
    if (cJSON_IsObject(tree) || cJSON_IsArray(tree)) {
        (cJSON_IsObject(tree) ? json_object : json_array)(json);
        cJSON_ArrayForEach(item, tree) {
            if (cJSON_IsObject(tree)) {
                json_key(json, item->string);
            }
            json_tree_write(json, item);
        }
        json_end(json);
    } else if (cJSON_IsString(tree)) {
        json_string(json, tree->valuestring);
    } else if (cJSON_IsNumber(tree)) {
        json_exact(json, tree->valuedouble);
    } else if (cJSON_IsBool(tree)) {
        json_bool(json, cJSON_IsTrue(tree));
    } else {
        json_raw(json, "null");
    }
}

bool json_is_same(const cJSON *a, const cJSON *b) {
    if (a == NULL || b == NULL || (a->type & 0xff) != (b->type & 0xff)) {
        return a == b;
    }
    if (cJSON_IsNumber(a)) {
        return memcmp((const char *)&a->valuedouble, (const char *)&b->valuedouble, sizeof a->valuedouble) ==
               0;
    }
    if (cJSON_IsString(a)) {
        return strcmp(a->valuestring, b->valuestring) == 0;
    }
    bool is_same = cJSON_GetArraySize(a) == cJSON_GetArraySize(b);
    const cJSON *other = b->child;
    for (const cJSON *item = a->child; is_same && item != NULL; item = item->next, other = other->next) {
        is_same =
            json_is_same(item, cJSON_IsObject(a) ? cJSON_GetObjectItemCaseSensitive(b, item->string) : other);
    }
    return is_same;
}

/* ---- merge ---- */

/* A member of an object: where its key and its value begin. */
struct merge_member {
    const char *key, *value;
    bool is_used;
};

/* The member that begins here; *after: the comma or the bracket behind it. */
static struct merge_member read_member(const char *at, const char **after) {
    const struct merge_member member = {.key = at, .value = skip_string(at) + 1};
    *after = skip_value(member.value);
    return member;
}

/* The text of a key that has escapes, without them; the caller's. */
static cJSON *unescaped(const char *key) {
    return cJSON_ParseWithLength(key, (size_t)(skip_string(key) - key));
}

static bool is_same_key(const char *a, const char *b) {
    const size_t length = (size_t)(skip_string(a) - a), other = (size_t)(skip_string(b) - b);
    if (memchr(a, '\\', length) == NULL && memchr(b, '\\', other) == NULL) {
        return length == other && memcmp(a, b, length) == 0;
    }
    cJSON *one = unescaped(a), *two = unescaped(b);
    const bool is_same = json_is_same(one, two);
    cJSON_Delete(one);
    cJSON_Delete(two);
    return is_same;
}

static void write_key(const char *key, bool *is_first, struct buffer *out) {
    buffer_append(out, ",", *is_first ? 0 : 1);
    buffer_append(out, key, (size_t)(skip_string(key) + 1 - key)); /* with its colon */
    *is_first = false;
}

/* The members of an object of the value, changed or not. */
static bool merge_there(const char *value, struct merge_member *members, int count, bool *is_first,
                        struct buffer *out) {
    const char *at = value + 1;
    while (*at != '}') {
        const struct merge_member there = read_member(at, &at);
        int i = 0;
        at += *at == ',';
        while (i < count && !is_same_key(there.key, members[i].key)) {
            i++;
        }
        if (i < count) {
            members[i].is_used = true;
        }
        if (i < count && members[i].value[0] == 'n') { /* null */
            continue;
        }
        write_key(there.key, is_first, out);
        if (i == count) {
            buffer_append(out, there.value, (size_t)(skip_value(there.value) - there.value));
        } else if (!json_merge(there.value, members[i].value, out)) {
            return false;
        }
    }
    return true;
}

static bool merge_objects(const char *value, const char *patch, struct merge_member *members,
                          struct buffer *out) {
    bool is_first = true;
    int count = 0;
    for (const char *at = patch + 1; *at != '}'; at += *at == ',') {
        if (count == JSON_MERGE_MEMBERS) {
            return false;
        }
        members[count++] = read_member(at, &at);
    }
    buffer_append(out, "{", 1);
    if (value != NULL && *value == '{' && !merge_there(value, members, count, &is_first, out)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!members[i].is_used && members[i].value[0] != 'n') {
            write_key(members[i].key, &is_first, out);
            if (!json_merge(NULL, members[i].value, out)) {
                return false;
            }
        }
    }
    buffer_append(out, "}", 1);
    return !out->failed;
}

/* As skip_value, also of a whole text. */
static const char *value_end(const char *at) {
    int depth = 0;
    do {
        const char *const token = at;
        at = *at == '"' ? skip_string(at) : at + 1;
        depth += (*token == '{' || *token == '[') - (*token == '}' || *token == ']');
    } while (*at != '\0' && (depth > 0 || (*at != ',' && *at != '}' && *at != ']')));
    return at;
}

bool json_merge(const char *value, const char *patch, struct buffer *out) {
    if (*patch != '{') {
        buffer_append(out, patch, (size_t)(value_end(patch) - patch));
        return !out->failed;
    }
    struct merge_member *members = malloc(sizeof *members * JSON_MERGE_MEMBERS);
    const bool is_merged = members != NULL && merge_objects(value, patch, members, out);
    out->failed = out->failed || members == NULL;
    free(members);
    return is_merged;
}

/* ---- lift ---- */

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
