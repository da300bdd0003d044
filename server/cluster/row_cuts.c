/* See row_cuts.h. */
#include "server/cluster/row_cuts.h"

#include <assert.h>
#include <string.h>

#include "server/sim/math/exchange.h"

/* What the agents of each rank's rows cost: ns each. */
struct costs {
    double each[EXCHANGE_RANKS_MAX];
    int32_t former[EXCHANGE_RANKS_MAX + 1]; /* cuts */
    int ranks;
};

static uint64_t agents_between(const uint64_t *agents, int32_t row, int32_t end) {
    uint64_t count = 0;
    for (; row < end; row++) {
        count += agents[row];
    }
    return count;
}

/* Ranks that have no agents, or have not worked, get the mean of the others. */
static void fill_unknown(struct costs *costs) {
    double all = 0.0;
    int known = 0;
    for (int r = 0; r < costs->ranks; r++) {
        all += costs->each[r];
        known += costs->each[r] > 0.0 ? 1 : 0;
    }
    for (int r = 0; r < costs->ranks; r++) {
        costs->each[r] = known == 0 ? 1.0 : costs->each[r] > 0.0 ? costs->each[r] : all / known;
    }
}

static void measure(struct costs *costs, const uint64_t *works_ns, const uint64_t *agents) {
    for (int r = 0; r < costs->ranks; r++) {
        const uint64_t own = agents_between(agents, costs->former[r], costs->former[r + 1]);
        costs->each[r] = own == 0 ? 0.0 : (double)works_ns[r] / (double)own;
    }
    fill_unknown(costs);
}

/* All rows are the first rank's; an agent costs 1. */
static void begin_anew(struct costs *costs, int32_t rows) {
    costs->former[0] = 0;
    for (int r = 0; r < costs->ranks; r++) {
        costs->former[r + 1] = rows;
        costs->each[r] = 1.0;
    }
}

/* Of the agents in a row. *rank: that has the row before; becomes the one that has this row. */
static double cost_of_row(const struct costs *costs, const uint64_t *agents, int32_t row, int *rank) {
    while (*rank + 1 < costs->ranks && row >= costs->former[*rank + 1]) {
        ++*rank;
    }
    return costs->each[*rank] * (double)agents[row];
}

static double cost_of_all(const struct costs *costs, const uint64_t *agents, int32_t rows) {
    double all = 0.0;
    int rank = 0;
    for (int32_t row = 0; row < rows; row++) {
        all += cost_of_row(costs, agents, row, &rank);
    }
    return all;
}

/* Equal parts: a border is where less than half of the next row belongs to the rank before it. */
static void divide(const struct costs *costs, const uint64_t *agents, int32_t rows, int32_t *cut) {
    const double part = cost_of_all(costs, agents, rows) / costs->ranks;
    double before = 0.0;
    int rank = 0, next = 1;
    for (int32_t row = 0; row < rows; row++) {
        const double own = cost_of_row(costs, agents, row, &rank);
        while (next < costs->ranks && before + own / 2.0 > part * next) {
            cut[next++] = row;
        }
        before += own;
    }
    for (; next < costs->ranks; next++) {
        cut[next] = rows;
    }
}

void row_cuts_choose(const uint64_t *works_ns, int32_t rows, const uint64_t *agents, int ranks,
                     int32_t *cut) {
    struct costs costs = {.ranks = ranks};
    assert(ranks > 0 && ranks <= EXCHANGE_RANKS_MAX);
    if (works_ns == NULL) {
        begin_anew(&costs, rows);
    } else {
        memcpy(costs.former, cut, (size_t)(ranks + 1) * sizeof *cut);
        measure(&costs, works_ns, agents);
    }
    divide(&costs, agents, rows, cut);
    for (int r = 1; works_ns != NULL && r < ranks; r++) {
        cut[r] = costs.former[r] + (cut[r] - costs.former[r]) / 2;
    }
    cut[0] = 0;
    cut[ranks] = rows;
}
