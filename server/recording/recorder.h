/* Formats the lines that a running simulation gives its recordings (recording_line.h). Pure.
 *
 * 1. Lines are appended to `out`, whose memory stays: a line allocates nothing once the buffers are warm.
 * 2. The recorder keeps the world line of the world that runs, so that a further file can begin with it.
 */
#ifndef DROVER_SERVER_RECORDING_RECORDER_H
#define DROVER_SERVER_RECORDING_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/protocol/request.h"
#include "server/commands/simulation_state.h"
#include "server/recording/recording_line.h"

/** The session whose request a line is about. */
struct recorder_session {
    uint32_t by;      /* 0: the server */
    const char *name; /* "" for none */
};

struct recorder {
    struct buffer out;           /* the lines so far; the caller hands them on and clears it */
    struct buffer request;       /* one request as text */
    struct recording_line world; /* of the world that runs; its text is the state's */
};

/** Allocates the usual sizes. 0, or -1 without memory. */
NODISCARD int recorder_init(struct recorder *recorder);
void recorder_fini(struct recorder *recorder);

/** The world that runs from now on; its number is one more than that of the world before it.
 * hash: of the world as it was put in. Writes nothing. */
void recorder_set_world(struct recorder *recorder, const struct simulation_state *state, uint64_t hash,
                        struct recorder_session session);

/** The first two lines of a file: drover and world. started, build: see recording_line.h. */
void recorder_write_header(struct recorder *recorder, const char *started, const char *build);
void recorder_write_world(struct recorder *recorder, const struct simulation_state *state);
/** A request that took effect: one with REQUEST_TRAIT_CHANGES that recorder_is_do. */
void recorder_write_do(struct recorder *recorder, const struct simulation_state *state,
                       const struct request *request, struct recorder_session session);
/** How far the state has got. */
void recorder_write_at(struct recorder *recorder, const struct simulation_state *state,
                       struct recorder_session session);
void recorder_write_hash(struct recorder *recorder, uint64_t tick, uint64_t seq, uint64_t hash);
/** reason: "" for an end in order. */
void recorder_write_end(struct recorder *recorder, const struct simulation_state *state, const char *reason);

/** Whether a request that took effect is a `do` line: it changes the world, and neither its time nor the world
 * itself (pause, resume, step, load). */
bool recorder_is_do(enum request_op op);

#endif
