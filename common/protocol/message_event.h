/* The message "event". */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_EVENT_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_EVENT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/geometry.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/protocol/message_scenario.h"

/** Events go to subscribed sessions (lag: to the one it is about). `by` is the session that did it, 0 the
 * server itself. Further members: those that `has` names. */
struct message_event {
    char event[LIMIT_NAME_CHARS + 1]; /* "paused", "spawned", "obstacle_added", ...: protocol.md */
    uint64_t tick;
    uint32_t by;
    unsigned has;                      /* enum message_event_has, or-ed */
    char name[LIMIT_PERSON_BYTES + 1]; /* of the session that did it */
    char kind[LIMIT_NAME_CHARS + 1];   /* whose agents or parameter */
    uint32_t agent;                    /* the one agent it is about */
    uint32_t count, first_id, last_id; /* spawned; removed, entered and left have the count alone */
    char source[LIMIT_NAME_CHARS + 1], sink[LIMIT_NAME_CHARS + 1]; /* entered; left */
    uint32_t waiting;                  /* entered: those for whom there is no place */
    char seat[LIMIT_NAME_CHARS + 1];   /* waiting, seat_timeout: the one that the world waits for, */
    uint32_t of, ms;                   /* or how many are to be taken; for how long it has waited */
    char then[LIMIT_NAME_CHARS + 1];   /* seat_timeout: on_timeout, what follows */
    char param[64];                    /* "max_speed" */
    double value;                      /* of the parameter */
    char target[LIMIT_NAME_CHARS + 1]; /* a named target */
    int64_t x, y;                      /* where it is now, or a place, 1/100 px */
    uint64_t skipped;                  /* frames, since the last such event */
    struct obstacle_def obstacle;      /* the id alone when it is gone */
    struct message_flow flow;          /* as it is now */
    uint32_t quarry;                   /* id of the agent that was caught */
    char gate[LIMIT_NAME_CHARS + 1];   /* crossed */
    double direction;                  /* crossed: 1 from the left of the gate to its right, -1 back */
    uint32_t left_out;                 /* events of this sort that were too many to tell */
    uint32_t candidates;               /* agents that each agent there looks at; overload */
    uint64_t ticks, requests;          /* that a journal has more than the world goes on from */
    bool is_recorded;                  /* never on the wire: `by` is a session of a recording */
    float radius, vx, vy, heading;     /* spawned, as the request had them; px, px/s, rad */
    char follow[LIMIT_NAME_CHARS + 1]; /* aim: the target that the agent or kind goes to now */
    bool clear;                        /* aim: the scenario's own again */
    char cursor[LIMIT_NAME_CHARS + 1]; /* the target of the session's cursor */
    char scenario[LIMIT_NAME_CHARS + 1];
    char save[LIMIT_NAME_CHARS + 1];        /* a saved world */
    char file[256];                         /* the name of a recording's or a journal's file */
    char reason[192];                       /* why it ended early, or diverged */
    int agent_count;                        /* ids that follow */
    uint32_t agents[LIMIT_DIVERGED_AGENTS]; /* diverged: some of the agents that differ */
    double speed;                           /* of the world's time; 0: as fast as it goes */
    char branch[LIMIT_NAME_CHARS + 1];      /* rewound: the one that goes on, */
    char from[LIMIT_NAME_CHARS + 1];        /* and the one that the moment is of */
    uint64_t seq;                           /* the number of the change, or of the last one before */
};

enum message_event_has {
    EVENT_HAS_NAME = 1,
    EVENT_HAS_KIND = 2,
    EVENT_HAS_AGENT = 4,
    EVENT_HAS_COUNT = 8,
    EVENT_HAS_IDS = 16,
    EVENT_HAS_PARAM = 32,
    EVENT_HAS_TARGET = 64,
    EVENT_HAS_SKIPPED = 128,
    EVENT_HAS_OBSTACLE = 256,
    EVENT_HAS_SHAPE = 512,
    EVENT_HAS_QUARRY = 1024,
    EVENT_HAS_LEFT_OUT = 2048,
    EVENT_HAS_CANDIDATES = 4096, /* and a place */
    EVENT_HAS_PLACE = 8192,      /* x and y, of what is no target and no crowd */
    EVENT_HAS_RADIUS = 16384,
    EVENT_HAS_VELOCITY = 32768,
    EVENT_HAS_HEADING = 65536,
    EVENT_HAS_FOLLOW = 131072,
    EVENT_HAS_CLEAR = 262144,
    EVENT_HAS_CURSOR = 524288,
    EVENT_HAS_SCENARIO = 1048576, /* or branches */
    EVENT_HAS_BRANCH = EVENT_HAS_SCENARIO,
    EVENT_HAS_SAVE = 2097152,
    EVENT_HAS_SEQ = 4194304,
    EVENT_HAS_LOSS = 8388608,
    EVENT_HAS_FILE = 16777216,
    EVENT_HAS_REASON = 33554432,
    EVENT_HAS_SPEED = 134217728,
    EVENT_HAS_GATE = 268435456, /* and a direction */
    EVENT_HAS_FLOW = 536870912,
    EVENT_HAS_AGENTS = 67108864,     /* agents, and agent_count of them */
    EVENT_HAS_TURNOVER = 1073741824, /* a source or a sink, and who waits */
    EVENT_HAS_SEAT = EVENT_HAS_TURNOVER,
};

/** The events that a subscription can be limited to, ended by NULL: all but those that concern one session alone. */
extern const char *const message_event_names[];
/** The bit of an event in a set of them; 0 for one that always comes. */
uint64_t message_event_bit(const char *name);
/** The set of the names in a text, with a blank between them; for "" every event but crossed, of which there may be many. */
uint64_t message_event_set(const char *names);

/** Appends the line. Failure is out->failed. */
void message_write_event(const struct message_event *event, struct buffer *out);
/** Out of its line. 0, or -1 with *failure. */
NODISCARD int message_event_read(const cJSON *json, struct message_event *event, struct failure *failure);

/* An agent in the reply to inspect: its state, and the reasons for its motion.
 */

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

#endif
