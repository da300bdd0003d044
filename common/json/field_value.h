/* One JSON value into the member of a struct that a row describes, and numbers in outside units. */
#ifndef DROVER_COMMON_JSON_FIELD_VALUE_H
#define DROVER_COMMON_JSON_FIELD_VALUE_H

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/field.h"

/** Reads one value into its member, checking type and range. `path` is the whole path of the value. */
NODISCARD int field_read_value(const struct field *field, const cJSON *value, const char *path, void *object,
                               struct failure *failure);

/** Sets a numeric member (FLOAT, DOUBLE, ANGLE, RANGE, UINT32) from a number in outside units, checking its
 * range. */
NODISCARD int field_set_number(const struct field *field, double value, const char *path, void *object,
                               struct failure *failure);
/** A numeric member in outside units (degrees for angles, low for a range). */
double field_get_number(const struct field *field, const void *object);
/** Stores a number in outside units, which passed its checks, in the member. */
void field_store_number(const struct field *field, double value, void *object);

#endif
