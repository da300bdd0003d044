/* Checkpoints and hashes that ranks make together, where the world is in stripes. See logbook_internal.h. */
#include "server/simulation/logbook_internal.h"

#include <string.h>
#include <time.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/sim/world/world_stripes.h"

#define LOOK_NS UINT64_C(20000000) /* from one look at a checkpoint that ranks write to the next */
/* The part of the ticks' time that hashes take at most: one in so many. */
#define HASH_SHARE 200

static void order_ranks(const struct simulation_state *state, enum rank_order order, const char *path) {
    state->ranks->order(state->ranks->context, order, path, path == NULL ? 0 : strlen(path) + 1);
}

int logbook_check_ranks(struct logbook *logbook, const struct simulation_state *state,
                        struct failure *failure) {
    if (logbook->def.directory == NULL || !world_is_partial(state->world)) {
        return 0;
    }
    const char *folder = state_directory_path(logbook->def.directory);
    order_ranks(state, RANK_ORDER_FOLDER, folder);
    return checkpoint_round_check(state->exchange, folder, failure);
}

static bool need_round(struct logbook *logbook, const struct simulation_state *state) {
    struct rounds *rounds = &logbook->rounds;
    rounds->round = rounds->round == NULL ? checkpoint_round_new(state->exchange) : rounds->round;
    if (rounds->round == NULL) {
        log_write(LOG_ERROR, "logbook", "out of memory, or of threads: a checkpoint is left out");
    }
    return rounds->round != NULL;
}

bool logbook_is_writing_parts(const struct logbook *logbook) {
    return logbook->rounds.round != NULL && checkpoint_round_is_busy(logbook->rounds.round);
}

void logbook_begin_parts(struct logbook *logbook, const struct simulation_state *state, uint32_t number) {
    struct keeper_result result = {.tick = world_tick(state->world), .seq = state->seq};
    char path[STATE_DIRECTORY_PATH];
    if (!need_round(logbook, state)) {
        return;
    }
    state_directory_checkpoint_path(logbook->def.directory, number, path);
    order_ranks(state, RANK_ORDER_PARTS, path);
    result.hash = checkpoint_round_begin(logbook->rounds.round, state, path);
    logbook->rounds.number = number;
    pthread_mutex_lock(&logbook->mutex);
    logbook_put_hash(logbook, &result);
    pthread_mutex_unlock(&logbook->mutex);
}

void logbook_look_at_parts(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    struct rounds *rounds = &logbook->rounds;
    struct failure failure = {0};
    uint64_t bytes = 0;
    if (!logbook_is_writing_parts(logbook) || now_ns - rounds->looked_ns < LOOK_NS) {
        return;
    }
    rounds->looked_ns = now_ns;
    order_ranks(state, RANK_ORDER_LOOK, NULL);
    switch (checkpoint_round_look(rounds->round, &bytes, &failure)) {
    case CHECKPOINT_WRITING:
        break;
    case CHECKPOINT_WRITTEN:
        atomic_store(&logbook->checkpoint_bytes, bytes);
        logbook_note_checkpoint(logbook, logbook->checkpoint.tick);
        state_directory_prune(logbook->def.directory, rounds->number, logbook->def.keep_bytes);
        break;
    case CHECKPOINT_FAILED:
        log_write(LOG_ERROR, "logbook", "a checkpoint is missing: %s", failure.message);
        break;
    }
}

void logbook_finish_parts(struct logbook *logbook, const struct simulation_state *state) {
    const struct timespec moment = {.tv_nsec = (long)LOOK_NS};
    const uint64_t until_ns = clock_now_ns() + (uint64_t)(END_WAIT_S * 1e9);
    while (logbook_is_writing_parts(logbook) && clock_now_ns() < until_ns) {
        (void)nanosleep(&moment, NULL);
        logbook_look_at_parts(logbook, state, clock_now_ns());
    }
}

void logbook_put_hash_of_ranks(struct logbook *logbook, const struct simulation_state *state) {
    struct rounds *rounds = &logbook->rounds;
    const uint64_t start_ns = clock_now_ns();
    if (start_ns - rounds->hashed_ns < HASH_SHARE * rounds->hash_ns) {
        return;
    }
    const struct keeper_result result = {
        .tick = world_tick(state->world), .seq = state->seq, .hash = simulation_state_hash(state)};
    pthread_mutex_lock(&logbook->mutex);
    logbook_put_hash(logbook, &result);
    pthread_mutex_unlock(&logbook->mutex);
    logbook->hash = logbook_moment_of(state);
    rounds->hashed_ns = clock_now_ns();
    rounds->hash_ns = rounds->hashed_ns - start_ns;
}
