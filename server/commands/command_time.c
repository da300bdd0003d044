/* The handlers of time and scenarios: pause, resume, step, load. */
#include "server/commands/command_handlers.h"

#include <stdio.h>

#include "server/commands/command_frame.h"
#include "server/commands/command_until.h"

int apply_pause(struct apply *apply) {
    apply->effects.paused = !apply->state->is_paused;
    apply->state->is_paused = true;
    apply_write_tick(apply);
    return 0;
}

static int go_live(struct apply *apply) {
    const struct state_services *services = &apply->state->services;
    if (services->go_live == NULL) {
        return failure_set(&apply->failure, FAILURE_NOT_REPLAYING, "live",
                           "the server plays no recording; resume without live lets the world run");
    }
    return services->go_live(services->context, &apply->failure);
}

int apply_resume(struct apply *apply) {
    if (apply->request->body.resume.live && go_live(apply) != 0) {
        return -1;
    }
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
    const struct request_step *step = &apply->request->body.step;
    if (command_until_check(step, apply->state->world, &apply->failure) != 0 ||
        (step->has_return && command_frame_check(apply->state, &step->view, &apply->failure) != 0)) {
        return -1;
    }
    apply->effects.step_ticks = step->count;
    return 0;
}

int apply_load(struct apply *apply) {
    struct simulation_state *state = apply->state;
    if (state->arrival == NULL) {
        return failure_set(&apply->failure, FAILURE_INTERNAL, "scenario", "no world was built for this load");
    }
    if (simulation_state_check(state, state->arrival, "scenario", &apply->failure) != 0) {
        return -1;
    }
    const uint64_t hash = state->arrival->hash;
    const uint32_t core = state->arrival->core;
    const char *save = apply->request->body.load.save;
    simulation_state_change(state, state->arrival);
    apply->effects.changed = true;
    apply->effects.described = true;
    apply->effects.loaded = true;
    (void)snprintf(apply_tell(apply, "loaded", EVENT_HAS_SCENARIO)->scenario, LIMIT_NAME_CHARS + 1, "%s",
                   state->name);
    if (save[0] != '\0') {
        apply->effects.event.has |= EVENT_HAS_SAVE;
        (void)snprintf(apply->effects.event.save, sizeof apply->effects.event.save, "%s", save);
    }
    apply_write_tick(apply);
    json_key_string(apply->json, "scenario", state->name);
    if (save[0] != '\0') {
        json_key_string(apply->json, "save", save);
    }
    if (core != 0) {
        json_key_unsigned(apply->json, "core", core);
    }
    json_key(apply->json, "hash");
    json_hex64(apply->json, hash);
    return 0;
}
