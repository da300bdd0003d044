/* The behaviors that have a rule for lanes: X(ENUMERATOR, name) of behavior_list.h. rule_NAME is in
 * steering_kernel.inc.h. */
#ifndef DROVER_SERVER_SIM_STEERING_STEERING_RULE_LIST_H
#define DROVER_SERVER_SIM_STEERING_STEERING_RULE_LIST_H

/* clang-format off */
#define STEERING_RULE_LIST(X)                                                                                \
    X(SEEK,         seek)                                                                                    \
    X(FLEE,         flee)                                                                                    \
    X(ARRIVE,       arrive)                                                                                  \
    X(PURSUE,       pursue)                                                                                  \
    X(EVADE,        evade)                                                                                   \
    X(WANDER,       wander)                                                                                  \
    X(SEPARATION,   separation)                                                                              \
    X(COHESION,     cohesion)                                                                                \
    X(AVOID_AGENTS, avoid_agents)                                                                            \
    X(AVOID_OBSTACLES, avoid_obstacles)                                                                      \
    X(FOLLOW_PATH,  follow_path)                                                                             \
    X(EXTERNAL,     external)
/* clang-format on */

#endif
