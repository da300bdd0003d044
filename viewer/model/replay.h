/* Time out of a recording: its line, the speeds of time, and the names of saved worlds. Pure. */
#ifndef DROVER_VIEWER_MODEL_REPLAY_H
#define DROVER_VIEWER_MODEL_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/limits.h"
#include "common/protocol/message.h"

/* A recording that the server plays, as a line: ticks as places on it and as times, and the seeks that its handle asks
 * for. Pure. */

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

/* Names and ages of saved worlds. Pure. */

/** A name to save a world under: "flock-3600", the scenario and the tick; with "-2", "-3" ... when it is taken. out has
 * LIMIT_NAME_CHARS + 1 bytes.
 *
 * is_taken: whether a save of this name exists; context is handed to it */
void save_name_propose(const char *scenario, uint64_t tick,
                       bool (*is_taken)(const void *context, const char *name), const void *context,
                       char *out);

/** A letter as a name has it: letters, digits, _ and - stay, a blank becomes -, of others comes '\0'. */
char save_name_letter(char letter);

/** How long ago a world was saved: "just now", "5 min ago", "3 h ago", "12 days ago"; "" when the server's words are no
 * time. saved: "2026-11-21T19:00:00Z"; now_s: seconds since 1970. */
void save_age_format(const char *saved, int64_t now_s, char *out, size_t size);

/* Speeds of the world's time as keys and the slider choose them: times its own rate, 0 as fast as it goes. Pure. */

#ifdef __cplusplus
extern "C" {
#endif

enum { SPEEDS_TEXT = 16 };

/** The ends of the slider and of the keys. */
#define SPEEDS_LEAST 0.05
#define SPEEDS_MOST  16.0

/** The next speed above (or below) this one: 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16; the last of them stays. */
double speeds_next(double speed, bool is_faster);
/** What a place of the slider means: 1 from 0.84 to 1.19, else two digits. */
double speeds_snap(double speed);
/** "0.25x", "8x", "37x": at most two decimals, from ten on none. */
void speeds_format(double speed, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
