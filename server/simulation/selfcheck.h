/* Simulates the last seconds again on a thread of its own, with other instructions and with loops shared out the other way
 * round, and compares hashes: a world must not depend on how it is computed.
 *
 * The simulation thread copies its world, notes requests for the span, and then hands both over with another copy; the next span begins when the thread is done. A load ends a span without a comparison.
 */
#ifndef DROVER_SERVER_SIMULATION_SELFCHECK_H
#define DROVER_SERVER_SIMULATION_SELFCHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/commands/simulation_state.h"
#include "server/recording/replay.h"

struct selfcheck;

/** A span whose hash did not come out. */
struct selfcheck_difference {
    uint64_t from, tick; /* the span */
    uint64_t hash, again;
    bool has_agents; /* those that differ; false without memory */
    struct agent_difference agents;
};

struct selfcheck_def {
    void *context;
    void (*on_difference)(void *context, const struct selfcheck_difference *difference); /* on its thread */
    double span_s;                                                                       /* of ticks */
    void (*on_agreement)(void *context, uint64_t spans,
                         uint64_t tick); /* the same; NULL: not. spans: so far */
};

/** NULL without memory or threads. */
NODISCARD struct selfcheck *selfcheck_create(const struct selfcheck_def *def,
                                             const struct simulation_state *state);
/** NULL is fine, here and below. */
void selfcheck_destroy(struct selfcheck *selfcheck);
/** A request of this session took effect: one that is no load. */
void selfcheck_note_request(struct selfcheck *selfcheck, const struct simulation_state *state,
                            const struct request *request, uint32_t session);
/** A tick was done; between ticks. */
void selfcheck_note_tick(struct selfcheck *selfcheck, const struct simulation_state *state);
/** Another world was put in. */
void selfcheck_clear(struct selfcheck *selfcheck);

#endif
