/* See refusal_log.h. */
#include "server/sessions/refusal_log.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const char *const names[REFUSAL_COUNT] = {[REFUSAL_FULL] = "full",
                                                 [REFUSAL_AUTH] = "auth",
                                                 [REFUSAL_PROTOCOL] = "protocol",
                                                 [REFUSAL_RATE] = "rate",
                                                 [REFUSAL_SLOW] = "slow"};

const char *refusal_name(enum refusal_cause cause) {
    assert(cause < REFUSAL_COUNT);
    return names[cause];
}

bool refusal_find(const char *reason, enum refusal_cause *cause) {
    for (int i = 0; i < REFUSAL_COUNT; i++) {
        if (strcmp(names[i], reason) == 0) {
            *cause = (enum refusal_cause)i;
            return true;
        }
    }
    return false;
}

bool refusal_log_take(struct refusal_log *log, enum refusal_cause cause, uint64_t now_ms) {
    assert(cause < REFUSAL_COUNT);
    if (log == NULL) {
        return true;
    }
    const bool is_first = log->causes[cause].count++ == 0;
    const bool is_due =
        log->causes[cause].left_out == 0 && now_ms - log->causes[cause].logged_ms >= REFUSAL_LOG_MS;
    if (is_first || is_due) {
        log->causes[cause].logged_ms = now_ms;
        return true;
    }
    log->causes[cause].left_out++;
    return false;
}

uint64_t refusal_log_report(struct refusal_log *log, enum refusal_cause cause, uint64_t now_ms) {
    assert(cause < REFUSAL_COUNT);
    const uint64_t left_out = log->causes[cause].left_out;
    if (left_out == 0 || now_ms - log->causes[cause].logged_ms < REFUSAL_LOG_MS) {
        return 0;
    }
    log->causes[cause].left_out = 0;
    log->causes[cause].logged_ms = now_ms;
    return left_out;
}

uint64_t refusal_log_count(const struct refusal_log *log, enum refusal_cause cause) {
    assert(cause < REFUSAL_COUNT);
    return log->causes[cause].count;
}
