/* What hello and stats say of a world that comes out of a recording: how far the server has got with continuing
 * it, or what it plays. Left out of both while there is nothing to say.
 */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_PLAYBACK_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_PLAYBACK_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"

/** Worlds of a recording whose spans are named; those beyond are only counted. */
enum { MESSAGE_REPLAY_SPANS = 64 };

/** The ticks of a world of the recording. */
struct message_replay_span {
    uint64_t first, last;
};

/** The recording that is played. */
struct message_replay {
    uint32_t world, worlds;     /* the number of the world that plays, from 1; how many there are */
    uint64_t tick, first, last; /* of that world: now, at its start, at its end in the recording */
    double speed;               /* 1: as it was; 0: as fast as it goes */
    bool has_diverged;          /* a hash was not the recorded one, at diverged_tick of diverged_world */
    uint32_t diverged_world;
    uint64_t diverged_tick;
    bool is_seeking; /* a request seek is under way: */
    double sought;   /* the share of its ticks that is done */
    int span_count;
    struct message_replay_span spans[MESSAGE_REPLAY_SPANS];
};

struct message_playback {
    bool is_resuming;  /* the world is brought to where the server before stopped: */
    double resumed;    /* the share of the ticks that is done */
    bool has_left_out; /* the server began before the end of the journal: */
    uint64_t left_out_ticks, left_out_requests;
    bool has_replay; /* a recording is played */
    struct message_replay replay;
};

/** Writes the members "resuming", "left_out" and "replay" into an open object, as far as they apply. */
void message_playback_write(const struct message_playback *playback, struct json_writer *json);
/** Reads them out of a line. 0, or -1 with *failure. */
NODISCARD int message_playback_read(const cJSON *json, struct message_playback *playback,
                                    struct failure *failure);

#endif
