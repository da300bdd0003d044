/* The handle of libdrover-sim: a simulation state, and what its calls give back. */
#ifndef DROVER_SERVER_EMBED_SIM_HANDLE_H
#define DROVER_SERVER_EMBED_SIM_HANDLE_H

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/protocol/request.h"
#include "server/commands/simulation_state.h"
#include "server/embed/include/drover/sim.h"

enum { SIM_EVENTS = 1024 };

struct drover_sim {
    struct simulation_state state;
    struct drover_sim_threads threads; /* run: NULL without */
    struct buffer answer;              /* of the last request */
    struct failure failure;            /* of the last request; FAILURE_NONE */
    uint64_t lines;                    /* requests so far: the line numbers of errors */
    struct request request;
    struct drover_sim_agents agents;
    char *columns; /* owned: the memory of `agents` */
    int32_t column_room;
    int32_t event_count;
    uint32_t events_left_out;
    struct drover_sim_event events[SIM_EVENTS];
};

/** Before sim->request is filled: the answer and the failure are none. */
void sim_begin_answer(struct drover_sim *sim);
/** Applies sim->request, whose extra goes with it. Returns the answer; sim->failure says whether it is an error. */
const char *sim_answer(struct drover_sim *sim);

#endif
