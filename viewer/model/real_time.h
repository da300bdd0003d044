/* Ticks that are done, of those that are due at the speed of the world: 1 when a second of its time takes a second at
 * speed 1, 0.09 when the server needs eleven. Pure.
 *
 * Measured by what snapshots say themselves, simulated time against the server's clock: neither the network
 * nor snapshots that are skipped change it. Over the last 3 s, or, when snapshots are further apart, over the
 * last three. Known after 1 s and two of them. Pauses and the steps in them do not count; what was known
 * before a pause holds until more is.
 */
#ifndef DROVER_VIEWER_MODEL_REAL_TIME_H
#define DROVER_VIEWER_MODEL_REAL_TIME_H

#include <stdbool.h>

enum { REAL_TIME_SAMPLES = 64 };

struct real_time {
    double clocks_ms[REAL_TIME_SAMPLES], times_s[REAL_TIME_SAMPLES]; /* a ring, oldest at begin */
    int begin, count;
    double speed;    /* of the newest snapshot */
    double newest_s; /* the newest time that was seen, paused or not; < 0 before the first */
    double factor;   /* < 0: not known yet */
    double pace;     /* seconds of the world's time in a second; < 0: not known yet */
    bool is_behind;
};

/** Without measurements. */
void real_time_init(struct real_time *meter);
/** A snapshot of this world: its time and when the server was there. Time that falls: another world, nothing
 * is known. speed: of the world's time then; 0: nothing is due, so nothing is behind. At another speed than before
 * nothing is known. */
void real_time_add(struct real_time *meter, double time_s, double clock_ms, double speed, bool is_paused);
/** How fast the world goes, times its own rate, at any speed; < 0: not known yet. */
double real_time_pace(const struct real_time *meter);
/** The factor while the world is behind: below 0.95, and until it is above 0.97 again. Else -1. */
double real_time_behind(const struct real_time *meter);

#endif
