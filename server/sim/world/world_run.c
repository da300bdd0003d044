/* See world_run.h. */
#include "server/sim/world/world_run.h"

#include <math.h>
#include <string.h>

#include "server/sim/world/world_internal.h"
#include "server/sim/world/world_stripes.h"

static struct world_run run_of(const struct world *world, int32_t begin, int32_t end) {
    const struct grid *grid = &world->grid;
    return (struct world_run){.count = end > begin ? end - begin : 0,
                              .motion = grid->motion + begin,
                              .kind = grid->kind + begin,
                              .row = grid->row + begin};
}

struct world_run world_run_own(const struct world *world) {
    const struct world_window window = world_window(world);
    return run_of(world, window.own_begin, window.own_end);
}

/* The own agents in rows of cells. */
static struct world_run run_of_rows(const struct world *world, const struct world_window *window,
                                    const struct grid_span *span) {
    const struct grid *grid = &world->grid;
    const int32_t across = grid->across.cells;
    const bool is_below = span->first > window->first_row, ends_within = span->last < window->end_row - 1;
    if (span->first >= window->end_row || span->last < window->first_row) {
        return run_of(world, window->own_begin, window->own_begin);
    }
    return run_of(world, is_below ? grid->begin[span->first * across] : window->own_begin,
                  ends_within ? grid->begin[(span->last + 1) * across] : window->own_end);
}

/* Agents may have drifted since they were sorted. */
int world_runs_between(const struct world *world, double low, double high, struct world_run runs[2]) {
    const struct world_window window = world_window(world);
    const struct grid_axis *down = &world->grid.down;
    if (window.rows == 0) {
        runs[0] = world_run_own(world);
        return 1;
    }
    const double slack = (double)grid_reach(down, world->grid.drift), size = (double)down->size;
    double begin = low - slack, end = high + slack;
    if (down->wraps) {
        if (end - begin >= size) {
            runs[0] = world_run_own(world);
            return 1;
        }
        const double around = floor(begin / size) * size;
        begin -= around;
        end -= around;
    }
    struct grid_span spans[2];
    const int count = grid_axis_spans(down, (float)begin, (float)end, spans);
    for (int i = 0; i < count; i++) {
        runs[i] = run_of_rows(world, &window, &spans[i]);
    }
    return count;
}

struct agent_view world_agent_anywhere(const struct world *world, int32_t row) {
    struct agent_view agent = {0};
    uint64_t bytes[(sizeof agent + sizeof(uint64_t) - 1) / sizeof(uint64_t)] = {0};
    if (world_owns(world, row)) {
        agent = world_agent(world, row);
        memcpy(bytes, &agent, sizeof agent);
    }
    if (world_is_partial(world)) { /* one rank has the agent, the others add nothing */
        const struct exchange *exchange = world_exchange(world);
        exchange->sum(exchange->context, bytes, (int)(sizeof bytes / sizeof bytes[0]));
        memcpy(&agent, bytes, sizeof agent);
    }
    return agent;
}

uint64_t world_count_in_state(const struct world *world, int kind, int state, uint64_t most) {
    const struct world_window window = world_window(world);
    const struct grid *grid = &world->grid;
    uint64_t count = 0;
    for (int32_t slot = window.own_begin; slot < window.own_end && count < most; slot++) {
        const int32_t place = world->is_pure_flock ? grid->row[slot] : slot;
        count += grid->kind[slot] == kind && world->state[place] == state;
    }
    if (world_is_partial(world)) {
        const struct exchange *exchange = world_exchange(world);
        exchange->sum(exchange->context, &count, 1);
    }
    return count;
}
