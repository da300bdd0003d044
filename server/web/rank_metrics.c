/* See rank_metrics.h. */
#include "server/web/rank_metrics.h"

#include <stdio.h>

typedef double rank_value(const struct rank_report *report);

static double work_s(const struct rank_report *report) {
    return report->work.mean_ms * 1e-3;
}

static double wait_s(const struct rank_report *report) {
    return report->wait.mean_ms * 1e-3;
}

static double agents(const struct rank_report *report) {
    return (double)report->agents;
}

static double ghosts(const struct rank_report *report) {
    return (double)report->ghosts;
}

/* A counter never falls, whatever world is put in. */
static double migrants(const struct rank_report *report) {
    return (double)(report->migrants_before + report->migrants);
}

static const struct {
    enum metric_type type;
    const char *name, *help;
    rank_value *value;
} families[RANK_METRICS_SERIES] = {
    {METRIC_GAUGE, "drover_rank_work_seconds", "A rank's work in a tick: the mean of the last second.",
     work_s},
    {METRIC_GAUGE, "drover_rank_wait_seconds",
     "How long a rank waits for the others in a tick: the mean of the last second.", wait_s},
    {METRIC_GAUGE, "drover_rank_agents", "Agents that a rank steers.", agents},
    {METRIC_GAUGE, "drover_rank_ghosts", "Agents of other ranks that a rank sees.", ghosts},
    {METRIC_COUNTER, "drover_rank_migrants", "Agents that came to a rank from others.", migrants},
};

void rank_metrics_write(struct metrics_text *text, const struct rank_table *table) {
    for (int f = 0; table->ranks > 0 && f < RANK_METRICS_SERIES; f++) {
        metrics_family(text, families[f].type, families[f].name, families[f].help);
        for (int i = 0; i < table->row_count; i++) {
            char rank[16];
            (void)snprintf(rank, sizeof rank, "%d", (int)table->rows[i].rank);
            const struct metric_label labels[] = {{"rank", rank}, {NULL, NULL}};
            metrics_sample(text, labels, families[f].value(&table->rows[i]));
        }
    }
}
