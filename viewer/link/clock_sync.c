/* See clock_sync.h. */
#include "viewer/link/clock_sync.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double delay_limit_ms = 350.0, slack_ms = 4.0, resync_ms = 500.0, max_rate_change = 0.08;
static const double longest_period_ms = 1000.0;

void clock_sync_init(struct clock_sync *sync, double period_ms) {
    memset(sync, 0, sizeof *sync);
    sync->period_ms = period_ms;
    sync->delay_ms = 1.5 * period_ms;
    sync->period_limit_ms = longest_period_ms;
}

void clock_sync_limit_period(struct clock_sync *sync, double limit_ms) {
    sync->period_limit_ms = fmin(limit_ms, longest_period_ms);
    sync->period_ms = fmin(sync->period_ms, sync->period_limit_ms);
}

static const struct clock_sync_sample *sample_at(const struct clock_sync *sync, int index) {
    return &sync->samples[(sync->begin + index) % CLOCK_SYNC_SAMPLES];
}

static int compare_doubles(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void measure_offsets(struct clock_sync *sync) {
    double offsets[CLOCK_SYNC_SAMPLES];
    for (int i = 0; i < sync->count; i++) {
        offsets[i] = sample_at(sync, i)->client_ms - sample_at(sync, i)->server_ms;
    }
    qsort(offsets, (size_t)sync->count, sizeof offsets[0], compare_doubles);
    sync->min_offset_ms = offsets[0];
    sync->jitter_ms = offsets[(sync->count - 1) * 95 / 100] - offsets[0];
}

static void measure_period(struct clock_sync *sync) {
    double gaps[CLOCK_SYNC_SAMPLES];
    int count = 0;
    for (int i = 1; i < sync->count; i++) {
        const double gap = sample_at(sync, i)->server_ms - sample_at(sync, i - 1)->server_ms;
        if (gap > 0.0) {
            gaps[count++] = gap;
        }
    }
    if (count == 0) {
        return; /* what was expected stands */
    }
    qsort(gaps, (size_t)count, sizeof gaps[0], compare_doubles);
    sync->period_ms = fmin(gaps[count / 2], sync->period_limit_ms);
}

/* Grows fast, since too little delay is seen at once; shrinks slowly, since a little too much is not seen. */
static void adapt_delay(struct clock_sync *sync) {
    const double wanted = fmin(sync->period_ms + sync->jitter_ms + slack_ms, delay_limit_ms);
    const double goal = fmax(wanted, 1.5 * sync->period_ms);
    const double share = goal > sync->delay_ms ? 0.20 : 0.01;
    sync->delay_ms += (goal - sync->delay_ms) * share;
}

void clock_sync_add(struct clock_sync *sync, double server_ms, double client_ms, bool is_live) {
    if (!is_live && sync->count > 0 && client_ms - server_ms >= sync->min_offset_ms) {
        return;
    }
    while (sync->count > 0 && (sync->count == CLOCK_SYNC_SAMPLES ||
                               client_ms - sample_at(sync, 0)->client_ms > CLOCK_SYNC_WINDOW_MS)) {
        sync->begin = (sync->begin + 1) % CLOCK_SYNC_SAMPLES;
        sync->count--;
    }
    sync->samples[(sync->begin + sync->count) % CLOCK_SYNC_SAMPLES] =
        (struct clock_sync_sample){client_ms, server_ms};
    sync->count++;
    measure_offsets(sync);
    measure_period(sync);
    adapt_delay(sync);
}

double clock_sync_advance(struct clock_sync *sync, double client_ms) {
    if (sync->count == 0) {
        return 0.0;
    }
    const double goal = client_ms - sync->min_offset_ms - sync->delay_ms;
    if (!sync->is_running) {
        sync->is_running = true;
        sync->render_ms = goal;
        sync->last_client_ms = client_ms;
        return goal;
    }
    const double passed = fmax(client_ms - sync->last_client_ms, 0.0);
    sync->last_client_ms = client_ms;
    const double error = goal - (sync->render_ms + passed);
    if (fabs(error) > resync_ms) {
        sync->render_ms = goal;
        sync->resyncs++;
        return goal;
    }
    const double rate = fmin(fmax(error * 2.0 / 1000.0, -max_rate_change), max_rate_change);
    sync->render_ms += passed * (1.0 + rate);
    return sync->render_ms;
}
