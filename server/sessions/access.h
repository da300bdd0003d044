/* Access by token: the tokens of a file, and the role that each gives.
 *
 * A line of the file is `ROLE TOKEN [NAME]`; empty lines and lines that start with # are skipped. ROLE is
 * viewer, operator or admin; a TOKEN has 8 to LIMIT_TOKEN_CHARS printable ASCII characters without blanks;
 * NAME (names.h) is the name of the session that shows the token, whatever name its hello gives.
 *
 * 1. A file that users other than its owner may read or write is refused.
 * 2. A token is compared with every entry in full, so the time does not reveal how much of it was right.
 * 3. No token is ever logged, shown in a failure, or sent.
 */
#ifndef DROVER_SERVER_SESSIONS_ACCESS_H
#define DROVER_SERVER_SESSIONS_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/protocol/request.h"

enum { ACCESS_TOKEN_LEAST = 8, ACCESS_ENTRIES = 1024 };

struct access_entry {
    enum role role;
    char token[LIMIT_TOKEN_CHARS + 1]; /* padded with NULs */
    char name[LIMIT_PERSON_BYTES + 1]; /* "" when the file gives none */
};

struct access {
    bool needs_token; /* false: every client is admin */
    int count;
    struct access_entry *entries; /* owned */
};

/** Access without tokens. */
struct access access_open(void);
/** Reads the file. 0, or -1 with *failure, which names the file and the line. *out is owned by the caller
 * only after success. */
NODISCARD int access_load(const char *path, struct access *out, struct failure *failure);
/** Frees the entries; access is as after access_open. */
void access_fini(struct access *access);
/** The entry of this token, or NULL. */
const struct access_entry *access_find(const struct access *access, const char *token);

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
