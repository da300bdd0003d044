/* A recording that the server plays, as a line: ticks as places on it and as times, and the seeks that its handle asks
 * for. Pure. */
#ifndef DROVER_VIEWER_MODEL_REPLAY_LINE_H
#define DROVER_VIEWER_MODEL_REPLAY_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/message_playback.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A tick of a world of the recording; worlds count from 1. */
struct replay_moment {
    uint32_t world;
    uint64_t tick;
};

/** The worlds of the recording one after the other, or, when their ticks are not known, the one that plays. */
struct replay_line {
    double tick_hz; /* > 0 */
    uint32_t first_world;
    int count; /* of the worlds, at least 1 */
    struct message_replay_span spans[MESSAGE_REPLAY_SPANS];
};

/** Out of what the server said. */
struct replay_line replay_line_of(const struct message_replay *replay, double tick_hz);
/** The number of ticks on the line, without the one it begins with. */
uint64_t replay_line_ticks(const struct replay_line *line);
/** How many ticks after the beginning of the line a moment lies; moments beyond an end of their world are at it. */
uint64_t replay_line_offset(const struct replay_line *line, const struct replay_moment *moment);
/** The moment so many ticks after the beginning, or the end of the line. */
struct replay_moment replay_line_at(const struct replay_line *line, uint64_t offset);
/** Where a moment lies, 0 (the beginning) to 1 (the end). */
double replay_line_share(const struct replay_line *line, const struct replay_moment *moment);
/** The moment at a place; places beyond an end are at it. */
struct replay_moment replay_line_moment(const struct replay_line *line, double share);
/** The last tick of the world that a moment is of; the moment itself when its world is not on the line. */
struct replay_moment replay_line_world_end(const struct replay_line *line,
                                           const struct replay_moment *moment);
/** So many ticks later (or earlier), within the line. */
struct replay_moment replay_line_move(const struct replay_line *line, const struct replay_moment *moment,
                                      int64_t by);
/** A number of ticks as a time: "1:23", from an hour on "1:02:03"; on a line of less than a minute with tenths,
 * "0:07.5". */
void replay_line_time(const struct replay_line *line, uint64_t ticks, char *out, size_t size);

enum { SEEKER_GAP_MS = 200, SEEKER_PATIENCE_MS = 5000 };

/** Seeks are sent at most five a second, and one at a time: of several wishes the newest is sent. Zeroed memory is one
 * without a wish. */
struct seeker {
    bool has_wish, is_waiting; /* a seek is to be sent; one was sent and not answered yet */
    struct replay_moment wish; /* the newest, sent or not */
    double sent_ms;
};

void seeker_want(struct seeker *seeker, const struct replay_moment *wish);
/** The seek was answered, by a reply or an error. */
void seeker_answer(struct seeker *seeker);
/** Whether the wish is to be sent now; then it counts as sent. An answer that stays away holds it up for
 * SEEKER_PATIENCE_MS. */
bool seeker_sends(struct seeker *seeker, double now_ms);
/** Whether a seek is still to be sent or answered. */
bool seeker_is_busy(const struct seeker *seeker);

#ifdef __cplusplus
}
#endif

#endif
