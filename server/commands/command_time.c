/* The handlers of time and scenarios: pause, resume, step, load, seat, go, leave. */
#include "server/commands/command_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/commands/command_apply.h"
#include "server/commands/simulation_state.h"

static int command_until_check(const struct request_step *step, const struct world *world,
                               struct failure *failure);

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
    if (apply->state->seats > 0) {
        return failure_set(&apply->failure, FAILURE_SEATED, NULL,
                           "%u %s taken: the world steps when all holders have said go; list with what seats "
                           "names them",
                           (unsigned)apply->state->seats, apply->state->seats == 1 ? "seat is" : "seats are");
    }
    const struct request_step *step = &apply->request->body.step;
    if (command_until_check(step, apply->state->world, &apply->failure) != 0 ||
        (step->has_return && command_frame_check(apply->state, &step->view, &apply->failure) != 0)) {
        return -1;
    }
    apply->effects.step_ticks = (uint32_t)step->count;
    return 0;
}

int apply_load(struct apply *apply) {
    struct simulation_state *state = apply->state;
    if (state->arrival == NULL) {
        return failure_set(&apply->failure, FAILURE_INTERNAL, NULL, "no world was built for this load");
    }
    const struct request_load *load = &apply->request->body.load;
    const char *given = load->has_document ? "document" : load->again ? "again" : "scenario";
    if (simulation_state_check(state, state->arrival, given, &apply->failure) != 0) {
        return -1;
    }
    const uint32_t core = state->arrival->core;
    const char *save = apply->request->body.load.save;
    simulation_state_change(state, state->arrival);
    const uint64_t hash = state->arrival->hash; /* known now, of a world that was deferred */
    apply->effects.changed = true;
    apply->effects.described = true;
    apply->effects.loaded = true;
    (void)snprintf(apply_send(apply, "loaded", EVENT_HAS_SCENARIO)->scenario, LIMIT_NAME_CHARS + 1, "%s",
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

int apply_rewind(struct apply *apply) {
    struct simulation_state *state = apply->state;
    if (state->arrival == NULL || state->services.rewound == NULL) {
        return failure_set(&apply->failure, FAILURE_INTERNAL, NULL, "no world was computed for this rewind");
    }
    if (apply->request->body.rewind.is_step && !state->is_paused) {
        return failure_set(&apply->failure, FAILURE_NOT_PAUSED, NULL,
                           "the world is running; send pause first, or rewind, which pauses it");
    }
    const bool goes_on = apply->request->body.rewind.has_without;
    const uint64_t hash = state->arrival->hash;
    simulation_state_change(state, state->arrival);
    apply->effects.changed = true;
    apply->effects.described = true;
    apply->effects.loaded = true;
    apply->effects.paused = !state->is_paused && !goes_on;
    state->is_paused = state->is_paused || !goes_on;
    apply_write_tick(apply);
    json_key(apply->json, "hash");
    json_hex64(apply->json, hash);
    state->services.rewound(state->services.context, apply_send(apply, "rewound", EVENT_HAS_BRANCH),
                            apply->json);
    return 0;
}

static int fail_past(struct apply *apply) {
    return failure_set(&apply->failure, FAILURE_FULL, NULL,
                       "the past of the world is not in memory; start the server with --rewind BYTES");
}

int apply_mark(struct apply *apply) {
    const struct state_services *services = &apply->state->services;
    const struct request_mark *mark = &apply->request->body.mark;
    if (services->mark == NULL) {
        return fail_past(apply);
    }
    if (services->mark(services->context, mark, &apply->failure) != 0) {
        return -1;
    }
    apply_write_tick(apply);
    json_key_string(apply->json, "name", mark->name);
    return 0;
}

/* The members of the reply, and the event, are the service's. */
int apply_compare(struct apply *apply) {
    const struct state_services *services = &apply->state->services;
    if (services->compare == NULL) {
        return failure_set(&apply->failure, FAILURE_UNSUPPORTED, NULL,
                           "no twin can run beside this world; use drover-server");
    }
    if (services->compare(services->context, apply->request, &apply->effects.event, apply->json,
                          &apply->failure) != 0) {
        apply->effects = (struct command_effects){0};
        return -1;
    }
    apply->effects.changed = true;
    return 0;
}

/* ---- keep ---- */

/* The handlers of what is kept of worlds: save, remove_save, record, seek, speed. */

/* Saved worlds are the builder's: their requests are answered without coming here. */
int apply_save(struct apply *apply) {
    return failure_set(&apply->failure, FAILURE_INTERNAL, "name", "the request was not given to the builder");
}

int apply_record(struct apply *apply) {
    const struct state_services *services = &apply->state->services;
    if (services->record == NULL) {
        return failure_set(&apply->failure, FAILURE_IO, NULL,
                           "this server keeps nothing; start it with --state or --record");
    }
    return services->record(services->context, &apply->request->body.record, apply->json, &apply->failure);
}

static int fail_live(struct apply *apply) {
    return failure_set(&apply->failure, FAILURE_NOT_REPLAYING, NULL,
                       "the server plays no recording; %s is for a server started with --replay",
                       request_op_name(apply->request->op));
}

int apply_seek(struct apply *apply) {
    const struct state_services *services = &apply->state->services;
    return services->seek == NULL
               ? fail_live(apply)
               : services->seek(services->context, &apply->request->body.seek, apply->json, &apply->failure);
}

int apply_speed(struct apply *apply) {
    const struct state_services *services = &apply->state->services;
    const struct request_speed *speed = &apply->request->body.speed;
    if (services->speed == NULL) {
        return failure_set(&apply->failure, FAILURE_INTERNAL, NULL, "this world has no clock");
    }
    if (services->speed(services->context, speed, apply->json)) {
        apply_send(apply, "speed", EVENT_HAS_SPEED)->speed = speed->max ? 0.0 : speed->factor;
    }
    return 0;
}

/* ---- seats ---- */

static int fail_seats(struct apply *apply) {
    return failure_set(&apply->failure, FAILURE_INTERNAL, NULL, "this world has no seats");
}

int apply_seat(struct apply *apply) {
    const struct state_services *services = &apply->state->services;
    if (services->seat == NULL) {
        return fail_seats(apply);
    }
    apply_write_tick(apply);
    return services->seat(services->context, &apply->request->body.seat, apply->json, &apply->failure);
}

/* Only accepted here, as a step is. */
int apply_go(struct apply *apply) {
    const struct state_services *services = &apply->state->services;
    const struct request_go *go = &apply->request->body.go;
    if (services->go == NULL) {
        return fail_seats(apply);
    }
    if (services->go(services->context, go, &apply->failure) != 0 ||
        (go->has_return && command_frame_check(apply->state, &go->view, &apply->failure) != 0)) {
        return -1;
    }
    apply->effects.step_ticks = go->count;
    return 0;
}

int apply_leave(struct apply *apply) {
    const struct state_services *services = &apply->state->services;
    if (services->leave == NULL) {
        return fail_seats(apply);
    }
    apply_write_tick(apply);
    services->leave(services->context, apply->json);
    return 0;
}

/* ---- until ---- */

/* The state of this name of a kind, or -1. */
static int find_state(const struct kind_def *kind, const char *name) {
    for (int state = 0; state < kind->state_count; state++) {
        if (strcmp(kind->states[state].name, name) == 0) {
            return state;
        }
    }
    return -1;
}

static int check_state(const struct request_until *until, const struct world *world,
                       struct failure *failure) {
    const int kind = command_find_kind(world, until->kind, failure);
    if (kind < 0) {
        (void)snprintf(failure->field, sizeof failure->field, "until.state.kind");
        return -1;
    }
    const struct kind_def *def = world_kind(world, kind);
    if (find_state(def, until->state) >= 0) {
        return 0;
    }
    char list[NAME_LIST_BYTES] = "";
    for (int state = 0; state < def->state_count; state++) {
        command_list_name(list, def->states[state].name, false);
    }
    return failure_set(failure, FAILURE_BAD_PARAM, "until.state.name",
                       "kind \"%s\" has no state \"%s\"; it has %s", until->kind, until->state, list);
}

/* 0; or -1 with *failure when the condition names a kind or state that is not there, or a tick that is past. */
static int command_until_check(const struct request_step *step, const struct world *world,
                               struct failure *failure) {
    const struct request_until *until = &step->until;
    if (!step->has_until) {
        return 0;
    }
    if (until->has_tick && until->tick <= world_tick(world)) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "until.tick",
                           "tick %" PRIu64 " is not after the world's, %" PRIu64, until->tick,
                           world_tick(world));
    }
    return until->has_state ? check_state(until, world, failure) : 0;
}

