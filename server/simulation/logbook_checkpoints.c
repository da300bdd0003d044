/* Checkpoints and hashes that ranks make together, where the world is in stripes. See logbook_internal.h. */
#include "server/simulation/logbook_internal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/commands/simulation_state.h"
#include "server/recording/checkpoint.h"
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

/* Whether ranks are writing a checkpoint. */
static bool logbook_is_writing_parts(const struct logbook *logbook) {
    return logbook->rounds.round != NULL && checkpoint_round_is_busy(logbook->rounds.round);
}

/* Begins the checkpoint of this number: each rank writes its part. */
static void logbook_begin_parts(struct logbook *logbook, const struct simulation_state *state,
                                uint32_t number) {
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
        logbook_note_checkpoint(logbook, logbook->moments.last_checkpoint.tick);
        state_directory_prune(logbook->def.directory, rounds->number, logbook->def.keep_bytes);
        break;
    case CHECKPOINT_FAILED:
        log_write(LOG_ERROR, "logbook", "a checkpoint is missing: %s", failure.message);
        break;
    }
}

/* Waits until it is on disk, but not for ever. */
static void logbook_finish_parts(struct logbook *logbook, const struct simulation_state *state) {
    const struct timespec moment = {.tv_nsec = (long)LOOK_NS};
    const uint64_t until_ns = clock_now_ns() + (uint64_t)(END_WAIT_S * 1e9);
    while (logbook_is_writing_parts(logbook) && clock_now_ns() < until_ns) {
        (void)nanosleep(&moment, NULL);
        logbook_look_at_parts(logbook, state, clock_now_ns());
    }
}

/* Ranks that have a part of the world each make its hash together, which no thread does beside the ticks: as often as it
 * takes little of their time. */
static void logbook_put_hash_of_ranks(struct logbook *logbook, const struct simulation_state *state) {
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
    logbook->moments.last_hash = logbook_moment_of(state);
    rounds->hashed_ns = clock_now_ns();
    rounds->hash_ns = rounds->hashed_ns - start_ns;
}

/* ---- checkpoints ---- */

/* Checkpoints and hashes, when they are due, and the files that begin with them. See logbook_internal.h. */

#define CHECKPOINT_BYTES_A_S 1e6
/* The part of the keeper's time that checkpoints take at most where ticks, not seconds, make them due: one in so many. */
#define CHECKPOINT_SHARE 25
/* So long after requests has the world a hash in any case. */
#define PAUSED_HASH_NS   UINT64_C(500000000)
#define SLOW_HASH_NS     UINT64_C(2000000000)
#define JOURNAL_LEAST_NS UINT64_C(1000000000) /* from one file of a journal to the next then */

/* ---- what the keeper has ---- */

/* The checkpoint of a journal, in its own file; then older ones may go. */
static void write_checkpoint(struct logbook *logbook, const struct keeper_result *result) {
    struct failure failure = {0};
    char path[STATE_DIRECTORY_PATH];
    state_directory_checkpoint_path(logbook->def.directory, result->order.number, path);
    if (file_write_whole(path, result->save, result->save_length, false, &failure) != 0) {
        log_write(LOG_ERROR, "logbook", "a checkpoint is missing: %s", failure.message);
        return;
    }
    logbook_note_checkpoint(logbook, result->tick);
    state_directory_prune(logbook->def.directory, result->order.number, logbook->def.keep_bytes);
}

