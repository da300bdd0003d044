/* The parameters of behaviors: what the behavior_*.c write their field tables with. Each table,
 * behavior_NAME_fields, lies beside the function behavior_NAME; get_params and the documentation show its
 * help.
 */
#ifndef DROVER_SERVER_SIM_STEERING_BEHAVIOR_FIELDS_H
#define DROVER_SERVER_SIM_STEERING_BEHAVIOR_FIELDS_H

#include "common/base/field.h"
#include "server/sim/steering/behavior_def.h"

#define FIELDS_OF(enumerator, name, targets, neighbors, zones, traits)                                       \
    extern const struct field behavior_##name##_fields[];
BEHAVIOR_LIST(FIELDS_OF)
#undef FIELDS_OF

#define ROW(kind_of, name_, struct_, member_, flags_, min_, max_, initial_, unit_, help_)                    \
    {                                                                                                        \
        .name = (name_), .type = (kind_of), FIELD_MEMBER(struct_, member_), .flags = (flags_),               \
        .min = (min_), .max = (max_), .initial = (initial_), .unit = (unit_), .help = (help_)                \
    }
#define NUMBER(name_, member_, max_, initial_, unit_, help_)                                                 \
    ROW(FIELD_FLOAT, name_, struct behavior_def, member_, FIELD_PARAM, 0.0, max_, initial_, unit_, help_)

#define REF_ROWS(struct_, prefix, what)                                                                      \
    ROW(FIELD_TEXT, prefix "target", struct_, what target, 0, 0, 0, 0, "",                                   \
        "A named target; food* is the nearest whose name begins with food."),                                \
        ROW(FIELD_NAME, prefix "kind", struct_, what kind, 0, 0, 0, 0, "",                                   \
            "The nearest agent of this kind."),                                                              \
        ROW(FIELD_UINT32, prefix "agent", struct_, what agent, 0, 1, 4294967295.0, 0, "",                    \
            "The agent of this id."),                                                                        \
        ROW(FIELD_FLOAT, prefix "within", struct_, what within, FIELD_PARAM, 0, LIMIT_COORDINATE, 0, "px",   \
            "What is further away is not noticed; 0: any distance.")
#define TARGET_ROWS REF_ROWS(struct behavior_def, "", target.)
#define SECOND_ROWS REF_ROWS(struct behavior_def, "second_", second.)

#define WEIGHT_ROW NUMBER("weight", weight, 1000.0, 1.0, "1", "Factor on this behavior's force.")
#define TURN_ROWS                                                                                            \
    ROW(FIELD_UINT32, "tier", struct behavior_def, tier, 0, 0, 15, 0, "",                                    \
        "Behaviors of a lower tier take what they need of max_force first."),                                \
        ROW(FIELD_FLOAT, "probability", struct behavior_def, probability, 0, 0, 1, 1, "1",                   \
            "How often it is asked when the state combines dithered.")
#define END_ROW                                                                                              \
    { .type = FIELD_END }

#define PREDICTION_ROW                                                                                       \
    NUMBER("max_prediction", max_prediction, 3600.0, 2.0, "s",                                               \
           "The furthest ahead the other's place is predicted.")
#define SLOWING_ROW                                                                                          \
    NUMBER("slowing_distance", slowing_distance, LIMIT_COORDINATE, 0.0, "px",                                \
           "Inside this distance the speed falls linearly to zero at the target.")
#define PANIC_ROW                                                                                            \
    NUMBER("panic_distance", panic_distance, LIMIT_COORDINATE, 0.0, "px",                                    \
           "Acts only when nearer than this; 0: at any distance.")
#define LOOK_ROW(initial_)                                                                                   \
    NUMBER("prediction", prediction, 60.0, initial_, "s",                                                    \
           "It looks at the place where it will be after this time.")

#define ANGLE(name_, member_, initial_, help_)                                                               \
    ROW(FIELD_ANGLE, name_, struct behavior_def, member_, FIELD_PARAM, 0, 360, initial_, "deg", help_)
#define RADIUS_ROW(name_, zone_, initial_)                                                                   \
    NUMBER(name_, zones[zone_].radius, LIMIT_COORDINATE, initial_, "px", "Neighbors nearer than this count.")
#define VIEW_ROW(name_, zone_, initial_)                                                                     \
    ANGLE(name_, zones[zone_].field_of_view, initial_,                                                       \
          "The angle seen, the heading in its middle; the very near is noticed anyway.")
#define KINDS_ROW                                                                                            \
    ROW(FIELD_NAMES, "kinds", struct behavior_def, kinds, 0, 0, 0, 0, "",                                    \
        "Which kinds count as neighbors; its own when left out.")
#define CLEARANCE_ROW(initial_)                                                                              \
    NUMBER("clearance", clearance, LIMIT_COORDINATE, initial_, "px", "Kept free between the bodies.")
#define NEAREST_ROW(help_, min_, initial_)                                                                   \
    ROW(FIELD_UINT32, "max_neighbors", struct behavior_def, max_neighbors, FIELD_PARAM, min_,                \
        NEIGHBORS_NEAREST_MAX, initial_, "agents", help_)
#endif
