/* The handler of batch.
 *
 * Invariant: a batch that is refused leaves the state that it found. Nothing is undone member by member: the world is
 * cloned before the first of several members, and the clone takes the place of the world when a later one is refused,
 * together with all other values of the state. So a member may be any request whose effects are in the state alone.
 */
#include <assert.h>
#include <stdlib.h>

#include "common/protocol/request_batch.h"
#include "server/commands/command_handlers.h"
#include "server/commands/command_table.h"
#include "server/commands/state_batch.h"
#include "server/sim/math/exchange.h"

/* The memory for the clone of a larger world is given back after each batch. */
enum { KEPT_AGENTS = 65536 };

static bool reserve_events(struct state_batch *batch, uint32_t count) {
    batch->event_count = 0;
    if (count > batch->event_room) {
        struct message_event *events = realloc(batch->events, sizeof *events * count);
        if (events == NULL) {
            return false;
        }
        batch->events = events;
        batch->event_room = count;
    }
    return true;
}

/* Whether the machine has the memory for a clone of the world. */
static bool has_memory(const struct simulation_state *state) {
    int64_t population[LIMIT_KINDS] = {0};
    const struct world *world = state->world;
    if (state->services.memory_free == NULL || world_agent_count(world) <= WORLD_SMALL) {
        return true;
    }
    for (int k = 0; k < world_kind_count(world); k++) {
        population[k] = world_kind_population(world, k);
    }
    return world_bytes(world, population, state->parallel.threads) <=
           state->services.memory_free(1 + state->services.ranks_beside);
}

static bool keep_world(struct state_batch *batch, const struct world *world) {
    if (batch->before == NULL) {
        batch->before = world_clone_new(world);
        return batch->before != NULL;
    }
    return world_clone(batch->before, world) ||
           (world_clone_reserve(batch->before, world) && world_clone(batch->before, world));
}

/* Takes all the memory that the batch needs, and keeps the world. Returns whether there was memory. */
static bool prepare(struct simulation_state *state, uint32_t count) {
    if (state->batch == NULL) {
        state->batch = calloc(1, sizeof *state->batch);
    }
    return state->batch != NULL && reserve_events(state->batch, count) &&
           (count == 1 || (has_memory(state) && keep_world(state->batch, state->world)));
}

/* A single member was refused by its own handler, which has changed nothing. */
static void roll_back(struct simulation_state *state, const struct simulation_state *saved, uint32_t count) {
    struct state_batch *batch = saved->batch;
    struct world *changed = state->world;
    batch->event_count = 0;
    if (count > 1) {
        *state = *saved;
        state->world = batch->before;
        batch->before = NULL;
        world_destroy(changed); /* which may have room for more agents than there are */
        world_let_give_up(state->world, state->is_urgent);
        simulation_state_join(state);
    }
}

static void give_back(struct state_batch *batch) {
    if (batch->before != NULL && world_agent_count(batch->before) > KEPT_AGENTS) {
        world_destroy(batch->before);
        batch->before = NULL;
    }
}

static void merge(struct apply *apply, const struct command_effects *effects) {
    struct state_batch *batch = apply->state->batch;
    struct command_effects *all = &apply->effects;
    assert(!effects->paused && !effects->resumed && !effects->loaded && effects->step_ticks == 0);
    all->changed = all->changed || effects->changed;
    all->described = all->described || effects->described;
    all->scenery_changed = all->scenery_changed || effects->scenery_changed;
    if (effects->event.event[0] != '\0') {
        assert(batch->event_count < batch->event_room);
        batch->events[batch->event_count++] = effects->event;
    }
}

/* Its reply goes on in the batch's. */
static int apply_member(struct apply *batch, const struct request *request) {
    struct apply apply = {.state = batch->state, .request = request, .json = batch->json};
    command_handler *handler = command_table_find(request->op);
    assert(handler != NULL && request_has_trait(request->op, REQUEST_TRAIT_BATCH));
    message_open_part(request, apply.json);
    if (handler(&apply) != 0) {
        batch->failure = apply.failure;
        return -1;
    }
    json_end(apply.json);
    merge(batch, &apply.effects);
    return 0;
}

int apply_batch(struct apply *apply) {
    struct simulation_state *state = apply->state;
    const uint32_t count = request_member_count(apply->request);
    /* Ranks that share the world apply a batch all together or not at all. */
    if (!exchange_is_so_on_all(state->exchange, prepare(state, count))) {
        return apply_fail_memory(apply);
    }
    const struct simulation_state saved = *state;
    int result = 0;
    apply_write_tick(apply);
    json_key(apply->json, "replies");
    json_array(apply->json);
    for (uint32_t i = 0; i < count && result == 0; i++) {
        result = apply_member(apply, request_member(apply->request, i));
        if (result != 0) {
            roll_back(state, &saved, count);
            (void)request_fail_member(i, &apply->failure);
        }
    }
    if (result == 0) {
        json_end(apply->json);
        apply->effects.events = state->batch->events;
        apply->effects.event_count = state->batch->event_count;
    }
    give_back(state->batch);
    return result;
}
