/* The message "event". */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_EVENT_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_EVENT_H

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
};

/** Appends the line. Failure is out->failed. */
void message_write_event(const struct message_event *event, struct buffer *out);
/** Out of its line. 0, or -1 with *failure. */
NODISCARD int message_event_read(const cJSON *json, struct message_event *event, struct failure *failure);

#endif
