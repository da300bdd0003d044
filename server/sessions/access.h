/* Access by token: the tokens of a file, and the role that each gives.
 *
 * A line of the file is `ROLE TOKEN [NAME]`; empty lines and lines that start with # are skipped. ROLE is
 * viewer, operator or admin; a TOKEN has 8 to LIMIT_TOKEN_CHARS printable ASCII characters without blanks;
 * NAME (person_name.h) is the name of the session that shows the token, whatever name its hello gives.
 *
 * 1. A file that users other than its owner may read or write is refused.
 * 2. A token is compared with every entry in full, so the time does not reveal how much of it was right.
 * 3. No token is ever logged, shown in a failure, or sent.
 */
#ifndef DROVER_SERVER_SESSIONS_ACCESS_H
#define DROVER_SERVER_SESSIONS_ACCESS_H

#include <stdbool.h>

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

#endif
