/* See behavior_def.h. The rows are made from behavior_list.h. */
#include "server/sim/steering/behavior_def.h"

#include <assert.h>
#include <string.h>

#include "server/sim/math/trig.h"
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_fields.h"

static const struct behavior_row rows[BEHAVIOR_TYPE_COUNT] = {
#define ROW_OF(enumerator, name_, targets_, neighbors_, zones_, traits_)                                     \
    [BEHAVIOR_##enumerator] = {                                                                              \
        .name = #name_,                                                                                      \
        .targets = (targets_),                                                                               \
        .neighbors = (neighbors_),                                                                           \
        .zones = (zones_),                                                                                   \
        .traits = (traits_),                                                                                 \
        .fields = behavior_##name_##_fields,                                                                 \
        .function = behavior_##name_,                                                                        \
    },
    BEHAVIOR_LIST(ROW_OF)
#undef ROW_OF
};

static const struct field reference_fields[] = {REF_ROWS(struct target_ref, "", ), END_ROW};

const struct behavior_row *behavior_row(int type) {
    assert(type >= 0 && type < BEHAVIOR_TYPE_COUNT);
    return &rows[type];
}

const struct field *behavior_fields(enum behavior_type type) {
    return behavior_row((int)type)->fields;
}

const struct field *target_ref_fields(void) {
    return reference_fields;
}

const char *behavior_type_name(enum behavior_type type) {
    return (int)type >= 0 && type < BEHAVIOR_TYPE_COUNT ? rows[type].name : NULL;
}

int behavior_type_from_name(const char *name) {
    for (int type = 0; type < BEHAVIOR_TYPE_COUNT; type++) {
        if (strcmp(rows[type].name, name) == 0) {
            return type;
        }
    }
    return -1;
}

/* Sets a numeric member from its row's initial value. */
static void set_initial(const struct field *field, struct behavior_def *def) {
    char *member = (char *)def + field->offset;
    const bool is_angle = field->type == FIELD_ANGLE;
    const float number = (float)(is_angle ? field->initial * (TRIG_PI / 180.0) : field->initial);
    const uint32_t whole = (uint32_t)field->initial;
    if (field->type == FIELD_FLOAT || is_angle) {
        memcpy(member, &number, sizeof number);
    } else if (field->type == FIELD_UINT32) {
        memcpy(member, &whole, sizeof whole);
    }
}

struct behavior_def behavior_def_default(enum behavior_type type) {
    struct behavior_def def = {.type = (int)type};
    for (const struct field *field = behavior_fields(type); field->type != FIELD_END; field++) {
        set_initial(field, &def);
    }
    return def;
}

struct behavior_def behavior_def_placeholder(void) {
    return behavior_def_default(BEHAVIOR_WANDER);
}
