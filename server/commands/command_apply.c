/* See command_apply.h. */
#include "server/commands/command_apply.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request_batch.h"
#include "server/commands/command_internal.h"
#include "server/commands/simulation_state.h"
#include "server/sim/math/exchange.h"

static command_handler *const handlers[REQUEST_OP_COUNT] = {
#define COMMAND_HANDLER_ROW(op, function) [op] = function,
    COMMAND_HANDLERS(COMMAND_HANDLER_ROW)
#undef COMMAND_HANDLER_ROW
};

/* The handler of the op; NULL when the world has none. */
static command_handler *command_table_find(enum request_op op) {
    assert(op < REQUEST_OP_COUNT);
    return handlers[op];
}

bool command_table_is_whole(enum request_op *wrong) {
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        const bool is_wanted = request_has_trait((enum request_op)op, REQUEST_TRAIT_WORLD);
        if (is_wanted != (handlers[op] != NULL)) {
            *wrong = (enum request_op)op;
            return false;
        }
    }
    return true;
}

/* ---- batch ---- */

/* The handler of batch.
 *
 * Invariant: a batch that is refused leaves the state that it found. Nothing is undone member by member: the world is
 * cloned before the first of several members, and the clone takes the place of the world when a later one is refused,
 * together with all other values of the state. So a member may be any request whose effects are in the state alone.
 */

/* The memory for the clone of a larger world is given back after each batch. */
enum { KEPT_AGENTS = 65536, QUIET_BYTES = 16 * 1024 * 1024 };

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

bool command_has_memory(const struct simulation_state *state) {
    int64_t population[LIMIT_KINDS] = {0};
    const struct world *world = state->world;
    if (state->services.memory_free == NULL || world_agent_count(world) <= WORLD_SMALL) {
        return true;
    }
    for (int k = 0; k < world_kind_count(world); k++) {
        population[k] = world_kind_population(world, k);
    }
    return world_bytes(world, population, state->parallel.threads, world_stripes_ranks(world)) <=
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
           (count == 1 || (command_has_memory(state) && keep_world(state->batch, state->world)));
}

