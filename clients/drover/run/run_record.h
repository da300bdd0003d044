/* The recording of a run (--record): RUN-N.drover, written by the run itself, without a thread. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_RECORD_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_RECORD_H

#include "clients/drover/run/run_file.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/recording/recorder.h"

/** Zero is none. */
struct run_record {
    struct recorder recorder;
    struct run_file file;
    uint32_t sum; /* of the lines so far */
};

/** Begins with the world that the state has; with_checkpoint: it was not built from its scenario. 0, or -1 with *failure. */
NODISCARD int run_record_begin(struct run_record *record, const char *folder, const char *name,
                               const struct simulation_state *state, bool with_checkpoint,
                               struct failure *failure);
/** A request that has just taken effect. */
void run_record_request(struct run_record *record, const struct simulation_state *state,
                        const struct request *request);
/** After a tick: a hash each second. */
void run_record_tick(struct run_record *record, const struct simulation_state *state);
NODISCARD int run_record_finish(struct run_record *record, const struct simulation_state *state,
                                struct failure *failure);
void run_record_abandon(struct run_record *record);

#endif
