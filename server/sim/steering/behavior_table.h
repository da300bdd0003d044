/* What is known about each behavior: the rows of behavior_list.h as data.
 *
 * Every module that treats behaviors differently reads their rows; none compares a type with an enumerator.
 */
#ifndef DROVER_SERVER_SIM_STEERING_BEHAVIOR_TABLE_H
#define DROVER_SERVER_SIM_STEERING_BEHAVIOR_TABLE_H

#include <stdbool.h>

#include "common/base/field.h"
#include "server/sim/steering/behavior_def.h"

/** What a behavior needs of other modules, or lets them do. Bits. */
enum behavior_trait {
    TRAIT_AIMABLE = 1,         /* set_aim and set_target of an agent or a kind replace what it is about */
    TRAIT_CATCHES = 2,         /* an agent that touches its first target has caught it */
    TRAIT_VELOCITY_FILTER = 4, /* called after the other behaviors, to correct the velocity they ask for */
    TRAIT_ALL_ROUND = 8,       /* its zones have no field of view */
    TRAIT_FLOCK_KERNEL = 16,   /* agents with this behavior alone may be moved by kernels.h */
    TRAIT_SCENERY = 32,        /* steers by what stands or flows in the world */
    TRAIT_PATH = 64,           /* has the parameter "path" */
    TRAIT_FLOW = 128,          /* has the parameter "flow_field" */
    TRAIT_REGION = 256,        /* a scenario may give it a region: "rect" or "circle" */
    TRAIT_DRIVEN = 512,        /* follows the vector that a client drives the agent with (struct drive) */
};

/** Zones as bits, for behavior_row.zones. */
enum {
    ZONES_SEPARATION = 1 << ZONE_SEPARATION,
    ZONES_ALIGNMENT = 1 << ZONE_ALIGNMENT,
    ZONES_COHESION = 1 << ZONE_COHESION,
    ZONES_ALL = ZONES_SEPARATION | ZONES_ALIGNMENT | ZONES_COHESION,
};

struct steering_context;
struct steering_output;

struct behavior_row {
    const char *name;
    int targets; /* target references: 0, 1 or 2 */
    enum neighbor_use neighbors;
    unsigned zones;             /* ZONES_* of the query about neighbors */
    unsigned traits;            /* enum behavior_trait */
    const struct field *fields; /* rows of struct behavior_def, FIELD_END-ended */
    struct steering_output (*function)(const struct behavior_def *behavior,
                                       const struct steering_context *context);
};

/** The row of a type, which must be one of the enum. */
const struct behavior_row *behavior_row(int type);

/** Whether the type's row has the trait. */
static inline bool behavior_has_trait(int type, enum behavior_trait trait) {
    return (behavior_row(type)->traits & (unsigned)trait) != 0;
}

/** Number of target references of the type: 0, 1 or 2. */
static inline int behavior_target_count(enum behavior_type type) {
    return behavior_row((int)type)->targets;
}

/** What is queried about the neighbors before the type's function is called. */
static inline enum neighbor_use behavior_neighbor_use(enum behavior_type type) {
    return behavior_row((int)type)->neighbors;
}

/** Whether the type is called after the others of its state, to correct the velocity they ask for. */
static inline bool behavior_is_velocity_filter(enum behavior_type type) {
    return behavior_has_trait((int)type, TRAIT_VELOCITY_FILTER);
}

/** Whether the type has the parameter "path", or "flow_field". */
static inline bool behavior_has_path(enum behavior_type type) {
    return behavior_has_trait((int)type, TRAIT_PATH);
}
static inline bool behavior_has_flow_field(enum behavior_type type) {
    return behavior_has_trait((int)type, TRAIT_FLOW);
}

/** The rows of struct behavior_def that a scenario may set for this type. set_param may change FIELD_PARAM
 * rows while the world runs. */
const struct field *behavior_fields(enum behavior_type type);

/** Rows of struct target_ref, for conditions; behaviors have the same rows among their own. */
const struct field *target_ref_fields(void);

/** "seek"; NULL outside the enum, so that a loop from 0 on visits every type. */
const char *behavior_type_name(enum behavior_type type);

/** The type of this name, or -1. */
int behavior_type_from_name(const char *name);

/** A behavior of the type with the initial values of its rows. */
struct behavior_def behavior_def_default(enum behavior_type type);

/** A behavior that refers to nothing, for the place of one that could not be read. */
struct behavior_def behavior_def_placeholder(void);

#endif
