/* See pace.h. */
#include "clients/c/pace.h"

#include <math.h>

static const double share = 0.7, growth = 1.25, nearly = 0.9, most_frame_ms = 500.0;

void pace_init(struct pace *pace) {
    *pace = (struct pace){.limit_hz = HUGE_VAL, .least_ms = HUGE_VAL, .late_hz = HUGE_VAL};
}

void pace_frame(struct pace *pace) {
    pace->frames++;
}

double pace_hz(const struct pace *pace, double wish_hz) {
    return fmin(wish_hz, pace->is_late ? PACE_LATE_HZ : pace->limit_hz);
}

static void set_limit(struct pace *pace, double wish_hz, double hz, double now_ms) {
    pace->limit_hz = hz >= wish_hz ? HUGE_VAL : fmax(round(hz * 100.0) / 100.0, PACE_LEAST_HZ);
    pace->since_ms = now_ms;
    pace->frames = 0;
}

static void fall(struct pace *pace, double wish_hz, double now_ms) {
    pace->late_hz = pace_hz(pace, wish_hz);
    pace->is_late = true;
    set_limit(pace, wish_hz, PACE_LEAST_HZ, now_ms);
}

static void settle(struct pace *pace, double wish_hz, double now_ms) {
    const double came_hz = pace->frames * 1000.0 / fmax(now_ms - pace->since_ms, 1.0);
    pace->is_late = false;
    if (pace->frames == 0) {
        set_limit(pace, wish_hz, pace->late_hz, now_ms);
        return;
    }
    pace->frame_ms = fmin(1000.0 / came_hz, most_frame_ms);
    pace->late_hz = fmin(pace->late_hz, came_hz);
    set_limit(pace, wish_hz, share * came_hz, now_ms);
}

static void rise(struct pace *pace, double wish_hz, double now_ms) {
    const double next_hz = growth * pace->limit_hz;
    const bool is_daring = next_hz >= nearly * pace->late_hz;
    if (now_ms - pace->since_ms >= (is_daring ? PACE_DARE_MS : PACE_RISE_MS)) {
        pace->late_hz = is_daring ? HUGE_VAL : pace->late_hz;
        set_limit(pace, wish_hz, next_hz, now_ms);
    }
}

void pace_ping(struct pace *pace, double wish_hz, double now_ms, double trip_ms, bool is_back) {
    pace->least_ms = is_back ? fmin(pace->least_ms, trip_ms) : pace->least_ms;
    const double lag_ms = pace->least_ms < HUGE_VAL ? trip_ms - pace->least_ms : trip_ms;
    const double calm_ms = PACE_CALM_MS + pace->frame_ms;
    if (!pace->is_late && lag_ms > PACE_LATE_MS + pace->frame_ms / 2.0) {
        fall(pace, wish_hz, now_ms);
    } else if (pace->is_late && is_back && lag_ms < calm_ms) {
        settle(pace, wish_hz, now_ms);
    } else if (!pace->is_late && lag_ms >= calm_ms) {
        pace->since_ms = now_ms;
    } else if (!pace->is_late && is_back && pace->limit_hz < HUGE_VAL) {
        rise(pace, wish_hz, now_ms);
    }
}
