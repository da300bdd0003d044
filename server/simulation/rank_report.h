/* How the ranks of a cluster keep up: what a rank measures in its ticks, what it sends rank 0 once a second, and the table
 * that rank 0 makes of it for `stats`. Pure.
 *
 * A tick's *work* is the time that it takes without the functions of its exchange; these are its *wait*: data on its way,
 * and slower ranks. Waiting for rank 0 between ticks is neither. The *longest* rank is the one with the most work: the
 * others wait for it.
 */
#ifndef DROVER_SERVER_SIMULATION_RANK_REPORT_H
#define DROVER_SERVER_SIMULATION_RANK_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "server/sim/math/exchange.h"

enum { RANK_HOST_CHARS = 63, RANK_METER_TICKS = 1024, RANK_TABLE_ROWS = 64 };

/** ms a tick. */
struct rank_times {
    double mean_ms, p99_ms;
};

/** What a rank sends: numbers alone, which may be sent as the bytes that they are, since all ranks run one program. */
struct rank_report {
    struct rank_times work, wait; /* of the ticks since the report before; 0 before the first tick */
    uint64_t agents, ghosts;      /* its own; those of other ranks that it sees */
    uint64_t migrants;            /* agents that came to it since the world was put in */
    uint64_t migrants_before;     /* to it in the worlds before */
    uint64_t sorts; /* ticks that sorted its agents, in which agents change ranks; since then, too */
    int32_t rank;
    int32_t row, row_end;           /* stripes: its rows of cells, [row, row_end); copy: both 0 */
    char host[RANK_HOST_CHARS + 1]; /* the name of its machine */
};

/** The times of a rank's ticks since its last report; of more than RANK_METER_TICKS the newest. Zeroed to begin with. */
struct rank_meter {
    uint64_t count;
    float work_us[RANK_METER_TICKS], wait_us[RANK_METER_TICKS];
};

/** All ranks, as of their last reports. Zeroed: no cluster. */
struct rank_table {
    int ranks; /* 0: the world is in one process */
    enum exchange_mode mode;
    uint64_t agents, ghosts, migrants; /* sums over all ranks */
    uint64_t sorts;                    /* as of rank 0: all ranks sort in the same ticks */
    double migrants_hz;                /* migrants a second since the reports before */
    uint64_t reported_ns;              /* when that was, on the caller's clock */
    int longest;                       /* a rank */
    double balance;                    /* mean work / the longest rank's work; 1 before the first tick */
    int row_count;                     /* ascending by rank; where there are more ranks than rows, */
    struct rank_report rows[RANK_TABLE_ROWS]; /* the first ones, and the longest in the last row */
};

void rank_meter_add(struct rank_meter *meter, uint64_t work_ns, uint64_t wait_ns);
/** Sets work and wait, and starts a new span. Without a tick they stay as they are: a world that is paused keeps its figures. */
void rank_meter_report(struct rank_meter *meter, struct rank_report *report);

/** Agents that came to a rank since its world was put in; fewer than in the report before, or is_new: it is another world. */
void rank_report_set_migrants(struct rank_report *report, uint64_t migrants, bool is_new);

/** Takes in the reports of all ranks: reports[r] is rank r's. count: at least 1. now_ns: any clock that does not go back. */
void rank_table_fill(struct rank_table *table, enum exchange_mode mode, const struct rank_report *reports,
                     int count, uint64_t now_ns);

#endif
