/* A request on its way from the loop to the simulation thread. The same memory carries the answer back
 * (event_queue.h), so an answer never fails for want of memory. */
#ifndef DROVER_SERVER_EXCHANGE_COMMAND_H
#define DROVER_SERVER_EXCHANGE_COMMAND_H

#include <stdint.h>

#include "common/protocol/request.h"
#include "server/exchange/event_queue.h"

struct scenario_order;

struct command {
    struct sim_event event; /* first: the answer frees the whole command */
    uint32_t session;
    uint64_t sequence; /* the line number of the request */
    /* While it waits (command_lanes.h): */
    uint64_t number;              /* in order of arrival, from 1 */
    uint64_t turn;                /* of a query; 0 for a change */
    struct command *next;         /* of the same session */
    struct scenario_order *order; /* the files or world that the command needs; NULL: none yet */
    struct request request;
};

#endif
