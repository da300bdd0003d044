/* See rate_limit.h. */
#include "server/net/rate_limit.h"

#include <assert.h>

static const double burst_seconds = 2.0;

void rate_limit_init(struct rate_limit *limit, double rate, uint64_t now_ms) {
    assert(rate >= 0.0);
    *limit = (struct rate_limit){.rate = rate, .tokens = rate * burst_seconds, .filled_ms = now_ms};
}

void rate_limit_fill(struct rate_limit *limit, uint64_t now_ms) {
    const double most = limit->rate * burst_seconds;
    assert(now_ms >= limit->filled_ms); /* the clock goes one way */
    limit->tokens += limit->rate * (double)(now_ms - limit->filled_ms) * 1e-3;
    limit->filled_ms = now_ms;
    if (limit->tokens > most) {
        limit->tokens = most;
    }
    if (limit->tokens >= most / 2.0) {
        limit->is_held = false;
    }
}

void rate_limit_take(struct rate_limit *limit, double tokens) {
    const double most = limit->rate * burst_seconds;
    assert(tokens >= 0.0);
    if (limit->rate > 0.0 && limit->filled_ms >= limit->free_until_ms) {
        limit->tokens = limit->tokens - tokens > -most ? limit->tokens - tokens : -most;
    }
}

void rate_limit_forgive(struct rate_limit *limit, uint64_t now_ms) {
    limit->tokens = limit->rate * burst_seconds;
    limit->is_held = false;
    limit->free_until_ms = now_ms + RATE_LIMIT_FREE_MS;
}

bool rate_limit_allows(const struct rate_limit *limit) {
    return limit->rate <= 0.0 || limit->tokens >= 1.0;
}

void rate_limit_hold(struct rate_limit *limit, uint64_t now_ms) {
    if (!limit->is_held) {
        limit->is_held = true;
        limit->held_ms = now_ms;
    }
}

bool rate_limit_report(struct rate_limit *limit, uint64_t now_ms) {
    if (!limit->is_held || (limit->was_reported && now_ms - limit->reported_ms < RATE_LIMIT_REPORT_MS)) {
        return false;
    }
    limit->was_reported = true;
    limit->reported_ms = now_ms;
    return true;
}

uint64_t rate_limit_held_for_ms(const struct rate_limit *limit, uint64_t now_ms) {
    return limit->is_held ? now_ms - limit->held_ms : 0;
}
