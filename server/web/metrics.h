/* The answer to /metrics: what `stats` says, as counters, gauges and histograms that many servers' can be added up of.
 *
 * At most METRICS_SERIES lines of samples, METRICS_KINDS of them for the kinds of the scenario; in a cluster a few more
 * for each of at most RANK_TABLE_ROWS ranks (rank_metrics.h). No label comes from a client: labels are kinds, phases,
 * roles, causes, ranks.
 */
#ifndef DROVER_SERVER_WEB_METRICS_H
#define DROVER_SERVER_WEB_METRICS_H

#include "common/base/buffer.h"
#include "server/loop/loop_context.h"
#include "server/web/metrics_text.h"

enum { METRICS_SERIES = 70, METRICS_KINDS = 5, METRICS_BYTES = 64 * 1024 };

/** Appends the text. On the loop. Failure is out->failed. */
void metrics_write(const struct loop_context *loop, enum metrics_form form, struct buffer *out);

#endif
