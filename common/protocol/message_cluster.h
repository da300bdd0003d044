/* What the reply to `stats` says of the ranks of a cluster. A client reads it; the server writes it
 * (server/sessions/statistics.h).
 */
#ifndef DROVER_COMMON_PROTOCOL_MESSAGE_CLUSTER_H
#define DROVER_COMMON_PROTOCOL_MESSAGE_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"

enum { MESSAGE_RANKS = 64 };

/** A rank; times are of a tick. */
struct message_rank {
    uint32_t rank;
    char host[64];
    double work_ms, work_p99_ms, wait_ms, wait_p99_ms; /* the means and 99th percentiles of the last second */
    uint64_t agents, ghosts, migrants;
    bool has_rows; /* stripes: */
    uint32_t row, row_end;
};

struct message_cluster {
    char mode[8];     /* "copy", "stripes" */
    uint32_t count;   /* of the ranks, which may be more than are listed */
    uint32_t longest; /* the number of the rank with the most work */
    double balance;   /* mean work / that of the longest rank */
    uint64_t agents, ghosts, migrants;
    double migrants_hz; /* a second */
    int rank_count;
    struct message_rank ranks[MESSAGE_RANKS];
};

/** Reads the member "cluster" of a line into *cluster, which is the caller's to free; NULL when there is none.
 * 0; or -1 with *failure, and *cluster NULL. */
NODISCARD int message_cluster_read(const cJSON *json, struct message_cluster **cluster,
                                   struct failure *failure);

#endif
