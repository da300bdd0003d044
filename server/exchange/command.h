/* A request on its way from the loop to the simulation thread. The same memory carries the answer back
 * (event_queue.h), so an answer never fails for want of memory. */
#ifndef DROVER_SERVER_EXCHANGE_COMMAND_H
#define DROVER_SERVER_EXCHANGE_COMMAND_H

#include <stdint.h>

#include "common/protocol/request.h"
#include "server/exchange/event_queue.h"

struct scenario_order;

/** Where a request came from. */
struct command_origin {
    uint32_t session;
    uint64_t line;                     /* the number of the request's line */
    char name[LIMIT_PERSON_BYTES + 1]; /* of the session then; "" for none */
};

struct command {
    struct sim_event event; /* first: the answer frees the whole command */
    struct command_origin origin;
    /* While it waits (command_queue.h): */
    uint64_t number;      /* in order of arrival, from 1 */
    uint64_t turn;        /* of a query; 0 for a change */
    bool is_withdrawn;    /* its session has left, or its world: it is not to be applied at its tick */
    struct command *next; /* of the same session */
    struct scenario_order *order; /* the files or world that the command needs; NULL: none yet */
    struct request request;       /* its extra is held by the event */
};

/** The request of an answered command is read no more: its extra goes before the answer does. */
static inline void command_drop_extra(struct command *command) {
    request_extra_release(command->event.extra);
    command->event.extra = NULL;
    command->request.extra = NULL;
}

#endif
