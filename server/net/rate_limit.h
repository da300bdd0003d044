/* The rate limit of a session that does not wait for answers: a bucket of tokens. Pure: the time is an
 * argument.
 *
 * 1. The bucket holds at most two seconds' worth and fills at `rate` tokens a second; a request takes one, a part of
 * one, or several. While it holds less than one, the session is held back: its lines wait, nothing is lost.
 * 2. A session that was held back counts as held until the bucket is half full again, so one that floods all
 * the time is held all the time, however its bytes happen to arrive.
 * 3. Once forgiven, it is full, and nothing is taken for RATE_LIMIT_FREE_MS.
 */
#ifndef DROVER_SERVER_NET_RATE_LIMIT_H
#define DROVER_SERVER_NET_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

enum { RATE_LIMIT_REPORT_MS = 1000, RATE_LIMIT_FREE_MS = 1000 };

struct rate_limit {
    double rate; /* tokens a second; 0: no limit */
    double tokens;
    uint64_t filled_ms;
    bool is_held, was_reported;
    uint64_t held_ms, reported_ms; /* since when it is held; when that was last reported */
    uint64_t free_until_ms;        /* nothing is taken before */
};

/** A full bucket. rate: tokens a second, 0 for no limit. */
void rate_limit_init(struct rate_limit *limit, double rate, uint64_t now_ms);
/** Adds the tokens of the time since the last call. */
void rate_limit_fill(struct rate_limit *limit, uint64_t now_ms);
/** Takes tokens; the bucket may go below zero, by as much as it holds when it is full. */
void rate_limit_take(struct rate_limit *limit, double tokens);
/** The client has shown that it waits for answers: the bucket is full again, see 3. */
void rate_limit_forgive(struct rate_limit *limit, uint64_t now_ms);
/** Whether a request may be handled now. */
bool rate_limit_allows(const struct rate_limit *limit);
/** A request waits because of the limit. */
void rate_limit_hold(struct rate_limit *limit, uint64_t now_ms);
/** Whether a report that the session is held back is due: at most one each RATE_LIMIT_REPORT_MS. */
bool rate_limit_report(struct rate_limit *limit, uint64_t now_ms);
/** How long it has been held without a pause, 0 when it is not. */
uint64_t rate_limit_held_for_ms(const struct rate_limit *limit, uint64_t now_ms);

#endif
