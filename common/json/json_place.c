/* See json_place.h. Owns nothing.
 *
 * Invariant: one pass over the text; every byte is looked at once on the way to the place, and once more to count
 * lines.
 */
#include "common/json/json_place.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

struct json_place json_place_find(const char *text, const char *path) {
    const char *value = skip_space(text), *place = value;
    for (const char *item = place; item != NULL; item = enter(&value, &path)) {
        place = item;
    }
    return json_place_of(text, (size_t)(place - text));
}
