/* The member `cluster` of the reply to `stats`: how the ranks keep up. Pure. */
#ifndef DROVER_SERVER_SESSIONS_RANK_STATISTICS_H
#define DROVER_SERVER_SESSIONS_RANK_STATISTICS_H

#include "common/json/json_writer.h"
#include "server/simulation/rank_report.h"

/** Adds the member to an open reply; nothing without a cluster. now_ns: of the clock of rank_table_fill. */
void rank_statistics_write(const struct rank_table *table, uint64_t now_ns, struct json_writer *json);

#endif
