/* Saves and copies of an embedded simulation. See sim.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/embed/sim_handle.h"
#include "server/recording/checkpoint.h"

enum { SAVE_BYTES = 1 << 30 };

char *drover_sim_save(const struct drover_sim *sim, size_t *length) {
    const struct simulation_state *state = &sim->state;
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    struct buffer out;
    buffer_init(&out, SAVE_BYTES);
    saved_world_write(state->world, &rest, state->name, state->text, state->text_length, &out, NULL);
    if (out.failed) {
        buffer_fini(&out);
        return NULL;
    }
    return buffer_take(&out, length);
}

void drover_sim_free(char *text) {
    free(text);
}

struct drover_sim *drover_sim_create_from_save(const char *text, size_t length,
                                               const struct drover_sim_options *options,
                                               struct drover_sim_error *error) {
    assert(text != NULL);
    struct world_overrides overrides;
    struct failure failure = {0};
    struct built_world built;
    struct checkpoint_rest rest;
    struct drover_sim *sim = sim_new(options, &failure);
    if (sim == NULL || sim_read_max_agents(options, &overrides, &failure) != 0 ||
        saved_world_read(text, length, &overrides, NULL, &built, &rest, &failure) != 0) {
        drover_sim_destroy(sim);
        sim_error_set(error, &failure);
        return NULL;
    }
    checkpoint_restore(&sim->state, &built, &rest);
    sim->state.is_paused = false;
    built_world_fini(&built);
    return sim;
}

/* ---- copies ---- */

static char *copy_text(const struct simulation_state *state) {
    char *text = malloc(state->text_length + 1);
    if (text != NULL) {
        memcpy(text, state->text, state->text_length + 1);
    }
    return text;
}

struct drover_sim *drover_sim_clone(const struct drover_sim *sim) {
    struct drover_sim *clone = malloc(sizeof *clone);
    char *text = copy_text(&sim->state);
    struct world *world = world_clone_new(sim->state.world);
    if (clone == NULL || text == NULL || world == NULL) {
        free(clone);
        free(text);
        world_destroy(world);
        return NULL;
    }
    *clone = *sim;
    clone->state.world = world;
    clone->state.text = text;
    clone->state.batch = NULL;
    clone->columns = NULL;
    clone->column_room = 0;
    clone->agents = (struct drover_sim_agents){0};
    buffer_init(&clone->answer, sim->answer.limit);
    return clone;
}

static bool is_same_scenario(const struct simulation_state *a, const struct simulation_state *b) {
    return strcmp(a->name, b->name) == 0 && a->text_length == b->text_length &&
           memcmp(a->text, b->text, a->text_length) == 0;
}

int drover_sim_copy(struct drover_sim *to, const struct drover_sim *from) {
    if (to == from) {
        return 0;
    }
    if (!is_same_scenario(&to->state, &from->state) ||
        (!world_has_room(to->state.world, from->state.world) &&
         !world_clone_reserve(to->state.world, from->state.world)) ||
        !world_clone(to->state.world, from->state.world)) {
        return -1;
    }
    to->state.seq = from->state.seq;
    to->state.cursors = from->state.cursors;
    to->state.log = from->state.log;
    to->event_count = from->event_count;
    to->events_left_out = from->events_left_out;
    memcpy(to->events, from->events, sizeof from->events[0] * (size_t)from->event_count);
    return 0;
}
