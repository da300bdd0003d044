/* The system's limit of open files, and what of it is left to clients: the server's own files come first. */
#ifndef DROVER_SERVER_SESSIONS_DESCRIPTOR_LIMIT_H
#define DROVER_SERVER_SESSIONS_DESCRIPTOR_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"

/** Open files that no client can take, beside those that were open at the start: of the loop, the log, the journal and its
 * checkpoints, recordings, saves, scenarios, and of a connection that is refused. */
enum { DESCRIPTOR_LIMIT_OWN = 40 };

/** How many descriptors each may have. */
struct descriptor_room {
    uint32_t sessions; /* --max-clients, or fewer */
    uint32_t
        byes; /* connections beyond these that wait until they have read the bye; others are refused at once */
    uint32_t web; /* connections of the door for browsers */
};

/** Raises the soft limit (ulimit -n), up to the hard one, to what so many clients need, and divides what there is. Logs
 * when not all of them fit. 0, or -1 with *failure (busy): not even the server's own files fit. */
NODISCARD int descriptor_limit_divide(uint32_t clients, bool has_web, struct descriptor_room *room,
                                      struct failure *failure);

#endif
