/* See simulation_recording.h. */
#include "server/simulation/simulation_recording.h"

#include <inttypes.h>
#include <string.h>

#include "server/recording/core_changes.h"
#include "server/sim/core.h"

enum { CHANGES_BYTES = 160 };

struct simulation_recording simulation_recording_of(struct recording *recording,
                                                    const struct world_overrides *overrides) {
    return (struct simulation_recording){.source = recording_source(recording, overrides),
                                         .facts = recording_facts(recording),
                                         .recording = recording};
}

/* Whether a world that needs this core comes out differently now; says what changed. */
static bool has_changed(struct recording *recording, uint32_t world, uint32_t core,
                        char changes[CHANGES_BYTES]) {
    struct scenario scenario;
    struct failure failure = {0};
    changes[0] = '\0';
    if (core == CORE_NUMBER || recording_read_scenario(recording, world, &scenario, &failure) != 0) {
        return false; /* a scenario that cannot be read is refused when it is played */
    }
    const bool is_changed = core_affects(core_changes, core, CORE_NUMBER, &scenario,
                                         recording_facts(recording)->request_ops, changes, CHANGES_BYTES);
    scenario_fini(&scenario);
    return is_changed;
}

int simulation_recording_check_core(struct recording *recording, struct failure *failure) {
    const struct recording_facts *facts = recording_facts(recording);
    char changes[CHANGES_BYTES];
    for (int i = 0; i < facts->world_count; i++) {
        const struct recording_world *world = &facts->worlds[i];
        if (has_changed(recording, world->number, world->core, changes)) {
            return failure_set(failure, FAILURE_VERSION, "--replay",
                               "recorded by core %" PRIu32
                               "; this is core %d. Changed since for world %" PRIu32
                               ": %s. --anyway simulates it again nevertheless; its %d checkpoints are exact",
                               world->core, (int)CORE_NUMBER, world->number,
                               changes[0] == '\0' ? "unknown here" : changes, facts->checkpoint_count);
        }
    }
    return 0;
}

bool simulation_recording_ends_in_other_core(struct recording *recording) {
    const struct recording_facts *facts = recording_facts(recording);
    char changes[CHANGES_BYTES];
    const uint32_t core = recording_core_at(recording, &facts->last);
    return core != 0 && has_changed(recording, facts->last.world, core, changes);
}