static bool has_reached(const struct world *world) {
    const struct world_note *notes = NULL;
    uint32_t left_out = 0;
    const int count = world_notes(world, &notes, &left_out);
    for (int i = 0; i < count; i++) {
        if (notes[i].type == NOTE_REACHED) {
            return true;
        }
    }
    return false;
}

static uint32_t count_caught(const struct world *world) {
    const struct world_note *notes = NULL;
    uint32_t left_out = 0, caught = 0;
    const int count = world_notes(world, &notes, &left_out);
    for (int i = 0; i < count; i++) {
        caught += notes[i].type == NOTE_CAUGHT;
    }
    return caught;
}

static bool has_state(const struct request_until *until, const struct simulation_state *simulation) {
    const struct world *world = simulation->world;
    struct failure unused;
    const int kind = command_find_kind(world, until->kind, &unused);
    const int state = kind < 0 ? -1 : find_state(world_kind(world, kind), until->state);
    return state >= 0 && state_count_in_state(simulation, kind, state, until->count) >= until->count;
}

const char *command_until_met(struct command_until *until, const struct request_step *step,
                              const struct simulation_state *state) {
    const struct world *world = state->world;
    const struct request_until *wanted = &step->until;
    if (!step->has_until) {
        return NULL;
    }
    if (wanted->reached) {
        return has_reached(world) ? "reached" : NULL;
    }
    if (wanted->has_caught) {
        until->caught += count_caught(world);
        return until->caught >= wanted->caught ? "caught" : NULL;
    }
    if (wanted->has_tick) {
        return world_tick(world) >= wanted->tick ? "tick" : NULL;
    }
    return has_state(wanted, state) ? "state" : NULL;
}
