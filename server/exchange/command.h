/* A request on its way from the loop to the simulation thread. The same memory carries the answer back
 * (event_queue.h), so that answering never fails for want of memory. */
#ifndef DROVER_SERVER_EXCHANGE_COMMAND_H
#define DROVER_SERVER_EXCHANGE_COMMAND_H

#include <stdint.h>

#include "common/protocol/request.h"
#include "server/exchange/event_queue.h"

struct scenario_order;

struct command {
    struct sim_event event; /* first: the answer frees the whole command */
    uint32_t session;
    uint64_t sequence; /* the line of the connection that asked */
    /* While it waits (command_lanes.h): */
    uint64_t number;              /* of its arrival, from 1 */
    uint64_t turn;                /* of a question; 0 for what changes the world */
    struct command *next;         /* of its session */
    struct scenario_order *order; /* what it needs before it can be applied; NULL: nothing yet */
    struct request request;
};

#endif
