/* The part of /metrics about the ranks of a cluster. Pure. */
#ifndef DROVER_SERVER_WEB_RANK_METRICS_H
#define DROVER_SERVER_WEB_RANK_METRICS_H

#include "server/simulation/rank_report.h"
#include "server/web/metrics_text.h"

enum { RANK_METRICS_SERIES = 5 }; /* for each row of the table */

/** Appends the families; nothing without a cluster. */
void rank_metrics_write(struct metrics_text *text, const struct rank_table *table);

#endif