/* A single member was refused by its own handler, which has changed nothing. */
static void roll_back(struct simulation_state *state, const struct simulation_state *saved, uint32_t count) {
    struct state_batch *batch = saved->batch;
    struct world *changed = state->world;
    batch->event_count = 0;
    if (count > 1) {
        if (state->text != saved->text) { /* a member was an edit */
            free(state->text);
        }
        *state = *saved;
        state->world = batch->before;
        batch->before = NULL;
        world_destroy(changed); /* which may have room for more agents than there are */
        world_allow_giving_up(state->world, state->is_urgent);
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
    all->edited = all->edited || effects->edited;
    if (effects->event.event[0] != '\0') {
        assert(batch->event_count < batch->event_room);
        batch->events[batch->event_count++] = effects->event;
    }
}

bool command_moves_obstacles(enum request_op op) {
    return op == REQUEST_ADD_OBSTACLE || op == REQUEST_MOVE_OBSTACLE || op == REQUEST_SET_OBSTACLE ||
           op == REQUEST_REMOVE_OBSTACLE;
}

/* Its reply goes on in the batch's. */
static int apply_member(struct apply *batch, const struct request *request) {
    struct apply apply = {.state = batch->state, .request = request, .json = batch->json};
    command_handler *handler = command_table_find(request->op);
    assert(handler != NULL && request_has_trait(request->op, REQUEST_TRAIT_BATCH));
    world_hold_ways(batch->state->world, command_moves_obstacles(request->op));
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
    state->batch->text = state->text;
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
    world_hold_ways(state->world, false);
    if (result == 0) {
        json_end(apply->json);
        apply->effects.events = state->batch->events;
        apply->effects.event_count = state->batch->event_count;
    }
    state->batch->text = NULL;
    if (state->text != saved.text && state->first_text != saved.text) {
        free(saved.text);
    }
    give_back(state->batch);
    return result;
}

/* ---- apply ---- */

/* In place of the reply that is not due: whose target nothing heeds. */
static void write_unheeded(const struct apply *apply, struct buffer *out) {
    const struct request_set_target *body = &apply->request->body.set_target;
    struct message_event event = apply->effects.event; /* a named target, and where it is now */
    (void)snprintf(event.event, sizeof event.event, "unheeded");
    event.tick = world_tick(apply->state->world);
    if (body->has_agents) {
        event.has = EVENT_HAS_COUNT; /* of the aim */
    } else if (!body->has_name) {
        event.has = body->has_kind ? EVENT_HAS_KIND : EVENT_HAS_AGENT;
        memcpy(event.kind, body->kind, sizeof event.kind);
        event.agent = body->agent;
    }
    message_write_event(&event, out);
}

/* An op without a handler is one of the loop's: a mistake of the caller. */
static int handle(struct apply *apply) {
    command_handler *handler = command_table_find(apply->request->op);
    assert(handler != NULL);
    if (handler == NULL) {
        return failure_set(&apply->failure, FAILURE_INTERNAL, "op", "the world has no handler for %s",
                           request_op_name(apply->request->op));
    }
    return handler(apply);
}

static struct command_effects apply_here(struct simulation_state *state, const struct request *request,
                                         uint64_t line, struct buffer *out) {
    struct buffer reply;
    buffer_init(&reply, out->limit);
    struct json_writer json = message_begin_answer(request, &reply);
    struct apply apply = {.state = state, .request = request, .json = &json};
    if (handle(&apply) != 0) {
        if (request->id[0] != '\0' || !apply.is_told) {
            message_write_refusal(request, line, &apply.failure, out);
        }
        apply.effects = (struct command_effects){0};
        buffer_fini(&reply);
        return apply.effects;
    }
    if (request_has_trait(request->op, REQUEST_TRAIT_CHANGES)) {
        apply.effects.seq = ++state->seq;
    }
    if (apply.effects.unheeded && request->id[0] == '\0') {
        write_unheeded(&apply, out);
    } else if (apply.effects.step_ticks == 0 &&
               (request->id[0] != '\0' || request_always_answers(request->op))) {
        message_end_reply(&json, &reply);
        if (reply.failed) {
            (void)failure_set(&apply.failure, FAILURE_BUSY, NULL,
                              "the request was applied, but its reply exceeds the size limit");
            message_write_refusal(request, line, &apply.failure, out);
        } else {
            buffer_append(out, reply.data, reply.length);
        }
    }
    buffer_fini(&reply);
    assert(!(apply.effects.paused && apply.effects.resumed));
    assert(!apply.effects.loaded || (apply.effects.changed && apply.effects.described));
    return apply.effects;
}

struct command_effects command_apply(struct simulation_state *state, const struct request *request,
                                     uint64_t line, struct buffer *out) {
    assert(state->world != NULL);
    const bool is_shared = state->ranks != NULL && state_ranks_share(request->op);
    if (is_shared) {
        state_ranks_order_request(state, request, line);
    }
    const struct command_effects effects = apply_here(state, request, line, out);
    if (is_shared) {
        state->ranks->check(state->ranks->context, state_ranks_digest(state, &effects));
    }
    return effects;
}

int command_apply_quietly(struct simulation_state *state, const struct request *request,
                          struct failure *failure) {
    struct buffer unread;
    buffer_init(&unread, QUIET_BYTES);
    struct json_writer json = message_begin_answer(request, &unread);
    struct apply apply = {.state = state, .request = request, .json = &json};
    assert(state->ranks == NULL && request_has_trait(request->op, REQUEST_TRAIT_CHANGES));
    const int result = handle(&apply);
    *failure = apply.failure;
    state->seq += result == 0 ? 1 : 0;
    buffer_fini(&unread);
    return result;
}

/* The frame of a step or a go. The world may have grown since it was checked: no frame then. */
static void write_frame(const struct simulation_state *state, const struct request_subscribe *view,
                        struct json_writer *json) {
    struct failure unused;
    if (state->is_spoiled || command_frame_write(state, view, NULL, json, &unused) != 0) {
        json_key(json, "frame");
        json_raw(json, "null");
    }
}

void command_finish_step(const struct simulation_state *state, const struct request *request, bool is_stopped,
                         const char *met, struct buffer *out) {
    struct json_writer json = message_begin_answer(request, out);
    json_key_unsigned(&json, "tick", world_tick(state->world));
    if (!state->is_spoiled) {
        json_key(&json, "hash");
        json_hex64(&json, simulation_state_hash(state));
    }
    if (met != NULL) {
        json_key_string(&json, "stopped", met);
    } else if (is_stopped) {
        json_key_bool(&json, "stopped", true);
    }
    if (request->body.step.has_return) {
        write_frame(state, &request->body.step.view, &json);
    }
    message_end_reply(&json, out);
}

void command_finish_go(const struct simulation_state *state, const struct request *request, bool is_stopped,
                       double waited_ms, struct buffer *out) {
    const struct request_go *go = &request->body.go;
    struct json_writer json = message_begin_answer(request, out);
    json_key_unsigned(&json, "tick", world_tick(state->world));
    if (go->hash && !state->is_spoiled) {
        json_key(&json, "hash");
        json_hex64(&json, simulation_state_hash(state));
    }
    json_key_number(&json, "waited_ms", waited_ms);
    if (is_stopped) {
        json_key_bool(&json, "stopped", true);
    }
    if (go->has_return) {
        write_frame(state, &go->view, &json);
    }
    message_end_reply(&json, out);
}