/* Called by the keeper's thread. */
static void on_done(void *context, struct keeper_result *result) {
    struct logbook *logbook = context;
    const size_t bytes =
        result->line_length > result->save_length ? result->line_length : result->save_length;
    if (bytes > 0 && (result->order.tasks & KEEPER_MEMORY) == 0) {
        atomic_store(&logbook->checkpoint_bytes, bytes);
        atomic_store(&logbook->checkpoint_spent_ns, result->spent_ns);
    }
    bool has_part = false;
    pthread_mutex_lock(&logbook->mutex);
    if (result->line != NULL && (result->order.tasks & KEEPER_MEMORY) != 0) {
        /* The keeper frees what comes back, without the lock. */
        result->line = flight_memory_put_checkpoint(&logbook->memory, result->line, result->line_length);
        has_part = true;
    } else if (result->epoch == logbook->epoch) {
        if (result->line != NULL && result->order.recording == logbook->recordings) {
            logbook_put_checkpoint_line(&logbook->recording, result->line, result->line_length);
            result->line = NULL;
        }
        logbook_put_hash(logbook, result);
    }
    pthread_mutex_unlock(&logbook->mutex);
    if (has_part) {
        logbook_notify_opened(logbook); /* a request for the last seconds may wait for it */
    }
    if (result->save != NULL) {
        write_checkpoint(logbook, result);
    }
}

int logbook_need_keeper(struct logbook *logbook, const struct simulation_state *state,
                        struct failure *failure) {
    const struct keeper_def def = {logbook, on_done};
    logbook->keeper = logbook->keeper == NULL ? keeper_create(&def, state) : logbook->keeper;
    return logbook->keeper != NULL ? 0
                                   : failure_set(failure, FAILURE_BUSY, NULL, "out of memory, or of threads");
}

/* ---- further files ---- */

/* So long is it from one checkpoint to the next: what they cost the disk is bounded. */
static uint64_t checkpoint_interval_ns(const struct logbook *logbook) {
    const double grown_s = (double)atomic_load(&logbook->checkpoint_bytes) / CHECKPOINT_BYTES_A_S;
    const double every_s = logbook->def.checkpoint_every_s;
    return (uint64_t)((grown_s > every_s ? grown_s : every_s) * 1e9);
}

/* Whether there are so many ticks since the last checkpoint as the interval has at the world's rate: steps and speeds go
 * faster than the clock, and a seek, like a start, simulates from the nearest checkpoint. */
static bool has_many_ticks(const struct logbook *logbook, const struct simulation_state *state,
                           uint64_t now_ns) {
    const uint64_t tick = world_tick(state->world);
    const uint64_t since_ns = now_ns - logbook->checkpoint_ns;
    const double ticks = logbook->def.checkpoint_every_s * world_tick_hz(state->world);
    return (logbook->recording.writer != NULL || logbook->journal.writer != NULL) &&
           (double)(tick - logbook->line_tick) >= ticks &&
           (double)since_ns >= 1e9 * (double)atomic_load(&logbook->checkpoint_bytes) / CHECKPOINT_BYTES_A_S &&
           since_ns >= CHECKPOINT_SHARE * atomic_load(&logbook->checkpoint_spent_ns) &&
           (logbook->journal.writer == NULL || since_ns >= JOURNAL_LEAST_NS);
}

static bool is_recording_full(const struct logbook *logbook) {
    return logbook->def.record_max > 0 &&
           atomic_load(&logbook->recording.file_bytes) >= logbook->def.record_max;
}

/* A file has the lines of one interval at least, however little its size allows: the checkpoint that it begins with may
 * alone be more. */
static bool is_file_old(const struct logbook *logbook, uint64_t now_ns) {
    return now_ns - logbook->recording.began_ns >= checkpoint_interval_ns(logbook);
}

/* NAME.drover, NAME-2.drover, NAME-3.drover. */
static void next_path(const struct output *output, const char *first, char path[LOGBOOK_PATH]) {
    const char *suffix = strstr(first, ".drover");
    const int stem = (int)(suffix == NULL ? strlen(first) : (size_t)(suffix - first));
    (void)snprintf(path, LOGBOOK_PATH, "%.*s-%u%s", stem, first, (unsigned)output->file,
                   suffix == NULL ? "" : suffix);
}

static void begin_next_recording(struct logbook *logbook, const struct simulation_state *state) {
    struct output *recording = &logbook->recording;
    char path[LOGBOOK_PATH];
    recording->file++;
    next_path(recording, recording->path, path);
    pthread_mutex_lock(&logbook->mutex);
    file_writer_next_file(recording->writer, path);
    recording->file_bytes = 0;
    recording->has_header = false;
    pthread_mutex_unlock(&logbook->mutex);
    recording->began_ns = clock_now_ns();
    logbook_begin_recording(logbook, state);
    logbook_write_at(logbook, state, (struct recorder_session){.name = ""}, recording);
}

