/* A recording as a simulation begins with it. */
#ifndef DROVER_SERVER_SIMULATION_SIMULATION_RECORDING_H
#define DROVER_SERVER_SIMULATION_SIMULATION_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "server/recording/replay.h"
#include "server/storage/recording.h"

/** Used by the simulation until simulation_stop, from simulation_start on by its thread. */
struct simulation_recording {
    struct recording_source source;
    const struct recording_facts *facts; /* of its worlds and checkpoints */
    struct recording *recording;         /* not owned; NULL for the source of a test */
    bool has_at;                         /* begin with this tick, of the first world that has it; */
    uint64_t at;                         /* otherwise: playing with the start, going on with the end */
    bool is_journal;                     /* to go on: the next journal continues its worlds */
    bool is_of_other_core; /* to go on: ticks after the checkpoint would be other ones than they were */
};

/** The recording as it is, from its start or end. overrides: seed and tick_hz are not used. */
struct simulation_recording simulation_recording_of(struct recording *recording,
                                                    const struct world_overrides *overrides);

#endif
