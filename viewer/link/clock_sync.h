/* The picture's time on the server's clock: a little behind the newest snapshot, so that the picture almost
 * always lies between two snapshots. Pure: time comes in as numbers.
 *
 * For each snapshot the offset o = client clock at arrival - server clock in the snapshot. Over the last 5 s
 * the smallest offset is the fastest the network can do; the 95th percentile above it is the jitter. The
 * picture's clock runs at client clock - smallest offset - delay,    delay -> period + jitter + 4 ms and is
 * steered there by changing its rate by at most 8 %. Invariants: 1. advancing never moves the time backwards,
 * unless it counts a resync. 2. Error beyond 500 ms: one jump, counted. 3. Bounded memory.
 */
#ifndef DROVER_VIEWER_LINK_CLOCK_SYNC_H
#define DROVER_VIEWER_LINK_CLOCK_SYNC_H

#include <stdbool.h>
#include <stdint.h>

enum { CLOCK_SYNC_SAMPLES = 512, CLOCK_SYNC_WINDOW_MS = 5000 };

struct clock_sync_sample {
    double client_ms, server_ms;
};

struct clock_sync {
    struct clock_sync_sample samples[CLOCK_SYNC_SAMPLES]; /* a ring, oldest at begin */
    int begin, count;
    double min_offset_ms, jitter_ms, period_ms;
    double delay_ms;
    double period_limit_ms;           /* the longest gap that the delay waits for */
    double render_ms, last_client_ms; /* once is_running */
    bool is_running;
    uint32_t resyncs;
};

/** period_ms: how far apart snapshots are expected before any came. */
void clock_sync_init(struct clock_sync *sync, double period_ms);
/** The picture need not wait for snapshots that are further apart than this, because their agents can be moved on from
 * one to the next: those of a slow world, with one tick between. At first a second. */
void clock_sync_limit_period(struct clock_sync *sync, double limit_ms);
/** A snapshot arrived. Times of arrival never fall. is_live: it was sent as its tick ended; one that was not
 * (a paused world sends its last tick again) says nothing about the network unless it came faster than any
 * other. */
void clock_sync_add(struct clock_sync *sync, double server_ms, double client_ms, bool is_live);
/** The server time to draw at, for a frame drawn now. 0 before the first snapshot. */
double clock_sync_advance(struct clock_sync *sync, double client_ms);

#endif