static void begin_next_journal(struct logbook *logbook, const struct simulation_state *state,
                               uint32_t number) {
    struct output *journal = &logbook->journal;
    logbook->journal_number = number;
    pthread_mutex_lock(&logbook->mutex);
    state_directory_journal_path(logbook->def.directory, number, journal->path);
    file_writer_next_file(journal->writer, journal->path);
    journal->file_bytes = 0;
    pthread_mutex_unlock(&logbook->mutex);
    recorder_write_header(&logbook->recorder, logbook->started, logbook->build);
    recorder_write_world(&logbook->recorder, state);
    logbook_hand_over(logbook, journal);
    logbook_write_at(logbook, state, (struct recorder_session){.name = ""}, journal);
}

/* ---- when they are due ---- */

void logbook_order_checkpoint(struct logbook *logbook, const struct simulation_state *state,
                              uint32_t journal_number, uint64_t now_ns) {
    struct keeper_order order = {.recording = logbook->recordings};
    struct failure moved = {0};
    if (logbook->journal.writer != NULL && state_directory_check(logbook->def.directory, &moved) != 0) {
        pthread_mutex_lock(&logbook->mutex);
        logbook_fail_output(&logbook->journal, &moved);
        pthread_mutex_unlock(&logbook->mutex);
    }
    pthread_mutex_lock(&logbook->mutex);
    order.tasks |= logbook_output_is_open(&logbook->journal) ? (unsigned)KEEPER_SAVE : 0u;
    order.tasks |= logbook_output_is_open(&logbook->recording) ? (unsigned)KEEPER_LINE : 0u;
    pthread_mutex_unlock(&logbook->mutex);
    const bool has_journal = (order.tasks & KEEPER_SAVE) != 0;
    const bool in_parts = has_journal && world_is_partial(state->world);
    order.tasks &= in_parts ? ~(unsigned)KEEPER_SAVE : ~0u;
    if ((!has_journal && order.tasks == 0) || (in_parts && logbook_is_writing_parts(logbook)) ||
        (order.tasks != 0 && !keeper_prepare(logbook->keeper, state))) {
        return;
    }
    const bool is_next = has_journal && journal_number == 0;
    order.number = is_next ? state_directory_next(logbook->def.directory) : journal_number;
    if (is_next) {
        begin_next_journal(logbook, state, order.number);
    }
    if ((order.tasks & KEEPER_LINE) != 0 && is_recording_full(logbook) && is_file_old(logbook, now_ns)) {
        begin_next_recording(logbook, state);
    }
    if (in_parts) {
        logbook_begin_parts(logbook, state, order.number);
    }
    if (order.tasks == 0 || keeper_take(logbook->keeper, state, order)) {
        logbook->needs_line = logbook->needs_line && (order.tasks & KEEPER_LINE) == 0;
    } else {
        log_write(LOG_ERROR, "logbook", "out of memory: a checkpoint is left out");
    }
    logbook->moments.last_hash = logbook->moments.last_checkpoint = logbook_moment_of(state);
    logbook->line_tick = logbook->moments.last_checkpoint.tick;
    logbook->checkpoint_ns = now_ns;
}

void logbook_look_for_checkpoint(struct logbook *logbook, const struct simulation_state *state,
                                 uint64_t now_ns) {
    if (logbook->keeper == NULL) {
        return;
    }
    /* A paused world waits for no memory, as nothing may happen in it for long. */
    if (logbook->needs_line && (state->is_paused || keeper_prepare(logbook->keeper, state)) &&
        keeper_take(logbook->keeper, state,
                    (struct keeper_order){.tasks = KEEPER_LINE, .recording = logbook->recordings})) {
        logbook->needs_line = false;
        return;
    }
    const bool is_due = now_ns - logbook->checkpoint_ns >= checkpoint_interval_ns(logbook) ||
                        has_many_ticks(logbook, state, now_ns) ||
                        (is_recording_full(logbook) && is_file_old(logbook, now_ns));
    if (is_due && !keeper_is_busy(logbook->keeper) &&
        !logbook_is_same_moment(logbook_moment_of(state), logbook->moments.last_checkpoint)) {
        logbook_order_checkpoint(logbook, state, 0, now_ns);
    }
}

