/* An order for the builder: `load` needs a world built from a scenario's file, `list` the list of the files.
 * Files can be slow and worlds large, so a thread of its own (scenario_builder.h) works the orders off. Pure
 * but for the scenario source.
 *
 * Owns its results, except for a world that is taken out of `built`.
 */
#ifndef DROVER_SERVER_LIBRARY_SCENARIO_ORDER_H
#define DROVER_SERVER_LIBRARY_SCENARIO_ORDER_H

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/exchange/command.h"
#include "server/library/scenario_library.h"
#include "server/scenario/built_world.h"
#include "server/scenario/scenario.h"

/** Where scenarios come from: a scenario_library, or a test's own. Used by one thread at a time. */
struct scenario_source {
    void *context;
    int (*load)(void *context, const char *name, struct scenario *out, struct failure *failure);
    const struct scenario_list *(*list)(void *context, struct failure *failure);
};

enum scenario_order_state { ORDER_NEW, ORDER_BEGUN, ORDER_WAITS };

struct scenario_order {
    struct scenario_order *next;     /* the builder's */
    enum scenario_order_state state; /* the builder's */
    struct command *command;         /* whose request it is; not owned, and not read by the thread */
    uint32_t session;                /* of the command */
    bool is_load;                    /* otherwise a list */
    struct request_load load;
    /* Once it is worked off: */
    int result;               /* 0, or -1 with the failure */
    struct failure failure;   /* its field is one of the request's */
    struct built_world built; /* a load's */
    struct scenario_list list;
};

struct scenario_source scenario_library_source(struct scenario_library *library);

/** Whether the request needs an order before it can be applied. */
bool scenario_order_is_needed(const struct request *request);
/** An order for a command whose request needs one; NULL when memory is short. */
NODISCARD struct scenario_order *scenario_order_create(struct command *command);
/** NULL is fine. */
void scenario_order_destroy(struct scenario_order *order);
/** Reads, checks and builds what is ordered. given_up: as for built_world_make. */
void scenario_order_work(struct scenario_order *order, const struct scenario_source *source,
                         const struct world_overrides *overrides, const atomic_bool *given_up);
/** Appends the answer to a request that needs nothing of the world but its tick: a list of scenarios, or a
 * load that failed. line: the number of the request's line. */
void scenario_order_answer(const struct scenario_order *order, const struct request *request, uint64_t line,
                           uint64_t tick, struct buffer *out);

#endif
