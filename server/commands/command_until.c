/* See command_until.h. Owns nothing. */
#include "server/commands/command_until.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/commands/command_find.h"
#include "server/commands/state_gather.h"

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

int command_until_check(const struct request_step *step, const struct world *world, struct failure *failure) {
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
