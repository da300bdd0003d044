/* The handlers of time and scenarios: pause, resume, step, load. */
#include "server/commands/command_handlers.h"

int apply_pause(struct apply *apply) {
    apply->effects.paused = !apply->state->is_paused;
    apply->state->is_paused = true;
    apply_write_tick(apply);
    return 0;
}

int apply_resume(struct apply *apply) {
    apply->effects.resumed = apply->state->is_paused;
    apply->state->is_paused = false;
    apply_write_tick(apply);
    return 0;
}

int apply_step(struct apply *apply) {
    if (!apply->state->is_paused) {
        return failure_set(&apply->failure, FAILURE_NOT_PAUSED, NULL,
                           "the world is running; send pause first");
    }
    apply->effects.step_ticks = apply->request->body.step.count;
    return 0;
}

int apply_load(struct apply *apply) {
    struct simulation_state *state = apply->state;
    if (state->arrival == NULL) {
        return failure_set(&apply->failure, FAILURE_INTERNAL, "scenario", "no world was built for this load");
    }
    const uint64_t hash = state->arrival->hash;
    simulation_state_change(state, state->arrival);
    apply->effects.changed = true;
    apply->effects.described = true;
    apply->effects.loaded = true;
    apply_write_tick(apply);
    json_key_string(apply->json, "scenario", state->name);
    json_key(apply->json, "hash");
    json_hex64(apply->json, hash);
    return 0;
}
