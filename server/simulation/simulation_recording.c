/* See simulation_recording.h. */
#include "server/simulation/simulation_recording.h"

struct simulation_recording simulation_recording_of(struct recording *recording,
                                                    const struct world_overrides *overrides) {
    return (struct simulation_recording){.source = recording_source(recording, overrides),
                                         .facts = recording_facts(recording),
                                         .recording = recording};
}
