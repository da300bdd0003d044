/* See command_apply.h. */
#include "server/commands/command_apply.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "server/commands/command_frame.h"
#include "server/commands/command_table.h"

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

/* The frame of a step that had to return one. The world may have grown since it was checked: no frame then. */
static void write_frame(const struct simulation_state *state, const struct request_step *step,
                        struct json_writer *json) {
    struct failure unused;
    if (!step->has_return) {
        return;
    }
    if (state->is_spoiled || command_frame_write(state, &step->view, NULL, json, &unused) != 0) {
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
    write_frame(state, &request->body.step, &json);
    message_end_reply(&json, out);
}
