/* Which kinds the agents of a kind look for: what a batch of agents asks for at once (world_sights.h). */
#include "server/sim/world/world_internal.h"

/* A pursuit that keeps its quarry hardly ever looks: it searches by itself when it does. */
static void note_look(struct kind *kind, const struct target_ref *ref, const struct ref_runtime *runtime) {
    if (runtime->mode != REF_KIND) {
        return;
    }
    int i = 0;
    while (i < kind->look_count && kind->looks[i].kind != runtime->index) {
        i++;
    }
    if (i == LOOKS_MAX) {
        return;
    }
    if (i == kind->look_count) {
        kind->looks[kind->look_count++] = (struct look){runtime->index, 0.0f};
    }
    kind->looks[i].within = ref->within > kind->looks[i].within ? ref->within : kind->looks[i].within;
}

void world_refresh_looks(struct kind *kind) {
    kind->look_count = 0;
    for (int s = 0; s < kind->def.state_count; s++) {
        const struct state_def *state = &kind->def.states[s];
        const struct state_runtime *runtime = &kind->states[s];
        for (int c = 0; c < state->condition_count; c++) {
            note_look(kind, &state->conditions[c].target, &runtime->conditions[c]);
        }
        for (int b = 0; b < state->behavior_count; b++) {
            if (!state->behaviors[b].keep) {
                note_look(kind, &state->behaviors[b].target, &runtime->behaviors[b].target);
            }
            note_look(kind, &state->behaviors[b].second, &runtime->behaviors[b].second);
        }
    }
}
