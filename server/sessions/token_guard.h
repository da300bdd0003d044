/* Wrong tokens cost time: how long the answer to one waits, by the address that it came from.
 *
 * 1. The first LIMIT_TOKEN_FREE wrong tokens of an address are answered at once. Each further one is answered
 * a second after the one before it at the earliest, whatever the number of sessions it comes from. Right
 * tokens are never delayed and never refused, because an attacker may share the address of an honest client.
 * 2. An address is a whole IPv4 address, or the first 64 bits of an IPv6 address: one household has that many.
 * 3. An address is forgotten when no wrong token came from it for TOKEN_GUARD_FORGET_MS. At most
 * TOKEN_GUARD_ROWS are known; a further one replaces the one whose last wrong token is the oldest.
 *
 * Pure: the time is an argument.
 */
#ifndef DROVER_SERVER_SESSIONS_TOKEN_GUARD_H
#define DROVER_SERVER_SESSIONS_TOKEN_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/limits.h"

enum {
    TOKEN_GUARD_ROWS = 256,
    TOKEN_GUARD_EACH_MS = 1000,
    TOKEN_GUARD_MOST_MS = 10000, /* no answer waits longer: a session without a role is closed by then */
    TOKEN_GUARD_FORGET_MS = 600000,
    TOKEN_GUARD_REPORT_MS = 1000,
    TOKEN_GUARD_NETWORK = 9, /* bytes: the family, and 64 bits at most */
};

/** Zeroed it is empty. */
struct token_guard {
    struct {
        uint8_t network[TOKEN_GUARD_NETWORK];
        uint32_t wrong;    /* tokens, 0 for a row that is free */
        uint64_t heard_ms; /* of the last one */
        uint64_t next_ms;  /* when the last one may be answered */
    } rows[TOKEN_GUARD_ROWS];
    uint32_t unreported; /* wrong tokens that were not logged yet */
    uint64_t reported_ms;
};

/** A wrong token came from the numeric address. Returns when it may be answered: now_ms, or later. */
uint64_t token_guard_wrong(struct token_guard *guard, const char *address, uint64_t now_ms);
/** Whether so many wrong tokens of the address wait for their answers that a further one would wait the longest time: its
 * peer is to be refused without a look at its token, so that few of its connections wait. */
bool token_guard_is_full(const struct token_guard *guard, const char *address, uint64_t now_ms);
/** How many wrong tokens came since it was last asked; 0 when there are none, and within TOKEN_GUARD_REPORT_MS
 * of the last answer. */
uint32_t token_guard_report(struct token_guard *guard, uint64_t now_ms);

#endif
