/* What the memory of a parameter is to hold. */
#include <assert.h>

#include "server/sim/math/trig.h"
#include "server/sim/world/world_internal.h"

struct param_bytes world_param_bytes(const struct field *field, double value) {
    struct param_bytes out = {.size = field->size};
    const float number = field_float(field->type == FIELD_ANGLE ? value * (TRIG_PI / 180.0) : value);
    const struct field_range range = {number, number};
    const uint32_t whole = field->type == FIELD_UINT32 ? (uint32_t)value : 0;
    assert(field->type == FIELD_RANGE || field->type == FIELD_UINT32 || field->type == FIELD_FLOAT ||
           field->type == FIELD_ANGLE);
    assert(field->size == (field->type == FIELD_RANGE ? sizeof range : sizeof number));
    memcpy(out.bytes, field->type == FIELD_UINT32 ? (const void *)&whole : (const void *)&range, out.size);
    return out;
}

void world_put_param(void *object, const struct field *field, double value) {
    const struct param_bytes bytes = world_param_bytes(field, value);
    memcpy((char *)object + field->offset, bytes.bytes, bytes.size);
}
