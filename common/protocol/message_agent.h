/* An agent in the reply to inspect: its state, and the reasons for its motion.
 */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_AGENT_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_AGENT_H

#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"

struct cJSON;

enum { MESSAGE_AGENT_SHARES = 16, MESSAGE_AGENT_POINTS = 3 * LIMIT_BEHAVIORS };

/** A place that a behavior looks at. */
struct message_agent_point {
    char behavior[LIMIT_NAME_CHARS + 1]; /* as in shares: "wander", "seek2" */
    char what[LIMIT_NAME_CHARS + 1];     /* "predicted", "circle": protocol.md names them */
    float x, y;                          /* px */
    float radius;                        /* px; 0 without a circle */
};

/** One behavior's share of the steering force, mass*px/s^2. */
struct message_agent_share {
    char behavior[LIMIT_NAME_CHARS + 1];
    vec2 force;
};

struct message_agent {
    uint32_t id;
    char kind[LIMIT_NAME_CHARS + 1], state[LIMIT_NAME_CHARS + 1];
    float x, y;                               /* px */
    float stamina;                            /* 0 without max_stamina */
    float mass, radius, max_speed, max_force; /* its own: mass, px, px/s, mass*px/s^2 */
    vec2 desired;                             /* desired velocity, px/s */
    vec2 steering;                            /* total force after truncation, mass*px/s^2 */
    int share_count;
    struct message_agent_share shares[MESSAGE_AGENT_SHARES];
    int neighbor_count; /* those that count for its behaviors, nearest first */
    uint32_t neighbors[LIMIT_INSPECT_NEIGHBORS];
    int point_count; /* in the order in which the behaviors are asked */
    struct message_agent_point points[MESSAGE_AGENT_POINTS];
};

/** Reads the reply's `agents` into *rows (malloc'd, also on failure): at most LIMIT_INSPECT_IDS. An absent
 * array has no rows. 0, or -1 with *failure. */
NODISCARD int message_agents_read(const struct cJSON *array, struct message_agent **rows, int *count,
                                  struct failure *failure);

#endif
