/* The message "event". */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_EVENT_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/geometry.h"
#include "common/base/limits.h"

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
    uint32_t count, first_id, last_id; /* spawned; removed has the count alone */
    char param[64];                    /* "max_speed" */
    double value;                      /* of the parameter */
    char target[LIMIT_NAME_CHARS + 1]; /* a named target */
    int64_t x, y;                      /* where it is now, or a place, 1/100 px */
    uint64_t skipped;                  /* frames, since the last such event */
    struct obstacle_def obstacle;      /* the id alone when it is gone */
    uint32_t quarry;                   /* id of the agent that was caught */
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
    EVENT_HAS_SCENARIO = 1048576,
    EVENT_HAS_SAVE = 2097152,
    EVENT_HAS_SEQ = 4194304,
    EVENT_HAS_LOSS = 8388608,
    EVENT_HAS_FILE = 16777216,
    EVENT_HAS_REASON = 33554432,
    EVENT_HAS_SPEED = 134217728,
    EVENT_HAS_AGENTS = 67108864, /* agents, and agent_count of them */
};

/** The events that a subscription can be limited to, ended by NULL: all but those that concern one session alone. */
extern const char *const message_event_names[];
/** The bit of an event in a set of them; 0 for one that always comes. */
uint64_t message_event_bit(const char *name);
/** The set of the names in a text, with a blank between them; every event for "". */
uint64_t message_event_set(const char *names);

/** Appends the line. Failure is out->failed. */
void message_write_event(const struct message_event *event, struct buffer *out);
/** Out of its line. 0, or -1 with *failure. */
NODISCARD int message_event_read(const cJSON *json, struct message_event *event, struct failure *failure);

#endif
