/* Reads a JSON object into a struct, and writes a member back, by a table of fields. */
#ifndef DROVER_COMMON_JSON_FIELD_JSON_H
#define DROVER_COMMON_JSON_FIELD_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/field.h"
#include "common/json/field_text.h"
#include "common/json/field_value.h"
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

/** Writes the member's value as JSON (without its key). */
void field_write_value(const struct field *field, const void *object, struct json_writer *json);

/** The row of this name, or NULL. */
const struct field *field_find(const struct field *table, const char *name);

#endif
