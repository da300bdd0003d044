/* The rule of a slow link: frames get sparse before they get old. Pure: the time comes in as a number.
 *
 * A ping waits behind the frames that lie on the way, in the buffers of routers and proxies, where no server sees them: its trip
 * tells how old they come.  lag = trip - shortest trip of this connection.
 *
 * 1. lag > 300 ms: late. As good as no frames are asked for, until a ping has a lag below 150 ms: the way is empty again.
 * 2. Meanwhile the link was full, so what came is what it carries. 0.7 of that is asked for from then on, PACE_LEAST_HZ at least; as much as before
 *    when no frame came, which says nothing.
 * 3. As long as every lag is below 150 ms, a quarter more is asked for: after 3 s, or after 30 s where that is nearly what the
 *    link carried when frames were late. Up to what the caller wishes.
 *
 * Where the link needs long for a single frame, half of that comes on top of the first limit, and all of it on top of the second.
 * The Python client has the same rule, clients/python/drover/pace.py.
 */
#ifndef DROVER_CLIENTS_C_PACE_H
#define DROVER_CLIENTS_C_PACE_H

#include <stdbool.h>

#define PACE_LATE_HZ  0.1 /* while frames are late */
#define PACE_LEAST_HZ 0.5
enum { PACE_LATE_MS = 300, PACE_CALM_MS = 150, PACE_RISE_MS = 3000, PACE_DARE_MS = 30000 };

struct pace {
    double limit_hz; /* HUGE_VAL: none */
    double least_ms; /* the shortest trip; HUGE_VAL before the first */
    double frame_ms; /* how long the link takes for one, as it was measured; 0: not yet */
    double late_hz;  /* what is too much, as far as is known; HUGE_VAL: nothing, since more was dared */
    double since_ms; /* late: since when; else since when it has been calm at this rate */
    unsigned frames; /* that came since then */
    bool is_late;
};

/** A connection begins. */
void pace_init(struct pace *pace);
/** A frame came. */
void pace_frame(struct pace *pace);
/** What a ping tells. wish_hz: of the subscription; trip_ms: how long it took, or has taken so far; is_back: it was answered. */
void pace_ping(struct pace *pace, double wish_hz, double now_ms, double trip_ms, bool is_back);
/** Frames a second to ask for. */
double pace_hz(const struct pace *pace, double wish_hz);

#endif
