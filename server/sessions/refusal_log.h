/* Refused sessions: how many there were, by cause, and how often the log says so.
 *
 * A client that comes again and again must not fill the disk: the first refusal of a cause is logged in full, others
 * within REFUSAL_LOG_MS of it are counted, and one line says how many they were.
 *
 * Pure: the time is an argument.
 */
#ifndef DROVER_SERVER_SESSIONS_REFUSAL_LOG_H
#define DROVER_SERVER_SESSIONS_REFUSAL_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum { REFUSAL_LOG_MS = 1000 };

/** Why the server ends a session that would stay. */
enum refusal_cause {
    REFUSAL_FULL,     /* too many sessions */
    REFUSAL_AUTH,     /* no token, or wrong ones */
    REFUSAL_PROTOCOL, /* unreadable lines, or another protocol */
    REFUSAL_RATE,     /* more requests than are allowed */
    REFUSAL_SLOW,     /* it reads nothing */
    REFUSAL_COUNT
};

/** Zeroed it is empty. */
struct refusal_log {
    struct {
        uint64_t count;     /* ever */
        uint64_t left_out;  /* not logged yet */
        uint64_t logged_ms; /* the last line; with count > 0 */
    } causes[REFUSAL_COUNT];
};

/** The word for a cause, as in bye: "full", "auth", "protocol", "rate", "slow". */
const char *refusal_name(enum refusal_cause cause);
/** Whether the reason of a bye is a refusal, and which. */
bool refusal_find(const char *reason, enum refusal_cause *cause);
/** Counts a refusal. Returns whether it is to be logged. log: NULL to log every one. */
bool refusal_log_take(struct refusal_log *log, enum refusal_cause cause, uint64_t now_ms);
/** How many of a cause were counted without a line, when a line about them is due; 0: none is. */
uint64_t refusal_log_report(struct refusal_log *log, enum refusal_cause cause, uint64_t now_ms);
/** Refusals of a cause so far. */
uint64_t refusal_log_count(const struct refusal_log *log, enum refusal_cause cause);

#endif
