/* What drover top shows: the numbers of two replies to `stats`, one after the other, and what changed between them. It shows
 * only what the server counts. Pure. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_STATS_VIEW_H
#define DROVER_CLIENTS_DROVER_LIVE_STATS_VIEW_H

#include "clients/c/include/drover/drover.h"
#include "clients/drover/live/text_table.h"

/** The counters of a reply, from which rates follow. */
struct stats_counts {
    bool is_there;
    double uptime; /* s */
    double ticks, commands, bytes_received, bytes_sent, frames_sent, frames_skipped;
};

/** The counters of a reply to stats. */
struct stats_counts stats_counts_of(const struct drover_message *reply);
/** Appends the tables. before: the counters of an earlier reply; when it is of another run of the server, or there is none,
 * the rates are left out. */
void stats_view(const struct drover_message *reply, const struct stats_counts *before, const char *address,
                const struct text_style *style, struct buffer *out);

#endif