bool logbook_lacks_hash(const struct logbook *logbook) {
    return logbook->keeper != NULL && logbook->moments.recorded.seq != logbook->moments.last_hash.seq &&
           (logbook->journal.writer != NULL || logbook->recording.writer != NULL || logbook->has_part);
}

/* Whether requests wait for a hash behind them, because no second of ticks comes: the world is paused, or slow. */
static bool is_hash_due(const struct logbook *logbook, const struct simulation_state *state,
                        uint64_t now_ns) {
    return logbook_lacks_hash(logbook) &&
           now_ns - logbook->changed_ns >= (state->is_paused ? PAUSED_HASH_NS : SLOW_HASH_NS);
}

void logbook_look_for_hash(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns) {
    const uint64_t tick = world_tick(state->world);
    const double second = world_tick_hz(state->world);
    if (logbook->keeper == NULL || state->is_spoiled ||
        (logbook->journal.writer == NULL && logbook->recording.writer == NULL && !logbook->has_part)) {
        return;
    }
    const bool is_due =
        (double)(tick - logbook->moments.last_hash.tick) >= second || is_hash_due(logbook, state, now_ns);
    if (is_due && world_is_partial(state->world)) {
        logbook_put_hash_of_ranks(logbook, state);
        return;
    }
    if (is_due && keeper_prepare(logbook->keeper, state) &&
        keeper_take(logbook->keeper, state, (struct keeper_order){.tasks = KEEPER_HASH})) {
        logbook->moments.last_hash = logbook_moment_of(state);
    }
}

/* ---- at once ---- */

char *logbook_make_checkpoint(const struct simulation_state *state, size_t *length) {
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    const struct world_room none = {0};
    const bool is_partial = world_is_partial(state->world);
    struct world *whole = is_partial ? world_new_room(&none) : NULL;
    struct buffer line;
    buffer_init(&line, (size_t)1 << 30);
    if (is_partial && (whole == NULL || state_gather_world(state, whole) != 0)) {
        world_destroy(whole);
        return NULL;
    }
    checkpoint_write(is_partial ? whole : state->world, &rest, &line, NULL);
    world_destroy(whole);
    if (line.failed) {
        buffer_fini(&line);
        return NULL;
    }
    return buffer_take(&line, length);
}

void logbook_put_checkpoint(struct logbook *logbook, const struct simulation_state *state,
                            struct output *output) {
    struct failure failure = {0};
    size_t length = 0;
    if (output->writer == NULL) {
        return;
    }
    char *text = logbook_make_checkpoint(state, &length);
    pthread_mutex_lock(&logbook->mutex);
    if (text == NULL) {
        (void)failure_set(&failure, FAILURE_BUSY, NULL, "out of memory");
        logbook_fail_output(output, &failure);
    } else {
        logbook_put_checkpoint_line(output, text, length);
    }
    pthread_mutex_unlock(&logbook->mutex);
}

void logbook_put_last_checkpoint(struct logbook *logbook, const struct simulation_state *state) {
    if (!world_is_partial(state->world)) {
        logbook_put_checkpoint(logbook, state, &logbook->journal);
        return;
    }
    logbook_finish_parts(logbook, state);
    if (!logbook_is_same_moment(logbook_moment_of(state), logbook->moments.last_checkpoint) &&
        !logbook_is_writing_parts(logbook)) {
        const uint32_t number = state_directory_next(logbook->def.directory);
        begin_next_journal(logbook, state, number);
        logbook_begin_parts(logbook, state, number);
        logbook_finish_parts(logbook, state);
    }
}
