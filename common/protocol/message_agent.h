/* An agent in the reply to inspect: its state, and the reasons for its motion.
 */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_AGENT_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"

struct cJSON;

enum {
    MESSAGE_AGENT_SHARES = 16,
    MESSAGE_AGENT_POINTS = 3 * LIMIT_BEHAVIORS,
    MESSAGE_AGENT_TERMS = LIMIT_BEHAVIORS + 1, /* each behavior of a state, and the containment of the edge */
    MESSAGE_AGENT_PARTS = 3,                   /* of flock: its three rules */
    MESSAGE_AGENT_VALUES = 18,                 /* of a term */
    MESSAGE_AGENT_NO_TIER = -1,                /* velocity filters and the containment of the edge */
};

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

/** A number of a behavior's formula, or a vector; protocol.md names them. */
struct message_agent_value {
    char name[LIMIT_NAME_CHARS + 1]; /* "offset", "distance", "rate" */
    bool is_vector;                  /* otherwise vector.y is 0 and vector.x the number */
    vec2 vector;
};

/** One summand of the steering force: a behavior with the numbers of its formula. */
struct message_agent_term {
    char behavior[LIMIT_NAME_CHARS + 1]; /* label, as in shares: "wander", "seek2" */
    char type[LIMIT_NAME_CHARS + 1];     /* "seek"; "containment" for that of the edge */
    float weight;
    int tier;         /* MESSAGE_AGENT_NO_TIER: of no tier */
    bool has_desired; /* false: idle, or it wants no velocity */
    vec2 desired;     /* px/s, before weighting */
    vec2 wants;       /* mass*px/s^2, weighted: as in shares */
    vec2 gets;      /* mass*px/s^2: its part of the net force; all of them add up to message_agent.steering */
    int part_count; /* 0, or MESSAGE_AGENT_PARTS for flock */
    struct message_agent_share
        parts[MESSAGE_AGENT_PARTS]; /* "separation", "alignment", "cohesion": add up to wants */
    int value_count;
    struct message_agent_value
        values[MESSAGE_AGENT_VALUES]; /* in the order in which the behavior uses them */
};

struct message_agent {
    uint32_t id;
    char kind[LIMIT_NAME_CHARS + 1], state[LIMIT_NAME_CHARS + 1];
    float x, y;                            /* px */
    vec2 velocity;                         /* px/s */
    float heading;                         /* deg, clockwise from +x */
    char locomotion[LIMIT_NAME_CHARS + 1]; /* "steered", "direct", "constant_speed"; "" from an old server */
    float stamina;                         /* 0 without max_stamina */
    float mass, radius, max_speed, max_force; /* its own: mass, px, px/s, mass*px/s^2 */
    vec2 desired;                             /* desired velocity, px/s */
    vec2 steering;                            /* total force after truncation, mass*px/s^2 */
    int share_count;
    struct message_agent_share shares[MESSAGE_AGENT_SHARES];
    int neighbor_count; /* those that count for its behaviors, nearest first */
    uint32_t neighbors[LIMIT_INSPECT_NEIGHBORS];
    int point_count; /* in the order in which the behaviors are asked */
    struct message_agent_point points[MESSAGE_AGENT_POINTS];
    int term_count; /* in the order in which they are evaluated; 0 from an old server */
    struct message_agent_term terms[MESSAGE_AGENT_TERMS];
};

/** Reads the reply's `agents` into *rows (malloc'd, also on failure): at most LIMIT_INSPECT_IDS. An absent
 * array has no rows. 0, or -1 with *failure. */
NODISCARD int message_agents_read(const struct cJSON *array, struct message_agent **rows, int *count,
                                  struct failure *failure);

/** The term of the behavior of this label, or NULL: an old server has none. */
const struct message_agent_term *message_agent_find_term(const struct message_agent *agent,
                                                         const char *behavior);
/** The term's value of this name, or NULL. */
const struct message_agent_value *message_agent_find_value(const struct message_agent_term *term,
                                                           const char *name);

#endif
