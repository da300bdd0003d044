/* See recorder.h. */
#include "server/recording/recorder.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "server/sim/core.h"

enum {
    WARM_BYTES = 64 * 1024,              /* of both buffers: the longest request fits */
    MOST_BYTES = 64 * 1024 * 1024,       /* a world line with a scenario whose every byte is escaped */
    MOST_REQUEST_BYTES = 4 * 1024 * 1024 /* far more than any request has */
};

static int warm(struct buffer *buffer, size_t limit) {
    buffer_init(buffer, limit);
    return buffer_reserve(buffer, WARM_BYTES) == NULL ? -1 : 0;
}

int recorder_init(struct recorder *recorder) {
    *recorder = (struct recorder){0};
    if (warm(&recorder->out, MOST_BYTES) != 0 || warm(&recorder->request, MOST_REQUEST_BYTES) != 0) {
        recorder_fini(recorder);
        return -1;
    }
    return 0;
}

void recorder_fini(struct recorder *recorder) {
    buffer_fini(&recorder->out);
    buffer_fini(&recorder->request);
}

bool recorder_is_do(enum request_op op) {
    return state_ranks_share(op);
}

static void set_session(struct recording_line *line, struct recorder_session session) {
    line->by = session.by;
    (void)snprintf(line->name, sizeof line->name, "%s", session.name);
}

/* A line about the state as it is now. */
static struct recording_line line_of(const struct simulation_state *state, enum recording_op op) {
    return (struct recording_line){.op = op, .tick = world_tick(state->world), .seq = state->seq};
}

void recorder_set_world(struct recorder *recorder, const struct simulation_state *state, uint64_t hash,
                        struct recorder_session session) {
    const uint32_t number = recorder->world.world + 1;
    struct recording_line *line = &recorder->world;
    *line = line_of(state, RECORDING_WORLD);
    line->world = number;
    line->seed = world_seed(state->world);
    line->tick_hz = world_tick_hz(state->world);
    line->hash = hash;
    memcpy(line->scenario, state->name, sizeof line->scenario);
    set_session(line, session);
}

void recorder_write_header(struct recorder *recorder, const char *started, const char *build) {
    struct recording_line line = {
        .op = RECORDING_DROVER, .format = RECORDING_FORMAT, .core = (uint32_t)CORE_NUMBER};
    (void)snprintf(line.server, sizeof line.server, "drover-server %s", DROVER_VERSION);
    (void)snprintf(line.started, sizeof line.started, "%s", started);
    (void)snprintf(line.build, sizeof line.build, "%s", build);
    recording_line_write(&line, &recorder->out);
}

void recorder_write_world(struct recorder *recorder, const struct simulation_state *state) {
    assert(recorder->world.world > 0);
    recorder->world.from_tick = world_tick(state->world);
    recorder->world.from_seq = state->seq;
    recorder->world.text = state->text;
    recorder->world.text_length = state->text_length;
    recording_line_write(&recorder->world, &recorder->out);
    recorder->world.text = NULL; /* the state's, which may go */
    recorder->world.text_length = 0;
}

void recorder_write_do(struct recorder *recorder, const struct simulation_state *state,
                       const struct request *request, struct recorder_session session) {
    assert(recorder_is_do(request->op));
    struct recording_line line = line_of(state, RECORDING_DO);
    struct request plain = *request; /* borrows the extra */
    plain.id[0] = '\0';
    plain.has_at = false; /* the line has the tick */
    buffer_clear(&recorder->request);
    request_encode(&plain, &recorder->request);
    if (recorder->request.failed) {
        recorder->out.failed = true;
        return;
    }
    line.request = recorder->request.data;
    line.request_length = recorder->request.length - 1; /* without its newline */
    set_session(&line, session);
    recording_line_write(&line, &recorder->out);
}

void recorder_write_at(struct recorder *recorder, const struct simulation_state *state,
                       struct recorder_session session) {
    struct recording_line line = line_of(state, RECORDING_AT);
    line.is_paused = state->is_paused;
    set_session(&line, session);
    recording_line_write(&line, &recorder->out);
}

void recorder_write_hash(struct recorder *recorder, uint64_t tick, uint64_t seq, uint64_t hash) {
    const struct recording_line line = {.op = RECORDING_HASH, .tick = tick, .seq = seq, .hash = hash};
    recording_line_write(&line, &recorder->out);
}

void recorder_write_end(struct recorder *recorder, const struct simulation_state *state, const char *reason) {
    struct recording_line line = line_of(state, RECORDING_END);
    (void)snprintf(line.reason, sizeof line.reason, "%s", reason);
    recording_line_write(&line, &recorder->out);
}
