/* Counts the requests of a recording by what they ask and by session. */
#ifndef DROVER_CLIENTS_DROVER_CENSUS_H
#define DROVER_CLIENTS_DROVER_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/protocol/request.h"
#include "server/storage/recording.h"

enum { CENSUS_SESSIONS = 1000 };

struct census_session {
    uint32_t by;
    char name[LIMIT_PERSON_BYTES + 1];
    uint64_t requests;
};

struct census {
    uint64_t lines; /* all whole lines */
    uint64_t ops[REQUEST_OP_COUNT];
    uint64_t unknown; /* requests that this version does not know */
    int session_count;
    struct census_session sessions[CENSUS_SESSIONS]; /* in the order in which they came */
    uint64_t more;                                   /* requests of further sessions */
};

/** malloc'd, the caller's; NULL with *failure. */
NODISCARD struct census *census_take(struct recording *recording, struct failure *failure);

#endif
