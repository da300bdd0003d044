/* Texts for people: the values that a row of a table allows, and the value that was found. */
#ifndef DROVER_COMMON_JSON_FIELD_TEXT_H
#define DROVER_COMMON_JSON_FIELD_TEXT_H

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/field.h"

enum { FIELD_PATH_BYTES = sizeof((struct failure *)0)->field, FIELD_QUOTE_BYTES = 40 };

static inline void *field_member(const struct field *field, void *object) {
    return (char *)object + field->offset;
}

static inline const void *field_const_member(const struct field *field, const void *object) {
    return (const char *)object + field->offset;
}

/** The type of a value in words: "a number", "an array", ... Static storage. */
const char *json_type_name(const cJSON *value);
/** "0 to 20000 px/s" */
void field_range_text(const struct field *field, char *out, size_t size);
/** "one", "two", ... of a choice. */
void field_choices_text(const struct field *field, char *out, size_t size);
/** "a number", "a name", ...: what the row's type expects. */
const char *field_type_wanted(const struct field *field);
/** Refuses a value of the wrong type, naming both. -1. */
int field_fail_type(const struct field *field, const cJSON *value, const char *path, struct failure *failure);
/** Refuses an object without this required member. -1. */
int field_fail_missing(const struct field *field, const char *path, struct failure *failure);
/** A client's text in quotes, cut to what a message has room for. */
void field_quote(const char *text, char out[FIELD_QUOTE_BYTES + 6]);

#endif
