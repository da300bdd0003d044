/* One run of `drover run`, in a process of its own: ticks without a pace, rows into a part file. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_ONE_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_ONE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "clients/drover/run/run_measures.h"
#include "clients/drover/run/run_plan.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/commands/simulation_state.h"
#include "server/scenario/scenario.h"

/** What all runs share. Nothing is owned. */
struct run_task {
    const struct run_plan *plan;
    const struct scenario *scenario;  /* NULL: runs begin with the state that they are given */
    struct world_overrides overrides; /* of the scenario */
    const struct run_columns *columns;
    const struct run_until *until;
    const char *folder;
    uint64_t ticks;              /* at most */
    uint64_t every;              /* ticks from row to row; 0: one row, of the end */
    bool writes_agents, records; /* --agents, --record */
};

/** What a run says while it goes on and at its end: in memory that it shares with the process that started it. */
struct run_report {
    atomic_uint_least64_t ticks; /* done so far */
    uint64_t tick, hash;         /* of the world at the end */
    double seconds;
    struct failure failure; /* after -1 */
};

/** Sets one parameter, by the request set_param. 0, or -1 with *failure: its message is the request's with the parameter
 * before it. request: receives it. */
NODISCARD int run_set_parameter(struct simulation_state *state, const struct run_parameter *parameter,
                                double value, struct request *request, struct failure *failure);
/** Applies the parameters of a run to its world, in the order of the plan, but for paths: its scenario has them. on_set:
 * called after each. 0, or -1 with *failure. */
NODISCARD int run_set_parameters(struct simulation_state *state, const struct run_plan *plan, uint32_t run,
                                 void (*on_set)(void *context, const struct request *request), void *context,
                                 struct failure *failure);

/** Does run `index` of the plan, counted from 0. state: with the world to begin with, or without one; it is changed. part: the
 * descriptor that rows are appended to. 0, or -1 with report->failure. */
NODISCARD int run_one(const struct run_task *task, uint32_t index, struct simulation_state *state, int part,
                      struct run_report *report);

#endif
