/* From the command line to the end: what drover-server does, and rank 0 of drover-cluster. Exit codes: 0 stopped by a
 * signal; 1 a failure of the system (a disk, memory, a port or a folder in use), or a lost rank; 2 a mistake on the command
 * line, in the scenario or in what is to be continued, which a further start does not mend; 3 a rank that hangs or differs;
 * 4 as 0, but the last part of the world is not on disk; 128 and the signal's number after a second signal before it had
 * ended.
 */
#ifndef DROVER_SERVER_SERVER_MAIN_H
#define DROVER_SERVER_SERVER_MAIN_H

#include <stdbool.h>

#include "server/commands/simulation_state.h"
#include "server/options.h"
#include "server/sim/math/exchange.h"

/** The ranks that share the world (struct simulation_def). */
struct server_ranks {
    const struct exchange *exchange;
    const struct state_ranks *state;
    int threads;                   /* that work on a tick of this rank, 1 or more */
    const struct host_room *hosts; /* all machines of the ranks (scenario.h) */
    int host_count;
    int beside;       /* other ranks on this machine */
    const char *lost; /* what ended the run before (struct simulation_def); NULL: nothing is known */
    void *context;
    /** From now on wake(server) is called, by any thread, when a rank is lost. wake: NULL for nothing. */
    void (*watch)(void *context, void (*wake)(void *server), void *server);
    /** Ends the program after that; sessions know it. Does not return. */
    void (*leave)(void *context);
};

/** Reads the command line over *options, which holds the defaults already, and sets up the log; argument: the scenario's name or
 * file, NULL when none is given. False: all is done or said, and the program ends with *code: after --help, --check, or a
 * mistake. */
bool server_main_read(int argc, char **argv, struct server_options *options, const char **argument,
                      int *code);
/** Serves until a signal ends it. Returns the exit code. ranks: NULL for one process. */
int server_main_run(const struct server_options *options, const char *argument,
                    const struct server_ranks *ranks);

#endif
