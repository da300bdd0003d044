/* Reads a JSON object into a struct, and writes a member back, by a table of fields. */
#ifndef DROVER_COMMON_JSON_FIELD_JSON_H
#define DROVER_COMMON_JSON_FIELD_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/field.h"
#include "common/json/json_writer.h"

/** Sets every member of a table to its initial value (points, names, texts, bools: zero). */
void fields_set_initial(const struct field *table, void *object);

/** Reads the members of `json` that the table names into `object`; members that are absent stay as they are.
 *
 * path      prefix for failure.field ("kinds.prey"), "" at the top
 * known     NULL: members the table does not name are ignored (requests). Otherwise a NULL-ended list of
 * further names that are allowed (read by the caller); anything else is refused, naming what is allowed
 * (scenarios) present   NULL, or receives bit i for each row i that was there (tables of at most 64 rows)
 * returns   0, or -1 with *failure (bad_param, out_of_range); the object may then be partly written: read
 * into a copy
 */
NODISCARD int fields_read(const struct field *table, const cJSON *json, const char *path,
                          const char *const *known, void *object, uint64_t *present, struct failure *failure);

/** The two halves of fields_read, for a reader that goes on after a mistake: one member of the object (*seen
 * receives its row's bit, also when its value is refused), and whether a required one is missing. */
NODISCARD int fields_read_member(const struct field *table, const cJSON *item, const char *path,
                                 const char *const *known, void *object, uint64_t *seen,
                                 struct failure *failure);
NODISCARD int fields_check_required(const struct field *table, const char *path, uint64_t seen,
                                    struct failure *failure);

/** Writes the members of a table, each with its key, into an open object: but for those whose FIELD_HAS says that they are not
 * there, and what FIELD_BRIEF leaves out. */
void fields_write(const struct field *table, const void *object, struct json_writer *json);

/** Writes the member's value as JSON (without its key). */
void field_write_value(const struct field *field, const void *object, struct json_writer *json);

/** The row of this name, or NULL. */
const struct field *field_find(const struct field *table, const char *name);

/* One JSON value into the member of a struct that a row describes, and numbers in outside units. */

/** Reads one value into its member, checking type and range. `path` is the whole path of the value. */
NODISCARD int field_read_value(const struct field *field, const cJSON *value, const char *path, void *object,
                               struct failure *failure);

/** Sets a numeric member (FLOAT, DOUBLE, ANGLE, RANGE, UINT32) from a number in outside units, checking its
 * range. */
NODISCARD int field_set_number(const struct field *field, double value, const char *path, void *object,
                               struct failure *failure);
/** Whether the member has whole numbers alone. */
bool field_is_integer(const struct field *field);
/** A numeric member in outside units (degrees for angles, low for a range). */
double field_get_number(const struct field *field, const void *object);
/** Stores a number in outside units, which passed its checks, in the member. */
void field_store_number(const struct field *field, double value, void *object);

/* Texts for people: the values that a row of a table allows, and the value that was found. */

enum { FIELD_PATH_BYTES = sizeof((struct failure *)0)->field, FIELD_QUOTE_BYTES = 40 };

static inline void *field_member(const struct field *field, void *object) {
    return (char *)object + field->offset;
}

static inline const void *field_const_member(const struct field *field, const void *object) {
    return (const char *)object + field->offset;
}

/** The type of a value in words: "a number", "an array", ... Static storage. */
const char *json_type_name(const cJSON *value);
/** A client's text in quotes, cut to what a message has room for. */
void field_quote(const char *text, char out[FIELD_QUOTE_BYTES + 6]);

#endif
