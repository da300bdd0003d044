/* See simulation_internal.h. Checkpoints of the live world go into its past (server/library/past.h), and requests. */
#include "server/simulation/simulation_internal.h"

#include <stdio.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/library/past.h"
#include "server/recording/recording_line.h"
#include "server/simulation/logbook_internal.h"
#include "server/simulation/looks.h"

/* The parts of the time that copies take at most of the ticks, and checkpoints of the keeper: one in so many. */
enum { COPY_SHARE = 100, KEEPER_SHARE = 10 };

/* Called by the keeper's thread. */
static void on_done(void *context, struct keeper_result *result) {
    struct simulation *simulation = context;
    atomic_store(&simulation->past_making.spent_ns, result->spent_ns);
    past_put(simulation->past, result->order.number, result->save, result->save_length);
    result->save = NULL;
}

/* ---- requests ---- */

static void rewound(void *context, struct message_event *event, struct json_writer *json) {
    struct simulation *simulation = context;
    char name[PAST_NAME], from[PAST_NAME];
    struct past_way *way = &simulation->order->way;
    const uint64_t simulated = way->simulated;
    const bool is_without = way->is_without;
    const uint32_t left_out = way->left_out;
    past_arrive(simulation->past, way, simulation->state.seq + 1, name, from);
    simulation->past_making.tick = world_tick(simulation->state.world);
    (void)snprintf(event->branch, sizeof event->branch, "%s", name);
    (void)snprintf(event->from, sizeof event->from, "%s", from);
    json_key_string(json, "branch", name);
    json_key_string(json, "from", from);
    json_key_unsigned(json, "simulated", simulated);
    if (is_without) {
        json_key_unsigned(json, "left_out", left_out);
    }
}

static int put_mark(void *context, const struct request_mark *mark, struct failure *failure) {
    struct simulation *simulation = context;
    if (!simulation->past_making.is_on) {
        return failure_set(failure, FAILURE_REPLAYING, "op",
                           "a recording is played; seek goes to its ticks, and marks are for a live world");
    }
    return past_mark(simulation->past, mark->name, simulation->state.seq, failure);
}

static void list_branches(void *context, struct json_writer *json) {
    struct simulation *simulation = context;
    past_write(simulation->past, json);
}

static void list_changes(void *context, struct json_writer *json) {
    struct simulation *simulation = context;
    past_write_changes(simulation->past, json);
}

/* ---- life ---- */

int simulation_past_init(struct simulation *simulation, uint64_t bytes) {
    struct state_services *services = &simulation->state.services;
    if (bytes == 0) {
        return 0;
    }
    simulation->past = past_create(bytes);
    if (simulation->past == NULL || recorder_init(&simulation->past_making.recorder) != 0) {
        past_destroy(simulation->past);
        simulation->past = NULL;
        return -1;
    }
    simulation->past_making.bytes = bytes;
    services->context = simulation;
    services->rewound = rewound;
    services->mark = put_mark;
    services->list_branches = list_branches;
    services->list_changes = list_changes;
    return 0;
}

void simulation_past_fini(struct simulation *simulation) {
    keeper_destroy(simulation->past_making.keeper);
    if (simulation->past != NULL) {
        recorder_fini(&simulation->past_making.recorder);
        past_destroy(simulation->past);
    }
}

struct looks *simulation_create_looks(struct simulation *simulation, uint32_t most, size_t frame_bytes,
                                      void (*notify)(void *context), void *context) {
    const struct looks_def def = {.past = simulation->past,
                                  .overrides = simulation->overrides,
                                  .most = (int)most,
                                  .bytes = simulation->past_making.bytes,
                                  .frame_bytes = frame_bytes,
                                  .notify = notify,
                                  .context = context};
    return simulation->past == NULL || most == 0 ? NULL : looks_create(&def);
}

/* ---- what happens ---- */

/* Whether the copy of the world, with which a checkpoint begins, leaves some of the memory. */
static bool has_room(const struct simulation *simulation) {
    const struct world_room room = world_room_of(simulation->state.world);
    return world_room_bytes(&room) < simulation->past_making.bytes;
}

/* Copies the world for a checkpoint; the keeper is not busy. */
static void take(struct simulation *simulation, uint64_t now_ns) {
    struct past_making *making = &simulation->past_making;
    const struct simulation_state *state = &simulation->state;
    const struct world_room room = world_room_of(state->world);
    const uint64_t start_ns = clock_now_ns();
    const struct keeper_order order = {
        .tasks = KEEPER_SAVE, .number = past_add(simulation->past, state->seq, world_room_bytes(&room))};
    making->tick = world_tick(state->world);
    making->began_ns = now_ns;
    if (order.number != 0 && !keeper_take(making->keeper, state, order)) {
        past_put(simulation->past, order.number, NULL, 0);
    }
    making->copy_ns = clock_now_ns() - start_ns;
}

void simulation_past_begin(struct simulation *simulation) {
    struct past_making *making = &simulation->past_making;
    const struct simulation_state *state = &simulation->state;
    const struct keeper_def def = {simulation, on_done};
    if (simulation->past == NULL) {
        return;
    }
    past_begin(simulation->past, world_tick(state->world), state->seq, world_tick_hz(state->world));
    making->tick = world_tick(state->world);
    making->is_on = true;
    if (!has_room(simulation)) {
        log_write(LOG_INFO, "simulation",
                  "the world cannot go back: a copy of it takes more memory than --rewind allows");
        return;
    }
    making->keeper = making->keeper == NULL ? keeper_create(&def, state) : making->keeper;
    if (making->keeper == NULL) {
        log_write(LOG_ERROR, "simulation", "out of memory, or of threads: the world cannot go back");
        making->is_on = false;
        return;
    }
    if (world_agent_count(state->world) <= WORLD_SMALL) {
        keeper_wait(making->keeper); /* what it does takes moments, and the past is to have the beginning */
    }
    if (!keeper_is_busy(making->keeper)) {
        take(simulation, clock_now_ns());
    }
}

void simulation_past_note_request(struct simulation *simulation, const struct request *request,
                                  struct recorder_session session) {
    struct recorder *recorder = &simulation->past_making.recorder;
    if (!simulation->past_making.is_on) {
        return;
    }
    recorder_write_do(recorder, &simulation->state, request, session);
    if (recorder->out.failed) {
        simulation_past_begin(simulation); /* nothing can be computed across a request that is missing */
    } else {
        past_note_request(simulation->past, recorder->out.data, recorder->out.length, simulation->state.seq);
    }
    buffer_clear(&recorder->out);
}

void simulation_past_note_tick(struct simulation *simulation, uint64_t now_ns) {
    struct past_making *making = &simulation->past_making;
    const struct world *world = simulation->state.world;
    if (!making->is_on) {
        return;
    }
    past_note_tick(simulation->past, world_tick(world));
    const uint64_t since_ns = now_ns - making->began_ns;
    const bool is_due = (double)(world_tick(world) - making->tick) >= world_tick_hz(world) &&
                        since_ns >= COPY_SHARE * making->copy_ns &&
                        since_ns >= KEEPER_SHARE * atomic_load(&making->spent_ns);
    if (is_due && making->keeper != NULL && has_room(simulation) &&
        keeper_prepare(making->keeper, &simulation->state)) {
        take(simulation, now_ns);
    }
}
