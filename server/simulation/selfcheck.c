/* See selfcheck.h. */
#include "server/simulation/selfcheck.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/system/duty.h"
#include "server/commands/command_apply.h"

/* EXTRA_MOST: bytes of what the noted requests have beyond their fixed size. */
enum { REQUESTS_MOST = 2048, EXTRA_MOST = 64 * 1024 * 1024, ANSWER_MOST = 16 * 1024 * 1024 };

/* A request, before the tick that follows `tick`. */
struct noted {
    uint64_t tick;
    uint32_t session;
    struct request request; /* with its extra */
};

struct selfcheck {
    struct selfcheck_def def;
    atomic_bool is_stopping; /* what is ordered or in hand is left out */
    struct duty duty;        /* busy: what follows is the thread's, otherwise the simulation thread's */
    bool has_begun;
    struct simulation_state state; /* the copy of the beginning */
    struct world *after;           /* and that of the end; owned */
    struct noted *noted;
    int count, room;
    size_t extra_bytes;
    uint64_t from, until;
    uint64_t compared; /* spans so far; the thread's */
};

/* ---- the thread ---- */

/* The ranges of a loop from the last to the first. */
static void run_backwards(void *pool, int32_t count, int32_t grain, parallel_body body, void *context) {
    (void)pool;
    const int32_t step = grain > 0 ? grain : 1;
    for (int32_t end = count; end > 0;) {
        const int32_t begin = (end - 1) / step * step;
        body(context, begin, end);
        end = begin;
    }
}

static void apply(struct selfcheck *selfcheck, const struct noted *noted) {
    struct buffer text;
    buffer_init(&text, ANSWER_MOST);
    selfcheck->state.session = noted->session;
    (void)command_apply(&selfcheck->state, &noted->request, 0, &text);
    buffer_fini(&text);
}

static void compare(void *argument) {
    struct selfcheck *selfcheck = argument;
    const struct world *world = selfcheck->state.world;
    int next = 0;
    if (atomic_load(&selfcheck->is_stopping)) {
        return;
    }
    while (!atomic_load(&selfcheck->is_stopping)) {
        for (; next < selfcheck->count && selfcheck->noted[next].tick == world_tick(world); next++) {
            apply(selfcheck, &selfcheck->noted[next]);
        }
        if (world_tick(world) >= selfcheck->until) {
            break;
        }
        simulation_state_step(&selfcheck->state);
        selfcheck->state.log.count = 0;
    }
    const uint64_t hash = world_hash(selfcheck->after), again = world_hash(world);
    if (!atomic_load(&selfcheck->is_stopping) && again != hash) {
        struct selfcheck_difference difference = {
            .from = selfcheck->from, .tick = selfcheck->until, .hash = hash, .again = again};
        difference.has_agents = agent_difference_find(selfcheck->after, world, &difference.agents);
        selfcheck->def.on_difference(selfcheck->def.context, &difference);
    }
    selfcheck->compared++;
    if (again == hash && selfcheck->def.on_agreement != NULL) {
        selfcheck->def.on_agreement(selfcheck->def.context, selfcheck->compared, selfcheck->until);
    }
}

/* ---- life ---- */

static void clear_requests(struct selfcheck *selfcheck) {
    for (int i = 0; i < selfcheck->count; i++) {
        request_fini(&selfcheck->noted[i].request);
    }
    selfcheck->count = 0;
    selfcheck->extra_bytes = 0;
}

static void free_parts(struct selfcheck *selfcheck) {
    clear_requests(selfcheck);
    simulation_state_fini(&selfcheck->state);
    world_destroy(selfcheck->after);
    free(selfcheck->noted);
    free(selfcheck);
}

struct selfcheck *selfcheck_create(const struct selfcheck_def *def, const struct simulation_state *state) {
    struct selfcheck *selfcheck = calloc(1, sizeof *selfcheck);
    if (selfcheck == NULL) {
        return NULL;
    }
    selfcheck->def = *def;
    simulation_state_init(&selfcheck->state);
    selfcheck->state.parallel = (struct parallel){NULL, 2, run_backwards};
    selfcheck->state.world = world_clone_new(state->world);
    selfcheck->after = world_clone_new(state->world);
    if (selfcheck->state.world == NULL || selfcheck->after == NULL) {
        free_parts(selfcheck);
        return NULL;
    }
    world_set_simd(selfcheck->state.world, simd_simplest());
    if (duty_start(&selfcheck->duty, compare, selfcheck) != 0) {
        free_parts(selfcheck);
        return NULL;
    }
    return selfcheck;
}

void selfcheck_destroy(struct selfcheck *selfcheck) {
    if (selfcheck == NULL) {
        return;
    }
    atomic_store(&selfcheck->is_stopping, true);
    duty_end(&selfcheck->duty);
    free_parts(selfcheck);
}

/* ---- for the simulation thread ---- */

static bool take_copy(struct world *copy, const struct simulation_state *state) {
    return world_clone(copy, state->world) ||
           (world_clone_reserve(copy, state->world) && world_clone(copy, state->world));
}

static void begin(struct selfcheck *selfcheck, const struct simulation_state *state) {
    struct simulation_state *copy = &selfcheck->state;
    if (!take_copy(copy->world, state)) {
        return;
    }
    copy->cursors = state->cursors;
    copy->seq = state->seq;
    copy->is_paused = state->is_paused;
    event_log_init(&copy->log, state->world);
    selfcheck->from = world_tick(state->world);
    selfcheck->until = selfcheck->from + (uint64_t)(selfcheck->def.span_s * world_tick_hz(state->world)) + 1;
    clear_requests(selfcheck);
    selfcheck->has_begun = true;
}

void selfcheck_note_tick(struct selfcheck *selfcheck, const struct simulation_state *state) {
    if (selfcheck == NULL || duty_is_busy(&selfcheck->duty)) {
        return;
    }
    if (!selfcheck->has_begun) {
        begin(selfcheck, state);
    } else if (world_tick(state->world) >= selfcheck->until) {
        selfcheck->has_begun = false;
        if (!take_copy(selfcheck->after, state)) {
            return;
        }
        duty_order(&selfcheck->duty);
    }
}

void selfcheck_clear(struct selfcheck *selfcheck) {
    if (selfcheck != NULL && !duty_is_busy(&selfcheck->duty)) {
        selfcheck->has_begun = false;
    }
}

void selfcheck_note_request(struct selfcheck *selfcheck, const struct simulation_state *state,
                            const struct request *request, uint32_t session) {
    if (selfcheck == NULL || duty_is_busy(&selfcheck->duty) || !selfcheck->has_begun) {
        return;
    }
    if (request_extra_bytes(request) > EXTRA_MOST - selfcheck->extra_bytes) {
        selfcheck->has_begun = false; /* too much happens for this span */
        return;
    }
    if (selfcheck->count == selfcheck->room) {
        const int room = selfcheck->room == 0 ? 64 : selfcheck->room * 2;
        struct noted *grown =
            room > REQUESTS_MOST ? NULL : realloc(selfcheck->noted, sizeof *grown * (size_t)room);
        if (grown == NULL) {
            selfcheck->has_begun = false; /* too much happens for this span */
            return;
        }
        selfcheck->noted = grown;
        selfcheck->room = room;
    }
    struct noted *noted = &selfcheck->noted[selfcheck->count++];
    noted->tick = world_tick(state->world);
    noted->session = session;
    request_copy(&noted->request, request);
    selfcheck->extra_bytes += request_extra_bytes(request);
}
