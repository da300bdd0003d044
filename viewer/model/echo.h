/* Measures the time from a motion of the mouse to a frame that shows the target there. Pure.
 *
 * Owns the newest places that were sent and the newest times that were measured.
 */
#ifndef DROVER_VIEWER_MODEL_ECHO_H
#define DROVER_VIEWER_MODEL_ECHO_H

#include "common/base/vec2.h"

enum { ECHO_SENT = 64, ECHO_TIMES = 256 };

struct echo_sent {
    vec2 point; /* px */
    double at_ms;
};

struct echo {
    struct echo_sent sent[ECHO_SENT]; /* oldest first; not answered yet */
    int sent_count;
    double times_ms[ECHO_TIMES]; /* a ring */
    int count;                   /* ever measured */
};

/** Zeroed memory is an empty echo as well. */
void echo_init(struct echo *echo);
/** The mouse's target was sent to this point, px of the world. */
void echo_note_sent(struct echo *echo, vec2 point, double now_ms);
/** The target is at this place in a frame that came now: what was sent there, or before, is answered. */
void echo_note_seen(struct echo *echo, vec2 point, double now_ms);
/** The median of the measured times; < 0 without one. */
double echo_median_ms(const struct echo *echo);

#endif
