/* Every steering behavior, a row each: what the loader, the world, the hash and the lists of the protocol
 * know about it. Its parameters and its function lie in a behavior_*.c.
 *
 * A new behavior is a row at the end of this list and, in a behavior_*.c, the two definitions that the row
 * declares: behavior_NAME_fields[] (behavior_fields.h) and behavior_NAME(). No other file compares a type
 * with an enumerator: what a behavior needs of other modules is a trait.
 *
 * The hash of a world has the name of a behavior, not its index; `list` answers in the order of the rows.
 *
 *     X(ENUMERATOR, name, targets, neighbors, zones, traits)
 *
 * name       the behavior's name in scenarios and in the protocol
 * targets    number of target references: 0, 1 ("target" ...) or 2 ("second_target" ... too)
 * neighbors  enum neighbor_use: what is queried about the neighbors before the function is called
 * zones      the zones that the query uses, ZONES_* or-ed; 0 without neighbors
 * traits     enum behavior_trait, or-ed
 */
#ifndef DROVER_SERVER_SIM_STEERING_BEHAVIOR_LIST_H
#define DROVER_SERVER_SIM_STEERING_BEHAVIOR_LIST_H

/* clang-format off */
#define BEHAVIOR_LIST(X)                                                                                     \
    X(SEEK,            seek,            1, NEIGHBORS_UNUSED,  0,                TRAIT_AIMABLE)               \
    X(FLEE,            flee,            1, NEIGHBORS_UNUSED,  0,                0)                           \
    X(ARRIVE,          arrive,          1, NEIGHBORS_UNUSED,  0,                TRAIT_AIMABLE)               \
    X(PURSUE,          pursue,          1, NEIGHBORS_UNUSED,  0,                TRAIT_CATCHES)               \
    X(EVADE,           evade,           1, NEIGHBORS_UNUSED,  0,                0)                           \
    X(OFFSET_PURSUIT,  offset_pursuit,  1, NEIGHBORS_UNUSED,  0,                0)                           \
    X(INTERPOSE,       interpose,       2, NEIGHBORS_UNUSED,  0,                0)                           \
    X(WANDER,          wander,          0, NEIGHBORS_UNUSED,  0,                0)                           \
    X(FORMATION,       formation,       1, NEIGHBORS_UNUSED,  0,                0)                           \
    X(SEPARATION,      separation,      0, NEIGHBORS_SUMS,    ZONES_SEPARATION, 0)                           \
    X(ALIGNMENT,       alignment,       0, NEIGHBORS_SUMS,    ZONES_ALIGNMENT,  0)                           \
    X(COHESION,        cohesion,        0, NEIGHBORS_SUMS,    ZONES_COHESION,   0)                           \
    X(FLOCK,           flock,           0, NEIGHBORS_SUMS,    ZONES_ALL,        TRAIT_FLOCK_KERNEL)          \
    X(AVOID_AGENTS,    avoid_agents,    0, NEIGHBORS_THREATS, ZONES_SEPARATION, 0)                           \
    X(FOLLOW_LEADER,   follow_leader,   1, NEIGHBORS_SUMS,    ZONES_SEPARATION, TRAIT_ALL_ROUND)             \
    X(QUEUE,           queue,           1, NEIGHBORS_AHEAD,   ZONES_SEPARATION, TRAIT_AIMABLE)               \
    X(AVOID_OBSTACLES, avoid_obstacles, 0, NEIGHBORS_UNUSED,  0,                TRAIT_SCENERY)               \
    X(FOLLOW_WALL,     follow_wall,     0, NEIGHBORS_UNUSED,  0,                TRAIT_SCENERY)               \
    X(FOLLOW_PATH,     follow_path,     0, NEIGHBORS_UNUSED,  0,                TRAIT_SCENERY | TRAIT_PATH)  \
    X(STAY_ON_PATH,    stay_on_path,    0, NEIGHBORS_UNUSED,  0,                TRAIT_SCENERY | TRAIT_PATH)  \
    X(FOLLOW_FLOW,     follow_flow,     0, NEIGHBORS_UNUSED,  0,                TRAIT_SCENERY | TRAIT_FLOW)  \
    X(HIDE,            hide,            1, NEIGHBORS_UNUSED,  0,                TRAIT_SCENERY)               \
    X(ORCA,            orca,            0, NEIGHBORS_NEAREST, ZONES_SEPARATION,                              \
      TRAIT_VELOCITY_FILTER | TRAIT_ALL_ROUND | TRAIT_FILTER_KERNEL)                                         \
    X(CONTAIN,         contain,         0, NEIGHBORS_UNUSED,  0,                TRAIT_REGION)                \
    X(EXTERNAL,        external,        0, NEIGHBORS_UNUSED,  0,                TRAIT_DRIVEN)                \
    X(HERD,            herd,            2, NEIGHBORS_UNUSED,  0,                TRAIT_HERD)                  \
    X(WALK,            walk,            0, NEIGHBORS_NEAREST, ZONES_SEPARATION,                              \
      TRAIT_VELOCITY_FILTER | TRAIT_ALL_ROUND | TRAIT_BODY_SIGHT)
/* clang-format on */

#endif
