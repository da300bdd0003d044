/* See rank_rules.h. */
#include "server/cluster/rank_rules.h"

#include <assert.h>
#include <string.h>

#include "server/sim/math/exchange.h"

/* Of the span: where all wait and one has not used its processor for so long, it is not known yet whether it hangs. */
enum { STILL_SHARE = 4 };

/* ---- borders ---- */

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

/* ---- which rank holds up all others ---- */

void rank_pulse_take(struct rank_pulse *pulse, const struct rank_beat *beat, uint64_t now_ns) {
    const bool has_stepped = !pulse->is_heard || beat->steps != pulse->beat.steps;
    pulse->heard_ns = now_ns;
    if (has_stepped) {
        pulse->stepped_ns = now_ns;
    }
    if (has_stepped || beat->processor_ns != pulse->beat.processor_ns) {
        pulse->moved_ns = now_ns;
    }
    pulse->is_heard = true;
    pulse->beat = *beat;
}

/* The rank that has been doing this for longest, without a step since before the moment; -1: none. */
static int find(const struct rank_pulse *pulses, int count, enum rank_doing doing, uint64_t before_ns) {
    int found = -1;
    for (int r = 0; r < count; r++) {
        const struct rank_pulse *pulse = &pulses[r];
        if (pulse->is_heard && pulse->beat.doing == (uint32_t)doing && pulse->stepped_ns <= before_ns &&
            (found < 0 || pulse->stepped_ns < pulses[found].stepped_ns)) {
            found = r;
        }
    }
    return found;
}

/* A rank that has not used its processor since before the moment, though it waits, which takes some, or others wait. */
static int find_still(const struct rank_pulse *pulses, int count, bool others_wait, uint64_t before_ns) {
    for (int r = 0; r < count; r++) {
        if (pulses[r].is_heard && pulses[r].moved_ns <= before_ns &&
            (others_wait || pulses[r].beat.doing != RANK_WORKS)) {
            return r;
        }
    }
    return -1;
}

static int find_silent(const struct rank_pulse *pulses, int count, uint64_t before_ns) {
    for (int r = 0; r < count; r++) {
        if (pulses[r].is_heard && pulses[r].heard_ns <= before_ns) {
            return r;
        }
    }
    return -1;
}

static bool has_step_since(const struct rank_pulse *pulses, int count, uint64_t before_ns) {
    for (int r = 0; r < count; r++) {
        if (pulses[r].is_heard && pulses[r].stepped_ns > before_ns) {
            return true;
        }
    }
    return false;
}

enum rank_verdict rank_watch_judge(const struct rank_pulse *pulses, int count, uint64_t now_ns,
                                   uint64_t span_ns, int *rank) {
    const uint64_t before_ns = now_ns > span_ns ? now_ns - span_ns : 0;
    *rank = find_silent(pulses, count, before_ns);
    if (*rank >= 0) {
        return RANK_IS_SILENT;
    }
    const int waiting = find(pulses, count, RANK_WAITS, before_ns);
    *rank = find_still(pulses, count, waiting >= 0, before_ns);
    if (*rank >= 0) {
        return RANK_HANGS;
    }
    if (waiting < 0) {
        return RANK_IS_FINE;
    }
    *rank = find(pulses, count, RANK_WORKS, before_ns);
    if (*rank >= 0) {
        return RANK_IS_SLOW;
    }
    *rank = waiting;
    return has_step_since(pulses, count, before_ns) ||
                   find_still(pulses, count, true, before_ns + span_ns - span_ns / STILL_SHARE) >= 0
               ? RANK_IS_FINE
               : RANK_IS_STUCK;
}
